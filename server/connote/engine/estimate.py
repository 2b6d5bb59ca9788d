"""What a sync would do and what it would cost, without doing it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from connote.chunk import ChunkOptions, chunk_batch, contextualize
from connote.embed import about_tokens
from connote.engine.api import Estimate
from connote.errors import ChunkingError
from connote.model import Document, SourceFile
from connote.store import Store, text_digest
from connote.store.catalog import Catalog
from connote.sync.preparing import batches
from connote.walk import WalkOptions, read, walk

_FILES_AT_ONCE = 1000


def estimate(
    root: Path,
    store: Store,
    model: str,
    options: tuple[WalkOptions, ChunkOptions],
    cancel: threading.Event | None = None,
) -> Estimate:
    """As `Index.estimate`, for a root whose index is in `store`, with a model of this fingerprint."""
    walking, chunking = options
    catalog = store.catalog
    files = chunks = tokens = 0
    seen: set[bytes] = set()
    for batch in batches(_changed(root, walking, catalog, cancel), _FILES_AT_ONCE):
        lengths: dict[bytes, int] = {}
        for result in chunk_batch(batch, chunking):
            if isinstance(result, ChunkingError):
                continue
            files += 1
            chunks += len(result)
            lengths.update({text_digest(text): len(text) for text in map(contextualize, result)})
        new = lengths.keys() - seen - catalog.with_vector(list(lengths))
        new -= store.cache.find(model, list(new)).keys()
        seen |= new
        tokens += sum(about_tokens(lengths[digest]) for digest in new)
    return Estimate(files, chunks, len(seen), tokens)


def _changed(
    root: Path, walking: WalkOptions, catalog: Catalog, cancel: threading.Event | None
) -> Iterator[tuple[str, str]]:
    # Not a sync's plan: that takes the place of what older passes have read, and here nothing is written after it.
    known = catalog.files()
    for file in walk(root, walking, cancel=cancel):
        record = known.get(file.path)
        if not isinstance(file, SourceFile) or (
            record is not None and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
        ):
            continue
        document = read(root, file, walking)
        if isinstance(document, Document) and (record is None or record.digest != document.digest):
            yield document.path, document.text
