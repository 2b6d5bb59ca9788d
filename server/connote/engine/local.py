"""The index that this process works on itself: in the host of a root, in tests, and where no host can be."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from connote.config import ServerOptions, Settings, load
from connote.embed import open_embedder
from connote.engine import identity, places
from connote.engine.api import Estimate, Index, News, check_query, make_query
from connote.engine.estimate import estimate
from connote.engine.search import Searcher, relative
from connote.errors import EmbedError, StoreError
from connote.model import Answer, Hit, Problem, Progress, Query, Report, Skipped, Status
from connote.store import Store
from connote.sync import Sync, refusals, trouble
from connote.sync.keeping import Keeper, Work

_FLUSH_SECONDS = 0.5
_LOOK_SECONDS = 0.05
_NEWS_SECONDS = 0.5
P = ParamSpec("P")
R = TypeVar("R")
_log = logging.getLogger(__name__)


def _guarded(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method say in words that its index cannot be read: SQLite's own errors are for nobody above the store."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except sqlite3.Error as error:
            catalog = cast("LocalIndex", args[0])._store.catalog  # noqa: SLF001 - it stands for a method of that class
            raise catalog.problem(error, "read") from error

    return guarded


@dataclass(eq=False)
class Opened:
    """A store, and what all indexes of one process that use it have in common."""

    store: Store
    release: Callable[[], None]
    """Says that one of its users does not need it any more."""
    turn: threading.Lock = field(default_factory=threading.Lock)
    """Held by the sync that runs."""
    progress: Progress | None = None
    """Of the sync that runs; None when none does."""
    _listeners: dict[object, Callable[[News], None]] = field(default_factory=dict)

    def listen(self, on_news: Callable[[News], None]) -> Callable[[], None]:
        """Hear of what happens to the store, until the function that is returned is called."""
        key = object()
        self._listeners[key] = on_news

        def deafen() -> None:
            self._listeners.pop(key, None)

        return deafen

    def tell(self, news: News) -> None:
        """Tell all who listen."""
        for listener in list(self._listeners.values()):
            listener(news)


def open_alone(folder: Path, settings: Settings) -> Opened:
    """A store that one index uses alone. Raises StoreError."""
    store = Store(folder, settings.store, cache=places.cache_folder(settings))
    return Opened(store, store.close)


class LocalIndex(Index):
    """An index whose work is done here. Several processes may use one at once, though a host spares them the work."""

    def __init__(
        self,
        root: Path,
        settings: Settings | None = None,
        *,
        open_store: Callable[[Path, Settings], Opened] = open_alone,
        remark: str | None = None,
    ) -> None:
        """`remark` is for the status of an index in good order: why there is no host, perhaps."""
        self.root = root
        self.settings, self.setting_problems = (settings, []) if settings else load(root)
        self._remark = remark
        self._embedder = open_embedder(self.settings.embed, places.cache_folder(self.settings))
        folder = identity.index_folder(root, self.settings, self._embedder)
        places.note_root(root, self.settings)
        self._shared = open_store(folder, self.settings)
        self._store = self._shared.store
        walking = identity.without_index(self.settings.walk, root, self.settings)
        self._options = (walking, self.settings.chunk)
        self._sync = Sync(root, self._store, lambda: self._embedder, self._options)
        self._searcher = Searcher(root, self._store, self.settings)
        self._last_error: str | None = None
        self._keeping = threading.Lock()
        self._keeper: Keeper | None = None
        self._deafen: list[Callable[[], None]] = []
        self._closed = False

    # Keeping it true

    @_guarded
    def sync(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        cancel: threading.Event | None = None,
        rebuild: bool = False,
    ) -> Report:
        """As `Index.sync`."""
        with self._turn(on_progress, cancel) as mine:
            return self._run(on_progress, cancel, rebuild=rebuild) if mine else Report(cancelled=True)

    def _run(
        self, on_progress: Callable[[Progress], None] | None, cancel: threading.Event | None, *, rebuild: bool
    ) -> Report:
        if rebuild:
            self._store.forget_vectors()
            self._embedder.forget()
        with self._running(on_progress) as report_progress, self._flushing(cancel):
            report = self._sync.run(force=rebuild, on_progress=report_progress, cancel=cancel)
        if not report.cancelled:
            now = datetime.now(timezone.utc).isoformat(timespec="seconds")
            self._store.catalog.set(complete=1, last_sync=now)
            self._store.catalog.prune()
            identity.drop_unused(self.root, self.settings, self._store.folder)
        self._store.follow()
        return report

    @_guarded
    def update(self, *paths: str | os.PathLike[str], cancel: threading.Event | None = None) -> Report:
        """As `Index.update`."""
        only = [relative(self.root, os.fspath(path)) for path in paths]
        if not only:
            return Report()
        return self._told(self._sync.run(None if "" in only else only, cancel=cancel))

    @_guarded
    def remove(self, *paths: str | os.PathLike[str]) -> Report:
        """As `Index.remove`."""
        return self._told(self._sync.remove([relative(self.root, os.fspath(path)) for path in paths]))

    @_guarded
    def rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Report:
        """As `Index.rename`."""
        gone = relative(self.root, os.fspath(old))
        report = self.update(new)
        # A change of case alone is one file on some disks: then the old name is what is there now.
        removed = self._sync.run([gone]) if (self.root / gone).exists() else self._sync.remove([gone])
        return self._told(replace(report, removed=report.removed + removed.removed))

    def keep_fresh(self, server: ServerOptions | None = None) -> None:
        """From now on follow what happens on disk, until `close`: by file events, unless `server.watch` is off, by a
        check each `server.resync_seconds`, and by another try of what failed. Only the first call counts; a host says
        how its client wants it, for it leaves that out of the settings of an index."""
        server = server or self.settings.server
        with self._keeping:
            if self._keeper is None and not self._closed:
                work = Work(
                    lambda paths: self.update(*paths),
                    lambda stop: self.sync(cancel=stop),
                    lambda: self._sync.retry_in,
                    self.files,
                )
                watch, seconds = server.watch != "off", server.resync_seconds
                self._keeper = Keeper(self.root, self._options[0], work, watch=watch, check_seconds=seconds)
                self._keeper.start()
                if self._is_to_be_built_again():
                    self._keeper.request()

    @_guarded
    def flush(self) -> None:
        """As `Index.flush`."""
        self._store.flush()

    @_guarded
    def warm(self) -> None:
        """As `Index.warm`."""
        try:
            self._embedder.embed_query("warm")
        except EmbedError as error:
            # The first search that needs the model meets the same trouble, and says so.
            _log.info("the model is not warm: %s", error)
        self._store.warm()

    @_guarded
    def estimate(self, cancel: threading.Event | None = None) -> Estimate:
        """As `Index.estimate`."""
        found = estimate(self.root, self._store, self._embedder.fingerprint(), self._options, cancel)
        embed = self.settings.embed
        paid = embed.provider == "openai" and embed.price > 0
        return replace(found, cost=found.tokens * embed.price / 1_000_000) if paid else found

    # Asking

    @_guarded
    def answer(self, query: str | Query, *, cancel: threading.Event | None = None, **changes: object) -> Answer:
        """As `Index.answer`."""
        asked = make_query(query, changes)
        answer = self._searcher.answer(asked, self._embedder, cancel)
        complete = self.complete
        if not answer.hits and answer.message and not complete:
            return replace(answer, complete=False, message="The index is not complete yet.")
        return replace(answer, complete=complete)

    @_guarded
    def similar_answer(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> Answer:
        """As `Index.similar_answer`."""
        check_query(Query("", limit=limit))
        answer = self._searcher.similar(relative(self.root, os.fspath(path)), line, limit)
        return replace(answer, complete=self.complete)

    @_guarded
    def outline(self, limit: int = 100) -> list[Hit]:
        """As `Index.outline`."""
        return self._searcher.outline(limit)

    @property
    @_guarded
    def complete(self) -> bool:
        """As `Index.complete`."""
        return bool(self._store.catalog.get("complete")) and self._shared.progress is None

    # State

    @_guarded
    def status(self) -> Status:
        """As `Index.status`."""
        catalog = self._store.catalog
        counts = catalog.counts()
        left_out = catalog.left_out()
        failed = sum(isinstance(item, Problem) for item in left_out)
        state, message = self._state(failed)
        progress = self._shared.progress
        return Status(
            root=str(self.root),
            state=state,
            files=len(self._store.lookup.files()),
            chunks=counts["chunks"],
            pending=progress.total - progress.done if progress else 0,
            failed=failed,
            skipped=dict(Counter(item.reason for item in left_out if isinstance(item, Skipped)).most_common()),
            languages=catalog.languages(),
            kinds=catalog.kinds(),
            model=self._embedder.name,
            dimensions=self._embedder.dimensions,
            store=self.settings.store.kind,
            path=str(self._store.folder),
            bytes=places.size_of(self._store.folder),
            last_sync=str(catalog.get("last_sync")) if catalog.get("last_sync") else None,
            message=message,
        )

    def _state(self, failed: int) -> tuple[str, str | None]:
        if self._shared.progress is not None:
            return "indexing", self._embedder.note
        if self._last_error:
            return "error", self._last_error
        degraded = trouble(self._store.catalog) or self._store.trouble
        if degraded:
            return "degraded", degraded
        if self._is_to_be_built_again():
            return "degraded", "The index was damaged on disk and is set aside; the next sync builds it again."
        if not self._store.catalog.get("complete"):
            return "degraded", "The root was never indexed as a whole: run `connote index`."
        keeping = self._keeper.note if self._keeper is not None else None
        notes = [self._remark, keeping, _failures(failed), refusals(self._store.catalog)]
        return "ready", " ".join(note for note in notes if note) or None

    def _is_to_be_built_again(self) -> bool:
        return bool(self._store.catalog.get("set_aside")) and not self._store.catalog.get("complete")

    @_guarded
    def files(self) -> list[str]:
        """As `Index.files`."""
        return sorted(self._store.lookup.files())

    @_guarded
    def skipped(self) -> list[Skipped]:
        """As `Index.skipped`."""
        return [item for item in self._store.catalog.left_out() if isinstance(item, Skipped)]

    @_guarded
    def problems(self) -> list[Problem]:
        """As `Index.problems`."""
        return [item for item in self._store.catalog.left_out() if isinstance(item, Problem)]

    def follow(self, on_news: Callable[[News], None]) -> None:
        """As `Index.follow`; `on_news` is called from whichever thread makes the news."""
        self._deafen.append(self.listen(on_news))

    def listen(self, on_news: Callable[[News], None]) -> Callable[[], None]:
        """Hear what any index over the same store does, until the function that is returned is called."""
        return self._shared.listen(on_news)

    # Ending

    def close(self) -> None:
        """As `Index.close`."""
        if not self._closed:
            self._closed = True
            with self._keeping:
                if self._keeper is not None:
                    self._keeper.stop()
            for deafen in self._deafen:
                deafen()
            self._embedder.close()
            self._shared.release()

    # Private

    def _told(self, report: Report) -> Report:
        if report.added or report.changed or report.removed or report.problems:
            self._shared.tell(News("changed"))
        return report

    @contextmanager
    def _turn(self, on_progress: Callable[[Progress], None] | None, cancel: threading.Event | None) -> Iterator[bool]:
        """Wait for the sync that runs; yields False when `cancel` was set first."""
        told = None
        while not self._shared.turn.acquire(timeout=_LOOK_SECONDS):
            if cancel is not None and cancel.is_set():
                yield False
                return
            progress = self._shared.progress
            if on_progress and progress is not None and progress is not told:
                told = progress
                on_progress(progress)
        try:
            yield True
        finally:
            self._shared.turn.release()

    @contextmanager
    def _running(self, on_progress: Callable[[Progress], None] | None) -> Iterator[Callable[[Progress], None]]:
        told = 0.0

        def note(progress: Progress) -> None:
            nonlocal told
            self._shared.progress = progress
            if time.monotonic() - told >= _NEWS_SECONDS:
                told = time.monotonic()
                self._shared.tell(News("progress", progress))
            if on_progress:
                on_progress(progress)

        self._shared.progress = Progress(0, 0)
        try:
            yield note
            self._last_error = None
        except Exception as error:
            self._last_error = f"The last sync failed: {error}"
            raise
        finally:
            self._shared.progress = None
            self._shared.tell(News("changed"))

    @contextmanager
    def _flushing(self, cancel: threading.Event | None) -> Iterator[None]:
        """Bring Chroma up to date beside a sync: its own thread, so that the two share the machine's cores."""
        done = threading.Event()

        def work() -> None:
            while not done.wait(_FLUSH_SECONDS):
                try:
                    if self._store.catalog.outbox_size() > 0:
                        self._store.flush(cancel)
                except (StoreError, sqlite3.Error) as error:
                    # The sync meets the same trouble when it writes, and raises it to the caller.
                    _log.warning("vectors could not be stored, they stay in the catalog: %s", error)
                    return

        thread = threading.Thread(target=work, name="connote-flush", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _failures(count: int) -> str | None:
    if not count:
        return None
    what = "1 file could not be indexed; it is" if count == 1 else f"{count} files could not be indexed; they are"
    return f"{what} tried again whenever all is checked."
