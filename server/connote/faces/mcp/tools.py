"""The tools: what an agent can call, and what comes of it."""

from __future__ import annotations

import dataclasses
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from connote.errors import ConnoteError
from connote.faces.mcp.resources import status_fields
from connote.faces.mcp.results import data_result, excerpt_result, hits_result, refusal
from connote.faces.serving import parameters
from connote.faces.serving.parameters import Schema, object_schema
from connote.faces.serving.service import Service, Told
from connote.model import SYMBOL_KINDS, Progress

_PATIENCE = 4.0
"""Seconds that a search waits for the index: an agent that waits longer for a tool gives up on it."""
_LONG_PATIENCE = 15.0
"""Seconds that `connote_index` waits."""
_PROBLEMS = 20
_log = logging.getLogger(__name__)

Notify = Callable[[float, "float | None", "str | None"], Awaitable[None]]
"""Sends a progress notification, if the client asked for them."""

_BUDGET: Schema = {
    "type": "integer", "minimum": 500, "maximum": 200_000, "default": 8_000,
    "description": "The most characters of the answer: previews get shorter, then the last hits are left out.",
}  # fmt: skip
_SEARCH = {**parameters.QUERY, "budget": _BUDGET}
_SIMILAR = {**parameters.SIMILAR, "budget": _BUDGET}

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_COUNTS: Schema = {"type": "object", "additionalProperties": _NUMBER}


def _output(required: str, **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required.split()}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_HITS = _output(
    "hits complete relaxed",
    hits=_list(
        _output(
            "path start_line end_line score line",
            path=_TEXT,
            start_line=_NUMBER,
            end_line=_NUMBER,
            score={"type": "number", "minimum": 0, "maximum": 1},
            symbol=_TEXT,
            kind={"type": "string", "enum": list(SYMBOL_KINDS)},
            scope=_list(_TEXT),
            line=_NUMBER,
            preview=_TEXT,
            stale=_FLAG,
            uri={"type": "string", "description": "Only where the path is no valid text."},
            signals=_list(_output("name amount", name=_TEXT, amount={"type": "number"})),
        )
    ),
    complete={"type": "boolean", "description": "Whether all of the project was indexed when it was searched."},
    relaxed={"type": "boolean", "description": "Whether the hits passed only half of min_score."},
    message=_TEXT,
    left_out={"type": "integer", "minimum": 1, "description": "Hits for which the budget was too small."},
)
_EXCERPT = _output(
    "path text start_line end_line total_lines truncated",
    path=_TEXT, language=_TEXT, text=_TEXT, start_line=_NUMBER, end_line=_NUMBER, total_lines=_NUMBER, truncated=_FLAG,
)  # fmt: skip
_REPORT = _output(
    "complete",
    complete={"type": "boolean", "description": "Whether it is done; if not, it goes on, and a second call waits."},
    message=_TEXT, added=_NUMBER, changed=_NUMBER, removed=_NUMBER, unchanged=_NUMBER, embedded=_NUMBER, reused=_NUMBER,
    done=_NUMBER, total=_NUMBER, failed=_NUMBER, problems=_list(_output("path reason", path=_TEXT, reason=_TEXT)),
)  # fmt: skip
_STATUS = _output(
    "root state files chunks pending failed skipped languages kinds model dimensions store path bytes",
    root=_TEXT, state={"type": "string", "enum": ["indexing", "ready", "degraded", "error"]}, files=_NUMBER,
    chunks=_NUMBER, pending=_NUMBER, failed=_NUMBER, skipped=_COUNTS, languages=_COUNTS, kinds=_COUNTS, model=_TEXT,
    dimensions=_NUMBER, store=_TEXT, path=_TEXT, bytes=_NUMBER, last_sync=_TEXT, message=_TEXT,
)  # fmt: skip


def _tool(name: str, title: str, description: str, schemas: tuple[Schema, Schema], *, reads: bool = True) -> types.Tool:
    return types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schemas[0],
        output_schema=schemas[1],
        annotations=types.ToolAnnotations(
            read_only_hint=reads, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


TOOLS = (
    _tool(
        "connote_search",
        "Search code by meaning",
        "Find code by what it does, asked in plain words, or by name. Returns places with short previews, best first.",
        (object_schema(_SEARCH, ["query"]), _HITS),
    ),
    _tool(
        "connote_similar",
        "Find similar code",
        "Find code like that at a line of a file, never that place itself. Returns places with short previews.",
        (object_schema(_SIMILAR, ["path", "line"]), _HITS),
    ),
    _tool(
        "connote_read_file",
        "Read lines of a file",
        "Read a file of the project, or some of its lines; at most 200,000 bytes. Not what git ignores, credentials, "
        "or what is no code.",
        (object_schema(parameters.READ, ["path"]), _EXCERPT),
    ),
    _tool(
        "connote_index",
        "Bring the index up to date",
        "Bring the index up to date and say what was done. Not needed before a search, which does so by itself.",
        (object_schema(parameters.INDEX), _REPORT),
        reads=False,
    ),
    _tool(
        "connote_index_status",
        "State of the index",
        "Say what is indexed, how far it is, and what is left out for which reason.",
        (object_schema({}), _STATUS),
    ),
)


class Tools:
    """Calls tools of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._calls = {
            "connote_search": self._search,
            "connote_similar": self._similar,
            "connote_read_file": self._read_file,
            "connote_index": self._index,
            "connote_index_status": self._status,
        }

    async def call(self, name: str, arguments: Mapping[str, Any], notify: Notify) -> types.CallToolResult:
        """Return a tool's result; what it refuses is a result too, marked as an error.

        Raises MCPError for a tool that there is not.
        """
        if name not in self._calls:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no tool {name[:100]!a}.")
        # An argument that is null is one that is not given: some clients send all there are.
        given = {key: value for key, value in arguments.items() if value is not None}
        try:
            return await self._calls[name](given, _telling(notify))
        except (ConnoteError, ValueError) as error:
            return refusal(str(error))
        except Exception:  # noqa: BLE001 - a fault of ours must not end the session of the agent
            _log.error("the tool %s failed by a fault of connote:\n%s", name, traceback.format_exc())
            return refusal("This is a fault of connote; its messages say more.")

    async def _search(self, arguments: dict[str, Any], told: Told) -> types.CallToolResult:
        given = parameters.checked(arguments, _SEARCH, ("query",))
        budget: int = given.pop("budget")
        query = parameters.query_of(given)
        answer = await self._service.search(query, seconds=_PATIENCE, told=told)
        return hits_result(answer, budget, why=query.why)

    async def _similar(self, arguments: dict[str, Any], told: Told) -> types.CallToolResult:
        given = parameters.checked(arguments, _SIMILAR, ("path", "line"))
        path, line, limit = given["path"], given["line"], given["limit"]
        answer = await self._service.similar(path, line, limit, seconds=_PATIENCE, told=told)
        return hits_result(answer, given["budget"])

    async def _read_file(self, arguments: dict[str, Any], _told: Told) -> types.CallToolResult:
        given = parameters.checked(arguments, parameters.READ, ("path",))
        excerpt = await self._service.read(given["path"], given.get("start_line"), given.get("end_line"))
        return excerpt_result(excerpt)

    async def _index(self, arguments: dict[str, Any], told: Told) -> types.CallToolResult:
        given = parameters.checked(arguments, parameters.INDEX)
        report = await self._service.synced(_LONG_PATIENCE, told, rebuild=given["rebuild"])
        if report is None:
            progress = self._service.progress or Progress(0, 0)
            message = f"{self._service.how_far()} It goes on; call again to wait for it."
            return data_result({"complete": False, "done": progress.done, "total": progress.total, "message": message})
        fields = dataclasses.asdict(report)
        problems = fields.pop("problems")
        cancelled = fields.pop("cancelled")
        return data_result(
            {"complete": not cancelled, **fields, "failed": len(problems), "problems": list(problems[:_PROBLEMS])}
        )

    async def _status(self, arguments: dict[str, Any], _told: Told) -> types.CallToolResult:
        parameters.checked(arguments, {})
        return data_result(status_fields(self._service, await self._service.status()))


def _telling(notify: Notify) -> Told:
    async def told(progress: Progress) -> None:
        # The path is left out: it costs tokens, and tells an agent nothing.
        await notify(progress.done, progress.total or None, f"indexed {progress.done:,} of {progress.total:,} files")

    return told
