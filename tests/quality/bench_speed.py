"""How fast each stage is on one root, each measured alone and then all together, in one run.

usage: python tests/quality/bench_speed.py ROOT [--synthetic N]

Prints files, chunks, seconds in walk and read, parse and chunk, words, embed, SQLite and Chroma, the whole sync, an
unchanged sync, and p50 and p95 of searches and of each of their stages. With `--synthetic N` it does the same once more
on a tree of about N chunks: ROOT's files and copies of them in which the defined names are exchanged for others.
Where wordllama and bm25s are installed, their encoding and search of the same chunks are printed beside.
Timings differ between machines and hours: compare lines of one run.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count, groupby
from pathlib import Path
from types import ModuleType

import connote
from benchmark.typical import QUESTIONS
from connote import words
from connote.chunk import ChunkOptions, chunk, contextualize
from connote.config import load
from connote.embed.static import StaticEmbedder
from connote.languages import detect_language
from connote.model import Chunk, Document, SourceFile
from connote.store import Entry, Store, StoreOptions, try_out
from connote.walk import WalkOptions, read, walk

_WORD = re.compile(r"\w+")


@contextmanager
def timed(name: str, unit: str = "", count: Callable[[], float] | None = None) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rate = f"  {count() / wall:12,.0f} {unit}/s" if count else ""
    print(f"{name:<28}{wall:9.2f} s wall{cpu:9.2f} s cpu{rate}", flush=True)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those that it starts meanwhile, on one core where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        print("this system cannot hold a thread to one core")
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def spread(name: str, milliseconds: list[float], more: str = "") -> None:
    p50, p95 = statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1]
    print(f"{name:<28} p50 {p50:.1f} ms  p95 {p95:.1f} ms{more}", flush=True)


def optional(name: str) -> ModuleType | None:
    if find_spec(name) is None:
        print(f"{name:<28} is not installed")
        return None
    return import_module(name)


def texts_of(root: Path) -> list[Document]:
    read_files = (read(root, item, WalkOptions()) for item in walk(root, WalkOptions()) if isinstance(item, SourceFile))
    return [document for document in read_files if isinstance(document, Document)]


def bare_parts(root: Path, folder: Path) -> None:
    """Each stage alone, in this process."""
    documents: list[Document] = []
    with timed("walk and read", "files", lambda: len(documents)):
        documents += texts_of(root)
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
    loads = []
    for _ in range(5):
        started = time.perf_counter()
        model = StaticEmbedder()
        loads.append((time.perf_counter() - started) * 1e3)
    print(f"{'load the model':<28}{statistics.median(loads):9.1f} ms")
    with one_core(), timed("embed, one core", "chunks", lambda: len(chunks)):
        vectors = model.embed(texts)
    peers(chunks, texts)
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
    with timed("import and open Chroma"), tempfile.TemporaryDirectory() as scratch:
        try_out(StoreOptions(), Path(scratch))
    with timed("Chroma", "vectors", lambda: len(digests)):
        store.flush()
    store.close()


def peers(chunks: list[Chunk], texts: list[str]) -> None:
    """Other people's encoder and word search, on the same chunks."""
    wordllama = optional("wordllama")
    if wordllama:
        # Its tokenizer would use every core, and is asked not to before it is loaded.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        with one_core():
            # It looks for its tokenizer in a cache alone, although its wheel has it.
            inside = Path(str(wordllama.__file__)).parent
            other = wordllama.WordLlama.load(cache_dir=inside, disable_download=True)
            with timed("wordllama embed, one core", "chunks", lambda: len(texts)):
                other.embed(texts)
    bm25s = optional("bm25s")
    if bm25s:
        tokens = [words.split(one.text) for one in chunks]
        retriever = bm25s.BM25()
        with timed("bm25s index, words given", "chunks", lambda: len(tokens)):
            retriever.index(tokens, show_progress=False)
        times = []
        for question in QUESTIONS * 5:
            started = time.perf_counter()
            retriever.retrieve([words.split(question)], k=10, show_progress=False)
            times.append((time.perf_counter() - started) * 1e3)
        spread("bm25s search, words alone", times)


def together(root: Path, folder: Path) -> None:
    """The product: sync, sync again, search by way of Chroma and by exact distances."""
    settings = load(None)[0]
    # Without a host: the stages are timed where they run.
    settings = replace(settings, index_dir=folder, server=replace(settings.server, host="off"))
    index = connote.open(root, settings)
    with timed("sync, from nothing"):
        print(index.sync())
        index.flush()
    with timed("sync, nothing changed"):
        index.sync()
    with timed("first search"):
        index.search(QUESTIONS[0])
    searches(index, "search, owner with Chroma")
    searches(index, "  in it", by_stage=True)
    guest = connote.open(root, settings)
    guest.search(QUESTIONS[0])
    searches(guest, "search, exact distances")
    searches(guest, "  in it", by_stage=True)
    searches(guest, "search, words alone", mode="lexical")
    status = index.status()
    print(f"{status.chunks:,} chunks, {status.bytes / 1e6:.0f} MB on disk")
    guest.close()
    index.close()


def searches(index: connote.Index, name: str, *, by_stage: bool = False, **changes: str) -> None:
    times = []
    none: dict[str, list[float]] = {}
    cpu = time.process_time()
    with staged(index) if by_stage else nullcontext(none) as stages:
        for question in QUESTIONS * 5:
            started = time.perf_counter()
            index.search(question, **changes)
            times.append((time.perf_counter() - started) * 1e3)
    if not by_stage:
        # On a busy machine the cores' own time says more than the clock.
        cpu = (time.process_time() - cpu) * 1e3 / len(times)
        spread(name, times, f"  mean {cpu:.1f} ms cpu")
    for stage, each in stages.items():
        spread(f"{name}, {stage}", each)


@contextmanager
def staged(index: connote.Index) -> Iterator[dict[str, list[float]]]:
    """Take the time of what a search calls, stage by stage: milliseconds, one number a call."""
    lookup, searcher = index._store.lookup, index._searcher
    search = import_module("connote.engine.search")
    parts = {
        "embed": (index._embedder, "embed_query"),
        "words": (lookup, "matching"),
        "vectors": (index._store, "nearest"),
        "candidates": (lookup, "candidates"),
        "file words": (searcher, "_tallies"),
        "rank": (search, "rank"),
        "show": (searcher, "_hits"),
    }
    times: dict[str, list[float]] = {stage: [] for stage in parts}
    real = {stage: getattr(owner, name) for stage, (owner, name) in parts.items()}

    def watched(stage: str) -> Callable[..., object]:
        def run(*given: object, **named: object) -> object:
            started = time.perf_counter()
            try:
                return real[stage](*given, **named)
            finally:
                times[stage].append((time.perf_counter() - started) * 1e3)

        return run

    for stage, (owner, name) in parts.items():
        setattr(owner, name, watched(stage))
    try:
        yield times
    finally:
        for stage, (owner, name) in parts.items():
            setattr(owner, name, real[stage])


def multiply(root: Path, least: int, folder: Path) -> None:
    """Write a tree of about `least` chunks: ROOT's texts, then copies, each with its own exchange of defined names.

    The words are the same ones in other places, so that lists of words grow as in a real tree of that size.
    """
    documents = texts_of(root)
    cut = [chunk(document.path, document.text, ChunkOptions()) for document in documents]
    names = {one.name for part in cut for each in part for one in each.symbols if _WORD.fullmatch(one.name)}
    written = 0
    for copy in count():
        other = _exchange(names, random.Random(copy)) if copy else {}
        for document, part in zip(documents, cut, strict=True):
            if written >= least:
                return
            file = folder / f"copy{copy}" / document.path
            file.parent.mkdir(parents=True, exist_ok=True)
            text = _WORD.sub(partial(_exchanged, other), document.text)
            file.write_text(text, encoding="utf-8", newline="")
            written += len(part)
        if not written:
            raise SystemExit(f"{root} has no text to multiply")


def _exchange(names: set[str], chosen: random.Random) -> dict[str, str]:
    """Another name for each, of the same length, so that a copy is cut into as many chunks."""
    others: dict[str, str] = {}
    for _, group in groupby(sorted(names, key=lambda name: (len(name), name)), len):
        alike = list(group)
        others.update(zip(alike, chosen.sample(alike, len(alike)), strict=True))
    return others


def _exchanged(names: dict[str, str], found: re.Match[str]) -> str:
    return names.get(found[0], found[0])


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("root", type=Path)
    args.add_argument("--synthetic", type=int, default=0, metavar="N")
    given = args.parse_args()
    root = given.root.resolve()
    print(f"{platform.machine()}, Python {sys.version.split()[0]}, connote {connote.__version__}, {root.name}")
    with tempfile.TemporaryDirectory() as folder:
        print("\nEach part alone:")
        bare_parts(root, Path(folder) / "bare")
        print("\nTogether:")
        together(root, Path(folder) / "indexes")
        if given.synthetic:
            print(f"\nTogether, on {root.name}'s files multiplied to {given.synthetic:,} chunks:")
            multiply(root, given.synthetic, Path(folder) / "multiplied")
            together(Path(folder) / "multiplied", Path(folder) / "more")


if __name__ == "__main__":
    main()
