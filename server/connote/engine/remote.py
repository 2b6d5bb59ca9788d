"""The index as a client sees it: the host that owns it does the work. Loads neither numpy nor any store."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from connote.config import Settings, load
from connote.engine import places, wire
from connote.engine.api import Cancelled, Estimate, Index, News, make_query
from connote.engine.connection import PATIENCE_SECONDS, Connection, LostError
from connote.engine.host import starting
from connote.errors import StoreError
from connote.model import Answer, Hit, Problem, Progress, Query, Report, Skipped, Status

_ATTEMPTS = 3
"""A connection that was kept may be to a host that has ended since; then a new host may end during the call, once."""
_log = logging.getLogger(__name__)


class RemoteIndex(Index):
    """An index that a host works on. When the host is gone, the next call starts another and is repeated there:
    every method may be called twice with the effect of once."""

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        """Raises HostError where there can be no host, ConfigError and StoreError as the host does."""
        self.root = root
        self.settings, self.setting_problems = (settings, []) if settings else load(root)
        self._folder = places.root_folder(root, self.settings)
        self._packed = wire.pack_settings(self.settings)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._closed = False
        self._follower: _Follower | None = None
        self._call("open")

    # Keeping it true

    def sync(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        cancel: threading.Event | None = None,
        rebuild: bool = False,
    ) -> Report:
        """As `Index.sync`."""
        return self._report("sync", {"rebuild": rebuild}, cancel, on_progress)

    def update(self, *paths: str | os.PathLike[str], cancel: threading.Event | None = None) -> Report:
        """As `Index.update`."""
        return self._report("update", {"paths": [os.fspath(path) for path in paths]}, cancel)

    def remove(self, *paths: str | os.PathLike[str]) -> Report:
        """As `Index.remove`."""
        return self._report("remove", {"paths": [os.fspath(path) for path in paths]})

    def rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Report:
        """As `Index.rename`."""
        return self._report("rename", {"paths": [os.fspath(old), os.fspath(new)]})

    def flush(self) -> None:
        """As `Index.flush`."""
        self._call("flush")

    def warm(self) -> None:
        """As `Index.warm`."""
        self._call("warm")

    def estimate(self, cancel: threading.Event | None = None) -> Estimate:
        """As `Index.estimate`."""
        return wire.unpack(Estimate, self._call("estimate", cancel=cancel))

    # Asking

    def answer(self, query: str | Query, *, cancel: threading.Event | None = None, **changes: object) -> Answer:
        """As `Index.answer`."""
        asked = make_query(query, changes)
        if cancel is not None and cancel.is_set():
            raise Cancelled
        return wire.unpack(Answer, self._call("answer", {"query": wire.pack(asked)}, cancel))

    def similar_answer(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> Answer:
        """As `Index.similar_answer`."""
        return wire.unpack(Answer, self._call("similar", {"path": os.fspath(path), "line": line, "limit": limit}))

    def outline(self, limit: int = 100) -> list[Hit]:
        """As `Index.outline`."""
        return [wire.unpack(Hit, hit) for hit in self._call("outline", {"limit": limit})]

    # State

    @property
    def complete(self) -> bool:
        """As `Index.complete`."""
        return bool(self._call("complete"))

    def status(self) -> Status:
        """As `Index.status`."""
        return wire.unpack(Status, self._call("status"))

    def files(self) -> list[str]:
        """As `Index.files`."""
        return list(self._call("files"))

    def skipped(self) -> list[Skipped]:
        """As `Index.skipped`."""
        return [wire.unpack(Skipped, item) for item in self._call("skipped")]

    def problems(self) -> list[Problem]:
        """As `Index.problems`."""
        return [wire.unpack(Problem, item) for item in self._call("problems")]

    def follow(self, on_news: Callable[[News], None]) -> None:
        """As `Index.follow`."""
        if self._follower is None:
            self._follower = _Follower(self._folder, self._packed, on_news)

    # Ending

    def close(self) -> None:
        """As `Index.close`."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        if self._follower is not None:
            self._follower.close()

    # Calls

    def _report(
        self,
        method: str,
        arguments: Mapping[str, Any],
        cancel: threading.Event | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Report:
        return wire.unpack(Report, self._call(method, arguments, cancel, on_progress))

    def _call(
        self,
        method: str,
        arguments: Mapping[str, Any] | None = None,
        cancel: threading.Event | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        if self._closed:
            raise StoreError(f"The index of {self.root} is closed; open it again.")
        body = {"settings": self._packed, "arguments": arguments or {}}
        lost: LostError | None = None
        for _ in range(_ATTEMPTS):
            connection = self._take(fresh=lost is not None)
            try:
                outcome = _exchange(connection, method, body, _Watch(self._folder, cancel), on_progress)
            except LostError as error:
                connection.close()
                lost = error
                continue
            except BaseException:
                connection.close()
                raise
            self._give(connection)
            if "error" in outcome:
                raise wire.unpack_error(outcome["error"])
            return outcome.get("result")
        raise starting.HostError(
            f"The host of {self.root} ended again and again ({lost}); {self._folder / places.LOG} may say why."
        )

    def _take(self, *, fresh: bool) -> Connection:
        with self._lock:
            if self._process != os.getpid():
                # After a fork the connections are the parent's; closing them here would end them there.
                self._process, self._idle = os.getpid(), []
            idle, self._idle = self._idle, []
            if idle and not fresh:
                connection = idle.pop()
                self._idle = idle
                return connection
        for stale in idle:
            stale.close()
        connection = starting.connect(self._folder, self.root)
        if self._follower is not None:
            self._follower.wake()
        return connection

    def _give(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()


class _Watch:
    """Looks, while a call waits, whether it is still wanted, and whether the host still lives."""

    def __init__(self, folder: Path, cancel: threading.Event | None) -> None:
        self.call = os.urandom(8).hex()
        """The call's name, by which it is cancelled."""
        self.often = cancel is not None
        self._folder = folder
        self._cancel = cancel
        self._told = False
        self._looked = time.monotonic()

    def __call__(self) -> None:
        if self._cancel is not None and self._cancel.is_set() and not self._told:
            self._told = True
            self._ask("cancel", {"id": self.call})
        elif time.monotonic() - self._looked >= PATIENCE_SECONDS:
            # A call may take as long as it likes, but a host that does not even say that it is there stands still.
            self._ask(None, {})

    def _ask(self, method: str | None, body: dict[str, str]) -> None:
        connection = starting.reach(self._folder)
        if connection is None:
            raise LostError("the host does not answer any more")
        try:
            if method is not None:
                list(connection.call(method, body))
        finally:
            connection.close()
        self._looked = time.monotonic()


class _Follower:
    """Hears the host's news in a thread of its own. It never starts a host: what calls the index next does."""

    def __init__(self, folder: Path, packed: Mapping[str, Any], on_news: Callable[[News], None]) -> None:
        self._folder = folder
        self._body = {"settings": packed, "arguments": {}}
        self._on_news = on_news
        self._connection: Connection | None = None
        self._woken = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="connote-follow", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There is a host again."""
        self._woken.set()

    def close(self) -> None:
        """Hear no more."""
        self._closed = True
        connection = self._connection
        if connection is not None:
            connection.close()
        self._woken.set()

    def _run(self) -> None:
        missed = False
        while not self._closed:
            self._woken.clear()
            connection = self._connection = starting.reach(self._folder)
            follows = False
            if connection is not None and not self._closed:
                follows = self._hear(connection, missed=missed)
                connection.close()
                missed = True
            # A host that ended the news may live, and have more; one that is gone is not started for their sake.
            if not follows and not self._closed:
                self._woken.wait()

    def _hear(self, connection: Connection, *, missed: bool) -> bool:
        """Pass on what comes, to its end; returns whether the host agreed to be followed."""
        follows = False
        try:
            for line in connection.call("follow", self._body):
                follows |= "following" in line
                if self._closed or "error" in line:
                    break
                if "news" in line:
                    self._on_news(wire.unpack(News, line["news"]))
                elif missed:
                    # What happened meanwhile is not known; that something did is likely.
                    self._on_news(News("changed"))
        except LostError as error:
            _log.info("no more news: %s", error)
        return follows


def _exchange(
    connection: Connection,
    method: str,
    body: Mapping[str, Any],
    watch: _Watch,
    on_progress: Callable[[Progress], None] | None,
) -> dict[str, Any]:
    """The outcome of one call. Raises LostError when there is none."""
    outcome = None
    for line in connection.call(method, {**body, "id": watch.call}, watch, often=watch.often):
        if "progress" not in line:
            outcome = line
        elif on_progress is not None:
            on_progress(wire.unpack(Progress, line["progress"]))
    if outcome is None:
        raise LostError("the host ended during the call")
    return outcome
