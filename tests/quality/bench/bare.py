"""The parts that a full index is made of, each alone in a process of its own: walk and chunk, encode, Chroma upsert."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def walk_and_chunk(root: Path, workers: int) -> tuple[float, float, list[str]]:
    """Seconds and seconds of CPU to walk, read and cut, here or with workers; the texts to embed."""
    from connote.chunk import ChunkPool, chunk, contextualize
    from connote.model import Document, SourceFile
    from connote.walk import WalkOptions, read, walk

    def documents() -> Iterator[tuple[str, str]]:
        for item in walk(root, WalkOptions()):
            document = read(root, item, WalkOptions()) if isinstance(item, SourceFile) else None
            if isinstance(document, Document):
                yield document.path, document.text

    began = time.perf_counter()
    if workers:
        with ChunkPool(workers) as pool:
            cut = [chunks for _, chunks in pool.map(documents()) if isinstance(chunks, list)]
    else:
        cut = [chunk(path, text) for path, text in documents()]
    seconds = time.perf_counter() - began
    return seconds, cpu(), list(dict.fromkeys(contextualize(one) for chunks in cut for one in chunks))


def encode_and_upsert(texts: list[str]) -> tuple[float, float, float, float]:
    """Seconds and seconds of CPU to encode the texts, and to upsert their vectors into a new Chroma collection."""
    import chromadb

    from connote.embed import EmbedOptions, open_embedder

    model = open_embedder(EmbedOptions())
    model.embed(["warm"])
    began, before = time.perf_counter(), cpu()
    vectors = model.embed(texts)
    encoded, encoding = time.perf_counter() - began, cpu() - before
    with tempfile.TemporaryDirectory() as folder:
        settings = chromadb.config.Settings(_env_file=None, anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=folder, settings=settings)
        collection = client.create_collection(
            "bare",
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_construction": 100, "max_neighbors": 16}},
        )
        began, before = time.perf_counter(), cpu()
        for start in range(0, len(texts), 1000):
            ids = [str(number) for number in range(start, min(start + 1000, len(texts)))]
            collection.upsert(ids, embeddings=vectors[start : start + 1000])
        return encoded, encoding, time.perf_counter() - began, cpu() - before


def cpu() -> float:
    """Seconds of CPU that this process has used, and its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def alone(work: Callable[..., Any], *arguments: object) -> Any:
    """Do the work in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)
