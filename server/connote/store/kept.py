"""What searches keep in memory of a catalog: its files and its vectors, in step with it by what came and what went."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from connote.store.catalog import Catalog
from connote.store.rows import unpack

_ROWS = 2000
_DEAD_SHARE = 1 / 4
_GATHER_SHARE = 1 / 4
"""Below this share of all vectors copying the wanted ones together costs less than comparing all."""
_COLUMNS = "SELECT c.id, c.file, coalesce(c.language, 'text'), v.vector FROM"
# Rows of `vectors` are numbered as they come: the newest one is never deleted but with all of them (see `epoch`).
_LATE = f"{_COLUMNS} vectors v CROSS JOIN chunks c ON c.digest = v.digest WHERE v.rowid > ? AND c.id <= ? ORDER BY c.id"
_NEW = f"{_COLUMNS} chunks c JOIN vectors v ON v.digest = c.digest WHERE c.id > ? ORDER BY c.id"


class KnownFile(NamedTuple):
    """What never changes of an indexed file: with other content it gets another id."""

    id: int
    language: str | None


@dataclass(frozen=True)
class _Files:
    generation: int
    last: int
    by_path: dict[str, KnownFile]


@dataclass(frozen=True)
class Matrix:
    """Every chunk that has a vector, at one state of the catalog."""

    generation: int
    epoch: object
    """Changes when all vectors are dropped."""
    last: int
    """The highest id of a chunk that was looked at."""
    last_vector: int
    """The number of the newest vector then: a chunk that was looked at and had none finds its own among later ones."""
    vectors: NDArray[np.float32]
    """Shape (chunks, dimensions)."""
    chunks: NDArray[np.int64]
    files: NDArray[np.int64]
    languages: NDArray[np.int64]
    """Numbers of `names`."""
    names: dict[str, int]
    alive: NDArray[np.bool_]
    """False for a chunk that is gone."""
    room: NDArray[np.float32]
    """What `vectors` is the beginning of: new rows go behind it, and no older matrix sees them."""
    of_kind: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def nearest(self, vector: NDArray[np.float32], limit: int, mask: NDArray[np.bool_]) -> list[int]:
        """The chunks nearest to a vector by exact cosine, best first, of those that the mask lets through."""
        places = np.flatnonzero(mask)
        if not len(places) or self.vectors.shape[1] != len(vector):
            return []
        if len(places) < len(self.vectors) * _GATHER_SHARE:
            cosines = self.vectors[places] @ vector
        else:
            cosines = (self.vectors @ vector)[places]
        chunks = self.chunks[places]
        count = min(limit, len(places))
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.lexsort((chunks[best], -cosines[best]))]
        return [int(chunk) for chunk in chunks[best]]

    def of_files(self, files: Iterable[int]) -> NDArray[np.bool_]:
        """Which rows belong to these files."""
        return _among(self.files, np.fromiter(files, np.int64))

    def of_languages(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Which rows are in one of these languages."""
        return np.isin(self.languages, [self.names[name] for name in names if name in self.names])


class Kept:
    """Keeps these of one catalog, for any number of threads. Each sees the state that its own snapshot shows."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._matrix: Matrix | None = None
        self._files: _Files | None = None

    def files(self) -> dict[str, KnownFile]:
        """Every indexed file by path."""
        with self._catalog.snapshot(), self._lock:
            generation, old = self._catalog.generation(), self._files
            if old is None or old.generation > generation:
                files = _Files(generation, *self._more_files(0, {}))
            elif old.generation < generation:
                there = {row[0] for row in self._catalog.reader().execute("SELECT id FROM files")}
                kept = {path: file for path, file in old.by_path.items() if file.id in there}
                files = _Files(generation, *self._more_files(old.last, kept))
            else:
                return old.by_path
            if old is None or old.generation < generation:
                self._files = files
            return files.by_path

    def matrix(self) -> Matrix:
        """Every chunk that has a vector."""
        with self._catalog.snapshot(), self._lock:
            generation, epoch, old = self._catalog.generation(), self._catalog.get("epoch"), self._matrix
            if old is not None and old.generation == generation:
                return old
            if old is not None and old.generation > generation:
                # A search that began before the last change: what it should find may be gone from what is kept.
                return self._read(generation, epoch)
            if old is not None and old.epoch == epoch:
                self._matrix = self._continued(old, generation)
            else:
                # The old one goes first: two of them at once are much memory.
                self._matrix = old = None
                self._matrix = self._read(generation, epoch)
            return self._matrix

    def of_kinds(self, matrix: Matrix, kinds: Sequence[str]) -> NDArray[np.bool_]:
        """Which rows of the matrix hold a symbol of one of these kinds."""
        mask = np.zeros(len(matrix.chunks), bool)
        for kind in kinds:
            found = matrix.of_kind.get(kind)
            if found is None:
                rows = self._catalog.reader().execute("SELECT DISTINCT chunk FROM symbols WHERE kind = ?", (kind,))
                chunks = np.array(rows.fetchall(), np.int64).reshape(-1)
                found = _among(matrix.chunks, chunks)
                if len(chunks):  # what is no kind is not kept: anybody may ask for anything
                    matrix.of_kind[kind] = found
            mask |= found
        return mask

    # Private

    def _more_files(self, last: int, known: dict[str, KnownFile]) -> tuple[int, dict[str, KnownFile]]:
        rows = self._catalog.reader().execute("SELECT id, path, language FROM files WHERE id > ? ORDER BY id", (last,))
        for number, path, language in rows:
            known[path] = KnownFile(number, language)
            last = number
        return last, known

    def _read(self, generation: int, epoch: object) -> Matrix:
        most = self._catalog.reader().execute("SELECT count(*) FROM chunks").fetchone()[0]
        none = np.empty(0, np.int64)
        empty = np.empty((0, 0), np.float32)
        start = Matrix(generation, epoch, 0, 0, empty, none, none, none, {}, np.empty(0, bool), empty)
        return self._added(start, generation, int(most))

    def _continued(self, old: Matrix, generation: int) -> Matrix:
        """The old matrix with what came and without what went since."""
        there = np.array(self._catalog.reader().execute("SELECT id FROM files").fetchall(), np.int64).reshape(-1)
        changed = replace(old, alive=old.alive & _among(old.files, there), of_kind={})
        dead = len(changed.alive) - np.count_nonzero(changed.alive)
        return self._added(
            _compacted(changed) if dead > len(old.alive) * _DEAD_SHARE + _ROWS else changed, generation, _ROWS
        )

    def _added(self, old: Matrix, generation: int, room: int) -> Matrix:
        """The matrix with the chunks that came since, and with those that had no vector and have one now."""
        numbers, languages, vectors, whole = [], [], old.vectors, old.room
        names, count = dict(old.names), len(old.chunks)
        for part in self._parts(old):
            block = unpack([row[3] for row in part])
            if count and block.shape[1] != whole.shape[1]:
                continue  # of a model that was served under the name of another
            if count + len(block) > len(whole):
                # While all is indexed it grows all the time: by a share of itself, it is seldom copied.
                spare = np.empty((max(room, len(block), count // 8), block.shape[1]), np.float32)
                whole = np.concatenate((whole[:count], spare)) if count else spare
                room = _ROWS
            whole[count : count + len(block)] = block
            count += len(block)
            vectors = whole[:count]
            numbers.append(np.array([row[:2] for row in part], np.int64))
            languages += [names.setdefault(row[2], len(names)) for row in part]
        new = np.concatenate(numbers) if numbers else np.empty((0, 2), np.int64)
        db = self._catalog.reader()
        return Matrix(
            generation,
            old.epoch,
            max(old.last, db.execute("SELECT max(id) FROM chunks").fetchone()[0] or 0),
            db.execute("SELECT max(rowid) FROM vectors").fetchone()[0] or 0,
            vectors,
            np.concatenate((old.chunks, new[:, 0])),
            np.concatenate((old.files, new[:, 1])),
            np.concatenate((old.languages, np.array(languages, np.int64))),
            names,
            np.concatenate((old.alive, np.ones(len(new), bool))),
            whole,
        )

    def _parts(self, old: Matrix) -> Iterator[list[tuple[int, int, str, bytes]]]:
        """Chunks that the matrix lacks and that have vectors, some thousands at a time."""
        db = self._catalog.reader()
        for cursor in (db.execute(_LATE, (old.last_vector, old.last)), db.execute(_NEW, (old.last,))):
            while rows := cursor.fetchmany(_ROWS):
                yield rows


def _compacted(old: Matrix) -> Matrix:
    """The same without what is gone. Its rows are copies: searches that run still look at the old ones."""
    vectors = old.vectors[old.alive]
    return replace(
        old,
        vectors=vectors,
        chunks=old.chunks[old.alive],
        files=old.files[old.alive],
        languages=old.languages[old.alive],
        alive=np.ones(len(vectors), bool),
        room=vectors,
    )


def _among(values: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the values, which are no smaller than 0, are wanted. Row numbers are dense: a table beats sorting."""
    table = np.zeros(max(values.max(initial=0), wanted.max(initial=0)) + 1, bool)
    table[wanted] = True
    return table[values]
