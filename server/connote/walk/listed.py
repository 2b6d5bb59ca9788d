"""Listing by git's answer about a checkout."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from connote.model import Problem, Skipped

from . import git, reasons
from .checkout import checkout_at
from .folders import Place, folder_steps
from .ignore import IgnoreRules, Pattern, parse_rules
from .scope import OWN_IGNORE_FILE, Below, Nested, Outcome, Scope, Step, is_link, misnamed, unreadable

_NO_RULES = IgnoreRules()


@dataclass(frozen=True, slots=True)
class _Folder:
    """What is known of a folder of the listing."""

    is_open: bool = True
    """Whether its files are looked at; if not, the reason has been told."""
    ours: IgnoreRules = _NO_RULES


def listed_steps(scope: Scope, prefix: str, depth: int, ours: IgnoreRules) -> Iterator[Step]:
    """List the root's folder `prefix`, `depth` folders below the top of its checkout, sorted by path.

    Raises `GitRefusal`, before the first step.
    """
    paths = scope.wanted.below(prefix)
    if paths is not None and sum(map(len, paths)) > 20_000:
        paths = None  # more than a command line holds everywhere
    listing = git.list_files(scope.root / prefix, depth, paths, scope.cancel)
    found = dict(listing.tracked)
    if depth == 0:
        found[".git/" if (scope.root / prefix / ".git").is_dir() else ".git"] = True
    unwanted = _submodules_ignored(scope, prefix, found)
    for folder in listing.unreadable:
        found.setdefault(folder, False)
    listed = _Listed(scope, prefix, found, set(listing.unreadable), ours)
    return listed.steps(unwanted, listed.deciding_patterns())


def _submodules_ignored(scope: Scope, prefix: str, found: dict[str, bool]) -> set[str]:
    """Return the submodules that an ignore rule names: git tracks them all the same, but they are not wanted here."""
    submodules = [path for path, tracked in found.items() if tracked and path.endswith("/") and path != ".git/"]
    if not submodules:
        return set()
    return git.ignored_by_rule(scope.root / prefix, submodules, scope.cancel)


class _Listed:
    """One checkout's listing, on its way to be judged path by path."""

    def __init__(
        self, scope: Scope, prefix: str, found: dict[str, bool], unreadable_folders: set[str], ours: IgnoreRules
    ) -> None:
        self._scope = scope
        self._prefix = prefix
        self._found = found
        """Path relative to the prefix, of a folder with its final `/`, to whether git tracks it."""
        self._unreadable = unreadable_folders
        self._told: list[Outcome] = []
        """What is to be said about folders before the next path."""
        self._folders: dict[str, _Folder] = {}
        self._default_folders: dict[str, tuple[str, ...]] = {"": ()}
        self._folders[""] = self._open("", ours)

    def deciding_patterns(self) -> dict[str, Pattern]:
        """Return the patterns that may keep what lies in folders of dependencies or output. Raises `GitRefusal`."""
        doubtful = [
            path
            for path, tracked in self._found.items()
            if not tracked and self._defaults(path[: path.rfind("/", 0, -1) + 1])
        ]
        if not doubtful:
            return {}
        lines = git.deciding_patterns(self._scope.root / self._prefix, doubtful, self._scope.cancel)
        return {
            path: pattern
            for path, line in lines.items()
            if line.startswith("!")
            for pattern in parse_rules(os.fsencode(line)).patterns
        }

    def steps(self, unwanted: set[str], patterns: dict[str, Pattern]) -> Iterator[Step]:
        """Judge every path of the listing but the unwanted ones."""
        scope = self._scope
        for path in sorted(self._found):
            whole = self._prefix + path
            if path in unwanted or not scope.wanted.touches(whole.rstrip("/")):
                continue
            folder = self._folder(path[: path.rfind("/", 0, -1) + 1])
            yield from self._told
            self._told.clear()
            if not folder.is_open:
                continue
            default_folders = () if self._found[path] else self._defaults(path[: path.rfind("/", 0, -1) + 1])
            if default_folders and not scope.is_kept(whole.rstrip("/"), default_folders, patterns.get(path)):
                yield from scope.once(Skipped(default_folders[0], reasons.DEFAULT_FOLDER))
            elif path.endswith("/"):
                yield from self._checkout(path, folder)
            elif path == ".git":
                yield Skipped(whole, reasons.VERSION_CONTROL)
            elif not folder.ours.ignores(whole, folder=False):
                yield from self._file(whole)

    def _file(self, path: str) -> Iterator[Step]:
        problem = misnamed(path)
        if problem is not None:
            yield problem
            return
        try:
            status = os.lstat(f"{self._scope.base}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return  # tracked and deleted
        except OSError as error:
            yield unreadable(path, error)
            return
        if stat.S_ISDIR(status.st_mode) and not is_link(status):
            return  # a folder has taken its place, whose files are listed by themselves
        yield self._scope.file(path, status)

    def _checkout(self, path: str, around: _Folder) -> Iterator[Step]:
        """Another checkout inside of this one: a submodule if it is tracked."""
        scope, whole = self._scope, self._prefix + path
        name = path[path.rfind("/", 0, -1) + 1 : -1]
        if path in self._unreadable:
            yield Problem(whole, "The folder could not be read.")
            return
        if around.ours.ignores(whole[:-1], folder=True):
            return
        reason = scope.names.folder(whole[:-1], name)
        if reason is None and not self._found[path]:
            reason = scope.names.marked_folder(name, _nothing)
        if reason is not None:
            yield Skipped(whole, reason)
            return
        checkout = checkout_at(scope.root / whole)
        if checkout is not None:
            yield Nested(whole, checkout, around.ours, is_submodule=self._found[path])
        elif not self._found[path]:
            # Git takes it for a repository; if it is none to us, its files are still worth having.
            yield Below(folder_steps(scope, Place(whole, ours=around.ours)))

    def _folder(self, path: str) -> _Folder:
        """Look at a folder of the listing (`` or `a/b/`), and at those around it, once."""
        known = self._folders.get(path)
        if known is not None:
            return known
        end, around = 0, self._folders[""]
        while end < len(path):
            end = path.index("/", end) + 1
            folder = path[:end]
            known = self._folders.get(folder)
            if known is None:
                known = self._look(folder, around) if around.is_open else around
                self._folders[folder] = known
            around = known
        return around

    def _look(self, path: str, around: _Folder) -> _Folder:
        closed = _Folder(is_open=False)
        whole = self._prefix + path
        if around.ours.ignores(whole[:-1], folder=True):
            return closed
        problem = misnamed(whole)
        if problem is not None:
            self._told += self._scope.once(problem)
            return closed
        try:
            status = os.lstat(f"{self._scope.base}/{whole[:-1]}")
        except (FileNotFoundError, NotADirectoryError):
            return closed  # tracked and deleted
        except OSError as error:
            self._told += self._scope.once(unreadable(whole, error))
            return closed
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            # Tracked files were here before a link took the folder's place. They are no longer in the root, or are
            # where the link leads to; git lists the link by itself.
            return closed
        reason = self._scope.names.folder(whole[:-1], whole[whole.rfind("/", 0, -1) + 1 : -1])
        if reason is not None:
            self._told += self._scope.once(Skipped(whole, reason))
            return closed
        return self._open(path, around.ours)

    def _open(self, path: str, ours: IgnoreRules) -> _Folder:
        problems: list[Problem] = []
        patterns = self._scope.rules_of(self._prefix + path, OWN_IGNORE_FILE, problems)
        self._told += problems
        return _Folder(ours=ours.add(patterns, self._prefix + path))

    def _defaults(self, path: str) -> tuple[str, ...]:
        """Return the folders of dependencies or output that a folder is in or is, outermost first."""
        known = self._default_folders.get(path)
        if known is not None:
            return known
        end, around = 0, self._default_folders[""]
        while end < len(path):
            start, end = end, path.index("/", end) + 1
            folder = path[:end]
            known = self._default_folders.get(folder)
            if known is None:
                known = around
                if self._is_default(path[:start], path[start : end - 1]):
                    known = (*around, self._prefix + folder)
                self._default_folders[folder] = known
            around = known
        return around

    def _is_default(self, around: str, name: str) -> bool:
        beside = f"{self._scope.base}/{self._prefix}{around}"
        return (
            self._scope.names.default_folder(
                name,
                lambda other: os.path.lexists(f"{beside}{name}/{other}"),
                lambda other: os.path.lexists(beside + other),
            )
            is not None
        )


def _nothing(_name: str) -> bool:
    return False
