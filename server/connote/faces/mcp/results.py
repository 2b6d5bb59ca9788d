"""What a tool says: hits as places with short previews, within a budget of characters."""

from __future__ import annotations

import dataclasses
import posixpath
import textwrap
from collections.abc import Sequence
from typing import Any

import mcp_types as types

from connote.faces import render
from connote.faces.mcp.resources import mime_type, snippet_uri
from connote.model import Answer, Excerpt, Hit

_FIRST = 3
"""How many of the hits have the longer previews: an agent reads on from the top, and pays for all of it."""
_PREVIEWS = (((5, 300), (2, 120)), ((3, 180), (1, 90)), ((1, 90), (0, 0)), ((0, 0), (0, 0)))
"""Lines and characters of a preview of the first hits and of the others, from what is useful to what is left when the
budget is small."""


def hits_result(answer: Answer, budget: int, *, why: bool = False) -> types.CallToolResult:
    """Return an answer twice, as text with links and as data, each with at most `budget` characters.

    Where that is too little, previews get shorter first, then the last hits are left out, and the result says so.
    """
    for first, other in _PREVIEWS:
        previews = [_preview(hit, *(first if rank < _FIRST else other)) for rank, hit in enumerate(answer.hits)]
        built = _Built(answer, previews, why=why)
        if built.size <= budget:
            return built.result()
    while built.count and built.size > budget:
        # One by one where little is too much, in leaps where much is.
        built = _Built(answer, previews[: min(built.count - 1, built.count * budget // built.size)], why=why)
    return built.result()


def excerpt_result(excerpt: Excerpt) -> types.CallToolResult:
    """Return lines of a file as text and as data."""
    content: list[types.ContentBlock] = [types.TextContent(text=excerpt.text)]
    if excerpt.truncated:
        note = f"[cut in line {excerpt.end_line} of {excerpt.total_lines}; go on with start_line {excerpt.end_line}]"
        content.append(types.TextContent(text=note))
    return types.CallToolResult(content=content, structured_content=_valid(_clean(dataclasses.asdict(excerpt))))


def data_result(fields: dict[str, Any]) -> types.CallToolResult:
    """Return data as JSON text and as data."""
    fields = _valid(fields)
    return types.CallToolResult(content=[types.TextContent(text=render.to_json(fields))], structured_content=fields)


def refusal(message: str) -> types.CallToolResult:
    """Return an error that the agent can read and act on."""
    return types.CallToolResult(content=[types.TextContent(text=_valid(message))], is_error=True)


class _Built:
    """The result of an answer with so many of its hits."""

    def __init__(self, answer: Answer, previews: Sequence[str], *, why: bool) -> None:
        hits = answer.hits[: len(previews)]
        self.count = len(hits)
        self._links = [_link(hit) for hit in hits]
        left_out = len(answer.hits) - len(hits)
        self._text = _text(answer, hits, previews, left_out, why)
        self._data: dict[str, Any] = {
            "hits": [_fields(hit, preview, why) for hit, preview in zip(hits, previews, strict=True)],
            "complete": answer.complete,
            "relaxed": answer.relaxed,
        }
        if answer.message:
            self._data["message"] = answer.message
        if left_out:
            self._data["left_out"] = left_out
        links = sum(len(link.uri) + len(link.name) for link in self._links)
        self.size = max(len(self._text) + links, len(render.to_json(self._data)))

    def result(self) -> types.CallToolResult:
        return types.CallToolResult(
            content=[types.TextContent(text=self._text), *self._links], structured_content=self._data
        )


def _text(answer: Answer, hits: Sequence[Hit], previews: Sequence[str], left_out: int, why: bool) -> str:
    parts = []
    if answer.message:
        parts.append(answer.message)
    if answer.relaxed:
        parts.append("Nothing scores as much as asked for; these score at least half of it.")
    if not answer.hits:
        parts.append("No hits.")
    for hit, preview in zip(hits, previews, strict=True):
        name = render.symbol_name(hit.symbol, hit.kind, hit.scope)
        place = f"{_valid(hit.path)}:{hit.start_line}-{hit.end_line}"
        head = f"{place} {f'{hit.kind} {name} ' if name else ''}{hit.score:.2f}"
        stale = " (changed since it was indexed)" if hit.stale else ""
        signals = f"\n  {render.signals_text(hit)}" if why else ""
        parts.append(f"{head}{stale}{signals}" + (f"\n{textwrap.indent(preview, '  ')}" if preview else ""))
    if left_out:
        parts.append(f"{left_out} more left out: the budget is used up.")
    return "\n".join(parts)


def _fields(hit: Hit, preview: str, why: bool) -> dict[str, Any]:
    path = _valid(hit.path)
    fields: dict[str, Any] = {
        "path": path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": round(hit.score, 3),
        "symbol": hit.symbol,
        "kind": hit.kind,
        "scope": list(hit.scope) or None,
        "line": hit.line,
        "preview": preview or None,
        "stale": hit.stale or None,
        # The links have it; here it would say the path again, unless only a URI can say it.
        "uri": None if path == hit.path else snippet_uri(hit.path, hit.start_line, hit.end_line),
        "signals": [{"name": one.name, "amount": round(one.amount, 4)} for one in hit.signals] if why else None,
    }
    return _clean(fields)


def _clean(fields: dict[str, Any]) -> dict[str, Any]:
    # What is not there is left out: strict clients know no null, and it costs no characters.
    return {name: value for name, value in fields.items() if value is not None}


def _link(hit: Hit) -> types.ResourceLink:
    # The text before the links says all there is to say of a hit; a name must be there, and is short.
    return types.ResourceLink(
        uri=snippet_uri(hit.path, hit.start_line, hit.end_line),
        name=_valid(hit.symbol or posixpath.basename(hit.path)),
        mime_type=mime_type(hit.language),
    )


def _valid(value: Any) -> Any:
    """Return what JSON can carry: a file's name may be no valid text; its URI has the bytes as they are."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_valid(name): _valid(item) for name, item in value.items()}
    return [_valid(item) for item in value] if isinstance(value, (list, tuple)) else value


def _preview(hit: Hit, lines: int, characters: int) -> str:
    """Return the first lines that say something, from the symbol's name on."""
    rows = render.hit_lines(hit)
    chosen = [text.rstrip() for number, text in sorted(rows.items()) if number >= hit.line and text.strip()][:lines]
    text = textwrap.dedent("\n".join(chosen).expandtabs(4))
    return text if len(text) <= characters else text[: max(characters - 3, 0)] + "..."[: min(3, characters)]
