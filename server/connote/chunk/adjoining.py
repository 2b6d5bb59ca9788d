"""What stands beside a definition's node and belongs to it, where a grammar makes it a sibling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.source import Source


def adjoined(
    source: Source, grammar: str, node: tree_sitter.Node, body: tree_sitter.Node | None, span: tuple[int, int]
) -> tuple[int, tree_sitter.Node | None, int]:
    """Widen a definition's span by the words before it and the body or accessors behind it; with them, its body."""
    start, end = span
    modifiers = _MODIFIERS.get(grammar)
    if modifiers is not None:
        start = _with_modifiers(source, start, modifiers)
    if grammar == "dart":
        body, end = _following_body(node, body, end)
    elif grammar == "kotlin":
        end = _following_accessors(node, end)
    elif grammar in ("cpp", "cuda") and node.type == "call_expression":
        body, end = _following_block(node, body, end)
    return start, body, end


# What may stand before a node on its line and belongs to it: where a grammar makes it a sibling, or a call around it.
_MODIFIERS = {
    "zig": re.compile(rb"\s*(?:(?:pub|export|extern|inline|noinline|threadlocal|comptime)\s+)*"),
    "ruby": re.compile(rb"\s*(?:(?:private|protected|public|module_function|private_class_method|memoize)\s+)*"),
    "dart": re.compile(
        rb"\s*(?:(?:late|final|const|var|static|covariant|external|abstract)\s+)*"
        rb"(?:[\w.]+(?:<[\w<>?,.\[\] ]*>)?\??\s+)?"
    ),
    "julia": re.compile(rb"\s*(?:(?:\w+\.)*@\w+\s+)+"),
}


def _with_modifiers(source: Source, start: int, modifiers: re.Pattern[bytes]) -> int:
    """Where a definition begins with the words that stand before its node on its line."""
    begin = source.starts[source.line_of(start)]
    head = source.data[begin:start]
    return begin + len(head) - len(head.lstrip()) if modifiers.fullmatch(head) else start


def _following_body(
    node: tree_sitter.Node, body: tree_sitter.Node | None, end: int
) -> tuple[tree_sitter.Node | None, int]:
    """Dart's bodies are siblings of the signatures that they belong to."""
    signature = node.parent if node.parent is not None and node.parent.type == "method_signature" else node
    following = signature.next_named_sibling
    if following is not None and following.type == "function_body":
        return following, following.end_byte
    return body, end


def _following_accessors(node: tree_sitter.Node, end: int) -> int:
    """Kotlin's `get() = …` below a property is a sibling of it."""
    following = node.next_named_sibling
    while following is not None and following.type in ("getter", "setter"):
        end = following.end_byte
        following = following.next_named_sibling
    return end


def _following_block(
    node: tree_sitter.Node, body: tree_sitter.Node | None, end: int
) -> tuple[tree_sitter.Node | None, int]:
    """What a macro such as Catch2's `TEST_CASE("…") {…}` runs stands behind it, for a grammar that sees a call."""
    statement = node.parent if node.parent is not None and node.parent.type == "expression_statement" else node
    following = statement.next_named_sibling
    if following is not None and following.type == "compound_statement":
        return following, following.end_byte
    return body, end
