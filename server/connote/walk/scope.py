"""What the ways to list a root share: its options, what is wanted of it, and how a file is judged."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from connote.model import Problem, Skipped, SourceFile

from . import reasons
from .checkout import Checkout
from .ignore import IgnoreRules, Pattern, PatternList, parse_rules, read_rules
from .names import NameRules
from .patterns import names_folder
from .wanted import Wanted

OWN_IGNORE_FILE = ".connoteignore"

Outcome = Union[SourceFile, Skipped, Problem]  # noqa: UP007 - evaluated at run time, where Python 3.10 needs it so
"""What a walk says about a path."""


@dataclass(frozen=True, slots=True)
class Below:
    """Steps to take before going on: those of a folder."""

    steps: Iterator[Step]


@dataclass(frozen=True, slots=True)
class Nested:
    """A checkout in the root, to be listed by its own rules before going on."""

    path: str
    """With its final `/`."""
    checkout: Checkout
    ours: IgnoreRules
    """The `.connoteignore` files around it."""
    is_submodule: bool


Step = Union[Outcome, Below, Nested]  # noqa: UP007 - as above
"""What a way to list yields: an outcome, or what is to be listed before it goes on."""


@dataclass(frozen=True)
class Scope:
    """One walk of one root."""

    root: Path
    base: str
    """The root as a text to put in front of `/` and a relative path."""
    names: NameRules
    submodules: bool
    wanted: Wanted
    around: Checkout | None
    """The checkout that the root is in, unless that ignores the root."""
    cancel: threading.Event | None = None
    entered: list[str] | None = None
    """The folders that are looked into, `a/b/` each; None where git may be asked instead of looking."""
    reported: set[str] = field(default_factory=set)
    """Folders that have been named as skipped, or as a problem: each is named once."""

    def file(self, path: str, status: os.stat_result) -> SourceFile | Skipped:
        """Judge what is no folder, by its name and status."""
        if is_link(status):
            return Skipped(path, reasons.LINK)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, reasons.NOT_A_FILE)
        reason = self.names.file(path, status.st_size)
        if reason is not None:
            return Skipped(path, reason, status.st_size, status.st_mtime_ns)
        return SourceFile(path, status.st_size, status.st_mtime_ns)

    def once(self, outcome: Skipped | Problem) -> Iterator[Skipped | Problem]:
        """Yield the outcome unless its path has been reported."""
        if outcome.path not in self.reported:
            self.reported.add(outcome.path)
            yield outcome

    def is_kept(self, path: str, default_folders: tuple[str, ...], pattern: Pattern | None) -> bool:
        """Return whether a path is wanted although it lies in folders of dependencies or output, `a/b/` each.

        That is so when a glob of `walk.include` or a negated pattern of an ignore file names those folders and it.
        """
        folders = [folder[folder.rfind("/", 0, -1) + 1 : -1] for folder in default_folders]
        if self.names.brings_in(path) and all(map(self.names.brings_in_some_of, folders)):
            return True
        return pattern is not None and pattern.negated and all(names_folder(pattern.text, name) for name in folders)

    def rules_of(self, prefix: str, name: str, problems: list[Problem], *, ignore_case: bool = False) -> PatternList:
        """Read the ignore file of this name in a folder (`` or `a/b/`); one that cannot be read is a problem."""
        try:
            return read_rules(f"{self.base}/{prefix}{name}", ignore_case=ignore_case)
        except OSError as error:
            problems.append(Problem(prefix + name, f"{_why(error)}, so its rules do not apply."))
            return parse_rules(b"")


def is_link(status: os.stat_result) -> bool:
    """Return whether this is the status of a symbolic link or of a junction."""
    if stat.S_ISLNK(status.st_mode):
        return True
    # Only Windows has the field; it is a cloud's placeholder, not a link, with another tag.
    tag = getattr(status, "st_reparse_tag", 0)
    return tag != 0 and tag in {
        getattr(stat, "IO_REPARSE_TAG_SYMLINK", -1),
        getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1),
    }


def unreadable(path: str, error: OSError) -> Problem:
    """Return the problem of a file, or of a folder (with its final `/`), that cannot be looked at."""
    return Problem(path, f"{_why(error)}.")


def misnamed(path: str) -> Problem | None:
    """Return the problem of a path that no text can hold; None for all others."""
    if path.isascii():
        return None
    try:
        path.encode()
    except UnicodeEncodeError:
        printable = os.fsencode(path).decode("utf-8", "backslashreplace")
        return Problem(printable, "The name is not valid UTF-8; rename it to have it indexed.")
    return None


def _why(error: OSError) -> str:
    return f"It could not be read: {error.strerror or type(error).__name__}"
