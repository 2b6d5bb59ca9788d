"""One connection to a host: HTTP/1.1, as much of it as the two need. `http.client` takes longer to load than to use."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

from connote.engine import wire
from connote.engine.host import rendezvous
from connote.engine.host.rendezvous import Note
from connote.errors import StoreError

PATIENCE_SECONDS = float(os.environ.get("CONNOTE_HOST_PATIENCE") or 10.0)
"""How long a host that has nothing else to do may take to say that it is there."""
_SOON_SECONDS = 0.05
_PIECE = 1 << 16


class LostError(Exception):
    """The host is gone, or does not answer. The same call to a new one may well succeed."""


class Connection:
    """A connection for one call after the other. Not for several threads at once."""

    def __init__(self, note: Note, timeout: float = PATIENCE_SECONDS) -> None:
        """Connect. Raises LostError, and StoreError when somebody else may be listening."""
        if note.address is None or note.token is None:
            raise LostError("the host does not listen yet")
        self._note = note
        self._data = bytearray()
        try:
            self._socket = rendezvous.dial(note.address, timeout)
        except (OSError, ValueError) as error:
            raise LostError(f"the host cannot be reached: {error}") from error
        if note.address.startswith("tcp:"):
            self._check_identity(timeout)

    def health(self, timeout: float = PATIENCE_SECONDS) -> dict[str, Any]:
        """Ask whether it is there. Raises LostError."""
        return self._health("", timeout)

    def call(
        self, method: str, body: object, waiting: Callable[[], None] | None = None, *, often: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Call a method; yields what is answered, line by line, the outcome last.

        `waiting` is called every few seconds, or `often`, while nothing comes; what it raises ends the call.
        Raises LostError when the connection breaks before the outcome.
        """
        return self._ask("POST", f"/v1/{method}", wire.dumps(body), waiting, _SOON_SECONDS if often else None)

    def close(self) -> None:
        """Close it, from any thread: a call that waits ends with LostError."""
        with contextlib.suppress(OSError):  # the host may have closed it first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    # The host's identity

    def _check_identity(self, timeout: float) -> None:
        # Any user's process may take a port that a host has left: nothing secret is sent before this is answered.
        challenge = os.urandom(16).hex()
        try:
            proof = self._health(f"?challenge={challenge}", timeout).get("proof")
        except BaseException:
            self.close()
            raise
        if not hmac.compare_digest(str(proof), prove(str(self._note.token), challenge)):
            self.close()
            raise LostError("another program listens where the host did")

    def _health(self, query: str, timeout: float) -> dict[str, Any]:
        def waiting() -> None:
            nonlocal timeout
            timeout -= _SOON_SECONDS
            if timeout <= 0:
                raise LostError("the host does not answer")

        answers = list(self._ask("GET", f"/v1/health{query}", b"", waiting, _SOON_SECONDS, with_token=not query))
        if not answers:
            raise LostError("the host does not say how it is")
        return answers[-1]

    # HTTP

    def _ask(
        self,
        verb: str,
        path: str,
        body: bytes,
        waiting: Callable[[], None] | None,
        look_seconds: float | None,
        *,
        with_token: bool = True,
    ) -> Iterator[dict[str, Any]]:
        head = f"{verb} {path} HTTP/1.1\r\nHost: connote\r\nContent-Length: {len(body)}\r\n"
        if with_token:
            head += f"Authorization: Bearer {self._note.token}\r\n"
        self._waiting = waiting
        try:
            self._socket.settimeout(look_seconds or PATIENCE_SECONDS)
            # A host that stands still lets the kernel's buffer run full; that is noticed like silence.
            self._send(f"{head}\r\n".encode("ascii") + body)
            status, headers = self._head()
            for line in self._lines(headers):
                yield json.loads(line)
        except (OSError, ValueError) as error:
            raise LostError(f"the connection to the host broke: {error}") from error
        if status == 401:
            raise StoreError(
                "The host refuses this client's token: `connote stop` ends it, the next call starts another."
            )

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except TimeoutError:
                self._wait()

    def _head(self) -> tuple[int, dict[str, str]]:
        first = self._line().split(b" ", 2)
        if len(first) < 2 or not first[0].startswith(b"HTTP/1.1"):
            raise LostError("what answers is no host")
        headers = {}
        while line := self._line():
            name, _, value = line.partition(b":")
            headers[name.decode("latin-1").lower()] = value.strip().decode("latin-1")
        return int(first[1]), headers

    def _lines(self, headers: dict[str, str]) -> Iterator[bytes]:
        if headers.get("transfer-encoding") != "chunked":
            yield from filter(None, self._take(int(headers.get("content-length", "0"))).split(b"\n"))
            return
        rest = b""
        while size := int(self._line(), 16):
            *whole, rest = (rest + self._take(size)).split(b"\n")
            self._line()
            yield from filter(None, whole)
        self._line()

    def _line(self) -> bytes:
        while (end := self._data.find(b"\r\n")) < 0:
            self._receive()
        line = bytes(self._data[:end])
        del self._data[: end + 2]
        return line

    def _take(self, count: int) -> bytes:
        while len(self._data) < count:
            self._receive()
        taken = bytes(self._data[:count])
        del self._data[:count]
        return taken

    def _receive(self) -> None:
        while True:
            try:
                piece = self._socket.recv(_PIECE)
            except TimeoutError:
                self._wait()
                continue
            if not piece:
                raise LostError("the host ended")
            self._data += piece
            return

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting()


def prove(token: str, challenge: str) -> str:
    """What only a process that knows the token can answer to a challenge."""
    return hmac.new(token.encode(), challenge.encode(), "sha256").hexdigest()
