"""The OpenAPI document of the HTTP face, made from the parameters that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connote import __version__
from connote.faces.serving import parameters
from connote.model import SYMBOL_KINDS

Schema = dict[str, Any]

_ERRORS = {
    "400": "The request cannot be read.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another origin, or is for another host.",
    "404": "There is nothing of this name.",
    "408": "The request took too long to arrive.",
    "413": "The body is larger than 1 MiB.",
    "422": "A parameter is unknown, missing, of a wrong type or out of range.",
    "503": "The index cannot be opened.",
}


def document(url: str, *, needs_token: bool) -> Schema:
    """Return the document of a server at this address."""
    search, similar = parameters.QUERY, parameters.SIMILAR
    paths: Schema = {
        "/health": {
            "get": {**_operation("Whether the server runs.", "Health", ["400", "403", "408", "413"]), "security": []}
        },
        "/search": {
            "get": {**_operation("Search.", "Answer"), "parameters": _in_query(search, ["query"])},
            "post": {**_operation("Search.", "Answer"), "requestBody": _in_body(search, ["query"])},
        },
        "/similar": {
            "get": {
                **_operation("Find code like that at a line.", "Answer"),
                "parameters": _in_query(similar, ["path", "line"]),
            },
            "post": {
                **_operation("Find code like that at a line.", "Answer"),
                "requestBody": _in_body(similar, ["path", "line"]),
            },
        },
        "/index": {
            "post": {
                **_operation("Bring the index up to date, and say what was done.", "Report"),
                "requestBody": {**_in_body(parameters.INDEX, []), "required": False},
            }
        },
        "/status": {"get": _operation("The state of the index.", "Status")},
        "/openapi.json": {"get": _operation("This document.", "Document")},
    }
    described: Schema = {
        "openapi": "3.1.0",
        "info": {"title": "connote", "version": __version__, "description": "Search code by meaning."},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": _SCHEMAS},
    }
    if needs_token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _operation(summary: str, answer: str, errors: Sequence[str] = tuple(_ERRORS)) -> Schema:
    responses = {"200": {"description": "Done.", "content": _content(answer)}}
    responses |= {code: {"description": _ERRORS[code], "content": _content("Error")} for code in errors}
    return {"summary": summary, "responses": responses}


def _in_query(known: Mapping[str, Schema], required: Sequence[str]) -> list[Schema]:
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": schema["description"],
            "schema": {key: value for key, value in schema.items() if key != "description"},
            **({"style": "form", "explode": True} if schema["type"] == "array" else {}),
        }
        for name, schema in known.items()
    ]


def _in_body(known: Mapping[str, Schema], required: Sequence[str]) -> Schema:
    schema = parameters.object_schema(known, required)
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _content(name: str) -> Schema:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _object(optional: Sequence[str] = (), **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_LINE: Schema = {"type": "integer", "minimum": 1}
_FLAG: Schema = {"type": "boolean"}
_COUNTS: Schema = {"type": "object", "additionalProperties": _COUNT}

_SCHEMAS: Schema = {
    "Health": _object(status={"const": "ok"}, version=_TEXT),
    "Signal": _object(name=_TEXT, amount={"type": "number"}),
    "Hit": _object(
        optional=["signals"],
        path=_TEXT,
        file=_TEXT,
        start_line=_LINE,
        end_line=_LINE,
        score={"type": "number", "minimum": 0, "maximum": 1},
        language=_TEXT_OR_NULL,
        symbol=_TEXT_OR_NULL,
        kind={"enum": [*SYMBOL_KINDS, None]},
        scope={"type": "array", "items": _TEXT},
        line=_LINE,
        column=_LINE,
        text=_TEXT,
        stale=_FLAG,
        signals={"type": "array", "items": {"$ref": "#/components/schemas/Signal"}},
    ),
    "Answer": _object(
        root=_TEXT,
        query=_TEXT,
        hits={"type": "array", "items": {"$ref": "#/components/schemas/Hit"}},
        complete=_FLAG,
        relaxed=_FLAG,
        message=_TEXT_OR_NULL,
        elapsed_ms=_COUNT,
    ),
    "Report": _object(
        added=_COUNT,
        changed=_COUNT,
        removed=_COUNT,
        unchanged=_COUNT,
        embedded=_COUNT,
        reused=_COUNT,
        problems={"type": "array", "items": _object(path=_TEXT, reason=_TEXT)},
    ),
    "Status": _object(
        root=_TEXT,
        state={"enum": ["indexing", "ready", "degraded", "error"]},
        files=_COUNT,
        chunks=_COUNT,
        pending=_COUNT,
        failed=_COUNT,
        skipped=_COUNTS,
        languages=_COUNTS,
        kinds=_COUNTS,
        model=_TEXT,
        dimensions=_COUNT,
        store=_TEXT,
        path=_TEXT,
        bytes=_COUNT,
        last_sync=_TEXT_OR_NULL,
        message=_TEXT_OR_NULL,
    ),
    "Error": _object(error=_object(code=_TEXT, message=_TEXT)),
    "Document": {"type": "object"},
}
