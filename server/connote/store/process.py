"""Chroma as its owner sees it: a process that may hang, crash or find damage, and never takes others along."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from connote.environment import needed
from connote.errors import StoreError
from connote.store.options import Place
from connote.store.pipe import digests_of, receive, send

_BATCH = 1000
_Answer = tuple[dict[str, Any], list[bytes]]
_START = (
    # The folder of this package leads while it is imported and no longer: beside it may lie anybody's modules.
    "import sys; sys.path.insert(0, sys.argv[1]); import connote; del sys.path[0]; "
    "sys.path = [path for path in sys.path if path]; "
    "sys.argv[1] in sys.path or sys.path.append(sys.argv[1]); "
    "from connote.store.child import main; main()"
)


@dataclass(frozen=True)
class Budgets:
    """Seconds after which a call is taken for hung and the process is ended."""

    start: float = 120.0
    """Importing chromadb takes seconds, and much longer on a machine that swaps."""
    open: float = 120.0
    change: float = 120.0
    """Each change of at most 1,000 vectors."""
    search: float = 5.0
    close: float = 20.0


class ChildError(StoreError):
    """Chroma's process is gone, or could not do what it was asked.

    `kind` is `gone`, `failed`, `lost` (the collection is damaged), `away` (a server cannot be reached), or `unusable`
    (chromadb does not work on this machine).
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class ChromaProcess:
    """One life of Chroma's process, with one collection. Any thread may call; all but searches wait."""

    def __init__(self, home: Path, budgets: Budgets | None = None) -> None:
        """Start the process, in the folder `home`. Raises ChildError."""
        self._budgets = budgets or Budgets()
        self._calls = threading.Lock()
        self.size = 0
        """How many vectors there are."""
        self.sealed = False
        """Whether a folder was found exactly as it was left."""
        package = str(Path(__file__).resolve().parents[2])
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, package],
                # Chroma reads `.env` from the current folder, and settings from names as plain as ENVIRONMENT.
                cwd=home,
                env=needed(os.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # A terminal that closes, or a signal to a group, ends the owner; that is how this process ends.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise ChildError(f"Chroma's process cannot be started: {error}", "unusable") from error
        self._to = cast("BinaryIO", self._process.stdin)
        self._from = cast("BinaryIO", self._process.stdout)
        self.pid = self._process.pid

    def open(self, place: Place) -> None:
        """Open a collection, which is made if there is none; called once. Raises ChildError."""
        with self._calls:
            try:
                self._within(self._budgets.start, lambda: receive(self._from))
            except ChildError as error:
                raise ChildError(str(error), "unusable") from error
            answer, _ = self._call(self._budgets.open, {"do": "open", "place": place.message()})
        self.size, self.sealed = int(answer["count"]), bool(answer["sealed"])

    def add(self, digests: Sequence[bytes], vectors: Sequence[bytes]) -> None:
        """Insert or replace vectors, rows of float16 by the digests of their texts. Raises ChildError."""
        for part in _parts(digests):
            self._change({"do": "add"}, b"".join(digests[part]), b"".join(vectors[part]))

    def delete(self, digests: Sequence[bytes]) -> None:
        """Remove vectors; those that are not there do not matter. Raises ChildError."""
        for part in _parts(digests):
            self._change({"do": "delete"}, b"".join(digests[part]))

    def change(self, gone: Sequence[bytes], new: Sequence[bytes], rows: Sequence[bytes]) -> None:
        """Delete and add. Raises ChildError."""
        self.delete(gone)
        self.add(new, rows)

    def probe(self, digests: Sequence[bytes], vectors: Sequence[bytes]) -> tuple[int, int]:
        """How many of these vectors are not there as they were given, and how many do not find themselves.

        Raises ChildError.
        """
        lost = unfound = 0
        for part in _parts(digests):
            with self._calls:
                ids, rows = b"".join(digests[part]), b"".join(vectors[part])
                answer, _ = self._call(self._budgets.open, {"do": "probe"}, ids, rows)
            lost, unfound = lost + answer["probe"][0], unfound + answer["probe"][1]
        return lost, unfound

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[bytes] | None:
        """The digests nearest to a vector, best first; None while another call is under way. Raises ChildError."""
        if not self._calls.acquire(blocking=False):
            return None
        try:
            request = {"do": "nearest", "limit": limit}
            _, (found,) = self._call(self._budgets.search, request, vector.astype("<f4").tobytes())
        finally:
            self._calls.release()
        return digests_of(found)

    def digests(self) -> set[bytes]:
        """Every digest there is: for checks and after a kill, not for searches. Raises ChildError."""
        with self._calls:
            _, (found,) = self._call(self._budgets.change, {"do": "ids"})
        return set(digests_of(found))

    def drop(self) -> None:
        """Delete the collection from its server. Raises ChildError."""
        with self._calls:
            self._call(self._budgets.change, {"do": "drop"})

    def close(self) -> None:
        """End the process: in order when it is idle, at once when it is not."""
        if self._calls.acquire(blocking=False):
            try:
                self._call(self._budgets.close, {"do": "close"})
            except ChildError:
                # It is ended below in any case, and the next owner looks closely at what it left.
                pass
            finally:
                self._calls.release()
        self.kill()

    def kill(self) -> None:
        """End the process at once; a call that is under way raises. Returns when it is gone."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._to, self._from):
            try:
                pipe.close()
            except OSError:
                # What was written and not flushed has nowhere to go.
                continue

    def _change(self, request: Mapping[str, object], *buffers: bytes) -> None:
        with self._calls:
            answer, _ = self._call(self._budgets.change, request, *buffers)
            self.size = int(answer["count"])

    def _call(self, seconds: float, request: Mapping[str, object], *buffers: bytes) -> _Answer:
        def ask() -> _Answer:
            send(self._to, {**request, "seconds": seconds}, *buffers)
            return receive(self._from)

        return self._within(seconds, ask)

    def _within(self, seconds: float, ask: Callable[[], _Answer]) -> _Answer:
        # Only the end of the process frees a thread that waits for its pipe, on every system.
        timer = threading.Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            answer, parts = ask()
        except (OSError, EOFError, ValueError) as error:
            self.kill()
            raise ChildError(f"Chroma's process ended, or took longer than {seconds:g} s", "gone") from error
        finally:
            timer.cancel()
        if "error" in answer:
            raise ChildError(str(answer["error"]), str(answer["kind"]))
        return answer, parts


def _parts(rows: Sequence[bytes]) -> Iterator[slice]:
    for start in range(0, len(rows), _BATCH):
        yield slice(start, start + _BATCH)
