"""Vectors that all roots share, by model and digest of the text, so that a text is embedded once.

It lies beside the indexes, is bounded, and can be lost at any time: what is wrong with it costs no more than itself.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from connote.store.rows import batched

_FILE = "vectors.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS vectors_used ON vectors (used);
"""
_USED_SECONDS = 3600
"""How fine the times of use are: finer ones would make each search for known vectors a write."""
_BUSY_SECONDS = 5.0
_QUEUED = 64
_EVICTED_SHARE = 10
_ROW_BYTES = 120
"""What SQLite needs for a row besides its vector: two indexes and the space between rows."""
_log = logging.getLogger(__name__)


class VectorCache:
    """Any number of threads and processes may use one. Nothing here raises: what cannot be read is unknown."""

    def __init__(self, folder: Path, most_bytes: int, clock: Callable[[], float] = time.time) -> None:
        """Keep at most `most_bytes` in `folder`; 0 keeps and finds nothing. No file is opened before it is needed."""
        self._folder = folder
        self._most = most_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._queue: queue.Queue[Mapping[bytes, bytes | None] | None] = queue.Queue(_QUEUED)
        self._writer: threading.Thread | None = None
        self._closed = False

    def find(self, model: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are known, by digest, as they were kept."""
        if not self._most or not digests or not (self._folder / _FILE).exists():
            return {}
        prefix = _prefix(model)
        rows: list[tuple[bytes, bytes, int]] = []
        with self._lock:
            if self._closed:
                return {}
            try:
                self._reader = self._reader or self._connect()
                for part in batched(digests):
                    keys = [prefix + digest for digest in part]
                    marks = ",".join("?" * len(keys))
                    rows += self._reader.execute(f"SELECT key, vector, used FROM vectors WHERE key IN ({marks})", keys)
            except (sqlite3.Error, OSError) as error:
                self._distrust(error)
                return {}
        found: dict[bytes, bytes] = {}
        touched: dict[bytes, bytes | None] = {}
        oldest = self._clock() - _USED_SECONDS
        for key, value, used in rows:
            vector = value[:-4]
            if zlib.crc32(vector) == int.from_bytes(value[-4:], "big"):
                found[key[len(prefix) :]] = vector
                if used < oldest:
                    touched[key] = None
        if touched:
            self._write_later(touched)
        return found

    def keep(self, model: str, digests: Sequence[bytes], vectors: Sequence[bytes]) -> None:
        """Keep vectors, soon: a thread of its own writes them while the caller goes on."""
        if self._most:
            prefix = _prefix(model)
            self._write_later({prefix + digest: vector for digest, vector in zip(digests, vectors, strict=True)})

    def close(self) -> None:
        """Write what is still to be written, and let go of the file."""
        with self._lock:
            self._closed = True
            writer = self._writer
            if self._reader is not None:
                self._reader.close()
        if writer is not None:
            self._queue.put(None)
            writer.join()

    # Private

    def _write_later(self, rows: Mapping[bytes, bytes | None]) -> None:
        with self._lock:
            if self._closed:
                return
            if self._writer is None:
                self._writer = threading.Thread(target=self._run, name="connote-cache", daemon=True)
                self._writer.start()
        # A caller that is faster than the disk waits here, so that memory stays bounded.
        self._queue.put(rows)

    def _run(self) -> None:
        db: sqlite3.Connection | None = None
        ended = False
        while not ended:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            ended = None in batch
            rows: dict[bytes, bytes | None] = {}
            for part in batch:
                # A vector that is kept is used thereby; one that is only used is not forgotten for it.
                rows.update({key: value for key, value in (part or {}).items() if value or key not in rows})
            if not rows:
                continue
            try:
                db = db or self._connect()
                self._write(db, rows)
            except (sqlite3.Error, OSError) as error:
                if db is not None:
                    db.close()
                    db = None
                with self._lock:
                    self._distrust(error)
        if db is not None:
            db.close()

    def _write(self, db: sqlite3.Connection, rows: Mapping[bytes, bytes | None]) -> None:
        now = int(self._clock())
        kept = [(key, value + zlib.crc32(value).to_bytes(4, "big"), now) for key, value in rows.items() if value]
        used = [(now, key) for key, value in rows.items() if not value]
        size = sum(len(value) + _ROW_BYTES for _, value, _ in kept)
        db.execute("BEGIN IMMEDIATE")
        try:
            if size > self._most:
                kept = []
            elif self._size(db) + size > self._most:
                self._evict(db, self._most - size)
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", kept)
            db.executemany("UPDATE vectors SET used = ? WHERE key = ?", used)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _evict(self, db: sqlite3.Connection, most: int) -> None:
        """Let go of what was not used for longest, a tenth at a time."""
        while self._size(db) > most:
            (count,) = db.execute("SELECT count(*) FROM vectors").fetchone()
            if not count:
                return
            db.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
                (count // _EVICTED_SHARE + 1,),
            )

    def _size(self, db: sqlite3.Connection) -> int:
        values = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")]
        return int((values[0] - values[1]) * values[2])

    def _connect(self) -> sqlite3.Connection:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(
            self._folder / _FILE, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            # After a loss of power it may be damaged, which costs the cache alone.
            for pragma in ("journal_mode = wal", "synchronous = off", "journal_size_limit = 16777216"):
                connection.execute(f"PRAGMA {pragma}")
            connection.executescript(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _distrust(self, error: Exception) -> None:
        """Remove a file that is no database any more; whatever else is wrong may pass. Called with the lock held."""
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            _log.warning("the cache of vectors is damaged and begins anew: %s", error)
            if self._reader is not None:
                self._reader.close()
                self._reader = None
            remove_cache(self._folder)
        else:
            _log.info("the cache of vectors cannot be used: %s", error)


def remove_cache(folder: Path) -> bool:
    """Remove the cache in a folder. Returns whether there was one. On Windows one that is in use stays."""
    existed = False
    for name in (_FILE, f"{_FILE}-wal", f"{_FILE}-shm"):
        try:
            (folder / name).unlink()
            existed = True
        except FileNotFoundError:
            continue
        except OSError as error:
            _log.warning("%s cannot be removed: %s", folder / name, error)
    return existed


def _prefix(model: str) -> bytes:
    return blake2b(model.encode(), digest_size=8).digest()
