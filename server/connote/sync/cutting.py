"""Cutting documents and finding their words, and embedding texts: what worker processes do for a sync."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from connote.chunk import ChunkOptions, chunk, contextualize
from connote.chunk.pool import ChunkPool
from connote.embed import Embedder, Part
from connote.errors import ChunkingError
from connote.model import Chunk
from connote.store.terms import FileTerms, terms_of

_log = logging.getLogger(__name__)


class Cut(NamedTuple):
    """A document, cut."""

    chunks: list[Chunk]
    texts: list[str]
    """What is embedded for each chunk."""
    terms: FileTerms


def cut(path: str, text: str, options: ChunkOptions) -> Cut:
    """A document's chunks, and what the index needs to know of them. Raises ChunkingError."""
    return _known(chunk(path, text, options))


def _known(chunks: list[Chunk]) -> Cut:
    return Cut(chunks, [contextualize(one) for one in chunks], terms_of(chunks))


class CuttingPool(ChunkPool):
    """Workers whose results are `Cut`s, and one more that embeds."""

    module = "connote.sync.worker"

    def cuts(self, items: Iterator[tuple[str, str]]) -> Iterator[tuple[str, Cut | ChunkingError]]:
        """As `map`."""
        for path, result in self.map(items):
            if isinstance(result, ChunkingError):
                yield path, result
            else:
                # One that ended a worker was cut here.
                found = cast("list[Chunk] | Cut", result)
                yield path, found if isinstance(found, Cut) else _known(found)

    def parts(self, embedder: Embedder, texts: Sequence[str], cancel: threading.Event | None = None) -> Iterator[Part]:
        """As `Embedder.parts` of the model inside connote: its work would keep this process from answering anybody.

        Where the worker fails, `embedder`, which is that model here, does it.
        """
        try:
            rows = cast("bytes", self.ask("embed", texts))
        except ChunkingError as error:
            if cancel is None or not cancel.is_set():  # a pass that is cancelled ends its workers
                _log.warning("texts are embedded here, for %s", error)
                yield from embedder.parts(texts, cancel)
            return
        yield Part(range(len(texts)), np.frombuffer(rows, np.float32).reshape(len(texts), -1), {})
