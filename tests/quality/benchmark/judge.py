"""When a hit counts, and what a list of hits is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmark.questions import Place

LONGEST = 150
"""Lines. A longer hit shows so much that covering an answer is no merit: half of it must be the answer."""
DEPTH = 10
"""Hits that NDCG looks at."""


class Span(NamedTuple):
    """A hit as far as it is judged. Lines are 1-based and inclusive; the path is relative to the indexed folder."""

    path: str
    start: int
    end: int


class Score(NamedTuple):
    """What the hits of one question are worth."""

    lines_5: bool
    """Whether one of the first five shows the right lines."""
    file_5: bool
    """Whether one of the first five is in the right file."""
    file_3: bool
    ndcg_10: float
    """0 to 1."""


def shows(hit: Span, answer: Place) -> bool:
    """Whether a hit shows an answer's lines.

    Half of the hit or half of the answer lies in the other; a hit of over 150 lines counts only when half of it does.
    """
    if answer.last is None:
        raise ValueError(f"{answer.path} has no lines")
    shared = min(hit.end, answer.last) - max(hit.start, answer.first) + 1
    if hit.path != answer.path or shared <= 0:
        return False
    length = hit.end - hit.start + 1
    return 2 * shared >= length or (length <= LONGEST and 2 * shared >= answer.last - answer.first + 1)


def touches(hit: Span, target: Place) -> bool:
    """Whether a hit is in a public set's target: its file, and where the target names lines, at least one of them.

    Paths match when one ends with the other, because annotations and indexes may begin at different folders.
    """
    hit_path, path = hit.path.replace("\\", "/"), target.path.replace("\\", "/")
    if not (hit_path == path or hit_path.endswith("/" + path) or path.endswith("/" + hit_path)):
        return False
    return target.last is None or not (hit.end < target.first or hit.start > target.last)


def ndcg(hits: Sequence[Span], targets: Sequence[Place], matches: Callable[[Span, Place], bool]) -> float:
    """Normalised discounted cumulative gain of the first ten hits, 0 to 1.

    Each target counts at the first hit that matches it, a hit at most once; gains are binary; the ideal has a hit for
    every target.
    """
    ranks = set()
    for target in targets:
        rank = next((rank for rank, hit in enumerate(hits[:DEPTH]) if matches(hit, target)), None)
        if rank is not None:
            ranks.add(rank)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(targets))))
    return sum(1 / math.log2(rank + 2) for rank in sorted(ranks)) / ideal if ideal else 0.0


def right(hits: Sequence[Span], answers: Sequence[Place]) -> list[Span]:
    """The hits that show an answer, in their order."""
    return [hit for hit in hits if any(shows(hit, answer) for answer in answers)]


def score(hits: Sequence[Span], answers: Sequence[Place]) -> Score:
    """What hits are worth for a question whose answers are lines."""
    files = {answer.path for answer in answers}
    return Score(
        lines_5=bool(right(hits[:5], answers)),
        file_5=any(hit.path in files for hit in hits[:5]),
        file_3=any(hit.path in files for hit in hits[:3]),
        ndcg_10=ndcg(hits, answers, shows),
    )


def score_public(hits: Sequence[Span], targets: Sequence[Place]) -> Score:
    """What hits are worth for a question of the public set; `lines_5` and `file_5` are the same there."""
    first = [any(touches(hit, target) for target in targets) for hit in hits[:5]]
    return Score(any(first), any(first), any(first[:3]), ndcg(hits, targets, touches))
