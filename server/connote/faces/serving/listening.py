"""Listening: a socket, the server on it, and its end by a signal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from connote.errors import ConfigError
from connote.faces.serving import Address
from connote.faces.serving.guard import App, error_body

_LAST_WORDS_SECONDS = 3
"""How long answers that are under way may take when the server ends."""
_MOST_HEAD = 262_144
"""Bytes of a request's line and headers: the longest question fits in, written as a URL writes it."""
_WRITE_SECONDS = 30.0
"""How long a client may take no bytes of an answer."""
OK, INTERRUPTED = 0, 130


def bind(address: Address) -> socket.socket:
    """Return a listening socket. Raises ConfigError when there is none to be had at this address."""
    host = address.host.strip("[]")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{address.host} is no address to listen on ({error}); name one by --host.") from error
    try:
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        if error.errno in (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", errno.EADDRINUSE)):
            what = f"Another program listens on port {address.port}"
        else:
            what = f"Port {address.port} of {address.host} cannot be used ({error.strerror})"
        raise ConfigError(f"{what}; name another one by --port (0 is any that is free).") from error
    return listener


def url_of(listener: socket.socket) -> str:
    """Return how clients on this machine reach a listening socket."""
    host, port = listener.getsockname()[:2]
    address = ipaddress.ip_address(str(host).partition("%")[0])
    if address.is_unspecified:
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://{address}:{port}" if address.version == 4 else f"http://[{address}]:{port}"


def serve(app: App, listener: socket.socket, *, seconds: float, announce: Callable[[], None]) -> int:
    """Serve an application until a signal ends it, and return the exit code.

    `seconds` is how long a client may take to send a request's head. `announce` is called once it is listening.
    """

    class Protocol(_Patient):
        head_seconds = seconds

    server = _Server(
        uvicorn.Config(
            app,
            http=Protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_LAST_WORDS_SECONDS,
            h11_max_incomplete_event_size=_MOST_HEAD,
        )
    )
    server.announce = announce
    asyncio.run(server.serve(sockets=[listener]))
    return INTERRUPTED if signal.SIGINT in server.received else OK


class _Server(uvicorn.Server):
    received: list[int]
    announce: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and only then say so: from here on a signal ends the server as it should."""
        await super().startup(sockets)
        self.announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at the first signal, at once at the second Ctrl-C.

        uvicorn's own raises the signal again at the end, which would make the end of a server look like a crash.
        """
        self.received = []

        def note(number: int, _frame: object) -> None:
            if self.should_exit:
                os._exit(INTERRUPTED if number == signal.SIGINT else OK)
            self.received.append(number)
            self.should_exit = True

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Patient(H11Protocol):
    """A connection that ends when its client takes too long to say what it wants, or to take what it gets.

    uvicorn looks at the time between two requests only.
    """

    head_seconds: float
    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn narrows what asyncio gives
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        if not self._is_refused:
            super().data_received(data)
            self._watch_head()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request in the form that all errors have."""
        body = error_body(400, msg)
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        # Closing at once would lose the answer for a client that is still sending; what it sends is dropped.
        self._is_refused = True
        self._watch_head()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self._write_timer or self.loop.call_later(_WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _watch_head(self) -> None:
        waits = self._waits() and not self.transport.is_closing()
        if waits and self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._too_slow)
        elif not waits and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        if self._waits():
            self.transport.abort()

    def _waits(self) -> bool:
        return self._is_refused or self.conn.their_state is h11.IDLE

    def _cancel(self) -> None:
        for timer in (self._head_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
