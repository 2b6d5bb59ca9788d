"""Paragraphs of lines: what a document is cut into where no syntax tree helps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from connote.chunk.source import Source


def paragraphs(source: Source, first: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Tile lines with paragraphs that end at blank lines, none larger than `most` unless it is a single line.

    One that is larger is cut before its least indented line, as far back as possible.
    """
    start = first
    for line in range(first + 1, end):
        if source.is_blank(line - 1) and not source.is_blank(line):
            yield from _fitting(source, start, line, most)
            start = line
    if start < end:
        yield from _fitting(source, start, end, most)


def _fitting(source: Source, first: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    while source.size(first, end) > most and end - first > 1:
        last = first + 1
        while last < end and source.size(first, last + 1) <= most:
            last += 1
        # Of the lines that may begin the next piece, the least indented one, the later of equals; never so early
        # that less than a third of the limit is left behind.
        best, best_indent = last, source.indent(last) if last < end else 0
        for line in range(last - 1, first, -1):
            if source.size(first, line) * 3 < most:
                break
            indent = source.indent(line)
            if indent < best_indent and not source.is_blank(line):
                best, best_indent = line, indent
        yield first, best
        first = best
    if first < end:
        yield first, end
