"""A model's numbers as vectors of length 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def unit(row: NDArray[np.float32], dimensions: int = 0) -> NDArray[np.float32] | None:
    """A row cut to so many dimensions, if any are asked for, and scaled to length 1; None for what is no direction."""
    vector = row[:dimensions] if dimensions else row
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length <= 0:
        return None
    scaled: NDArray[np.float32] = (vector / np.float64(length)).astype(np.float32)
    return scaled


def mean(vectors: Sequence[NDArray[np.float32]], weights: Sequence[float]) -> NDArray[np.float32]:
    """The direction of the weighted mean of vectors of length 1."""
    total = np.average(np.stack(vectors).astype(np.float64), axis=0, weights=np.asarray(weights, np.float64))
    result = unit(total.astype(np.float32))
    return vectors[0] if result is None else result
