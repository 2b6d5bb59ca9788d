"""A document's bytes with its lines: the one place that turns bytes into lines, columns and sizes."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

# Blank is what `bytes.isspace` says: the smallest set, so that whatever else a reader takes for blank is covered too.
_CONTINUATIONS = bytes(range(0x80, 0xC0))
_WITHOUT_CONTENT = b" \t\x0b\x0c\r" + _CONTINUATIONS
_LONE_CR = re.compile(rb"\r(?!\n)")
_BOM = b"\xef\xbb\xbf"


def size_of(data: bytes) -> int:
    """Count the characters of a text that are no white space."""
    return len(data.translate(None, _WITHOUT_CONTENT + b"\n"))


class Source:
    """A document as the chunker sees it. Lines are counted from 0; \\n, \\r\\n and \\r alone end one."""

    __slots__ = ("_begins", "_bom", "_last", "acc", "data", "is_ascii", "lines", "parsed", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # Lone surrogates become three bytes each, and come back as they were.
        self.data = text.encode("utf-8", "surrogatepass")
        # A parser counts no lone \r as a line end; the replacement is as long, so that offsets hold.
        # Few know a line that \ continues before \r\n.
        crlf = b"\r" in self.data
        self.parsed = _LONE_CR.sub(b"\n", self.data).replace(b"\\\r\n", b" \\\n") if crlf else self.data
        self._bom = self.data.startswith(_BOM)
        self.is_ascii = self.data.isascii()
        # Line, offset and column of the column asked for last.
        self._last = (-1, 0, 0)
        # What bytes take for line ends are \n, \r\n and \r, of which the last is gone.
        rows = self.parsed.splitlines(keepends=True)
        if not rows or rows[-1].endswith(b"\n"):
            rows.append(b"")
        self.lines = len(rows)
        self.starts = [0, *accumulate(map(len, rows))]
        """Offset of each line, and a sentinel behind the last."""
        self._begins = self.starts[:-1]
        # Each character keeps its first byte alone here, unless it is blank: so rows of this are sizes.
        rows = self.parsed.translate(None, _WITHOUT_CONTENT).split(b"\n")
        self.acc = [0, *accumulate(map(len, rows))]
        """Non-whitespace characters before each line, so that `acc[b] - acc[a]` is the size of lines a to b."""

    def line_of(self, offset: int) -> int:
        """Line of a byte offset; that of the end of the document is its last line."""
        return bisect_right(self._begins, offset) - 1

    def column_of(self, offset: int, line: int) -> int:
        """Characters before a byte offset in its line. A byte order mark is none."""
        start = self.starts[line]
        if self.is_ascii:
            return offset - start
        # A line may be the whole document: what was counted last on it is counted from.
        if self._last[0] != line:
            self._last = (line, start, -1 if self._bom and not line else 0)
        _, at, column = self._last
        between = self.data[min(at, offset) : max(at, offset)]
        characters = len(between.translate(None, _CONTINUATIONS))
        column += characters if offset >= at else -characters
        self._last = (line, offset, column)
        return max(column, 0)

    def size(self, first: int, end: int) -> int:
        """Non-whitespace characters of the lines from `first` up to `end`."""
        return self.acc[end] - self.acc[first]

    def decode(self, start: int, end: int) -> str:
        """The text between two offsets that lie on character boundaries."""
        return self.data[start:end].decode("utf-8", "surrogatepass")

    def content_end(self, line: int) -> int:
        """Offset just behind a line's last character, before its line end."""
        end = self.starts[line + 1]
        if end > self.starts[line] and self.parsed[end - 1] == 0x0A:
            end -= 1
            # Only the \r of a \r\n is a line end; a lone one before \n cannot be: it would be the \r\n.
            if end > self.starts[line] and self.data[end] == 0x0A and self.data[end - 1] == 0x0D:
                end -= 1
        return end

    def indent(self, line: int) -> int:
        """Columns before the first character of a line, a tab counting as 4."""
        row = self.data[self.starts[line] : self.content_end(line)]
        head = row[: len(row) - len(row.lstrip(b" \t"))]
        return len(head) + 3 * head.count(b"\t")

    def has_text_before(self, offset: int, line: int) -> bool:
        """Whether something stands before an offset on its line. Nobody indents by more than 1000."""
        start = self.starts[line]
        return offset - start > 1000 or bool(self.data[start:offset].strip())

    def indent_bytes(self, line: int) -> int:
        """Bytes before the first character of a line."""
        row = self.data[self.starts[line] : self.starts[line + 1]]
        return len(row) - len(row.lstrip(b" \t"))

    def is_blank(self, line: int) -> bool:
        """Whether a line holds nothing but white space."""
        return self.acc[line + 1] == self.acc[line]
