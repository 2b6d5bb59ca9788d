"""Where a document is cut: atoms on whole lines, opened where they are too large, merged up to the limit."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from connote.chunk.outline import MINOR
from connote.chunk.text import paragraphs

if TYPE_CHECKING:
    from connote.chunk.options import ChunkOptions
    from connote.chunk.outline import Outline
    from connote.chunk.source import Source

Span = tuple[int, int]
"""Byte offsets, the end exclusive."""


class Node(Protocol):
    """What a document is cut along: a parser's node, or what stands for one where several trees read a document."""

    @property
    def start_byte(self) -> int:
        """Offset of its first byte."""

    @property
    def end_byte(self) -> int:
        """Offset behind its last byte."""

    @property
    def children(self) -> Sequence[Node]:
        """In document order, disjoint."""


class Atom(NamedTuple):
    """Lines that are only parted when they are over the limit."""

    first: int
    end: int
    """The line behind the last."""
    node: Node | None = None
    """What to open when it is too large; without one it is cut as text."""
    is_definition: bool = False
    """Whether a definition begins with it."""


class Limits(NamedTuple):
    """Sizes in non-whitespace characters."""

    most: int
    least: int

    @classmethod
    def of(cls, options: ChunkOptions) -> Limits:
        """The limits that options set."""
        return cls(options.max_size, min(options.min_size, options.max_size // 2))


class Anchors:
    """Lines on which definitions begin that are worth a border."""

    def __init__(self, lines: list[int], lead: Callable[[int], int]) -> None:
        self._lines = sorted(set(lines))
        self._set = frozenset(lines)
        self.lead = lead

    @classmethod
    def of(cls, source: Source, found: Outline) -> Anchors:
        """The lines of an outline's definitions; of the minor ones, only keys are worth a border."""
        borders = [one for one in found.definitions if one.kind not in MINOR or one.kind == "key"]
        return cls([source.line_of(definition.start) for definition in borders], found.lead)

    def at(self, line: int) -> bool:
        """Whether a definition begins on a line."""
        return line in self._set

    def within(self, first: int, end: int) -> bool:
        """Whether a definition begins on one of the lines."""
        i = bisect_left(self._lines, first)
        return i < len(self._lines) and self._lines[i] < end


def cut_tree(source: Source, root: Node, anchors: Anchors, limits: Limits) -> list[Span]:
    """Cut a document along its tree."""
    return _cut(source, iter(_atoms(source, root, 0, source.lines, anchors)), anchors, limits)


def cut_atoms(source: Source, atoms: Iterator[Atom], anchors: Anchors, limits: Limits) -> list[Span]:
    """Cut a document along atoms that the caller found."""
    return _cut(source, atoms, anchors, limits)


_MAX_FRAMES = 200
"""Nesting up to which atoms are opened; below it lines are as good as any border."""


def _cut(source: Source, atoms: Iterator[Atom], anchors: Anchors, limits: Limits) -> list[Span]:
    merger = _Merger(source, anchors, limits)
    acc = source.acc
    # Each frame is what is left of one opened node, and whether that node is a definition.
    frames: list[tuple[Iterator[Atom], bool]] = [(iter(atoms), True)]
    while frames:
        atom = next(frames[-1][0], None)
        if atom is None:
            if frames.pop()[1]:
                merger.flush()
            continue
        if acc[atom.end] - acc[atom.first] <= limits.most:
            merger.add(atom)
            continue
        if atom.is_definition:
            merger.flush()
        inner = _open(source, atom, anchors) if len(frames) < _MAX_FRAMES else []
        if len(inner) > 1:
            frames.append((iter(inner), atom.is_definition))
            continue
        merger.flush()
        for first, end in paragraphs(source, atom.first, atom.end, limits.most):
            merger.add(Atom(first, end))
        merger.flush()
    return _spans(source, _joined(source, merger.chunks, limits), limits.most)


def _open(source: Source, atom: Atom, anchors: Anchors) -> list[Atom]:
    """The atoms inside one that is too large."""
    node = atom.node
    atoms: list[Atom] = []
    # What has only one part on lines of its own, such as a class below a long comment, is opened further.
    for _ in range(_MAX_FRAMES):
        if node is None:
            break
        node = _body_of(source, atom, node)
        atoms = _atoms(source, node, atom.first, atom.end, anchors)
        if len(atoms) != 1 or atoms[0].node is None:
            break
        node = atoms[0].node
    return atoms


def _body_of(source: Source, atom: Atom, node: Node) -> Node:
    """What holds nearly all of an atom, further down in its node, or the node itself."""
    whole = source.size(atom.first, atom.end)
    for _ in range(60):
        row = source.line_of(node.start_byte)
        body, others = None, 0
        for child in node.children:
            first = source.line_of(child.start_byte)
            others += first != row
            last = source.line_of(max(child.end_byte - 1, child.start_byte))
            if last > first and source.size(first, last + 1) > 0.8 * whole:
                body = child
            if others > 3 and body is None:
                break
        if body is None or others > 3:
            break
        node = body
    return node


def _atoms(source: Source, node: Node, first: int, end: int, anchors: Anchors) -> list[Atom]:
    """Tile the lines from `first` up to `end` with the children of a node."""
    # A tile is [its first line, the last line of its node, the widest node that begins on its lines, its node's line].
    tiles: list[tuple[int, int, Node, int]] = []
    starts, lines, lead = source.starts, source.lines, anchors.lead
    taken = -1
    for child in node.children:
        start_byte, end_byte = child.start_byte, child.end_byte
        if end_byte <= start_byte:
            continue
        row = max(bisect_right(starts, start_byte, 0, lines) - 1, first)
        if row >= end:
            break
        last = row if end_byte <= starts[row + 1] else min(bisect_right(starts, end_byte - 1, row, lines), end) - 1
        if row <= taken:
            top, before_last, widest, line = tiles[-1]
            taken = max(before_last, last)
            tiles[-1] = (top, taken, child if last - row > before_last - line else widest, line)
            continue
        top = max(lead(row), first)
        if top != row:
            # Comments directly above travel with what they are about; they may have been read into the node before.
            while tiles and tiles[-1][0] >= top:
                tiles.pop()
            if tiles and top <= tiles[-1][0]:
                top = row
        tiles.append((top, last, child, row))
        taken = last
    if not tiles:
        # A parser may leave out what it skips, down to the whole document.
        return [Atom(first, end)]
    borders = [first, *[tile[0] for tile in tiles[1:]], end]
    at = anchors.at
    return [Atom(borders[i], borders[i + 1], child, at(row)) for i, (_, _, child, row) in enumerate(tiles)]


class _Merger:
    """Merges atoms from left to right, with borders that depend on what is near alone."""

    def __init__(self, source: Source, anchors: Anchors, limits: Limits) -> None:
        self.chunks: list[tuple[int, int]] = []
        """Line ranges."""
        self._source = source
        self._acc = source.acc
        self._anchors = anchors
        self._limits = limits
        self._first = self._end = -1
        self._has_definition = False

    def add(self, atom: Atom) -> None:
        first, end = atom.first, atom.end
        size = self._acc[end] - self._acc[first]
        if not size:
            return
        has_definition = self._anchors.within(first, end)
        if self._first >= 0 and not self._joins(atom, size, has_definition):
            self.flush()
        if self._first < 0:
            self._first = first
            self._has_definition = has_definition
        elif has_definition:
            self._has_definition = True
        self._end = end

    def flush(self) -> None:
        if self._first >= 0:
            self.chunks.append((self._first, self._end))
        self._first = -1

    def _joins(self, atom: Atom, size: int, has_definition: bool) -> bool:
        source, limits = self._source, self._limits
        first, end = atom.first, atom.end
        running = self._acc[self._end] - self._acc[self._first]
        if running + size > limits.most:
            return False
        if running >= limits.least and (self._has_definition or has_definition):
            return False
        if atom.is_definition and size >= limits.least:
            return False
        # Runs of small definitions, of paragraphs and of rows have borders drawn by what they say, or an edit would
        # move every border behind it: borders counted from the start of a run never find back into step.
        if has_definition:
            return not (running * 2 >= limits.least and atom.is_definition and _is_border(source, first, end, 2))
        one_in = 4 if source.is_blank(first - 1) else 16
        return not (running >= limits.least and _is_border(source, first, end, one_in))


def _is_border(source: Source, first: int, end: int, one_in: int) -> bool:
    """Whether lines begin a chunk: a property of their own text, that about one in so many have."""
    text = source.parsed[source.starts[first] : source.starts[end]].strip()
    return zlib.crc32(text) % one_in == 0


def _joined(source: Source, chunks: list[tuple[int, int]], limits: Limits) -> list[tuple[int, int]]:
    """Trim blank edges, and join what is too small to stand alone to its neighbour."""
    joined: list[tuple[int, int]] = []
    tiny = limits.least / 4
    for first, end in chunks:
        while first < end and source.is_blank(first):
            first += 1  # noqa: PLW2901 - trimming is what this loop is for
        while first < end and source.is_blank(end - 1):
            end -= 1  # noqa: PLW2901 - as above
        if first >= end:
            continue
        if joined:
            before_first, before_end = joined[-1]
            is_tiny = source.size(first, end) < tiny or source.size(before_first, before_end) < tiny
            if is_tiny and source.size(before_first, end) <= limits.most:
                joined[-1] = (before_first, end)
                continue
        joined.append((first, end))
    return joined


def _spans(source: Source, chunks: list[tuple[int, int]], most: int) -> list[Span]:
    spans: list[Span] = []
    for first, end in chunks:
        start_byte, end_byte = source.starts[first], source.content_end(end - 1)
        if source.size(first, end) <= most:
            spans.append((start_byte, end_byte))
        else:
            # Only a single line can be over the limit here.
            spans.extend(pieces(source.decode(start_byte, end_byte), start_byte, most))
    return spans


_BLANK = " \\t\\n\\r\\x0b\\x0c"


def pieces(line: str, offset: int, most: int) -> Iterator[Span]:
    """Cut one line on character boundaries, before a blank where there is one in the last quarter of a piece."""
    # A regular expression repeats at most 2**32 times, and holds no state for each.
    pattern = re.compile(f"(?:[{_BLANK}]*[^{_BLANK}]){{1,{most}}}")
    at = 0
    while True:
        match = pattern.match(line, at)
        if match is None:
            return
        end = match.end()
        if pattern.match(line, end):
            blank = max(line.rfind(" ", at, end), line.rfind("\t", at, end))
            if blank > at + (end - at) * 3 // 4:
                end = blank
        size = len(line[at:end].encode("utf-8", "surrogatepass"))
        if line[at:end].strip(" \t\n\r\x0b\x0c"):
            yield offset, offset + size
        offset += size
        at = end
