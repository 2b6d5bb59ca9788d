"""Vectors for what is written: before it is, where a reader would miss them, and after it for all that waits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING

from connote.embed import Embedder
from connote.errors import EmbedError
from connote.store import Entry, text_digest
from connote.store.catalog import Catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXTS_PER_BATCH = 512
_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 300.0
"""Seconds until a model that failed is asked again; they double."""
_log = logging.getLogger(__name__)


class Vectors:
    """Gives the catalog its vectors. Several threads may use it.

    A model that failed is left alone for a while, longer each time, unless somebody asks for a whole sync.
    """

    def __init__(self, catalog: Catalog, embedder: Callable[[], Embedder]) -> None:
        self._catalog = catalog
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

    def ahead(self, entries: Sequence[Entry], cancel: threading.Event | None) -> tuple[int, str | None]:
        """Store the vectors that the chunks of these entries need, before they are written.

        Returns how many were embedded, and why some could not be.
        """
        texts = {text_digest(text): text for entry in entries for text in entry.texts}
        known = self._catalog.with_vector(list(texts))
        return self._embed([(digest, text) for digest, text in texts.items() if digest not in known], cancel)

    def rest(self, cancel: threading.Event | None) -> int:
        """Embed the texts that wait for a vector. Returns how many; why the model refused is noted in the catalog."""
        count = 0
        with self._waiting:
            while not (cancel and cancel.is_set()):
                waiting = self._catalog.waiting(_TEXTS_PER_BATCH)
                if not waiting and self._pause and self._again <= time.monotonic():
                    self._worked()  # what it failed on is gone
                embedded, problem = self._embed(waiting, cancel)
                count += embedded
                if not waiting or problem is not None or embedded < len(waiting):
                    break
        return count

    def _embed(self, texts: Sequence[tuple[bytes, str]], cancel: threading.Event | None) -> tuple[int, str | None]:
        count = 0
        for start in range(0, len(texts), _TEXTS_PER_BATCH):
            batch = texts[start : start + _TEXTS_PER_BATCH]
            if self._again > time.monotonic():
                return count, str(self._catalog.get("embed_error") or "The model failed a moment ago.")
            try:
                vectors = _unless(cancel, partial(self._embedder().embed, [text for _, text in batch]))
            except EmbedError as error:
                self._failed(error)
                return count, str(error)
            if vectors is None:
                return count, "It was stopped."
            self._catalog.add_vectors([digest for digest, _ in batch], vectors)
            count += len(batch)
            self._worked()
        return count, None

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
    done: SimpleQueue[NDArray[np.float32] | BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            done.put(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            done.put(error)
        finally:
            ended.set()

    ended = threading.Event()
    threading.Thread(target=run, name="connote-embed", daemon=True).start()
    while not ended.wait(_LOOK):
        if cancel.is_set():
            return None
    result = done.get()
    if isinstance(result, BaseException):
        raise result
    return result


_LOOK = 0.05
"""Seconds between two looks at `cancel`, while a model is at work."""
