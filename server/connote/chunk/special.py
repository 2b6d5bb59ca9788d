"""Kinds of definition that need more than a row: values, assigned functions, lists, and what only one language has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from connote.chunk import calls
from connote.chunk.names import Around, Named, by_declarator, nth_child, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import tree_sitter


def _value(node: tree_sitter.Node, around: Around) -> Named | None:
    """A variable: always when it holds a function or a class, else only outside of bodies."""
    target = _field(node, "name", "left", "declarator", "lhs", "variable")
    value = _field(node, "value", "right", "rhs")
    if target is None or target.type not in ("identifier", "type_identifier"):
        return None
    name = text_of(target, around.data).strip("`")
    function = _function_in(value)
    if function is not None:
        kind = "class" if function.type in ("class", "class_expression") else "function"
        body = function.child_by_field_name("body")
        # C++'s `auto f = [] {…};` begins with its type.
        whole = node.parent if node.type == "init_declarator" else None
        return Named(kind, name, target.start_byte, (), body, (), whole)
    if around.grammar in ("python", "r", "starlark"):
        return Named("constant" if name.isupper() else "variable", name, target.start_byte)
    if around.is_local:
        return None
    while value is not None and value.type in ("as_expression", "satisfies_expression"):
        value = nth_child(value, 0)
    body = value if value is not None and value.type == "object" else None
    is_const = node.parent is not None and around.data.startswith(b"const", node.parent.start_byte)
    return Named("constant" if is_const else "variable", name, target.start_byte, (), body)


def _assigned(node: tree_sitter.Node, around: Around) -> Named | None:
    """A function that is assigned to a name, a field or a key."""
    left = _field(node, "left", "key", "name")
    right = _field(node, "right", "value")
    if left is None and node.named_child_count > 1:
        left = nth_child(node, 0)
    if right is None and node.named_child_count > 1:
        right = nth_child(node, node.named_child_count - 1)
    if left is None or right is None:
        return None
    is_called = around.grammar == "julia" and _is_called(left)
    if not is_called:
        if right.type in ("expression_list", "variable_list") and right.named_child_count:
            right = nth_child(right, 0)
        # What a body assigns from a call is a value: `timer = setTimeout(() => …)`.
        function = _function_in(right, through_calls=not around.is_local)
        if function is None:
            return None
        right = function
    own = right.child_by_field_name("name")
    if own is not None and text_of(left, around.data) == "module.exports":
        left = own  # `module.exports = function name() {}` says itself what it is called.
    # Perl's `my $f` holds `f`.
    left = left.child_by_field_name("variable") or left
    kind = "class" if right.type == "class" else "function"
    body = right if is_called else right.child_by_field_name("body")
    return _named_by_target(left, kind, body, around)


def _named_by_target(left: tree_sitter.Node, kind: str, body: tree_sitter.Node | None, around: Around) -> Named | None:
    """Name what is assigned by where it is assigned to: the last word of it."""
    text = text_of(left, around.data).partition("(")[0].strip()
    # A dot is an ordinary letter in the names of R.
    separator = "$" if around.grammar == "r" else "."
    name = text.rsplit(separator, 1)[-1].strip("\"'`[] ")
    if around.grammar == "php":
        name = re.split(r"->|::", name)[-1].lstrip("$")
        if left.type == "subscript_expression":
            return None
    elif around.grammar == "julia":
        name = name.partition("{")[0]
    elif around.grammar == "perl":
        name = name.rsplit("{", 1)[-1].strip("$@%*}'\"")
    qualifier = tuple(text.split(separator)[:-1]) if around.grammar in ("lua", "luau", "r") else ()
    if around.grammar in ("lua", "luau") and "[" in text:
        *owners, name = [word for word in re.split(r"[.\[\]\"']+", text) if word] or [""]
        qualifier = tuple(owners)
    elif ".prototype." in text:
        qualifier = (text.partition(".prototype.")[0],)
    if not name or len(name) > 200 or "\n" in name:
        return None
    at = left.start_byte + max(text_of(left, around.data).encode("utf-8", "replace").rfind(name.encode()), 0)
    return Named(kind, name, at, qualifier, body)


def _is_called(left: tree_sitter.Node) -> bool:
    """Whether what is assigned to is a function with its parameters, as in Julia's `f(x)::Int where {T} = …`."""
    node: tree_sitter.Node | None = left
    while node is not None and node.type in ("where_expression", "typed_expression"):
        node = nth_child(node, 0)
    return node is not None and node.type == "call_expression"


_FUNCTIONS = frozenset(
    {
        "arrow_function", "function_expression", "function", "generator_function", "function_definition", "lambda",
        "class", "anonymous_function", "func_literal", "lambda_expression", "anonymous_subroutine_expression",
        "arrow_function_expression", "anonymous_function_creation_expression", "function_literal",
    }
)  # fmt: skip

# What is given a function and gives back something else.
_CONSUMERS = re.compile(
    rb"(?:^|\W)(?:map|filter|reduce|forEach|find|findIndex|some|every|sort|flatMap|then|catch|finally|replace|from"
    rb"|setTimeout|setInterval)$"
)


def _function_in(value: tree_sitter.Node | None, through_calls: bool = True) -> tree_sitter.Node | None:
    """The function or class that a value is, also as an argument of a call: `memo(() => …)` is a function."""
    for _ in range(4):
        if value is None:
            return None
        if value.type in _FUNCTIONS:
            return value
        if value.type == "call_expression":
            arguments, called = value.child_by_field_name("arguments"), value.child_by_field_name("function")
            if not through_calls or arguments is None or called is None or _CONSUMERS.search(called.text or b""):
                return None
            value = next((child for child in arguments.named_children if child.type in _FUNCTIONS), None) or (
                nth_child(arguments, 0)
            )
        elif value.type in ("parenthesized_expression", "as_expression", "satisfies_expression"):
            value = nth_child(value, 0)
        else:
            return None
    return None


def _field(node: tree_sitter.Node, *names: str) -> tree_sitter.Node | None:
    for name in names:
        found = node.child_by_field_name(name)
        if found is not None:
            return found
    return None


_LIST = re.compile(
    rb"\(\s*(?P<head>(?:cl-|ert-)?def(?!ault\b|er|ine-key|ine-obsolete)[\w*/+!-]*|ns|module[+*]?|macro|struct|test-case)"
    rb"\s+(?:\^\S+\s+)*(?:\"(?P<title>[^\"\n]*)\"|[('#:]*(?:setf\s+)?(?P<name>[^\s()\[\]{}\"]+))"
)


def _list(node: tree_sitter.Node, around: Around) -> Named | None:
    """A Lisp form whose head says that it defines."""
    match = _LIST.match(around.data, node.start_byte, min(node.end_byte, node.start_byte + 400))
    if match is None or (node.named_child_count == 1 and node.named_children[0].type == "defun"):
        return None  # Common Lisp's grammar has a node of its own inside of that list.
    head = match.group("head").decode("utf-8", "replace")
    what = "title" if match.group("title") is not None else "name"
    if what == "title" and "test" not in head:
        return None
    children = node.named_children
    kind = next((kind for word, kind in _HEADS if re.fullmatch(word, head)), "function")
    if kind == "function" and head.startswith("define") and around.grammar in ("scheme", "racket"):
        kind = _kind_by_value(children, around.data)
    if kind == "variable" and _is_inside_list(node, around.data):
        return None
    at = match.start(what)
    named = next((i for i, child in enumerate(children) if child.start_byte <= at < child.end_byte), -1)
    body = _list_body(children, named, kind, at) if named >= 0 and kind != "variable" else None
    return Named(kind, match.group(what).decode("utf-8", "replace"), at, (), body)


# Heads that all of a Lisp's dialects use alike, the first that fits.
_HEADS = (
    (r"ns", "namespace"),
    (r"module.*|defpackage|define-module|define-library", "module"),
    (r".*(?:macro|syntax).*", "macro"),
    (r".*test.*", "test"),
    (r".*struct|.*record-type", "struct"),
    (r"deftype|cl-deftype", "type"),
    (r"defrecord|defclass|define-class|define-condition", "class"),
    (r"defprotocol|definterface|define-interface", "interface"),
    (r".*method|define/(?:public|private|override|augment)(?:-final)?", "method"),
    (r".*const(?:ant)?", "constant"),
    (r"def|defonce|defvar.*|defparameter|defcustom|defface|defgroup|define-values|defglobal", "variable"),
)


def _kind_by_value(children: list[tree_sitter.Node], data: bytes) -> str:
    """What `define` binds: a function where a list or a lambda stands."""
    if len(children) < 3 or children[1].type == "list":
        return "function"
    word = re.match(r"[(\[]\s*([^\s()]*)", text_of(children[2], data)[:40])
    if word is None:
        return "variable"
    return {"class": "class", "lambda": "function", "case-lambda": "function", "λ": "function"}.get(
        word.group(1), "variable"
    )


def _is_inside_list(node: tree_sitter.Node, data: bytes) -> bool:
    above = node.parent
    for _ in range(20):
        if above is None:
            return False
        match = _LIST.match(data, above.start_byte, min(above.end_byte, above.start_byte + 400))
        if match is not None and not match.group("head").startswith((b"module", b"ns")):
            return True
        above = above.parent
    return False


def _list_body(children: list[tree_sitter.Node], named: int, kind: str, at: int) -> tree_sitter.Node | None:
    """What follows the parameters; what stands between name and parameters documents."""
    if children[named].type == "defun_header":
        return children[named + 1] if named + 1 < len(children) else None
    after = named + 1
    if children[named].start_byte == at and kind not in ("namespace", "interface", "module"):
        for i in range(after, min(after + 3, len(children))):
            is_last = i == len(children) - 1
            if children[i].type == "vec_lit" or (children[i].type in ("list", "list_lit") and not is_last):
                after = i + 1
                # Clojure's functions may have several lists of parameters, each with its body.
                first = nth_child(children[i], 0)
                if first is not None and first.type == "vec_lit":
                    after = i
                break
    while after < len(children) and children[after].type in ("str_lit", "string"):
        after += 1
    return children[after] if after < len(children) else None


def _default(node: tree_sitter.Node, _around: Around) -> Named | None:
    """`export default` of something without a name of its own."""
    word = next((child for child in node.children if child.type == "default"), None)
    what = node.child_by_field_name("value") or node.child_by_field_name("declaration")
    if word is None or what is None or what.child_by_field_name("name") is not None:
        return None
    function = _function_in(what)
    kind = "variable" if function is None else "class" if function.type == "class" else "function"
    body = what if function is None else function.child_by_field_name("body")
    return Named(kind, "default", word.start_byte, (), body)


_USED_CONSTANT = re.compile(rb"use\s+constant\s+(?:\{\s*)?(\w+)")


def _used_constant(node: tree_sitter.Node, around: Around) -> Named | None:
    """Perl's constants are arguments of a module."""
    match = _USED_CONSTANT.match(around.data, node.start_byte, node.end_byte)
    return Named("constant", match.group(1).decode("utf-8", "replace"), match.start(1)) if match else None


_ENUM_MACRO = re.compile(rb"typedef\s+[A-Z]+_(?:ENUM|OPTIONS|CLOSED_ENUM|ERROR_ENUM)\s*\(\s*\w+\s*,\s*(\w+)\s*\)\s*")


def _typedef(node: tree_sitter.Node, around: Around) -> Named | None:
    """A type of Objective-C; the grammar cannot read `typedef NS_ENUM(NSInteger, Kind) {…}`."""
    match = _ENUM_MACRO.match(around.data, node.start_byte, node.end_byte)
    if match is None:
        return by_declarator(node, around.data, "type")
    body = next((child for child in node.children if child.start_byte >= match.end()), None)
    return Named("enum", match.group(1).decode("utf-8", "replace"), match.start(1), (), body)


def _member(node: tree_sitter.Node, around: Around) -> Named | None:
    """A variable of a Python class."""
    target = node.child_by_field_name("left")
    if target is None or target.type != "identifier":
        return None
    name = text_of(target, around.data)
    return Named("constant" if name.isupper() else "field", name, target.start_byte)


def _promoted(node: tree_sitter.Node, around: Around) -> Named | None:
    """A parameter of a constructor that is a property too."""
    target = _field(node, "name", "pattern")
    if target is None:
        target = next((c for c in node.named_children if c.type in ("simple_identifier", "identifier")), None)
    if target is not None and target.type == "variable_name":
        target = nth_child(target, 0)  # PHP's, without its `$`.
    return Named("property", text_of(target, around.data), target.start_byte) if target is not None else None


def _target(node: tree_sitter.Node, around: Around) -> Named | None:
    """A target of a build file: a call with a name, `cc_library(name = "x", …)`."""
    arguments = node.child_by_field_name("arguments")
    for argument in arguments.named_children[:5] if arguments is not None else ():
        name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
        if name is not None and value is not None and value.type == "string" and text_of(name, around.data) == "name":
            return Named("rule", text_of(value, around.data).strip("\"'"), value.start_byte + 1)
    return None


def _let(node: tree_sitter.Node, around: Around) -> Named | None:
    """A variable of Vim's with a scope; what stands first is set, as in `let &cpo = s:old`."""
    target = nth_child(node, 0)
    if target is None or target.type != "scoped_identifier" or around.is_local:
        return None
    kind = "constant" if node.type == "const_statement" else "variable"
    return Named(kind, text_of(target, around.data), target.start_byte)


def _interface_block(node: tree_sitter.Node, around: Around) -> Named | None:
    """A block of GLSL that names what a program is given: `uniform Lights {…};`."""
    body = next((child for child in node.named_children if child.type == "field_declaration_list"), None)
    name = next((child for child in node.named_children if child.type == "identifier"), None)
    if body is None or name is None or name.end_byte > body.start_byte:
        return None
    return Named("struct", text_of(name, around.data), name.start_byte, (), body)


def _prototype(node: tree_sitter.Node, around: Around) -> Named | None:
    """A function that C and C++ declare here and define elsewhere."""
    declared = node.child_by_field_name("declarator")
    for _ in range(8):
        if declared is None or declared.type == "function_declarator":
            break
        declared = declared.child_by_field_name("declarator") or nth_child(declared, 0)
    inner = declared.child_by_field_name("declarator") if declared is not None else None
    if inner is not None and inner.type == "parenthesized_declarator":
        # `int (*p)(int)` is a variable, `int (*f(int))(int)` a function.
        while inner is not None and inner.type != "function_declarator":
            inner = inner.child_by_field_name("declarator") or nth_child(inner, 0)
        if inner is None:
            return None
    return by_declarator(node, around.data, "function", around.grammar)


def _outer_key(node: tree_sitter.Node, around: Around) -> Named | None:
    """A key of the outermost mapping of a data file."""
    key = node.child_by_field_name("key") or nth_child(node, 0)
    if key is None:
        return None
    raw = text_of(key, around.data)
    name = raw.strip("\"'")
    return Named("key", name[:200], key.start_byte + raw.index(name)) if name and "\n" not in name else None


SPECIAL: dict[str, Callable[[tree_sitter.Node, Around], Named | None]] = {
    "value": _value,
    "module_value": _value,
    "outer_value": _value,
    "listed": _assigned,
    "named_call": calls.named_call,
    "used_constant": _used_constant,
    "interface_block": _interface_block,
    "let": _let,
    "target": _target,
    "typedef": _typedef,
    "lambda": _value,
    "prototype": _prototype,
    "member": _member,
    "promoted": _promoted,
    "accessor": calls.accessor,
    "bats": calls.bats,
    "attribute_value": calls.attribute_value,
    "outer_key": _outer_key,
    "assigned": _assigned,
    "call": calls.elixir_call,
    "list": _list,
    "test_call": calls.test_call,
    "default": _default,
}
"""Each gives a definition's kind and name, or None for a node that defines nothing."""
