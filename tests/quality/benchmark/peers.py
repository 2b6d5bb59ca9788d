"""Other ways to search the same folders: ripgrep as a person uses it, BM25, and semble."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.judge import Span
from benchmark.questions import Place
from benchmark.systems import System
from connote import words
from connote.chunk import ChunkOptions, chunk
from connote.embed.static import StaticEmbedder
from connote.model import Chunk, Document, SourceFile
from connote.walk import WalkOptions, read, walk

_WINDOW = 30
"""Lines around matches that a person takes in at a glance."""


class PeerError(Exception):
    """A peer is not installed; the message says how to get it."""


def peers(names: Sequence[str]) -> list[System]:
    """The peers of these names (`bm25`, `ripgrep`, `semble`). Raises PeerError for one that cannot be used here."""
    return [_PEERS[name]() for name in names]


class BM25:
    """BM25 over connote's own chunks, their words split and stemmed as connote does, with those of the path."""

    name = "BM25"

    def __init__(self) -> None:
        self._bm25s = _import("bm25s")
        self.note = f"bm25s {metadata.version('bm25s')} over connote's chunks and words, path added"

    def open(self, root: Path, scratch: Path) -> BM25Searcher:
        chunks = chunks_of(root)
        ranker = self._bm25s.BM25()
        ranker.index([words.split(one.path) + words.split(one.text) for one in chunks], show_progress=False)
        return BM25Searcher(root, chunks, ranker)


class BM25Searcher:
    def __init__(self, root: Path, chunks: list[Chunk], ranker: Any) -> None:
        self._root, self._chunks, self._ranker = root, chunks, ranker

    def search(self, query: str, limit: int) -> list[Span]:
        return self._best(words.unique(words.split(query)), limit)

    def similar(self, place: Place, limit: int) -> list[Span]:
        lines = (self._root / place.path).read_text(encoding="utf-8", errors="replace").splitlines()
        wanted = words.unique(words.split("\n".join(lines[place.first - 1 : place.last])))
        found = self._best(wanted, limit + 5)  # the place itself may be several chunks
        return [hit for hit in found if not _overlaps(hit, place)][:limit]

    def close(self) -> None:
        self._chunks = []

    def _best(self, wanted: list[str], limit: int) -> list[Span]:
        known = [word for word in wanted if word in self._ranker.vocab_dict]
        if not known:
            return []
        scores = self._ranker.get_scores(known)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [_span(self._chunks[number]) for number in best if scores[number] > 0]


class Ripgrep:
    """`rg` with the question's content words OR'ed: files with the most of them first, at their densest lines."""

    name = "ripgrep"

    def __init__(self) -> None:
        self._rg = shutil.which("rg") or ""
        if not self._rg:
            raise PeerError("ripgrep is not installed: `apt-get install ripgrep`, or put `rg` on the PATH")
        version = subprocess.run([self._rg, "--version"], capture_output=True, text=True, check=True).stdout
        self.note = f"{version.split(' (')[0].splitlines()[0]}, a question's words OR'ed, files by distinct words"

    def open(self, root: Path, scratch: Path) -> RipgrepSearcher:
        return RipgrepSearcher(self._rg, root)


class RipgrepSearcher:
    def __init__(self, rg: str, root: Path) -> None:
        self._rg, self._root = rg, root

    def search(self, query: str, limit: int) -> list[Span]:
        asked = words.unique(word.lower() for word in re.findall(r"\w+", query))
        asked = [word for word in asked if word not in words.STOP_WORDS] or asked
        files = self._matches(asked)
        ranked = sorted(files, key=lambda path: (-len({word for _, word in files[path]}), -len(files[path]), path))
        return [densest(path, files[path]) for path in ranked[:limit]]

    def similar(self, place: Place, limit: int) -> None:
        return None

    def close(self) -> None:
        pass

    def _matches(self, asked: list[str]) -> dict[str, list[tuple[int, str]]]:
        """Path to (line, word) of each match, in the order of the lines."""
        command = [self._rg, "--no-config", "--no-heading", "--null", "-n", "-o", "-i", "-F", "--color=never"]
        command += [part for word in asked for part in ("-e", word)] + ["--", "."]
        done = subprocess.run(command, cwd=self._root, capture_output=True, check=False)
        files: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            name, found, rest = line.partition("\0")
            number, _, word = rest.partition(":")
            if found and number.isdecimal():
                files[Path(name).as_posix()].append((int(number), word.lower()))
        return files


def densest(path: str, matches: Sequence[tuple[int, str]]) -> Span:
    """The window of at most 30 lines, from match to match, with the most distinct words, then matches, then earliest.

    `matches` are (line, word), in the order of the lines.
    """
    best, place = (0, 0), Span(path, matches[0][0], matches[0][0])
    inside: Counter[str] = Counter()
    start = 0
    for line, word in matches:
        inside[word] += 1
        while line - matches[start][0] >= _WINDOW:
            inside[matches[start][1]] -= 1
            start += 1
        worth = (sum(1 for count in inside.values() if count), sum(inside.values()))
        if worth > best:
            best, place = worth, Span(path, matches[start][0], line)
    return place


class Semble:
    """semble's own chunks and ranking, with connote's table in the place of its model."""

    name = "semble"

    def __init__(self) -> None:
        self._index, self._create = _import("semble").SembleIndex, _import("semble.index.create")
        self._model = _Table()
        self.note = (
            f"semble {metadata.version('semble')}, chunks and ranking its own; NOT its model (a download from a hub) "
            "but connote's table of word vectors, without the network that reads questions"
        )

    def open(self, root: Path, scratch: Path) -> SembleSearcher:
        os.environ["SEMBLE_CACHE_LOCATION"] = str(scratch)  # it counts its searches in a file
        root = root.resolve()
        bm25, vectors, chunks, manifest = self._create.create_index_from_path(root, self._model, display_root=root)
        return SembleSearcher(
            self._index(self._model, bm25, vectors, chunks, "connote's table", root=root, manifest=manifest)
        )


class SembleSearcher:
    def __init__(self, index: Any) -> None:
        self._index = index
        self._resolve = import_module("semble.utils").resolve_chunk

    def search(self, query: str, limit: int) -> list[Span]:
        return [self._span(one) for one in self._index.search(query, top_k=limit)]

    def similar(self, place: Place, limit: int) -> list[Span]:
        seed = self._resolve(self._index.chunks, place.path, place.middle)
        return [] if seed is None else [self._span(one) for one in self._index.find_related(seed, top_k=limit)]

    def close(self) -> None:
        self._index = None

    @staticmethod
    def _span(result: Any) -> Span:
        return Span(Path(result.chunk.file_path).as_posix(), result.chunk.start_line, result.chunk.end_line)


class _Table:
    """What semble asks of a model, answered by connote's table."""

    def __init__(self) -> None:
        self._embedder = StaticEmbedder()
        self.dim = self._embedder.dimensions

    def encode(self, sentences: Sequence[str], **_options: object) -> NDArray[np.float32]:
        return self._embedder.embed(list(sentences))


def chunks_of(root: Path) -> list[Chunk]:
    """All chunks of a folder, as connote walks, reads and cuts it."""
    found: list[Chunk] = []
    for item in walk(root, WalkOptions()):
        if isinstance(item, SourceFile):
            document = read(root, item, WalkOptions())
            if isinstance(document, Document):
                found += chunk(document.path, document.text, ChunkOptions())
    return found


def _span(one: Chunk) -> Span:
    return Span(one.path, one.start_line, one.end_line)


def _overlaps(hit: Span, place: Place) -> bool:
    return hit.path == place.path and hit.start <= (place.last or hit.end) and hit.end >= place.first


def _import(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise PeerError(f"{name} is not installed ({error}): `pip install -e '.[quality]'`") from error


_PEERS: dict[str, type[BM25] | type[Ripgrep] | type[Semble]] = {"bm25": BM25, "ripgrep": Ripgrep, "semble": Semble}
