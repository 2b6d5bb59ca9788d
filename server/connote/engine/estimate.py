"""What a sync would do and what it would cost, without doing it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from connote.chunk import chunk_batch, contextualize
from connote.errors import ChunkingError
from connote.model import Document, SourceFile
from connote.store.catalog import text_digest
from connote.walk import read, walk

if TYPE_CHECKING:
    from connote.engine import Index

_CHARACTERS_PER_TOKEN = 3.5
"""Between prose (4) and dense code (3), over the tokenisers of common embedding models."""
_FILES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the next sync has to do."""

    files: int
    """Files that are new or whose content changed."""
    chunks: int
    """Chunks of these files."""
    texts: int
    """Different texts among them that have no vector yet."""
    tokens: int
    """About how many tokens these texts have."""


def estimate(index: Index, cancel: threading.Event | None = None) -> Estimate:
    """Read and cut what the next sync would, and count it. Nothing is written and nothing is sent anywhere.

    `cancel` ends it early, with what is counted so far. Raises ListingError when the root cannot be listed.
    """
    catalog = index._store.catalog  # noqa: SLF001 - one part of the engine asks another
    files = chunks = tokens = 0
    seen: set[bytes] = set()
    for batch in _batches(_changed(index, cancel)):
        for result in chunk_batch(batch, index.settings.chunk):
            if isinstance(result, ChunkingError):
                continue
            files += 1
            chunks += len(result)
            for text in map(contextualize, result):
                digest = text_digest(text)
                if digest not in seen and not catalog.reader().execute(_HAS_VECTOR, (digest,)).fetchone():
                    seen.add(digest)
                    tokens += round(len(text) / _CHARACTERS_PER_TOKEN)
    return Estimate(files, chunks, len(seen), tokens)


_HAS_VECTOR = "SELECT 1 FROM vectors WHERE digest = ?"


def _changed(index: Index, cancel: threading.Event | None) -> Iterator[tuple[str, str]]:
    known = index._store.catalog.files()  # noqa: SLF001 - as above
    for file in walk(index.root, index.settings.walk, cancel=cancel):
        record = known.get(file.path)
        if not isinstance(file, SourceFile) or (
            record is not None and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
        ):
            continue
        document = read(index.root, file, index.settings.walk)
        if isinstance(document, Document) and (record is None or record.digest != document.digest):
            yield document.path, document.text


def _batches(files: Iterator[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    for file in files:
        batch.append(file)
        if len(batch) == _FILES_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
