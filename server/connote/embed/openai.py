"""Vectors from an OpenAI-compatible endpoint: the only user of the openai package."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed import EmbedOptions

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 60.0
_RETRIES = 4
_UNREADABLE = frozenset((400, 413, 422))
"""What an endpoint answers to a text that it cannot take: mostly one that is too long."""
_SHORTEST = 500
"""Characters. A model that refuses so short a text refuses it for another reason than its length."""


class _RefusedError(EmbedError):
    """The endpoint refuses these texts; perhaps only one of them."""


class OpenAIEmbedder:
    """Asks the endpoint in batches; the package itself retries 429, 5xx and lost connections with back-off."""

    def __init__(self, options: EmbedOptions) -> None:
        self._options = options
        self.name = options.model
        self.dimensions = options.dimensions

    def fingerprint(self) -> str:
        """The endpoint, the model and the dimensions asked for."""
        return f"openai-{self._options.base_url}-{self._options.model}-{self._options.dimensions}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of `texts`: shape (len(texts), dimensions), rows of length 1.

        Raises EmbedError when the endpoint refuses, cannot be reached, or answers with vectors of unequal sizes.
        """
        size = self._options.batch_size
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        with ThreadPoolExecutor(self._options.concurrency, "embed") as pool:
            answers = list(pool.map(self._answer, batches))
        rows = [row for answer in answers for row in answer]
        sizes = {len(row) for row in rows}
        if len(sizes) > 1 or (self.dimensions and sizes and sizes != {self.dimensions}):
            raise EmbedError(
                f"The endpoint's vectors have {sorted(sizes)} dimensions where {self.dimensions or 'one size'} was "
                "expected; set embed.dimensions to what the model gives."
            )
        vectors = np.asarray(rows, np.float32).reshape(len(rows), -1)
        if not np.isfinite(vectors).all():
            raise EmbedError("The endpoint's vectors hold values that are no numbers; try another model.")
        if rows:
            self.dimensions = vectors.shape[1]
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors / np.maximum(length, np.float32(1e-9))
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question: shape (dimensions,), length 1. Raises EmbedError as `embed` does."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def _answer(self, texts: list[str]) -> list[list[float]]:
        """The vectors of a batch; one text that the model cannot take costs the others nothing."""
        try:
            return self._ask(texts)
        except _RefusedError:
            if len(texts) == 1 and len(texts[0]) <= _SHORTEST:
                raise
            # A short word shows whether the texts are refused, or the model, the key or the dimensions.
            self._ask(["text"])
            return self._one_by_one(texts)

    def _one_by_one(self, texts: list[str]) -> list[list[float]]:
        try:
            return self._ask(texts)
        except _RefusedError:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._one_by_one(texts[:middle]) + self._one_by_one(texts[middle:])
            if len(texts[0]) <= _SHORTEST:
                raise
            _log.info("The endpoint refuses a text of %d characters: its first half is embedded.", len(texts[0]))
            return self._one_by_one([texts[0][: len(texts[0]) // 2]])

    def _ask(self, texts: list[str]) -> list[list[float]]:
        import openai  # noqa: PLC0415 - importing it costs a second that only its users should pay

        options = self._options
        where = options.base_url or "OpenAI's own"
        try:
            # Without a key local endpoints still want the header; the real service refuses and says why.
            with openai.OpenAI(
                api_key=options.api_key or "none",
                base_url=options.base_url or None,
                timeout=_TIMEOUT_SECONDS,
                max_retries=_RETRIES,
            ) as client:
                answer = client.embeddings.create(
                    input=texts,
                    model=options.model,
                    dimensions=options.dimensions or openai.omit,
                    encoding_format="float",
                )
            ordered = sorted(answer.data, key=lambda item: item.index)
        except openai.RateLimitError as error:
            raise EmbedError("The endpoint refuses more requests for now; connote tries again later.", 30.0) from error
        except openai.APIStatusError as error:
            problem = _RefusedError if error.status_code in _UNREADABLE else EmbedError
            raise problem(f"The endpoint answered {error.status_code}: check embed.model and embed.api_key.") from error
        except openai.APIConnectionError as error:
            raise EmbedError(f"The endpoint cannot be reached: check embed.base_url ({where}).", 30.0) from error
        except (openai.APIError, ValueError, TypeError, AttributeError) as error:
            # It says yes and sends what is no list of vectors: an error page, or another kind of service.
            raise EmbedError(f"The endpoint's answer is not readable: check embed.base_url ({where}).", 30.0) from error
        if len(ordered) != len(texts):
            raise EmbedError(f"The endpoint answered {len(ordered)} vectors for {len(texts)} texts.")
        return [item.embedding for item in ordered]
