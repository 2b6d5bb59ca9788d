"""The engine: the only door to an index. Faces convert and render; everything else happens behind this module."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime, timezone
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

from connote.config import Settings, load
from connote.embed import open_embedder
from connote.engine import places
from connote.engine.check import Check, check
from connote.engine.places import find_root
from connote.engine.search import Cancelled, Searcher, check_query, relative
from connote.errors import StoreError
from connote.model import Answer, Hit, Problem, Progress, Query, Report, Skipped, Status
from connote.store import Store
from connote.sync import Sync, trouble
from connote.sync.keeping import Keeper, Work

__all__ = ["Cancelled", "Check", "Index", "check", "clear", "find_root", "indexed_roots", "open_index"]

_FLUSH_SECONDS = 0.5
P = ParamSpec("P")
R = TypeVar("R")
_log = logging.getLogger(__name__)


def open_index(root: str | os.PathLike[str], settings: Settings | None = None) -> Index:
    """Open the index of exactly this folder; it is made when there is none. Nothing is indexed yet.

    Without `settings` the user's files and the environment decide. Raises ConfigError and StoreError.
    """
    return Index(places.resolve_root(root), settings)


def clear(root: str | os.PathLike[str], settings: Settings | None = None) -> bool:
    """Remove all indexes of a root, which may be gone itself. Returns whether there were any."""
    return places.clear(root, settings or load(None)[0])


def indexed_roots(settings: Settings | None = None) -> list[tuple[Path, Path, int]]:
    """Every root that has an index: (root, the folder of its indexes, bytes on disk)."""
    return places.indexed_roots(settings or load(None)[0])


def _guarded(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method say in words that its index cannot be read: SQLite's own errors are for nobody above the store."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except sqlite3.Error as error:
            raise StoreError(
                f"The index cannot be read: {error}. `connote clear` removes it; the next search builds it again."
            ) from error

    return guarded


class Index:
    """All that is stored for one root. Any number of threads may use it, and of processes one each.

    A search never waits for a sync: it answers from what is indexed. When `update`, `remove` or `rename` returns,
    the next search of every process shows it.
    """

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        self.root = root
        self.settings, self.setting_problems = (settings, []) if settings else load(root)
        self._embedder = open_embedder(self.settings.embed)
        folder = places.index_folder(root, self.settings, self._embedder)
        try:
            places.note_root(root, self.settings)
        except OSError as error:
            raise StoreError(f"The index folder {folder} cannot be written: {error}") from error
        self._store = Store(folder)
        self._walking = walking = places.without_index(self.settings.walk, root, self.settings)
        self._sync = Sync(root, self._store, lambda: self._embedder, (walking, self.settings.chunk))
        self._searcher = Searcher(root, self._store, self.settings)
        self._progress: dict[int, Progress] = {}
        self._last_error: str | None = None
        self._keeping = threading.Lock()
        self._keeper: Keeper | None = None
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
        """Bring the whole index up to date: what is unchanged by size and time is not read, what is unchanged by
        content is not cut, a text that is known is not embedded.

        `cancel` stops it between files and keeps what is done. `rebuild` reads, cuts and embeds everything again.
        `on_progress` is called from this thread. Raises StoreError, and ListingError when the root cannot be listed.
        """
        if rebuild:
            self._store.forget_vectors()
        with self._running(on_progress) as report_progress, self._flushing(cancel):
            report = self._sync.run(force=rebuild, on_progress=report_progress, cancel=cancel)
        if not report.cancelled:
            now = datetime.now(timezone.utc).isoformat(timespec="seconds")
            self._store.catalog.set(complete=1, last_sync=now)
            self._store.catalog.prune()
            places.drop_unused(self.root, self.settings, self._store.folder)
        self._store.flush(cancel)
        return report

    @_guarded
    def update(self, *paths: str | os.PathLike[str], cancel: threading.Event | None = None) -> Report:
        """Bring files, or all files below folders, up to date; a path that is gone is removed.

        Paths are absolute or relative to the root. Raises ValueError for one outside it.
        """
        only = [relative(self.root, os.fspath(path)) for path in paths]
        if not only:
            return Report()
        return self._sync.run(None if "" in only else only, cancel=cancel)

    @_guarded
    def remove(self, *paths: str | os.PathLike[str]) -> Report:
        """Forget files, or all files below folders, whether or not they are still there."""
        return self._sync.remove([relative(self.root, os.fspath(path)) for path in paths])

    @_guarded
    def rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Report:
        """Follow the rename of a file or folder that has already happened on disk. No text is embedded for it.

        The new path is written before the old one goes, so a search meanwhile finds the code at one of them.
        """
        gone = relative(self.root, os.fspath(old))
        report = self.update(new)
        # A change of case alone is one file on some disks: then the old name is what is there now.
        removed = self._sync.run([gone]) if (self.root / gone).exists() else self._sync.remove([gone])
        return replace(report, removed=report.removed + removed.removed)

    def keep_fresh(self, *, watch: bool = True) -> None:
        """From now on follow what happens on disk, until `close`: by file events, unless `watch` is False or
        `server.watch` off, by a check each `server.resync_seconds`, and by another try of what failed."""
        with self._keeping:
            if self._keeper is None and not self._closed:
                work = Work(
                    lambda paths: self.update(*paths),
                    lambda stop: self.sync(cancel=stop),
                    lambda: self._sync.retry_in,
                    self.files,
                )
                server = self.settings.server
                self._keeper = Keeper(
                    self.root,
                    self._walking,
                    work,
                    watch=watch and server.watch != "off",
                    check_seconds=server.resync_seconds,
                )
                self._keeper.start()

    def flush(self) -> None:
        """Bring Chroma up to date now, if this process owns it."""
        self._store.flush()

    def warm(self) -> None:
        """Load the model and, as owner, open Chroma, so that the first search does not wait for them."""
        self._embedder.embed_query("warm")
        self._store.warm()

    # Asking

    def search(self, query: str | Query, **changes: object) -> list[Hit]:
        """The hits of `answer`."""
        return list(self.answer(query, **changes).hits)  # type: ignore[arg-type]  # `cancel` may be among them

    @_guarded
    def answer(self, query: str | Query, *, cancel: threading.Event | None = None, **changes: object) -> Answer:
        """Ranked hits, best first, with the state of the index they came from.

        `changes` are fields of Query, lists allowed for tuples. A blank query has no hits. Raises ValueError for what
        no query can be, Cancelled when `cancel` was set, StoreError.
        """
        asked = _query(query, changes)
        check_query(asked)
        answer = self._searcher.answer(asked, self._embedder, cancel)
        complete = self.complete
        if not answer.hits and answer.message and not complete:
            return replace(answer, complete=False, message="The index is not complete yet.")
        return replace(answer, complete=complete)

    def similar(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> list[Hit]:
        """The hits of `similar_answer`."""
        return list(self.similar_answer(path, line, limit).hits)

    @_guarded
    def similar_answer(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> Answer:
        """Chunks alike to the one at a line (from 1) of a file, never that place itself."""
        check_query(Query("", limit=limit))
        answer = self._searcher.similar(relative(self.root, os.fspath(path)), line, limit)
        return replace(answer, complete=self.complete)

    @_guarded
    def outline(self, limit: int = 100) -> list[Hit]:
        """Some symbols of the index: cheap, for a client that asks for symbols before anything is typed."""
        return self._searcher.outline(limit)

    @property
    def complete(self) -> bool:
        """Whether all of the root was indexed once and no sync of the whole root is under way in this process."""
        return bool(self._store.catalog.get("complete")) and not self._progress

    # State

    @_guarded
    def status(self) -> Status:
        """The state of the index, at any moment."""
        catalog = self._store.catalog
        counts = catalog.counts()
        left_out = catalog.left_out()
        failed = sum(isinstance(item, Problem) for item in left_out)
        state, message = self._state(failed)
        return Status(
            root=str(self.root),
            state=state,
            files=len(self._store.lookup.records()),
            chunks=counts["chunks"],
            pending=sum(progress.total - progress.done for progress in list(self._progress.values())),
            failed=failed,
            skipped=dict(Counter(item.reason for item in left_out if isinstance(item, Skipped)).most_common()),
            languages=catalog.tables("language"),
            kinds=catalog.tables("kind"),
            model=self._embedder.name,
            dimensions=self._embedder.dimensions,
            store=self.settings.store.kind,
            path=str(self._store.folder),
            bytes=places.size_of(self._store.folder),
            last_sync=str(catalog.get("last_sync")) if catalog.get("last_sync") else None,
            message=message,
        )

    def _state(self, failed: int) -> tuple[str, str | None]:
        if self._progress:
            return "indexing", None
        if self._last_error:
            return "error", self._last_error
        degraded = trouble(self._store.catalog)
        if degraded:
            return "degraded", degraded
        if not self._store.catalog.get("complete"):
            return "degraded", "The root was never indexed as a whole: run `connote index`."
        notes = [self._keeper.note if self._keeper is not None else None, _failures(failed)]
        return "ready", " ".join(note for note in notes if note) or None

    @_guarded
    def files(self) -> list[str]:
        """The paths of all indexed files, sorted."""
        return sorted(self._store.lookup.records())

    @_guarded
    def skipped(self) -> list[Skipped]:
        """The files left out on purpose, sorted by path."""
        return [item for item in self._store.catalog.left_out() if isinstance(item, Skipped)]

    @_guarded
    def problems(self) -> list[Problem]:
        """The files that could not be indexed, sorted by path."""
        return [item for item in self._store.catalog.left_out() if isinstance(item, Problem)]

    # Ending

    def close(self) -> None:
        """Let go of the index's files. A second call does nothing."""
        if not self._closed:
            self._closed = True
            with self._keeping:
                if self._keeper is not None:
                    self._keeper.stop()
            self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Private

    @contextmanager
    def _running(self, on_progress: Callable[[Progress], None] | None) -> Iterator[Callable[[Progress], None]]:
        me = threading.get_ident()

        def note(progress: Progress) -> None:
            self._progress[me] = progress
            if on_progress:
                on_progress(progress)

        self._progress[me] = Progress(0, 0)
        try:
            yield note
            self._last_error = None
        except Exception as error:
            self._last_error = f"The last sync failed: {error}"
            raise
        finally:
            del self._progress[me]

    @contextmanager
    def _flushing(self, cancel: threading.Event | None) -> Iterator[None]:
        """Bring Chroma up to date beside a sync: its own thread, so that the two share the machine's cores."""
        done = threading.Event()

        def work() -> None:
            while not done.wait(_FLUSH_SECONDS):
                try:
                    if self._store.catalog.outbox_size() > 0:
                        self._store.flush(cancel)
                except StoreError:
                    # The flush at the end of the sync meets the same trouble and raises it to the caller.
                    _log.exception("vectors could not be stored; they stay in the catalog")
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


def _query(query: str | Query, changes: dict[str, object]) -> Query:
    asked = query if isinstance(query, Query) else Query(query)
    known = {one.name for one in fields(Query)}
    unknown = set(changes) - known
    if unknown:
        raise TypeError(f"a query has no {min(unknown)!r}; it has {', '.join(sorted(known))}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    return replace(asked, **values)  # type: ignore[arg-type]  # checked by name above, by value in check_query
