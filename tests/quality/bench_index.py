"""How an index behaves on one tree, through the library, the command line and the language server, in one run.

usage: python tests/quality/bench_index.py ROOT [--searches 50] [--saves 30] [--only PART ...]

Prints the time to the first lexical answer, to the full index and of an unchanged reopen; from a save to its being
found; of searches, idle and while indexing, filtered and not; the peak memory of all processes together, bytes on disk
for each byte of source; and the bare parts (walk and chunk, encode, Chroma upsert), each measured alone, with the
ratio of the full index to their sum: walking and cutting in one process, as encoding is, and with a worker on each
core. ROOT is copied first and is not changed. Timings differ between machines and hours: compare figures of one run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import queue
import random
import shutil
import statistics
import string
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import connote
from benchmark.typical import QUESTIONS

PARTS = ("bare", "api", "cli", "lsp")
FILTERS: tuple[dict[str, Any], ...] = (
    {"include": ["**/*.py", "**/*.c"]},
    {"exclude": ["**/test*/**"]},
    {"languages": ["python", "c"]},
    {"kinds": ["class", "struct"]},
)


# The bare parts, each in a process of its own


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


# Memory and CPU of all processes that have to do with the run


class Memory:
    """The peak of the proportional sizes of this process and of all that know the folder of the run, in MB."""

    def __init__(self, folder: Path) -> None:
        self.peak = 0.0
        self._cpu: dict[str, float] = {}
        self.processes = 0
        self._mark = os.fsencode(folder)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        if sys.platform == "linux":
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def cpu(self) -> float:
        """Seconds of CPU of these processes until now, but for the last moment of those that ended."""
        return sum(self._cpu.values())

    def _watch(self) -> None:
        while not self._done.wait(0.25):
            sizes = [size for size in map(self._size, Path("/proc").glob("[0-9]*")) if size]
            if sum(sizes) > self.peak:
                self.peak, self.processes = sum(sizes), len(sizes)

    def _size(self, process: Path) -> float:
        try:
            if int(process.name) != os.getpid():
                about = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
                if self._mark not in about + os.fsencode((process / "cwd").readlink()):
                    return 0
            used = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
            self._cpu[process.name] = sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) / 1000
        except OSError:
            pass  # it ended, or is another user's
        return 0


# Measuring


def show(name: str, value: str) -> None:
    print(f"{name:<64} {value}", flush=True)


def shown(times: Sequence[float]) -> str:
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"p50 {statistics.median(times) * 1e3:7.1f} ms   p95 {p95 * 1e3:7.1f} ms   ({len(times)})"


@contextmanager
def searching(index: connote.Index, times: list[float]) -> Iterator[None]:
    """Search without a rest in a thread."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            for question in QUESTIONS:
                began = time.perf_counter()
                index.search(question)
                times.append(time.perf_counter() - began)
                if done.wait(0.05):
                    return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def first_answer(index: connote.Index, began: float, done: threading.Event) -> Callable[[], float | None]:
    found: list[float] = []

    def work() -> None:
        while not done.wait(0.02):
            if index.search("return the name", mode="lexical", min_score=0, limit=1):
                found.append(time.perf_counter() - began)
                return

    thread = threading.Thread(target=work)
    thread.start()

    def result() -> float | None:
        thread.join()
        return found[0] if found else None

    return result


def api(root: Path, folder: Path, bare: tuple[float, float, float] | None, args: argparse.Namespace) -> None:
    settings = replace(connote.Settings(), index_dir=folder)
    with Memory(folder) as memory:
        index = connote.open(root, settings)
        done = threading.Event()
        began, before = time.perf_counter(), memory.cpu()
        first = first_answer(index, began, done)
        report = index.sync()
        full = time.perf_counter() - began
        done.set()
        at = first()
        show(
            "first lexical answer",
            f"{at:.2f} s, {at / full:.0%} of the full index" if at else "only with the full index",
        )
        show("full index", f"{full:.2f} s, {report.added:,} files, {report.embedded:,} vectors")
        if bare:
            show("full index / sum of its bare parts", f"{full / bare[0]:.2f}")
            show("the same, cut with a worker on each core", f"{full / bare[2]:.2f}")
            used = memory.cpu() - before
            cores = os.cpu_count() or 1
            show("CPU of the full index", f"{used:.2f} s; on {cores} idle cores at least {used / cores:.2f} s")
            show("that / CPU of the bare parts", f"{used / cores / bare[1]:.2f}")
        index.close()

        began = time.perf_counter()
        index = connote.open(root, settings)
        report = index.sync()
        show("unchanged reopen", f"{time.perf_counter() - began:.2f} s ({report.unchanged:,} files)")

        index.search(QUESTIONS[0])
        show("search", shown(list(searches(index, args.searches))))
        for changes in FILTERS:
            show(f"search, {changes}", shown(list(searches(index, args.searches, **changes))))
        show("search, words alone", shown(list(searches(index, args.searches, mode="lexical"))))
        show("from a save to its being found", shown(list(saves(index, args.saves))))

        meanwhile: list[float] = []
        with searching(index, meanwhile):
            began = time.perf_counter()
            index.sync(rebuild=True)
            rebuilt = time.perf_counter() - began
        show("search while all is indexed anew", shown(meanwhile))
        show("the same index with these searches", f"{rebuilt:.2f} s")
        status = index.status()
        source = sum((root / path).stat().st_size for path in index.files())
        show("chunks", f"{status.chunks:,}")
        show("bytes on disk for each byte of source", f"{status.bytes / source:.2f} ({status.bytes / 1e6:.0f} MB)")
        index.close()
    show("peak memory, all processes", f"{memory.peak:.0f} MB in {memory.processes}")


def searches(index: connote.Index, count: int, **changes: Any) -> Iterator[float]:
    for number in range(count):
        began = time.perf_counter()
        index.search(QUESTIONS[number % len(QUESTIONS)], **changes)
        yield time.perf_counter() - began


def new_word() -> str:
    return "".join(random.choices(string.ascii_lowercase, k=14))


def saves(index: connote.Index, count: int) -> Iterator[float]:
    paths = [path for path in index.files() if path.endswith((".py", ".c", ".js", ".rb", ".go"))]
    for number in range(count):
        path = paths[number * len(paths) // count]
        word = new_word()
        with (index.root / path).open("a", encoding="utf-8") as file:
            file.write(f"\n# {word}\n")
        began = time.perf_counter()
        index.update(path)
        while path not in [hit.path for hit in index.search(word, min_score=0)]:
            pass
        yield time.perf_counter() - began


def cli(root: Path, environment: dict[str, str], args: argparse.Namespace) -> None:
    for name, options in (
        ("connote search", []),
        ("connote search -g '**/*.[cp]*'", ["-g", "**/*.[cp]*"]),
        ("connote search --kind function", ["--kind", "function"]),
        ("connote search --no-sync", ["--no-sync"]),
    ):
        times = []
        for number in range(max(2, args.searches // 5)):
            command = [
                sys.executable,
                "-m",
                "connote",
                "search",
                QUESTIONS[number % len(QUESTIONS)],
                str(root),
                *options,
            ]
            began = time.perf_counter()
            subprocess.run(command, env=environment, check=False, capture_output=True)
            times.append(time.perf_counter() - began)
        show(name, shown(times))


class Editor:
    """A language client, as small as can be."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "connote", "lsp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._others: set[int] = set()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities = {"window": {"workDoneProgress": False}}
        self.ask("initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": capabilities,
                                "workspaceFolders": [folder]})  # fmt: skip
        self.tell("initialized", {})

    def ask(self, method: str, params: object) -> Any:
        number = self.begin(method, params)
        while True:
            answer = self._answers.get(timeout=3600)
            if answer.get("id") == number:
                return answer["result"]
            self._others.add(answer["id"])

    def begin(self, method: str, params: object) -> int:
        """Ask, and do not wait: `is_answered` tells when the answer of this number is there."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def is_answered(self, number: int) -> bool:
        return number in self._others

    def tell(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def end(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._server.wait(60)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def _read(self) -> None:
        assert self._server.stdout is not None
        while line := self._server.stdout.readline():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
                while self._server.stdout.readline().strip():
                    pass
                message = json.loads(self._server.stdout.read(size))
                if "method" in message and "id" in message:
                    self._send({"id": message["id"], "result": None})
                elif "id" in message:
                    self._answers.put(message)


def lsp(root: Path, environment: dict[str, str], args: argparse.Namespace) -> None:
    began = time.perf_counter()
    editor = Editor(root, environment)
    editor.ask("workspace/semanticSearch", {"query": QUESTIONS[0], "wait": True})
    show("language server, from start to all of an index", f"{time.perf_counter() - began:.2f} s")
    for method, changes in (
        ("workspace/semanticSearch", {}),
        ("workspace/semanticSearch", {"include": ["**/*.py", "**/*.c"]}),
        ("workspace/semanticSearch", {"kinds": ["class", "struct"]}),
        ("workspace/symbol", {}),
    ):
        times = []
        for number in range(args.searches):
            began = time.perf_counter()
            editor.ask(method, {"query": QUESTIONS[number % len(QUESTIONS)], **changes})
            times.append(time.perf_counter() - began)
        show(f"{method}{f', {changes}' if changes else ''}", shown(times))
    times = []
    paths = [path for path in root.rglob("*.py") if path.stat().st_size > 1000] or list(root.rglob("*.c"))
    for number in range(args.saves):
        path = sorted(paths)[number * len(paths) // args.saves]
        word = new_word()
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n# {word}\n")
        began = time.perf_counter()
        editor.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
        found: list[str] = []
        while path.as_uri() not in found:
            hits = editor.ask("workspace/semanticSearch", {"query": word, "minScore": 0})["hits"]
            found = [hit["location"]["uri"] for hit in hits]
        times.append(time.perf_counter() - began)
    show("from didSave to its being found", shown(times))
    times = []
    reindex = editor.begin("workspace/executeCommand", {"command": "connote.reindex"})
    while not editor.is_answered(reindex):
        began = time.perf_counter()
        editor.ask("workspace/semanticSearch", {"query": QUESTIONS[len(times) % len(QUESTIONS)]})
        times.append(time.perf_counter() - began)
    show("workspace/semanticSearch while it looks at all", shown(times))
    editor.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--searches", type=int, default=50)
    parser.add_argument("--saves", type=int, default=30)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    args = parser.parse_args()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{platform.machine()}, {os.cpu_count()} cores{load}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as place:
        root, folder = Path(place).resolve() / args.root.resolve().name, Path(place).resolve() / "indexes"
        shutil.copytree(args.root, root, symlinks=True)
        environment = {**os.environ, "CONNOTE_INDEX_DIR": str(folder)}
        os.environ["CONNOTE_INDEX_DIR"] = str(folder)
        bare = None
        if "bare" in args.only:
            walked, walking, texts = alone(walk_and_chunk, root, 0)
            together, _, _ = alone(walk_and_chunk, root, os.cpu_count() or 1)
            encoded, encoding, stored, storing = alone(encode_and_upsert, texts)
            bare = walked + encoded + stored, walking + encoding + storing, together + encoded + stored
            show("walk and chunk", f"{walked:.2f} s ({walking:.2f} s of CPU); a worker on each core {together:.2f} s")
            show("encode", f"{encoded:.2f} s ({encoding:.2f} s of CPU, {len(texts):,} texts)")
            show("Chroma upsert", f"{stored:.2f} s ({storing:.2f} s of CPU)")
            show("sum of the bare parts", f"{bare[0]:.2f} s ({bare[1]:.2f} s of CPU)")
        if "api" in args.only:
            api(root, folder, bare, args)
        if "cli" in args.only:
            cli(root, environment, args)
        if "lsp" in args.only:
            lsp(root, environment, args)


if __name__ == "__main__":
    main()
