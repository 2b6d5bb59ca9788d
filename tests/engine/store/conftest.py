"""A store with synthetic vectors on real Chroma, made once and copied, and an exhaustive look at what it holds."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from connote.model import Chunk, Document
from connote.store import Budgets, Entry, Filter, Store, StoreOptions, text_digest

COUNT = 1300
"""Chroma writes its graph to disk after 1,000 vectors; below that, damaged files could not be told from none."""
PER_FILE = 50


def _vector(text: str) -> np.ndarray:
    random = np.random.default_rng(zlib.crc32(text.encode()))
    vector = random.standard_normal(32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _fill(store: Store, texts: Sequence[str]) -> None:
    """Write texts as chunks of files of 50, with their vectors; Chroma is told nothing."""
    entries = []
    for start in range(0, len(texts), PER_FILE):
        part = texts[start : start + PER_FILE]
        path = f"{text_digest(part[0]).hex()}.txt"
        chunks = [Chunk(path, n, text, n, n + 1, n + 1, n + 1, None, None, None) for n, text in enumerate(part)]
        entries.append(Entry(Document(path, "", text_digest(path)), None, chunks, part))
    store.catalog.replace(entries)
    waiting = store.catalog.waiting(10**6)
    if waiting:
        store.catalog.add_vectors([digest for digest, _ in waiting], np.array([_vector(text) for _, text in waiting]))


@pytest.fixture
def vector() -> Callable[[str], np.ndarray]:
    return _vector


@pytest.fixture
def fill() -> Callable[[Store, Sequence[str]], None]:
    return _fill


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return [f"text number {number}" for number in range(COUNT)]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Path:
    folder = tmp_path_factory.mktemp("template") / "index"
    store = Store(folder)
    _fill(store, texts)
    assert store.flush()
    store.close()
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """The folder of an index that was closed in order, filled with the `texts`."""
    shutil.copytree(template, tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def open_store() -> Iterator[Callable[..., Store]]:
    """A function that opens a store and sees that it is closed."""
    stores = []

    def open_one(folder: Path, options: StoreOptions | None = None, budgets: Budgets | None = None) -> Store:
        store = Store(folder, options, budgets)
        stores.append(store)
        return store

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def is_found() -> Callable[[Store, str], bool]:
    """A function that says whether a text is the nearest to its own vector, by whatever way the store answers."""

    def ask(store: Store, text: str) -> bool:
        (chunk,) = store.lookup.of_digests([text_digest(text)])
        return chunk in store.nearest(_vector(text), 3, Filter())

    return ask


@pytest.fixture
def lost() -> Callable[[Store, Sequence[str]], tuple[int, int, int]]:
    """A function that brings Chroma up to date and asks it for every text by its own vector.

    It tells how many vectors are damaged or gone, how many are not found, and how many there are besides them.
    """

    def look(store: Store, texts: Sequence[str]) -> tuple[int, int, int]:
        assert store.flush(), store.trouble
        store.warm()
        digests = [text_digest(text) for text in texts]
        rows = [_vector(text).astype("<f2").tobytes() for text in texts]
        vectors = store.chroma._vectors
        assert vectors is not None
        return *vectors.probe(digests, rows), len(vectors.digests() - set(digests))

    return look
