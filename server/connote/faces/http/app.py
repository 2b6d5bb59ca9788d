"""The HTTP application: routes, and what becomes of what goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connote import __version__
from connote.errors import ConnoteError, RefusedError
from connote.faces import render
from connote.faces.http.openapi import document
from connote.faces.serving import parameters
from connote.faces.serving.guard import error_body
from connote.faces.serving.service import Service
from connote.model import Answer

_PATIENCE = 1.0
"""Seconds that a search waits for a check of the files: long enough for one of a large project, if it is indexed."""
_log = logging.getLogger(__name__)


class UnreadableError(Exception):
    """A request that cannot be read; its text says why."""


def application(service: Service, url: str, *, needs_token: bool) -> Starlette:
    """Return the application over a service; it indexes from its start on."""
    api = _Api(service)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        service.check()
        yield

    described = document(url, needs_token=needs_token)

    async def openapi(_request: Request) -> Response:
        return _json(described)

    return Starlette(
        routes=[
            Route("/health", _health, methods=["GET"]),
            Route("/search", api.search, methods=["GET", "POST"]),
            Route("/similar", api.similar, methods=["GET", "POST"]),
            Route("/index", api.index, methods=["POST"]),
            Route("/status", api.status, methods=["GET"]),
            Route("/openapi.json", openapi, methods=["GET"]),
        ],
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _http_error,
            UnreadableError: _answering(400),
            ValueError: _answering(422),
            RefusedError: _answering(404),
            ConnoteError: _answering(503),
            Exception: _bug,
        },
    )


class _Api:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Response:
        asked = parameters.query_of(await _parameters(request, parameters.QUERY, ("query",)))
        began = time.perf_counter()
        answer = await self._service.search(asked, seconds=_PATIENCE)
        return self._answer(asked.query, answer, began, why=asked.why)

    async def similar(self, request: Request) -> Response:
        given = await _parameters(request, parameters.SIMILAR, ("path", "line"))
        began = time.perf_counter()
        path, line = given["path"], given["line"]
        answer = await self._service.similar(path, line, given["limit"], seconds=_PATIENCE)
        return self._answer(f"{path}:{line}", answer, began)

    async def index(self, request: Request) -> Response:
        given = await _parameters(request, parameters.INDEX)
        # Opened before it is asked to work, so that what hinders it is told as that.
        await asyncio.to_thread(self._service.index)
        report = await asyncio.wrap_future(self._service.check(rebuild=given["rebuild"]))
        fields = dataclasses.asdict(report)
        del fields["cancelled"]
        return _json(fields)

    async def status(self, _request: Request) -> Response:
        return _json(dataclasses.asdict(await self._service.status()))

    def _answer(self, query: str, answer: Answer, began: float, *, why: bool = False) -> Response:
        elapsed_ms = round((time.perf_counter() - began) * 1000)
        return _json(render.answer_fields(str(self._service.served.root), query, answer, elapsed_ms, why=why))


async def _health(_request: Request) -> Response:
    return _json({"status": "ok", "version": __version__})


async def _parameters(
    request: Request, known: dict[str, parameters.Schema], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return what a request asks with: the query string of a GET, the JSON object of a POST."""
    if request.method == "POST":
        body = await request.body()
        values = _object(body) if body.strip() else {}
    else:
        values = parameters.from_strings(request.query_params.multi_items(), known)
    return parameters.checked(values, known, required)


def _object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise UnreadableError("The body is nested too deeply.") from None
    except ValueError as error:
        raise UnreadableError(f"The body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnreadableError("The body is no JSON object.")
    return value


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number of JSON")


def _json(value: object, status: int = 200) -> Response:
    return Response(render.to_json(value).encode(), status, media_type="application/json")


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return Response(error_body(status, message), status, headers, "application/json")


def _answering(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(_request: Request, error: Exception) -> Response:
        return _error(status, str(error))

    return answer


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if status == 404:
        message = f"There is nothing at {request.url.path[:200]!a}; /openapi.json lists what there is."
    elif status == 405:
        message = f"{request.url.path} answers {headers.get('Allow', 'other methods')}, not {request.method}."
    else:
        message = str(getattr(error, "detail", "The request was refused."))
    return _error(status, message, headers)


async def _bug(request: Request, error: Exception) -> Response:
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    _log.error("a request to %s failed by a fault of connote:\n%s", request.url.path, trace)
    return _error(500, "This is a fault of connote; its messages say more.")
