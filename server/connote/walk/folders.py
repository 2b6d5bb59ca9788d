"""Listing by reading the folders and their ignore files, where git does not answer."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from connote.model import Problem, Skipped

from . import reasons, tables
from .checkout import checkout_at
from .ignore import IgnoreRules
from .options import ListingError
from .scope import OWN_IGNORE_FILE, Below, Nested, Scope, Step, is_link, misnamed, unreadable


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to be listed, with what holds there."""

    path: str = ""
    """With its final `/`; `` is the root."""
    theirs: IgnoreRules = field(default_factory=IgnoreRules)
    """Git's rules."""
    ours: IgnoreRules = field(default_factory=IgnoreRules)
    """The `.connoteignore` files."""
    in_checkout: bool = False
    """Whether git may track what is here: its ignore rules are then trusted to name the output folders."""
    ignore_case: bool = False
    default_folders: tuple[str, ...] = ()
    """The folders of dependencies or output around this one that have been entered, outermost first."""
    is_top: bool = True
    """Whether it is where a checkout or the walk begins, and so judged already."""


def folder_steps(scope: Scope, place: Place, beside: frozenset[str] = frozenset()) -> Iterator[Step]:
    """List a folder, sorted by path. `beside` are the names next to it."""
    try:
        found = _scan(scope, place)
    except OSError as error:
        yield from scope.once(unreadable(place.path, error))
        return
    names = frozenset(found)
    checkout = checkout_at(scope.root / place.path) if ".git" in found and not place.is_top else None
    if not place.is_top:
        reason = _default_reason(scope, place, names, None if place.in_checkout or checkout is not None else beside)
        if reason is not None:
            if not _may_keep_some(scope, place):
                yield from scope.once(Skipped(place.path, reason))
                return
            place = replace(place, default_folders=(*place.default_folders, place.path))
    if checkout is not None:
        if place.default_folders and not scope.is_kept(place.path[:-1], place.default_folders, None):
            yield from scope.once(Skipped(place.default_folders[0], reasons.DEFAULT_FOLDER))
        else:
            yield Nested(place.path, checkout, place.ours, checkout.is_submodule)
        return

    if scope.entered is not None:
        scope.entered.append(place.path)
    problems: list[Problem] = []
    place = _with_rules(scope, place, names, problems)
    yield from problems
    for _, entry, is_folder in sorted(_with_keys(found.values()), key=lambda item: item[0]):
        if scope.wanted.touches(place.path + entry.name):
            yield from _entry_steps(scope, place, entry, is_folder, names)


def _scan(scope: Scope, place: Place) -> dict[str, os.DirEntry[str]]:
    try:
        with os.scandir(f"{scope.base}/{place.path}") as entries:
            return {entry.name: entry for entry in entries}
    except FileNotFoundError:
        if place.path:
            return {}
        raise ListingError(f"{scope.root} is gone.") from None
    except OSError as error:
        if place.path:
            raise
        raise ListingError(f"{scope.root} cannot be listed: {error.strerror}.") from error


def _default_reason(scope: Scope, place: Place, names: frozenset[str], beside: frozenset[str] | None) -> str | None:
    """Return the reason to leave the folder out; `beside` is None where a merely likely name is none."""
    if beside is None:
        return scope.names.marked_folder(_name(place), names.__contains__)
    return scope.names.default_folder(_name(place), names.__contains__, beside.__contains__)


def _may_keep_some(scope: Scope, place: Place) -> bool:
    return scope.names.brings_in_some_of(_name(place)) or place.theirs.takes_back_in(_name(place))


def _name(place: Place) -> str:
    return place.path[place.path.rfind("/", 0, -1) + 1 : -1]


def _with_rules(scope: Scope, place: Place, names: frozenset[str], problems: list[Problem]) -> Place:
    """Return the place with the ignore files that lie in it."""
    if ".gitignore" in names:
        patterns = scope.rules_of(place.path, ".gitignore", problems, ignore_case=place.ignore_case)
        place = replace(place, theirs=place.theirs.add(patterns, place.path))
    if OWN_IGNORE_FILE in names:
        place = replace(place, ours=place.ours.add(scope.rules_of(place.path, OWN_IGNORE_FILE, problems), place.path))
    return place


def _with_keys(entries: Iterable[os.DirEntry[str]]) -> Iterator[tuple[str, os.DirEntry[str], bool]]:
    """Yield each entry with what sorts it as its path sorts among all paths, and whether it is a folder."""
    for entry in entries:
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            is_folder = False
        yield (f"{entry.name}/" if is_folder else entry.name), entry, is_folder


def _entry_steps(
    scope: Scope, place: Place, entry: os.DirEntry[str], is_folder: bool, beside: frozenset[str]
) -> Iterator[Step]:
    path = place.path + entry.name
    shown = f"{path}/" if is_folder else path
    if entry.name == ".git":
        yield Skipped(shown, reasons.VERSION_CONTROL)
        return
    pattern = place.theirs.verdict(path, is_folder)
    if (pattern is not None and not pattern.negated) or place.ours.ignores(path, is_folder):
        return
    status = _status(entry, shown)
    if status is None or isinstance(status, Problem):
        yield from [] if status is None else [status]
    elif is_folder and not is_link(status):  # Windows calls a junction a folder
        reason = scope.names.folder(path, entry.name)
        if f"{scope.base}/{path}" in tables.KERNEL_FOLDERS:
            reason = reasons.NOT_A_FILE
        if reason is not None:
            yield Skipped(shown, reason)
        else:
            yield Below(folder_steps(scope, replace(place, path=shown, is_top=False), beside))
    elif place.default_folders and not scope.is_kept(path, place.default_folders, pattern):
        yield from scope.once(Skipped(place.default_folders[0], reasons.DEFAULT_FOLDER))
    elif is_folder or not stat.S_ISDIR(status.st_mode):
        yield scope.file(path, status)


def _status(entry: os.DirEntry[str], path: str) -> os.stat_result | Problem | None:
    """Return the entry's own status; None when it is gone."""
    try:
        return misnamed(path) or entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        return unreadable(path, error)
