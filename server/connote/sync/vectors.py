"""Vectors for what is written: before it is, where a reader would miss them, and after it for all that waits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from connote.embed import Embedder
from connote.errors import EmbedError
from connote.store import Entry, packed, text_digest
from connote.store.cache import VectorCache
from connote.store.catalog import Catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXTS_PER_BATCH = 512
_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 300.0
"""Seconds until a model that failed is asked again; they double."""
_LOOK_SECONDS = 0.05
"""Between two looks at `cancel`, while a model is at work."""
_log = logging.getLogger(__name__)


class Given(NamedTuple):
    """How texts came to their vectors."""

    embedded: int = 0
    """Texts that the model embedded."""
    known: int = 0
    """Texts that this or another root had embedded before."""
    problem: str | None = None
    """Why some have none."""


class Vectors:
    """Gives the catalog its vectors. Several threads may use it.

    A model that failed is left alone for a while, longer each time, unless somebody asks for a whole sync.
    """

    def __init__(self, catalog: Catalog, cache: VectorCache, embedder: Callable[[], Embedder]) -> None:
        self._catalog = catalog
        self._cache = cache
        self._embedder = embedder
        self._waiting = threading.Lock()
        self._pause = 0.0
        self._again = 0.0

    @property
    def due_in(self) -> float | None:
        """Seconds until what failed should be tried again; None when nothing failed."""
        return max(0.0, self._again - time.monotonic()) if self._pause else None

    def insist(self) -> None:
        """Let the model be asked at once, though it failed a moment ago."""
        self._again = 0.0

    def ahead(self, entries: Sequence[Entry], cancel: threading.Event | None, *, afresh: bool = False) -> Given:
        """Store the vectors that the chunks of these entries need, before they are written."""
        texts = {text_digest(text): text for entry in entries for text in entry.texts}
        known = self._catalog.with_vector(list(texts))
        return self._give([(digest, text) for digest, text in texts.items() if digest not in known], cancel, afresh)

    def rest(self, cancel: threading.Event | None, *, afresh: bool = False) -> Given:
        """Give the texts that wait their vectors; why the model refused is noted in the catalog."""
        total = Given()
        with self._waiting:
            while not (cancel and cancel.is_set()):
                waiting = self._catalog.waiting(_TEXTS_PER_BATCH)
                if not waiting and self._pause and self._again <= time.monotonic():
                    self._worked()  # what it failed on is gone
                given = self._give(waiting, cancel, afresh)
                total = Given(total.embedded + given.embedded, total.known + given.known, given.problem)
                if not waiting or given.problem is not None or given.embedded + given.known < len(waiting):
                    break
        return total

    def _give(self, texts: Sequence[tuple[bytes, str]], cancel: threading.Event | None, afresh: bool) -> Given:
        embedded = known = 0
        for start in range(0, len(texts), _TEXTS_PER_BATCH):
            batch = dict(texts[start : start + _TEXTS_PER_BATCH])
            embedder = self._embedder()
            if not afresh:
                found = self._known(embedder, list(batch))
                if found:
                    self._catalog.add_vectors(list(found), list(found.values()))
                    known += len(found)
                    batch = {digest: text for digest, text in batch.items() if digest not in found}
            if not batch:
                continue
            if self._again > time.monotonic():
                problem = str(self._catalog.get("embed_error") or "The model failed a moment ago.")
                return Given(embedded, known, problem)
            try:
                vectors = _unless(cancel, partial(embedder.embed, list(batch.values())))
            except EmbedError as error:
                self._failed(error)
                return Given(embedded, known, str(error))
            if vectors is None:
                return Given(embedded, known, "It was stopped.")
            rows = packed(vectors)
            self._catalog.add_vectors(list(batch), rows)
            self._cache.keep(embedder.fingerprint(), list(batch), rows)
            embedded += len(batch)
            self._worked()
        return Given(embedded, known)

    def _known(self, embedder: Embedder, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """What any root has embedded with this model."""
        known = self._cache.find(embedder.fingerprint(), digests)
        # A model that is served under the name of another has vectors of another size, which must not mix.
        sizes = {len(vector) for vector in known.values()}
        if len(sizes) > 1 or (embedder.dimensions and sizes - {2 * embedder.dimensions}):
            return {}
        return known

    def _failed(self, error: EmbedError) -> None:
        _log.warning("%s", error)
        self._pause = min(max(2 * self._pause, error.retry_after or _FIRST_PAUSE), _LONGEST_PAUSE)
        self._again = time.monotonic() + self._pause
        self._catalog.set(embed_error=str(error), embed_again=time.time() + self._pause)

    def _worked(self) -> None:
        self._pause = self._again = 0.0
        if self._catalog.get("embed_error"):
            self._catalog.set(embed_error=None, embed_again=None)


def trouble(catalog: Catalog) -> str | None:
    """Why vectors are missing and when the model is asked again, in sentences; None when it is well."""
    error = catalog.get("embed_error")
    if not error:
        return None
    waiting = catalog.counts()["waiting"]
    what = f"{waiting} texts have no vector yet, words are searched alone" if waiting else "Vectors cannot be made"
    again = catalog.get("embed_again")
    seconds = round(again - time.time()) if isinstance(again, (int, float)) else 0
    when = f"It is tried again in {seconds} s." if seconds > 0 else "It is tried again with the next change."
    return f"{what}: {error} {when}"


def _unless(cancel: threading.Event | None, work: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32] | None:
    """Do the work, which cannot be stopped, in a thread that is left behind as soon as `cancel` is set."""
    if cancel is None:
        return work()
    if cancel.is_set():
        return None
    done: SimpleQueue[NDArray[np.float32] | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            done.put(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            done.put(error)

    threading.Thread(target=run, name="connote-embed", daemon=True).start()
    while True:
        try:
            result = done.get(timeout=_LOOK_SECONDS)
            break
        except Empty:
            if cancel.is_set():
                return None
    if isinstance(result, BaseException):
        raise result
    return result
