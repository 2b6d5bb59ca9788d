"""The cells of a Jupyter notebook, and where each byte of their sources stands in the notebook's own text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Notebook:
    """What is read of a notebook: outputs and most of its metadata are not."""

    cells: list[Cell]
    language: str
    """As the notebook spells it; empty when it does not say."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a cell's source, and where it stands in the file: the same bytes, or an escape for them."""

    start: int
    end: int
    file_start: int
    file_end: int


@dataclass(slots=True)
class Cell:
    """A cell with its source, which is one JSON string or several."""

    kind: str = ""
    """`code`, `markdown`, `raw` or what else `cell_type` says."""
    strings: list[tuple[int, int]] = field(default_factory=list)
    """Offsets of the JSON strings of its source, without quotes."""
    _pieces: list[_Piece] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    def text(self, data: bytes) -> str:
        """The source. What maps its offsets to the file is made with it."""
        parts: list[bytes] = []
        size = 0
        for first, end in self.strings:
            for start, stop, is_escape in _split(data, first, end):
                part = data[start:stop]
                if is_escape:
                    part = _unescaped(part.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")
                parts.append(part)
                self._pieces.append(_Piece(size, size + len(part), start, stop))
                size += len(part)
        self._starts = [piece.start for piece in self._pieces]
        self._ends = [piece.end for piece in self._pieces]
        return b"".join(parts).decode("utf-8", "surrogatepass")

    def start_of(self, offset: int) -> int:
        """Where in the file something begins that begins at an offset of the source."""
        piece = self._pieces[max(bisect_right(self._starts, offset) - 1, 0)]
        at = piece.file_start + offset - piece.start
        return at if at <= piece.file_end else piece.file_start

    def end_of(self, offset: int) -> int:
        """Where in the file something ends that ends at an offset of the source."""
        piece = self._pieces[min(bisect_left(self._ends, offset), len(self._pieces) - 1)]
        if offset >= piece.end:
            return piece.file_end
        return min(piece.file_start + offset - piece.start, piece.file_end)


def read_notebook(data: bytes) -> Notebook | None:
    """Read a notebook of any version; None when the text has no cells or its brackets do not match."""
    reader = _Reader()
    for match in _TOKEN.finditer(data):
        word = match.group()
        if word in _OPENED:
            if not reader.close(word):
                return None
        elif word in (b"{", b"["):
            reader.open(word)
        else:
            reader.take(match)
    cells = [cell for cell in reader.cells if cell.kind and cell.strings]
    return Notebook(cells, reader.language) if cells and not reader.stack else None


def plain(text: str) -> str:
    """The source that a slice of a notebook stands for: JSON's quotes and escapes are undone."""
    return _BETWEEN.sub(lambda match: _unescaped(match.group()) if match.group().startswith("\\") else "", text)


# Strings, brackets and words; white space, colons and commas say nothing more.
_TOKEN = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"|[\[\]{}]|[^\s"\[\]{},:]+', re.DOTALL)
_SOURCES = (b"source", b"input")
_OPENED = {b"}": b"{", b"]": b"["}


@dataclass(slots=True)
class _Frame:
    """A JSON object or array that is open while a notebook is read."""

    bracket: bytes
    name: bytes
    """The key that it stands under, or that its array stands under."""
    cell: Cell | None
    """The cell that it is, or whose source it is."""
    key: bytes | None = None
    """Of an object, the key whose value comes next."""


class _Reader:
    """Reads JSON token by token, and keeps what belongs to cells."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.language = ""
        self.stack: list[_Frame] = []

    def open(self, bracket: bytes) -> None:
        """Begin an object or an array."""
        top = self.stack[-1] if self.stack else None
        name, cell = self._name(), None
        if top is not None and (top.bracket, bracket, name) == (b"[", b"{", b"cells"):
            cell = Cell()
        elif top is not None and (top.bracket, bracket) == (b"{", b"[") and name in _SOURCES:
            cell = top.cell
        self._done()
        self.stack.append(_Frame(bracket, name, cell))

    def close(self, bracket: bytes) -> bool:
        """End an object or an array; False when it is not the one that is open."""
        top = self.stack.pop() if self.stack else None
        if top is None or top.bracket != _OPENED[bracket]:
            return False
        if top.cell is not None and bracket == b"}":
            self.cells.append(top.cell)
        return True

    def take(self, token: re.Match[bytes]) -> None:
        """Take a string or another word: a key or a value."""
        top = self.stack[-1] if self.stack else None
        if top is None:
            return
        if top.bracket == b"{" and top.key is None:
            top.key = token.group(1) or b""
            return
        if token.group(1) is not None:
            self._take_string(top, token)
        self._done()

    def _take_string(self, top: _Frame, token: re.Match[bytes]) -> None:
        name = self._name()
        if top.cell is not None and name in _SOURCES:
            top.cell.strings.append(token.span(1))
        elif top.cell is not None and name == b"cell_type":
            top.cell.kind = token.group(1).decode("utf-8", "replace")
        elif (top.name, name) == (b"language_info", b"name"):
            self.language = token.group(1).decode("utf-8", "replace")

    def _name(self) -> bytes:
        """The key that the next value stands under."""
        if not self.stack:
            return b""
        top = self.stack[-1]
        return top.name if top.key is None else top.key

    def _done(self) -> None:
        if self.stack:
            self.stack[-1].key = None


_ESCAPE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_BETWEEN = re.compile(_ESCAPE.pattern.decode() + r'|"\s*,\s*"', re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _split(data: bytes, first: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Tile a JSON string with escapes and what stands between them."""
    at = first
    for match in _ESCAPE.finditer(data, first, end):
        if at < match.start():
            yield at, match.start(), False
        yield match.start(), match.end(), True
        at = match.end()
    if at < end:
        yield at, end, False


def _unescaped(escape: str) -> str:
    if escape[1] != "u":
        return _SHORT.get(escape[1], escape[1])
    units = [int(unit, 16) for unit in escape.split("\\u")[1:] if len(unit) == 4]
    if len(units) == 2:
        return chr(0x10000 + ((units[0] - 0xD800) << 10) + units[1] - 0xDC00)
    return chr(units[0]) if units else "u"
