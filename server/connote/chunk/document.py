"""Cutting one document: by its syntax tree, its headings or its paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from connote.chunk import grammar as grammars
from connote.chunk.assemble import assemble
from connote.chunk.cut import Anchors, Atom, Limits, cut_atoms, cut_tree
from connote.chunk.imports import read_import
from connote.chunk.markdown import sections
from connote.chunk.outline import MINOR, Outline, outline
from connote.chunk.rescue import rescue
from connote.chunk.source import Source
from connote.chunk.text import paragraphs
from connote.errors import UnsupportedLanguageError
from connote.languages import detect_language, grammar_of

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.options import ChunkOptions
    from connote.model import Chunk

PARSE_SECONDS = 10.0
"""CPU time after which a document is cut as text. Two megabytes of the slowest grammar take about two."""

_MOSTLY_ERROR = 0.3
"""Share of the bytes in errors at the top of a tree from which the text is probably of another language."""


def cut_document(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    """Cut a document by what is known of its language."""
    language = options.language or detect_language(path, text)
    if not text.strip("\ufeff \t\n\r\x0b\x0c"):
        return []
    if language == "markdown":
        return _cut_markdown(path, text, options)
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
    try:
        tree = grammars.parse(grammar, source.parsed, PARSE_SECONDS)
    except grammars.OverBudgetError:
        return cut_text(path, text, options, language=language, error="took too long to parse; cut as text")
    root = tree.root_node
    found = outline(source, grammar, root, grammars.captures(grammar, root))
    if found.errors and grammar.rows:
        rescue(source, found)
    limits = _limits(options)
    error = None
    anchors = _anchors(source, found)
    if _is_mostly_error(found, source, root):
        error = f"mostly not readable as {language}; cut as text"
        # What is whole inside of it is still worth a name.
        atoms = (Atom(first, end) for first, end in paragraphs(source, 0, source.lines, limits.most))
        spans = cut_atoms(source, atoms, anchors, limits)
    else:
        spans = cut_tree(source, root, anchors, limits)
    imports = []
    if options.context == "full" and grammar.name:
        imports = [read_import(source.decode(a, b), grammar.name, a, b) for a, b in found.imports]
    return assemble(path, language, source, spans, found, imports, options, error)


def cut_text(
    path: str, text: str, options: ChunkOptions, *, language: str | None = None, error: str | None = None
) -> list[Chunk]:
    """Cut a document by its paragraphs, with `error` on every chunk."""
    source = Source(text)
    limits = _limits(options)
    atoms = (Atom(first, end) for first, end in paragraphs(source, 0, source.lines, limits.most))
    spans = cut_atoms(source, atoms, Anchors([], lambda line: line), limits)
    return assemble(path, language, source, spans, Outline(), (), options, error)


def _cut_markdown(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    source = Source(text)
    found, atoms = sections(source)
    spans = cut_atoms(source, iter(atoms), _anchors(source, found), _limits(options))
    return assemble(path, "markdown", source, spans, found, (), options, None)


def _limits(options: ChunkOptions) -> Limits:
    return Limits(options.max_size, min(options.min_size, options.max_size // 2))


def _anchors(source: Source, found: Outline) -> Anchors:
    lines = [source.line_of(d.start) for d in found.definitions if d.kind not in MINOR]
    return Anchors(lines, found.lead)


def _is_mostly_error(found: Outline, source: Source, root: tree_sitter.Node) -> bool:
    if not found.errors:
        return False
    unread = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    return root.is_error or unread > _MOSTLY_ERROR * len(source.data)
