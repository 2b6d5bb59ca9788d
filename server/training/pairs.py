"""The arrays of `tokenise.py` as batches to learn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

KIND_SHARES = {"d": 1.0, "l": 0.8, "p": 0.3, "c": 0.8, "i": 1.0, "j": 0.6, "s": 1.0, "t": 0.7, "u": 0.7, "n": 0.35}
"""How many of the pairs of a kind one pass over the data takes."""


@dataclass(frozen=True)
class Views:
    """How a pair is shown to the model; the shares are of pairs or of word pieces, 0 to 1."""

    batch: int = 1024
    group: int = 16
    """So many pairs in a row come from one package: they are each other's hard negatives."""
    by_file: float = 0.5
    """Of the files: their pairs are put into one group."""
    hidden: float = 0.7
    """Of the pairs: words that question and code share are taken out of the code."""
    hidden_names: float = 0.3
    """Of the pairs: the words of the code's own name are taken out of it."""
    names: float = 0.6
    """Of the pairs: scope and name stand once more before the code, as they do in an index."""
    neighbours: float = 0.25
    """Of the pairs: other code of the package is mixed in, as in a chunk of several functions."""
    question_dropout: float = 0.15
    code_dropout: float = 0.15


@dataclass(frozen=True)
class Bags:
    """Texts as word pieces: text i owns `lengths[i]` entries of `pieces` and `weights`, in order."""

    pieces: NDArray[np.int64]
    weights: NDArray[np.float32]
    lengths: NDArray[np.int64]

    @property
    def owners(self) -> NDArray[np.int64]:
        """For each piece the number of its text."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each text begins."""
        return np.concatenate(([0], np.cumsum(self.lengths)[:-1])).astype(np.int64)


@dataclass(frozen=True)
class Batch:
    """Questions, codes and names, row by row; `same[i, j]`: code j is no wrong answer to question i."""

    questions: Bags
    codes: Bags
    names: Bags
    mixed: NDArray[np.float32]
    same: NDArray[np.bool_]


class Pairs:
    """All pairs of a file, and random batches of them."""

    def __init__(self, path: Path, stems: NDArray[np.int32]) -> None:
        with np.load(path) as arrays:
            self._arrays: dict[str, NDArray[Any]] = {name: arrays[name] for name in arrays.files}
        self._weights = (1 + np.log(self._arrays["c_w"])).astype(np.float32)
        self._stems = stems.astype(np.int64)
        self.packages: NDArray[np.int32] = self._arrays["package"]
        self.units: NDArray[np.int64] = self._arrays["unit"]

    def __len__(self) -> int:
        return len(self.units)

    def texts(self, name: str, rows: NDArray[np.int64]) -> Bags:
        """The `questions`, `codes` or `names` of some pairs."""
        field = {"questions": "q", "codes": "c", "names": "x"}[name]
        offsets = self._arrays[f"{field}_o"]
        lengths = offsets[rows + 1] - offsets[rows]
        before = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        places = np.repeat(offsets[rows] - before, lengths) + np.arange(lengths.sum())
        pieces = self._arrays[f"{field}_i"][places].astype(np.int64)
        weights = self._weights[places] if field == "c" else np.ones(len(pieces), np.float32)
        return Bags(pieces, weights, lengths)

    def overlap(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each pair the share of the question's pieces whose stem stands in the code."""
        questions, codes = self.texts("questions", rows), self.texts("codes", rows)
        shared = np.isin(self._keys(questions), self._keys(codes)).astype(float)
        return np.asarray(np.add.reduceat(shared, questions.starts) / questions.lengths)

    def batches(self, views: Views, random: np.random.Generator) -> Iterator[Batch]:
        """Batches without end; kinds and languages are balanced by leaving pairs out, others in each pass."""
        share = self._shares()
        while True:
            order = self._order(np.flatnonzero(random.random(len(self)) < share), views, random)
            for start in range(0, len(order) - views.batch + 1, views.batch):
                yield self._batch(order[start : start + views.batch], views, random)

    def _shares(self) -> NDArray[np.float64]:
        by_kind = np.zeros(128)
        for kind, share in KIND_SHARES.items():
            by_kind[ord(kind)] = share
        shares = by_kind[self._arrays["kind"]]
        languages = self._arrays["language"]
        amounts = np.bincount(languages, weights=shares)
        # Half-way to as many pairs of each language.
        balance = np.minimum(1.5, np.sqrt(np.median(amounts) / np.maximum(amounts, 1)))
        return np.asarray(np.minimum(1.5 * shares * balance[languages], 1))

    def _order(self, rows: NDArray[np.int64], views: Views, random: np.random.Generator) -> NDArray[np.int64]:
        files = self._arrays["source"][rows]
        together = random.random(int(self._arrays["source"].max()) + 1) < views.by_file
        place = np.where(together[files], files << 24, random.integers(0, 1 << 46, len(rows)))
        rows = rows[np.lexsort((random.permutation(len(rows)), place, self.packages[rows]))]
        groups = rows[: len(rows) // views.group * views.group].reshape(-1, views.group)
        return np.asarray(random.permutation(groups).reshape(-1))

    def _batch(self, rows: NDArray[np.int64], views: Views, random: np.random.Generator) -> Batch:
        questions, codes, names = (self.texts(name, rows) for name in ("questions", "codes", "names"))
        size = len(rows)
        asked, held, named = self._keys(questions), self._keys(codes), self._keys(names)
        # A question made of a name would only learn that a name equals itself.
        hidden = (random.random(size) < views.hidden) | (self._arrays["kind"][rows] == ord("n"))
        nameless = random.random(size) < views.hidden_names
        gone = hidden[codes.owners] & np.isin(held, asked) | nameless[codes.owners] & np.isin(held, named)
        gone |= random.random(len(held)) < views.code_dropout
        shown = (random.random(size) < views.names) & ~nameless
        shown_names = shown[names.owners] & ~(hidden[names.owners] & np.isin(named, asked))
        units = self.units[rows]
        texts = np.add.reduceat(questions.pieces * 2654435761 % 1000003, questions.starts)
        same = (units[:, None] == units) | (texts[:, None] == texts)
        np.fill_diagonal(same, val=False)
        return Batch(
            _without(questions, random.random(len(asked)) < views.question_dropout),
            Bags(codes.pieces, np.where(gone, 0, codes.weights).astype(np.float32), codes.lengths),
            Bags(names.pieces, shown_names.astype(np.float32), names.lengths),
            (random.random(size) < views.neighbours).astype(np.float32),
            same,
        )

    def _keys(self, bags: Bags) -> NDArray[np.int64]:
        return np.asarray(bags.owners * len(self._stems) + self._stems[bags.pieces])


def _without(bags: Bags, gone: NDArray[np.bool_]) -> Bags:
    # The first piece stays: no text may become empty.
    gone = gone.copy()
    gone[bags.starts] = False
    lengths = np.bincount(bags.owners[~gone], minlength=len(bags.lengths))
    return Bags(bags.pieces[~gone], bags.weights[~gone], lengths)
