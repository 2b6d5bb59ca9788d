"""How fast each stage is on one root, each measured alone and then all together, in one run.

usage: python tests/quality/bench_speed.py ROOT

Prints files, chunks, seconds in walk and read, parse and chunk, words, embed, SQLite and Chroma, the whole sync, an
unchanged sync, and searches' p50 and p95. Timings differ between machines and hours: compare lines of one run.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import connote
from connote import words
from connote.chunk import ChunkOptions, chunk, contextualize
from connote.config import load
from connote.embed.static import StaticEmbedder
from connote.languages import detect_language
from connote.model import Document, SourceFile
from connote.store import Entry, Store
from connote.walk import WalkOptions, read, walk

QUESTIONS = (
    "where do we stop hammering a failing server",
    "parse the command line",
    "check that a user may see this page",
    "turn bytes from the network into text",
    "cache expensive results",
    "undo a half finished change",
    "wait until another process is done",
    "escape dangerous characters",
    "what happens when the disk is full",
    "convert between time zones",
)


@contextmanager
def timed(name: str, unit: str = "", count: Callable[[], float] | None = None) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rate = f"  {count() / wall:12,.0f} {unit}/s" if count else ""
    print(f"{name:<28}{wall:9.2f} s wall{cpu:9.2f} s cpu{rate}", flush=True)


def bare_parts(root: Path, folder: Path) -> None:
    """Each stage alone, in this process."""
    documents: list[Document] = []
    with timed("walk and read", "files", lambda: len(documents)):
        for item in walk(root, WalkOptions()):
            if isinstance(item, SourceFile):
                document = read(root, item, WalkOptions())
                if isinstance(document, Document):
                    documents.append(document)
    options = ChunkOptions()
    size = sum(len(document.text) for document in documents) / 1e6
    with timed("parse and chunk", "MB", lambda: size):
        cut = [chunk(document.path, document.text, options) for document in documents]
    chunks = [one for part in cut for one in part]
    print(f"{len(documents):,} files, {size:.1f} MB of text, {len(chunks):,} chunks")
    with timed("words", "chunks", lambda: len(chunks)):
        for one in chunks:
            words.split(one.text)
    texts = [contextualize(one) for one in chunks]
    model = StaticEmbedder()
    with timed("embed", "chunks", lambda: len(chunks)):
        vectors = model.embed(texts)
    store = Store(folder)
    with timed("SQLite, with words", "chunks", lambda: len(chunks)):
        entries = [
            Entry(document, detect_language(document.path, document.text), part, [contextualize(one) for one in part])
            for document, part in zip(documents, cut, strict=True)
        ]
        for start in range(0, len(entries), 50):
            store.catalog.replace(entries[start : start + 50])
    digests = [digest for digest, _ in store.catalog.waiting(10**9)]
    with timed("SQLite, vectors", "vectors", lambda: len(digests)):
        store.catalog.add_vectors(digests, vectors[: len(digests)])
    with timed("import and open Chroma"):
        import_module("connote.store.chroma").ChromaVectors(folder / "unused").close()
    with timed("Chroma", "vectors", lambda: len(digests)):
        store.flush()
    store.close()


def together(root: Path, folder: Path) -> None:
    """The product: sync, sync again, search by way of Chroma and by exact distances."""
    settings = replace(load(None)[0], index_dir=folder)
    index = connote.open(root, settings)
    with timed("sync, from nothing"):
        print(index.sync())
    with timed("sync, nothing changed"):
        index.sync()
    with timed("first search"):
        index.search(QUESTIONS[0])
    searches(index, "search, owner with Chroma")
    guest = connote.open(root, settings)
    guest.search(QUESTIONS[0])
    searches(guest, "search, exact distances")
    status = index.status()
    print(f"{status.chunks:,} chunks, {status.bytes / 1e6:.0f} MB on disk")
    guest.close()
    index.close()


def searches(index: connote.Index, name: str) -> None:
    times = []
    for _ in range(5):
        for question in QUESTIONS:
            started = time.perf_counter()
            index.search(question)
            times.append((time.perf_counter() - started) * 1e3)
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{name:<28} p50 {p50:.1f} ms  p95 {p95:.1f} ms", flush=True)


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("root", type=Path)
    root = args.parse_args().root.resolve()
    print(f"{platform.machine()}, Python {sys.version.split()[0]}, connote {connote.__version__}, {root.name}")
    with tempfile.TemporaryDirectory() as folder:
        print("\nEach part alone:")
        bare_parts(root, Path(folder) / "bare")
        print("\nTogether:")
        together(root, Path(folder) / "indexes")


if __name__ == "__main__":
    main()
