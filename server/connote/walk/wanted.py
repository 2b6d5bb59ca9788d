"""The part of a root that a walk is about: all of it, or some files and folders."""

from __future__ import annotations

import os
import posixpath
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

_CASE_IS_FREE = sys.platform in {"win32", "darwin"}


class Wanted:
    """The paths that a walk is limited to; those that do not exist, or are outside the root, are left out."""

    def __init__(self, base: str, only: Sequence[str] | None) -> None:
        """Take the root as a text to put in front of `/` and a relative path."""
        self._base = base
        self._paths: frozenset[str] | None = None
        if only is not None:
            paths = {_exact(base, path) for path in map(_normal, only) if path is not None}
            found = frozenset(path for path in paths if path is not None)
            self._paths = None if "" in found else found
        self._above = {above for path in self._paths or () for above in _parents(path)}

    @property
    def is_nothing(self) -> bool:
        """Whether there is no file to look at."""
        return self._paths is not None and not self._paths

    def touches(self, path: str) -> bool:
        """Return whether a path (without a final `/`) is wanted, below one that is, or a folder around one."""
        if self._paths is None or path in self._paths or path in self._above:
            return True
        return any(above in self._paths for above in _parents(path))

    def below(self, prefix: str) -> list[str] | None:
        """Return what is wanted of a folder (`` or `a/b/`), relative to it; None is all of it.

        A path through a link or into another checkout ends there: git takes it for an error otherwise.
        """
        if self._paths is None:
            return None
        folder = prefix.rstrip("/")
        if folder in self._paths or any(above in self._paths for above in _parents(folder)):
            return None
        return sorted({self._end(prefix, path) for path in self._paths if path.startswith(prefix)})

    def _end(self, prefix: str, path: str) -> str:
        inside = path[len(prefix) :]
        for above in reversed(list(_parents(inside))):
            full = Path(f"{self._base}/{prefix}{above}")
            if full.is_symlink() or os.path.lexists(full / ".git"):
                return above
        return inside


def _normal(path: str) -> str | None:
    """Return the path without `.` and `..`, "" for the root; None when it is not inside of it."""
    if sys.platform == "win32":
        path = path.replace("\\", "/")
    if path.startswith("/") or "\0" in path or Path(path).is_absolute():
        return None
    normal = posixpath.normpath(path)
    if normal == ".." or normal.startswith("../"):
        return None
    return "" if normal == "." else normal


def _parents(path: str) -> Iterable[str]:
    """Yield the folders around a path, innermost first, without the root."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


def _exact(base: str, path: str) -> str | None:
    """Return the path as the disk spells it, None when there is nothing there."""
    if not os.path.lexists(f"{base}/{path}"):
        return None
    if not _CASE_IS_FREE or not path:
        return path
    exact = ""
    for name in path.split("/"):
        try:
            names = os.listdir(f"{base}/{exact}")  # noqa: PTH208 - names, to be compared as they are
        except OSError:
            return path
        alike = [other for other in names if _folded(other) == _folded(name)]
        exact += (name if name in names or not alike else alike[0]) + "/"
    return exact[:-1]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
