"""Bringing an index in line with its root: plan what changed, then apply it in batches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from connote.chunk import ChunkOptions
from connote.embed import Embedder
from connote.languages import detect_language
from connote.model import Document, Problem, Progress, Report, Skipped
from connote.store import Entry, FileRecord, Store
from connote.sync.filling import Filling
from connote.sync.generations import generations_of
from connote.sync.planning import Plan, covers, plan
from connote.sync.preparing import Prepared, Preparer, batches
from connote.sync.vectors import Vectors, refusals, trouble
from connote.walk import ListingError, WalkOptions

__all__ = ["Plan", "Sync", "refusals", "trouble"]

_FILES_PER_BATCH = 50
_RACY_NS = 2_000_000_000

OnProgress = Callable[[Progress], None]


class Sync:
    """Applies changes of one root to its store. Passes may run at once in several threads.

    Each pass takes a ticket before it looks at a file; what it saw is written only if no later pass wrote that path,
    so a slow pass never undoes a newer one. What a search finds never goes before what follows it is there: a changed
    file's new vectors come first, then its chunks take the place of the old ones at once.
    """

    def __init__(
        self, root: Path, store: Store, embedder: Callable[[], Embedder], options: tuple[WalkOptions, ChunkOptions]
    ) -> None:
        self._root = root
        self._catalog = store.catalog
        self._walking, chunking = options
        self._generations = generations_of(store.folder)
        self._preparer = Preparer(root, self._walking, chunking, self._generations)
        self._vectors = Vectors(store.catalog, store.cache, embedder)
        self._writing = threading.Lock()

    @property
    def retry_in(self) -> float | None:
        """Seconds until what could not be embedded should be tried again; None when all could."""
        return self._vectors.due_in

    def plan(
        self, only: Sequence[str] | None = None, *, force: bool = False, cancel: threading.Event | None = None
    ) -> Plan:
        """Compare the root, or just the paths `only` and all below them, with the catalog; no file is opened.

        Raises ListingError when the root cannot be listed as a whole.
        """
        return self._plan(self._generations.now(), only, force=force, cancel=cancel)

    def run(
        self,
        only: Sequence[str] | None = None,
        *,
        force: bool = False,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> Report:
        """Plan and apply. What was written before a cancel stays. Raises ListingError and StoreError."""
        ticket = self._generations.now()
        if only is None:
            self._vectors.insist()
        try:
            todo = self._plan(ticket, only, force=force, cancel=cancel)
        except ListingError:
            if cancel and cancel.is_set():
                return Report(cancelled=True)
            raise
        report = Report(unchanged=todo.unchanged)
        self._leave_out(todo.left_out, ticket)
        done = 0
        with (
            self._preparer.workers(todo) as pool,
            Filling(self._vectors, pool, cancel, afresh=force) as filling,
            closing(self._preparer.prepare(todo, pool, force=force, cancel=cancel)) as prepared,
        ):
            for batch in batches(prepared, _FILES_PER_BATCH):
                try:
                    report = self._write(batch, todo.known, report, filling, at_once=only is not None, cancel=cancel)
                finally:
                    self._generations.end_reading(one.path for one in batch)
                filling.soon()
                done += len(batch)
                if on_progress:
                    on_progress(Progress(done, len(todo.read), batch[-1].path))
            given = filling.end()
        report = replace(report, embedded=report.embedded + given.embedded, reused=report.reused + given.known)
        cancelled = bool(cancel and cancel.is_set())
        problems = (*report.problems, *(item for item in todo.left_out if isinstance(item, Problem)))
        return replace(
            report,
            removed=0 if cancelled else self._remove(todo.removed, ticket),
            problems=problems,
            cancelled=cancelled,
        )

    def remove(self, paths: Sequence[str]) -> Report:
        """Forget files, and all files below a folder; an empty path is the root."""
        ticket = self._generations.now()
        scopes = None if "" in paths else paths
        known = [*self._catalog.files(scopes), *(item.path for item in self._catalog.left_out(scopes))]
        self._generations.outdate(lambda path: covers(scopes, path), ticket)
        return Report(removed=self._remove(known, ticket))

    def _plan(self, ticket: int, only: Sequence[str] | None, *, force: bool, cancel: threading.Event | None) -> Plan:
        return plan(
            self._root, self._walking, self._catalog, self._generations, ticket, only, force=force, cancel=cancel
        )

    # Writing

    def _write(
        self,
        batch: Sequence[Prepared],
        known: Mapping[str, FileRecord],
        report: Report,
        filling: Filling,
        *,
        at_once: bool,
        cancel: threading.Event | None,
    ) -> Report:
        """Write files. The vectors of those that are indexed already, or of all `at_once`, come before their chunks."""
        entries = {
            one.path: Entry(
                replace(one.item, mtime_ns=_trusted(one.item)),
                detect_language(one.path, one.item.text),
                one.cut.chunks,
                one.cut.texts,
                one.cut.terms,
            )
            for one in batch
            if isinstance(one.item, Document) and one.cut is not None
        }
        ahead = [entry for path, entry in entries.items() if at_once or path in known]
        embedded, _, _, problem = filling.ahead(ahead)
        if cancel and cancel.is_set():
            return replace(report, embedded=report.embedded + embedded)
        failed = self._unready([entry for entry in ahead if entry.document.path in known], problem) if problem else {}

        with self._writing:
            newest = [one for one in batch if self._generations.claim(one.path, one.ticket)]
            written = [entries[one.path] for one in newest if one.path in entries and one.path not in failed]
            same = [
                (one.path, one.item.size, _trusted(one.item))
                for one in newest
                if isinstance(one.item, Document) and one.cut is None
            ]
            left_out = [one.item for one in newest if not isinstance(one.item, Document)]
            left_out += [failed[one.path] for one in newest if one.path in failed]
            _, reused = self._catalog.replace(written)
            if same:
                self._catalog.touch(same)
            if left_out:
                self._catalog.leave_out(left_out)
            self._generations.wrote(one.path for one in newest)
        changed = sum(entry.document.path in known for entry in written)
        return replace(
            report,
            added=report.added + len(written) - changed,
            changed=report.changed + changed,
            unchanged=report.unchanged + len(same),
            embedded=report.embedded + embedded,
            reused=report.reused + max(0, reused - embedded),
            problems=(*report.problems, *(item for item in left_out if isinstance(item, Problem))),
        )

    def _unready(self, entries: Sequence[Entry], problem: str) -> dict[str, Problem]:
        """The files whose former text is found by its vectors, while those of the new one are not to be had."""
        found = {}
        for entry in entries:
            path = entry.document.path
            if self._catalog.lacks_vectors(entry) and self._catalog.has_vectors(path):
                reason = f"Its new text could not be embedded; the former one is found until it can be: {problem}"
                found[path] = Problem(path, reason)
        return found

    def _leave_out(self, items: Sequence[Skipped | Problem], ticket: int) -> None:
        with self._writing:
            newest = [item for item in items if self._generations.claim(item.path, ticket)]
            if newest:
                self._catalog.leave_out(newest)
                self._generations.wrote(item.path for item in newest)

    def _remove(self, paths: Iterable[str], ticket: int) -> int:
        with self._writing:
            newest = [path for path in paths if self._generations.claim(path, ticket)]
            removed = self._catalog.remove(newest) if newest else 0
            self._generations.wrote(newest)
            return removed


def _trusted(document: Document) -> int:
    # A file written in the same moment as it was read may change again without a new time: read it again next time.
    return document.mtime_ns if time.time_ns() - document.mtime_ns > _RACY_NS else -1
