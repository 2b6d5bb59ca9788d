"""The functions and types of a source file, with their documentation apart from their code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from tree_sitter import Node, Parser, Query, QueryCursor
from tree_sitter_language_pack import get_language

LANGUAGES = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "tsx", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin",
    ".scala": "scala", ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cxx": "cpp",
    ".hh": "cpp", ".cs": "csharp", ".swift": "swift", ".rb": "ruby", ".php": "php", ".ex": "elixir",
    ".exs": "elixir", ".hs": "haskell", ".lua": "lua", ".sh": "bash", ".bash": "bash",
}  # fmt: skip
"""The language of a file by the end of its name."""

LINE_COMMENT = {"python": "#", "ruby": "#", "elixir": "#", "bash": "#", "haskell": "--", "lua": "--"}
"""How a comment of one line begins, where it is not `//`."""

_SCRIPT = (
    "(function_declaration) @f (method_definition) @f (generator_function_declaration) @f"
    " (lexical_declaration (variable_declarator value: [(arrow_function) (function_expression)])) @f"
    " (expression_statement (assignment_expression right: [(arrow_function) (function_expression)])) @f"
    " (pair value: [(arrow_function) (function_expression)]) @f (class_declaration) @c"
)
_TYPED_SCRIPT = (
    _SCRIPT + " (interface_declaration) @c (type_alias_declaration) @c (abstract_class_declaration) @c"
    " (enum_declaration) @c"
)
# @f: functions; @c: types.
_QUERIES = {
    "python": "(function_definition) @f (class_definition) @c",
    "javascript": _SCRIPT,
    "typescript": _TYPED_SCRIPT,
    "tsx": _TYPED_SCRIPT,
    "go": "(function_declaration) @f (method_declaration) @f (type_declaration) @c",
    "rust": "(function_item) @f (macro_definition) @f (struct_item) @c (enum_item) @c (trait_item) @c",
    "java": "(method_declaration) @f (constructor_declaration) @f (class_declaration) @c (interface_declaration) @c"
    " (enum_declaration) @c",
    "kotlin": "(function_declaration) @f (class_declaration) @c (object_declaration) @c",
    "scala": "(function_definition) @f (function_declaration) @f (class_definition) @c (object_definition) @c"
    " (trait_definition) @c",
    "c": "(function_definition) @f (struct_specifier body: (_)) @c",
    "cpp": "(function_definition) @f (class_specifier body: (_)) @c (struct_specifier body: (_)) @c",
    "csharp": "(method_declaration) @f (constructor_declaration) @f (property_declaration) @f (class_declaration) @c"
    " (interface_declaration) @c (struct_declaration) @c",
    "swift": "(function_declaration) @f (init_declaration) @f (class_declaration) @c (protocol_declaration) @c",
    "ruby": "(method) @f (singleton_method) @f (class) @c (module) @c",
    "php": "(method_declaration) @f (function_definition) @f (class_declaration) @c (interface_declaration) @c"
    " (trait_declaration) @c",
    "elixir": '(call target: (identifier) @k (#match? @k "^(def|defp|defmacro)$")) @f',
    "haskell": "(signature) @f (data_type) @c (class) @c",
    "lua": "(function_declaration) @f (assignment_statement (expression_list (function_definition))) @f",
    "bash": "(function_definition) @f",
}
_ONE_LINERS = frozenset({"elixir", "haskell", "rust", "ruby", "scala", "kotlin"})
# The name of a definition whose node has no field for it, in the text of its first line.
_NAMES = {
    "elixir": re.compile(r"\w+\s+([a-z_]\w*[?!]?)"),
    "lua": re.compile(r"(?:local\s+)?(?:function\s+)?([\w.:]+)"),
    "bash": re.compile(r"(?:function\s+)?([\w-]+)"),
    "go": re.compile(r"type\s+(\w+)"),
    "swift": re.compile(r".*?(?:func|class|struct|enum|protocol)\s+(\w+)", re.DOTALL),
    "kotlin": re.compile(r".*?(?:fun|class|object|interface)\s+(\w+)", re.DOTALL),
}
_ANY_NAME = re.compile(
    r"(?:(?:const|let|var|export|async|static|public|private|class|object|data|newtype)\s+)*([\w.$]+)"
)


@dataclass(frozen=True)
class Definition:
    """One function (`is_type` false) or type. `code` is its lines without its docstring; `doc` is raw lines."""

    name: str
    scope: str
    is_type: bool
    language: str
    first_line: int
    above: tuple[str, ...]
    code: tuple[str, ...]
    doc: tuple[str, ...]


def definitions(data: bytes, language: str) -> list[Definition]:
    """All definitions of a file in order, each with the comment above it or its docstring."""
    lines = data.decode().split("\n")
    parser, query = _grammar(language)
    captures = QueryCursor(query).captures(parser.parse(data).root_node)
    nodes = [(node, False) for node in captures.get("f", ())] + [(node, True) for node in captures.get("c", ())]
    nodes.sort(key=lambda one: (one[0].start_byte, -one[0].end_byte))
    scopes: list[tuple[str, int]] = []
    found: list[Definition] = []
    for node, is_type in nodes:
        first, last = node.start_point[0], node.end_point[0]
        if language == "haskell" and not is_type:
            last = _equations(lines, first)
        if last == first and language not in _ONE_LINERS:
            continue
        name = _name(node, language, data)
        while scopes and scopes[-1][1] < first:
            scopes.pop()
        scope = scopes[-1][0] if scopes else ""
        if is_type:
            scopes.append((name, last))
        doc, code = _comment_above(lines, first, language), lines[first : last + 1]
        docstring = _docstring(node) if language == "python" else None
        if docstring and docstring[0] > first:
            start, end = docstring
            doc = [line.replace('"""', "").replace("'''", "") for line in lines[start : end + 1]]
            code = lines[first:start] + lines[end + 1 : last + 1]
        above = tuple(lines[max(0, first - 4) : first + 1])
        found.append(Definition(name, scope, is_type, language, first, above, tuple(code), tuple(doc)))
    return found


@cache
def _grammar(language: str) -> tuple[Parser, Query]:
    grammar = get_language(cast("Any", language))
    return Parser(grammar), Query(grammar, _QUERIES[language])


def _equations(lines: Sequence[str], first: int) -> int:
    # A Haskell function is its signature and the equations below it.
    last = first
    while last + 1 < len(lines) and last - first < 40:
        line = lines[last + 1]
        if not line.strip() or line.startswith("--") or ("::" in line and line[:1].isalpha()):
            break
        last += 1
    return last


def _name(node: Node, language: str, data: bytes) -> str:
    named = node.child_by_field_name("name")
    inner = node.child_by_field_name("declarator")
    while named is None and inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None:
            named = inner
        inner = deeper
    if named is not None:
        return data[named.start_byte : named.end_byte].decode("utf-8", "ignore")[:80]
    text = data[node.start_byte : node.start_byte + 200].decode("utf-8", "ignore")
    match = _NAMES.get(language, _ANY_NAME).match(text)
    return match.group(1)[-80:] if match else ""


def _docstring(node: Node) -> tuple[int, int] | None:
    body = node.child_by_field_name("body")
    if body is None or not body.children:
        return None
    first = body.children[0]
    if first.type == "string" or (first.type == "expression_statement" and first.children[0].type == "string"):
        return first.start_point[0], first.end_point[0]
    return None


def _comment_above(lines: Sequence[str], first: int, language: str) -> list[str]:
    prefix = LINE_COMMENT.get(language, "//")
    last = first - 1
    while last >= 0 and first - last <= 8 and _belongs(lines[last].strip(), language, first - last):
        last -= 1
    if last < 0:
        return []
    end = lines[last].strip()
    if language == "elixir":
        return _between(lines, last, '"""', 80)[1:-1] if end.endswith('"""') else []
    if prefix == "//" and end.endswith("*/"):
        return _between(lines, last, "/*", 100)
    if language == "haskell" and end.endswith("-}"):
        return _between(lines, last, "{-", 60)
    if not end.startswith(prefix):
        return []
    start = last
    while start > 0 and last - start < 60 and lines[start - 1].strip().startswith(prefix):
        start -= 1
    return list(lines[start : last + 1])


def _belongs(line: str, language: str, distance: int) -> bool:
    """Whether a line between a definition and its comment is part of the definition, such as an annotation."""
    if line.startswith(("@", "#[", "template")) or (language == "csharp" and line.startswith("[")):
        return True
    is_type_line = bool(line) and not line.endswith((";", "}", "*/")) and not line.startswith(("//", "#", "/*", "*"))
    return language in ("c", "cpp") and is_type_line and distance <= 2


def _between(lines: Sequence[str], last: int, opening: str, most: int) -> list[str]:
    start = last if opening != '"""' else last - 1
    while start >= 0 and last - start < most and opening not in lines[start]:
        start -= 1
    return list(lines[start : last + 1]) if start >= 0 and opening in lines[start] else []
