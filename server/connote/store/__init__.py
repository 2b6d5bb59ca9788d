"""Where an index lives: a catalog that any process may use, and a Chroma collection that one process owns."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from connote.errors import StoreError
from connote.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from connote.store.catalog import Catalog, Entry, FileRecord, text_digest
    from connote.store.chroma import ChromaVectors
    from connote.store.lookup import ChunkRow, Filter

__all__ = ["SCHEMA_VERSION", "ChunkRow", "Entry", "FileRecord", "Filter", "Store", "StoreOptions", "text_digest"]

_FLUSH = 5000
_HOMES = {
    "ChunkRow": "lookup", "Filter": "lookup", "Entry": "catalog", "FileRecord": "catalog", "text_digest": "catalog",
}  # fmt: skip
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoreOptions:
    """Where vectors are kept."""

    kind: str = field(default="persistent", metadata={"choices": ("persistent",), "user_only": True})
    """`persistent` is a Chroma folder beside the catalog."""
    keep_days: int = field(default=14, metadata={"minimum": 1, "maximum": 3650})
    """Days after which an index that nobody used is dropped."""


class Store:
    """One index on disk. The catalog is the truth; Chroma follows it.

    Any process may read and change the catalog. The process that holds the owner's lock brings Chroma up to date and
    asks it for neighbours; every other process computes exact distances over the catalog's vectors. What a process
    changes is therefore seen by all at once, and nothing is lost when the owner is gone: the next one finds in the
    catalog what Chroma lacks.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Here and below: a face needs the options alone, for its settings; all else is loaded where it is used.
        from connote.store.lock import OwnerLock  # noqa: PLC0415 - see the comment above
        from connote.store.lookup import Lookup  # noqa: PLC0415 - as above

        self._lock = OwnerLock(folder)
        self.catalog = self._open_catalog()
        self.lookup = Lookup(self.catalog)
        self._chroma_lock = threading.Lock()
        self._chroma: ChromaVectors | None = None
        self._deleted_at = 0
        self._closed = False

    @property
    def owned(self) -> bool:
        """Whether this process owns Chroma's folder."""
        return self._lock.held

    def flush(self, cancel: threading.Event | None = None) -> bool:
        """Bring Chroma up to date with the catalog if this process is, or can become, the owner.

        Returns whether Chroma is up to date. A folder that Chroma cannot read is set aside and filled again.
        """
        with self._chroma_lock:
            if self._closed or not self._lock.acquire():
                return False
            try:
                return self._flush(cancel)
            except StoreError as error:
                _log.warning("%s; it is built again from the catalog", error)
                self._reset()
                return self._flush(cancel)

    def _flush(self, cancel: threading.Event | None) -> bool:
        while not (cancel and cancel.is_set()):
            gone, new, vectors = self.catalog.outbox(_FLUSH)
            if not gone and not new:
                return True
            chroma = self._open()
            if gone:
                self._deleted_at = self.catalog.generation()
                chroma.delete([digest.hex() for digest in gone])
            if new:
                chroma.add([digest.hex() for digest in new], vectors)
            self.catalog.mark_stored(new, gone)
        return False

    def _open_catalog(self) -> Catalog:
        from connote.store.catalog import Catalog, DamagedError  # noqa: PLC0415 - as above

        file = self.folder / "catalog.sqlite"
        try:
            return Catalog(file)
        except DamagedError as error:
            if not self._lock.acquire():
                raise
            _log.warning("%s; it is set aside and built again", error)
            for part in self.folder.glob("catalog.sqlite*"):
                part.replace(part.with_name(f"damaged-{part.name}"))
            return Catalog(file)

    def warm(self) -> None:
        """Open Chroma now, so that the first search does not wait for it; only the owner does."""
        with self._chroma_lock:
            if not self._closed and self._lock.acquire() and self._chroma_folder().is_dir():
                self._open()

    def nearest(self, vector: NDArray[np.float32], limit: int, allowed: Filter) -> list[int]:
        """The chunks nearest to a vector, best first.

        The owner asks Chroma once it is open, and adds by exact distance what Chroma does not have yet. Filtered
        searches and every other process compute exact distances: Chroma's own filters cost up to 200 times as much.
        """
        import numpy as np  # noqa: PLC0415 - as above

        from connote.store.lookup import Filter  # noqa: PLC0415 - as above

        chroma = self._chroma
        if chroma is None or allowed != Filter():
            return self.lookup.nearest(vector, limit, allowed)
        try:
            digests = [bytes.fromhex(name) for name in chroma.nearest(vector, limit)]
        except StoreError as error:
            _log.warning("%s; exact distances are used instead", error)
            return self.lookup.nearest(vector, limit, allowed)
        if self._deleted_at > self.catalog.generation():
            # This search reads an older state of the catalog, and what it should find may just have left Chroma.
            return self.lookup.nearest(vector, limit, allowed)
        _, late, vectors = self.catalog.outbox(_FLUSH)
        if late:
            order = np.argsort(-(vectors @ vector))[:limit]
            digests += [late[place] for place in order]
        return self.lookup.of_digests(digests)

    def forget_vectors(self) -> None:
        """Drop every vector, so that all texts are embedded again."""
        with self._chroma_lock:
            self.catalog.forget_vectors()
            if self._lock.acquire():
                self._reset()

    def close(self) -> None:
        """Let go of files and of the owner's lock."""
        with self._chroma_lock:
            self._closed = True
            if self._chroma is not None:
                self._chroma.close()
                self._chroma = None
            self.catalog.close()
            self._lock.release()

    def _open(self) -> ChromaVectors:
        if self._chroma is None:
            from connote.store.chroma import ChromaVectors  # noqa: PLC0415 - costs seconds, paid by the owner alone

            self._chroma = ChromaVectors(self._chroma_folder())
            if len(self._chroma) < self.catalog.stored():
                raise StoreError(f"Chroma lost vectors in {self._chroma_folder()}")
        return self._chroma

    def _chroma_folder(self) -> Path:
        return self.folder / f"chroma-{self.catalog.get('chroma') or 0}"

    def _reset(self) -> None:
        from connote.store.chroma import destroy  # noqa: PLC0415 - as above

        if self._chroma is not None:
            self._chroma.close()
            self._chroma = None
        # Chroma remembers a folder that it could not open, so the next one has another name.
        old, number = self._chroma_folder(), self.catalog.get("chroma")
        self.catalog.set(chroma=number + 1 if isinstance(number, int) else 1)
        self.catalog.mark_nothing_stored()
        destroy(old)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
