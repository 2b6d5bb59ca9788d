"""Regions of a document that are written in a language of their own, read in the coordinates of the whole."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from connote.chunk import grammar as grammars
from connote.chunk.imports import Import, read_import
from connote.chunk.macros import GRAMMARS as MACRO_GRAMMARS
from connote.chunk.macros import without_macros
from connote.chunk.outline import MAX_SCOPE, Definition, Outline, outline
from connote.chunk.rescue import rescue
from connote.languages import grammar_of

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.cut import Node
    from connote.chunk.grammar import Grammar
    from connote.chunk.source import Source

PARSE_SECONDS = 10.0
"""CPU time after which a document is cut as text. Two megabytes of the slowest grammar take about two."""

MAX_KEYS = 1000
"""Keys of a data file that are symbols; the first ones count."""

_MOSTLY_ERROR = 0.3
"""Share of the bytes in errors at the top of a tree from which the text is probably of another language."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Stands for a parser's node where a document is cut along more than one tree."""

    start_byte: int
    end_byte: int
    children: Sequence[Node] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser found in a document, or in a region of one."""

    root: tree_sitter.Node
    outline: Outline
    imports: list[Import]
    embedded: list[tree_sitter.Node]
    """Nodes that hold a text of another language."""
    is_garbled: bool
    """Whether so much is unreadable that the text is probably of another language: its tree is no guide."""


class Budget:
    """The CPU time that the trees of one document may take together."""

    def __init__(self, seconds: float = PARSE_SECONDS) -> None:
        self._end = time.thread_time() + seconds

    def left(self) -> float:
        """Seconds that are left; never below 0."""
        return max(self._end - time.thread_time(), 0.0)


def read(
    source: Source, grammar: Grammar, budget: Budget, region: tuple[int, int] | None = None, *, imports: bool = True
) -> Reading:
    """Parse a document, or the bytes of a region alone; raise `OverBudgetError` when that takes too long."""
    parsed = source.parsed
    start, end = region or (0, len(parsed))
    if grammar.name in MACRO_GRAMMARS:
        parsed = parsed[:start] + without_macros(parsed[start:end]) + parsed[end:]
    alone = grammars.Region(start, end, _place(source, start), _place(source, end)) if region is not None else None
    tree = grammars.parse(grammar, parsed, budget.left(), alone)
    root = tree.root_node
    captures = grammars.captures(grammar, root, parsed)
    found = outline(source, grammar, root, captures)
    if found.errors and grammar.rows:
        rescue(source, found)
    if grammar.name in _DATA:
        del found.definitions[MAX_KEYS:]
    bound = [read_import(source.decode(a, b), grammar.name, a, b) for a, b in found.imports] if imports else []
    return Reading(root, found, bound, captures.get("embedded", []), _is_garbled(found, end - start, root))


def read_region(source: Source, language: str | None, budget: Budget, region: tuple[int, int]) -> Reading | None:
    """Parse a region in its language; None where no grammar helps, or there is no time for it."""
    name = grammar_of(language)
    grammar = grammars.load(name) if name else None
    if grammar is None or not source.data[region[0] : region[1]].strip():
        return None
    try:
        return read(source, grammar, budget, region)
    except grammars.OverBudgetError:
        return None


def absorb(found: Outline, inner: Iterable[Outline]) -> None:
    """Put what was found in regions into the outline of their document, below the definitions around them."""
    hosts = found.definitions
    added = []
    parents = {id(d): hosts[d.parent] for d in hosts if d.parent >= 0}
    for part in inner:
        parents.update((id(d), part.definitions[d.parent]) for d in part.definitions if d.parent >= 0)
        added += part.definitions
        found.leads.update(part.leads)
        found.tops.update(part.tops)
        found.comments += part.comments
        found.errors += part.errors
    found.comments.sort()
    found.errors.sort()
    known = {id(d) for d in hosts}
    found.definitions = sorted([*hosts, *added], key=lambda d: (d.start, -d.end))
    index = {id(d): i for i, d in enumerate(found.definitions)}
    around: list[Definition] = []
    for definition in found.definitions:
        while around and around[-1].end <= definition.start:
            around.pop()
        if id(definition) in known:
            around.append(definition)
        elif around:
            host = around[-1]
            parents.setdefault(id(definition), host)
            definition.scope = (*host.scope, host.name, *definition.scope)[-MAX_SCOPE:]
        parent = parents.get(id(definition))
        definition.parent = index[id(parent)] if parent is not None else -1


class Grafts:
    """The trees of regions, by the nodes of the outer tree that hold them."""

    def __init__(self, regions: Iterable[tuple[tree_sitter.Node, tree_sitter.Node]]) -> None:
        pairs = list(regions)
        self._inner = {node.id: root for node, root in pairs}
        self._starts = sorted(node.start_byte for node, _ in pairs)

    def within(self, node: Node) -> bool:
        """Whether a region begins inside a node."""
        i = bisect_left(self._starts, node.start_byte)
        return i < len(self._starts) and self._starts[i] < node.end_byte

    def children(self, node: tree_sitter.Node) -> list[Node]:
        """A node's children, with those of a region's tree in the place of its text."""
        found: list[Node] = []
        for child in node.children:
            inner = self._inner.get(child.id)
            if inner is not None:
                before = [part for part in child.children if part.end_byte <= inner.start_byte]
                after = [part for part in child.children if part.start_byte >= inner.end_byte]
                found += [*before, *inner.children, *after]
            else:
                found.append(Grafted(child, self) if self.within(child) else child)
        return found


class Grafted:
    """A node of the outer tree with the trees of regions somewhere below it."""

    def __init__(self, node: tree_sitter.Node, grafts: Grafts) -> None:
        self.start_byte = node.start_byte
        self.end_byte = node.end_byte
        self._node = node
        self._grafts = grafts

    @property
    def children(self) -> Sequence[Node]:
        """Found when they are asked for: most of a tree is never opened."""
        return self._grafts.children(self._node)


_DATA = frozenset({"json", "yaml", "toml"})


def _place(source: Source, offset: int) -> tuple[int, int]:
    line = source.line_of(offset)
    return line, offset - source.starts[line]


def _is_garbled(found: Outline, size: int, root: tree_sitter.Node) -> bool:
    if not found.errors:
        return False
    unread = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    return root.is_error or unread > _MOSTLY_ERROR * size
