"""From spans and an outline to chunks: which definition each is, its scope, parts, siblings, imports and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from connote.chunk.imports import Import, uses
from connote.chunk.outline import MINOR, Definition, Outline
from connote.model import Chunk, Symbol

if TYPE_CHECKING:
    from connote.chunk.cut import Span
    from connote.chunk.options import ChunkOptions
    from connote.chunk.source import Source

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
    order = sorted(range(len(definitions)), key=lambda i: (definitions[i].full_start, i))
    symbols: dict[int, Symbol] = {}
    owners: list[int] = []
    begun_in: list[list[int]] = []
    next_one = 0
    open_ones: list[int] = []
    for start, end in spans:
        # Definitions that begin between chunks begin on blank edges: they count to the chunk that follows.
        while open_ones and definitions[open_ones[-1]].end <= start:
            open_ones.pop()
        while next_one < len(order) and definitions[order[next_one]].full_start < start:
            _push(open_ones, definitions, order[next_one], start)
            next_one += 1
        around = _innermost(open_ones, definitions, start)
        begun = []
        while next_one < len(order) and definitions[order[next_one]].full_start < end:
            begun.append(order[next_one])
            _push(open_ones, definitions, order[next_one], start)
            next_one += 1
        owners.append(_owner(definitions, around, begun, start, end))
        begun_in.append(begun)
    parts = Counter(owner for owner in owners if owner >= 0)
    seen: Counter[int] = Counter()
    children = _children(definitions) if options.siblings != "none" and options.context == "full" else {}
    listed = list(imports)
    chunks: list[Chunk] = []
    errors = _Errors(source, found.errors)
    for index, (start, end) in enumerate(spans):
        owner, begun = owners[index], begun_in[index]
        held = begun if owner < 0 or owner in begun else [owner, *begun]
        for i in held:
            if i not in symbols:
                symbols[i] = _symbol(source, definitions[i])
        symbol = symbols.get(owner)
        seen[owner] += 1
        text = source.decode(start, end)
        first_line = source.line_of(start)
        chunk_error = error if error is not None else errors.within(start, end)
        place = (symbol.line, symbol.column) if symbol else _first_text(source, start, first_line)
        part, part_count = (seen[owner], parts[owner]) if symbol else (1, 1)
        chunks.append(
            Chunk(
                path=path,
                index=index,
                text=text,
                start_byte=start,
                end_byte=end,
                start_line=first_line + 1,
                end_line=source.line_of(max(end - 1, start)) + 1,
                language=language,
                symbol=symbol.name if symbol else None,
                kind=symbol.kind if symbol else None,
                symbols=tuple(symbols[i] for i in held),
                scope=symbol.scope if symbol else (),
                signature=symbol.signature if symbol else "",
                doc=symbol.doc if symbol else "",
                imports=_used(listed, text, start, end, options),
                siblings=_siblings(definitions, children, held, owner, options),
                part=part,
                parts=part_count,
                error=chunk_error,
                line=place[0],
                column=place[1],
                context=_context(source, spans, index, symbol, part, options),
            )
        )
    return chunks


def _push(open_ones: list[int], definitions: list[Definition], index: int, start: int) -> None:
    if definitions[index].end > start:
        while open_ones and definitions[open_ones[-1]].end <= definitions[index].full_start:
            open_ones.pop()
        open_ones.append(index)


def _innermost(open_ones: list[int], definitions: list[Definition], at: int) -> int:
    for index in reversed(open_ones):
        if definitions[index].end > at:
            return index
    return -1


def _owner(definitions: list[Definition], around: int, begun: list[int], start: int, end: int) -> int:
    """The definition that a chunk is, holds first, or is part of."""
    first = next((i for i in begun if definitions[i].kind not in MINOR), begun[0] if begun else -1)
    if around < 0 or first < 0:
        return max(around, first)
    outer, inner = definitions[around], definitions[first]
    inside = min(outer.end, end) - start
    if outer.kind in _BODIES and inner.full_start > start and inside * 2 > end - start:
        return around
    if inner.kind in MINOR and inner.full_start < outer.end:
        return around
    return first


def _symbol(source: Source, definition: Definition) -> Symbol:
    first, last = source.line_of(definition.full_start), source.line_of(max(definition.end - 1, definition.full_start))
    line = source.line_of(definition.name_at)
    end = min(definition.end, source.content_end(last))
    return Symbol(
        name=definition.name,
        kind=definition.kind,
        scope=definition.scope,
        start_line=first + 1,
        start_column=source.column_of(definition.full_start, first) + 1,
        end_line=last + 1,
        end_column=source.column_of(end, last) + 1,
        line=line + 1,
        column=source.column_of(definition.name_at, line) + 1,
        signature=definition.signature,
        doc=definition.doc,
    )


def _first_text(source: Source, start: int, line: int) -> tuple[int, int]:
    row = source.data[start : min(source.starts[line + 1], start + 4000)]
    at = start + len(row) - len(row.lstrip())
    if at == 0 and row.startswith(b"\xef\xbb\xbf"):
        at = 3
    return line + 1, source.column_of(at, line) + 1


def _children(definitions: list[Definition]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for index, definition in enumerate(definitions):
        children.setdefault(definition.parent, []).append(index)
    return children


def _siblings(
    definitions: list[Definition], children: dict[int, list[int]], held: list[int], owner: int, options: ChunkOptions
) -> tuple[str, ...]:
    if owner < 0 or not children:
        return ()
    level = children[definitions[owner].parent]
    # Indexes are in document order, so that those held are one run of the level.
    shown = [i for i in held if definitions[i].parent == definitions[owner].parent] or [owner]
    before = [i for i in level if i < shown[0]][-_SIBLINGS:] if len(level) < 64 else _near(level, shown[0], -1)
    after = [i for i in level if i > shown[-1]][:_SIBLINGS] if len(level) < 64 else _near(level, shown[-1], 1)
    if options.siblings == "signatures":
        return tuple(definitions[i].signature or definitions[i].name for i in (*before, *after))
    return tuple(definitions[i].name for i in (*before, *after))


def _near(level: list[int], index: int, step: int) -> list[int]:
    from bisect import bisect_left, bisect_right  # noqa: PLC0415

    if step < 0:
        at = bisect_left(level, index)
        return level[max(0, at - _SIBLINGS) : at]
    at = bisect_right(level, index)
    return level[at : at + _SIBLINGS]


def _used(imports: list[Import], text: str, start: int, end: int, options: ChunkOptions) -> tuple[str, ...]:
    if options.context != "full":
        return ()
    used = []
    for item in imports:
        inside = start <= item.start < end
        if inside and not options.filter_imports:
            used.append(item.text)
            continue
        for name in item.names:
            if name in text and uses(text, name):
                used.append(item.text)
                break
    return tuple(dict.fromkeys(used))


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
            lines += [symbol.signature, symbol.doc]
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
