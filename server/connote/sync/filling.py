"""Giving texts their vectors during a pass: beside all else where workers can, else in turns with it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType

from connote.store import Entry
from connote.sync.cutting import CuttingPool
from connote.sync.vectors import Given, Vectors


class Filling:
    """The vectors of one pass. With workers and a model that they have, a thread gives them while others write.

    An endpoint is asked in turns with the writing: it takes most of the time, which progress is to tell of.
    """

    def __init__(
        self, vectors: Vectors, pool: CuttingPool | None, cancel: threading.Event | None, *, afresh: bool
    ) -> None:
        self._vectors = vectors
        self._pool = pool if pool and vectors.portable() else None
        self._cancel = cancel
        self._afresh = afresh
        self._total = Given()
        self._asked = threading.Event()
        self._ending = False
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Filling:
        if self._pool:
            self._thread = threading.Thread(target=self._run, name="connote-fill", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._join()

    def ahead(self, entries: Sequence[Entry]) -> Given:
        """As `Vectors.ahead`."""
        return self._vectors.ahead(entries, self._pool, self._cancel, afresh=self._afresh)

    def soon(self) -> None:
        """Give what waits its vectors: now, or soon where that is done aside."""
        if self._thread is None:
            self._fill()
        else:
            self._asked.set()

    def end(self) -> Given:
        """Give all that still waits its vectors; what was given in this pass. Raises what went wrong aside."""
        self._join()
        if self._error is not None:
            raise self._error
        self._fill()
        return self._total

    def _join(self) -> None:
        self._ending = True
        self._asked.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            while not self._ending:
                self._asked.wait()
                self._asked.clear()
                self._fill()
        except BaseException as error:  # noqa: BLE001 - it is raised where the pass ends
            self._error = error

    def _fill(self) -> None:
        given = self._vectors.rest(self._pool, self._cancel, afresh=self._afresh)
        total = self._total
        self._total = Given(total.embedded + given.embedded, total.known + given.known, total.refused + given.refused)
