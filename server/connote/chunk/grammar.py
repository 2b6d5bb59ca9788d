"""Grammars, their queries and parsing within a budget: the only module that imports tree_sitter."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from connote.chunk.definitions import DEFINITIONS
from connote.chunk.options import CHUNKER_VERSION
from connote.chunk.skeleton import KNOWN, PROBE, Skeleton

if TYPE_CHECKING:
    import tree_sitter

DENIED = frozenset({"cobol", "jsonnet"})
"""Grammars that are not used: cobol's can loop inside its scanner, where no budget reaches it, and jsonnet's reads the
same text in one way and then in another."""

MAX_PARSE_BYTES = 2_000_000
"""Above this a tree takes hundreds of megabytes; such a document is cut as text."""

_PACK = "tree-sitter-language-pack"
_READ_BYTES = 2_048
"""What a parser is given at a time. Some go back at every line, and are given the rest anew: it must not be much."""
_UNWATCHED_BYTES = 16_384
"""Documents this small are handed over whole: even the worst grammar is through with them in well under a second."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of the table of definitions: node types of one kind with one rule."""

    kind: str
    rule: str
    """What follows `@`: where the name stands; empty for the field `name`."""
    optional: bool
    """Whether it is left out directly inside a body."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar with the query that finds all that the outline is made of."""

    name: str
    language: tree_sitter.Language
    query: tree_sitter.Query
    rows: tuple[Row, ...]
    """Row i is captured as `@di`."""
    bodies: frozenset[str] = frozenset()
    """Node types that a signature ends before."""
    docs: frozenset[str] = frozenset()
    """Node types that document a definition when they stand first in it or in its body."""
    skeleton: Skeleton | None = None
    """What finds the same as the query in less time, in trees without errors."""


class OverBudgetError(Exception):
    """Parsing took longer than it may."""


def fingerprint() -> str:
    """Name what the chunks of a document depend on besides its text and the options."""
    try:
        version = metadata.version(_PACK)
    except metadata.PackageNotFoundError:
        version = "none"
    return f"chunker-{CHUNKER_VERSION} grammars-{version}"


@cache
def load(name: str) -> Grammar | None:
    """Load a grammar by name; None when it is denied or not installed."""
    if name in DENIED:
        return None
    try:
        from tree_sitter_language_pack import get_language  # noqa: PLC0415 - importing connote.chunk stays light
    except ImportError:
        return None
    try:
        language = get_language(cast("Any", name))  # its parameter is typed as a literal of all names
    except (LookupError, OSError, AttributeError):
        return None
    return _with_query(name, language)


class Region(NamedTuple):
    """A stretch of a document that a parser reads alone. Places are pairs of line and byte in it, from 0."""

    start: int
    end: int
    first: tuple[int, int]
    last: tuple[int, int]


def parse(grammar: Grammar, data: bytes, seconds: float, region: Region | None = None) -> tree_sitter.Tree:
    """Parse `data`, or the bytes of a region of it alone; raise `OverBudgetError` when that takes more CPU time.

    CPU time and not the clock, so that a busy machine cuts a document as an idle one does.
    """
    from tree_sitter import Parser, Range  # noqa: PLC0415 - importing connote.chunk stays light

    # A new one each time, which costs a microsecond: some grammars' scanners keep state from one text to the next, and
    # a parser with a callable source crashes when two threads share it.
    parser = Parser(grammar.language)
    if region is None:
        return _parse(parser, data, len(data), seconds)
    parser.included_ranges = [Range(region.first, region.last, region.start, region.end)]
    return _parse(parser, data, region.end - region.start, seconds)


def _parse(parser: tree_sitter.Parser, data: bytes, size: int, seconds: float) -> tree_sitter.Tree:
    if size <= _UNWATCHED_BYTES:
        return parser.parse(data)
    deadline = time.thread_time() + seconds
    calls = 0

    def is_over(*_: object) -> bool:
        nonlocal calls
        calls += 1
        return calls % 64 == 0 and time.thread_time() > deadline

    try:
        return parser.parse(lambda at, _: data[at : at + _READ_BYTES], progress_callback=is_over)
    except ValueError as error:
        raise OverBudgetError from error


def captures(grammar: Grammar, root: tree_sitter.Node, data: bytes) -> dict[str, list[tree_sitter.Node]]:
    """Find what a grammar's query finds in a tree of `data`; of one that is one wide error, only that error."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - importing connote.chunk stays light

    if root.is_error and root.child_count > _MAX_ERROR_CHILDREN:
        return {"error": [root]}
    if grammar.skeleton is not None and not root.has_error:
        return grammar.skeleton.captures(root, data)
    return QueryCursor(grammar.query).captures(root)


# A query takes quadratic time over the children of an error at the root, and no callback reaches it there.
_MAX_ERROR_CHILDREN = 20_000


def _with_query(name: str, language: tree_sitter.Language) -> Grammar:
    rows: list[Row] = []
    # Not `(MISSING)`: that pattern takes quadratic time in deep trees.
    patterns: list[str] = ["(ERROR) @error"]
    patterns += _alternatives(language, _comment_types(language), "comment")
    # By node type, or by the name of a shape of assignments.
    captured: dict[str, str] = {}
    inner: dict[str, set[str]] = {"body": set(), "doc": set()}
    for (kind, rule), types in _parse_row(DEFINITIONS.get(name, "")).items():
        if kind in inner:
            inner[kind].update(types)
            continue
        capture = kind if kind in _UNNAMED else f"d{len(rows)}"
        captured.update(dict.fromkeys([_SHAPED.get(kind, t) for t in types], capture))
        if kind in _UNNAMED:
            patterns += _alternatives(language, types, kind)
            continue
        row = Row(kind.rstrip("?"), rule, kind.endswith("?"))
        found = _alternatives(language, types, f"d{len(rows)}", _SHAPES.get(row.kind, ()))
        if found:
            rows.append(row)
            patterns += found
    query = _query(language, patterns)
    skeleton = _skeleton(name, language, query, captured)
    return Grammar(name, language, query, tuple(rows), frozenset(inner["body"]), frozenset(inner["doc"]), skeleton)


def _query(language: tree_sitter.Language, patterns: list[str]) -> tree_sitter.Query:
    """The query of all patterns that a language can have."""
    from tree_sitter import Query, QueryError  # noqa: PLC0415 - importing connote.chunk stays light

    # A shape that this version of the grammar cannot have is left out, as unknown node types are. To check a pattern
    # takes as long as to use it, so the whole is tried, and tried again without the one that the error names.
    usable = [pattern.replace("\n", " ") for pattern in patterns]
    for _ in patterns:
        try:
            query: tree_sitter.Query = Query(language, "\n".join(usable))
        except QueryError as error:
            row = _ERROR_ROW.search(str(error))
            if row is None or int(row.group(1)) >= len(usable):
                break
            del usable[int(row.group(1))]
        else:
            return query

    def is_possible(pattern: str) -> bool:
        try:
            Query(language, pattern)
        except QueryError:
            return False
        return True

    return cast("tree_sitter.Query", Query(language, "\n".join(filter(is_possible, usable))))


_ERROR_ROW = re.compile(r"\brow (\d+)")


def _skeleton(
    name: str, language: tree_sitter.Language, query: tree_sitter.Query, captured: dict[str, str]
) -> Skeleton | None:
    """The walk that stands for Python's query, where it finds the same in this version of the grammar."""
    from tree_sitter import Parser, QueryCursor  # noqa: PLC0415 - importing connote.chunk stays light

    if name != "python" or not KNOWN.issuperset(captured):
        return None
    skeleton = Skeleton(language, captured)
    root = Parser(language).parse(PROBE).root_node
    found = (QueryCursor(query).captures(root), skeleton.captures(root, PROBE))
    expected, actual = ({capture: {node.id for node in nodes} for capture, nodes in one.items()} for one in found)
    return skeleton if expected == {capture: nodes for capture, nodes in actual.items() if nodes} else None


_SHAPED = {"module_value": "value", "member": "member", "lambda": "lambda"}


_UNNAMED = frozenset({"wrap", "local", "import", "attribute", "embedded", "comment"})

# What a node must hold to be worth a look, where a type is too common to capture every node of it.
_SHAPES = {
    "test_call": (
        "({t} function: (_) arguments: (arguments . [(string) (template_string)] . (_))) @{c}",
        "({t} method: (_) arguments: (argument_list . [(string) (constant) (scope_resolution)]) block: (_)) @{c}",
        "({t} function: (name) arguments: (arguments . (argument [(string) (encapsed_string)]) . (_))) @{c}",
        "({t} name: (identifier) arguments: (arguments . (string) . (function_definition))) @{c}",
        "({t} function: (call_expression arguments: (arguments . (string))) arguments: (block)) @{c}",
        "({t} function: (identifier) arguments: (argument_list . (string_literal))) @{c}",
        "({t} (identifier) . (selector (argument_part (arguments . (argument (string_literal)))))) @{c}",
        "({t} (macro_identifier) (macro_argument_list . (string_literal) . (_))) @{c}",
    ),
    "bats": (
        '(({t} name: (command_name) @_word argument: [(string) (raw_string)] @_title) @{c} (#eq? @_word "@test"))',
    ),
    "accessor": ("({t} method: (identifier) arguments: (argument_list . (simple_symbol))) @{c}",),
    "promoted": (
        "({t} (accessibility_modifier)) @{c}",
        "({t} (visibility_modifier)) @{c}",
        "({t} (binding_pattern_kind)) @{c}",
        '({t} "readonly") @{c}',
        '({t} ["val" "var"]) @{c}',
    ),
    "default": ('({t} "default") @{c}',),
    "lambda": ("({t} right: (lambda)) @{c}", "({t} value: (lambda_expression)) @{c}"),
    # Also below one statement, as in `try:`; some grammars put a statement around each assignment.
    "module_value": (
        "(module [({t}) @{c} (if_statement (block ({t}) @{c})) (try_statement (block ({t}) @{c}))])",
        "(module (expression_statement ({t}) @{c}))",
        "(module (if_statement (block (expression_statement ({t}) @{c}))))",
        "(module (try_statement (block (expression_statement ({t}) @{c}))))",
    ),
    "target": ("(module (expression_statement ({t}) @{c}))",),
    "outer_value": ("(program ({t} lhs: (identifier) rhs: (_)) @{c})",),
    # A function in a list that is a named argument, as the methods of `R6Class("Name", public = list(…))`.
    "listed": (
        "(argument name: (_) value: (call arguments: (arguments ({t} name: (_) value: (function_definition)) @{c})))",
    ),
    "prototype": (
        "({t} declarator: (function_declarator)) @{c}",
        "({t} declarator: (pointer_declarator declarator: (function_declarator))) @{c}",
        "({t} declarator: (reference_declarator (function_declarator))) @{c}",
    ),
    "outer_key": (
        "(document (object ({t} key: (_)) @{c}))",
        "(document (block_node (block_mapping ({t} key: (_)) @{c})))",
        "(document ({t} [(bare_key) (dotted_key) (quoted_key)]) @{c})",
    ),
}


def _parse_row(row: str) -> dict[tuple[str, str], list[str]]:
    entries: dict[tuple[str, str], list[str]] = {}
    for part in row.split("|"):
        part = part.strip()  # noqa: PLW2901 - the part without its padding is the part
        if part.startswith("<"):
            for key, types in _parse_row(DEFINITIONS[part[1:]]).items():
                entries.setdefault(key, []).extend(types)
            continue
        kind, _, words = part.partition(":")
        for word in words.split():
            node_type, _, rule = word.partition("@")
            entries.setdefault((kind.strip(), rule), []).append(node_type)
    return entries


def _alternatives(
    language: tree_sitter.Language, types: list[str], capture: str, shapes: tuple[str, ...] = ()
) -> list[str]:
    paths = [t.split(">") for t in dict.fromkeys(types)]
    known = [path for path in paths if all(language.id_for_node_kind(t, True) is not None for t in path)]
    if shapes:
        return [shape.format(t=path[-1], c=capture) for path in known for shape in shapes]
    alone = [path[0] for path in known if len(path) == 1]
    patterns = [f"[{' '.join(f'({t})' for t in alone)}] @{capture}"] if alone else []
    # `a>b>c` is a c directly below a b directly below an a.
    for *around, last in known:
        if around:
            patterns.append(f"{' '.join(f'({t}' for t in around)} ({last}) @{capture}{')' * len(around)}")
    return patterns


def _comment_types(language: tree_sitter.Language) -> list[str]:
    kinds = (language.node_kind_for_id(i) for i in range(language.node_kind_count))
    return sorted({kind for kind in kinds if kind and _COMMENT.search(kind)})


# Parts of comments (`doc_comment_content`) and statements about them (`comment_on`) are none.
_COMMENT = re.compile(r"(?:^|_)(?:comment|haddock|pod)$|^(?:line|block|doc|multiline|documentation|html|js)_comment$")
