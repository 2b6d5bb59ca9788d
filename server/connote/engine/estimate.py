"""What a sync would do and what it would cost, without doing it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from connote.chunk import chunk_batch, contextualize
from connote.config import Settings
from connote.engine.api import Estimate
from connote.errors import ChunkingError
from connote.model import Document, SourceFile
from connote.store import Store, text_digest
from connote.store.catalog import Catalog
from connote.walk import read, walk

_CHARACTERS_PER_TOKEN = 3.5
"""Between prose (4) and dense code (3), over the tokenisers of common embedding models."""
_FILES_AT_ONCE = 1000


def estimate(
    root: Path, settings: Settings, store: Store, model: str, cancel: threading.Event | None = None
) -> Estimate:
    """As `Index.estimate`, for a root whose index is in `store`, with a model of this fingerprint."""
    catalog = store.catalog
    files = chunks = tokens = 0
    seen: set[bytes] = set()
    for batch in _batches(_changed(root, settings, catalog, cancel)):
        new: dict[bytes, int] = {}
        for result in chunk_batch(batch, settings.chunk):
            if isinstance(result, ChunkingError):
                continue
            files += 1
            chunks += len(result)
            for text in map(contextualize, result):
                digest = text_digest(text)
                if digest not in seen and not catalog.reader().execute(_HAS_VECTOR, (digest,)).fetchone():
                    new[digest] = round(len(text) / _CHARACTERS_PER_TOKEN)
        for digest in store.cache.find(model, list(new)):
            del new[digest]
        seen.update(new)
        tokens += sum(new.values())
    return Estimate(files, chunks, len(seen), tokens)


_HAS_VECTOR = "SELECT 1 FROM vectors WHERE digest = ?"


def _changed(
    root: Path, settings: Settings, catalog: Catalog, cancel: threading.Event | None
) -> Iterator[tuple[str, str]]:
    known = catalog.files()
    for file in walk(root, settings.walk, cancel=cancel):
        record = known.get(file.path)
        if not isinstance(file, SourceFile) or (
            record is not None and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
        ):
            continue
        document = read(root, file, settings.walk)
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
