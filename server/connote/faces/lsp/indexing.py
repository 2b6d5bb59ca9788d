"""Keeps the folders' indexes up to date: opens them, syncs one after the other, brings single changes in between."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from connote.errors import ConnoteError
from connote.model import Progress, Report, Status

from . import jobs
from .folders import Change, Folder
from .progress import WorkDone

if TYPE_CHECKING:
    from connote.engine import Index, News

    from .server import ConnoteServer

logger = logging.getLogger(__name__)

T = TypeVar("T")

BURST = 0.1
"""Seconds in which changes are collected before they are indexed: a save is often reported three times."""
MANY = 100
"""Changes at once from which on a whole sync is the shorter way: a checkout of another branch."""
NEWS = 0.5
"""Seconds between two reports of progress."""
PATIENCE = 2.0
"""Seconds that a search waits for changes which were noted before it."""
OPENING = 10.0
"""Seconds that a search waits for an index to be opened; it is by far less, unless `initialized` never comes."""

CLEARED = "The index was cleared. The command connote.reindex builds it again."
SEE_LOG = "the server's log has the details."

_RULES = (".gitignore", ".connoteignore", ".ignore")
"""Files that decide which others are indexed."""


class Indexer:
    """The one owner of background work. Its methods run on the event loop; what is slow runs in its threads."""

    def __init__(self, server: ConnoteServer) -> None:
        self._server = server
        self._syncs = ThreadPoolExecutor(1, "connote-sync")
        # Opening, updates and status: short, and never behind a sync.
        self._quick = ThreadPoolExecutor(2, "connote-quick")
        self._queue: list[_Sync] = []
        self._wake = asyncio.Event()
        self._timers: dict[Folder, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._announcing: set[Folder] = set()
        """Whose state is being asked for, because of news."""

    def start(self) -> None:
        """Begins to work off what is requested."""
        self.spawn(self._work())
        self.spawn(self._check_regularly())

    def spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Runs a coroutine in the background; its failure is logged."""
        task: asyncio.Task[object] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def use(self, folder: Folder, work: Callable[[], T], pool: ThreadPoolExecutor | None = None) -> T:
        """Runs `work`, which uses the folder's index, in a thread; the index stays open for so long."""
        future = asyncio.get_running_loop().run_in_executor(pool or self._quick, work)
        folder.users.add(future)
        future.add_done_callback(folder.users.discard)
        return await future

    async def open(self, folder: Folder) -> None:
        """Opens the folder's index with the settings as they are now, and requests a first sync."""
        async with folder.setup:
            if not folder.opened.is_set():
                await self._open(folder)

    async def close(self, folder: Folder) -> None:
        """Ends the folder's work and closes its index, for good."""
        folder.stop.set()
        async with folder.setup:
            await self._close(folder)

    async def refresh(self, folder: Folder) -> None:
        """Reads the folder's settings again, and opens its index anew if they are others."""
        async with folder.setup:
            if folder.refused is not None or not folder.opened.is_set() or folder not in self._server.folders:
                return
            settings, problems = await self._thread(jobs.load, folder.path, self._server.client_settings(folder))
            for problem in problems:
                self._server.tell_once(problem)
            if settings != folder.settings:
                await self._close(folder)
                await self._open(folder)

    async def retry(self, folder: Folder) -> None:
        """Opens an index that could not be opened before."""
        async with folder.setup:
            if folder.index is None:
                await self._open(folder)

    async def clear(self, folder: Folder) -> None:
        """Removes the folder's index; nothing is indexed again before somebody asks for it."""
        folder.stop.set()
        async with folder.setup:
            await self._close(folder)
            await self._thread(jobs.clear, folder.path, folder.settings)
            folder.changes.clear()
            folder.cleared = True
            await self._open(folder)

    def stop(self) -> None:
        """Tells the running sync to stop, and begins no other."""
        for job in self._queue:
            job.settle(None)
        self._queue.clear()
        for folder in self._server.folders:
            folder.stop.set()

    def withdraw(self, folder: Folder, sync: asyncio.Future[Report | None]) -> None:
        """Stops a sync that nobody wants any more, or takes it from the queue; a first sync waits on."""
        for job in self._queue:
            if job.done is sync:
                if folder.settled.is_set():
                    self._queue.remove(job)
                    job.settle(None)
                return
        if folder.syncing:
            folder.stop.set()

    def request_sync(
        self, folder: Folder, *, rebuild: bool = False, quiet: bool = False
    ) -> asyncio.Future[Report | None]:
        """Requests a sync; one that waits for its turn already is enough. The result is None if it did not end well."""
        for job in self._queue:
            if job.folder is folder:
                job.rebuild |= rebuild
                job.quiet &= quiet
                return job.done
        job = _Sync(folder, rebuild=rebuild, quiet=quiet)
        self._queue.append(job)
        self._wake.set()
        return job.done

    def note(self, folder: Folder, changes: Iterable[Change]) -> None:
        """Notes changes, to be indexed in a moment."""
        if folder.refused is not None or folder.cleared:
            return
        folder.changes.extend(changes)
        if folder.changes and folder not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[folder] = loop.call_later(BURST, lambda: self.spawn(self.flush(folder)))

    async def flush(self, folder: Folder) -> None:
        """Indexes what was noted until now; returns when searches show it."""
        timer = self._timers.pop(folder, None)
        if timer is not None:
            timer.cancel()
        async with folder.turn:
            # Of the same change noted twice the later one counts.
            changes = list(dict.fromkeys(reversed(folder.changes)))[::-1]
            folder.changes.clear()
            index = folder.index
            if not changes or index is None:
                return  # what is not opened yet will be read by its first sync
            if len(changes) > MANY or any(path.endswith(_RULES) for change in changes for path in change[1:]):
                pending = self.request_sync(folder, quiet=True)
            else:
                pending = None
                try:
                    await self.use(folder, partial(jobs.apply, index, changes))
                    self.spawn(self.use(folder, index.flush))
                except ConnoteError as error:
                    self._failed(folder, str(error))
                except Exception:
                    logger.exception("Indexing changes of %s failed", folder.path)
        if pending is not None:
            await asyncio.shield(pending)
        elif not folder.syncing:
            await self._announce(folder)

    async def caught_up(self, folder: Folder) -> None:
        """Waits, but not for long, until the index is open and shows the changes that were noted."""
        if not folder.opened.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(folder.opened.wait(), OPENING)
        if folder.syncing and len(folder.changes) > MANY:
            return  # a sync would be behind the one that runs
        if folder.index is not None and not folder.syncing and not folder.cleared and folder.has_new_checkout():
            # git changed files, and of some editors nobody would tell.
            await asyncio.wait({self.request_sync(folder, quiet=True)}, timeout=PATIENCE)
        if folder.changes or folder.turn.locked():
            await asyncio.wait({self.spawn(self.flush(folder))}, timeout=PATIENCE)

    async def status(self, folder: Folder) -> Status:
        """The folder's state, whatever runs."""
        index = folder.index
        if index is None:
            return folder.status()
        try:
            status = await self.use(folder, index.status)
        except ConnoteError as error:
            return Status(folder.path, "error", 0, 0, 0, 0, message=str(error))
        if folder.cleared:
            return replace(status, message=CLEARED)
        if not folder.settled.is_set():
            # Others are indexed before it.
            return replace(status, state="indexing", message=None)
        return status

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            while self._queue:
                job = self._queue.pop(0)
                report = None
                try:
                    report = await self._sync(job)
                except Exception:
                    logger.exception("Indexing %s failed", job.folder.path)
                finally:
                    job.settle(report)
            self._wake.clear()

    async def _sync(self, job: _Sync) -> Report | None:
        folder, index = job.folder, job.folder.index
        if index is None:
            return None
        folder.stop = threading.Event()
        folder.syncing, folder.cleared, folder.message = True, False, None
        folder.progress = Progress(0, 0)
        done = WorkDone(self._server, f"Indexing {folder.name}", folder.stop)
        if not job.quiet:
            done.begin()
            self._send(folder, "indexing", 0, 0)
        loop = asyncio.get_running_loop()
        news = jobs.Every(
            NEWS, lambda progress: loop.call_soon_threadsafe(self._progressed, folder, done, job.quiet, progress)
        )
        report = None
        try:
            report = await self.use(
                folder, partial(index.sync, news, cancel=folder.stop, rebuild=job.rebuild), self._syncs
            )
        except ConnoteError as error:
            # Stopped in the middle of listing the files: that is no failure.
            if not folder.stop.is_set():
                self._failed(folder, str(error))
        except Exception:
            # A bug must not end the worker, nor leave a spinner behind.
            logger.exception("Indexing %s failed", folder.path)
            self._failed(folder, f"Indexing {folder.name} failed by a fault of connote; {SEE_LOG}")
        finally:
            folder.syncing = False
            done.end(jobs.summary(report) if report is not None else folder.message or "Stopped")
            folder.settled.set()
        await self._announce(folder)
        return report

    async def _open(self, folder: Folder) -> None:
        if folder.refused is not None:
            self._server.tell_once(folder.refused)
            folder.opened.set()
            folder.settled.set()
            return
        folder.opened.clear()
        folder.settled.clear()
        problems: list[str] = []
        try:
            folder.settings, folder.index, problems = await self._thread(
                jobs.open_index, folder.path, self._server.client_settings(folder)
            )
            folder.message = None
            self._follow(folder, folder.index)
        except ConnoteError as error:
            self._failed(folder, str(error))
        except Exception:
            logger.exception("Opening the index of %s failed", folder.path)
            self._failed(folder, f"The index of {folder.name} cannot be opened by a fault of connote; {SEE_LOG}")
        folder.opened.set()
        for problem in problems:
            self._server.tell_once(problem)
        if folder not in self._server.folders:
            await self._close(folder)
        elif folder.index is None or folder.cleared:
            folder.settled.set()
            await self._announce(folder)
        else:
            self.request_sync(folder)

    async def _close(self, folder: Folder) -> None:
        folder.stop.set()
        for job in [job for job in self._queue if job.folder is folder]:
            self._queue.remove(job)
            job.settle(None)
        index, folder.index = folder.index, None
        # Nobody shall wait for what will not come.
        folder.opened.set()
        folder.settled.set()
        while folder.users:
            await asyncio.wait(set(folder.users))
        if index is not None:
            await self._thread(index.close)

    async def _thread(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._quick, work, *arguments)

    def _progressed(self, folder: Folder, done: WorkDone, quiet: bool, progress: Progress) -> None:
        folder.progress = progress
        if not quiet and folder.syncing:
            done.report(progress)
            self._send(folder, "indexing", progress.done, max(progress.total - progress.done, 0))

    def _follow(self, folder: Folder, index: Index | None) -> None:
        if index is None:
            return
        loop = asyncio.get_running_loop()

        def pass_on(news: News) -> None:
            loop.call_soon_threadsafe(self._heard, folder, news)

        index.follow(pass_on)

    def _heard(self, folder: Folder, news: News) -> None:
        """Passes on what other clients of the same index do; what this one does is told where it is done."""
        if folder.syncing or folder.index is None or folder not in self._server.folders:
            return
        if news.progress is not None:
            pending = max(news.progress.total - news.progress.done, 0)
            self._send(folder, "indexing", news.progress.done, pending)
        elif folder not in self._announcing:
            self._announcing.add(folder)
            self.spawn(self._announce(folder)).add_done_callback(lambda _: self._announcing.discard(folder))

    async def _announce(self, folder: Folder) -> None:
        """Tells the client the folder's state, if it is another than before."""
        if folder.refused is None and folder.index is not None:
            status = await self.status(folder)
            self._send(folder, status.state, status.files, status.pending, status.message or folder.message)

    def _send(self, folder: Folder, state: str, files: int, pending: int, message: str | None = None) -> None:
        news = (state, files, pending, message)
        if news != folder.told:
            folder.told = news
            self._server.send_status(folder, state, files, pending, message)

    def _failed(self, folder: Folder, message: str) -> None:
        folder.message = message
        self._server.tell_once(message)
        if folder.index is None:
            self._send(folder, "error", 0, 0, message)

    async def _check_regularly(self) -> None:
        checked: dict[Folder, float] = {}
        while True:
            await asyncio.sleep(1)
            for folder in self._server.folders:
                seconds = folder.settings.server.resync_seconds if folder.settings is not None else 0
                now = time.monotonic()
                if not seconds or folder.syncing or folder.cleared or not folder.settled.is_set():
                    checked[folder] = now
                elif now - checked.setdefault(folder, now) >= seconds:
                    checked[folder] = now
                    self.request_sync(folder, quiet=True)
            for gone in set(checked) - set(self._server.folders):
                del checked[gone]

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Background work failed", exc_info=error)


class _Sync:
    """A requested sync."""

    def __init__(self, folder: Folder, *, rebuild: bool, quiet: bool) -> None:
        self.folder = folder
        self.rebuild = rebuild
        self.quiet = quiet
        self.done: asyncio.Future[Report | None] = asyncio.get_running_loop().create_future()

    def settle(self, report: Report | None) -> None:
        if not self.done.done():
            self.done.set_result(report)
