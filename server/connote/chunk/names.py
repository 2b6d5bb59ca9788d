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
    others: tuple[tree_sitter.Node, ...] = ()
    """Further names that the same node defines, as in `a, b = 1, 2`."""
    whole: tree_sitter.Node | None = None
    """What its range is, when that is not its own node."""


class Around(NamedTuple):
    """What stands around a node."""

    is_local: bool
    """Whether it is directly inside a body."""
    data: bytes
    """The document."""
    grammar: str


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
    if not row.rule and grammar in _WITH_PLAIN_NAMES:
        target = node.child_by_field_name("name")
        name = text_of(target, data) if target is not None else ""
        if target is not None and name.isidentifier() and len(name) <= 200 and name != "_":
            return Named(row.kind, name, target.start_byte)
    rule, _, argument = row.rule.partition(":")
    if rule.startswith("="):
        return Named(row.kind, rule[1:], node.start_byte)
    if rule == "decl":
        return by_declarator(node, data, row.kind, grammar)
    if rule in _BY_TEXT:
        return _by_text(node, data, row.kind, _BY_TEXT[rule])
    target = _target(node, rule, argument)
    if target is None:
        return None
    if rule == "pattern" and target.type not in _PLAIN:
        return None  # It takes something apart.
    raw = text_of(target, data)
    name = _clean(_stripped(raw, row, target)).removeprefix(_SIGILS.get(grammar, "\n"))
    # A name in quotes begins behind the quote.
    at = target.start_byte + len(raw[: max(raw.find(name), 0)].encode())
    kind = _kind(node, data, row.kind, grammar, target)
    if rule == "pattern" and target.type == "string":
        kind = "test"  # OCaml's `let%test "…" = …`.
    others = _others(node, target, data) if kind in _SHARING else ()
    name, at, qualifier = _qualified(node, data, grammar, (name, at), target)
    # Elsewhere `_` is what nobody needs; Python programs call their translations so.
    is_named = bool(name) and (name != "_" or grammar == "python")
    return Named(kind, name, at, qualifier, None, others) if is_named else None


# Where an identifier in the field `name` is the name, and nothing else says what a definition is.
_WITH_PLAIN_NAMES = frozenset({"python"})


def _stripped(name: str, row: Row, target: tree_sitter.Node) -> str:
    """A name without what is no part of it: type parameters, parentheses."""
    if row.rule == "type" or target.type in _PARAMETRIC or (target.type == "user_type" and row.kind == "class"):
        return _without_parameters(name)
    if row.rule.startswith("head:"):
        return name.partition("(")[0]
    if row.kind == "rule":
        return " ".join(name.split())  # A list of selectors may be one on each line.
    return name.strip("()` ") if target.type in _PARENTHESIZED else name


def _qualified(
    node: tree_sitter.Node, data: bytes, grammar: str, named: tuple[str, int], target: tree_sitter.Node
) -> tuple[str, int, tuple[str, ...]]:
    """A name, its place, and what the definition puts around it."""
    name, at = named
    if target.type == "qualified_identifier":
        target, qualifier = _unqualified(target, data)
        return _without_parameters(text_of(target, data)), target.start_byte, qualifier
    scope = _SCOPE_PREFIXES.get(grammar)
    if scope is not None:
        bare = name.rpartition(scope)[2]
        return bare, at + len(name.encode()) - len(bare.encode()), ()
    if (grammar == "go" and node.type == "method_declaration") or grammar == "v":
        return name, at, _receiver(node, data)
    if grammar in _DOTTED or (grammar == "ruby" and target.type == "scope_resolution"):
        *owners, name = re.split(r"\.|::?", name)
        return name, target.end_byte - len(name.encode()), tuple(owner for owner in owners if owner)
    if grammar == "ruby" and node.type == "singleton_method":
        owner = node.child_by_field_name("object")
        return name, at, (text_of(owner, data),) if owner is not None and owner.type == "constant" else ()
    return name, at, ()


def _kind(node: tree_sitter.Node, data: bytes, kind: str, grammar: str, target: tree_sitter.Node) -> str:
    """What a definition is by its words, where a grammar has one node type for several kinds."""
    words = _KEYWORDS.get(grammar)
    if words is not None and kind in words:
        of_kind = words[kind]
        return next((of_kind[child.type] for child in node.children[:6] if child.type in of_kind), kind)
    pattern = _WORDS.get((grammar, kind))
    if pattern is not None:
        start, end = node.start_byte, min(node.end_byte, target.end_byte + 80)
        if grammar in _LOOSE:  # The words stand before the node.
            start, end = data.rfind(b"\n", 0, start) + 1, target.start_byte
        match = pattern.search(data, start, end)
        if match is not None:
            return next((of for of, text in match.groupdict().items() if text is not None), kind)
    return kind


# Grammars that have one node type for all of these.
_KEYWORDS = {
    "swift": {"class": {"struct": "struct", "enum": "enum", "extension": "impl"}},
    "kotlin": {"class": {"interface": "interface", "enum": "enum"}},
    "csharp": {"class": {"struct": "struct"}},
    "go": {"type": {"struct_type": "struct", "interface_type": "interface"}},
    "nim": {"type": {"enum_declaration": "enum", "object_declaration": "struct", "ref_type": "class"}},
    "fennel": {"variable": {"fn": "function", "lambda": "function", "hashfn": "function"}},
    "vhdl": {"type": {"enumeration_type_definition": "enum", "record_type_definition": "struct"}},
    "nix": {"variable": {"function_expression": "function"}},
    "ada": {
        "type": {
            "record_type_definition": "struct",
            "enumeration_type_definition": "enum",
            "task_type_declaration": "class",
            "protected_type_declaration": "class",
        },
        "variable": {"constant": "constant"},
    },
    "pascal": {"function": {"kConstructor": "constructor"}},
    "ocaml": {"constant": {"parameter": "function", "fun_expression": "function", "function_expression": "function"}},
}

# Words that tell a kind are named after it in these; searched from a definition's beginning to just behind its name.
_WORDS = {
    ("verilog", "type"): re.compile(rb"typedef\s+(?:(?P<enum>enum)|(?P<struct>struct|union)|(?P<class>class))\b"),
    ("fortran", "variable"): re.compile(rb"(?i)(?P<constant>\bparameter\b)[^\n]*::"),
    ("d", "variable"): re.compile(rb"(?P<constant>\b(?:immutable|const)\b)[^=;]*="),
    ("pascal", "class"): re.compile(
        rb"(?i)=\s*(?:packed\s+)?(?:(?P<class>class\b|object\b)|(?P<struct>record\b)"
        rb"|(?P<interface>(?:disp)?interface\b)|(?P<enum>\()|(?P<type>))"
    ),
    ("hlsl", "function"): re.compile(rb"(?P<interface>\binterface)\s+\w+\s*\{"),
    ("hlsl", "variable"): re.compile(rb"(?P<struct>\b[ct]buffer)\s|(?P<constant>\bconst\b)[^*=]*="),
    ("java", "field"): re.compile(rb"(?P<constant>\bstatic\s+final\b|\bfinal\s+static\b)"),
    ("csharp", "field"): re.compile(rb"(?P<constant>\bconst\b)"),
    ("kotlin", "property"): re.compile(rb"(?P<constant>\bconst\b)"),
    ("dart", "field"): re.compile(rb"(?P<constant>\bconst\b)[^;{}]*$"),
    ("dart", "variable"): re.compile(rb"(?P<constant>\bconst\b)[^;{}]*$"),
    ("bash", "variable"): re.compile(rb"(?P<constant>\b(?:readonly|declare -\w*r\w*)\b)[^;]*$"),
    ("c", "variable"): re.compile(rb"(?P<constant>\bconst\b)[^*=]*=?"),
    ("cpp", "variable"): re.compile(rb"(?P<constant>\bconst(?:expr)?\b)[^*=]*="),
    ("cpp", "field"): re.compile(rb"(?P<constant>\bstatic\b[^=;]*\bconst(?:expr)?\b)[^*=]*="),
    ("zig", "constant"): re.compile(
        rb"=\s*(?:packed\s+|extern\s+)?(?:(?P<struct>struct|union|opaque)|(?P<enum>enum|error))\b|(?P<variable>\bvar\b)"
    ),
}

_LOOSE = frozenset({"dart", "bash"})

# Patterns that are names.
_PLAIN = frozenset({"identifier", "operator_identifier", "value_name", "parenthesized_operator", "string"})
_PARENTHESIZED = frozenset({"parenthesized_operator", "prefix_id", "infix_id"})

_PARAMETRIC = frozenset({"template_type", "generic_type"})

# Kinds of which one statement often defines several.
_SHARING = frozenset({"constant", "variable", "property", "field", "type"})


def _others(node: tree_sitter.Node, target: tree_sitter.Node, data: bytes) -> tuple[tree_sitter.Node, ...]:
    """The names after the first in a list of them: those of later siblings of the same type."""
    if b"," not in data[target.end_byte : min(node.end_byte, target.end_byte + 400)]:
        return ()
    found: list[tree_sitter.Node] = []
    at, around = target, target.parent
    while at != node and around is not None:
        if any(child.type == "," for child in around.children):
            sibling = at.next_named_sibling
            while sibling is not None and len(found) < 50:
                name: tree_sitter.Node | None = sibling
                while name is not None and name.type != target.type:
                    name = name.child_by_field_name("name") or nth_child(name, 0)
                if sibling.type == at.type and name is not None:
                    found.append(name)
                sibling = sibling.next_named_sibling
            break
        at, around = around, around.parent
    return tuple(found)


def _target(node: tree_sitter.Node, rule: str, argument: str) -> tree_sitter.Node | None:
    """The node that holds the name."""
    if rule == ".":
        return node
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


_C_FAMILY = frozenset({"c", "cpp", "cuda", "objc", "glsl", "hlsl"})
_BODIED = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})

# What ends a scope before a name that is called without it: `function script:Reset`, `function <SID>Reset()`.
_SCOPE_PREFIXES = {"powershell": ":", "vim": "<SID>"}

# Grammars whose names hold what they belong to: `a.f`, `a:f`, `a::f`.
_DOTTED = frozenset({"lua", "luau", "pascal", "tcl", "fennel"})

# What stands before the name of a field and is no part of it.
_SIGILS = {"powershell": "$"}

_BY_TEXT = {
    "word": re.compile(
        rb"(?:function|macro|\{#snippet|(?:mutable\s+)?struct|(?:abstract|primitive)\s+type)\s+(?:[\w.]+\.(?=\w))?"
        rb"([^\s({;<]+|<[^\s(]*)"
    ),
    # Dart: `typedef Name = …`, `typedef int Name(…)`.
    "alias": re.compile(rb"typedef\s+(?:[^=(]*?\s)?(\w+)\s*(?:<[^=(]*>)?\s*[=(]"),
    "called": re.compile(rb"(?:(?:const|factory|external)\s+)*([\w.]+)"),
    "destroyed": re.compile(rb"[^~]*(~\s*\w+)"),
    "operator": re.compile(rb"[^(]*?\boperator\s*([^\s(]+)"),
    # Scala: `extension [T](x: Name[T])`.
    "extended": re.compile(rb"extension\s*(?:\[[^\]]*\]\s*)?\([^:)]*:\s*([\w.]+)"),
    # Tcl's commands.
    "evaluated": re.compile(rb"namespace\s+eval\s+([^\s{}]+)"),
    "created": re.compile(rb"oo::class\s+create\s+([^\s{}]+)"),
    "method": re.compile(rb"method\s+([^\s{}]+)"),
    "constructor": re.compile(rb"(constructor)\s"),
    "labels": re.compile(rb"[^{\n]*"),
}


def _clean(name: str) -> str:
    """The first line of a name without quotes around it, and with single spaces."""
    name = name.strip().split("\n", 1)[0].split("\r", 1)[0].strip()
    name = name[1:] if name.startswith('@"') else name  # Zig's way to quote
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


_REFERENCE = re.compile(r"^(?:[&*]|'\w+\s+|(?:mut|const|dyn)\s+)+")


def _without_parameters(name: str) -> str:
    """`S<T>` is S, `&'a mut a::S<T>` is S."""
    name = _REFERENCE.sub("", name).partition("<")[0]
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


def by_declarator(node: tree_sitter.Node, data: bytes, kind: str, grammar: str = "") -> Named | None:
    """Name a definition of the C family: its declarator, followed down to the identifier."""
    # HLSL's semantics, as in `float4 p : POSITION`, are no names.
    declarators = [child for child in node.children_by_field_name("declarator") if child.type != "semantics"]
    target = _declared(declarators[0]) if declarators else None
    if target is None:
        return None
    target, qualifier = _unqualified(target, data)
    # `operator bool() const` is one node: what it is called ends before its parameters.
    name = _clean(text_of(target, data).partition("(")[0] if target.type == "operator_cast" else text_of(target, data))
    if target.type not in _DECLARED and _NO_NAME.search(name):
        return None  # What the parser could not read.
    if kind == "function" and node.child_by_field_name("type") is None:
        test = _MACRO_TEST.match(data, node.start_byte, node.end_byte)
        if test is not None:  # GoogleTest's macros look like functions without a type.
            name = f"{test.group(1).decode()}.{test.group(2).decode()}"
            return Named("test", name, test.start(1))
    kind = _kind(node, data, kind, _CONSTANTS_AS.get(grammar, grammar), target)
    value = declarators[0].child_by_field_name("value")
    if value is not None and value.type == "lambda_expression":
        return Named("function", name, target.start_byte, (), value.child_by_field_name("body"))
    others = tuple(other for other in map(_declared, declarators[1:]) if other is not None)
    return Named(kind, name, target.start_byte, qualifier, None, others) if name else None


_NO_NAME = re.compile(r"[\s*&\[({]")
_MACRO_TEST = re.compile(rb"(?:TEST(?:_F|_P)?|TYPED_TEST(?:_P)?)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_CONSTANTS_AS = {"cuda": "cpp", "objc": "c", "glsl": "c"}


def _declared(target: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """The identifier that a declarator leads to."""
    for _ in range(8):
        if target is None or target.type.endswith("identifier") or target.type in _DECLARED:
            break
        inner = target.child_by_field_name("declarator") or target.child_by_field_name("name")
        if inner is None:
            inner = next((child for child in target.named_children if _DECLARATORS.search(child.type)), None)
        if inner is None:
            break
        target = inner
    return target


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
