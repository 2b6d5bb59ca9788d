"""Resources: the root and its index in figures, and files as far as they may be read."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections import Counter
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from connote.errors import ConnoteError
from connote.faces import render
from connote.faces.serving.service import Service
from connote.model import Excerpt, Status

REPOSITORY, INDEX = "connote://repository", "connote://index"
_FILE, _SNIPPET = "connote://file/", "connote://snippet/"
_PLACE = re.compile(r"(.*?)(?:\?(?:start=(\d{1,9}))?&?(?:end=(\d{1,9}))?)?", re.DOTALL)
_COMPLETIONS = 100
"""As many as the protocol allows."""

RESOURCES = (
    types.Resource(
        uri=REPOSITORY,
        name="repository",
        title="The project",
        description="Its name, languages and folders, with numbers of files.",
        mime_type="application/json",
    ),
    types.Resource(
        uri=INDEX,
        name="index",
        title="The index",
        description="Its state: what is indexed, how far it is, what is left out and why.",
        mime_type="application/json",
    ),
)
TEMPLATES = (
    types.ResourceTemplate(
        uri_template=f"{_FILE}{{+path}}",
        name="file",
        title="A file",
        description="A file that is or would be indexed, up to 200,000 bytes of it.",
    ),
    types.ResourceTemplate(
        uri_template=f"{_SNIPPET}{{+path}}{{?start,end}}",
        name="snippet",
        title="Lines of a file",
        description="A file's lines from start to end, counted from 1.",
    ),
)


def snippet_uri(path: str, start_line: int, end_line: int) -> str:
    """Return the URI of lines of a file."""
    return f"{_SNIPPET}{quote(path, safe='/', errors='surrogateescape')}?start={start_line}&end={end_line}"


def mime_type(language: str | None) -> str:
    """Return the type of a text in a language."""
    return "text/markdown" if language == "markdown" else "text/plain"


class Resources:
    """Reads resources of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def read(self, uri: str) -> types.ReadResourceResult:
        """Return what is behind a URI. Raises MCPError, in words, for what is not there or not to be read."""
        try:
            if uri == REPOSITORY:
                return _json(uri, await asyncio.to_thread(self._repository))
            if uri == INDEX:
                return _json(uri, await self._index())
            return _text(uri, await self._excerpt(uri))
        except (ConnoteError, ValueError) as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": uri[:1000]}) from error

    async def complete(self, name: str, value: str) -> types.CompleteResult:
        """Return the indexed paths that begin with what is typed so far."""
        found: list[str] = []
        if name == "path":
            try:
                paths = await asyncio.to_thread(lambda: self._service.index().files())
            except ConnoteError:
                paths = []
            found = [path for path in paths if path.startswith(value) and self._service.is_served(path)]
        return types.CompleteResult(
            completion=types.Completion(
                values=found[:_COMPLETIONS], total=len(found), has_more=len(found) > _COMPLETIONS
            )
        )

    async def _excerpt(self, uri: str) -> Excerpt:
        first = last = None
        if uri.startswith(_FILE):
            path = uri.removeprefix(_FILE)
        elif uri.startswith(_SNIPPET):
            found = _PLACE.fullmatch(uri.removeprefix(_SNIPPET))
            if found is None:  # pragma: no cover - every text matches; the type checker cannot know
                raise ValueError("that is no place")
            path = found[1]
            first, last = (int(text) if text else None for text in (found[2], found[3]))
        else:
            raise ValueError(f"There is no resource {uri[:200]!a}.")
        return await self._service.read(unquote(path, errors="surrogateescape"), first, last)

    def _repository(self) -> dict[str, Any]:
        served, index = self._service.served, self._service.index()
        status = index.status()
        paths = [path for path in index.files() if self._service.is_served(path)]
        folders = Counter(path.split("/", 1)[0] + "/" if "/" in path else "./" for path in paths)
        return {
            "name": served.root.name,
            "root": str(served.root),
            "served": served.prefix or ".",
            "files": len(paths),
            "folders": dict(folders.most_common(50)),
            "languages": dict(status.languages),
            "kinds": dict(status.kinds),
        }

    async def _index(self) -> dict[str, Any]:
        return status_fields(self._service, await self._service.status())


def status_fields(service: Service, status: Status) -> dict[str, Any]:
    """Return a status without what is not known, and with what this process knows of how far it is."""
    fields = dataclasses.asdict(status)
    if service.progress is not None:
        fields["message"] = fields["message"] or service.how_far()
    return {name: value for name, value in fields.items() if value is not None}


def _json(uri: str, value: dict[str, Any]) -> types.ReadResourceResult:
    text = render.to_json(value, indent=1)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    )


def _text(uri: str, excerpt: Excerpt) -> types.ReadResourceResult:
    lines = {"start_line": excerpt.start_line, "end_line": excerpt.end_line, "total_lines": excerpt.total_lines}
    return types.ReadResourceResult(
        contents=[
            types.TextResourceContents(
                uri=uri,
                mime_type=mime_type(excerpt.language),
                text=excerpt.text,
                _meta={**lines, "truncated": excerpt.truncated},
            )
        ]
    )
