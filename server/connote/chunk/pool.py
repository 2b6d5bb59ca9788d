"""Worker processes that cut documents: parsing holds the interpreter's lock, and a grammar may hang or crash."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar, cast

from connote.chunk.document import cut_text
from connote.chunk.options import ChunkOptions
from connote.chunk.worker import READY, receive, send
from connote.errors import ChunkingError
from connote.languages import detect_language
from connote.model import Chunk

P = TypeVar("P", bound="ChunkPool")


class ChunkPool:
    """Cuts documents in `workers` processes, which end with this one.

    A document that kills its worker, or takes longer than `budget_seconds` there, is cut as text, with the reason in
    `Chunk.error`; the worker is replaced, and that document is never given to one again by this pool. `window` is the
    number of documents in flight for each worker: enough to keep it at work while the caller deals with results.
    """

    module = "connote.chunk.worker"
    """What the workers run."""

    def __init__(
        self, workers: int, options: ChunkOptions | None = None, *, budget_seconds: float = 30.0, window: int = 32
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        if budget_seconds <= 0:
            raise ValueError(f"budget_seconds must be positive, not {budget_seconds}")
        self._options = options or ChunkOptions()
        self._workers = workers
        self._budget = budget_seconds
        self._window = window
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="connote-chunk")
        self._lock = threading.Lock()
        # All of these are guarded by the lock.
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._poisoned: set[int] = set()
        self._closed = False
        self._watchdog = _Watchdog()
        self._asking = threading.Lock()
        self._asked: _Worker | None = None

    def map(self, items: Iterable[tuple[str, str]]) -> Iterator[tuple[str, list[Chunk] | ChunkingError]]:
        """Cut documents, given as pairs of path and text; yield path and result in the order of the input.

        `items` is consumed as results are taken: some documents for each worker are in flight.
        """
        with self._lock:
            if self._closed:
                raise ChunkingError("the chunk pool is closed; make a new one")
        source = iter(items)
        window: deque[tuple[str, Future[list[Chunk] | ChunkingError]]] = deque()
        try:
            for path, text in itertools.islice(source, self._window * self._workers):
                window.append((path, self._threads.submit(self._cut, path, text)))
            while window:
                path, future = window.popleft()
                result = future.result()
                for next_path, text in itertools.islice(source, 1):
                    window.append((next_path, self._threads.submit(self._cut, next_path, text)))
                yield path, result
        finally:
            for _, future in window:
                future.cancel()

    def close(self) -> None:
        """End all workers at once. Idempotent."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
        for worker in workers:
            worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._watchdog.close()
        for worker in workers:
            worker.reap()

    def __enter__(self: P) -> P:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cut(self, path: str, text: str) -> list[Chunk] | ChunkingError:
        key = hash((path, text))
        with self._lock:
            poisoned = key in self._poisoned
        if poisoned:
            return self._as_text(path, text, "the chunker failed on this text before; cut as text")
        try:
            worker = self._take()
        except (OSError, EOFError) as error:
            return ChunkingError(f"{path}: a chunk worker could not be started ({error}); see `connote doctor`")
        self._watchdog.start(worker, self._budget)
        try:
            outcome, answer = worker.ask("cut", path, text, self._options)
        except (OSError, EOFError, ValueError):
            # Broken pipe, end of file, or a pipe that closed under the write: the worker is gone.
            overran = self._watchdog.stop(worker)
            self._discard(worker)
            with self._lock:
                closed = self._closed
                self._poisoned.add(key)
            if closed:
                return ChunkingError(f"{path}: the chunk pool was closed")
            reason = f"took longer than {self._budget:g} s" if overran else "crashed the chunker"
            return self._as_text(path, text, f"{reason}; cut as text")
        if self._watchdog.stop(worker):
            # It answered just as its time was over: the answer counts, the worker is gone.
            self._discard(worker)
        else:
            with self._lock:
                self._idle.append(worker)
        if outcome == "done":
            return cast("list[Chunk]", answer)
        return ChunkingError(str(answer) if outcome == "error" else f"{path}: the chunker has a bug:\n{answer}")

    def ask(self, *message: object) -> object:
        """What a worker of its own says to a message, beside all documents. Raises ChunkingError."""
        with self._asking:
            try:
                worker = self._asked = self._asked or self._take()
                self._watchdog.start(worker, self._budget)
                outcome, answer = worker.ask(*message)
            except (OSError, EOFError, ValueError) as error:
                outcome, answer = "error", f"the worker is gone ({error!r})"
            if self._asked and (self._watchdog.stop(self._asked) or outcome != "done"):
                self._discard(self._asked)
                self._asked = None
        if outcome != "done":
            raise ChunkingError(str(answer))
        return answer

    def _as_text(self, path: str, text: str, reason: str) -> list[Chunk]:
        language = self._options.language or detect_language(path, text)
        return cut_text(path, text, self._options, language=language, error=reason)

    def _take(self) -> _Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        worker = _Worker(self.module)
        with self._lock:
            self._all.add(worker)
            closed = self._closed
        if closed:
            worker.kill()
        self._watchdog.start(worker, _START_SECONDS)
        try:
            worker.wait_ready()
        except (OSError, EOFError):
            self._discard(worker)
            raise
        finally:
            self._watchdog.stop(worker)
        return worker

    def _discard(self, worker: _Worker) -> None:
        worker.kill()
        worker.reap()
        with self._lock:
            self._all.discard(worker)


_START_SECONDS = 120.0
"""A worker that is not ready by then never will be, even on a machine that swaps."""


class _Worker:
    """A process with its two pipes. One thread asks at a time; any may kill it."""

    def __init__(self, module: str) -> None:
        # The folder that holds this package: `-m` looks into the current folder first, and that may be anybody's.
        home = Path(__file__).resolve().parents[2]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._to = cast("BinaryIO", self._process.stdin)
        self._from = cast("BinaryIO", self._process.stdout)

    def wait_ready(self) -> None:
        if receive(self._from) != READY:
            raise EOFError("it did not say that it is ready")

    def ask(self, *message: object) -> tuple[str, object]:
        send(self._to, message)
        return cast("tuple[str, object]", receive(self._from))

    def kill(self) -> None:
        self._process.kill()

    def reap(self) -> None:
        """Wait for the end of a killed process, and close the pipes."""
        self._process.wait()
        for pipe in (self._to, self._from):
            try:
                pipe.close()
            except OSError:
                # What was written and not flushed has nowhere to go.
                continue


class _Watchdog:
    """Kills workers that overrun their time: one thread, asleep until the next deadline."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._deadlines: dict[_Worker, float] = {}
        self._killed: set[_Worker] = set()
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(self, worker: _Worker, seconds: float) -> None:
        """Kill a worker in so many seconds, unless it is stopped before."""
        with self._changed:
            deadline = time.monotonic() + seconds
            # The thread only needs to hear of a deadline that is before all others.
            is_first = all(deadline < other for other in self._deadlines.values())
            self._deadlines[worker] = deadline
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="connote-chunk-watchdog", daemon=True)
                self._thread.start()
            elif is_first:
                self._changed.notify()

    def stop(self, worker: _Worker) -> bool:
        """Forget a deadline; say whether the worker was killed for it."""
        with self._changed:
            self._deadlines.pop(worker, None)
            killed = worker in self._killed
            self._killed.discard(worker)
            return killed

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                for worker, deadline in list(self._deadlines.items()):
                    if deadline <= now:
                        del self._deadlines[worker]
                        self._killed.add(worker)
                        worker.kill()
                nearest = min(self._deadlines.values(), default=None)
                self._changed.wait(None if nearest is None else max(nearest - now, 0))
