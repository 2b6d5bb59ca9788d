"""Reading files for others: what of a root may be shown, and how much of it at once."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from connote.config import Settings
from connote.engine.identity import without_index
from connote.errors import RefusedError
from connote.languages import detect_language
from connote.model import Document, Excerpt, Problem, Skipped, SourceFile
from connote.walk import WalkOptions, read, reasons, walk

MOST_BYTES = 200_000
"""Of one excerpt, in UTF-8."""
_MOST_OF_A_FILE = 20_000_000
"""Bytes. `walk.max_bytes` is about what is worth indexing; a reader may see part of a larger file, but not of any."""

_DRIVE = re.compile(r"[A-Za-z]:")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ENCODED = re.compile(r"%(?:2e|2f|5c|00|25|c0|c1|e0%80|u002e|u002f|u005c)", re.IGNORECASE)
"""Dots, separators, NUL and percent signs as URLs write them, also in the overlong forms of UTF-8."""
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_REASONS = {
    reasons.SECRET: "it looks like credentials",
    reasons.BINARY: "it is no text",
    reasons.DATA: "it is data, not code",
    reasons.LOCK_FILE: "it is a lock file",
    reasons.GENERATED: "it was written by a program",
    reasons.MINIFIED: "it is minified",
    reasons.DEFAULT_FOLDER: "it is in a folder of dependencies or build output",
    reasons.VERSION_CONTROL: "it belongs to version control",
    reasons.EXCLUDED: "the setting walk.exclude names it",
    reasons.TOO_LARGE: "it is too large",
    reasons.NOT_A_FILE: "it is no file",
    reasons.SUBMODULE: "the setting walk.submodules leaves out submodules",
    reasons.WORKTREE: "it is in another work tree of this repository",
}


def read_excerpt(
    root: Path,
    path: str,
    settings: Settings,
    *,
    lines: tuple[int | None, int | None] = (None, None),
    within: str | None = None,
) -> Excerpt:
    """Return lines of a file below the root (all of them, or from the first to the last of `lines`, from 1).

    A file may be read when it would be indexed, be it larger than `walk.max_bytes`: not outside the root, wherever
    links lead, and not below it where ignore files or the walk's rules leave it out. With `within`, a path relative
    to the root, only what is there or below.
    The text has at most MOST_BYTES bytes, is cut between two characters, and says so.

    Raises RefusedError for a path that may not be read, or that there is not, and ValueError for lines that there
    cannot be.
    """
    first, last = lines
    if (first is not None and first < 1) or (last is not None and last < 1):
        raise ValueError("lines count from 1")
    if first is not None and last is not None and last < first:
        raise ValueError(f"line {last} is before line {first}")
    place = contained(root, path)
    if within and place != within and not place.startswith(f"{within}/"):
        raise RefusedError(f"{_shown(path)} is outside of {within}, which is all that is served.")
    document = _document(root, place, without_index(settings.walk, root, settings), path)
    return _excerpt(document, first or 1, last)


def contained(root: Path, path: str) -> str:
    """Return where a path leads, links followed: relative to the root, which is resolved, with `/`.

    Raises RefusedError for what is no relative path below the root. What it leads to need not exist.
    """
    spelled = check_spelling(path)
    try:
        place = root.joinpath(*spelled.split("/")).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a ring of links, a name too long, what is no name at all
        raise RefusedError(f"{_shown(path)} leads nowhere.") from error
    if place == root or root not in place.parents:
        raise RefusedError(f"{_shown(path)} is no file of this root.")
    return place.relative_to(root).as_posix()


def check_spelling(path: str, *, windows: bool = os.name == "nt") -> str:
    """Return a relative path, with `/`. Raises RefusedError for every spelling that could mean another place."""
    if not path or "\0" in path:
        raise RefusedError("A path is neither empty nor has a NUL in it.")
    parts = re.split(r"[/\\]", path)
    if not parts[0] or _DRIVE.match(path) or _SCHEME.match(path):
        raise RefusedError(f"{_shown(path)} is not relative to the root.")
    if ".." in parts or parts[0].startswith("~"):
        raise RefusedError(f"{_shown(path)} may leave the root: write the path without `..` and `~`.")
    if _ENCODED.search(path):
        raise RefusedError(f"{_shown(path)} has encoded separators, dots or NULs: write the path as it is.")
    if windows:
        # `a.py.`, `a.py ` and `a.py::$DATA` are all names of `a.py` there, which no rule about names would know.
        if any(part.rstrip(". ") != part and part != "." for part in parts) or ":" in path:
            raise RefusedError(f"{_shown(path)} is no name of a file.")
        return "/".join(parts)
    return path


def split_lines(text: str) -> list[str]:
    """A text's lines with their ends, as editors count them: form feeds and the like end none."""
    return _LINES.findall(text)


def _document(root: Path, place: str, options: WalkOptions, path: str) -> Document:
    if os.path.isdir(root / place):  # noqa: PTH112 - unlike pathlib's, it says no to a name that is too long
        raise RefusedError(f"{_shown(path)} is a folder.")
    reading = replace(options, max_bytes=max(options.max_bytes, _MOST_OF_A_FILE))
    for found in walk(root, reading, [place]):
        document = read(root, found, reading) if isinstance(found, SourceFile) else found
        if isinstance(document, Document):
            return document
        if isinstance(document, Problem):
            raise RefusedError(f"{_shown(path)} cannot be read: {document.reason}")
        if isinstance(document, Skipped) and document.reason != reasons.VANISHED:
            raise RefusedError(f"{_shown(path)} is not shown: {_REASONS.get(document.reason, document.reason)}.")
    # One sentence for both: what is ignored is nobody's business, not even whether it exists.
    raise RefusedError(f"There is no file {_shown(path)}, or an ignore file leaves it out.")


def _excerpt(document: Document, first: int, last: int | None) -> Excerpt:
    every = split_lines(document.text.removeprefix("\ufeff"))
    if first > max(len(every), 1):
        raise ValueError(f"{_shown(document.path)} has {len(every)} lines")
    wanted = every[first - 1 : last]
    text = "".join(wanted)
    data = text.encode("utf-8", "replace")
    truncated = len(data) > MOST_BYTES
    if truncated:
        # What is cut in half at the end is dropped; all before it is whole.
        text = data[:MOST_BYTES].decode("utf-8", "ignore")
        wanted = split_lines(text)
    return Excerpt(
        path=document.path,
        language=detect_language(document.path, document.text),
        text=text,
        start_line=first,
        end_line=first + len(wanted) - 1,
        total_lines=len(every),
        truncated=truncated,
    )


def _shown(path: str) -> str:
    """A path as a message can hold it."""
    return ascii(path[:100] + ("..." if len(path) > 100 else ""))
