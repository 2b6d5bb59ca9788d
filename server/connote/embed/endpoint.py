"""Vectors from an endpoint: what to ask it, in which portions, and what to make of a refusal."""

from __future__ import annotations

import itertools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from connote.embed import Part
from connote.embed.address import address_of
from connote.embed.facts import Facts, Memory
from connote.embed.job import PROBE, Job, StoppedError
from connote.embed.openai import BusyError, Endpoint, Row, TextsError
from connote.embed.pace import Pace
from connote.embed.rows import unit
from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed import EmbedOptions

_TRIES = 4
"""Of a request that fails; one that is only put off is repeated for `_PATIENCE_SECONDS`."""
_PATIENCE_SECONDS = 120.0
_RETRY_SECONDS = 30.0
_QUESTION_SECONDS, _QUESTION_PAUSE = 10.0, 2.0
"""How long somebody who waits for an answer waits for the model, and for a pause that it asks for."""
_DOWN_SECONDS = 15.0
"""How long questions are not sent to an endpoint that did not answer one."""
_KEPT_QUESTIONS = 100


class EndpointEmbedder:
    """Any number of threads may use it. What it learns of the endpoint serves all of them, and the next process.

    The vector of a text depends on the text and the endpoint alone, whatever faults were met on the way.
    """

    def __init__(self, options: EmbedOptions, memory: Path | None = None) -> None:
        self._options = options
        self._endpoint = Endpoint(options)
        self._memory = Memory(memory, f"{self._place()}\n{options.model}\n{options.dimensions}")
        self._pace = Pace()
        self._confirmed = False
        """Whether an answer to this process had vectors of the length that is known."""
        self._doubtful = False
        """Whether answers were of another length in the end: then it may have another model, and the next job asks."""
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
        if self._doubtful:
            self._confirmed = self._doubtful = False
        job = Job(self, texts, cancel)
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
        self._confirmed = False
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
        return self._repeat(texts, stopped, patient, lambda rows: self._check(rows, stopped, patient))

    # Private

    def _repeat(
        self, texts: Sequence[str], stopped: Callable[[], bool], patient: bool, check: Callable[[list[Row]], None]
    ) -> list[Row]:
        facts = self._memory.facts
        seconds = self._options.timeout_seconds if patient else min(self._options.timeout_seconds, _QUESTION_SECONDS)
        began = self._pace.now()
        for tries in itertools.count(1):
            if not self._pace.wait(stopped):
                raise StoppedError("It was stopped.")
            asked = self._pace.now()
            try:
                rows = self._endpoint.ask(texts, facts, seconds)
                check(rows)
            except BusyError as error:
                pause = self._pace.slow(asked, error.retry_after)
                waited = self._pace.struggling if error.limited else asked - began
                tried = tries >= (1 if self._given_up else _TRIES) and not error.limited
                if tried or not patient or waited + pause > _PATIENCE_SECONDS:
                    self._given_up = True
                    if isinstance(error, _SizeError):
                        self._doubtful = True
                    again = max(error.retry_after or 0.0, _RETRY_SECONDS)
                    raise EmbedError(f"{error} connote tries again later.", again) from error
            except TextsError:
                self._well()
                raise
            else:
                self._well()
                return rows
        return []  # never: a request is repeated until it ends in one way or the other

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
        if self._memory.facts.native:
            return
        if not self._probing.acquire(timeout=-1 if patient else _QUESTION_PAUSE):
            raise EmbedError("The endpoint has not answered yet.")
        try:
            if not self._memory.facts.native:
                self._probe(stopped, patient)
        finally:
            self._probing.release()

    def _probe(self, stopped: Callable[[], bool], patient: bool) -> None:
        given = (True, False) if self._options.dimensions else (True,)
        forms = [(form, sends) for sends in given for form in ("float", "")]
        for place, (form, sends) in enumerate(forms):
            self._memory.learn(form=form, sends_dimensions=sends)
            try:
                row = self.send([PROBE], stopped, patient=patient)[0]
            except TextsError as error:
                if place == len(forms) - 1:
                    self._memory.learn(form="float", sends_dimensions=True)
                    raise EmbedError(str(error)) from error
            else:
                self._memory.learn(native=len(row))
                return

    def _check(self, rows: Sequence[Row], stopped: Callable[[], bool], patient: bool) -> None:
        """Refuse rows of other lengths than the endpoint's, before any of them gets anywhere."""
        wanted, native = self._options.dimensions, self._memory.facts.native
        sizes = {len(row) for row in rows}
        size = max(sizes)
        if native and sizes == {size} != {native} and not self._confirmed:
            # What is known no answer to this process has borne out. This one is paid for, and not sent for again.
            probe = self._repeat([PROBE], stopped, patient, lambda _: None)
            if len(probe[0]) == size:
                self._memory.learn(native=size)
                native = size
            self._confirmed = len(probe[0]) == native
        if len(sizes) > 1 or (native and size != native):
            raise _SizeError(
                f"The endpoint's vectors have {', '.join(map(str, sorted(sizes)))} dimensions where it gave "
                f"{native or 'one size'} before: if {self.name} is another model now, "
                "`connote index --rebuild` embeds everything anew."
            )
        if wanted and size < wanted:
            raise EmbedError(
                f"The endpoint's vectors have {size} dimensions, and embed.dimensions asks for {wanted}: "
                "set it to what the model gives, or to 0."
            )
        self._confirmed = bool(native)


class _SizeError(BusyError):
    """The vectors are not of the length that is known."""


def _never() -> bool:
    return False
