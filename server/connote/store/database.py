"""One SQLite file for any number of threads and processes: connections, transactions, one state to read from."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from connote.errors import StoreError
from connote.store.schema import SCHEMA

_BUSY_SECONDS = 60.0


class DamagedError(StoreError):
    """The catalog's file is no database any more."""


class _Connection(sqlite3.Connection):
    """Closed with its thread: a long life sees many threads, and each connection holds files open."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # one that could not be opened has nothing to close
            self.close()


class Database:
    """Any number of threads and processes may use one file. SQLite's write-ahead log keeps readers from waiting."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.local()
        self._opened: WeakSet[_Connection] = WeakSet()
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._writer.execute("PRAGMA journal_mode = wal")
            self._writer.executescript(SCHEMA)
        except (sqlite3.Error, OSError) as error:
            self.close()
            # SQLite says so with its most general error; what is locked or cannot be written is an OperationalError.
            damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
            problem = DamagedError if damaged else StoreError
            raise problem(f"The index in {path.parent} cannot be opened: {error}") from error

    # Reading and writing

    def reader(self) -> sqlite3.Connection:
        """This thread's connection. Use it for reading alone."""
        if self._closed:
            raise StoreError("This index is closed; open it again.")
        connection = getattr(self._threads, "connection", None)
        if connection is None:
            connection = self._threads.connection = self._connect()
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let this thread read one state of the file, whatever is written meanwhile; inside another, that one."""
        db = self.reader()
        if db.in_transaction:
            yield
            return
        db.execute("BEGIN")
        try:
            # SQLite holds on to a state at the first look, not before.
            db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()
            yield
        finally:
            if not self._closed:
                db.execute("COMMIT")

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._writing:
            if self._closed:
                raise StoreError("This index is closed; open it again.")
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute(
                        "INSERT INTO meta VALUES ('generation', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
                    )
                    self._writer.execute("COMMIT")
                except BaseException:
                    # On a full disk SQLite has done so itself.
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise StoreError(f"The index {self._path} cannot be written: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            factory=_Connection,
            cached_statements=200,
        )
        for pragma in ("synchronous = normal", "temp_store = memory", "cache_size = -16000", "mmap_size = 67108864"):
            connection.execute(f"PRAGMA {pragma}")
        with self._opening:
            self._opened.add(connection)
        return connection

    def close(self) -> None:
        """Close every thread's connection; nothing can be read or written afterwards."""
        with self._writing:
            self._closed = True
            with self._opening:
                for connection in list(self._opened):
                    connection.close()
