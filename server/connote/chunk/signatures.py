"""Signatures and doc comments of definitions."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

from connote.chunk.names import nth_child

if TYPE_CHECKING:
    from collections.abc import Mapping

    import tree_sitter

    from connote.chunk.outline import Lead
    from connote.chunk.source import Source

MAX_SIGNATURE = 300
"""Characters of a signature that are kept."""
MAX_DOC = 2000
"""Characters of a doc comment that are kept."""


def signature_of(  # noqa: PLR0913, PLR0917 - each is one fact about the same definition
    source: Source,
    node: tree_sitter.Node,
    body: tree_sitter.Node | None,
    full_start: int,
    node_start: int,
    comments: tuple[list[int], list[int]],
    bodies: frozenset[str] = frozenset(),
    inner: tree_sitter.Node | None = None,
    name: tuple[int, str] = (0, ""),
) -> str:
    """A definition's text up to its body, without comments and with single spaces.

    `bodies` are node types that are bodies besides those with a usual name; `inner` is a doc to leave out.
    A name that stands behind the body is set after it.
    """
    if body is None and bodies:
        body = next((child for child in node.children if child.type in bodies), None)
    if body is None:
        body = _body(node)
    if body is not None and body.start_byte > node_start:
        end = body.start_byte
    else:
        # Without a body the line of the name is what one would read aloud, with the parameters that go on below.
        line = source.line_of(max(node_start, name[0]))
        first = end = min(node.end_byte, source.content_end(line))
        # A list is closed behind all that it holds, and what follows `=` is a value.
        named = max(node_start, name[0])
        is_value = source.data.startswith(b"(", node_start) or b"=" in source.data[named:end].partition(b"(")[0]
        while (
            not is_value and end < node.end_byte and line < source.lines - 1 and _is_open(source.data[node_start:end])
        ):
            line += 1
            end = min(node.end_byte, source.content_end(line))
        if b"{" in source.data[first:end]:
            end = first  # These were no parameters.
    is_behind = end < name[0]
    end = min(end, node_start + 4 * MAX_SIGNATURE)
    if inner is not None and full_start <= inner.start_byte < inner.end_byte <= end:
        parts = ((full_start, inner.start_byte), (inner.end_byte, end))
        signed = b" ".join(_without_comments(source.data, a, b, comments) for a, b in parts)
    else:
        signed = _without_comments(source.data, full_start, end, comments)
    text = signed.decode("utf-8", "replace")
    text = " ".join(text.split()).rstrip("{:=,\\ ")
    if text.endswith(_TAILS):
        for word in _TAILS:
            text = text.removesuffix(word).rstrip(" ;")
    if is_behind:  # `typedef struct {…} Name`
        text = f"{text} {name[1]}"
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


# What a signature may end with and is no part of it.
_TAILS = ("=>", "->", " do", " where", " AS", " as", " end", " with", " is", ";")


def inner_doc(node: tree_sitter.Node, types: frozenset[str]) -> tree_sitter.Node | None:
    """What documents a definition from inside: one of its first children, or the first in its body."""
    if not types:
        return None
    body = node.child_by_field_name("body")
    least = 3 if node.type.startswith("list") else 2
    before = ""
    for i, child in enumerate(node.named_children[:8]):
        if child == body:
            break
        # What stands last may be what a definition defines, and no word about it: `(def x "value")`.
        is_last = child.end_byte >= node.end_byte - 1
        if child.type in types and not (is_last and (i < least or before in _PARAMETERS)):
            return child
        before = child.type
    first = nth_child(body, 0) if body is not None else None
    return first if first is not None and first.type in types else None


def doc_of(
    source: Source,
    leads: Mapping[int, Lead],
    line: int,
    node: tree_sitter.Node,
    grammar: str,
    inner: tree_sitter.Node | None = None,
) -> str:
    """A definition's doc comment without its marks: the one inside of it, else the comments directly above `line`."""
    if inner is not None:
        end = _comments_end(inner) if "comment" in inner.type else inner.end_byte
        return _without_marks(_unquoted(source.decode(inner.start_byte, end)))[:MAX_DOC]
    if grammar in ("python", "starlark"):
        docstring = _docstring(source, node)
        if docstring:
            return docstring[:MAX_DOC]
    elif grammar == "elixir":
        docstring = _moduledoc(source, node)
        if docstring:
            return docstring[:MAX_DOC]
    return _above(source, leads, line, grammar)[:MAX_DOC] if line > 0 else ""


def _above(source: Source, leads: Mapping[int, Lead], line: int, grammar: str) -> str:
    """What the comments and attributes directly above a line say, up to the first that ends what is said."""
    parts: list[str] = []
    above = leads.get(line - 1)
    for _ in range(MAX_DOC // 10):
        if above is None:
            break
        text = source.decode(above.start, above.end)
        if not above.is_attribute:
            said = _without_marks(_unquoted(text))
            parts.append(_without_tags(said) if grammar == "csharp" else said)
        elif grammar == "elixir" and text.startswith("@doc "):
            said = text.removeprefix("@doc").strip()
            return "" if said == "false" else _unquoted(said.removeprefix("~S"))
        above = leads.get(above.line - 1)
    return "\n".join(reversed(parts)).strip()


_TAG = re.compile(
    r"""<(?:param|typeparam)\s+name="(\w+)"\s*/?>|<\w+\s+\w+="(?:\w:)?([^"]*)"\s*/>|</?[A-Za-z]\w*(?:\s[^<>\n]*)?>"""
)


def _without_tags(text: str) -> str:
    """The text of C#'s XML comments: parameters begin with their name, references are what they refer to."""
    said = _TAG.sub(lambda tag: f"{tag.group(1)}: " if tag.group(1) else tag.group(2) or "", text)
    return "\n".join(line.rstrip() for line in said.split("\n") if line.strip())


def _comments_end(comment: tree_sitter.Node) -> int:
    """Where the last of a run of comments ends: on several lines they are as many nodes."""
    last: tree_sitter.Node = comment
    while (following := last.next_sibling) is not None and following.type == comment.type:
        last = following
    return last.end_byte


_PARAMETERS = frozenset({"list", "list_lit", "vec_lit", "defun_header"})


def _unquoted(text: str) -> str:
    quotes = next((quotes for quotes in ('"""', '"', "'") if text.startswith(quotes)), "")
    if not quotes or not text.endswith(quotes) or len(text) < 2 * len(quotes):
        return text
    return dedent(text[len(quotes) : -len(quotes)].replace('\\"', '"')).strip()


def dedent(text: str) -> str:
    """A docstring's text without the indentation of its lines, the first line counting for nothing (PEP 257)."""
    lines = text.expandtabs().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(indents, default=0)
    lines = [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]
    return "\n".join(lines).strip("\n")


def _is_open(text: bytes) -> bool:
    """Whether a parenthesis is still to be closed."""
    return len(text) < 4 * MAX_SIGNATURE and text.count(b"(") > text.count(b")")


_BODY = re.compile(
    r"^(?!parameter)(?:.*_)?(?:body|block|declaration_list|field_declaration_list|enum_variant_list|compound_statement|statement_block"
    r"|enumerator_list|ordered_field_declaration_list)$"
)


@cache
def _is_body(node_type: str) -> bool:
    return node_type == "{" or _BODY.search(node_type) is not None


def _body(node: tree_sitter.Node) -> tree_sitter.Node | None:
    found = node.child_by_field_name("body")
    if found is not None:
        return found
    for child in node.children:
        if _is_body(child.type):
            return child
    # `type S struct {…}`, `export default class {…}`: the body is one step further down.
    for name in ("type", "value", "declaration", "expression"):
        inner = node.child_by_field_name(name)
        if inner is not None:
            body = inner.child_by_field_name("body")
            return body or next((c for c in inner.children if _is_body(c.type)), None)
    return None


def _without_comments(data: bytes, start: int, end: int, comments: tuple[list[int], list[int]]) -> bytes:
    starts, ends = comments
    i = bisect_left(starts, start)
    if i == len(starts) or starts[i] >= end:
        return data[start:end]
    parts: list[bytes] = []
    while i < len(starts) and starts[i] < end:
        parts.append(data[start : starts[i]])
        start = max(start, ends[i])
        i += 1
    parts.append(data[start:end])
    return b"\n".join(parts)


def _docstring(source: Source, node: tree_sitter.Node) -> str:
    body = node.child_by_field_name("body")
    if body is None:
        return ""
    # One child after the other: most bodies are long, and begin with something else.
    for i in range(body.named_child_count):
        first = body.named_child(i)
        if first is None or first.type == "comment":
            continue
        # Grammars differ in whether the string is a statement or stands in the block itself.
        string = nth_child(first, 0) if first.type == "expression_statement" else first
        if string is None or string.type not in ("string", "concatenated_string"):
            return ""
        return docstring_text(source.decode(string.start_byte, string.end_byte))
    return ""


def _moduledoc(source: Source, node: tree_sitter.Node) -> str:
    body = next((child for child in node.named_children if child.type == "do_block"), None)
    first = nth_child(body, 0) if body is not None else None
    text = source.decode(first.start_byte, first.end_byte) if first is not None else ""
    return (
        _unquoted(text.removeprefix("@moduledoc").strip().removeprefix("~S")) if text.startswith('@moduledoc "') else ""
    )


_STRING = re.compile(r"([rRuUbBfF]{0,2})(\"\"\"|'''|\"|')(.*)\2\s*\Z", re.DOTALL)


def docstring_text(literal: str) -> str:
    """The dedented text of a Python string literal; empty for bytes and f-strings, which document nothing."""
    match = _STRING.match(literal.strip())
    if match is None or set(match.group(1).lower()) & {"f", "b"}:
        return ""
    return dedent(match.group(3))


_MARK = re.compile(
    r"^[ \t]*(?:/\*[*!]*|\*+/|--\[=*\[|\]=*\]"
    r"|\*(?!\*)|//+[!<]*|<#+|#+>|#\[=*\[|\]=*\]|#\||#+[!']?|--+(?:[ \t]*[|^])?|;+|%+|!+[<>!]?"
    r"|\(\*+|\{-+\|?|'''?|REM\b|\"\"\"|<!--)?[ \t]?"
)
# The commands of Perl's documentation.
_POD = re.compile(r"^=(?:cut|over|back|pod|begin|end|encoding|for)\b.*|^=\w+[ \t]*")
_CLOSE = re.compile(r"[ \t]*(?:\*+/|\]=*\]|\*+\)|-\}|#>|-->|\]=*\]|\|#)[ \t]*$")


def _without_marks(comment: str) -> str:
    rows = comment.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if comment.startswith("="):
        return "\n".join(_POD.sub("", row).rstrip() for row in rows).strip("\n")
    if comment.startswith("{") and not comment.startswith("{-"):  # Pascal
        rows[0] = rows[0][1:]
        rows[-1] = rows[-1].removesuffix("}")
    elif comment.startswith('"') and not comment.startswith('"""'):  # Vim
        rows = [row.lstrip(' \t"') for row in rows]
    lines = [_CLOSE.sub("", _MARK.sub("", row)).rstrip() for row in rows]
    return "\n".join(lines).strip("\n")
