"""Texts to vectors: the embedded static model, or an endpoint that the user configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

from connote.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class EmbedOptions:
    """Which model makes the vectors."""

    provider: str = field(default="static", metadata={"choices": ("static", "openai"), "user_only": True})
    """`static` is the model inside connote: offline, no key. `openai` is any OpenAI-compatible endpoint."""
    base_url: str = field(default="", metadata={"user_only": True})
    """The endpoint, such as `http://localhost:11434/v1`; empty means OpenAI's own."""
    model: str = field(default="text-embedding-3-small", metadata={"user_only": True})
    """The endpoint's model."""
    dimensions: int = field(default=0, metadata={"minimum": 0, "maximum": 8192})
    """Length of the vectors to ask the endpoint for; 0 leaves it to the model."""
    batch_size: int = field(default=64, metadata={"minimum": 1, "maximum": 2048})
    """Texts sent to the endpoint in one request."""
    concurrency: int = field(default=2, metadata={"minimum": 1, "maximum": 64})
    """Requests under way at once."""
    api_key: str = field(default="", repr=False, metadata={"user_only": True, "secret": True})
    """The endpoint's key."""


class Embedder(Protocol):
    """A model. Vectors are rows of float32 with length 1."""

    name: str
    """For the status, such as `static`."""
    dimensions: int

    def fingerprint(self) -> str:
        """What identifies the vector space: equal fingerprints may share vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of `texts`: shape (len(texts), dimensions), order kept. Raises EmbedError alone."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question: shape (dimensions,). Raises EmbedError alone."""
        ...


def open_embedder(options: EmbedOptions) -> Embedder:
    """The model that `options` name. Nothing is sent anywhere yet. Raises ConfigError for an unknown provider."""
    if options.provider == "static":
        return _static()
    if options.provider == "openai":
        from connote.embed.openai import OpenAIEmbedder  # noqa: PLC0415 - most users never need the package

        return OpenAIEmbedder(options)
    raise ConfigError(f"embed.provider is {options.provider!r}; it can be 'static' or 'openai'.")


@cache
def _static() -> Embedder:
    # One for the process: many roots would each hold its 20 MB, and it learns words as it goes.
    from connote.embed.static import StaticEmbedder  # noqa: PLC0415 - numpy is imported only where vectors are made

    return StaticEmbedder()
