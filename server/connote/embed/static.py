"""The embedded static code model: a table of vectors, one per word piece, summed over a text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from connote.embed import Part
from connote.embed.reader import Reader

MODEL = Path(__file__).with_name("static_code_256.npz")
_BATCH = 256
_LONGEST_WORD = 40
_LONGEST_QUESTION, _MOST_PIECES = 20_000, 64
"""Characters that are looked at, and pieces that the reader was made for."""
_CACHED_WORDS = 100_000
_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+").findall
_NEVER = 1 << 30


class StaticEmbedder:
    """Encodes with numpy alone: some thousand chunks a second on one core, no network.

    A text is the sum of the vectors of its distinct word pieces, each times 1 + ln of how often it stands there,
    scaled to length 1. Word pieces come from byte-pair merges (Sennrich et al. 2016) inside lower-case words.
    Questions are read in order by a small network, which costs a millisecond once a search and nothing per chunk.
    """

    name = "static"
    note: str | None = None

    def __init__(self, path: Path = MODEL) -> None:
        with np.load(path, allow_pickle=False) as model:
            self._table: NDArray[np.int8] = model["table"]
            self._scale: NDArray[np.float32] = model["scale"].astype(np.float32)
            pieces = model["vocabulary"].tobytes().decode().split("\n")
            merges = model["merges"].tobytes().decode().split("\n")
            self._reader = Reader(model)
        self._path = path
        self._pieces = {piece: number for number, piece in enumerate(pieces)}
        self._unknown = self._pieces["[UNK]"]
        self._ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(merges)}
        self._words: dict[str, tuple[int, ...]] = {}
        self._lock = threading.Lock()
        self.dimensions = int(self._table.shape[1])

    @cached_property
    def _digest(self) -> str:
        return blake2b(self._path.read_bytes(), digest_size=8).hexdigest()

    def fingerprint(self) -> str:
        """The model's name, dimensions and the digest of its file."""
        return f"static-{self.dimensions}-{self._digest}"

    def parts(self, texts: Sequence[str], cancel: threading.Event | None = None) -> Iterator[Part]:
        """As `Embedder.parts`, in the order of the texts."""
        for start in range(0, len(texts), _BATCH):
            if cancel is not None and cancel.is_set():
                return
            batch = texts[start : start + _BATCH]
            yield Part(range(start, start + len(batch)), self.embed(batch), {})

    def forget(self) -> None:
        """As `Embedder.forget`: nothing is learned that could change."""

    def close(self) -> None:
        """As `Embedder.close`: there is nothing to let go of."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of `texts`: shape (len(texts), dimensions), rows of length 1."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            rows[start : start + len(batch)] = self._batch([self._tokens(text) for text in batch])
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question: shape (dimensions,), length 1, in the space of the code.

        What is longer than a question, such as pasted code, is taken as code.
        """
        tokens = self._tokens(text[:_LONGEST_QUESTION])
        if len(tokens) > _MOST_PIECES:
            code: NDArray[np.float32] = self.embed([text])[0]
            return code
        rows = self._table[tokens].astype(np.float32) * self._scale[tokens, None]
        vector = self._reader.read(rows)
        unit: NDArray[np.float32] = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return unit.astype(np.float32)

    def _batch(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        counts = np.fromiter((len(one) for one in tokens), np.int64, len(tokens))
        flat = np.fromiter((token for one in tokens for token in one), np.int64, int(counts.sum()))
        # One key per (text, token), so that a single sort finds the distinct tokens of all texts.
        size = len(self._table)
        keys, repeats = np.unique(np.repeat(np.arange(len(tokens)), counts) * size + flat, return_counts=True)
        text, token = keys // size, keys % size
        weight = (1 + np.log(repeats)).astype(np.float32) * self._scale[token]
        parts = self._table[token].astype(np.float32) * weight[:, None]
        sums: NDArray[np.float32] = np.add.reduceat(parts, np.flatnonzero(np.diff(text, prepend=-1)), axis=0)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        rows: NDArray[np.float32] = sums / np.maximum(length, np.float32(1e-9))
        return rows

    def _tokens(self, text: str) -> list[int]:
        found: list[int] = []
        words = self._words
        for word in _SPLIT(text):
            tokens = words.get(word)
            if tokens is None:
                tokens = self._learn(word)
            found += tokens
        # A text without words still needs a vector of length 1.
        return found or [self._unknown]

    def _learn(self, word: str) -> tuple[int, ...]:
        tokens = tuple(self._pieces.get(piece, self._unknown) for piece in self._merge(word.lower()[:_LONGEST_WORD]))
        with self._lock:
            if len(self._words) > _CACHED_WORDS:
                self._words.clear()
            self._words[word] = tokens
        return tokens

    def _merge(self, word: str) -> Iterator[str]:
        pieces = list(word)
        while len(pieces) > 1:
            rank, at = min((self._ranks.get(pair, _NEVER), place) for place, pair in enumerate(pairwise(pieces)))
            if rank == _NEVER:
                break
            left, right = pieces[at], pieces[at + 1]
            merged: list[str] = []
            place = 0
            while place < len(pieces):
                if place + 1 < len(pieces) and pieces[place] == left and pieces[place + 1] == right:
                    merged.append(left + right)
                    place += 2
                else:
                    merged.append(pieces[place])
                    place += 1
            pieces = merged
        return iter(pieces)
