"""Many texts for an endpoint: sent in portions by several threads, and taken apart where some are refused."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from connote.embed import Part
from connote.embed.openai import Row, TextsError
from connote.embed.portions import divided, pieces, portion
from connote.embed.rows import mean, unit
from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed.endpoint import EndpointEmbedder

PROBE = "connote"
"""A text that every model takes: who refuses it refuses more than a text."""
_NOTHING = Part([], np.empty((0, 0), np.float32), {})
_log = logging.getLogger(__name__)


class StoppedError(EmbedError):
    """Nobody wants the vectors any more."""


class Job:
    """The texts of one call, and the threads that send them."""

    def __init__(self, embedder: EndpointEmbedder, texts: Sequence[str], cancel: threading.Event | None) -> None:
        self._embedder = embedder
        self._options = embedder.options
        self._texts = texts
        self._cancel = cancel
        self._stop = threading.Event()
        self._left = list(range(len(texts)))[::-1]
        self._taking = threading.Lock()
        self._done: SimpleQueue[Part | EmbedError | BaseException | None] = SimpleQueue()
        self._size = 0
        self._controlled = False
        self._taught = False

    def stopped(self) -> bool:
        """Whether nothing more shall be sent."""
        return self._stop.is_set() or (self._cancel is not None and self._cancel.is_set())

    def stop(self) -> None:
        """Send nothing more."""
        self._stop.set()

    def run(self) -> Iterator[Part]:
        """The parts as they come; what is under way when one fails still comes, before the failure is raised."""
        workers = 0
        failure: BaseException | None = None
        while True:
            # The first portion goes alone: what it teaches, such as the most texts at once, spares the others.
            wanted = 0 if failure or self.stopped() else self._options.concurrency if self._taught else 1
            while workers < wanted and self._left:
                workers += 1
                threading.Thread(target=self._work, name="connote-embed", daemon=True).start()
            if not workers:
                break
            item = self._done.get()
            if isinstance(item, Part):
                if item.places or item.refused:
                    yield item
            elif item is None:
                workers -= 1
            elif failure is None or isinstance(failure, StoppedError):
                failure = item
                self.stop()
        if failure is not None and not isinstance(failure, StoppedError):
            raise failure

    # In the threads

    def _work(self) -> None:
        try:
            while not self.stopped() and (places := self._take()):
                self._resolve(places)
                if not self._taught:
                    self._taught = True
                    self._done.put(_NOTHING)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._done.put(error)
        finally:
            self._done.put(None)

    def _take(self) -> list[int]:
        """The next texts that go into one request."""
        facts = self._embedder.memory.facts
        with self._taking:
            lengths = [len(self._texts[place]) for place in reversed(self._left[-self._options.batch_size :])]
            count = portion(lengths, facts, self._options)
            taken = self._left[len(self._left) - count :][::-1]
            del self._left[len(self._left) - count :]
        return taken

    def _send(self, texts: Sequence[str]) -> list[Row]:
        return self._embedder.send([self._options.document_prefix + text for text in texts], self.stopped)

    def _put(self, places: Sequence[int], vectors: Sequence[NDArray[np.float32]]) -> None:
        if not places:
            return
        with self._taking:
            self._size = self._size or len(vectors[0])
        if len(vectors[0]) != self._size:
            # Another job may just have learned that there is another model now: this one does not mix the two.
            raise EmbedError("The endpoint's vectors are of another length than they were a moment ago.", 1.0)
        self._done.put(Part(list(places), np.stack(vectors), {}))

    def _refuse(self, place: int, reason: str) -> None:
        _log.info("The model refuses a text of %d characters: %s", len(self._texts[place]), reason)
        self._done.put(_NOTHING._replace(refused={place: reason}))

    def _resolve(self, places: list[int]) -> bool:
        """Get the vectors of these texts; returns whether the endpoint refused one of them for itself."""
        if len(places) == 1:
            return self._one(places[0])
        most = self._embedder.memory.facts.most
        if most and len(places) > most:
            # Another portion has found out meanwhile how many go at once.
            groups = [places[start : start + most] for start in range(0, len(places), most)]
            return self._resolve_all(groups)
        try:
            rows = self._send([self._texts[place] for place in places])
        except TextsError as error:
            return self._divide(places, error)
        vectors = [unit(row, self._options.dimensions) for row in rows]
        good = [(place, vector) for place, vector in zip(places, vectors, strict=True) if vector is not None]
        self._put([place for place, _ in good], [vector for _, vector in good])
        for place, vector in zip(places, vectors, strict=True):
            if vector is None:
                self._one(place)
        return False

    def _resolve_all(self, groups: Sequence[list[int]]) -> bool:
        blamed = False
        for group in groups:
            blamed |= self._resolve(group)
        return blamed

    def _divide(self, places: list[int], error: TextsError) -> bool:
        """Ask for fewer texts at once, so that one which is refused costs the others nothing."""
        lengths = {place: len(self._texts[place]) for place in places}
        groups = divided(places, lengths, too_long=error.too_long, tokens=error.tokens)
        blamed = self._resolve_all(groups)
        size = max(map(len, groups))
        memory = self._embedder.memory
        if not blamed and (not memory.facts.most or memory.facts.most > size):
            # Each text was taken, so there were too many of them.
            memory.learn(most=size)
        return blamed

    def _one(self, place: int) -> bool:
        """Get the vector of one text, if need be from pieces of it; returns whether the endpoint refused it."""
        text = self._texts[place]
        try:
            vector, reason = self._whole(text)
        except TextsError as error:
            self._control()
            if error.too_long:
                longest = self._embedder.memory.facts.longest
                self._embedder.memory.learn(
                    longest=min(len(text), longest or len(text)),
                    tokens=error.tokens or self._embedder.memory.facts.tokens,
                )
            vector, reason = self._in_pieces(text, error.tokens), str(error)
            if vector is None:
                self._refuse(place, reason)
            else:
                self._put([place], [vector])
            return True
        if vector is None:
            self._refuse(place, reason)
        else:
            self._put([place], [vector])
        return False

    def _whole(self, text: str) -> tuple[NDArray[np.float32] | None, str]:
        """The vector of a text in one piece, or why there is none. Raises TextsError when it is refused twice."""
        try:
            rows = self._send([text])
        except TextsError as error:
            if error.too_long:
                raise
            rows = self._send([text])
        vector = unit(rows[0], self._options.dimensions)
        if vector is None:
            vector = unit(self._send([text])[0], self._options.dimensions)
        return vector, "The model answers with what is no vector."

    def _in_pieces(self, text: str, tokens: int) -> NDArray[np.float32] | None:
        """The mean of the vectors of a text's pieces, so that none of it is lost; None where they are refused too."""
        parts = pieces(text, tokens)
        if not parts:
            return None
        try:
            vectors = [unit(row, self._options.dimensions) for row in self._send(parts)]
        except TextsError:
            vectors = []
            for part in parts:
                try:
                    vectors.append(unit(self._send([part])[0], self._options.dimensions))
                except TextsError:
                    vectors.append(self._in_pieces(part, 0))
        if any(vector is None for vector in vectors):
            return None
        return mean([vector for vector in vectors if vector is not None], [len(part) for part in parts])

    def _control(self) -> None:
        """Make sure, once, that it is a text which is refused, and not each one. Raises EmbedError."""
        if self._controlled:
            return
        try:
            self._send([PROBE])
        except TextsError as error:
            raise EmbedError(str(error)) from error
        self._controlled = True
