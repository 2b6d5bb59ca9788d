"""What the agents read, as short Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agent.context import MOST_BYTES

GOAL = 0.25
BUDGETS = (5_000, 10_000, 25_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
"""Bytes within which it is counted how many questions are solved."""
_OURS, _THEIRS = ("connote, as text", "connote, as data"), ("ripgrep, files", "ripgrep, windows")
_ABOUT = """\
# What an agent reads

Written by `python tests/quality/agent --all --write`; not by hand.
[PROCEDURE.md](PROCEDURE.md) says what is counted."""

Rows = Sequence[Mapping[str, Any]]


def markdown(found: Mapping[str, Any]) -> str:
    """The whole report."""
    rows = found["rows"]
    chosen = [row for row in rows if row["thirty"]]
    parts = [
        _ABOUT,
        f"connote {found['connote']} at `{found['commit']}`; {found['ripgrep']}.",
        f"connote's instructions and tools are described in {found['described']:,} bytes, once a session.",
        f"## The {len(chosen)} questions",
        _tables(chosen),
        _verdict(chosen),
        _within(chosen),
    ]
    if len(rows) > len(chosen):
        parts += [f"## All {len(rows)} questions to develop on", _tables(rows), _within(rows)]
    parts += ["## Each question", _each(chosen)]
    return "\n\n".join(parts) + "\n"


def ratio(rows: Rows, ours: str, theirs: str) -> tuple[int, float]:
    """How many questions both agents solve, and the bytes of the first as a share of those of the second."""
    both = [row for row in rows if row[ours][0] and row[theirs][0]]
    return len(both), sum(row[ours][1] for row in both) / max(1, sum(row[theirs][1] for row in both))


def _tables(rows: Rows) -> str:
    agents = [
        [
            name,
            f"{sum(row[name][0] for row in rows)} of {len(rows)}",
            f"{sum(row[name][1] for row in rows):,}",
            f"{round(statistics.median(row[name][1] for row in rows)):,}",
            f"{statistics.mean(row[name][2] for row in rows):.1f}",
        ]
        for name in (*_OURS, *_THEIRS)
    ]
    pairs = []
    for ours in _OURS:
        for theirs in _THEIRS:
            count, share = ratio(rows, ours, theirs)
            all_of_it = sum(row[ours][1] for row in rows) / max(1, sum(row[theirs][1] for row in rows))
            pairs.append([f"{ours} : {theirs}", str(count), f"{share:.3f}", f"{all_of_it:.3f}"])
    return "\n\n".join(
        (
            _table(["agent", "solved", "bytes in all", "median of bytes", "calls, mean"], agents),
            _table(["share", "both solve", "of the bytes where both solve", "of the bytes in all"], pairs),
        )
    )


def _verdict(rows: Rows) -> str:
    theirs = _THEIRS[0]
    solved = {name: sum(row[name][0] for row in rows) for name in (*_OURS, theirs)}
    least = all(solved[ours] >= solved[theirs] for ours in _OURS)
    shares = [ratio(rows, ours, theirs)[1] for ours in _OURS]
    met = least and max(shares) <= GOAL
    return (
        f"The goal, at most {GOAL} of the bytes of *{theirs}* with at least as many questions solved, "
        f"is {'met' if met else 'missed'}: {max(shares):.3f} of the bytes, "
        f"{min(solved[ours] for ours in _OURS)} solved against {solved[theirs]}."
    )


def _within(rows: Rows) -> str:
    body = [
        [name, *(str(sum(row[name][3] and row[name][4] <= budget for row in rows)) for budget in BUDGETS)]
        for name in (*_OURS, *_THEIRS)
    ]
    head = ["solved within bytes", *(f"{budget:,}" for budget in BUDGETS)]
    parts = [f"If each may go on for {BUDGETS[-1]:,} bytes (this does not decide):", _table(head, body)]
    for theirs in _THEIRS:
        count = sum(row[theirs][0] for row in rows)
        needed = [
            sorted(row[ours][4] if row[ours][3] else BUDGETS[-1] for row in rows)[max(count, 1) - 1] for ours in _OURS
        ]
        parts.append(
            f"*{theirs}* solves {count} within {MOST_BYTES:,} bytes each; connote's agent solves as many within "
            f"{max(needed):,} bytes each, which is {max(needed) / MOST_BYTES:.3f} of them."
        )
    return "\n\n".join(parts)


def _each(rows: Rows) -> str:
    body = [
        [
            row["package"],
            row["query"],
            *(f"{row[name][1]:,}{'' if row[name][0] else ' no'}" for name in (*_OURS, *_THEIRS)),
        ]
        for row in rows
    ]
    text = _table(["package", "question", *_OURS, *_THEIRS], body)
    return f"Bytes; `no` is not solved.\n\n{text}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
