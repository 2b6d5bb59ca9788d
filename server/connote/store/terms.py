"""The words of files and chunks as the catalog holds them, computed without it: a worker process can do so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from posixpath import dirname, splitext
from typing import NamedTuple
from zlib import crc32

import numpy as np

from connote import words
from connote.model import Chunk

TALLY = np.dtype([("word", "<u4"), ("count", "<u2")])
_MINOR = frozenset(("field", "variable", "key", "property"))
"""Kinds whose names say too little of what a chunk is about to count more than its other words."""


class ChunkTerms(NamedTuple):
    """The words of one chunk."""

    length: int
    """How many words its text has."""
    body: str
    """These words."""
    names: str
    """The words of what it defines."""


class FileTerms(NamedTuple):
    """The words of one file."""

    tally: bytes
    """As of `tally`."""
    chunks: Sequence[ChunkTerms]


def terms_of(chunks: Sequence[Chunk]) -> FileTerms:
    """The words of a file that is cut into these chunks."""
    bodies = [words.split(chunk.text) for chunk in chunks]
    found = []
    for chunk, body in zip(chunks, bodies, strict=True):
        names = [word for one in chunk.symbols if one.kind not in _MINOR for word in words.split(one.name)]
        found.append(ChunkTerms(len(body), " ".join(body), " ".join(names)))
    return FileTerms(tally(bodies), found)


def path_terms(path: str) -> tuple[str, str]:
    """The words of a file's name and those of its folders."""
    stem = splitext(path.rsplit("/", 1)[-1])[0]
    return " ".join(words.split(stem)), " ".join(words.split(dirname(path)))


def tally(bodies: Iterable[Sequence[str]]) -> bytes:
    """A file's distinct words with their counts, sorted by the words' hashes, 6 bytes each."""
    counts: Counter[str] = Counter()
    for body in bodies:
        counts.update(body)
    rows = np.array([(word_hash(word), min(count, 65535)) for word, count in counts.items()], TALLY)
    rows.sort(order="word")
    return rows.tobytes()


def word_hash(word: str) -> int:
    """The number under which a file's tally counts a word: 32 bits."""
    return crc32(word.encode("utf-8", "surrogatepass"))
