"""Cutting one document: by its syntax tree, its headings or its paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from connote.chunk import grammar as grammars
from connote.chunk.assemble import assemble
from connote.chunk.cut import Anchors, Atom, Limits, cut_atoms, cut_tree
from connote.chunk.embedded import embed
from connote.chunk.markdown import sections
from connote.chunk.notebook import cut_notebook
from connote.chunk.outline import Outline
from connote.chunk.region import Budget, read
from connote.chunk.source import Source
from connote.chunk.text import paragraphs
from connote.errors import UnsupportedLanguageError
from connote.languages import detect_language, grammar_of

if TYPE_CHECKING:
    from connote.chunk.cut import Node
    from connote.chunk.options import ChunkOptions
    from connote.model import Chunk


def cut_document(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    """Cut a document by what is known of its language."""
    language = options.language or detect_language(path, text)
    if not text.strip("\ufeff \t\n\r\x0b\x0c"):
        return []
    if language == "markdown":
        return _cut_markdown(path, text, options)
    if language == "jupyter":
        return _cut_notebook(path, text, options)
    name = grammar_of(language)
    grammar = grammars.load(name) if name else None
    if grammar is None:
        if options.strict:
            raise UnsupportedLanguageError(
                f"{path}: there is no grammar for {language or 'an unknown language'}; "
                "name the language in the options, or leave strict off to cut it as text"
            )
        missing = f"the grammar for {language} is not available" if name else None
        return cut_text(path, text, options, language=language, error=missing)
    source = Source(text)
    if len(source.data) > grammars.MAX_PARSE_BYTES:
        return cut_text(path, text, options, language=language, error="too large to parse; cut as text")
    budget = Budget()
    try:
        reading = read(source, grammar, budget, imports=options.context == "full")
    except grammars.OverBudgetError:
        return cut_text(path, text, options, language=language, error="took too long to parse; cut as text")
    found, imports = reading.outline, reading.imports
    tree: Node = reading.root
    if reading.embedded:
        tree, imports = embed(source, language, reading, budget)
    limits = Limits.of(options)
    error = None
    anchors = Anchors.of(source, found)
    if reading.is_garbled:
        error = f"mostly not readable as {language}; cut as text"
        # What is whole inside of it is still worth a name.
        atoms = (Atom(first, end) for first, end in paragraphs(source, 0, source.lines, limits.most))
        spans = cut_atoms(source, atoms, anchors, limits)
    else:
        spans = cut_tree(source, tree, anchors, limits)
    return assemble(path, language, source, spans, found, imports, options, error)


def cut_text(
    path: str, text: str, options: ChunkOptions, *, language: str | None = None, error: str | None = None
) -> list[Chunk]:
    """Cut a document by its paragraphs, with `error` on every chunk."""
    source = Source(text)
    limits = Limits.of(options)
    atoms = (Atom(first, end) for first, end in paragraphs(source, 0, source.lines, limits.most))
    spans = cut_atoms(source, atoms, Anchors([], lambda line: line), limits)
    return assemble(path, language, source, spans, Outline(), (), options, error)


def _cut_markdown(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    source = Source(text)
    found, atoms, imports = sections(source, Budget())
    spans = cut_atoms(source, iter(atoms), Anchors.of(source, found), Limits.of(options))
    return assemble(path, "markdown", source, spans, found, imports, options, None)


def _cut_notebook(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    source = Source(text)
    cut = cut_notebook(source, Limits.of(options), Budget())
    if cut is None:
        return cut_text(path, text, options, language="jupyter", error="not a notebook that can be read; cut as text")
    spans, found, imports = cut
    return assemble(path, "jupyter", source, spans, found, imports, options, None)
