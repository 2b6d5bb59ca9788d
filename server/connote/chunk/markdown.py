"""Markdown by its headings: sections are definitions, the headings above them their scope, and fenced code is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from connote.chunk.cut import Atom, Node
from connote.chunk.embedded import language_of_word
from connote.chunk.outline import MAX_SCOPE, MINOR, Definition, Outline
from connote.chunk.region import Branch, Budget, absorb, read_region

if TYPE_CHECKING:
    from connote.chunk.imports import Import
    from connote.chunk.source import Source

MIN_FENCE_LINES = 2
"""Lines from which fenced code may hold a definition worth a name."""


class Heading(NamedTuple):
    """A heading; lines are counted from 0."""

    line: int
    level: int
    """1 to 6."""
    title: str
    start: int
    """Offset of its line."""
    name_at: int
    """Offset of its title."""
    before: int
    """Where the text before it ends."""


class Fence(NamedTuple):
    """Code between two rows of backticks or tildes."""

    first: int
    """Line of the opening row."""
    end: int
    """The line behind the closing row."""
    word: str
    """What the opening row says of it."""


def sections(source: Source, budget: Budget) -> tuple[Outline, list[Atom], list[Import]]:
    """Find the sections and the definitions in fenced code; give one atom for each section's own text."""
    headings, fences = scan(source)
    found = Outline()
    found.definitions = nest(headings, source.content_end(source.lines - 1))
    lines = [heading.line for heading in headings]
    begins = frozenset(lines)
    branches, imports = _read_fences(source, fences, found, budget)
    atoms = []
    at = 0
    for first, end in pairwise(borders(source, lines)):
        inside = []
        while at < len(branches) and branches[at][0].first < end:
            inside.append(branches[at][1])
            at += 1
        node = _section(source, first, end, inside) if inside else None
        atoms.append(Atom(first, end, node, first in begins))
    return found, atoms, imports


def scan(source: Source) -> tuple[list[Heading], list[Fence]]:
    """Find headings and fences; what looks like a heading inside of a fence or of front matter is none."""
    fences: list[Fence] = []
    return list(_headings(source, fences)), fences


def nest(headings: Iterable[Heading], end: int) -> list[Definition]:
    """Make sections of headings: each reaches to the next of its level or above, the last ones to `end`."""
    definitions: list[Definition] = []
    open_levels: list[tuple[int, int]] = []
    for heading in headings:
        while open_levels and open_levels[-1][0] >= heading.level:
            definitions[open_levels.pop()[1]].end = heading.before
        parent = open_levels[-1][1] if open_levels else -1
        outer = definitions[parent] if parent >= 0 else None
        scope = (*outer.scope, outer.name)[-MAX_SCOPE:] if outer is not None else ()
        open_levels.append((heading.level, len(definitions)))
        start = heading.start
        definitions.append(Definition(heading.title, "section", scope, parent, start, end, start, heading.name_at))
    return definitions


def borders(source: Source, lines: list[int]) -> list[int]:
    """The lines that tile a document whose sections begin on `lines`: its first, these, and the one behind its last."""
    return sorted({0, *lines, source.lines})


def _read_fences(
    source: Source, fences: list[Fence], found: Outline, budget: Budget
) -> tuple[list[tuple[Fence, Branch]], list[Import]]:
    branches, outlines, imports = [], [], []
    for fence in fences:
        language = language_of_word(fence.word)
        first, last = fence.first + 1, fence.end - 1
        if language in (None, "markdown", "text") or last - first < MIN_FENCE_LINES:
            continue
        reading = read_region(source, language, budget, (source.starts[first], source.starts[last]))
        if reading is None or reading.is_garbled:
            continue
        # Variables and keys of an example are no definitions of this document.
        if any(definition.kind in MINOR for definition in reading.outline.definitions):
            _drop_minor(reading.outline)
        outlines.append(reading.outline)
        imports += reading.imports
        end = source.content_end(fence.end - 1)
        branches.append((fence, Branch(source.starts[fence.first], end, reading.root.children)))
    absorb(found, outlines)
    return branches, imports


def _drop_minor(found: Outline) -> None:
    kept = [definition for definition in found.definitions if definition.kind not in MINOR]
    index = {id(definition): i for i, definition in enumerate(kept)}
    for definition in kept:
        parent = definition.parent
        while parent >= 0 and id(found.definitions[parent]) not in index:
            parent = found.definitions[parent].parent
        definition.parent = index[id(found.definitions[parent])] if parent >= 0 else -1
    found.definitions = kept


def _section(source: Source, first: int, end: int, fences: list[Branch]) -> Branch:
    """What a section over the limit is opened into: paragraphs, and the statements of its fenced code."""
    children: list[Node] = []
    line = first
    for fence in fences:
        start = source.line_of(fence.start_byte)
        children += _paragraphs(source, line, start)
        children += fence.children
        line = source.line_of(fence.end_byte) + 1
    children += _paragraphs(source, line, end)
    return Branch(source.starts[first], source.content_end(end - 1), children)


def _paragraphs(source: Source, first: int, end: int) -> Iterator[Branch]:
    start = first
    for line in range(first + 1, end + 1):
        if line == end or (source.is_blank(line - 1) and not source.is_blank(line)):
            if start < line:
                yield Branch(source.starts[start], source.content_end(line - 1))
            start = line


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)]|$)| {4}|\t")


def _headings(source: Source, fences: list[Fence]) -> Iterator[Heading]:
    rows = [source.decode(source.starts[i], source.content_end(i)) for i in range(source.lines)]
    fence, opened, word = "", 0, ""
    first = _front_matter_end(rows)
    for line in range(first, len(rows)):
        row = rows[line].lstrip("\ufeff")
        match = _FENCE.match(row)
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2).strip():
                fence = ""
                fences.append(Fence(opened, line + 1, word))
            continue
        if match and not (match.group(1)[0] == "`" and "`" in match.group(2)):
            fence, opened, word = match.group(1), line, match.group(2)
            continue
        atx = _ATX.match(row)
        if atx:
            title = (atx.group(2) or "").strip()
            if title:
                yield _heading(source, line, len(atx.group(1)), title)
            continue
        setext = _SETEXT.match(row)
        above = rows[line - 1] if line > first else ""
        if setext and not _NOT_A_PARAGRAPH.match(above) and not _ATX.match(above) and above.strip():
            title = above.strip().lstrip("\ufeff")
            yield _heading(source, line - 1, 1 if setext.group(1)[0] == "=" else 2, title)


def _heading(source: Source, line: int, level: int, title: str) -> Heading:
    start = source.starts[line]
    before = source.content_end(line - 1) if line else 0
    return Heading(line, level, _plain(title), start, _offset(source, line, title), before)


def _front_matter_end(rows: list[str]) -> int:
    if not rows or rows[0].lstrip("\ufeff").rstrip() not in ("---", "+++"):
        return 0
    mark = rows[0].lstrip("\ufeff").rstrip()
    for i in range(1, len(rows)):
        if rows[i].rstrip() in (mark, "..."):
            return i + 1
    return 0


def _plain(title: str) -> str:
    title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return " ".join(title.replace("`", "").replace("**", "").split())[:200] or title[:200]


def _offset(source: Source, line: int, title: str) -> int:
    start = source.starts[line]
    at = source.data.find(title.encode("utf-8", "surrogatepass"), start, source.starts[line + 1])
    return max(at, start)
