"""Values as the catalog's rows hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
_PARAMETERS = 500


def text_digest(text: str) -> bytes:
    """The key of an embedded text's vector: 16 bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def packed(vectors: NDArray[np.float32]) -> list[bytes]:
    """Vectors as they are stored, one by one: float16, little-endian."""
    return [row.tobytes() for row in vectors.astype("<f2")]


def unpack(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """Stored vectors as one matrix: shape (len(rows), dimensions)."""
    if not rows:
        return np.empty((0, 0), np.float32)
    return np.frombuffer(b"".join(rows), "<f2").reshape(len(rows), -1).astype(np.float32)


def batched(values: Sequence[T], size: int = _PARAMETERS) -> Iterator[Sequence[T]]:
    """Slices small enough for one SQL statement's parameters."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
