"""The texts that are open in the editor, and where each line of the saved text went in them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lsprotocol import types

from . import convert


class Buffers:
    """All open documents."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Buffer] = {}
        self._by_file: dict[str, Buffer] = {}

    def open(self, uri: str, path: str, text: str) -> None:
        """Follows a document from here on; `path` may lead over links."""
        self._by_uri[uri] = self._by_file[_key(os.path.realpath(path))] = Buffer(uri, text)

    def get(self, uri: str) -> Buffer | None:
        """The document that was opened with this URI."""
        return self._by_uri.get(uri)

    def at(self, file: str) -> Buffer | None:
        """The document of a file, by its absolute path without links."""
        return self._by_file.get(_key(file))

    def close(self, uri: str) -> None:
        """Forgets a document."""
        buffer = self._by_uri.pop(uri, None)
        for file in [file for file, other in self._by_file.items() if other is buffer]:
            del self._by_file[file]


class Buffer:
    """One open document. Lines count from 0."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri = uri
        """As the client spells it."""
        self._lines = _with_ends(text)
        self._origins = list(range(len(self._lines)))
        """For each line the line of the saved text that it was, ascending; -1 for a new one."""
        self._places: dict[int, int] | None = None
        self._bare: list[str] | None = None

    @property
    def lines(self) -> Sequence[str]:
        """The lines as they are now, without their ends."""
        if self._bare is None:
            self._bare = [line.rstrip("\r\n") for line in self._lines]
        return self._bare

    @property
    def text(self) -> str:
        """The whole text, as it is now."""
        return "".join(self._lines)

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: str) -> None:
        """Applies what `didChange` reports, in order; places past the end of a line or of the text are clamped."""
        for item in changes:
            if isinstance(item, types.TextDocumentContentChangePartial):
                self._replace(item.range, item.text, encoding)
            else:
                self._renew(0, len(self._lines), _with_ends(item.text))

    def saved(self) -> None:
        """The text as it is now is the saved one."""
        self._origins = list(range(len(self._lines)))
        self._places = None

    def moved(self, start: int, end: int) -> tuple[int, int]:
        """Where lines `start` to `end` of the saved text are now, both included; if they are gone, the nearest."""
        if self._places is None:
            self._places = {origin: line for line, origin in enumerate(self._origins) if origin >= 0}
        found = [self._places[line] for line in range(start, end + 1) if line in self._places]
        if found:
            return found[0], found[-1]
        before = start - 1
        while before >= 0 and before not in self._places:
            before -= 1
        place = min(self._places[before] + 1, len(self._lines) - 1) if before >= 0 else 0
        return place, place

    def origin(self, line: int) -> int:
        """The line of the saved text that `line` was; for a new one, that of the nearest line above."""
        line = min(line, len(self._origins) - 1)
        while line >= 0 and self._origins[line] < 0:
            line -= 1
        return self._origins[line] if line >= 0 else 0

    def _replace(self, span: types.Range, text: str, encoding: str) -> None:
        start, begin = self._clamp(span.start, encoding)
        stop, end = self._clamp(span.end, encoding)
        if (stop, end) < (start, begin):
            start, begin, stop, end = stop, end, start, begin
        joined = self._lines[start][:begin] + text + self._lines[stop][end:]
        if start > 0 and joined.startswith("\n") and self._lines[start - 1].endswith("\r"):
            # The edit brought the two halves of one line end together.
            start -= 1
            joined = self._lines[start] + joined
        self._renew(start, stop + 1, _with_ends(joined) if stop + 1 == len(self._lines) else _with_ends(joined)[:-1])

    def _renew(self, start: int, stop: int, lines: list[str]) -> None:
        """Lines `start` to `stop` become `lines`; those that stay as they are keep their origin."""
        old, origins = self._lines[start:stop], self._origins[start:stop]
        fewer = min(len(old), len(lines))
        head = 0
        while head < fewer and old[head] == lines[head]:
            head += 1
        tail = 0
        while tail < fewer - head and old[-1 - tail] == lines[-1 - tail]:
            tail += 1
        kept = origins[head : len(origins) - tail][: len(lines) - head - tail]
        fresh = [-1] * (len(lines) - head - tail - len(kept))
        self._lines[start:stop] = lines
        self._origins[start:stop] = origins[:head] + kept + fresh + origins[len(origins) - tail :]
        self._places = self._bare = None

    def _clamp(self, position: types.Position, encoding: str) -> tuple[int, int]:
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        bare = self._lines[position.line].rstrip("\r\n")
        return position.line, convert.characters(bare, position.character, encoding)


def _key(path: str) -> str:
    return os.path.normcase(path)


def _with_ends(text: str) -> list[str]:
    """The lines of a text with their ends; the last one has none, and is empty where the text ends with a line end."""
    bare = convert.split_lines(text)
    lines = []
    place = 0
    for line in bare[:-1]:
        stop = place + len(line)
        stop += 2 if text.startswith("\r\n", stop) else 1
        lines.append(text[place:stop])
        place = stop
    return [*lines, bare[-1]]
