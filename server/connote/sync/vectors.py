"""Vectors for what is written: before it is, where a reader would miss them, and after it for all that waits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import NamedTuple

from connote.embed import Embedder, Part
from connote.errors import EmbedError
from connote.store import Entry, packed, text_digest
from connote.store.cache import VectorCache
from connote.store.catalog import Catalog
from connote.sync.cutting import CuttingPool

_TEXTS_PER_BATCH = 512
_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 300.0
"""Seconds until a model that failed is asked again; they double."""
_REFUSED_TRIES = 3
_REFUSED_SECONDS, _LONGEST_REFUSED = 3600.0, 86_400.0
"""A text that was refused is sent with each whole sync so many times, then after hours that grow."""
_SHOWN_PATHS = 4
_LOOK_SECONDS = 0.05
"""Between two looks at `cancel`, while a model is at work."""
_log = logging.getLogger(__name__)


class Given(NamedTuple):
    """How texts came to their vectors."""

    embedded: int = 0
    """Texts that the model embedded."""
    known: int = 0
    """Texts that this or another root had embedded before."""
    refused: int = 0
    """Texts that the model takes in no form; words find their chunks."""
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
        """Let the model be asked at once, though it failed a moment ago or refused a text."""
        self._again = 0.0
        self._catalog.retry_refused(_REFUSED_TRIES)

    def portable(self) -> bool:
        """Whether another process can do what the model does."""
        return self._embedder().name == "static"

    def ahead(
        self,
        entries: Sequence[Entry],
        pool: CuttingPool | None,
        cancel: threading.Event | None,
        *,
        afresh: bool = False,
    ) -> Given:
        """Store the vectors that the chunks of these entries need, before they are written."""
        texts = {text_digest(text): text for entry in entries for text in entry.texts}
        known = self._catalog.with_vector(list(texts)) | self._catalog.refused(time.time()).keys()
        return self._give(
            [(digest, text) for digest, text in texts.items() if digest not in known], pool, cancel, afresh
        )

    def rest(self, pool: CuttingPool | None, cancel: threading.Event | None, *, afresh: bool = False) -> Given:
        """Give the texts that wait their vectors; why the model refused is noted in the catalog."""
        total = Given()
        with self._waiting:
            while not (cancel and cancel.is_set()):
                waiting = self._catalog.waiting(_TEXTS_PER_BATCH, time.time())
                if not waiting and self._pause and self._again <= time.monotonic():
                    self._worked()  # what it failed on is gone
                given = self._give(waiting, pool, cancel, afresh)
                total = Given(
                    total.embedded + given.embedded,
                    total.known + given.known,
                    total.refused + given.refused,
                    given.problem,
                )
                if not waiting or given.problem is not None:
                    break
        return total

    def _give(
        self,
        texts: Sequence[tuple[bytes, str]],
        pool: CuttingPool | None,
        cancel: threading.Event | None,
        afresh: bool,
    ) -> Given:
        embedded = known = refused = 0
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
                return Given(embedded, known, refused, problem)
            digests = list(batch)
            got = 0
            try:
                parts = partial(pool.parts, embedder) if pool else embedder.parts
                for part in _unless(cancel, partial(parts, list(batch.values()), cancel)):
                    self._keep(embedder, digests, part)
                    embedded += len(part.places)
                    refused += len(part.refused)
                    got += len(part.places) + len(part.refused)
            except EmbedError as error:
                self._failed(error)
                return Given(embedded, known, refused, str(error))
            if got < len(batch):
                return Given(embedded, known, refused, "It was stopped.")
            self._worked()
        return Given(embedded, known, refused)

    def _keep(self, embedder: Embedder, digests: Sequence[bytes], part: Part) -> None:
        """Store what came, at once: it may have been paid for."""
        if part.refused:
            reasons = {digests[place]: reason for place, reason in part.refused.items()}
            self._catalog.refuse(reasons, lambda tries: time.time() + min(_REFUSED_SECONDS * tries, _LONGEST_REFUSED))
        if not part.places:
            return
        there = self._catalog.dimensions()
        if there and there != part.vectors.shape[1]:
            raise EmbedError(
                f"The vectors of {embedder.name} have {part.vectors.shape[1]} dimensions, and those of this index "
                f"{there}: if it is another model now, `connote index --rebuild` embeds everything anew."
            )
        mine = [digests[place] for place in part.places]
        rows = packed(part.vectors)
        self._catalog.add_vectors(mine, rows)
        self._cache.keep(embedder.fingerprint(), mine, rows)

    def _known(self, embedder: Embedder, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """What any root has embedded with this model."""
        known = self._cache.find(embedder.fingerprint(), digests)
        # A model that is served under the name of another has vectors of another size, which must not mix.
        sizes = {len(vector) for vector in known.values()}
        for dimensions in (embedder.dimensions, self._catalog.dimensions()):
            if len(sizes) > 1 or (dimensions and sizes - {2 * dimensions}):
                return {}
        return known

    def _failed(self, error: EmbedError) -> None:
        _log.warning("%s", error)
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        # What the endpoint itself asks for may be longer.
        self._pause = min(max(self._pause, error.retry_after or 0.0), _LONGEST_REFUSED)
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
    waiting = catalog.counts()["waiting"] - len(catalog.refused())
    what = f"{_texts(waiting)} no vector yet, words are searched alone" if waiting > 0 else "Vectors cannot be made"
    again = catalog.get("embed_again")
    seconds = round(again - time.time()) if isinstance(again, (int, float)) else 0
    when = f"It is tried again in {seconds} s." if seconds > 0 else "It is tried again with the next change."
    return f"{what}: {error} {when}"


def refusals(catalog: Catalog) -> str | None:
    """Which texts the model takes in no form, and why, in sentences; None when there is none."""
    count, paths, reason = catalog.refused_in(_SHOWN_PATHS)
    if not count:
        return None
    where = ", ".join(paths[: _SHOWN_PATHS - 1]) + (" and others" if len(paths) == _SHOWN_PATHS else "")
    return f"{_texts(count)} no vector, and words alone find it: {reason} ({where})"


def _texts(count: int) -> str:
    return "1 text has" if count == 1 else f"{count} texts have"


def _unless(cancel: threading.Event | None, work: Callable[[], Iterator[Part]]) -> Iterator[Part]:
    """The parts of work that may take its time, from a thread that is left behind as soon as `cancel` is set."""
    if cancel is None:
        yield from work()
        return
    done: SimpleQueue[Part | BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            for part in work():
                done.put(part)
            done.put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            done.put(error)

    threading.Thread(target=run, name="connote-vectors", daemon=True).start()
    while not cancel.is_set():
        try:
            item = done.get(timeout=_LOOK_SECONDS)
        except Empty:
            continue
        if isinstance(item, BaseException):
            raise item
        if item is None:
            return
        yield item
