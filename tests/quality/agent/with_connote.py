"""The agent that has connote's MCP server."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from agent.context import Context, Shown, Sources

FORMS = ("text", "data")
"""Which of the two contents of a result a client feeds to its model."""
MORE = {"limit": 50, "min_score": 0, "budget": 20_000}
"""What is asked for when the first hits were not enough."""
_SECONDS = 600
"""No answer takes so long; without an end, a server that hangs would hang the comparison."""


class ConnoteAgent:
    """Searches the package that a client is connected to."""

    def __init__(self, client: Client, sources: Sources, form: str) -> None:
        self._client, self._sources, self._form = client, sources, form

    async def read(self, question: str, context: Context) -> None:
        """Call after call, until there is nothing more to be read."""
        tried: list[tuple[str, int, int]] = []
        for more in ({}, MORE):
            if context.done:
                return
            for place in await self._search({"query": question, **more}, context):
                if place not in tried:
                    tried.append(place)
                    await self._lines(*place, context)
        for path in dict.fromkeys(path for path, _, _ in tried):
            for first, last in self._sources.pages(path):
                await self._lines(path, first, last, context)

    async def _search(self, arguments: dict[str, Any], context: Context) -> list[tuple[str, int, int]]:
        result = await call(self._client, "connote_search", arguments)
        hits = result.structured_content["hits"]
        context.take(size_of(result, self._form), previewed(hits, self._sources, self._form))
        return [(hit["path"], hit["start_line"], hit["end_line"]) for hit in hits]

    async def _lines(self, path: str, first: int, last: int, context: Context) -> None:
        if context.done or context.has_seen(path, first, last):
            return
        arguments = {"path": path, "start_line": first, "end_line": last}
        result = await call(self._client, "connote_read_file", arguments)
        shown, end = [], 0
        for number, line in enumerate(result.structured_content["text"].split("\n"), first):
            end += _length(line + "\n", self._form)
            shown.append(Shown(path, number, end))
        context.take(size_of(result, self._form), shown[: last - first + 1])


def previewed(hits: list[dict[str, Any]], sources: Sources, form: str) -> list[Shown]:
    """The lines that the previews of hits show whole: those with text, from the hit's own line on."""
    shown, end = [], 0
    for hit in hits:
        lines = sources.lines(hit["path"])
        numbers = [number for number in range(hit["line"], len(lines) + 1) if lines[number - 1].strip()]
        for number, row in zip(numbers, hit.get("preview", "").split("\n"), strict=False):
            end += _length(row + "\n", form)
            if row.strip() != lines[number - 1].strip().expandtabs(4):
                break
            shown.append(Shown(hit["path"], number, end))
    return shown


def size_of(result: Any, form: str) -> int:
    """The bytes of a result in one of its two forms."""
    if form == "data":
        return len(_json(result.structured_content).encode())
    parts = []
    for block in result.content:
        parts += [block.text] if block.type == "text" else [block.name, block.uri]
    return len("\n".join(parts).encode())


async def call(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    """The result of a tool; a refusal is a fault of the comparison."""
    result = await client.call_tool(name, arguments)
    if result.is_error:
        raise RuntimeError(f"{name} {arguments}: {result.content}")
    return result


@contextlib.asynccontextmanager
async def connected(root: Path, index_dir: Path) -> AsyncIterator[Client]:
    """A client of `connote mcp` over a package whose index is complete."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CONNOTE_")}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "connote", "mcp", str(root), "--index-dir", str(index_dir)],
        env={**environment, "CONNOTE_SERVER_HOST": "off"},
    )
    async with Client(server, read_timeout_seconds=_SECONDS) as client:
        while not (await call(client, "connote_index", {})).structured_content["complete"]:
            pass
        yield client


async def described(client: Client) -> int:
    """The bytes of the instructions and of the tools' names, descriptions and parameters."""
    tools = (await client.list_tools()).tools
    texts = [client.instructions or "", *(f"{tool.name}{tool.description}{_json(tool.input_schema)}" for tool in tools)]
    return len("".join(texts).encode())


def _length(text: str, form: str) -> int:
    return len(text.encode("utf-8", "replace")) if form == "text" else len(_json(text).encode()) - 2


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
