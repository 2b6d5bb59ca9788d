"""How far a figure could be off by the choice of questions: 95 % bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DRAWS = 5000
_SEED = 7
_ENDS = (2.5, 97.5)

Interval = tuple[float, float]


def of_mean(values: Sequence[float]) -> Interval:
    """Of the mean over questions: questions are drawn again with replacement."""
    return _ends(_means(np.asarray(values, float), _drawn(len(values))))


def of_ratio(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Of one system's mean over another's: both answer the same drawn questions. An end may be infinite."""
    if len(values) != len(others):
        raise ValueError(f"{len(values)} values cannot be paired with {len(others)}")
    drawn = _drawn(len(values))
    above, below = _means(np.asarray(values, float), drawn), _means(np.asarray(others, float), drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = above / below
    return _ends(ratios[~np.isnan(ratios)])  # 0 / 0 says nothing


def of_mean_of_groups(groups: Sequence[Sequence[float]]) -> Interval:
    """Of the mean of the groups' means: whole groups (packages, repositories) are drawn again with replacement.

    Questions about one package share its words and its structure, so that they are no independent draws. Of few groups
    the interval is a rough one, rather too narrow.
    """
    return of_mean([float(np.mean(group)) for group in groups])


def _drawn(count: int) -> NDArray[np.int64]:
    if count == 0:
        raise ValueError("there is nothing to draw from")
    return np.random.default_rng(_SEED).integers(0, count, (DRAWS, count))


def _means(values: NDArray[np.float64], drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = values[drawn].mean(axis=1)
    return means


def _ends(samples: NDArray[np.float64]) -> Interval:
    if len(samples) == 0:
        return (float("nan"), float("nan"))
    # A drawn value, not one between two: infinite ratios cannot be interpolated.
    low, high = np.percentile(samples, _ENDS, method="inverted_cdf")
    return (float(low), float(high))
