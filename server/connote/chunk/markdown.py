"""Markdown by its headings: sections are definitions, and the headings above them their scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from connote.chunk.cut import Atom
from connote.chunk.outline import Definition, Outline

if TYPE_CHECKING:
    from connote.chunk.source import Source

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)]|$)| {4}|\t")


def sections(source: Source) -> tuple[Outline, list[Atom]]:
    """Find the headings outside of fences and front matter; one atom for each section's own text."""
    found = Outline()
    headings = list(_headings(source))
    open_levels: list[tuple[int, int]] = []
    for line, level, title, name_at in headings:
        start = source.starts[line]
        while open_levels and open_levels[-1][0] >= level:
            found.definitions[open_levels.pop()[1]].end = source.content_end(line - 1)
        parent = open_levels[-1][1] if open_levels else -1
        outer = found.definitions[parent] if parent >= 0 else None
        scope = (*outer.scope, outer.name) if outer is not None else ()
        open_levels.append((level, len(found.definitions)))
        end = source.content_end(source.lines - 1)
        found.definitions.append(Definition(title, "section", scope, parent, start, end, start, name_at))
    borders = sorted({0, *(line for line, *_ in headings), source.lines})
    lines = {line for line, *_ in headings}
    atoms = [Atom(a, b, None, a in lines) for a, b in pairwise(borders)]
    return found, atoms


def _headings(source: Source) -> Iterator[tuple[int, int, str, int]]:
    """Line, level, title and offset of the title of each heading."""
    rows = [source.decode(source.starts[i], source.content_end(i)) for i in range(source.lines)]
    fence = ""
    first = _front_matter_end(rows)
    for line in range(first, len(rows)):
        row = rows[line].lstrip("\ufeff")
        match = _FENCE.match(row)
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2).strip():
                fence = ""
            continue
        if match and not (match.group(1)[0] == "`" and "`" in match.group(2)):
            fence = match.group(1)
            continue
        atx = _ATX.match(row)
        if atx:
            title = (atx.group(2) or "").strip()
            if title:
                yield line, len(atx.group(1)), _plain(title), _offset(source, line, title)
            continue
        setext = _SETEXT.match(row)
        above = rows[line - 1] if line > first else ""
        if setext and not _NOT_A_PARAGRAPH.match(above) and not _ATX.match(above) and above.strip():
            title = above.strip().lstrip("\ufeff")
            yield line - 1, 1 if setext.group(1)[0] == "=" else 2, _plain(title), _offset(source, line - 1, title)


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
