"""Between model and LSP: paths and URIs, columns in three encodings, kinds and places. Pure functions."""

from __future__ import annotations

import codecs
import ntpath
import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types
from lsprotocol.types import SymbolKind

from connote.model import Hit

from . import messages

KINDS = {
    "function": SymbolKind.Function,
    "method": SymbolKind.Method,
    "constructor": SymbolKind.Constructor,
    "class": SymbolKind.Class,
    "interface": SymbolKind.Interface,
    "struct": SymbolKind.Struct,
    "trait": SymbolKind.Interface,
    "impl": SymbolKind.Object,
    "enum": SymbolKind.Enum,
    "type": SymbolKind.TypeParameter,
    "module": SymbolKind.Module,
    "namespace": SymbolKind.Namespace,
    "constant": SymbolKind.Constant,
    "variable": SymbolKind.Variable,
    "property": SymbolKind.Property,
    "field": SymbolKind.Field,
    "macro": SymbolKind.Function,
    "test": SymbolKind.Function,
    "section": SymbolKind.String,
    "key": SymbolKind.Key,
    "table": SymbolKind.Struct,
    "view": SymbolKind.Interface,
    "rule": SymbolKind.Class,
    "block": SymbolKind.Object,
}
"""What editors call our kinds. LSP has no macro, trait, impl, rule or table: the nearest that has an icon."""

PREVIEW_SIZE = 2000
"""Characters of a hit that a picker can show."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")


def to_path(uri: str, *, windows: bool = os.name == "nt") -> str | None:
    """The absolute path of a `file:` URI, in the system's spelling; None for other schemes and for foreign hosts."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file":
        return None
    # `?` and `#` are part of a name where a client forgot to encode them: a file URI has neither query nor fragment.
    raw = parts.path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")
    path = unquote(raw, errors="surrogateescape")
    host = "" if parts.netloc.lower() == "localhost" else unquote(parts.netloc)
    if "\0" in path or not path.startswith("/"):
        return None
    if not windows:
        return None if host else posixpath.normpath(path).replace("//", "/", 1)
    if host:
        return ntpath.normpath(f"//{host}{path}")
    if not _DRIVE.match(path):
        return None
    return ntpath.normpath(path[1].upper() + path[2:].ljust(2, "/"))


def to_uri(folder: str, path: str) -> str:
    """The URI of a file inside a folder; `folder` is kept as the client spells it, `path` is relative, with `/`."""
    return folder + ("" if folder.endswith("/") else "/") + quote(path, safe="/", errors="surrogateescape")


def units(text: str, encoding: str) -> int:
    """How long a text is in the units of a position encoding."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return len(text.encode(f"{encoding}-le" if encoding == "utf-16" else encoding, "surrogatepass")) // (
        2 if encoding == "utf-16" else 1
    )


def characters(line: str, amount: int, encoding: str) -> int:
    """How many characters of a line lie before the place that is `amount` units into it; never past its end."""
    if encoding == "utf-32" or line.isascii():
        return min(amount, len(line))
    seen = 0
    for index, character in enumerate(line):
        seen += units(character, encoding)
        if seen > amount:
            return index
    return len(line)


def split_lines(text: str) -> list[str]:
    """The lines of a text as editors count them, without their ends: form feed, U+0085 and U+2028 end no line."""
    return _LINE_END.split(text)


def decode(data: bytes) -> str:
    """The text of a file as an editor shows it: without byte order mark, undecodable bytes as U+FFFD."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def symbol_kind(kind: str | None) -> SymbolKind:
    """What LSP calls a kind; a hit without one is a file."""
    return SymbolKind.File if kind is None else KINDS.get(kind, SymbolKind.Variable)


def find_text(lines: Sequence[str], text: str, near: int) -> int | None:
    """The line, from 0, where `text` stands as it is, the nearest to line `near`; None if it is gone."""
    wanted = _bare(text)
    if not wanted:
        return None
    # Blank lines before the wanted text belong to it: count from where the text was cut.
    lead = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lead = lead[: len(lead) - len(lead.lstrip())]
    whole = "\n".join(lines)
    best: int | None = None
    place = whole.find(wanted)
    line, counted = 0, 0
    while place >= 0:
        line += whole.count("\n", counted, place)
        counted = place
        start = max(line - lead.count("\n"), 0)
        if best is None or abs(start - near) < abs(best - near):
            best = start
        elif start > near:
            break
        place = whole.find(wanted, place + 1)
    return best


def full_range(lines: Sequence[str], start: int, end: int, encoding: str) -> types.Range:
    """Lines `start` to `end`, from 0 and inclusive: from the first character that is no space to the last one."""
    last = max(len(lines) - 1, 0)
    start, end = min(start, last), min(end, last)
    first = lines[start] if lines else ""
    indent = len(first) - len(first.lstrip()) if first.strip() else 0
    return types.Range(
        types.Position(start, units(first[:indent], encoding)),
        types.Position(end, units(lines[end] if lines else "", encoding)),
    )


def name_range(lines: Sequence[str], line: int, column: int, name: str | None, encoding: str) -> types.Range:
    """Where a name stands, or the rest of the line where there is none.

    `line` and `column`, in characters, count from 0.
    """
    line = min(line, max(len(lines) - 1, 0))
    text = lines[line] if lines else ""
    if name and not text.startswith(name, column):
        # The line was changed, or a byte order mark was counted.
        found = text.find(name)
        column = found if found >= 0 else min(column, len(text))
    column = min(column, len(text))
    stop = column + len(name) if name and text.startswith(name, column) else max(len(text.rstrip()), column)
    return types.Range(
        types.Position(line, units(text[:column], encoding)), types.Position(line, units(text[:stop], encoding))
    )


@dataclass(frozen=True)
class Place:
    """Where a hit stands in the text that the editor shows now; lines count from 0, the last one inclusive."""

    lines: Sequence[str]
    start: int
    end: int
    line: int
    """Of the name."""
    stale: bool


def locate(hit: Hit, lines: Sequence[str], moved: tuple[int, int] | None = None) -> Place:
    """The place of a hit in `lines`, the text as it is now.

    `moved` is where its lines went in a buffer with edits.
    The hit's own text decides: found there or elsewhere, it is not stale; where it is gone, the place is the nearest.
    """
    start, end = moved or (hit.start_line - 1, hit.end_line - 1)
    height = hit.end_line - hit.start_line
    stale = False
    if (moved or hit.stale) and _bare(hit.text) not in "\n".join(lines[start : end + 1]):
        found = find_text(lines, hit.text, start)
        stale = found is None
        if found is not None:
            start, end = found, found + height
    elif end >= len(lines):
        stale = True
    last = max(len(lines) - 1, 0)
    start, end = min(start, last), min(end, last)
    line = min(max(hit.line - hit.start_line + start, start), end)
    return Place(lines, start, end, line, stale)


def location(uri: str, place: Place, encoding: str) -> types.Location:
    """The full range of a hit."""
    return types.Location(uri, full_range(place.lines, place.start, place.end, encoding))


def semantic_hit(hit: Hit, folder: str, uri: str, place: Place, encoding: str) -> messages.SemanticHit:
    """A hit as our requests answer it."""
    return messages.SemanticHit(
        location=location(uri, place, encoding),
        selection_range=name_range(place.lines, place.line, hit.column - 1, hit.symbol, encoding),
        score=hit.score,
        name=name_of(hit),
        kind=symbol_kind(hit.kind),
        language=hit.language or "text",
        path=hit.path,
        folder=folder,
        preview=hit.text[:PREVIEW_SIZE],
        stale=place.stale,
        container_name=".".join(hit.scope) or None,
        signals=tuple(messages.SignalItem(signal.name, signal.amount) for signal in hit.signals) or None,
    )


def symbol_information(hit: Hit, uri: str, place: Place, encoding: str) -> types.SymbolInformation:
    """A hit as `workspace/symbol` answers it."""
    return types.SymbolInformation(
        location=location(uri, place, encoding),
        name=name_of(hit),
        kind=symbol_kind(hit.kind),
        container_name=".".join(hit.scope) or None,
    )


def name_of(hit: Hit) -> str:
    """The symbol of a hit; without one, the file's name."""
    return hit.symbol or posixpath.basename(hit.path)


def _bare(text: str) -> str:
    return _LINE_END.sub("\n", text.removeprefix("\ufeff")).strip()
