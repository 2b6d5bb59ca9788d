"""Jupyter notebooks by cell: sources are taken out of the JSON, cut, and mapped back; outputs are left out."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from connote.chunk.cells import Cell, read_notebook
from connote.chunk.cut import Anchors, Atom, Limits, Span, cut_atoms, cut_tree, pieces
from connote.chunk.embedded import language_of_word
from connote.chunk.markdown import Heading, borders, nest, scan
from connote.chunk.outline import Outline
from connote.chunk.region import Budget, absorb, read_region
from connote.chunk.source import Source, size_of
from connote.chunk.text import paragraphs

if TYPE_CHECKING:
    from connote.chunk.imports import Import


def cut_notebook(source: Source, limits: Limits, budget: Budget) -> tuple[list[Span], Outline, list[Import]] | None:
    """Cut the sources of all cells, never two cells into one chunk; None when the text is no notebook.

    A span begins and ends inside of JSON strings, and holds what stands between the lines of a source as it is.
    """
    notebook = read_notebook(source.data)
    if notebook is None:
        return None
    kernel = language_of_word(notebook.language) or "python"
    spans: list[Span] = []
    headings: list[Heading] = []
    outlines: list[Outline] = []
    imports: list[Import] = []
    for cell in notebook.cells:
        text = cell.text(source.data)
        if not text.strip(" \t\n\r\x0b\x0c"):
            continue
        virtual = Source(text)
        virtual.acc = _sizes(virtual, cell, source.data)
        before = spans[-1][1] if spans else 0
        if cell.kind in _PROSE:
            local = []
            for heading in scan(virtual)[0]:
                # Sections reach over cells: they are made of the headings of all.
                start = cell.start_of(heading.start)
                end = cell.end_of(heading.before) if heading.line else before
                headings.append(heading._replace(start=start, name_at=cell.start_of(heading.name_at), before=end))
                local.append(heading.line)
            atoms = (Atom(first, end, None, first in local) for first, end in pairwise(borders(virtual, local)))
            parts = cut_atoms(virtual, atoms, Anchors(local, lambda line: line), limits)
        else:
            language = kernel if cell.kind == "code" else None
            found, parts, bound = _cut_code(virtual, language, limits, budget)
            outlines.append(_moved(found, cell))
            imports += [replace(one, start=cell.start_of(one.start), end=cell.end_of(one.end)) for one in bound]
        for start, end in parts:
            span = cell.start_of(start), cell.end_of(end)
            if size_of(source.data[span[0] : span[1]]) <= limits.most:
                spans.append(span)
            else:
                spans += pieces(source.decode(*span), span[0], limits.most)
    found = Outline()
    found.definitions = nest(headings, spans[-1][1] if spans else 0)
    absorb(found, outlines)
    return spans, found, imports


_PROSE = ("markdown", "heading")


def _sizes(virtual: Source, cell: Cell, data: bytes) -> list[int]:
    """Sizes of a cell's lines as they are in the file, each with what stands between it and the one before."""
    sizes = []
    at = cell.start_of(0)
    for line in range(virtual.lines):
        if virtual.is_blank(line):
            sizes.append(0)
            continue
        end = cell.end_of(virtual.content_end(line))
        sizes.append(max(size_of(data[at:end]), 1))
        at = end
    return [0, *accumulate(sizes)]


# Lines of a code cell that are no code of its language: `%timeit f()`, `!ls`. A modulo has a blank behind it.
_MAGIC = re.compile(rb"^([ \t]*)(%%?(?=[A-Za-z])|!)", re.MULTILINE)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")


def _cut_code(
    virtual: Source, language: str | None, limits: Limits, budget: Budget
) -> tuple[Outline, list[Span], list[Import]]:
    """Cut a code cell, or a raw one, which has no language."""
    start = 0
    magic = _CELL_MAGIC.match(virtual.text) if language == "python" else None
    if magic is not None:
        # `%%bash` and the like name the language of what follows; `%%time` runs the notebook's own.
        language = _OF_MAGIC.get(magic.group(1), language)
        start = virtual.starts[min(virtual.line_of(magic.end()) + 1, virtual.lines)]
    if language == "python":
        virtual.parsed = _MAGIC.sub(lambda match: match.group(1) + b"#" * len(match.group(2)), virtual.parsed)
    reading = read_region(virtual, language, budget, (start, len(virtual.data)))
    found = reading.outline if reading is not None else Outline()
    anchors = Anchors.of(virtual, found)
    if reading is not None and not reading.is_garbled:
        spans = cut_tree(virtual, reading.root, anchors, limits)
    else:
        atoms = (Atom(first, end) for first, end in paragraphs(virtual, 0, virtual.lines, limits.most))
        spans = cut_atoms(virtual, atoms, anchors, limits)
    return found, spans, reading.imports if reading is not None else []


_OF_MAGIC = {
    "bash": "bash", "sh": "bash", "script": "bash", "javascript": "javascript", "js": "javascript", "html": "html",
    "HTML": "html", "sql": "sql", "bigquery": "sql", "R": "r", "ruby": "ruby", "perl": "perl", "latex": "latex",
    "markdown": "text", "svg": "xml", "cython": "text", "writefile": "text", "file": "text",
}  # fmt: skip


def _moved(found: Outline, cell: Cell) -> Outline:
    """An outline in the coordinates of the file."""
    for definition in found.definitions:
        definition.start = cell.start_of(definition.start)
        definition.end = cell.end_of(definition.end)
        definition.full_start = cell.start_of(definition.full_start)
        definition.name_at = cell.start_of(definition.name_at)
    moved = Outline(definitions=found.definitions)
    moved.errors = [(cell.start_of(a), cell.end_of(b) if b > a else cell.start_of(a), m) for a, b, m in found.errors]
    return moved
