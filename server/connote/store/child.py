"""The process that holds Chroma: reads requests from stdin, writes answers to stdout, ends with its stdin.

The first message out says `ready`, or why it never will be. The first request opens a `place`; each one after it names
what to `do`. All name the seconds they may take. Digests travel as 16 bytes each, vectors as rows of float16.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from connote.errors import StoreError
from connote.store.options import Place
from connote.store.pipe import digests_of, receive, send

if TYPE_CHECKING:
    from connote.store.chroma import ChromaVectors

_GRACE_SECONDS = 5.0
"""What the owner has to end this process itself before it does so alone."""
_Request = tuple[dict[str, Any], list[bytes]]
_Answer = tuple[dict[str, object], list[bytes]]


def main() -> None:
    """Serve until stdin ends."""
    # Ctrl-C goes to a whole group of processes; the owner decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing but messages may reach the owner: whatever else is printed goes where errors go.
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    try:
        _serve(requests, outgoing)
    except BrokenPipeError:
        # Flushing at exit would only fail again.
        os._exit(0)


def _read(incoming: BinaryIO, requests: queue.SimpleQueue[_Request]) -> None:
    try:
        while True:
            requests.put(receive(incoming))
    except (EOFError, OSError, ValueError):
        # The owner is gone, and the next one waits for this folder: what was not answered was never promised.
        os._exit(0)


def _serve(requests: queue.SimpleQueue[_Request], outgoing: BinaryIO) -> None:
    try:
        from connote.store import chroma  # noqa: PLC0415 - an import that fails is an answer, not a traceback
    except BaseException as error:  # noqa: BLE001 - chromadb raises what its dependencies raise
        send(outgoing, {"error": f"chromadb cannot be loaded: {error!r}", "kind": "unusable"})
        return
    send(outgoing, {"ready": True})
    vectors: ChromaVectors | None = None
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        while True:
            head, parts = requests.get()
            # A thread without Python's lock ends this process even where Chroma hangs with it.
            faulthandler.dump_traceback_later(head["seconds"] + _GRACE_SECONDS, exit=True, file=nowhere)
            answer: Mapping[str, object]
            buffers: list[bytes] = []
            try:
                if vectors is None:
                    vectors = chroma.ChromaVectors(Place(**head["place"]))
                    answer = {"count": len(vectors), "sealed": vectors.sealed}
                else:
                    answer, buffers = _answer(vectors, head, parts)
            except StoreError as error:
                kinds = ((chroma.LostError, "lost"), (chroma.AwayError, "away"))
                answer = {
                    "error": str(error),
                    "kind": next((kind for type_, kind in kinds if isinstance(error, type_)), "failed"),
                }
            except OSError as error:
                answer = {"error": f"the folder cannot be used: {error}", "kind": "failed"}
            except Exception:  # noqa: BLE001 - a bug is told to the owner, who alone has a log
                answer = {"error": f"connote has a bug: {traceback.format_exc()}", "kind": "failed"}
            faulthandler.cancel_dump_traceback_later()
            send(outgoing, answer, *buffers)


def _answer(vectors: ChromaVectors, head: Mapping[str, Any], parts: list[bytes]) -> _Answer:
    do = head["do"]
    if do == "add":
        names = _names(parts[0])
        vectors.add(names, _rows(parts[1], len(names)))
    elif do == "delete":
        vectors.delete(_names(parts[0]))
    elif do == "probe":
        names = _names(parts[0])
        return {"probe": vectors.probe(names, _rows(parts[1], len(names)))}, []
    elif do == "nearest":
        vector = np.frombuffer(parts[0], "<f4")
        return {}, [bytes.fromhex("".join(vectors.nearest(vector, head["limit"])))]
    elif do == "ids":
        return {}, [bytes.fromhex("".join(vectors.ids()))]
    elif do == "drop":
        vectors.drop()
    elif do == "close":
        vectors.close()
    else:
        raise ValueError(f"no such request: {do}")
    return {"count": len(vectors)}, []


def _names(digests: bytes) -> list[str]:
    return [digest.hex() for digest in digests_of(digests)]


def _rows(vectors: bytes, count: int) -> NDArray[np.float32]:
    return np.frombuffer(vectors, "<f2").reshape(count, -1).astype(np.float32)
