"""What `search` and `similar` do: open the index, bring it up to date, ask, print."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from connote.engine import Index, open_index
from connote.errors import ConnoteError
from connote.faces import render
from connote.faces.cli.place import Place, locate, locate_project, refresh, settings_for
from connote.faces.cli.terminal import Output, columns, say, wants_color
from connote.faces.cli.wishes import (
    Wishes,
    best_of_each_file,
    parse_spot,
    query_of,
    valid,
    why_none,
)
from connote.faces.parts import is_within, narrowed
from connote.model import MOST_HITS, Answer

FOUND, NONE = 0, 1


def search(words: str, path: str, wishes: Wishes) -> int:
    """Search and print; return the exit code."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace").strip() if words == "-" else valid(words)
    with _Printer(wishes, text, path) as printer:
        place = printer.root_at(locate_project(path, after_question=True))
        prefix = narrowed(place.prefix, wishes.prefix)
        if prefix is None:
            printer.answer(Answer(message=f"{wishes.prefix} is not in {path}"))
            return NONE
        query = query_of(text, prefix, wishes)
        with open_index(place.root, settings_for(place.root, wishes.index_dir)) as index:
            answer = printer.ask(index, lambda: index.answer(query))
            if wishes.unique_files:
                answer = replace(answer, hits=best_of_each_file(answer.hits)[: wishes.limit])
            if not answer.hits and (reason := why_none(index, place, wishes)):
                answer = replace(answer, message=reason)
            if answer.relaxed and answer.hits:
                wanted = index.settings.rank.min_score if wishes.min_score is None else wishes.min_score
                say(f"nothing scores {wanted:g}; these score at least {wanted / 2:g} (--no-relax leaves them out)")
        printer.answer(answer)
        return FOUND if answer.hits else NONE


def similar(spot: str, path: str | None, wishes: Wishes) -> int:
    """Print what is like the code at FILE:LINE; return the exit code."""
    with _Printer(wishes, spot, path or ".") as printer:
        file, line = parse_spot(spot)
        start = printer.root_at(locate_project(file))
        if start.prefix is None or not start.is_file:
            raise ConnoteError(f"{file} is a folder; name a file and a line, as in src/app.py:12")
        _require_line(start.root / start.prefix, file, line)
        within = locate(path).prefix if path is not None and locate(path).root == start.root else None
        if path is not None and locate(path).root != start.root:
            raise ConnoteError(f"{file} and {path} belong to different roots; name a PATH below {start.root}")
        with open_index(start.root, settings_for(start.root, wishes.index_dir)) as index:
            limit = wishes.limit if within is None and not wishes.unique_files else MOST_HITS
            answer = printer.ask(index, lambda: index.similar_answer(start.prefix or "", line, limit))
        hits = tuple(hit for hit in answer.hits if is_within(hit.path, within))
        if wishes.unique_files:
            hits = best_of_each_file(hits)
        printer.answer(replace(answer, hits=hits[: wishes.limit]))
        return FOUND if hits else NONE


def _require_line(path: Path, file: str, line: int) -> None:
    count = path.read_bytes().count(b"\n") + 1
    if line > count:
        raise ConnoteError(f"{file} has {count} line{'' if count == 1 else 's'}, and none of number {line}")


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
