"""Ignore files: their patterns, read as git reads them, and which of them decides about a path."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from .patterns import names_folder, wildmatch

_MOST_BYTES = 1 << 20
"""An ignore file is a few lines; what a repository puts under that name may be anything."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file."""

    text: str
    """Without its `!` and its final `/`."""
    negated: bool


@dataclass(frozen=True, slots=True)
class PatternList:
    """The patterns of one ignore file; the last that matches decides."""

    patterns: tuple[Pattern, ...]
    by_name: Callable[[str], re.Match[str] | None]
    by_path: Callable[[str], re.Match[str] | None]
    """The patterns that are held against the name alone, as they have no `/`, and the others; a folder is to have its
    final `/`. The match's `lastgroup` is `n` and the number of the pattern."""

    def verdict(self, path: str, name: str, folder: bool) -> Pattern | None:
        """Return the pattern that decides about a path (relative to the ignore file's folder), if one does."""
        slash = "/" if folder else ""
        found = [
            int(str(match.lastgroup)[1:]) for match in (self.by_name(name + slash), self.by_path(path + slash)) if match
        ]
        return self.patterns[max(found)] if found else None


@dataclass(frozen=True, slots=True)
class _Layer:
    """An ignore file at its place."""

    patterns: PatternList
    lead: str
    """What the root's paths need in front to be relative to the file's folder, when that is above the root."""
    cut: int
    """How many characters of the root's paths lead to the file's folder, when that is inside the root."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files that have a say in one folder. Paths are relative to the walk's root."""

    layers: tuple[_Layer, ...] = ()
    """The strongest, which is the innermost, first."""

    def verdict(self, path: str, folder: bool) -> Pattern | None:
        """Return the pattern that decides about a path; it ignores the path unless it is negated.

        Whether a folder around the path is ignored is for the caller to know: nothing below it can be taken back.
        """
        if not self.layers:
            return None
        text = octets(path)
        name = text[text.rfind("/") + 1 :]
        for layer in self.layers:
            pattern = layer.patterns.verdict(layer.lead + text[layer.cut :], name, folder)
            if pattern is not None:
                return pattern
        return None

    def ignores(self, path: str, folder: bool) -> bool:
        """Return whether a pattern says that the path is ignored."""
        pattern = self.verdict(path, folder)
        return pattern is not None and not pattern.negated

    def takes_back_in(self, name: str) -> bool:
        """Return whether a negated pattern names a folder of this name: something in it may be wanted."""
        return any(
            pattern.negated and names_folder(pattern.text, octets(name))
            for layer in self.layers
            for pattern in layer.patterns.patterns
        )

    def add(self, patterns: PatternList, prefix: str = "", lead: str = "") -> IgnoreRules:
        """Return these rules and a stronger file.

        It lies in the root's folder `prefix` (with its final `/`) or, with `lead`, above the root.
        """
        if not patterns.patterns:
            return self
        layer = _Layer(patterns, octets(lead), len(octets(prefix)))
        return replace(self, layers=(layer, *self.layers))


def read_rules(file: str, *, ignore_case: bool = False, follow: bool = False) -> PatternList:
    """Read an ignore file; one that is not there, or is no regular file, has no patterns.

    Git does not follow a link inside of a work tree (it could lead anywhere), but those of the user.
    Raises `OSError` when the file is there and cannot be read.
    """
    try:
        status = os.stat(file) if follow else os.lstat(file)  # noqa: PTH116 - once per folder: Path is too slow
    except (FileNotFoundError, NotADirectoryError):
        return parse_rules(b"")
    if not stat.S_ISREG(status.st_mode):
        return parse_rules(b"")
    with open(file, "rb") as stream:  # noqa: PTH123 - as above
        return parse_rules(stream.read(_MOST_BYTES), ignore_case)


@lru_cache(maxsize=512)
def parse_rules(data: bytes, ignore_case: bool = False) -> PatternList:
    """Read the lines of an ignore file. With `ignore_case`, ASCII letters match in either case, as in git."""
    patterns: list[Pattern] = []
    by_name: list[str] = []
    by_path: list[str] = []
    for line in _lines(data):
        text = line.removeprefix("!")
        end = r"/\Z" if text.endswith("/") else r"/?\Z"
        text = text.removesuffix("/")
        expression = wildmatch(text.removeprefix("/"), end)
        if expression is None or not text:
            continue
        # The group is empty, as one around the expression would keep `re` from a look at the first character first.
        (by_path if "/" in text else by_name).append(f"(?:{expression})(?P<n{len(patterns)}>)")
        patterns.append(Pattern(text, line.startswith("!")))
    flags = re.DOTALL | re.ASCII | (re.IGNORECASE if ignore_case else 0)
    # Of alternatives the first that matches is taken, so the last line comes first; (?!) never matches.
    names, paths = (re.compile("|".join(reversed(lines)) or "(?!)", flags) for lines in (by_name, by_path))
    return PatternList(tuple(patterns), names.match, paths.match)


def octets(path: str) -> str:
    """Return the path as a text of one character for each of its bytes: git's wildcards count bytes."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _lines(data: bytes) -> Iterator[str]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    for raw in text.split("\n"):
        line = _without_trailing_spaces(raw.removesuffix("\r"))
        if line and not line.startswith("#"):
            yield line


def _without_trailing_spaces(line: str) -> str:
    """Strip spaces from the end, but one that a backslash keeps."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    kept = backslashes % 2 and len(stripped) < len(line)
    return stripped + " " if kept else stripped
