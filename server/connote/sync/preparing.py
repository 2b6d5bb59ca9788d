"""Reading and cutting what a plan names, a step ahead of what is written."""

from __future__ import annotations

import itertools
import logging
import os
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from connote.chunk import ChunkOptions
from connote.errors import ChunkingError
from connote.model import Document, Problem, Skipped
from connote.sync.cutting import Cut, CuttingPool, cut
from connote.sync.generations import Generations
from connote.sync.planning import Plan
from connote.walk import WalkOptions, read

_POOL_FROM = 48
"""Files. Below it starting workers takes longer than they save."""
_MOST_WORKERS = 8
_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as it was read, before it is written."""

    ticket: int
    item: Document | Skipped | Problem
    cut: Cut | None = None
    """None where the content is the one that was indexed."""

    @property
    def path(self) -> str:
        """Relative to the root."""
        return self.item.path


class Preparer:
    """Reads and cuts the files of one root."""

    def __init__(self, root: Path, walking: WalkOptions, chunking: ChunkOptions, generations: Generations) -> None:
        self._root = root
        self._walking = walking
        self._chunking = chunking
        self._generations = generations

    @contextmanager
    def workers(self, plan: Plan) -> Iterator[CuttingPool | None]:
        """Processes for a plan that is worth it."""
        if len(plan.read) < _POOL_FROM:
            yield None
            return
        with CuttingPool(min(os.cpu_count() or 1, _MOST_WORKERS), self._chunking) as pool:
            yield pool

    def prepare(
        self, plan: Plan, pool: CuttingPool | None, *, force: bool, cancel: threading.Event | None
    ) -> Generator[Prepared, None, None]:
        """Each file of the plan, read, with its chunks where its content is new, in the order of the plan.

        `pool` is that of `workers`. `cancel` ends it at the next file, whatever is under way. The reading of each file
        that was begun is ended for the generations when the iterator is closed; `end_reading` is the caller's for those
        that it was given.
        """
        results: dict[str, Prepared] = {}
        order: list[str] = []

        def texts() -> Iterator[tuple[str, str]]:
            for file in plan.read:
                if _is_set(cancel):
                    return
                ticket = self._generations.begin_reading(file.path)
                order.append(file.path)
                results[file.path] = Prepared(ticket, Problem(file.path, "It was not read."))
                item = read(self._root, file, self._walking)
                results[file.path] = Prepared(ticket, item)
                record = plan.known.get(file.path)
                if isinstance(item, Document) and (force or record is None or record.digest != item.digest):
                    yield item.path, item.text

        place = 0
        try:
            for path, result in self._cut(texts(), pool):
                if _is_set(cancel):
                    return
                while order[place] != path:
                    yield results.pop(order[place])
                    place += 1
                place += 1
                one = results.pop(path)
                if isinstance(result, ChunkingError):
                    yield Prepared(one.ticket, Problem(path, str(result)))
                else:
                    yield Prepared(one.ticket, one.item, result)
            for path in order[place:]:
                yield results.pop(path)
        finally:
            self._generations.end_reading(list(results))

    def _cut(
        self, texts: Iterator[tuple[str, str]], pool: CuttingPool | None
    ) -> Iterator[tuple[str, Cut | ChunkingError]]:
        if pool is not None:
            yield from pool.cuts(texts)
            return
        for path, text in texts:
            try:
                result: Cut | ChunkingError = cut(path, text, self._chunking)
            except ChunkingError as error:
                result = error
            except Exception as error:  # noqa: BLE001 - a bug on one file must not keep the others from the index
                _log.exception("the chunker failed on %s", path)
                result = ChunkingError(f"connote has a bug that this file shows: {error!r}; please report it")
            yield path, result


def batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last one shorter."""
    while batch := list(itertools.islice(items, size)):
        yield batch


def _is_set(cancel: threading.Event | None) -> bool:
    return cancel is not None and cancel.is_set()
