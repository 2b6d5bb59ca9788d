"""Bringing an index in line with its root: plan what changed, then apply it in batches."""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from connote.chunk import ChunkOptions, chunk, contextualize
from connote.chunk.pool import ChunkPool
from connote.embed import Embedder
from connote.errors import ChunkingError, EmbedError
from connote.languages import detect_language
from connote.model import Chunk, Document, Problem, Progress, Report, Skipped, SourceFile
from connote.store import Entry, FileRecord, Store
from connote.walk import ListingError, WalkOptions, read, walk

_FILES_PER_BATCH = 50
_TEXTS_PER_BATCH = 512
_POOL_FROM = 48
"""Files. Below it starting workers takes longer than they save."""
_MOST_WORKERS = 8
_RACY_NS = 2_000_000_000
_log = logging.getLogger(__name__)

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Plan:
    """What a sync has to do."""

    read: Sequence[SourceFile]
    """Files whose size or time is not the one that was indexed."""
    known: Mapping[str, FileRecord]
    """The files that were indexed before."""
    removed: Sequence[str]
    """Indexed or left-out paths that are gone."""
    left_out: Sequence[Skipped | Problem]
    unchanged: int


class Sync:
    """Applies changes of one root to its store. Passes may run at once in several threads.

    Each pass takes a ticket before it looks at a file; what it saw is written only if no later pass wrote that path,
    so a slow pass never undoes a newer one.
    """

    def __init__(
        self, root: Path, store: Store, embedder: Callable[[], Embedder], options: tuple[WalkOptions, ChunkOptions]
    ) -> None:
        self._root = root
        self._store = store
        self._catalog = store.catalog
        self._embedder = embedder
        self._walk, self._chunk = options
        self._tickets = itertools.count(1)
        self._written: dict[str, int] = {}
        self._writing = threading.Lock()
        self._embedding = threading.Lock()

    def plan(
        self, only: Sequence[str] | None = None, *, force: bool = False, cancel: threading.Event | None = None
    ) -> Plan:
        """Compare the root, or just the paths `only` and all below them, with the catalog; no file is opened.

        Raises ListingError when the root cannot be listed as a whole.
        """
        known = self._catalog.files(only)
        before = self._catalog.left_out(only)
        skipped = {item.path: item for item in before if isinstance(item, Skipped)}
        seen: set[str] = set()
        to_read: list[SourceFile] = []
        left_out: list[Skipped | Problem] = []
        for item in walk(self._root, self._walk, only, cancel=cancel):
            seen.add(item.path)
            if not isinstance(item, SourceFile):
                left_out.append(item)
            elif force or not _same(item, known.get(item.path) or skipped.get(item.path)):
                to_read.append(item)
        # Below a folder that cannot be read nothing is known, so nothing there is taken for gone.
        unread = tuple(item.path for item in left_out if isinstance(item, Problem) and item.path.endswith("/"))
        gone = {path for path in {*known, *(item.path for item in before)} - seen if not path.startswith(unread)}
        reasons = {(item.path, item.reason) for item in before}
        fresh = [item for item in left_out if (item.path, item.reason) not in reasons]
        return Plan(to_read, known, sorted(gone), fresh, len(seen) - len(to_read) - len(left_out))

    def run(
        self,
        only: Sequence[str] | None = None,
        *,
        force: bool = False,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> Report:
        """Plan and apply. What was written before a cancel stays. Raises ListingError and StoreError."""
        ticket = next(self._tickets)
        try:
            plan = self.plan(only, force=force, cancel=cancel)
        except ListingError:
            if cancel and cancel.is_set():
                return Report(cancelled=True)
            raise
        report = Report(unchanged=plan.unchanged)
        self._leave_out(plan.left_out, ticket)
        done = 0
        for batch in _batches(self._prepared(plan, force, cancel), _FILES_PER_BATCH):
            report = self._write(batch, plan.known, report)
            report = replace(report, embedded=report.embedded + self.embed(cancel))
            done += len(batch)
            if on_progress:
                on_progress(Progress(done, len(plan.read), batch[-1][1].path))
        cancelled = bool(cancel and cancel.is_set())
        problems = (*report.problems, *(item for item in plan.left_out if isinstance(item, Problem)))
        return replace(
            report,
            removed=0 if cancelled else self._remove(plan.removed, ticket),
            embedded=report.embedded + self.embed(cancel),
            problems=problems,
            cancelled=cancelled,
        )

    def remove(self, paths: Sequence[str]) -> Report:
        """Forget files, and all files below a folder; an empty path is the root."""
        ticket = next(self._tickets)
        scopes = None if "" in paths else paths
        known = [*self._catalog.files(scopes), *(item.path for item in self._catalog.left_out(scopes))]
        return Report(removed=self._remove(known, ticket))

    def embed(self, cancel: threading.Event | None = None) -> int:
        """Embed the texts that wait for a vector. Returns how many; why the model refused is noted in the catalog."""
        count = 0
        with self._embedding:
            while not (cancel and cancel.is_set()):
                waiting = self._catalog.waiting(_TEXTS_PER_BATCH)
                if not waiting:
                    break
                try:
                    vectors = self._embedder().embed([text for _, text in waiting])
                except EmbedError as error:
                    _log.warning("%s", error)
                    self._catalog.set(embed_error=str(error))
                    return count
                self._catalog.add_vectors([digest for digest, _ in waiting], vectors)
                count += len(waiting)
            if count and self._catalog.get("embed_error"):
                self._catalog.set(embed_error=None)
        return count

    # Reading and cutting

    def _prepared(
        self, plan: Plan, force: bool, cancel: threading.Event | None
    ) -> Iterator[tuple[int, Document | Skipped | Problem, list[Chunk] | None]]:
        """Each file read, with its chunks where its content is new: (ticket, what was read, chunks)."""
        results: dict[str, tuple[int, Document | Skipped | Problem]] = {}
        order: list[str] = []

        def texts() -> Iterator[tuple[str, str]]:
            for file in plan.read:
                if cancel and cancel.is_set():
                    return
                ticket = next(self._tickets)
                item = read(self._root, file, self._walk)
                order.append(file.path)
                results[file.path] = (ticket, item)
                record = plan.known.get(file.path)
                if isinstance(item, Document) and (force or record is None or record.digest != item.digest):
                    yield item.path, item.text

        place = 0
        for path, chunks in self._cut(texts(), len(plan.read)):
            while order[place] != path:
                yield (*results.pop(order[place]), None)
                place += 1
            place += 1
            ticket, item = results.pop(path)
            if isinstance(chunks, ChunkingError):
                yield ticket, Problem(path, str(chunks)), None
            else:
                yield ticket, item, chunks
        for path in order[place:]:
            yield (*results.pop(path), None)

    def _cut(self, texts: Iterator[tuple[str, str]], count: int) -> Iterator[tuple[str, list[Chunk] | ChunkingError]]:
        if count >= _POOL_FROM:
            with ChunkPool(min(os.cpu_count() or 1, _MOST_WORKERS), self._chunk) as pool:
                yield from pool.map(texts)
            return
        for path, text in texts:
            try:
                result: list[Chunk] | ChunkingError = chunk(path, text, self._chunk)
            except ChunkingError as error:
                result = error
            except Exception as error:  # noqa: BLE001 - a bug on one file must not keep the others from the index
                _log.exception("the chunker failed on %s", path)
                result = ChunkingError(f"connote has a bug that this file shows: {error!r}; please report it")
            yield path, result

    # Writing

    def _write(
        self,
        batch: Sequence[tuple[int, Document | Skipped | Problem, list[Chunk] | None]],
        known: Mapping[str, FileRecord],
        report: Report,
    ) -> Report:
        with self._writing:
            batch = [one for one in batch if self._is_newest(one[1].path, one[0])]
            entries, same, left_out = [], [], []
            for _, item, chunks in batch:
                if not isinstance(item, Document):
                    left_out.append(item)
                elif chunks is None:
                    same.append((item.path, item.size, _trusted(item)))
                else:
                    document = replace(item, mtime_ns=_trusted(item))
                    language = detect_language(item.path, item.text)
                    entries.append(Entry(document, language, chunks, [contextualize(one) for one in chunks]))
            _, reused = self._catalog.replace(entries)
            if same:
                self._catalog.touch(same)
            if left_out:
                self._catalog.leave_out(left_out)
        changed = sum(entry.document.path in known for entry in entries)
        return replace(
            report,
            added=report.added + len(entries) - changed,
            changed=report.changed + changed,
            unchanged=report.unchanged + len(same),
            reused=report.reused + reused,
            problems=(*report.problems, *(item for item in left_out if isinstance(item, Problem))),
        )

    def _leave_out(self, items: Sequence[Skipped | Problem], ticket: int) -> None:
        with self._writing:
            newest = [item for item in items if self._is_newest(item.path, ticket)]
            if newest:
                self._catalog.leave_out(newest)

    def _remove(self, paths: Iterable[str], ticket: int) -> int:
        with self._writing:
            newest = [path for path in paths if self._is_newest(path, ticket)]
            return self._catalog.remove(newest) if newest else 0

    def _is_newest(self, path: str, ticket: int) -> bool:
        if self._written.get(path, 0) > ticket:
            return False
        self._written[path] = ticket
        return True


def _same(file: SourceFile, record: FileRecord | Skipped | None) -> bool:
    return record is not None and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)


def _trusted(document: Document) -> int:
    # A file written in the same moment as it was read may change again without a new time: read it again next time.
    return document.mtime_ns if time.time_ns() - document.mtime_ns > _RACY_NS else -1


def _batches(items: Iterable[tuple[int, Document | Skipped | Problem, list[Chunk] | None]], size: int):  # type: ignore[no-untyped-def]
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, size)):
        yield batch
