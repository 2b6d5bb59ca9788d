"""The names that import statements bind, and which of them a text uses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from connote.chunk.source import Source

MAX_IMPORT = 200
"""Characters of an import statement that are kept."""


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement with the names it binds."""

    text: str
    """On one line, with single spaces."""
    names: tuple[str, ...]
    start: int
    """Byte offsets in the document."""
    end: int


def read_import(statement: str, language: str, start: int, end: int) -> Import:
    """Find the names that a statement binds; none where it takes all (`*`) or only runs a module."""
    text = " ".join(statement.split())
    names = _BOUND.get(language, _last_segment)(text)
    return Import(text[:MAX_IMPORT], tuple(dict.fromkeys(name for name in names if name)), start, end)


class Uses:
    """Which imports of a document are used where."""

    def __init__(self, source: Source, imports: Iterable[Import]) -> None:
        self._source = source
        self._imports = sorted(imports, key=attrgetter("start"))
        self._starts = [item.start for item in self._imports]
        by_name: dict[str, list[int]] = {}
        for index, item in enumerate(self._imports):
            for name in item.names:
                by_name.setdefault(name, []).append(index)
        # One pass over the words of a text is cheaper than a search for each name, and most names are words.
        self._words = source.data.translate(_WORDS) if by_name else b""
        self._by_word = {name.encode(): indexes for name, indexes in by_name.items() if _is_name(name)}
        self._named = frozenset(self._by_word)
        self._by_name = by_name
        self._others = {name: indexes for name, indexes in by_name.items() if not _is_name(name)}

    def within(self, start: int, end: int, *, own: bool) -> tuple[str, ...]:
        """Imports with a name between two offsets as a whole word, with `own` those that begin there too."""
        if not self._imports:
            return ()
        used: list[int] = []
        words = self._words[start:end]
        searched = self._by_name
        if words.isascii():
            searched = self._others
            for word in self._named.intersection(words.split()):
                used += self._by_word[word]
        if searched:
            text = self._source.decode(start, end)
            for name, indexes in searched.items():
                if name in text and uses(text, name):
                    used += indexes
        if own:
            used += range(bisect_left(self._starts, start), bisect_left(self._starts, end))
        if not used:
            return ()
        used.sort()
        imports = self._imports
        return tuple(dict.fromkeys([imports[i].text for i in used]))


def _is_name(name: str) -> bool:
    return name.isascii() and all(map(_is_word, name))


def uses(text: str, name: str) -> bool:
    """Whether a text holds a name as a whole word."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            return True
        at = text.find(name, at + 1)
    return False


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


# Keeps the characters of names, and those that are not ASCII.
_WORDS = bytes(byte if byte > 127 or _is_word(chr(byte)) else 0x20 for byte in range(256))


def _python(text: str) -> list[str]:
    _, _, listed = text.partition("import ")
    items = [item.strip(" ()").split(" as ") for item in listed.split(",")]
    if text.startswith("from"):
        return [item[-1].strip() for item in items if item[0] != "*"]
    return [item[-1].strip() if len(item) > 1 else item[0].strip().split(".")[0] for item in items]


def _javascript(text: str) -> list[str]:
    head = text.partition(" from ")[0].removeprefix("import").strip()
    if head.startswith(("'", '"')):
        return []
    head = re.sub(r"\btype\b(?!\s*[,}])", " ", head).replace("{", ",").replace("}", ",")
    return [item.strip().split(" as ")[-1].strip("* ") for item in head.split(",")]


def _go(text: str) -> list[str]:
    match = re.match(r"(?:([\w.]+)\s+)?[\"`]([^\"`]+)", text)
    if not match or match.group(1) in ("_", "."):
        return []
    if match.group(1):
        return [match.group(1)]
    parts = [part for part in match.group(2).split("/") if not re.fullmatch(r"v\d+", part)]
    return [re.sub(r"^go-|\.v\d+$|-go$", "", parts[-1])] if parts else []


def _rust(text: str) -> list[str]:
    text = re.sub(r"^.*?\b(?:use|crate)\b", "", text).rstrip(";")
    names = []
    for match in re.finditer(r"([\w*]+)(?:\s+as\s+(\w+))?\s*(?=[,}]|$)", text):
        name = match.group(2) or match.group(1)
        if name == "self":
            # `a::b::{self}` binds b.
            owner = re.search(r"(\w+)::\{[^{}]*$", text[: match.start()])
            name = owner.group(1) if owner else ""
        names.append("" if name in ("*", "_") else name)
    return names


def _include(text: str) -> list[str]:
    match = re.search(r"[<\"]([^>\"]+)[>\"]", text)
    if not match:
        return _last_segment(text)
    return [match.group(1).rsplit("/", 1)[-1].split(".")[0]]


def _last_segment(text: str) -> list[str]:
    """`import a.b.C;`, `use A\\B\\C as D`, `import a.{B, C => D}`: the last word of each."""
    text = text.rstrip("; ").replace("=>", " as ")
    if text.endswith(("*", "._")):
        return []
    listed = re.search(r"\{([^}]*)\}", text)
    items = listed.group(1).split(",") if listed else text.split(",")
    names = []
    for item in items:
        words = re.findall(r"\w+", item.rsplit(" as ", 1)[-1])
        names.append(words[-1] if words else "")
    return names


_BOUND: dict[str, Callable[[str], list[str]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "rust": _rust,
    "c": _include,
    "cpp": _include,
    "objc": _include,
}
