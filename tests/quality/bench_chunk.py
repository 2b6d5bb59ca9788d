"""How fast the chunker is beside bare parsing and other chunkers, on the same files in one run.

usage: python tests/quality/bench_chunk.py FOLDER [--language python] [--every 1] [--rounds 3]

Prints CPU seconds of one process, MB/s, files/s, chunks, and the ratio to bare parsing. The others are no dependencies:
install `astchunk`, `semantic-text-splitter`, `semble` and `chonkie-core` in an environment of their own to see them.
Each does what it does by default at about the same size of chunk: some give borders alone, this one also symbols,
scopes, signatures, docs, imports and siblings. Timings differ between machines and hours: compare lines of one run.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path

from tree_sitter import Parser

from connote.chunk import ChunkOptions, chunk
from connote.chunk import grammar as grammars
from connote.languages import detect_language, grammar_of

File = tuple[str, str]
Run = Callable[[str, str], int]
"""Cuts the text of a path, and returns how many chunks there are."""

SIZE = ChunkOptions().max_size
"""In non-whitespace characters, for those that count so."""
CHARACTERS = 2000
"""About as much, white space included, for the others."""


def bare_parsing(language: str) -> Run:
    grammar = grammars.load(grammar_of(language) or "")
    if grammar is None:
        sys.exit(f"there is no grammar for {language}")
    parser = Parser(grammar.language)

    def run(_path: str, text: str) -> int:
        parser.parse(text.encode("utf-8", "surrogatepass"))
        return 0

    return run


def connote(_language: str) -> Run:
    return lambda path, text: len(chunk(path, text))


def astchunk(language: str) -> Run:
    builder = import_module("astchunk").ASTChunkBuilder(
        max_chunk_size=SIZE, language=language, metadata_template="default"
    )
    return lambda path, text: len(builder.chunkify(text, repo_level_metadata={"filepath": path}))


def semantic_text_splitter(language: str) -> Run:
    wheel = import_module(f"tree_sitter_{language}")
    splitter = import_module("semantic_text_splitter").CodeSplitter(wheel.language(), CHARACTERS)
    return lambda _, text: len(splitter.chunks(text))


def semble(language: str) -> Run:
    chunk_source = import_module("semble.chunking").chunk_source
    return lambda path, text: len(chunk_source(text, path, language))


def chonkie_core(_language: str) -> Run:
    chunk_offsets = import_module("chonkie_core").chunk_offsets
    return lambda _, text: len(chunk_offsets(text.encode(), size=CHARACTERS))


RUNNERS: dict[str, Callable[[str], Run]] = {
    "bare parsing": bare_parsing,
    "connote": connote,
    "semble": semble,
    "semantic-text-splitter": semantic_text_splitter,
    "astchunk": astchunk,
    "chonkie-core": chonkie_core,
}


def read_files(folder: Path, language: str, every: int) -> list[File]:
    files: list[File] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and detect_language(str(path)) == language:
            try:
                with path.open(encoding="utf-8", newline="") as file:
                    files.append((str(path), file.read()))
            except UnicodeDecodeError:
                print(f"not UTF-8, left out: {path}")
    return files[::every]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="python")
    parser.add_argument("--every", type=int, default=1, help="take only every n-th file")
    parser.add_argument("--rounds", type=int, default=3, help="the fastest of so many counts")
    arguments = parser.parse_args()
    files = read_files(arguments.folder, arguments.language, arguments.every)
    runs: dict[str, Run] = {}
    for name, make in RUNNERS.items():
        try:
            runs[name] = make(arguments.language)
        except (ImportError, ValueError) as error:  # ValueError: it does not know the language
            print(f"could not be used: {name}: {error}")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for _, text in files)
    print(f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}")
    print(
        f"{len(files)} files of {arguments.language}, {size / 1e6:.1f} MB; the fastest of {arguments.rounds} rounds\n"
    )
    seconds = dict.fromkeys(runs, float("inf"))
    chunks = dict.fromkeys(runs, 0)
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            before = time.process_time()
            chunks[name] = sum(run(path, text) for path, text in files)
            seconds[name] = min(seconds[name], time.process_time() - before)
    print(f"{'':<32}{'CPU s':>8}{'MB/s':>9}{'files/s':>10}{'chunks':>9}{'ratio':>8}")
    for name, spent in seconds.items():
        label = name if name in ("bare parsing", "connote") else f"{name} {metadata.version(name)}"
        ratio = spent / seconds["bare parsing"]
        speed = f"{size / 1e6 / spent:>9.1f}{len(files) / spent:>10.0f}"
        print(f"{label:<32}{spent:>8.2f}{speed}{chunks[name]:>9}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
