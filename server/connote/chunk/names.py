"""Where the name of a definition stands: the rules of the table of definitions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.grammar import Row


class Named(NamedTuple):
    """A definition's kind, name and place of the name."""

    kind: str
    name: str
    at: int
    """Byte offset of the name."""
    qualifier: tuple[str, ...] = ()
    """Names that the definition itself puts around its name: Go's receiver, C++'s `A::`."""
    body: tree_sitter.Node | None = None
    """Where its signature ends, when that is not the field `body`."""


def text_of(node: tree_sitter.Node, data: bytes) -> str:
    """The text of a node."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def nth_child(node: tree_sitter.Node, index: int) -> tree_sitter.Node | None:
    """The named child at a position, or None: the parser's own method raises."""
    return node.named_child(index) if index < node.named_child_count else None


def name_of(node: tree_sitter.Node, data: bytes, row: Row, grammar: str) -> Named | None:
    """Name a definition by its row's rule, or None when it has no name or is none."""
    if grammar in _C_FAMILY and node.type in _BODIED and node.child_by_field_name("body") is None:
        return None  # `struct s *p` uses a type and defines none.
    rule, _, argument = row.rule.partition(":")
    if rule.startswith("="):
        return Named(row.kind, rule[1:], node.start_byte)
    if rule == "decl":
        return by_declarator(node, data, row.kind)
    if rule in _BY_TEXT:
        return _by_text(node, data, row.kind, _BY_TEXT[rule])
    target = _target(node, rule, argument)
    if target is None:
        return None
    name = text_of(target, data)
    if rule == "type":
        name = _without_parameters(name)
    elif rule == "head":
        name = name.partition("(")[0]
    if row.kind == "rule":
        name = " ".join(name.split())  # A list of selectors may be one on each line.
    raw, name = name, _clean(name).removeprefix(_SIGILS.get(grammar, "\n"))
    # A name in quotes begins behind the quote.
    at = target.start_byte + len(raw[: max(raw.find(name), 0)].encode())
    kind = _kind_by_keyword(node, row.kind, grammar)
    qualifier: tuple[str, ...] = ()
    if grammar == "go" and kind == "method":
        qualifier = _receiver(node, data)
    elif grammar == "lua":
        *owners, name = re.split(r"[.:]", name)
        qualifier, at = tuple(owners), target.end_byte - len(name.encode())
    return Named(kind, name, at, qualifier) if name else None


def _kind_by_keyword(node: tree_sitter.Node, kind: str, grammar: str) -> str:
    words = _KEYWORDS.get(grammar)
    if words is None or kind != "class":
        return kind
    return next((words[child.type] for child in node.children[:6] if child.type in words), kind)


# Grammars that have one node type for all of these.
_KEYWORDS = {
    "swift": {"struct": "struct", "enum": "enum", "extension": "impl"},
    "kotlin": {"interface": "interface", "enum": "enum"},
}


def _target(node: tree_sitter.Node, rule: str, argument: str) -> tree_sitter.Node | None:
    """The node that holds the name."""
    if rule == "constant":
        left = node.child_by_field_name("left")
        return left if left is not None and left.type == "constant" else None
    if rule == "head":
        return node.child_by_field_name(argument)
    if rule != "first":
        ways = (_descend(node, way) for way in (rule or "name").split(","))
        return next((target for target in ways if target is not None), None)
    target = node.child_by_field_name("name")
    if target is None:
        target = _first_child(node, argument.split(","))
        inner = target.child_by_field_name("name") if target is not None else None
        if target is not None:
            target = inner if inner is not None else _shortest(target)
    return target


def _descend(node: tree_sitter.Node, way: str) -> tree_sitter.Node | None:
    """Follow a way down: each step is a field, or else the type of a child."""
    target: tree_sitter.Node | None = node
    for step in way.split("/"):
        if target is None:
            return None
        target = target.child_by_field_name(step) or next((c for c in target.children if c.type == step), None)
    return target


_C_FAMILY = frozenset({"c", "cpp", "cuda", "objc"})
_BODIED = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})

# What stands before the name of a field and is no part of it.
_SIGILS = {"powershell": "$"}

_BY_TEXT = {
    "word": re.compile(rb"(?:function|macro|\{#snippet)\s+([^\s({;]+)"),
    "labels": re.compile(rb"[^{\n]*"),
}


def _clean(name: str) -> str:
    """The first line of a name without quotes around it, and with single spaces."""
    name = name.strip().split("\n", 1)[0].split("\r", 1)[0].strip()
    if len(name) > 1 and name[0] in "\"'`" and name[-1] == name[0]:
        name = name[1:-1]
    return " ".join(name.split())[:200]


def _first_child(node: tree_sitter.Node, types: list[str]) -> tree_sitter.Node | None:
    return next((child for child in node.named_children if child.type in types), None)


def _shortest(node: tree_sitter.Node) -> tree_sitter.Node:
    # A header with parameters, or a variable with its type, begins with its name.
    if node.type == "variable_declaration" or (node.end_byte - node.start_byte > 40 and node.named_child_count):
        first = node.named_child(0)
        return node if first is None else first
    return node


def _without_parameters(name: str) -> str:
    """`S<T>` is S, `&mut a::S<T>` is S."""
    name = name.lstrip("&*").removeprefix("mut ").partition("<")[0]
    return name.rsplit("::", 1)[-1]


def _by_text(node: tree_sitter.Node, data: bytes, kind: str, pattern: re.Pattern[bytes]) -> Named | None:
    match = pattern.match(data, node.start_byte, node.end_byte)
    if match is None:
        return None
    if pattern.groups:
        name, at = match.group(1), match.start(1)
    else:
        name, at = b".".join(word.strip(b"\"'") for word in match.group().split()), match.start()
    return Named(kind, name.decode("utf-8", "replace")[:200], at) if name else None


def _receiver(node: tree_sitter.Node, data: bytes) -> tuple[str, ...]:
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ()
    # `(u *User[T])`, `(User)`, `(*pkg.User)`: the last word before type parameters.
    words = re.findall(r"\w+", text_of(receiver, data).partition("[")[0])
    return (words[-1],) if words else ()


_DECLARATORS = re.compile(r"declarator|^(?:type_|field_)?identifier$|^qualified_identifier$|^destructor_name$")


def by_declarator(node: tree_sitter.Node, data: bytes, kind: str) -> Named | None:
    """Name a definition of the C family: its declarator, followed down to the identifier."""
    target = node.child_by_field_name("declarator")
    for _ in range(8):
        if target is None or target.type.endswith("identifier") or target.type in _DECLARED:
            break
        inner = target.child_by_field_name("declarator")
        if inner is None:
            inner = next((child for child in target.named_children if _DECLARATORS.search(child.type)), None)
        if inner is None:
            break
        target = inner
    if target is None:
        return None
    target, qualifier = _unqualified(target, data)
    # `operator bool() const` is one node: what it is called ends before its parameters.
    name = _clean(text_of(target, data).partition("(")[0] if target.type == "operator_cast" else text_of(target, data))
    return Named(kind, name, target.start_byte, qualifier) if name else None


_DECLARED = frozenset({"operator_name", "destructor_name", "operator_cast"})


def _unqualified(target: tree_sitter.Node, data: bytes) -> tuple[tree_sitter.Node, tuple[str, ...]]:
    """`n::A::m` is m, qualified by n and A."""
    qualifier: list[str] = []
    for _ in range(20):
        inner = target.child_by_field_name("name") if target.type == "qualified_identifier" else None
        if inner is None:
            break
        scope = target.child_by_field_name("scope")
        if scope is not None:
            qualifier.append(_without_parameters(text_of(scope, data)))
        target = inner
    return target, tuple(qualifier)
