"""Vectors from an endpoint: what to ask it, in which portions, and what to make of a refusal."""

from __future__ import annotations

import itertools
import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from connote.embed import Part
from connote.embed.address import address_of
from connote.embed.facts import Facts, Memory
from connote.embed.openai import BusyError, Endpoint, Row, TextsError
from connote.embed.pace import Pace
from connote.embed.portions import divided, pieces, portion
from connote.embed.rows import mean, unit
from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed import EmbedOptions

_log = logging.getLogger(__name__)
_PROBE = "connote"
"""A text that every model takes: who refuses it refuses more than a text."""
_TRIES = 4
"""Of a request that fails; one that is only put off is repeated for `_PATIENCE_SECONDS`."""
_PATIENCE_SECONDS = 120.0
_RETRY_SECONDS = 30.0
_QUESTION_SECONDS, _QUESTION_PAUSE = 10.0, 2.0
"""How long somebody who waits for an answer waits for the model, and for a pause that it asks for."""
_DOWN_SECONDS = 15.0
"""How long questions are not sent to an endpoint that did not answer one."""
_KEPT_QUESTIONS = 100
_NOTHING = Part([], np.empty((0, 0), np.float32), {})


class EndpointEmbedder:
    """Any number of threads may use it. What it learns of the endpoint serves all of them, and the next process.

    The vector of a text depends on the text and the endpoint alone, whatever faults were met on the way.
    """

    def __init__(self, options: EmbedOptions, memory: Path | None = None) -> None:
        self._options = options
        self._endpoint = Endpoint(options)
        self._memory = Memory(memory, f"{self._place()}\n{options.model}\n{options.dimensions}")
        self._pace = Pace()
        self._given_up = False
        """Whether the last request failed for good: then the next one is tried once, so that words wait for nothing."""
        self._probing = threading.Lock()
        self._asking = threading.Lock()
        self._questions: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._down: tuple[float, EmbedError | None] = (0.0, None)
        self.name = options.model

    @property
    def dimensions(self) -> int:
        """As `Embedder.dimensions`."""
        native = self._memory.facts.native
        return min(native, self._options.dimensions or native)

    @property
    def note(self) -> str | None:
        """As `Embedder.note`."""
        pause = self._pace.pause
        return f"The endpoint is asked again in {math.ceil(pause)} s." if pause >= 1 else None

    def fingerprint(self) -> str:
        """The endpoint, the model, the dimensions asked for, and what is put before a text."""
        options = self._options
        return f"openai-{(self._place(), options.model, options.dimensions, options.document_prefix)!r}"

    def parts(self, texts: Sequence[str], cancel: threading.Event | None = None) -> Iterator[Part]:
        """As `Embedder.parts`: each answer as it comes, so that none that is paid for is lost."""
        if not texts or (cancel is not None and cancel.is_set()):
            return
        job = _Job(self, texts, cancel)
        try:
            self._learn(job.stopped)
            yield from job.run()
        except StoppedError:
            return
        finally:
            job.stop()

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """As `Embedder.embed_query`: soon or never, for words answer meanwhile. The same question is sent once."""
        with self._asking:
            kept, (until, why) = self._questions.get(text), self._down
        if kept is not None:
            return kept
        if why is not None and self._pace.now() < until:
            raise EmbedError(str(why), why.retry_after)
        try:
            vector = self._question(text)
        except TextsError as error:
            raise EmbedError(f"The endpoint refuses the question. {error}") from error
        except EmbedError as error:
            with self._asking:
                self._down = (self._pace.now() + _DOWN_SECONDS, error)
            raise
        with self._asking:
            self._down = (0.0, None)
            self._questions[text] = vector
            if len(self._questions) > _KEPT_QUESTIONS:
                self._questions.popitem(last=False)
        return vector

    def _question(self, text: str) -> NDArray[np.float32]:
        if self._pace.pause > _QUESTION_PAUSE:
            raise EmbedError("The endpoint refuses more requests for now.", self._pace.pause)
        self._learn(_never, patient=False)
        row = self.send([self._options.query_prefix + text], _never, patient=False)[0]
        vector = unit(row, self._options.dimensions)
        if vector is None:
            raise EmbedError("The endpoint gives no vector for this question.")
        return vector

    def forget(self) -> None:
        """As `Embedder.forget`."""
        with self._asking:
            self._questions.clear()
        self._memory.learn(**vars(Facts()))

    def close(self) -> None:
        """As `Embedder.close`."""
        self._endpoint.close()

    # For a job

    @property
    def options(self) -> EmbedOptions:
        """As given."""
        return self._options

    @property
    def memory(self) -> Memory:
        """What is known of the endpoint."""
        return self._memory

    def send(self, texts: Sequence[str], stopped: Callable[[], bool], *, patient: bool = True) -> list[Row]:
        """The endpoint's rows for these texts, all of one length; what fails is tried again for a while.

        Raises EmbedError, of which TextsError is about the texts.
        """
        facts = self._memory.facts
        seconds = self._options.timeout_seconds
        began = self._pace.now()
        for tries in itertools.count(1):
            if not self._pace.wait(stopped):
                raise StoppedError("It was stopped.")
            asked = self._pace.now()
            try:
                rows = self._endpoint.ask(texts, facts, seconds if patient else min(seconds, _QUESTION_SECONDS))
                self._check(rows, facts)
            except BusyError as error:
                pause = self._pace.slow(asked, error.retry_after)
                waited = self._pace.struggling if error.limited else asked - began
                tried = tries >= (1 if self._given_up else _TRIES) and not error.limited
                if tried or not patient or waited + pause > _PATIENCE_SECONDS:
                    self._given_up = True
                    if isinstance(error, _SizeError):
                        # What it gave first was wrong, or it has another model now: the next try finds out.
                        self._memory.learn(native=0)
                    again = max(error.retry_after or 0.0, _RETRY_SECONDS)
                    raise EmbedError(f"{error} connote tries again later.", again) from error
            except TextsError:
                self._well()
                raise
            else:
                self._well()
                return rows
        return []  # never: a request is repeated until it ends in one way or the other

    # Private

    def _well(self) -> None:
        self._pace.fine()
        self._given_up = False

    def _place(self) -> str:
        try:
            address = address_of(self._options.base_url, self._options.model)
        except EmbedError:
            return self._options.base_url  # refused when something is sent
        return address.url

    def _learn(self, stopped: Callable[[], bool], *, patient: bool = True) -> None:
        """Find out, with a text that every model takes, how the endpoint wants to be asked and what it gives."""
        with self._probing:
            if self._memory.facts.native:
                return
            given = (True, False) if self._options.dimensions else (True,)
            forms = [(form, sends) for sends in given for form in ("float", "")]
            for place, (form, sends) in enumerate(forms):
                self._memory.learn(form=form, sends_dimensions=sends)
                try:
                    row = self.send([_PROBE], stopped, patient=patient)[0]
                except TextsError as error:
                    if place == len(forms) - 1:
                        self._memory.learn(form="float", sends_dimensions=True)
                        raise EmbedError(str(error)) from error
                else:
                    self._memory.learn(native=len(row))
                    return

    def _check(self, rows: Sequence[Row], facts: Facts) -> None:
        """Refuse rows of other lengths than the endpoint's, before any of them gets anywhere."""
        wanted = self._options.dimensions
        sizes = {len(row) for row in rows}
        if len(sizes) > 1 or (facts.native and sizes != {facts.native}):
            raise _SizeError(
                f"The endpoint's vectors have {', '.join(map(str, sorted(sizes)))} dimensions where it gave "
                f"{facts.native or 'one size'} before: if {self.name} is another model now, "
                "`connote index --rebuild` embeds everything anew."
            )
        if wanted and min(sizes, default=wanted) < wanted:
            raise EmbedError(
                f"The endpoint's vectors have {min(sizes)} dimensions, and embed.dimensions asks for {wanted}: "
                "set it to what the model gives, or to 0."
            )


class _SizeError(BusyError):
    """The vectors are not of the length that is known."""


class StoppedError(EmbedError):
    """Nobody wants the vectors any more."""


def _never() -> bool:
    return False


class _Job:
    """The texts of one call of `parts`, and the threads that send them."""

    def __init__(self, embedder: EndpointEmbedder, texts: Sequence[str], cancel: threading.Event | None) -> None:
        self._embedder = embedder
        self._options = embedder.options
        self._texts = texts
        self._cancel = cancel
        self._stop = threading.Event()
        self._left = list(range(len(texts)))[::-1]
        self._taking = threading.Lock()
        self._done: SimpleQueue[Part | EmbedError | BaseException | None] = SimpleQueue()
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
        if places:
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
            self._send([_PROBE])
        except TextsError as error:
            raise EmbedError(str(error)) from error
        self._controlled = True
