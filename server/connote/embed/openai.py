"""Vectors from an OpenAI-compatible endpoint: the only user of the openai package."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed import EmbedOptions

_TIMEOUT_SECONDS = 60.0
_RETRIES = 4


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
            answers = list(pool.map(self._ask, batches))
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

    def _ask(self, texts: list[str]) -> list[list[float]]:
        import openai  # noqa: PLC0415 - importing it costs a second that only its users should pay

        options = self._options
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
        except openai.RateLimitError as error:
            raise EmbedError("The endpoint refuses more requests for now; connote tries again later.", 30.0) from error
        except openai.APIStatusError as error:
            raise EmbedError(
                f"The endpoint answered {error.status_code}: check embed.model and embed.api_key."
            ) from error
        except openai.APIConnectionError as error:
            raise EmbedError(
                f"The endpoint cannot be reached: check embed.base_url ({options.base_url}).", 30.0
            ) from error
        ordered = sorted(answer.data, key=lambda item: item.index)
        if len(ordered) != len(texts):
            raise EmbedError(f"The endpoint answered {len(ordered)} vectors for {len(texts)} texts.")
        return [item.embedding for item in ordered]
