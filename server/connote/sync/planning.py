"""What a sync has to do: the root as it is, compared with the catalog."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from connote.model import Problem, Skipped, SourceFile
from connote.store import FileRecord
from connote.store.catalog import Catalog
from connote.sync.generations import Generations
from connote.walk import WalkOptions, walk


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


def plan(  # noqa: PLR0913 - what to compare with what, and how
    root: Path,
    options: WalkOptions,
    catalog: Catalog,
    generations: Generations,
    ticket: int,
    only: Sequence[str] | None = None,
    *,
    force: bool = False,
    cancel: threading.Event | None = None,
) -> Plan:
    """Compare the root, or just the paths `only` and all below them, with the catalog; no file is opened.

    `ticket` was taken before. Raises ListingError when the root cannot be listed as a whole: of half a listing nothing
    can be said to be gone.
    """
    known = catalog.files(only)
    before = catalog.left_out(only)
    skipped = {item.path: item for item in before if isinstance(item, Skipped)}
    failed = {item.path for item in before if isinstance(item, Problem)}
    seen: set[str] = set()
    to_read: list[SourceFile] = []
    left_out: list[Skipped | Problem] = []
    for item in walk(root, options, only, cancel=cancel):
        seen.add(item.path)
        if not isinstance(item, SourceFile):
            left_out.append(item)
        elif (
            force
            or item.path in failed  # it is tried again, though it looks as it did before it failed
            or not _same(item, known.get(item.path) or skipped.get(item.path))
            or generations.written_since(item.path, ticket)  # then it is not what `known` says any more
        ):
            to_read.append(item)
    # Below a folder that cannot be read nothing is known, so nothing there is taken for gone.
    unread = tuple(item.path for item in left_out if isinstance(item, Problem) and item.path.endswith("/"))
    gone = {path for path in {*known, *(item.path for item in before)} - seen if not path.startswith(unread)}
    generations.outdate(
        lambda path: covers(only, path) and not path.startswith(unread), ticket, {item.path for item in to_read}
    )
    reasons = {(item.path, item.reason) for item in before}
    fresh = [item for item in left_out if (item.path, item.reason) not in reasons]
    return Plan(to_read, known, sorted(gone), fresh, len(seen) - len(to_read) - len(left_out))


def covers(only: Sequence[str] | None, path: str) -> bool:
    """Whether a path is one of `only`, or below one; None is everything."""
    if only is None:
        return True
    return any(path == one or path.startswith(f"{one}/") for one in (scope.rstrip("/") for scope in only))


def _same(file: SourceFile, record: FileRecord | Skipped | None) -> bool:
    return record is not None and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
