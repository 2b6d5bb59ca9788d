"""A worker process of the pool: reads documents from stdin, writes their chunks to stdout, ends with its stdin.

A message is its length (8 bytes, big-endian) and a pickle: in, a verb and what goes with it; out, `done` and the
result, or `error` or `bug` and a text. The first message out is `READY`.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

from connote.chunk.document import cut_document
from connote.errors import ConnoteError

READY = ("ready", None)


def send(stream: BinaryIO, message: object) -> None:
    """Write one message."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(body).to_bytes(8, "big"))
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; raise `EOFError` when the other side is gone."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    size = int.from_bytes(head, "big")
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)  # noqa: S301 - both ends are this module, over a pipe that nobody else holds


def serve(verbs: Mapping[str, Callable[..., object]]) -> None:
    """Do what is asked until stdin ends."""
    # Ctrl-C goes to the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming = sys.stdin.buffer
    # Nothing but messages may reach the parent: whatever else is printed goes where errors go.
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        send(outgoing, READY)
        while True:
            verb, *arguments = receive(incoming)
            send(outgoing, _answer(verbs[verb], arguments))
    except (EOFError, BrokenPipeError):
        # The parent has closed its end or is gone. Flushing at exit would only fail again.
        os._exit(0)


def _answer(work: Callable[..., object], arguments: Sequence[object]) -> tuple[str, object]:
    try:
        return "done", work(*arguments)
    except ConnoteError as error:
        return "error", str(error)
    except Exception:  # noqa: BLE001 - a bug in one document must not take the others along; the pool reports it
        return "bug", traceback.format_exc()


if __name__ == "__main__":
    serve({"cut": cut_document})
