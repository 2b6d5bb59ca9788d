"""The reader of questions: a small network that reads a question's word pieces in order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float32]
_LAYERS = ("first", "second", "out")


class Reader:
    """Two layers over a piece, its neighbours and the mean of the question give each piece a weight and a correction.

    The table's rows are too large for the layers' range by about two, so they enter halved, as in training.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self._weights = {name: arrays[f"reader_{name}_weight"].astype(np.float32).T for name in _LAYERS}
        self._biases = {name: arrays[f"reader_{name}_bias"].astype(np.float32) for name in _LAYERS}

    def read(self, rows: _Floats) -> _Floats:
        """The vector of a question: shape (dimensions,), any length, from the rows of its pieces in order."""
        hidden = self._mix(rows * np.float32(0.5), "first")
        hidden = hidden + self._mix(hidden, "second")
        out = hidden @ self._weights["out"] + self._biases["out"]
        weight = 2 / (1 + np.exp(-out[:, :1]))
        vector: _Floats = (rows * weight + out[:, 1:]).sum(axis=0)
        return vector

    def _mix(self, rows: _Floats, layer: str) -> _Floats:
        own, left, right, whole = np.split(rows @ self._weights[layer] + self._biases[layer], 4, axis=1)
        left = np.vstack([np.zeros_like(left[:1]), left[:-1]])
        right = np.vstack([right[1:], np.zeros_like(right[:1])])
        return _gelu(own + left + right + whole.mean(axis=0))


def _gelu(values: _Floats) -> _Floats:
    """The Gaussian error linear unit by its tanh approximation (Hendrycks and Gimpel 2016)."""
    bent: _Floats = 0.5 * values * (1 + np.tanh(np.sqrt(2 / np.pi) * (values + 0.044715 * values**3)))
    return bent.astype(np.float32)
