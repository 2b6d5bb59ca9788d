"""The host's HTTP face, for connote's own faces: one path a method, JSON both ways."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from connote.config import Settings
from connote.engine import wire
from connote.engine.api import News
from connote.engine.connection import prove
from connote.engine.host.calls import CHANGING, LONG, METHODS, Call
from connote.engine.host.indexes import Indexes
from connote.engine.host.rendezvous import VERSION
from connote.errors import StoreError
from connote.model import Progress

_MOST_LINES = 1000
_THREADS = 16
_log = logging.getLogger(__name__)


class Host:
    """Answers clients. Its attributes are for the event loop alone, where nothing else is said."""

    def __init__(self, indexes: Indexes, token: str, end: Callable[[], None], clients: Callable[[], int]) -> None:
        """`end` is called when the host shall end; `clients` counts the connections that there are."""
        self.idle_minutes = 10.0
        """As the last client set it."""
        self._indexes = indexes
        self._token = token
        self._end = end
        self._clients = clients
        self._ending = asyncio.Event()
        self._short = ThreadPoolExecutor(_THREADS, "connote-short")
        self._long = ThreadPoolExecutor(_THREADS, "connote-long")
        self._after = ThreadPoolExecutor(1, "connote-after")
        self._cancels: dict[str, threading.Event] = {}
        """Of the calls that run, by the names that their clients gave them."""
        self._running: set[Future[dict[str, Any]]] = set()
        self._cleared = asyncio.Event()
        """Set, and replaced by another one, when what clients follow is no more."""
        self._loop: asyncio.AbstractEventLoop | None = None
        indexes.on_damage = self._damaged
        self.app = Starlette(
            routes=[
                Route("/v1/health", self._health, methods=["GET"]),
                Route("/v1/{method}", self._called, methods=["POST"]),
            ]
        )

    def end(self) -> None:
        """Stop what runs; clients notice, and repeat it with the next host."""
        self._ending.set()
        for cancel in self._cancels.values():
            cancel.set()

    def join(self, seconds: float) -> None:
        """Wait for what runs, so long and no longer."""
        wait(self._running, seconds)

    async def _health(self, request: Request) -> Response:
        challenge = request.query_params.get("challenge")
        if challenge is None and not self._is_allowed(request):
            return _refusal(401, "the token is wrong or missing")
        answer: dict[str, Any] = {"version": VERSION, "pid": os.getpid()}
        if challenge is not None:
            answer["proof"] = prove(self._token, challenge)
        return JSONResponse(answer)

    async def _called(self, request: Request) -> Response:
        if not self._is_allowed(request):
            return _refusal(401, "the token is wrong or missing")
        try:
            body = dict(json.loads(await request.body()))
        except (TypeError, ValueError, ClientDisconnect):
            return _refusal(400, "the body is no JSON object")
        self._loop = asyncio.get_running_loop()
        method = request.path_params["method"]
        if method == "stop":
            self._end()
            return JSONResponse({"result": None})
        if method == "clear":
            return await self._clear()
        if method == "cancel":
            if running := self._cancels.get(str(body.get("id"))):
                running.set()
            return JSONResponse({"result": None})
        try:
            settings = wire.unpack_settings(body["settings"])
            arguments = dict(body.get("arguments") or {})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return _refusal(400, f"the settings make no sense: {error}")
        self.idle_minutes = settings.server.idle_minutes
        if method == "follow":
            return await self._follow(settings)
        if method not in METHODS:
            return _refusal(404, f"there is no method {method!r}")
        return self._run(method, settings, arguments, str(body.get("id") or os.urandom(8).hex()))

    def _is_allowed(self, request: Request) -> bool:
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode("utf-8", "replace"), f"Bearer {self._token}".encode())

    # Calls

    def _run(self, method: str, settings: Settings, arguments: dict[str, Any], name: str) -> Response:
        loop = asyncio.get_running_loop()
        lines = _Lines(self._ending)
        cancel = threading.Event()

        def on_progress(progress: Progress) -> None:
            loop.call_soon_threadsafe(lines.add, {"progress": wire.pack(progress)})

        def do(last: bool = False) -> dict[str, Any]:
            before = self._indexes.damages
            try:
                with self._indexes.use(settings) as index:
                    return {"result": wire.pack(METHODS[method](index, Call(arguments, cancel, on_progress)))}
            except StoreError:
                # What is damaged is set aside when it is opened next; another call may have done that under this one.
                if last or (before == self._indexes.damages and not self._indexes.any_damaged()):
                    raise
                return do(last=True)

        def work() -> dict[str, Any]:
            try:
                return do()
            except Exception as error:  # noqa: BLE001 - whatever it is, the client gets an answer
                packed = wire.pack_error(error)
                if packed is None:
                    _log.exception("%s failed", method)
                    message = f"{method} failed by a fault of connote, which host.log explains; report it: {error!r}"
                    packed = {"code": "connote", "message": message}
                return {"error": packed}

        def ended(future: Future[dict[str, Any]]) -> None:
            self._cancels.pop(name, None)
            self._running.discard(future)
            lines.finish(future.result())
            if method in CHANGING:
                self._after.submit(self._flush, settings)

        self._cancels[name] = cancel
        lines.on_gone = cancel.set
        pool = self._long if method in LONG else self._short
        running = pool.submit(work)
        self._running.add(running)
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(ended, running))
        return lines

    def _damaged(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._follow_anew)

    def _flush(self, settings: Settings) -> None:
        """Bring Chroma up to date behind a call that has been answered already."""
        try:
            with self._indexes.use(settings) as index:
                index.flush()
        except Exception:  # noqa: BLE001 - as above
            # Nobody waits for this; the next sync meets the same trouble and tells it.
            _log.exception("vectors could not be stored; they stay in the catalog")

    async def _clear(self) -> Response:
        for cancel in self._cancels.values():
            cancel.set()
        existed = await asyncio.get_running_loop().run_in_executor(self._long, self._indexes.clear)
        self._follow_anew()
        if self._clients() <= 1:
            # The only client is the one that asked for this: there is nothing left to serve, and nobody to serve it.
            self._end()
        return JSONResponse({"result": existed})

    # News

    def _follow_anew(self) -> None:
        """Who followed an index hears of what takes its place by following anew, which clients do at once."""
        self._cleared.set()
        self._cleared = asyncio.Event()

    async def _follow(self, settings: Settings) -> Response:
        loop = asyncio.get_running_loop()
        lines = _Lines(self._ending, self._cleared)

        def on_news(news: News) -> None:
            with suppress(RuntimeError):  # the loop has ended, and the host is about to
                loop.call_soon_threadsafe(lines.add, {"news": wire.pack(news)})

        try:
            release = await loop.run_in_executor(self._short, self._indexes.follow, settings, on_news)
        except Exception as error:
            packed = wire.pack_error(error)
            if packed is None:
                raise
            return JSONResponse({"error": packed})
        # In a thread: what was watched for this client may take a moment to end.
        lines.on_gone = lambda: self._short.submit(release)
        lines.add({"following": True})
        return lines


class _Lines(Response):
    """An answer that comes line by line while work goes on, and ends without an outcome with one of the `endings`."""

    def __init__(self, *endings: asyncio.Event) -> None:
        super().__init__(media_type="application/x-ndjson")
        self.on_gone: Callable[[], object] = lambda: None
        """Called when there will be no outcome: the client is gone, or this ends."""
        self._endings = endings
        self._lines: asyncio.Queue[tuple[dict[str, Any], bool]] = asyncio.Queue()

    def add(self, line: dict[str, Any]) -> None:
        """Send a line, and go on; a client that does not listen misses some."""
        if self._lines.qsize() < _MOST_LINES:
            self._lines.put_nowait((line, False))

    def finish(self, line: dict[str, Any]) -> None:
        """Send the last line."""
        self._lines.put_nowait((line, True))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send the lines as they come."""
        gone = asyncio.ensure_future(_disconnected(receive))
        endings = [asyncio.ensure_future(ending.wait()) for ending in self._endings]
        finished = False
        try:
            headers = [(b"content-type", b"application/x-ndjson")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while not finished:
                line = asyncio.ensure_future(self._lines.get())
                await asyncio.wait({line, gone, *endings}, return_when=asyncio.FIRST_COMPLETED)
                if not line.done():
                    line.cancel()
                    break
                content, finished = line.result()
                body = wire.dumps(content) + b"\n"
                await send({"type": "http.response.body", "body": body, "more_body": not finished})
            if not finished:
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            for ending in endings:
                ending.cancel()
            if not finished:
                self.on_gone()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _refusal(status: int, message: str) -> Response:
    return JSONResponse({"error": {"code": "store", "message": f"The host refuses: {message}."}}, status)
