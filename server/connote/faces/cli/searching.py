"""What `search` and `similar` do: open the index, bring it up to date, ask, print."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from connote.engine import Index, open_index
from connote.errors import ConnoteError
from connote.faces import render
from connote.faces.cli.place import Place, locate, refresh, settings_for
from connote.faces.cli.terminal import Output, columns, is_terminal, say, stop_on_interrupt, wants_color
from connote.model import Answer, Hit, Query

FOUND, NONE = 0, 1
MOST = 200
"""The largest limit of a query: how far to look where hits are left out after the search."""


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


def search(words: str, path: str, wishes: Wishes) -> int:
    """Search and print; return the exit code."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace").strip() if words == "-" else _valid(words)
    with _Printer(wishes, text, path) as printer:
        place = printer.root_at(locate(path))
        prefix = _narrowed(place, wishes.prefix)
        if prefix is None:
            printer.answer(Answer(message=f"{wishes.prefix} is not in {path}"))
            return NONE
        query = _query(text, prefix, wishes)
        with open_index(place.root, settings_for(place.root, wishes.index_dir)) as index:
            answer = printer.ask(index, lambda: index.answer(query))
            if wishes.unique_files:
                answer = replace(answer, hits=_best_of_each_file(answer.hits)[: wishes.limit])
            if not answer.hits and place.is_file and (reason := _why_not_indexed(index, place)):
                answer = replace(answer, message=reason)
            if answer.relaxed and answer.hits:
                wanted = index.settings.rank.min_score if wishes.min_score is None else wishes.min_score
                say(f"nothing scores {wanted:g}; these score at least {wanted / 2:g} (--no-relax leaves them out)")
        printer.answer(answer)
        return FOUND if answer.hits else NONE


def similar(spot: str, path: str | None, wishes: Wishes) -> int:
    """Print what is like the code at FILE:LINE; return the exit code."""
    file, line = _parse_spot(spot)
    with _Printer(wishes, spot, path or file) as printer:
        start = printer.root_at(locate(file))
        if start.prefix is None or not start.is_file:
            raise ConnoteError(f"{file} is a folder; name a file and a line, as in src/app.py:12")
        within = locate(path).prefix if path is not None and locate(path).root == start.root else None
        if path is not None and locate(path).root != start.root:
            raise ConnoteError(f"{file} and {path} belong to different roots; name a PATH below {start.root}")
        with open_index(start.root, settings_for(start.root, wishes.index_dir)) as index:
            limit = wishes.limit if within is None and not wishes.unique_files else MOST
            answer = printer.ask(index, lambda: index.similar_answer(start.prefix or "", line, limit))
        hits = answer.hits
        if within is not None:
            hits = tuple(hit for hit in hits if hit.path == within or hit.path.startswith(f"{within}/"))
        if wishes.unique_files:
            hits = _best_of_each_file(hits)
        printer.answer(replace(answer, hits=hits[: wishes.limit]))
        return FOUND if hits else NONE


class _Printer:
    """Prints one answer, or as JSON also the trouble that there was instead of one."""

    def __init__(self, wishes: Wishes, query: str, path: str) -> None:
        self._wishes = wishes
        self._query = query
        self._root = str(Path(path).absolute())
        self._color = wants_color(wishes.color, sys.stdout)
        self._output = Output(color=self._color)
        self._elapsed_ms = 0

    def __enter__(self) -> _Printer:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        # A program that reads JSON gets JSON, whatever happened.
        if isinstance(error, ConnoteError) and self._wishes.format == "json":
            self.answer(Answer(complete=False, message=str(error)), quiet=True)

    def root_at(self, place: Place) -> Place:
        """Note the root, which JSON names."""
        self._root = str(place.root)
        return place

    def ask(self, index: Index, question: Callable[[], Answer]) -> Answer:
        """Bring the index up to date if wished, and ask it; a question that it refuses is a ConnoteError."""
        if not self._wishes.no_sync:
            refresh(index)
        began = time.perf_counter()
        try:
            with stop_on_interrupt():
                answer = question()
        except ValueError as error:
            raise ConnoteError(str(error)) from error
        self._elapsed_ms = round((time.perf_counter() - began) * 1000)
        return answer

    def answer(self, answer: Answer, *, quiet: bool = False) -> None:
        """Print the hits, and say what the user should know besides."""
        if not quiet:
            if not answer.hits:
                say(answer.message or "no hits")
            elif answer.message:
                say(answer.message)
            if answer.hits and not answer.complete:
                say("the index is not complete yet; there may be more hits")
        for piece in self._pieces(answer):
            self._output.write(piece)

    def _pieces(self, answer: Answer) -> Iterator[str]:
        wishes = self._wishes
        layout = render.Layout(
            before=wishes.before,
            after=wishes.after,
            here=Path.cwd(),
            why=wishes.why,
            null=wishes.null,
            color=self._color,
            width=columns(),
            highlight=_highlighter() if self._color and wishes.format == "pretty" else None,
        )
        if wishes.files_only:
            return render.paths(answer.hits, layout)
        if wishes.count:
            return render.counts(answer.hits, layout)
        if wishes.format in ("json", "jsonl"):
            return self._json(answer)
        formats = {
            "pretty": render.pretty, "grep": render.grep, "vimgrep": render.vimgrep, "summary": render.summary,
        }  # fmt: skip
        return formats[wishes.format](answer.hits, layout)

    def _json(self, answer: Answer) -> Iterator[str]:
        wishes = self._wishes
        hits = tuple(render.widen(hit, wishes.before, wishes.after) for hit in answer.hits)
        ascii_only = not self._output.unicode
        if wishes.format == "jsonl":
            for hit in hits:
                yield render.to_json(render.hit_fields(hit, why=wishes.why), ascii_only=ascii_only) + "\n"
            return
        fields = render.answer_fields(
            self._root, self._query, replace(answer, hits=hits), self._elapsed_ms, why=wishes.why
        )
        yield render.to_json(fields, ascii_only=ascii_only, indent=2) + "\n"


def _highlighter() -> render.Highlighter:
    # Loading the highlighter takes a tenth of a second, for which output without colour need not wait.
    from connote.faces.cli.highlight import highlighter  # noqa: PLC0415 - see the comment above

    return highlighter()


def _query(text: str, prefix: str, wishes: Wishes) -> Query:
    globs = [*wishes.glob, *wishes.iglob]
    return Query(
        query=text,
        limit=MOST if wishes.unique_files else wishes.limit,
        mode=wishes.mode,
        include=tuple(glob for glob in globs if not glob.startswith("!")),
        exclude=tuple(glob[1:] for glob in globs if glob.startswith("!")),
        ignore_case=bool(wishes.iglob),
        languages=wishes.languages,
        exclude_languages=wishes.exclude_languages,
        kinds=wishes.kinds,
        prefix=prefix or None,
        tests=not wishes.no_tests,
        min_score=wishes.min_score,
        relax=not wishes.no_relax,
        why=wishes.why,
    )


def _narrowed(place: Place, prefix: str | None) -> str | None:
    """Return the prefix for both PATH and `--in` ("" for all of the root); None when they have nothing in common."""
    wanted = os.path.normpath(prefix).replace(os.sep, "/").strip("/") if prefix else "."
    outer = place.prefix or ""
    if wanted == "." or not outer:
        return outer or ("" if wanted == "." else wanted)
    if f"{wanted}/".startswith(f"{outer}/"):
        return wanted
    return outer if f"{outer}/".startswith(f"{wanted}/") else None


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


def _best_of_each_file(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.file, hit)
    return tuple(best.values())


def _parse_spot(spot: str) -> tuple[str, int]:
    parts = spot.rsplit(":", 2)
    # FILE:LINE:COLUMN, as other tools print it, is as good: only the line counts.
    if len(parts) == 3 and parts[1].isdecimal() and parts[2].isdecimal():
        return parts[0], int(parts[1])
    file, colon, line = spot.rpartition(":")
    if not (file and colon and line.isdecimal() and int(line) >= 1):
        raise ConnoteError(f"{spot!r} is no place; name a file and a line, as in src/app.py:12")
    return file, int(line)


def _valid(words: str) -> str:
    # Bytes of an argument that are not valid text arrive as half surrogates, which no model can read.
    return os.fsencode(words).decode("utf-8", "replace") if _has_surrogates(words) else words


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
