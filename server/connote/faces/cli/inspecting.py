"""What `status` and `doctor` do."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

import click

from connote import engine
from connote.faces import render
from connote.faces.cli.place import locate, settings_for
from connote.faces.cli.terminal import Output, wants_color
from connote.model import Problem, Status

MOST_NAMED = 6
"""How many of the languages, kinds or reasons are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of `status`, as they were typed."""

    format_: str
    files: bool
    skipped: bool
    null: bool
    index_dir: str | None


def status(path: str, wishes: Wishes) -> int:
    """Print the state of an index, or a list of its files; return the exit code."""
    place = locate(path)
    output = Output(color=wants_color("auto", sys.stdout))
    end = "\0" if wishes.null else "\n"
    with engine.open_index(place.root, settings_for(place.root, wishes.index_dir)) as index:
        if wishes.files:
            output.write("".join(f"{file}{end}" for file in index.files()))
        elif wishes.skipped:
            output.write("".join(f"{skipped.path}\t{skipped.reason}{end}" for skipped in index.skipped()))
        elif wishes.format_ == "json":
            fields = dataclasses.asdict(index.status())
            output.write(render.to_json(fields, ascii_only=not output.unicode, indent=2) + "\n")
        else:
            output.write(status_text(index.status(), index.problems(), color=wants_color("auto", sys.stdout)))
    return 0


def doctor(format_: str, index_dir: str | None) -> int:
    """Print each check and whether it passed; return 0 when all did, else 1."""
    color = wants_color("auto", sys.stdout)
    output = Output(color=color)
    # Without a folder of its own it reads the settings itself, because they are one of the checks.
    checks = engine.check(settings_for(None, index_dir) if index_dir else None)
    if format_ == "json":
        rows = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        output.write(render.to_json(rows, ascii_only=not output.unicode, indent=2) + "\n")
    else:
        width = max((len(check.name) for check in checks), default=0)
        for check in checks:
            word = _style("ok    ", "green", color) if check.ok else _style("failed", "red", color)
            output.write(f"{word}  {check.name:<{width}}  {check.detail}\n")
    return 0 if all(check.ok for check in checks) else 1


def status_text(state: Status, problems: Sequence[Problem], *, color: bool = False) -> str:
    """Return a status as a short table for people, with the files that failed below it."""
    hue = {"ready": "green", "error": "red"}.get(state.state, "yellow")
    lines = [f"{_style(state.root, None, color, bold=True)}  {_style(state.state, hue, color)}"]
    if state.message:
        lines.append(f"  {state.message}")
    rows = [
        ("files", f"{state.files:,}", _named(state.languages)),
        ("chunks", f"{state.chunks:,}", _named(state.kinds)),
        ("pending", f"{state.pending:,}", ""),
        ("failed", f"{state.failed:,}", ""),
        ("skipped", f"{sum(state.skipped.values()):,}", _named(state.skipped)),
    ]
    width = max(len(number) for _, number, _ in rows)
    lines += [f"  {name:<9}  {number:>{width}}  {detail}".rstrip() for name, number, detail in rows]
    lines.append(f"  {'model':<9}  {state.model}, {state.dimensions} dimensions")
    lines.append(f"  {'store':<9}  {state.store}, {_size(state.bytes)} in {state.path}")
    lines.append(f"  {'last sync':<9}  {_age(state.last_sync)}")
    if problems:
        lines.append("")
        lines.extend(f"  {render.printable(problem.path)}: {problem.reason}" for problem in problems)
    return "".join(f"{line}\n" for line in lines)


def _named(numbers: Mapping[str, int]) -> str:
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{name} {number:,}" for name, number in ranked[:MOST_NAMED]]
    rest = sum(number for _, number in ranked[MOST_NAMED:])
    return ", ".join([*named, f"other {rest:,}"] if rest else named)


def _size(number: int) -> str:
    size = float(number)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _age(moment: str | None) -> str:
    if moment is None:
        return "never; `connote index` makes the index"
    # Python 3.10 does not read the Z that stands for UTC.
    then = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    seconds = (datetime.now(timezone.utc) - then).total_seconds()
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        number = int(seconds // length)
        if number >= 1:
            return f"{number} {unit}{'s' if number > 1 else ''} ago ({moment})"
    return f"just now ({moment})"


def _style(text: str, hue: str | None, color: bool, *, bold: bool = False) -> str:
    return click.style(text, fg=hue, bold=bold or None) if color else text
