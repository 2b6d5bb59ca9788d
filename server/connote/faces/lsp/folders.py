"""The workspace's folders: which one a document belongs to, and what is known of each."""

from __future__ import annotations

import asyncio
import os
import posixpath
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connote.faces.parts import holds_home
from connote.model import Progress, Status

from . import convert

if TYPE_CHECKING:
    from connote.config import Settings
    from connote.engine import Index

Change = tuple[str, ...]
"""What happened to a document: ("update", path) or ("rename", old, new); paths are relative to the folder."""


@dataclass(eq=False)
class Folder:
    """One folder of the workspace, and its index. Touched on the event loop alone."""

    uri: str
    """As the client spells it."""
    path: str
    """Absolute, as the client spells it."""
    refused: str | None = None
    """Why it is not indexed at all."""
    index: Index | None = None
    """None before it is opened, and where that failed."""
    settings: Settings | None = None
    message: str | None = None
    """What went wrong last, for the user."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when `index` is there, or will not be."""
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the first sync has ended, in whatever way."""
    syncing: bool = False
    cleared: bool = False
    """Whether the user removed the index: nothing is indexed until asked for."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Ends the running sync."""
    progress: Progress = field(default_factory=lambda: Progress(0, 0))
    changes: list[Change] = field(default_factory=list)
    """Noted, not indexed yet."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while changes are brought to the index, so that they keep their order."""
    setup: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the index is opened, closed or removed."""
    users: set[asyncio.Future[Any]] = field(default_factory=set)
    """Work that uses `index` now: it is closed after them."""
    told: tuple[Any, ...] | None = None
    """The last `connote/statusChanged`."""

    def __post_init__(self) -> None:
        self._spellings = {_key(self.path), _key(os.path.realpath(self.path))}
        self._checkout = self._git_times()

    @property
    def name(self) -> str:
        """For titles."""
        return os.path.basename(self.path) or self.path  # noqa: PTH119  # a string on purpose: it may be a bare drive

    def relative(self, path: str) -> str | None:
        """An absolute path relative to this folder, with `/`; empty for the folder itself, None for what is outside."""
        for candidate in (path, os.path.realpath(path)):
            key = _key(candidate)
            for root in self._spellings:
                if key == root:
                    return ""
                lead = root if root.endswith(os.sep) else root + os.sep
                if key.startswith(lead):
                    return candidate[len(lead) :].replace(os.sep, "/")
        return None

    def has_new_checkout(self) -> bool:
        """Whether git has written its index or its HEAD since this was asked last: it may have changed any file."""
        before, self._checkout = self._checkout, self._git_times()
        return before != self._checkout

    def status(self) -> Status:
        """What can be said without an index."""
        if self.refused is not None or (self.opened.is_set() and self.index is None):
            return Status(self.path, "error", 0, 0, 0, 0, message=self.refused or self.message)
        return Status(self.path, "indexing", 0, 0, 0, 0, message="The index is being opened.")

    def _git_times(self) -> tuple[int, ...]:
        times = []
        for name in ("HEAD", "index"):
            try:
                times.append(Path(self.path, ".git", name).stat().st_mtime_ns)
            except OSError:
                times.append(0)  # no repository, or a worktree: the regular check sees its changes
        return tuple(times)


class Folders:
    """All folders of the workspace, in the client's order."""

    def __init__(self) -> None:
        self._all: dict[str, Folder] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    def add(self, uri: str) -> Folder | None:
        """The folder at a URI, if it is new and its files can be read from here."""
        path = convert.to_path(uri)
        if path is None or self.get(uri) is not None:
            return None
        folder = self._all[uri] = Folder(uri, path, refusal(path))
        return folder

    def get(self, uri: str) -> Folder | None:
        """The folder at a URI, however it is spelled."""
        if uri in self._all:
            return self._all[uri]
        path = convert.to_path(uri)
        return next((folder for folder in self._all.values() if path and folder.relative(path) == ""), None)

    def remove(self, uri: str) -> Folder | None:
        """Forgets the folder at a URI, and returns it."""
        folder = self.get(uri)
        return None if folder is None else self._all.pop(folder.uri, None)

    def containing(self, path: str) -> list[tuple[Folder, str]]:
        """The folders that hold a path, innermost first, each with the path relative to it."""
        found = [(folder, folder.relative(path)) for folder in self._all.values()]
        inside = [(folder, relative) for folder, relative in found if relative is not None]
        return sorted(inside, key=lambda item: len(item[1]))


def nested(folder: Folder, among: Sequence[Folder]) -> list[str]:
    """The other folders that lie inside `folder`, as relative paths: their files are theirs."""
    paths = [folder.relative(other.path) for other in among if other is not folder]
    return [path for path in paths if path]


def owns(path: str, inner: Iterable[str]) -> bool:
    """Whether a relative path lies in none of the `inner` folders."""
    return not any(path.startswith(lead + "/") for lead in inner)


def refusal(path: str) -> str | None:
    """Why a folder is not indexed: it is the home folder, or one that holds it, such as `/`."""
    if holds_home(path):
        return f"{path} holds everything you have: connote does not index it. Open the folder of a project instead."
    return None


def escape_glob(path: str) -> str | None:
    """The glob of all that lies in a folder; None if its name cannot be written as one."""
    return None if any(mark in path for mark in "*?[]{}!\\") else posixpath.join(path, "**")


def _key(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))  # noqa: PTH100  # a string is compared, no link is followed
