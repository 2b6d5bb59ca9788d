"""The catalog: files, chunks, symbols, words and vectors in SQLite, all that Chroma can be rebuilt from."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from connote import words
from connote.model import Chunk, Document, Problem, Skipped
from connote.store.database import Database
from connote.store.rows import batched, packed, text_digest
from connote.store.terms import FileTerms, path_terms, terms_of

_KEPT_UNWANTED = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One document, cut: what `Catalog.replace` writes."""

    document: Document
    language: str | None
    chunks: Sequence[Chunk]
    texts: Sequence[str]
    """The embedded text of each chunk."""
    terms: FileTerms | None = None
    """What `terms_of` finds in the chunks, if somebody has looked already."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is known of an indexed file without reading it."""

    id: int
    path: str
    digest: bytes
    size: int
    mtime_ns: int
    language: str | None


class Catalog(Database):
    """Any number of threads and processes may use one catalog. SQLite's write-ahead log keeps readers from waiting."""

    # What is there

    def generation(self) -> int:
        """A number that grows with each change by any process."""
        value = self.get("generation")
        return value if isinstance(value, int) else 0

    def get(self, name: str) -> object:
        """A stored fact, or None."""
        row = self.reader().execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set(self, **facts: object) -> None:
        """Store facts."""
        with self._write() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())

    def files(self, only: Sequence[str] | None = None) -> dict[str, FileRecord]:
        """Every indexed file by path, or just those at or below some paths."""
        rows = self._at_or_below("SELECT id, path, digest, size, mtime_ns, language FROM files", only)
        return {row[1]: FileRecord(*row) for row in rows}

    def left_out(self, only: Sequence[str] | None = None) -> list[Skipped | Problem]:
        """Every file that is not indexed, with its reason, sorted by path, or just those at or below some paths."""
        rows = self._at_or_below("SELECT path, reason, problem, size, mtime_ns FROM left_out", only)
        found = [
            Problem(path, reason) if problem else Skipped(path, reason, size, mtime_ns)
            for path, reason, problem, size, mtime_ns in rows
        ]
        return sorted(found, key=lambda item: item.path)

    def _at_or_below(self, select: str, only: Sequence[str] | None) -> list[tuple[Any, ...]]:
        if only is None:
            return self.reader().execute(select).fetchall()
        rows: list[tuple[Any, ...]] = []
        for path in only:
            folder = path.rstrip("/")
            # Paths below a folder lie between `folder/` and `folder0`, the character after the slash.
            rows += self.reader().execute(
                f"{select} WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')", (folder,)
            )
        return rows

    def counts(self) -> dict[str, int]:
        """How many `chunks` there are and how many texts are `waiting` for a vector."""
        db = self.reader()
        return {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("chunks", "waiting")}

    def languages(self) -> dict[str, int]:
        """How many files there are in each language, the most first."""
        rows = self.reader().execute("SELECT language, count(*) FROM files GROUP BY 1 ORDER BY 2 DESC, 1")
        return {value or "text": count for value, count in rows}

    def kinds(self) -> dict[str, int]:
        """How many symbols of each kind there are, the most first."""
        counts: Counter[str] = Counter()
        for kinds, files in self.reader().execute("SELECT kinds, count(*) FROM files GROUP BY 1"):
            for kind, count in json.loads(kinds).items():
                counts[kind] += count * files
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    # Changes

    def replace(self, entries: Iterable[Entry]) -> tuple[int, int]:
        """Write documents in one transaction: their old chunks go and the new ones come at once.

        Returns how many of the chunks wait for a vector and how many have one already.
        """
        waiting = reused = 0
        with self._write() as db:
            for entry in entries:
                self._drop(db, entry.document.path)
                new, known = self._insert(db, entry)
                waiting, reused = waiting + new, reused + known
        return waiting, reused

    def leave_out(self, items: Iterable[Skipped | Problem]) -> None:
        """Remember why files are not indexed. One that was indexed and is skipped now loses its chunks;
        one with a problem keeps them, for what was right a moment ago beats nothing."""
        with self._write() as db:
            for item in items:
                problem = isinstance(item, Problem)
                if isinstance(item, Skipped):
                    self._drop(db, item.path)
                    size, mtime_ns = item.size, item.mtime_ns
                else:
                    size = mtime_ns = 0
                db.execute(
                    "INSERT OR REPLACE INTO left_out VALUES (?, ?, ?, ?, ?)",
                    (item.path, item.reason, int(problem), size, mtime_ns),
                )

    def touch(self, records: Iterable[tuple[str, int, int]]) -> None:
        """Note a new (path, size, mtime_ns) of files whose content is the same."""
        known = list(records)
        with self._write() as db:
            db.executemany("UPDATE files SET size = ?2, mtime_ns = ?3 WHERE path = ?1", known)
            db.executemany("DELETE FROM left_out WHERE path = ?", [record[:1] for record in known])

    def remove(self, paths: Iterable[str]) -> int:
        """Forget files and why they were left out. Returns how many had been indexed."""
        removed = 0
        with self._write() as db:
            for path in paths:
                removed += db.execute("SELECT count(*) FROM files WHERE path = ?", (path,)).fetchone()[0]
                self._drop(db, path)
        return removed

    def _drop(self, db: sqlite3.Connection, path: str) -> None:
        """Remove a file's rows and mark vectors that nobody wants any more."""
        db.execute("DELETE FROM left_out WHERE path = ?", (path,))
        row = db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return
        digests = db.execute("SELECT DISTINCT digest FROM chunks WHERE file = ?", row).fetchall()
        db.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)", row)
        db.execute("DELETE FROM symbols WHERE chunk IN (SELECT id FROM chunks WHERE file = ?)", row)
        db.execute("DELETE FROM chunks WHERE file = ?", row)
        db.execute("DELETE FROM files WHERE id = ?", row)
        db.executemany(
            "UPDATE vectors SET wanted = 0 WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE digest = ?1)",
            digests,
        )
        db.executemany(
            "DELETE FROM waiting WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE digest = ?1)",
            digests,
        )

    def _insert(self, db: sqlite3.Connection, entry: Entry) -> tuple[int, int]:
        document = entry.document
        stem, folders = path_terms(document.path)
        terms = entry.terms or terms_of(entry.chunks)
        file = db.execute(
            "INSERT INTO files (path, digest, size, mtime_ns, language, kinds, words) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                document.path, document.digest, document.size, document.mtime_ns, entry.language,
                _kinds(entry.chunks), terms.tally,
            ),
        ).lastrowid  # fmt: skip
        waiting = reused = 0
        for chunk, text, (length, body, names) in zip(entry.chunks, entry.texts, terms.chunks, strict=True):
            digest = text_digest(text)
            scope = json.dumps(chunk.scope, ensure_ascii=False)
            number = db.execute(
                "INSERT INTO chunks (file, position, digest, start_byte, end_byte, start_line, end_line, line, col,"
                " language, symbol, kind, scope, part, parts, length, text) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    file, chunk.index, digest, chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line,
                    chunk.line, chunk.column, chunk.language, chunk.symbol, chunk.kind, scope, chunk.part,
                    chunk.parts, length,
                    _storable(chunk.text),
                ),
            ).lastrowid  # fmt: skip
            db.executemany(
                "INSERT INTO symbols VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                [
                    (
                        number, file, _storable(one.name), words.joined(one.name), one.kind,
                        json.dumps(one.scope, ensure_ascii=False), one.start_line, one.start_column, one.end_line,
                        one.end_column, one.line, one.column, _storable(one.signature), _storable(one.doc),
                    )
                    for one in chunk.symbols
                ],
            )  # fmt: skip
            db.execute(
                "INSERT INTO words (rowid, body, names, stem, folders) VALUES (?, ?, ?, ?, ?)",
                (number, body, names, stem, folders),
            )
            if db.execute("UPDATE vectors SET wanted = 1 WHERE digest = ?", (digest,)).rowcount:
                reused += 1
            elif db.execute("INSERT OR IGNORE INTO waiting VALUES (?, ?)", (digest, _storable(text))).rowcount:
                waiting += 1
            else:
                reused += 1
        return waiting, reused

    # Vectors

    def with_vector(self, digests: Sequence[bytes]) -> frozenset[bytes]:
        """Those of the texts that have a vector, wanted or not."""
        found: list[bytes] = []
        for part in batched(digests):
            marks = ",".join("?" * len(part))
            rows = self.reader().execute(f"SELECT digest FROM vectors WHERE digest IN ({marks})", list(part))
            found += [row[0] for row in rows]
        return frozenset(found)

    def lacks_vectors(self, entry: Entry) -> bool:
        """Whether a chunk of this entry, written or not, has no vector."""
        digests = {text_digest(text) for text in entry.texts}
        return len(self.with_vector(list(digests))) < len(digests)

    def has_vectors(self, path: str) -> bool:
        """Whether a file is indexed and every chunk of it has its vector."""
        rows = self.reader().execute(
            "SELECT v.digest IS NOT NULL FROM chunks c JOIN files f ON f.id = c.file"
            " LEFT JOIN vectors v ON v.digest = c.digest WHERE f.path = ?",
            (path,),
        )
        found = [row[0] for row in rows]
        return bool(found) and all(found)

    def waiting(self, limit: int, now: float = 0.0) -> list[tuple[bytes, str]]:
        """Texts that need a vector: (digest, text); without those that the model refused and may be asked for later."""
        return (
            self.reader()
            .execute(
                "SELECT digest, text FROM waiting"
                " WHERE digest NOT IN (SELECT digest FROM refused WHERE again > ?) LIMIT ?",
                (now, limit),
            )
            .fetchall()
        )

    def refuse(self, reasons: Mapping[bytes, str], again: Callable[[int], float]) -> None:
        """Note why the model takes some texts in no form; `again` says until when, by how often that happened."""
        with self._write() as db:
            for digest, reason in reasons.items():
                row = db.execute("SELECT tries FROM refused WHERE digest = ?", (digest,)).fetchone()
                tries = row[0] + 1 if row else 1
                db.execute("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?)", (digest, reason, tries, again(tries)))

    def refused(self, now: float | None = None) -> dict[bytes, str]:
        """Why the model takes some texts in no form, by digest: all of them, or those not to be sent yet at a time."""
        rows = self.reader().execute("SELECT digest, reason FROM refused WHERE again > ?", (now or 0.0,))
        return dict(rows.fetchall())

    def refused_in(self, limit: int) -> tuple[int, list[str], str]:
        """How many texts that chunks have are refused, some of the files they are in, and one of the reasons."""
        db = self.reader()
        wanted = "FROM refused r JOIN chunks c ON c.digest = r.digest"
        count = db.execute(f"SELECT count(DISTINCT r.digest) {wanted}").fetchone()[0]
        if not count:
            return 0, [], ""
        paths = db.execute(
            f"SELECT DISTINCT f.path {wanted} JOIN files f ON f.id = c.file ORDER BY f.path LIMIT ?", (limit,)
        )
        reason = db.execute(f"SELECT r.reason {wanted} ORDER BY r.digest LIMIT 1").fetchone()[0]
        return count, [row[0] for row in paths], reason

    def retry_refused(self, tries: int) -> None:
        """Let texts be sent again that were refused fewer times than this."""
        with self._write() as db:
            db.execute("UPDATE refused SET again = 0 WHERE tries < ?", (tries,))

    def dimensions(self) -> int:
        """Length of the vectors that are there; 0 while there is none."""
        row = self.reader().execute("SELECT length(vector) / 2 FROM vectors LIMIT 1").fetchone()
        return row[0] if row else 0

    def add_vectors(self, digests: Sequence[bytes], vectors: NDArray[np.float32] | Sequence[bytes]) -> None:
        """Store the vectors of texts that waited for them: rows in the order of `digests`, or as they are stored."""
        rows = packed(vectors) if isinstance(vectors, np.ndarray) else vectors
        with self._write() as db:
            db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?1, ?2, EXISTS (SELECT 1 FROM chunks WHERE digest = ?1), 0)",
                list(zip(digests, rows, strict=True)),
            )
            for table in ("waiting", "refused"):
                db.executemany(f"DELETE FROM {table} WHERE digest = ?", [(digest,) for digest in digests])

    def outbox(self, limit: int) -> tuple[list[bytes], list[bytes], list[bytes]]:
        """What Chroma has too much and what it lacks: (digests to delete, digests to add, their vectors as stored)."""
        db = self.reader()
        gone = db.execute(
            "SELECT digest FROM vectors WHERE wanted <> stored AND wanted = 0 LIMIT ?", (limit,)
        ).fetchall()
        new = db.execute(
            "SELECT digest, vector FROM vectors WHERE wanted <> stored AND wanted = 1 LIMIT ?", (limit,)
        ).fetchall()
        return [row[0] for row in gone], [row[0] for row in new], [row[1] for row in new]

    def outbox_size(self) -> int:
        """How many vectors Chroma lacks or has too much."""
        return int(self.reader().execute("SELECT count(*) FROM vectors WHERE wanted <> stored").fetchone()[0])

    def stored(self) -> int:
        """How many vectors Chroma must have at least."""
        row = self.reader().execute("SELECT count(*) FROM vectors WHERE wanted = 1 AND stored = 1").fetchone()
        return int(row[0])

    def dead(self) -> int:
        """How many vectors were deleted from Chroma's collection since it was begun: it lets go of none of them."""
        value = self.get("dead")
        return value if isinstance(value, int) else 0

    def stored_digests(self) -> frozenset[bytes]:
        """Whatever Chroma is known to have."""
        return frozenset(row[0] for row in self.reader().execute("SELECT digest FROM vectors WHERE stored = 1"))

    def any_stored(self) -> bool:
        """Whether Chroma has any vector."""
        return self.reader().execute("SELECT 1 FROM vectors WHERE stored = 1 LIMIT 1").fetchone() is not None

    def some_stored(self, count: int) -> tuple[list[bytes], list[bytes]]:
        """At most `count` random ones of the vectors that Chroma must have: (digests, vectors as stored)."""
        found: dict[bytes, bytes] = {}
        for _ in range(count):
            # Digests are random, so what follows a random one is a random sample.
            row = (
                self.reader()
                .execute(
                    "SELECT digest, vector FROM vectors WHERE digest >= ? AND wanted = 1 AND stored = 1"
                    " ORDER BY digest LIMIT 1",
                    (os.urandom(16),),
                )
                .fetchone()
            )
            if row:
                found[row[0]] = row[1]
        if not found:
            rows = self.reader().execute(
                "SELECT digest, vector FROM vectors WHERE wanted = 1 AND stored = 1 LIMIT ?", (count,)
            )
            found.update(rows.fetchall())
        return list(found), list(found.values())

    def begin_change(self) -> None:
        """Note that Chroma is about to be changed: after a kill it may have what is not marked as stored."""
        self.set(changing=1)

    def mark_stored(self, added: Sequence[bytes], deleted: Sequence[bytes]) -> None:
        """Note what Chroma has now, and that the change that `begin_change` told of is done."""
        with self._write() as db:
            db.execute("DELETE FROM meta WHERE name = 'changing'")
            db.executemany("UPDATE vectors SET stored = 1 WHERE digest = ?", [(digest,) for digest in added])
            db.executemany("UPDATE vectors SET stored = 0 WHERE digest = ?", [(digest,) for digest in deleted])
            if deleted:
                db.execute(
                    "INSERT INTO meta VALUES ('dead', ?1) ON CONFLICT (name) DO UPDATE SET value = value + ?1",
                    (len(deleted),),
                )

    def nothing_stored(self, collection: int) -> None:
        """Note that Chroma begins anew, in its collection of this number, and is filled again from here."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('chroma', ?), ('dead', 0)", (collection,))
            db.execute("DELETE FROM meta WHERE name = 'changing'")
            db.execute("UPDATE vectors SET stored = 0 WHERE stored = 1")

    def forget_vectors(self) -> None:
        """Drop every vector. The texts wait again as soon as their files are written again."""
        with self._write() as db:
            db.execute("DELETE FROM vectors")
            db.execute("DELETE FROM refused")
            db.execute("INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1")

    def prune(self) -> None:
        """Let go of the oldest vectors that no chunk wants, when there are many."""
        with self._write() as db:
            db.execute(
                "DELETE FROM vectors WHERE wanted = 0 AND stored = 0 AND rowid IN "
                "(SELECT rowid FROM vectors WHERE wanted = 0 ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
                (_KEPT_UNWANTED,),
            )
            db.execute("DELETE FROM refused WHERE digest NOT IN (SELECT digest FROM waiting)")


def _kinds(chunks: Iterable[Chunk]) -> str:
    # A symbol that is cut in parts stands in each of their chunks.
    symbols = {(one.kind, one.line, one.column, one.name) for chunk in chunks for one in chunk.symbols}
    return json.dumps(Counter(kind for kind, *_ in sorted(symbols)))


def _storable(text: str) -> str:
    # SQLite holds UTF-8, which has no lone surrogates.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
