"""How an index behaves on one tree, through the library, the command line and the language server, in one run.

usage: python tests/quality/bench_index.py ROOT [--searches 50] [--saves 30] [--only PART ...]

Prints the time to the first lexical answer, to the full index and of an unchanged reopen; from a save to its being
found; of searches, idle and while indexing, filtered and not; the peak memory of all its processes by what they are,
bytes on disk for each byte of source; and the bare parts (walk and chunk, encode, Chroma upsert), each measured alone,
with the ratio of the full index to their sum: walking and cutting in one process, as encoding is, and with a worker on
each core. ROOT is copied first and is not changed. Timings differ between machines and hours: compare figures of one
run.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
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
from bench.bare import alone, encode_and_upsert, walk_and_chunk
from bench.editor import Editor
from bench.processes import Memory
from benchmark.typical import QUESTIONS
from connote.engine import stop_all

PARTS = ("bare", "api", "cli", "lsp")
FILTERS: tuple[dict[str, Any], ...] = (
    {"include": ["**/*.py", "**/*.c"]},
    {"exclude": ["**/test*/**"]},
    {"languages": ["python", "c"]},
    {"kinds": ["class", "struct"]},
)


def show(name: str, value: str) -> None:
    print(f"{name:<64} {value}", flush=True)


def shown(times: Sequence[float]) -> str:
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"p50 {statistics.median(times) * 1e3:7.1f} ms   p95 {p95 * 1e3:7.1f} ms   ({len(times)})"


@contextmanager
def searching(index: connote.Index, times: list[float], filtered: list[float]) -> Iterator[None]:
    """Search with hardly a rest in a thread, by turns with a filter and without."""
    done = threading.Event()

    def work() -> None:
        for number, question in enumerate(itertools.cycle(QUESTIONS)):
            for found, changes in ((times, {}), (filtered, FILTERS[number % len(FILTERS)])):
                began = time.perf_counter()
                index.search(question, **changes)
                found.append(time.perf_counter() - began)
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
        filtered: list[float] = []
        with searching(index, meanwhile, filtered):
            began = time.perf_counter()
            index.sync(rebuild=True)
            rebuilt = time.perf_counter() - began
        show("search while all is indexed anew", shown(meanwhile))
        show("the same, with filters by turns", shown(filtered))
        show("the same index with these searches", f"{rebuilt:.2f} s")
        status = index.status()
        source = sum((root / path).stat().st_size for path in index.files())
        show("chunks", f"{status.chunks:,}")
        show("bytes on disk for each byte of source", f"{status.bytes / source:.2f} ({status.bytes / 1e6:.0f} MB)")
        index.close()
    show("peak memory", str(memory))


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


COMMANDS: tuple[tuple[str, ...], ...] = ((), ("-g", "**/*.[cp]*"), ("--kind", "function"), ("--no-sync",))
"""Options of `connote search`."""


def cli(root: Path, environment: dict[str, str], args: argparse.Namespace) -> None:
    def run(options: Sequence[str], number: int) -> float:
        command = [sys.executable, "-m", "connote", "search", QUESTIONS[number % len(QUESTIONS)], str(root), *options]
        began = time.perf_counter()
        subprocess.run(command, env=environment, check=False, capture_output=True)
        return time.perf_counter() - began

    run((), 0)  # starts the host
    for options in COMMANDS:
        times = [run(options, number) for number in range(max(2, args.searches // 5))]
        show(" ".join(("connote search", *options)), shown(times))
    command = [sys.executable, "-m", "connote", "index", str(root), "--rebuild"]
    rebuild = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    meanwhile: dict[Sequence[str], list[float]] = {options: [] for options in COMMANDS if options != ("--no-sync",)}
    for number in itertools.count():
        for options, times in meanwhile.items():
            # Without --no-sync it would wait until all is indexed.
            times.append(run((*options, "--no-sync"), number))
        if rebuild.poll() is not None:
            break
    for options, times in meanwhile.items():
        show(f"{' '.join(('connote search --no-sync', *options))}, while all is indexed anew", shown(times))


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
    reindex = editor.begin("workspace/executeCommand", {"command": "connote.reindex", "arguments": [{"rebuild": True}]})
    meanwhile: list[float] = []
    filtered: list[float] = []
    while not editor.is_answered(reindex):
        for times, changes in ((meanwhile, {}), (filtered, FILTERS[len(filtered) % len(FILTERS)])):
            began = time.perf_counter()
            editor.ask("workspace/semanticSearch", {"query": QUESTIONS[len(times) % len(QUESTIONS)], **changes})
            times.append(time.perf_counter() - began)
    show("workspace/semanticSearch while all is indexed anew", shown(meanwhile))
    show("the same, with filters by turns", shown(filtered))
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
        stop_all(replace(connote.Settings(), index_dir=folder))


if __name__ == "__main__":
    main()
