"""The vectors' home: a persistent Chroma collection, owned by one process. The only user of chromadb."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connote.errors import StoreError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAME = "chunks"
_ENVIRONMENT = ("CHROMA_", "MIGRATIONS", "WORKER_")
_ENVIRONMENT_NAMES = frozenset(
    (
        "ENVIRONMENT",
        "PERSIST_DIRECTORY",
        "IS_PERSISTENT",
        "ALLOW_RESET",
        "TENANT_ID",
        "TOPIC_NAMESPACE",
        "ANONYMIZED_TELEMETRY",
    )
)
_importing = threading.Lock()


class ChromaVectors:
    """Vectors by id. Several threads may use it; only the process that holds the owner's lock may open it."""

    def __init__(self, folder: Path) -> None:
        # The same folder by two spellings would be two unconnected systems in one process.
        self._folder = folder.resolve()
        with _clean_import(self._folder):
            import chromadb  # noqa: PLC0415 - seconds and 70 MB, paid only where vectors are kept

            self._errors: tuple[type[BaseException], ...] = (chromadb.errors.ChromaError, ValueError, OSError)
            try:
                self._open(chromadb)
            except BaseException as error:
                # A damaged folder shows as anything up to a Rust panic, which is no Exception.
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                raise StoreError(f"Chroma cannot open {self._folder}: {error}") from error

    def _open(self, chromadb: Any) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        settings = chromadb.config.Settings(
            _env_file=None, anonymized_telemetry=False, is_persistent=True, persist_directory=str(self._folder)
        )
        self._client = chromadb.PersistentClient(path=str(self._folder), settings=settings)
        self._collection = self._client.get_or_create_collection(
            _NAME,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_construction": 100, "ef_search": 200, "max_neighbors": 16}},
        )
        space = self._collection.configuration_json["hnsw"]["space"]
        if space != "cosine":
            raise StoreError(f"The collection in {self._folder} measures {space}, not cosine.")
        self._batch = min(1000, self._client.get_max_batch_size())
        self._size = self._collection.count()

    def __len__(self) -> int:
        return int(self._size)

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Insert or replace vectors; ids are distinct. Raises StoreError."""
        for start in range(0, len(ids), self._batch):
            part = slice(start, start + self._batch)
            self._do(
                "add vectors", lambda part=part: self._collection.upsert(list(ids[part]), embeddings=vectors[part])
            )
        self._size = self._do("count vectors", self._collection.count)

    def delete(self, ids: Sequence[str]) -> None:
        """Remove vectors by id; ids that are not there do not matter. Raises StoreError."""
        for start in range(0, len(ids), self._batch):
            part = list(ids[start : start + self._batch])
            self._do("delete vectors", lambda part=part: self._collection.delete(ids=part))
        self._size = self._do("count vectors", self._collection.count)

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[str]:
        """The ids of the vectors nearest to `vector` by cosine, best first, at most `limit`. Raises StoreError."""
        if not self._size:
            return []
        wanted = min(limit, self._size)
        found = self._do(
            "search vectors",
            lambda: self._collection.query(query_embeddings=[vector], n_results=wanted, include=[]),
        )
        return list(found["ids"][0])

    def ids(self) -> set[str]:
        """Every id there is: for checks, not for searches."""
        return set(self._do("list vectors", lambda: self._collection.get(include=[]))["ids"])

    def close(self) -> None:
        """Let go of the folder's files."""
        self._client.close()

    def _do(self, what: str, act: Any) -> Any:
        try:
            return act()
        except self._errors as error:
            raise StoreError(f"Chroma could not {what} in {self._folder}: {error}") from error
        except BaseException as error:
            if type(error).__name__ == "PanicException":
                raise StoreError(f"Chroma could not {what} in {self._folder}: {error}") from error
            raise


def destroy(folder: Path) -> None:
    """Remove a Chroma folder that is not open."""
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _clean_import(folder: Path) -> Iterator[None]:
    """Keep a workspace's `.env` and environment from reaching Chroma, which reads both when it is imported."""
    with _importing:
        before = Path.cwd()
        hidden = {
            name: os.environ.pop(name)
            for name in list(os.environ)
            if name.upper().startswith(_ENVIRONMENT) or name.upper() in _ENVIRONMENT_NAMES
        }
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.chdir(folder.parent)
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.update(hidden)
