"""One SQLite file for any number of threads and processes: connections, transactions, one state to read from."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from connote.errors import StoreError
from connote.store import soundness
from connote.store.schema import SCHEMA

_BUSY_SECONDS = 60.0


class DamagedError(StoreError):
    """The catalog's file is not what was written; it is set aside when it is opened next."""


class _Connection(sqlite3.Connection):
    """Closed with its thread: a long life sees many threads, and each connection holds files open."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # one that could not be opened has nothing to close
            self.close()


class Database:
    """Any number of threads and processes may use one file. SQLite's write-ahead log keeps readers from waiting."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._threads = threading.local()
        self._opened: WeakSet[_Connection] = WeakSet()
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self.damaged = False
        """Whether that was seen while it was open."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._writer.execute("PRAGMA journal_mode = wal")
            self._writer.executescript(SCHEMA)
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise self.problem(error, "opened") from error

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
                raise self.problem(error, "written") from error

    def problem(self, error: Exception, what: str) -> StoreError:
        """An error of SQLite's in words, met while the file was `what`; damage is noted for whoever opens it next."""
        # SQLite says that with its most general error, or finds that what should be text is none.
        if type(error) is sqlite3.DatabaseError or "Could not decode" in str(error):
            self.damaged = True
            soundness.note_damage(self.path)
            return DamagedError(
                f"The index {self.path} is damaged: {error}. It is set aside and built again when it is opened next."
            )
        return StoreError(f"The index {self.path} cannot be {what}: {error}")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            factory=_Connection,
            cached_statements=200,
        )
        for pragma in (
            "synchronous = normal",
            "temp_store = memory",
            "cache_size = -16000",
            "mmap_size = 67108864",
            # Pages: what is written again and again while all is indexed is copied into the file once.
            "wal_autocheckpoint = 8000",
        ):
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
