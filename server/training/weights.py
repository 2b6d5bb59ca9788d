"""How well weights rank written questions, and a search for better ones: `python -m training.weights CASES.npz`.

With `--minutes` weights are changed at random, from the product's on. A third of the packages is never searched on: its
figures are the ones to believe.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from connote.rank import RankOptions
from connote.rank.ranking import WEIGHTS, Weights, combine
from training.signals import Case, load

_FIRST = 5
_DEPTH = 10
_OPTIONS = RankOptions()
_FACTORS = (0.0, 0.5, 0.7, 0.85, 1.2, 1.4, 2.0)
_LEAST = 0.05
"""A weight that is smaller is changed as if it were this, so that none stays at zero for ever."""
_MOST_DECAY = 0.95
_GAIN = 0.0003
"""What a change must bring: less is noise."""


class Figures(NamedTuple):
    """Means over questions, 0 to 1."""

    lines: float
    """Right lines in the first five places."""
    ndcg: float
    """NDCG@10 of the first right lines."""
    file: float
    """The right file among the first five files."""

    def __str__(self) -> str:
        return f"{self.lines:.3f}/{self.ndcg:.3f}/{self.file:.3f}"


def evaluate(cases: Sequence[Case], weights: Weights) -> Figures:
    """Rank each case as the product does, with these weights."""
    return Figures(*np.mean([_judge(case, weights) for case in cases], axis=0).tolist())


def split(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Cases to search on and cases to check with: every third package is only checked."""
    checked = set(sorted({case.package for case in cases})[::3])
    return [one for one in cases if one.package not in checked], [one for one in cases if one.package in checked]


def changed(weights: Weights, chance: random.Random) -> Weights:
    """Other weights: one to three numbers of these, multiplied."""
    ends = {name: list(pair) for name, pair in weights.ends.items()}
    decay, definition = list(weights.decay), list(weights.definition)
    numbers = [(pair, end) for pair in (*ends.values(), decay, definition) for end in (0, 1)]
    for pair, end in chance.sample(numbers, chance.randint(1, 3)):
        most = _MOST_DECAY if pair is decay else float("inf")
        pair[end] = min(most, max(pair[end], _LEAST) * chance.choice(_FACTORS))
    return replace(
        weights,
        ends={name: (low, high) for name, (low, high) in ends.items()},
        decay=(decay[0], decay[1]),
        definition=(definition[0], definition[1]),
    )


def search(cases: Sequence[Case], minutes: float, sample: int, seed: int) -> Weights:
    """The best weights that were met on a sample of the cases."""
    chance = random.Random(seed)  # noqa: S311 - nothing here is secret
    some = chance.sample(cases, min(sample, len(cases)))
    best, worth = WEIGHTS, _worth(evaluate(some, WEIGHTS))
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        weights = changed(best, chance)
        figures = evaluate(some, weights)
        if _worth(figures) > worth + _GAIN:
            best, worth = weights, _worth(figures)
            sys.stderr.write(f"{figures} {weights}\n")
    return best


def _judge(case: Case, weights: Weights) -> tuple[float, float, float]:
    total = sum(combine(case.found, weights, _OPTIONS).values(), np.zeros(len(case.right)))
    order = np.argsort(-total, kind="stable").tolist()
    places = np.flatnonzero(case.right[order[:_DEPTH]])
    place = float(places[0]) if len(places) else np.inf
    files = list(dict.fromkeys(case.found.files[at] for at in order))[:_FIRST]
    right = {case.found.files[at] for at in np.flatnonzero(case.right_file).tolist()}
    return float(place < _FIRST), float(1 / np.log2(place + 2)), float(not right.isdisjoint(files))


def _worth(figures: Figures) -> float:
    return figures.ndcg + 0.3 * figures.lines + 0.3 * figures.file


def _report(what: str, cases: Sequence[Case], weights: Weights) -> None:
    searched, checked = split(cases)
    for name, part in (("packages searched on", searched), ("packages not seen", checked)):
        if part:
            sys.stdout.write(f"{what}, {name}: {evaluate(part, weights)} ({len(part)} questions)\n")
    for category in sorted({case.category for case in cases}):
        part = [case for case in cases if case.category == category]
        sys.stdout.write(f"{what}, {category}: {evaluate(part, weights)} ({len(part)} questions)\n")


def main() -> None:
    """Say the product's figures, and after a search those of what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--sample", type=int, default=700, help="questions that a step looks at")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cases = load(options.cases)
    _report("product", cases, WEIGHTS)
    if options.minutes:
        found = search(split(cases)[0], options.minutes, options.sample, options.seed)
        _report("found", cases, found)
        sys.stdout.write(f"{found}\n")


if __name__ == "__main__":
    main()
