"""The guard before every server: who may ask, from where, how much and how slowly."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 1_048_576
"""Bytes of a request's body."""
_MOST_DRAINED = 16 * MOST_BODY
"""Bytes that are read and dropped, so that a client that sends too much hears so instead of losing its connection."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?")
_SAFE_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
CODES = {
    400: "unreadable", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
    408: "too_slow", 413: "too_large", 422: "invalid", 500: "internal", 503: "unavailable",
}  # fmt: skip
"""The word that stands for each status in `{"error": {"code", "message"}}`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Whom a guard lets in."""

    token: str | None
    """None lets in everyone who may connect."""
    host: str
    """The address that the server listens on."""
    open_paths: frozenset[str]
    """Paths that need no token."""
    seconds: float
    """How long a client may take to send its body."""


class Guard:
    """An ASGI application around another one, which sees no request that breaks the rules.

    In this order: `Host` and `Origin` (403), the token (401), the body's size (413) and its pace (408). A body is
    read whole before the application sees the request.
    """

    def __init__(self, app: App, rules: Rules) -> None:
        self._app = app
        self._rules = rules
        self._names = _own_names(rules.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on; all else (the server's start and end) is passed on as it is."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _Headers(scope["headers"])
        refusal = self._refusal(headers, scope["path"])
        if refusal is not None:
            await refuse(send, *refusal)
            return
        try:
            body = await asyncio.wait_for(_body(receive, headers), self._rules.seconds)
        except asyncio.TimeoutError:
            await refuse(send, 408, f"The request did not arrive within {self._rules.seconds:g} seconds.")
            return
        except _TooLargeError:
            await refuse(send, 413, f"The body has more than {MOST_BODY:,} bytes.")
            return
        if body is None:
            return  # The client is gone.
        first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return first.pop() if first else await receive()

        await self._app(scope, replay, _safely(send))

    def _refusal(self, headers: _Headers, path: str) -> tuple[int, str] | None:
        hosts, origins = headers.all(b"host"), headers.all(b"origin")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return 403, "The Host of the request is not this server: ask it by its address."
        # A page of another site, or of another server of this machine, has another origin than ours.
        if any(origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}") for origin in origins):
            return 403, "Pages of other origins may not ask this server."
        if self._rules.token is not None and path not in self._rules.open_paths:
            given = headers.all(b"authorization")
            if len(given) != 1 or not is_token(given[0], self._rules.token):
                return 401, "The token is missing or wrong: send `Authorization: Bearer` and the token."
        return None

    def _is_own(self, host: str) -> bool:
        # The port is not compared: behind a tunnel it is another one, and a name that was bound anew to this address
        # is told by itself.
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].strip("[]").lower()
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name.removesuffix(".") in self._names
        # An address is no name that somebody could bind to another one.
        return str(address) in self._names or "*" in self._names or (address.is_loopback and "localhost" in self._names)


def is_token(authorization: str, token: str) -> bool:
    """Whether a header shows the token; takes as long for a wrong one as for another wrong one."""
    scheme, _, given = authorization.partition(" ")
    right = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    return scheme.lower() == "bearer" and right


async def refuse(send: Send, status: int, message: str) -> None:
    """Answer with an error."""
    body = error_body(status, message)
    extra = [(b"www-authenticate", b"Bearer")] if status == 401 else []
    if status in (408, 413):
        extra.append((b"connection", b"close"))
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                *_SAFE_HEADERS,
                *extra,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


def error_body(status: int, message: str) -> bytes:
    """Return what every error looks like."""
    return json.dumps({"error": {"code": CODES.get(status, "refused"), "message": message}}).encode()


class _TooLargeError(Exception):
    pass


class _Headers:
    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = list(pairs)

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for key, value in self._pairs if key.lower() == name]


async def _body(receive: Receive, headers: _Headers) -> bytes | None:
    """Return the body; None when the client went away. Raises _TooLargeError."""
    declared = headers.all(b"content-length")
    too_large = any(not text.isdecimal() or len(text) > 12 or int(text) > MOST_BODY for text in declared)
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        too_large = too_large or size > MOST_BODY
        if not too_large:
            parts.append(part)
        if not message.get("more_body", False) or (too_large and size > _MOST_DRAINED):
            break
    if too_large:
        raise _TooLargeError
    return b"".join(parts)


def _safely(send: Send) -> Send:
    async def safe(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", ())}
            added = [pair for pair in _SAFE_HEADERS if pair[0] not in there]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return safe


def _own_names(host: str) -> frozenset[str]:
    """Return the names that clients may call this server by; `*` is any address that is no name."""
    plain = host.strip("[]").lower()
    names = {plain}
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        if plain == "localhost":
            names |= {"127.0.0.1", "::1"}
        return frozenset(names)
    names.add(str(address))
    if address.is_loopback:
        names.add("localhost")
    if address.is_unspecified:
        names |= {"*", "localhost", socket.gethostname().lower()}
    return frozenset(names)
