"""Definitions that a parser lost in what it could not read, found by the keyword at the head of their line."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING

from connote.chunk.outline import Definition, Outline

if TYPE_CHECKING:
    from connote.chunk.source import Source


def rescue(source: Source, found: Outline) -> None:
    """Add to an outline what its errors hide. What was found by the parser stays as it is."""
    known = {definition.name_at for definition in found.definitions}
    comments = found.comments
    starts = [start for start, _ in comments]
    added = []
    end = -1
    for first, last, _ in found.errors:
        if last <= end:
            continue  # Inside an error that has been searched.
        # From the line's head on: the error may begin behind the keyword.
        begin = source.starts[source.line_of(first)]
        # And up to the end of the line after it: what follows an error may be taken for a part of what was before.
        last = source.starts[min(source.line_of(last) + 2, source.lines)]  # noqa: PLW2901 - the end is what is widened
        end = last
        heads = chain(*(pattern.finditer(source.parsed, begin, last) for pattern in (_HEAD, _SQL_HEAD)))
        for match in heads:
            i = bisect_right(starts, match.start("name")) - 1
            if match.start("name") in known or (i >= 0 and match.start("name") < comments[i][1]):
                continue
            known.add(match.start("name"))
            added.append(_definition(source, found, match))
    if added:
        _merge(found, added)


_KINDS = {
    b"function": "function", b"def": "function", b"fn": "function", b"func": "function", b"fun": "function",
    b"sub": "function", b"class": "class", b"struct": "struct", b"enum": "enum", b"interface": "interface",
    b"trait": "trait", b"impl": "impl", b"module": "module", b"namespace": "namespace", b"protocol": "interface",
    b"@mixin": "function", b"@function": "function", b"@interface": "class", b"@implementation": "class",
    b"@protocol": "interface", b"procedure": "function", b"proc": "function", b"trigger": "function", b"table": "table",
    b"view": "view", b"type": "type",
}  # fmt: skip

_HEAD = re.compile(
    rb"^[ \t]*(?:(?:export|default|public|private|protected|internal|static|async|pub(?:\([^)\n]*\))?|abstract|final"
    rb"|override|virtual|inline|unsafe|open|suspend|local|declare)[ \t]+)*"
    rb"(?P<word>function|proc|def|fn|func|fun|sub|class|struct|enum|interface|trait|impl|module|namespace|protocol"
    rb"|@(?:mixin|function|interface|implementation|protocol)|type(?=[ \t]+[\w$]+[ \t]*[=<]))\b[*!]?"
    # The scopes of Vim's functions and Tcl's namespaces.
    rb"[ \t]+(?:<SID>|[sgbl]:(?!:))?(?:\w*::)*(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)",
    re.MULTILINE,
)
# Dialects of SQL differ most in what is around their statements.
_SQL_HEAD = re.compile(
    rb"^[ \t]*create[ \t]+(?:or[ \t]+(?:replace|alter)[ \t]+)?"
    rb"(?P<word>procedure|proc|function|trigger|table|view)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?"
    rb"(?:[\[\"`]?[\w\x80-\xff]+[\]\"`]?\.)*[\[\"`]?(?P<name>[A-Za-z_\x80-\xff][\w$\x80-\xff]*)",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSERS = (b"}", b")", b"]", b"end")


def _definition(source: Source, found: Outline, match: re.Match[bytes]) -> Definition:
    head = match.group()
    start = match.start() + len(head) - len(head.lstrip())
    line = source.line_of(start)
    last = _last_line(source, line)
    top = found.lead(line)
    above = found.leads.get(line - 1)
    full_start = start if above is None else source.starts[top] + source.indent_bytes(top)
    name = match.group("name").decode("utf-8", "replace")
    kind = _KINDS[match.group("word").lower()]
    definition = Definition(name, kind, (), -1, start, source.content_end(last), full_start, match.start("name"))
    row = source.data[start : source.content_end(line)].decode("utf-8", "replace")
    definition.signature = " ".join(row.split()).rstrip("{: ")[:300]
    return definition


def _last_line(source: Source, line: int) -> int:
    """The last line of a block by its indentation, with the line that closes it."""
    own = source.indent(line)
    last = line
    for below in range(line + 1, source.lines):
        if source.is_blank(below):
            continue
        if source.indent(below) <= own:
            row = source.parsed[source.starts[below] : source.starts[below + 1]].strip()
            return below if row.startswith(_CLOSERS) and source.indent(below) == own else last
        last = below
    return last


def _merge(found: Outline, added: list[Definition]) -> None:
    """Put definitions where they belong in document order, and keep the indexes of parents right."""
    definitions = found.definitions
    parents = {id(d): definitions[d.parent] for d in definitions if d.parent >= 0}
    found.definitions = sorted([*definitions, *added], key=lambda d: (d.start, -d.end))
    index = {id(d): i for i, d in enumerate(found.definitions)}
    for definition in found.definitions:
        parent = parents.get(id(definition))
        definition.parent = index[id(parent)] if parent is not None else -1
