"""The index behind a server: opened when it is needed, looked over before each search, never waited for too long."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

from connote.engine import Index, open_index
from connote.engine.reading import contained, read_excerpt
from connote.errors import ConnoteError
from connote.faces.parts import is_within, narrowed
from connote.faces.serving import Served
from connote.model import MOST_HITS, Answer, Excerpt, Progress, Query, Report, Status

Told = Callable[[Progress], Awaitable[None]]
"""Hears how far a sync is; its `done` never goes back."""

_TELL_EVERY = 0.25
"""Seconds between two looks at how far a sync is."""
_LONGEST_REST = 2.0
"""Seconds that a check of the files is good enough for searches, at most."""
_log = logging.getLogger(__name__)


class Service:
    """One root for many clients. All methods may be called from any thread; the `async` ones from one event loop."""

    def __init__(self, served: Served, *, rest: float) -> None:
        """`rest`: for how many times longer than a check of all files took its result is good enough for a search.

        0 has each search wait for a check that began after it was asked.
        """
        self.served = served
        self._rest = rest
        self._lock = threading.Condition()
        self._index: Index | None = None
        self._waiting: list[Future[Report]] = []
        self._rebuild = False
        self._stop = threading.Event()
        self._worker: threading.Thread | None = None
        self._rested_until = 0.0
        self.progress: Progress | None = None
        """How far a sync of this process is; None when there is none."""

    def index(self) -> Index:
        """Return the index, opened. Raises ConfigError and StoreError, and tries again the next time."""
        with self._lock:
            if self._stop.is_set():
                raise ConnoteError("The server is ending.")
            if self._index is None:
                self._index = open_index(self.served.root, self.served.settings)
                # The news is of no use here, but an index that is followed keeps its host.
                self._index.follow(lambda _news: None)
            return self._index

    def check(self, *, rebuild: bool = False) -> Future[Report]:
        """Have everything looked over once more, from now on; calls that come together share one pass."""
        asked: Future[Report] = Future()
        with self._lock:
            if self._stop.is_set():
                asked.set_exception(ConnoteError("The server is ending."))
                return asked
            self._waiting.append(asked)
            self._rebuild = self._rebuild or rebuild
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="connote-check", daemon=True)
                self._worker.start()
            self._lock.notify_all()
        return asked

    async def up_to_date(self, seconds: float, told: Told | None = None) -> bool:
        """Have the index looked over, and return whether that was done within so many seconds.

        `told` hears how far it is. What could not be brought up to date is in the status; it is no reason not to
        search what there is.
        """
        if self._rest and time.monotonic() < self._rested_until:
            return True
        try:
            report = await self.synced(seconds, told)
        except ConnoteError:
            return False
        return report is not None and not report.cancelled

    async def synced(self, seconds: float, told: Told | None = None, *, rebuild: bool = False) -> Report | None:
        """Have the index brought up to date, and return what was done; None when that takes longer, and goes on.

        Raises what a sync raises.
        """
        asked = asyncio.wrap_future(self.check(rebuild=rebuild))
        asked.add_done_callback(_looked_at)
        end = time.monotonic() + seconds
        last = -1
        while not asked.done() and (left := end - time.monotonic()) > 0:
            await asyncio.wait([asked], timeout=min(left, _TELL_EVERY if told else left))
            progress = self.progress
            if told and progress is not None and progress.done > last:
                last = progress.done
                await told(progress)
        return asked.result() if asked.done() else None

    async def search(self, query: Query, *, seconds: float, told: Told | None = None) -> Answer:
        """Answer a query, within the part that is served, from what is indexed after so many seconds.

        Raises ValueError for what no query can be, ConfigError and StoreError.
        """
        prefix = narrowed(self.served.prefix, query.prefix)
        if prefix is None:
            return Answer(message=f"{query.prefix} is not in {self.served.prefix}, which is all that is served.")
        index = await asyncio.to_thread(self.index)
        checked = await self.up_to_date(seconds, told)
        narrow = dataclasses.replace(query, prefix=prefix or None)
        return self._noted(await _cancellable(lambda cancel: index.answer(narrow, cancel=cancel)), checked)

    async def similar(self, path: str, line: int, limit: int, *, seconds: float, told: Told | None = None) -> Answer:
        """Answer with code like that at a line; as `search` does. Raises RefusedError for a path outside the root."""
        index = await asyncio.to_thread(self.index)
        place = await asyncio.to_thread(contained, self.served.root, path)
        checked = await self.up_to_date(seconds, told)
        # An index cannot be asked for the likes in one part, so they are picked out of all.
        most = limit if self.served.prefix is None else MOST_HITS
        answer = await asyncio.to_thread(index.similar_answer, place, line, most)
        hits = [hit for hit in answer.hits if self.is_served(hit.path)]
        return self._noted(dataclasses.replace(answer, hits=tuple(hits[:limit])), checked)

    async def read(self, path: str, first: int | None, last: int | None) -> Excerpt:
        """Return lines of a file. Raises RefusedError and ValueError."""
        served = self.served
        return await asyncio.to_thread(
            lambda: read_excerpt(served.root, path, served.settings, lines=(first, last), within=served.prefix)
        )

    async def status(self) -> Status:
        """Return the state of the index. Raises ConfigError and StoreError."""
        return await asyncio.to_thread(lambda: self.index().status())

    def is_served(self, path: str) -> bool:
        """Whether a path is in the part of the root that is served."""
        return is_within(path, self.served.prefix)

    def how_far(self) -> str:
        """Say in words how far an index is that is not complete."""
        progress = self.progress
        if progress is None or not progress.total:
            return "The index is not complete yet: there may be more."
        share = 100 * progress.done // progress.total
        return f"Still indexing: {progress.done:,} of {progress.total:,} files ({share} %); there may be more."

    def close(self) -> None:
        """Stop what is under way, where what is done is kept, and let go of the index."""
        with self._lock:
            self._stop.set()
            self._lock.notify_all()
            worker = self._worker
        if worker is not None:
            worker.join()
        with self._lock:
            if self._index is not None:
                self._index.close()

    def _noted(self, answer: Answer, checked: bool) -> Answer:
        if checked:
            # A check that another request began meanwhile does not make this answer incomplete.
            return dataclasses.replace(answer, complete=True)
        if answer.complete and self.progress is None:
            return answer
        message = self.how_far() if not answer.hits or not answer.message else f"{answer.message} {self.how_far()}"
        return dataclasses.replace(answer, complete=False, message=message)

    # The worker

    def _work(self) -> None:
        while True:
            with self._lock:
                while not (self._waiting or self._stop.is_set()):
                    self._lock.wait()
                asked, self._waiting = self._waiting, []
                rebuild, self._rebuild = self._rebuild, False
            asked = [one for one in asked if one.set_running_or_notify_cancel()]
            if self._stop.is_set():
                for one in asked:
                    one.set_exception(ConnoteError("The server is ending."))
                return
            self._check(asked, rebuild)

    def _check(self, asked: list[Future[Report]], rebuild: bool) -> None:
        began = time.monotonic()
        try:
            report = self.index().sync(self._note, cancel=self._stop, rebuild=rebuild)
        except Exception as error:  # noqa: BLE001 - whoever asked gets it, and this thread must go on
            if not isinstance(error, ConnoteError):
                _log.exception("a check of the files failed")
            self.progress = None
            for one in asked:
                one.set_exception(error)
        else:
            took = time.monotonic() - began
            self._rested_until = time.monotonic() + min(self._rest * took, _LONGEST_REST)
            self.progress = None
            for one in asked:
                one.set_result(report)

    def _note(self, progress: Progress) -> None:
        self.progress = progress


def _looked_at(asked: asyncio.Future[Report]) -> None:
    # What fails after nobody waits any more is in the status; asyncio would call it an oversight.
    if not asked.cancelled():
        asked.exception()


async def _cancellable(work: Callable[[threading.Event], Any]) -> Any:
    """Run work in a thread, and have it stop when nobody waits for it any more."""
    cancel = threading.Event()
    try:
        return await asyncio.to_thread(work, cancel)
    except asyncio.CancelledError:
        cancel.set()
        raise
