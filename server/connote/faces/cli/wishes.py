"""What was typed after `search` and `similar`, and the question that it makes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from connote.engine import Index
from connote.errors import ConnoteError
from connote.faces.cli.place import Place
from connote.faces.cli.terminal import is_terminal
from connote.languages import language_named
from connote.model import MOST_HITS, Hit, Query


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of a search, as they were typed."""

    limit: int
    before: int
    after: int
    format_: str | None
    files_only: bool
    count: bool
    unique_files: bool
    null: bool
    color: str
    why: bool
    no_sync: bool
    index_dir: str | None
    glob: tuple[str, ...] = ()
    iglob: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    exclude_languages: tuple[str, ...] = ()
    prefix: str | None = None
    kinds: tuple[str, ...] = ()
    no_tests: bool = False
    mode: str = "hybrid"
    min_score: float | None = None
    no_relax: bool = False

    @property
    def format(self) -> str:
        """The format: pretty on a terminal and grep elsewhere, unless one was asked for."""
        return self.format_ or ("pretty" if is_terminal(sys.stdout) else "grep")


def query_of(text: str, prefix: str, wishes: Wishes) -> Query:
    """Return the query that the options make."""
    globs = [*wishes.glob, *wishes.iglob]
    return Query(
        query=text,
        limit=MOST_HITS if wishes.unique_files else wishes.limit,
        mode=wishes.mode,
        include=tuple(glob for glob in globs if not glob.startswith("!")),
        exclude=tuple(glob[1:] for glob in globs if glob.startswith("!")),
        ignore_case=bool(wishes.iglob),
        languages=tuple(map(language_named, wishes.languages)),
        exclude_languages=tuple(map(language_named, wishes.exclude_languages)),
        kinds=wishes.kinds,
        prefix=prefix or None,
        tests=not wishes.no_tests,
        min_score=wishes.min_score,
        relax=not wishes.no_relax,
        why=wishes.why,
    )


def why_none(index: Index, place: Place, wishes: Wishes) -> str | None:
    """Return why a search could have no hits, when it is the PATH or the language that was asked for; else None."""
    return (_why_not_indexed(index, place) if place.is_file else None) or _unknown_languages(index, wishes)


def best_of_each_file(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the first hit of each file."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.file, hit)
    return tuple(best.values())


def parse_spot(spot: str) -> tuple[str, int]:
    """Return the file and the line of FILE:LINE; ConnoteError when it is none."""
    parts = spot.rsplit(":", 2)
    # FILE:LINE:COLUMN, as other tools print it, is as good: only the line counts.
    if len(parts) == 3 and parts[1].isdecimal() and parts[2].isdecimal():
        return parts[0], int(parts[1])
    file, colon, line = spot.rpartition(":")
    if not (file and colon and line.isdecimal() and int(line) >= 1):
        raise ConnoteError(f"{spot!r} is no place; name a file and a line, as in src/app.py:12")
    return file, int(line)


def valid(words: str) -> str:
    """Return the words without half surrogates."""
    # Bytes of an argument that are not valid text arrive as half surrogates, which no model can read.
    return os.fsencode(words).decode("utf-8", "replace") if _has_surrogates(words) else words


def _why_not_indexed(index: Index, place: Place) -> str | None:
    if place.prefix in index.files():
        return None
    for skipped in index.skipped():
        if skipped.path == place.prefix:
            return f"{place.prefix} is not indexed: {skipped.reason}"
    for problem in index.problems():
        if problem.path == place.prefix:
            return f"{place.prefix} could not be indexed: {problem.reason}"
    return f"{place.prefix} is not in the index of {place.root}"


def _unknown_languages(index: Index, wishes: Wishes) -> str | None:
    wanted = [language_named(name) for name in wishes.languages]
    there = index.status().languages if wanted else {}
    if not wanted or any(name in there for name in wanted):
        return None
    return f"no indexed file is in {' or '.join(wanted)}; there is {', '.join(sorted(there)) or 'nothing'}"


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
