"""Macros of C and C++ that stand where a grammar knows none, so that it takes a class for a function."""

from __future__ import annotations

import re

GRAMMARS = frozenset({"c", "cpp", "cuda", "objc"})
"""Grammars that are given a text without such macros."""


def without_macros(data: bytes) -> bytes:
    """Blank macros that stand alone before a declaration, as `LIB_BEGIN`, or in the head of one, as `class LIB_API A`.

    All offsets stay as they are.
    """
    for pattern in (_IN_HEAD, _ALONE, _AT_END):
        data = pattern.sub(_blank, data)
    return data


# A name in capitals alone on its line may be an enumerator or a type too: what follows must begin a declaration.
_ALONE = re.compile(
    rb"^[ \t]*(?P<macro>[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?)[ \t]*$"
    rb"(?=(?:\s|//[^\n]*$|/\*[^*]*\*/)*"
    rb"(?:(?:class|struct|union|enum|namespace|template|typedef|using|public|private|protected)\b))",
    re.MULTILINE,
)
# The end of a namespace stands before its brace, where an enumerator may stand too.
_AT_END = re.compile(rb"^[ \t]*(?P<macro>[A-Z0-9_]*NAMESPACE[A-Z0-9_]*)[ \t]*$(?=\s*\})", re.MULTILINE)
_IN_HEAD = re.compile(
    rb"\b(?:class|struct|union)\s+(?P<macro>(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?\s+)+)"
    rb"(?=[A-Za-z_]\w*(?:<[^;{}()]*>)?\s*(?:final\s*)?(?::(?!:)|\{))"
)
_INK = re.compile(rb"\S")


def _blank(match: re.Match[bytes]) -> bytes:
    text, (start, end) = match.group(), match.span("macro")
    start, end = start - match.start(), end - match.start()
    return text[:start] + _INK.sub(b" ", text[start:end]) + text[end:]
