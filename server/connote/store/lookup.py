"""Reading the index for a search: the words' and the vectors' candidates, and what ranking needs to know of them."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from connote.model import Candidate, Symbol
from connote.store.catalog import Catalog
from connote.store.kept import Kept, KnownFile
from connote.store.rows import batched, unpack
from connote.store.terms import TALLY

_SAMPLE = 1000
_READ = 6000
"""Rows of the word index that one search reads: what more would cost grows with the index, what it finds does not."""


class ChunkRow(NamedTuple):
    """A chunk as it is shown."""

    id: int
    path: str
    start_line: int
    end_line: int
    line: int
    column: int
    language: str | None
    symbol: str | None
    kind: str | None
    scope: str
    """A JSON list."""
    text: str
    size: int
    mtime_ns: int
    """Of the file when it was read."""


@dataclass(frozen=True)
class Filter:
    """Which chunks may be found. None means all."""

    files: frozenset[int] | None = None
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class Lookup:
    """Reads one catalog. What is costly to read is kept until the catalog changes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._whole = Kept(catalog)
        self._threads = threading.local()
        """What each thread's connection has in `temp.allowed`."""
        self._kept: dict[str, tuple[int, object]] = {}

    # Facts about the whole index

    def files(self) -> dict[str, KnownFile]:
        """Every indexed file by path."""
        return self._whole.files()

    def averages(self) -> tuple[int, float]:
        """How many chunks there are and their mean length in words."""

        def read() -> tuple[int, float]:
            count, mean = self._catalog.reader().execute("SELECT count(*), avg(length) FROM chunks").fetchone()
            return count, mean or 1.0

        return self._keep("averages", read)  # type: ignore[return-value]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each word stands."""
        marks = ",".join("?" * len(terms))
        rows = self._catalog.reader().execute(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", list(terms))
        found = dict(rows.fetchall())
        return {term: found.get(term, 0) for term in terms}

    def sample(self) -> NDArray[np.float32]:
        """Some vectors that stand for all: shape (at most 1000, dimensions)."""

        def read() -> NDArray[np.float32]:
            # Digests are random, so the smallest ones are a random sample, and the same one every time.
            rows = self._catalog.reader().execute(
                "SELECT vector FROM vectors WHERE wanted = 1 ORDER BY digest LIMIT ?", (_SAMPLE,)
            )
            return unpack([row[0] for row in rows])

        return self._keep("sample", read)  # type: ignore[return-value]

    def tallies(self, files: Sequence[int]) -> dict[int, NDArray[np.void]]:
        """The distinct words of files: hashes and counts, sorted by hash."""
        found: dict[int, NDArray[np.void]] = {}
        for part in batched(files):
            rows = self._in("SELECT id, words FROM files WHERE id IN ({})", part)
            found.update({file: np.frombuffer(blob, TALLY) for file, blob in rows})
        return found

    # Candidates

    def matching(self, terms: Sequence[str], limit: int, allowed: Filter) -> list[int]:
        """The chunks that hold most of the words by BM25, best first; rare words decide, common ones are left out."""
        frequency = self.frequencies(terms)
        known = sorted((term for term in terms if frequency[term]), key=frequency.__getitem__)
        if not known:
            return []
        rare, left = known[:1], _READ - frequency[known[0]]
        for term in known[1:]:
            left -= frequency[term]
            if left < 0:
                break
            rare.append(term)
        match = " OR ".join(f'"{term}"' for term in rare)
        db = self._catalog.reader()
        joins, conditions = self._restrict(db, allowed)
        rows = db.execute(
            f"SELECT words.rowid FROM words {joins} WHERE words MATCH ? {conditions} "
            "ORDER BY bm25(words, 1.0, 2.0, 3.0, 1.0), words.rowid LIMIT ?",
            (match, limit),
        )
        return [row[0] for row in rows]

    def defining(self, keys: Sequence[str], limit: int, allowed: Filter) -> list[int]:
        """The chunks in which a symbol of one of these names begins."""
        marks = ",".join("?" * len(keys))
        db = self._catalog.reader()
        joins, conditions = self._restrict(db, allowed, "symbols.chunk")
        rows = db.execute(
            f"SELECT DISTINCT symbols.chunk FROM symbols {joins} WHERE key IN ({marks}) {conditions} LIMIT ?",
            [*keys, limit],
        )
        return [row[0] for row in rows]

    def nearest(self, vector: NDArray[np.float32], limit: int, allowed: Filter) -> list[int]:
        """The chunks nearest to a vector by exact cosine, best first."""
        with self._catalog.snapshot():
            matrix = self._whole.matrix()
            mask = matrix.alive
            if allowed.files is not None:
                mask = mask & matrix.of_files(allowed.files)
            if allowed.languages:
                mask = mask & matrix.of_languages(allowed.languages)
            if allowed.kinds:
                mask = mask & self._whole.of_kinds(matrix, allowed.kinds)
            return matrix.nearest(vector, limit, mask)

    def of_digests(self, digests: Sequence[bytes]) -> list[int]:
        """The chunks that have these texts, in no order."""
        return [
            row[0] for part in batched(digests) for row in self._in("SELECT id FROM chunks WHERE digest IN ({})", part)
        ]

    def candidates(self, chunks: Sequence[int], vector: NDArray[np.float32] | None) -> list[Candidate]:
        """What ranking needs of these chunks, in no order."""
        rows: list[tuple[object, ...]] = []
        for part in batched(list(dict.fromkeys(chunks))):
            rows += self._in(
                "SELECT c.id, c.file, f.path, c.language, c.start_line, c.end_line, c.symbol, c.kind, c.length,"
                " w.body, w.names, w.stem, w.folders, v.vector FROM chunks c JOIN files f ON f.id = c.file"
                " JOIN words w ON w.rowid = c.id LEFT JOIN vectors v ON v.digest = c.digest WHERE c.id IN ({})",
                part,
            )
        cosines: list[tuple[float | None, float | None]] = [(None, None)] * len(rows)
        if vector is not None:
            have = [place for place, row in enumerate(rows) if row[-1] is not None]
            matrix = unpack([rows[place][-1] for place in have])  # type: ignore[misc]  # blobs are bytes
            if have and matrix.shape[1] == len(vector):
                near = (matrix @ vector).tolist()
                of_files = _of_groups([rows[place][1] for place in have], matrix, vector)  # type: ignore[misc]  # files are numbers
                for place, both in zip(have, zip(near, of_files, strict=True), strict=True):
                    cosines[place] = both
        defines: dict[object, list[str]] = {}
        for ids in batched([row[0] for row in rows]):
            for chunk, key in self._in("SELECT chunk, key FROM symbols WHERE chunk IN ({})", ids):
                defines.setdefault(chunk, []).append(key)
        return [
            Candidate(*row[:-1], tuple(defines.get(row[0], ())), *both)  # type: ignore[call-arg, arg-type]  # as the tables have them
            for row, both in zip(rows, cosines, strict=True)
        ]

    # Showing

    def rows(self, chunks: Sequence[int]) -> dict[int, ChunkRow]:
        """Chunks as they are shown, by id."""
        found: dict[int, ChunkRow] = {}
        for part in batched(chunks):
            for row in self._in(
                "SELECT c.id, f.path, c.start_line, c.end_line, c.line, c.col, c.language, c.symbol, c.kind, c.scope,"
                " c.text, f.size, f.mtime_ns FROM chunks c JOIN files f ON f.id = c.file WHERE c.id IN ({})",
                part,
            ):
                found[row[0]] = ChunkRow(*row)
        return found

    def symbols(self, chunks: Sequence[int]) -> dict[int, list[Symbol]]:
        """The symbols of chunks, by chunk, in the order of the text."""
        found: dict[int, list[Symbol]] = {chunk: [] for chunk in chunks}
        for part in batched(chunks):
            for chunk, *row in self._in(
                f"SELECT chunk, {_SYMBOL} FROM symbols WHERE chunk IN ({{}}) ORDER BY rowid", part
            ):
                found[chunk].append(_symbol(row))
        return found

    def outline(self, limit: int) -> list[tuple[int, Symbol]]:
        """Some symbols with their chunks: cheap."""
        rows = self._catalog.reader().execute(f"SELECT chunk, {_SYMBOL} FROM symbols ORDER BY rowid LIMIT ?", (limit,))
        return [(chunk, _symbol(row)) for chunk, *row in rows]

    def at(self, path: str, line: int) -> int | None:
        """The chunk of a file that holds a line, or the nearest one before it."""
        row = (
            self._catalog.reader()
            .execute(
                "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file WHERE f.path = ? AND c.start_line <= ?"
                " ORDER BY c.start_line DESC, c.position DESC LIMIT 1",
                (path, max(1, line)),
            )
            .fetchone()
        )
        return row[0] if row else None

    def vector(self, chunk: int) -> NDArray[np.float32] | None:
        """The vector of a chunk: shape (dimensions,)."""
        row = (
            self._catalog.reader()
            .execute("SELECT vector FROM chunks c JOIN vectors v ON v.digest = c.digest WHERE c.id = ?", (chunk,))
            .fetchone()
        )
        return unpack([row[0]])[0] if row else None

    # Private

    def _keep(self, name: str, read: Callable[[], object]) -> object:
        generation = self._catalog.generation()
        kept = self._kept.get(name)
        if kept is None or kept[0] != generation:
            kept = self._kept[name] = (generation, read())
        return kept[1]

    def _restrict(self, db: sqlite3.Connection, allowed: Filter, chunk: str = "words.rowid") -> tuple[str, str]:
        joins, conditions = "", ""
        if allowed.files is not None or allowed.languages:
            joins = f"JOIN chunks ON chunks.id = {chunk}"
        if allowed.files is not None:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS allowed (file INTEGER PRIMARY KEY)")
            if getattr(self._threads, "allowed", None) is not allowed.files:
                self._threads.allowed = None
                db.execute("DELETE FROM temp.allowed")
                every = json.dumps(sorted(allowed.files))
                db.execute("INSERT INTO temp.allowed SELECT value FROM json_each(?)", (every,))
                self._threads.allowed = allowed.files
            conditions += " AND chunks.file IN (SELECT file FROM temp.allowed)"
        if allowed.languages:
            names = ",".join(_quoted(name) for name in allowed.languages)
            conditions += f" AND coalesce(chunks.language, 'text') IN ({names})"
        if allowed.kinds:
            names = ",".join(_quoted(kind) for kind in allowed.kinds)
            # Asked of each chunk that has the words: as a list of all chunks of a kind it takes up to seconds.
            conditions += f" AND EXISTS (SELECT 1 FROM symbols s WHERE s.kind IN ({names}) AND s.chunk = {chunk})"
        return joins, conditions

    def _in(self, statement: str, values: Sequence[object]) -> list[tuple]:  # type: ignore[type-arg]
        marks = ",".join("?" * len(values))
        return self._catalog.reader().execute(statement.format(marks), list(values)).fetchall()


_SYMBOL = "name, kind, scope, start_line, start_col, end_line, end_col, line, col, signature, doc"


def _symbol(row: Sequence[object]) -> Symbol:
    name, kind, scope, *rest = row
    return Symbol(name, kind, tuple(json.loads(scope)), *rest)  # type: ignore[arg-type]  # as the table has them


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _of_groups(groups: Sequence[int], matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> list[float]:
    """For each row the cosine between `vector` and the sum of the rows of the same group."""
    numbers = np.unique(np.array(groups, np.int64), return_inverse=True)[1]
    sums = np.zeros((int(numbers.max()) + 1, matrix.shape[1]), np.float32)
    np.add.at(sums, numbers, matrix)
    cosines: list[float] = (sums @ vector / np.maximum(np.linalg.norm(sums, axis=1), 1e-9))[numbers].tolist()
    return cosines
