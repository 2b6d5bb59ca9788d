"""The vectors' home: a Chroma collection in a folder or on a server. The only user of chromadb.

It is loaded in a process of its own (`child.py`) and nowhere else: Chroma reads `.env` and generic names of the
environment when it is imported, holds the interpreter's lock while it works, and a damaged folder may crash or hang it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import chromadb as untyped
import numpy as np
from chromadb.errors import NotFoundError
from numpy.typing import NDArray

from connote.errors import StoreError
from connote.store.lock import OwnerLock
from connote.store.options import Place
from connote.store.seal import break_seal, write_seal

T = TypeVar("T")
chromadb: Any = untyped  # its annotations do not say what it takes: `_env_file`, plain dictionaries, `close`
_LARGEST_BATCH = 1000
_SAME = 1e-3
"""A cosine distance below which a probe has found a vector like its own."""
_LOCK_SECONDS = 20.0
_HNSW = {"space": "cosine", "ef_construction": 100, "ef_search": 200, "max_neighbors": 16}


class LostError(StoreError):
    """What the collection held cannot be read any more; only a new one helps."""


class AwayError(StoreError):
    """A server cannot be reached, or does not let this user in; what it holds may be sound."""


class ChromaVectors:
    """Vectors by id, a short text. One thread uses it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock: OwnerLock | None = None
        self.sealed = False
        """Whether the folder was found as it was left."""
        if place.folder:
            self._take(Path(place.folder))
        self._do("open", self._open)

    def _take(self, folder: Path) -> None:
        # A process whose owner was killed may still write for a moment. Two in one folder lose vectors silently.
        self._lock = OwnerLock(folder.parent, f"{folder.name}.lock")
        if not self._lock.acquire(_LOCK_SECONDS):
            raise LostError(f"Another process has {folder} open")
        intact = break_seal(folder)
        if intact is False:
            raise LostError(f"Files in {folder} are not as Chroma left them")
        self.sealed = bool(intact)
        folder.mkdir(parents=True, exist_ok=True)

    def _open(self) -> None:
        place = self._place
        if place.folder:
            settings = chromadb.config.Settings(
                _env_file=None, anonymized_telemetry=False, is_persistent=True, persist_directory=place.folder
            )
            self._client = chromadb.PersistentClient(path=place.folder, settings=settings)
        else:
            self._client = _remote(place)
        index = "spann" if place.cloud else "hnsw"
        wanted = {"space": "cosine"} if place.cloud else _HNSW
        self._collection = self._client.get_or_create_collection(
            place.name, embedding_function=None, configuration={index: wanted}
        )
        configuration = self._collection.configuration_json
        space = (configuration.get("hnsw") or configuration.get("spann") or {}).get("space")
        if space != "cosine":
            raise LostError(f"The collection in {place.shown} measures {space}, not cosine")
        # The limit depends on SQLite's build, or on the server.
        self._batch = min(_LARGEST_BATCH, self._client.get_max_batch_size())
        self._size = self._collection.count()

    def __len__(self) -> int:
        return int(self._size)

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Insert or replace vectors; ids are distinct."""
        for start in range(0, len(ids), self._batch):
            part = slice(start, start + self._batch)
            self._do("add vectors", partial(self._collection.upsert, list(ids[part]), embeddings=vectors[part]))
        self._size = self._do("count vectors", self._collection.count)

    def delete(self, ids: Sequence[str]) -> None:
        """Remove vectors by id; ids that are not there do not matter."""
        for start in range(0, len(ids), self._batch):
            part = list(ids[start : start + self._batch])
            self._do("delete vectors", partial(self._collection.delete, ids=part))
        self._size = self._do("count vectors", self._collection.count)

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[str]:
        """The ids of the vectors nearest to `vector` by cosine, best first, at most `limit`."""
        found, _ = self._query(vector[None, :], limit)
        return found[0]

    def probe(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> tuple[int, int]:
        """How many of these vectors are not there as they were given, and how many do not find themselves.

        A few of the latter are no damage: the index is approximate, and vectors may lie close together.
        """
        get = partial(self._collection.get, ids=list(ids), include=["embeddings"])
        found: Any = self._do("read vectors", get)
        places = {name: place for place, name in enumerate(ids)}
        there = vectors[[places[name] for name in found["ids"]]]
        stored = np.asarray(found["embeddings"], np.float32).reshape(len(there), -1)
        lost = len(ids) - len(there)
        if stored.shape == there.shape:
            # Chroma may scale what it is given.
            lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(there, axis=1)
            lost += int((~((stored * there).sum(axis=1) > (1 - _SAME) * lengths)).sum())
        else:
            lost = len(ids)
        names, distances = self._query(vectors, 10)
        unfound = sum(
            name not in near and not (far and far[0] < _SAME)
            for name, near, far in zip(ids, names, distances, strict=True)
        )
        return lost, unfound

    def _query(self, vectors: NDArray[np.float32], limit: int) -> tuple[list[list[str]], list[list[float]]]:
        wanted = min(limit, self._size)
        if not wanted or not len(vectors):
            return [[] for _ in vectors], [[] for _ in vectors]
        query = partial(self._collection.query, query_embeddings=vectors, n_results=wanted, include=["distances"])
        found: Any = self._do("search vectors", query)
        return found["ids"], found["distances"]

    def ids(self) -> list[str]:
        """Every id there is: for checks, not for searches."""
        names: list[str] = []
        while True:
            page = partial(self._collection.get, include=[], limit=_LARGEST_BATCH, offset=len(names))
            part = self._do("list vectors", page)["ids"]
            names += part
            if not part:
                return names

    def drop(self) -> None:
        """Delete the collection from its server."""
        self._do("delete the collection", partial(self._client.delete_collection, self._place.name))

    def close(self) -> None:
        """Let go of the folder, and note its checksums."""
        self._client.close()
        if self._place.folder:
            write_seal(Path(self._place.folder))

    def _do(self, what: str, act: Callable[[], T]) -> T:
        try:
            return act()
        except (LostError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a damaged folder shows as anything up to a Rust panic, which is no Exception
            text = f"Chroma could not {what} in {self._place.shown}: {error}"
            if isinstance(error, NotFoundError) and what != "open":
                raise LostError(text) from error
            # A server's trouble is its owner's to mend: nothing there is thrown away for it.
            raise (StoreError if self._place.folder else AwayError)(text) from error


def _remote(place: Place) -> Any:
    parts = urlsplit(place.url)
    tls = parts.scheme == "https"
    settings = chromadb.config.Settings(_env_file=None, anonymized_telemetry=False)
    if place.cloud:
        return chromadb.CloudClient(
            tenant=place.tenant,
            database=place.database,
            api_key=next(iter(place.headers.values())),
            settings=settings,
            cloud_host=str(parts.hostname),
            cloud_port=parts.port or (443 if tls else 80),
            enable_ssl=tls,
        )
    return chromadb.HttpClient(
        host=place.url,
        port=parts.port or (443 if tls else 80),
        ssl=tls,
        headers=dict(place.headers),
        settings=settings,
        tenant=place.tenant or chromadb.config.DEFAULT_TENANT,
        database=place.database or chromadb.config.DEFAULT_DATABASE,
    )
