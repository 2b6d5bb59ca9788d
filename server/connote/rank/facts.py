"""What ranking needs to know of the whole index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Facts:
    """Counts and cosines beside which a candidate is judged."""

    chunks: int
    """How many there are."""
    mean_length: float
    """Of chunks, in words."""
    frequency: Mapping[str, int]
    """In how many chunks each of the question's words stands."""
    sample: NDArray[np.float32]
    """The question's cosine with a random sample of the chunks: shape (n,)."""
    tallies: Mapping[int, Mapping[str, int]]
    """For each candidate's file how often each of the question's words stands in it; under "" its length."""
