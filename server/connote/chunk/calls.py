"""Calls that define something: Elixir's `def` and attributes, Ruby's accessors, named tests, and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from connote.chunk.names import Around, Named, nth_child, text_of

if TYPE_CHECKING:
    import tree_sitter


_ELIXIR = {
    "def": "function", "defp": "function", "defdelegate": "function", "defmacro": "macro", "defmacrop": "macro",
    "defguard": "macro", "defguardp": "macro", "defmodule": "module", "defprotocol": "interface", "defimpl": "impl",
    "defstruct": "struct", "defexception": "struct", "test": "test", "describe": "test",
}  # fmt: skip


def elixir_call(node: tree_sitter.Node, around: Around) -> Named | None:
    """An Elixir call that defines, such as `def` and `defmodule`."""
    target = node.child_by_field_name("target")
    if target is None or target.type != "identifier":
        return None
    word = text_of(target, around.data)
    kind = _ELIXIR.get(word)
    if kind is None:
        return None
    body = next((child for child in node.named_children if child.type == "do_block"), None)
    if word in ("defstruct", "defexception"):
        return Named(kind, word, target.start_byte)
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    name = nth_child(arguments, 0) if arguments is not None else None
    for _ in range(8):
        if name is None:
            return None
        if name.type == "binary_operator":  # `def f(x) when x > 0`, `def a + b`
            operator = name.child_by_field_name("operator")
            is_guard = operator is None or operator.type == "when"
            name = name.child_by_field_name("left") if is_guard else operator
        elif name.type == "call":
            name = name.child_by_field_name("target")
        else:
            break
    if name is None:
        return None
    text = text_of(name, around.data).strip("\"'")
    if body is None and arguments is not None:  # `def f(x), do: x`
        body = next(
            (child for child in arguments.named_children if child.type == "keywords" and word != "defimpl"), None
        )
    at = name.start_byte + (name.type == "string")
    return Named(kind, text.split("\n", 1)[0][:200], at, (), body) if text else None


_TEST_WORDS = frozenset(
    {
        "describe", "it", "test", "context", "suite", "specify", "bench", "group", "testWidgets", "testset", "feature",
        "scenario", "property", "TEST_CASE", "SECTION", "SUBCASE", "SCENARIO", "GIVEN", "WHEN", "THEN",
    }
)  # fmt: skip
_TESTED = frozenset({"constant", "scope_resolution", "identifier"})


def test_call(node: tree_sitter.Node, around: Around) -> Named | None:
    """A named test, as of the JavaScript runners, RSpec, Pest, Busted and others: `it("does …", …)`."""
    title, body = _title(node)
    if title is None or title.start_byte - node.start_byte > 120:
        return None
    words = re.findall(rb"\w+", around.data[node.start_byte : title.start_byte])[:2]
    if not any(word.decode("utf-8", "replace") in _TEST_WORDS for word in words):
        return None
    name = " ".join(text_of(title, around.data).strip("\"'`").split())
    at = title.start_byte + (title.type not in _TESTED)
    return Named("test", name[:200], at, (), body) if name else None


def _title(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, tree_sitter.Node | None]:
    """The first argument of a call, and what the call does."""
    arguments, body = node.child_by_field_name("arguments"), node.child_by_field_name("block")
    if arguments is not None and arguments.type == "block":  # Scala: `test("…") {…}` is a call of a call.
        function, body = node.child_by_field_name("function"), arguments
        arguments = function.child_by_field_name("arguments") if function is not None else None
    elif arguments is None:
        arguments = next((child for child in node.named_children if child.type == "macro_argument_list"), None)
    if arguments is None and node.named_child_count > 1:  # Dart: `test('…', …)` is a name, then a selector.
        inner: tree_sitter.Node | None = nth_child(node, 1)
        while inner is not None and inner.type != "arguments":
            inner = nth_child(inner, 0)
        arguments = inner
    if arguments is None:
        return None, None
    title = nth_child(arguments, 0)
    body = body if body is not None else nth_child(arguments, 1)
    if title is not None and title.type == "argument":
        title = nth_child(title, 0)
    return title, body


_CALLS = {
    "r": {
        "setClass": "class", "setRefClass": "class", "R6Class": "class", "setGeneric": "function",
        "setMethod": "method", "test_that": "test", "describe": "test", "it": "test",
    },
    "cmake": {
        "project": "module", "add_library": "rule", "add_executable": "rule", "add_custom_target": "rule",
        "set": "variable", "option": "variable",
    },
}  # fmt: skip


def named_call(node: tree_sitter.Node, around: Around) -> Named | None:
    """A call that defines what its first argument names: `setClass("Sensor", …)`, also where it is assigned."""
    call: tree_sitter.Node | None = node
    if node.type == "binary_operator":
        call = node.child_by_field_name("rhs")
        if call is None or call.type != "call":
            return None
    elif node.parent is not None and node.parent.type == "binary_operator":
        return None  # The assignment has been looked at.
    if call is None:
        return None
    function = call.child_by_field_name("function") or nth_child(call, 0)
    arguments = call.child_by_field_name("arguments") or nth_child(call, 1)
    first = nth_child(arguments, 0) if arguments is not None else None
    if function is None or first is None or function.end_byte - function.start_byte > 60:
        return None
    word = re.split(r"\W+", text_of(function, around.data))[-1]
    kind = _CALLS[around.grammar].get(word.lower() if around.grammar == "cmake" else word)
    text = text_of(first, around.data)
    if around.grammar == "cmake":
        # Its names need no quotes; one that is a variable's value is no name.
        named = kind is not None and "$" not in text and not around.is_local
        return Named(kind or "", text, first.start_byte) if named else None
    if kind is None or len(text) < 3 or text[0] not in "\"'" or text[-1] != text[0] or "\n" in text:
        return None
    others = [nth_child(child, 0) for child in first.parent.named_children] if first.parent is not None else []
    bodies = (child.child_by_field_name("body") for child in others if child is not None)
    owner = others[2] if kind == "method" and len(others) > 2 else None
    qualifier = (text_of(owner, around.data).strip("\"'"),) if owner is not None and owner.type == "string" else ()
    body = next((body for body in bodies if body is not None), None)
    return Named(kind, text[1:-1][:200], first.start_byte + 1, qualifier, body)


_ACCESSORS = frozenset({"attr_reader", "attr_writer", "attr_accessor", "cattr_accessor", "mattr_accessor", "attribute"})


def accessor(node: tree_sitter.Node, around: Around) -> Named | None:
    """What Ruby's `attr_reader :a, :b` defines."""
    word, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if word is None or arguments is None or text_of(word, around.data) not in _ACCESSORS:
        return None
    first, *others = (child for child in arguments.named_children if child.type == "simple_symbol")
    name = text_of(first, around.data).lstrip(":")
    return Named("property", name, first.start_byte + 1, (), None, tuple(others))


def bats(node: tree_sitter.Node, around: Around) -> Named | None:
    """A test of Bats; its grammar sees a command, whose braces are words."""
    title = node.child_by_field_name("argument")
    name = text_of(title, around.data).strip("\"'") if title is not None else ""
    return Named("test", name[:200], title.start_byte + 1) if title is not None and name else None


_OUTSIDE = frozenset({"callback", "macrocallback"})
_TYPES = frozenset({"type", "typep", "opaque"})
_ANNOTATIONS = frozenset(
    {
        "doc", "moduledoc", "typedoc", "spec", "impl", "behaviour", "behavior", "derive", "enforce_keys",
        "before_compile", "after_compile", "on_load", "compile", "external_resource", "deprecated", "since",
        "dialyzer", "tag", "moduletag", "describetag", "optional_callbacks", "on_definition", "vsn", "file", "nifs",
        "decorate",
    }
)  # fmt: skip


def is_annotation(node: tree_sitter.Node, data: bytes) -> bool:
    """Whether a module attribute of Elixir says something of the definition below it."""
    words = re.findall(rb"\w+", data[node.start_byte : node.start_byte + 40])
    return bool(words) and words[0].decode("utf-8", "replace") in _ANNOTATIONS


def attribute_value(node: tree_sitter.Node, around: Around) -> Named | None:
    """A module attribute of Elixir that is a value, a type or a callback."""
    if not around.data.startswith(b"@", node.start_byte):
        return None  # `!x` and `&f/1` are unary too.
    call = node.child_by_field_name("operand")
    target = call.child_by_field_name("target") if call is not None else None
    if call is None or target is None:
        return None
    word = text_of(target, around.data)
    if is_annotation(node, around.data):
        return None
    if word not in _OUTSIDE and word not in _TYPES:
        return Named("constant", word, target.start_byte)
    name = nth_child(call, 1)
    while name is not None and name.type in ("arguments", "binary_operator", "call"):
        name = nth_child(name, 0)
    if name is None:
        return None
    return Named("type" if word in _TYPES else "function", text_of(name, around.data), name.start_byte)
