"""From spans and an outline to chunks: which definition each is, its scope, parts, siblings, imports and errors."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, make_dataclass
from typing import TYPE_CHECKING, TypeVar

from connote.chunk.imports import Import, Uses
from connote.chunk.outline import MINOR, Definition, Outline
from connote.model import Chunk, Symbol

if TYPE_CHECKING:
    from connote.chunk.cut import Span
    from connote.chunk.options import ChunkOptions
    from connote.chunk.source import Source

_Made = TypeVar("_Made", Chunk, Symbol)

_BODIES = frozenset({"function", "method", "constructor", "macro", "test"})
"""Kinds whose pieces belong to them even where a smaller definition begins inside a piece."""
_SIBLINGS = 3
"""Siblings given on each side."""


def assemble(  # noqa: PLR0913, PLR0917 - each is one fact about the same document
    path: str,
    language: str | None,
    source: Source,
    spans: list[Span],
    found: Outline,
    imports: Iterable[Import],
    options: ChunkOptions,
    error: str | None,
) -> list[Chunk]:
    """Make the chunks of a document from its spans, which are sorted and disjoint."""
    definitions = found.definitions
    owners, begun_in = _owners(definitions, spans)
    parts = Counter(owners)
    seen = [0] * len(definitions)
    neighbours = _Neighbours(definitions) if options.siblings != "none" and options.context == "full" else None
    uses = Uses(source, imports) if options.context == "full" else None
    errors = _Errors(source, found.errors) if found.errors and error is None else None
    symbols: list[Symbol | None] = [None] * len(definitions)
    chunks: list[Chunk] = []
    for index, (start, end) in enumerate(spans):
        owner, held = owners[index], begun_in[index]
        if owner >= 0 and owner not in held:
            held = [owner, *held]
        shown = []
        for i in held:
            symbol = symbols[i]
            if symbol is None:
                symbol = symbols[i] = _symbol(source, definitions[i])
            shown.append(symbol)
        first_line = source.line_of(start)
        symbol = symbols[owner] if owner >= 0 else None
        part = part_count = 1
        if symbol is not None:
            seen[owner] = part = seen[owner] + 1
            part_count = parts[owner]
            line, column = symbol.line, symbol.column
        else:
            line, column = _first_text(source, start, first_line)
        # By position: a chunk has many fields, and a name for each would cost more than the rest of this loop.
        chunks.append(
            _make_chunk(
                path,
                index,
                source.decode(start, end),
                start,
                end,
                first_line + 1,
                source.line_of(max(end - 1, start)) + 1,
                language,
                None if symbol is None else symbol.name,
                None if symbol is None else symbol.kind,
                tuple(shown),
                () if symbol is None else symbol.scope,
                "" if symbol is None else symbol.signature,
                "" if symbol is None else symbol.doc,
                () if uses is None else uses.within(start, end, own=not options.filter_imports),
                () if neighbours is None or owner < 0 else neighbours.of(owner, held, options),
                part,
                part_count,
                error if errors is None else errors.within(start, end),
                line,
                column,
                _context(source, spans, index, symbol, part, options),
            )
        )
    return chunks


def _maker(of: type[_Made]) -> Callable[..., _Made]:
    """A way to make a frozen dataclass with slots that takes a fifth of the time, from all its fields in their order.

    Its own sets each field through a call. A twin with the same slots sets them directly, and then becomes one.
    """
    twin: Callable[..., _Made] = make_dataclass(of.__name__, [one.name for one in fields(of)], slots=True)

    def make(*values: object) -> _Made:
        made = twin(*values)
        made.__class__ = of
        return made

    return make


_make_chunk = _maker(Chunk)
_make_symbol = _maker(Symbol)


def _owners(definitions: list[Definition], spans: list[Span]) -> tuple[list[int], list[list[int]]]:
    """For each span the definition that it is, holds first, or is part of, or -1; and those that begin in it."""
    starts = [definition.full_start for definition in definitions]
    order = sorted(range(len(definitions)), key=starts.__getitem__)
    owners: list[int] = []
    begun_in: list[list[int]] = []
    next_one, count = 0, len(order)
    open_ones: list[int] = []
    for start, end in spans:
        while open_ones and definitions[open_ones[-1]].end <= start:
            open_ones.pop()
        # Definitions that begin between chunks begin on blank edges: they count to the chunk that follows.
        while next_one < count and starts[order[next_one]] < start:
            _push(open_ones, definitions, order[next_one], start)
            next_one += 1
        around = _innermost(open_ones, definitions, start) if open_ones else -1
        begun = []
        while next_one < count and starts[order[next_one]] < end:
            begun.append(order[next_one])
            _push(open_ones, definitions, order[next_one], start)
            next_one += 1
        owners.append(_owner(definitions, around, begun, start, end) if begun else around)
        begun_in.append(begun)
    return owners, begun_in


def _push(open_ones: list[int], definitions: list[Definition], index: int, start: int) -> None:
    definition = definitions[index]
    if definition.end > start:
        while open_ones and definitions[open_ones[-1]].end <= definition.full_start:
            open_ones.pop()
        open_ones.append(index)


def _innermost(open_ones: list[int], definitions: list[Definition], at: int) -> int:
    for index in reversed(open_ones):
        if definitions[index].end > at:
            return index
    return -1


def _owner(definitions: list[Definition], around: int, begun: list[int], start: int, end: int) -> int:
    """The definition that a chunk is, holds first, or is part of."""
    for first in begun:
        if definitions[first].kind not in MINOR:
            break
    else:
        first = begun[0]
    if around < 0:
        return first
    outer, inner = definitions[around], definitions[first]
    inside = min(outer.end, end) - start
    if outer.kind in _BODIES and inner.full_start > start and inside * 2 > end - start:
        return around
    if inner.kind in MINOR and inner.full_start < outer.end:
        return around
    return first


def _symbol(source: Source, definition: Definition) -> Symbol:
    starts = source.starts
    start, end, name_at = definition.full_start, definition.end, definition.name_at
    # The sentinel is behind all definitions, but for empty ones at the very end.
    lines = source.lines
    first = bisect_right(starts, start, 0, lines) - 1
    last = bisect_right(starts, max(end - 1, start), first, lines) - 1
    line = bisect_right(starts, name_at, 0, lines) - 1
    if end + 1 >= starts[last + 1]:
        end = min(end, source.content_end(last))
    if source.is_ascii:
        columns = (start - starts[first] + 1, end - starts[last] + 1, name_at - starts[line] + 1)
    else:
        column_of = source.column_of
        columns = (column_of(start, first) + 1, column_of(end, last) + 1, column_of(name_at, line) + 1)
    return _make_symbol(
        definition.name,
        definition.kind,
        definition.scope,
        first + 1,
        columns[0],
        last + 1,
        columns[1],
        line + 1,
        columns[2],
        definition.signature,
        definition.doc,
    )


def _first_text(source: Source, start: int, line: int) -> tuple[int, int]:
    row = source.data[start : min(source.starts[line + 1], start + 4000)]
    at = start + len(row) - len(row.lstrip())
    if at == 0 and row.startswith(b"\xef\xbb\xbf"):
        at = 3
    return line + 1, source.column_of(at, line) + 1


class _Neighbours:
    """Which definitions stand beside each other."""

    def __init__(self, definitions: list[Definition]) -> None:
        self._definitions = definitions
        self._levels: dict[int, list[int]] = {}
        """By parent, in document order."""
        self._positions: list[int] = []
        """Of each definition in its level."""
        for index, definition in enumerate(definitions):
            level = self._levels.setdefault(definition.parent, [])
            self._positions.append(len(level))
            level.append(index)

    def of(self, owner: int, held: list[int], options: ChunkOptions) -> tuple[str, ...]:
        """Siblings of a chunk: the nearest before and after those of the owner's level that it holds."""
        definitions = self._definitions
        parent = definitions[owner].parent
        level = self._levels[parent]
        if len(level) == 1:
            return ()
        # Indexes are in document order, so that those held are one run of the level.
        inside = [self._positions[i] for i in held if definitions[i].parent == parent]
        first, last = (inside[0], inside[-1]) if inside else (self._positions[owner],) * 2
        near = level[max(0, first - _SIBLINGS) : first] + level[last + 1 : last + 1 + _SIBLINGS]
        if options.siblings == "signatures":
            return tuple([definitions[i].signature or definitions[i].name for i in near])
        return tuple([definitions[i].name for i in near])


class _Errors:
    """What the parser could not read, by place."""

    def __init__(self, source: Source, errors: list[tuple[int, int, bool]]) -> None:
        self._source = source
        self._errors = errors

    def within(self, start: int, end: int) -> str | None:
        """A sentence about the first error that touches a span."""
        for first, last, is_missing in self._errors:
            if first >= end:
                break
            if last > start or (first == last and first >= start):
                at = max(first, start)
                line = self._source.line_of(at)
                column = self._source.column_of(at, line)
                what = "something is missing at" if is_missing else "the parser could not read"
                return f"{what} line {line + 1}, column {column + 1}"
        return None


def _context(
    source: Source, spans: list[Span], index: int, symbol: Symbol | None, part: int, options: ChunkOptions
) -> str:
    """What is embedded before a chunk's text: nothing that an edit elsewhere in the file or a new path would change."""
    lines: list[str] = []
    if symbol is not None and options.context != "none":
        lines.append(" > ".join((*symbol.scope, symbol.name)))
        if part > 1 and options.context == "full":
            # Of the documentation the summary alone: an edit further down in it is no edit of the other parts.
            lines += [symbol.signature, symbol.doc.split("\n\n", 1)[0]]
    if options.overlap_lines and index:
        lines.append(_overlap(source, spans[index - 1], options))
    return "\n".join(line for line in lines if line)


def _overlap(source: Source, before: Span, options: ChunkOptions) -> str:
    # Never more than a quarter of a chunk: what is embedded should be about the chunk.
    end = source.line_of(max(before[1] - 1, before[0])) + 1
    first = max(end - options.overlap_lines, source.line_of(before[0]))
    while first < end and source.size(first, end) * 4 > options.max_size:
        first += 1
    return source.decode(max(source.starts[first], before[0]), before[1]) if first < end else ""
