"""What is measured: connote itself, and the shape that it shares with its peers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import connote
from benchmark.judge import Span
from benchmark.questions import Place
from connote.engine import stop


class Searcher(Protocol):
    """An index of one folder, ready to be asked."""

    def search(self, query: str, limit: int) -> list[Span]:
        """The best hits as a user gets them, best first."""
        ...

    def similar(self, place: Place, limit: int) -> list[Span] | None:
        """What is like a place, without the place itself; None from a system that cannot be asked so."""
        ...

    def close(self) -> None: ...


class System(Protocol):
    """Something that can search code."""

    name: str
    note: str
    """What a reader of its figures must know; may be empty."""

    def open(self, root: Path, scratch: Path) -> Searcher:
        """Index a folder from nothing; what has to be written goes into the empty folder `scratch`."""
        ...


class Connote:
    """The product by way of its Python API, all settings at their defaults, or with another model alone."""

    def __init__(self, onnx: Path | None = None) -> None:
        self.name = f"connote {onnx.name}" if onnx else "connote"
        self.note = f"with the ONNX model in the folder {onnx.name}" if onnx else ""
        self._settings = connote.Settings()
        if onnx:
            embed = replace(self._settings.embed, provider="onnx", model=str(onnx.resolve()))
            self._settings = replace(self._settings, embed=embed)

    def open(self, root: Path, scratch: Path) -> ConnoteSearcher:
        return ConnoteSearcher(root, replace(self._settings, index_dir=scratch))


class ConnoteSearcher:
    """An open index. Beside what peers can do, it knows which hits are too weak to be shown."""

    def __init__(self, root: Path, settings: connote.Settings) -> None:
        self._index = connote.open(root, settings)
        self._index.sync()

    def search(self, query: str, limit: int) -> list[Span]:
        return spans(self._index.search(query, limit=limit))

    def uncut(self, query: str, limit: int) -> list[Span]:
        """The best hits, however weak."""
        return spans(self._index.search(query, limit=limit, min_score=0.0))

    def strict(self, query: str, limit: int) -> list[Span]:
        """The hits over the default score, without the second attempt at half of it."""
        return spans(self._index.search(query, limit=limit, relax=False))

    def similar(self, place: Place, limit: int) -> list[Span]:
        return spans(self._index.similar(place.path, place.middle, limit=limit))

    def close(self) -> None:
        self._index.close()
        stop(self._index.root, self._index.settings)  # or its host would stay for minutes, for a folder that is gone


def spans(hits: Iterable[connote.Hit]) -> list[Span]:
    return [Span(hit.path, hit.start_line, hit.end_line) for hit in hits]
