"""Texts to vectors: the embedded model, an endpoint that the user configured, or a model in a folder of theirs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from connote.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROVIDERS = ("static", "openai", "onnx")
_CHARACTERS_PER_TOKEN = 3.5
"""Between prose (4) and dense code (3), over the tokenisers of common embedding models."""


@dataclass(frozen=True)
class EmbedOptions:
    """Which model makes the vectors."""

    provider: str = field(default="static", metadata={"choices": PROVIDERS, "user_only": True})
    """`static` is the model inside connote: offline, no key. `openai` is any OpenAI-compatible endpoint. `onnx` is a
    model in a folder on this machine, which `pip install 'connote[onnx]'` can run."""
    base_url: str = field(default="", metadata={"user_only": True})
    """The endpoint, such as `http://localhost:11434/v1`; empty means OpenAI's own. A bare host gets `/v1`, a trailing
    `/embeddings` is no harm; Azure's form with a deployment and `?api-version=…` is known."""
    model: str = field(default="text-embedding-3-small", metadata={"user_only": True})
    """The endpoint's model; for `onnx` the path of the model's folder."""
    dimensions: int = field(default=0, metadata={"minimum": 0, "maximum": 8192})
    """Length of the vectors to ask for; 0 leaves it to the model. Longer ones are cut to it, which only models that
    were made for it bear well."""
    query_prefix: str = field(default="", metadata={"user_only": True})
    """What a model wants before a question, such as `search_query: `."""
    document_prefix: str = field(default="", metadata={"user_only": True})
    """What a model wants before a text that is searched, such as `search_document: `. A change is another index."""
    batch_size: int = field(default=64, metadata={"minimum": 1, "maximum": 2048})
    """The most texts in one request; an endpoint that takes fewer is noticed."""
    batch_tokens: int = field(default=100_000, metadata={"minimum": 1, "maximum": 10_000_000})
    """About the most tokens in one request."""
    concurrency: int = field(default=2, metadata={"minimum": 1, "maximum": 64})
    """Requests under way at once."""
    timeout_seconds: float = field(default=60.0, metadata={"minimum": 0.1, "maximum": 3600.0})
    """How long a request may take; a question waits for its vector 10 seconds at most."""
    api_key: str = field(default="", repr=False, metadata={"user_only": True, "secret": True})
    """The endpoint's key. For OpenAI's own endpoint `OPENAI_API_KEY` is taken where this is empty."""
    api_key_command: str = field(default="", metadata={"user_only": True})
    """A command that prints the key, such as `pass show openai`: run without a shell when the key is first needed, and
    again when the endpoint refuses it."""
    headers: tuple[str, ...] = field(default=(), repr=False, metadata={"user_only": True, "secret": True})
    """More headers for the endpoint, each as `Name: value`."""
    proxy: str = field(default="", repr=False, metadata={"user_only": True, "secret": True})
    """The proxy to the endpoint; empty means the environment's (`HTTPS_PROXY` and the like)."""
    ca_file: str = field(default="", metadata={"user_only": True})
    """A PEM file of certificates to trust instead of the usual ones."""
    price: float = field(default=0.0, metadata={"minimum": 0.0, "maximum": 1_000_000.0, "user_only": True})
    """What a million tokens cost at the endpoint, in any currency: `connote index --dry-run` multiplies by it."""


class Part(NamedTuple):
    """Some of the texts' vectors, as they come."""

    places: Sequence[int]
    """Which texts, by their places among those that were given."""
    vectors: NDArray[np.float32]
    """Rows of length 1, one a place."""
    refused: Mapping[int, str]
    """Texts that the model takes in no form, by place, each with the reason."""


class Embedder(Protocol):
    """A model. Vectors are rows of float32 with length 1."""

    name: str
    """For the status, such as `static`."""

    @property
    def dimensions(self) -> int:
        """Length of the vectors; 0 while it is not known."""
        ...

    @property
    def note(self) -> str | None:
        """What it is waiting for at the moment, in a sentence for the status."""
        ...

    def fingerprint(self) -> str:
        """What identifies the vector space: equal fingerprints may share vectors. Nothing is sent anywhere for it."""
        ...

    def parts(self, texts: Sequence[str], cancel: threading.Event | None = None) -> Iterator[Part]:
        """The vectors of `texts` as they come, in any order, each text once; ends early when `cancel` is set.

        Raises EmbedError alone, after all that was got.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question: shape (dimensions,). Raises EmbedError alone."""
        ...

    def forget(self) -> None:
        """Learn anew what was learned of the model, because it may be another one under the same name."""
        ...

    def close(self) -> None:
        """Let go of connections. The model can be used again all the same."""
        ...


def open_embedder(options: EmbedOptions, memory: Path | None = None) -> Embedder:
    """The model that `options` name. Nothing is sent anywhere yet, and nothing loaded that is large.

    `memory` is the folder where what is learned of an endpoint is kept. Raises ConfigError for an unknown provider.
    """
    if options.provider == "static":
        return _static()
    if options.provider == "openai":
        from connote.embed.endpoint import EndpointEmbedder  # noqa: PLC0415 - most users never need it

        return EndpointEmbedder(options, memory)
    if options.provider == "onnx":
        from connote.embed.onnx import OnnxEmbedder  # noqa: PLC0415 - as above

        return OnnxEmbedder(options)
    raise ConfigError(f"embed.provider is {options.provider!r}; it can be {', '.join(map(repr, PROVIDERS))}.")


def about_tokens(characters: int) -> int:
    """About how many tokens a text of so many characters has."""
    return round(characters / _CHARACTERS_PER_TOKEN)


@cache
def _static() -> Embedder:
    # One for the process: many roots would each hold its 20 MB, and it learns words as it goes.
    from connote.embed.static import StaticEmbedder  # noqa: PLC0415 - numpy is imported only where vectors are made

    return StaticEmbedder()
