"""One index on disk: the catalog, the collection that follows it, and the vectors that it shares with others."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from connote.errors import StoreError
from connote.store import soundness
from connote.store.cache import VectorCache
from connote.store.catalog import Catalog
from connote.store.database import DamagedError
from connote.store.follower import Follower
from connote.store.lock import OwnerLock
from connote.store.lookup import Filter, Lookup
from connote.store.options import StoreOptions, place_of
from connote.store.process import Budgets, ChromaProcess

_log = logging.getLogger(__name__)


class Store:
    """One index on disk. The catalog is the truth; Chroma follows it.

    Any process may read and change the catalog. The process that holds the owner's lock brings Chroma up to date and
    asks it for neighbours; every other process computes exact distances over the catalog's vectors. What a process
    changes is therefore seen by all at once, and nothing is lost when the owner is gone: the next one finds in the
    catalog what Chroma lacks.
    """

    def __init__(
        self,
        folder: Path,
        options: StoreOptions | None = None,
        budgets: Budgets | None = None,
        cache: Path | None = None,
    ) -> None:
        """Open the index in `folder`; `cache` is the folder of the vectors that it shares with others.

        Raises StoreError.
        """
        options = options or StoreOptions()
        self.folder = folder
        self.cache = VectorCache(cache or folder, options.cache_bytes if cache else 0)
        self._lock = OwnerLock(folder)
        self.catalog = self._open_catalog()
        self.lookup = Lookup(self.catalog)
        self.chroma = Follower(folder, self.catalog, self._lock, options, budgets)

    @property
    def owned(self) -> bool:
        """Whether this process owns the index's collection."""
        return self._lock.held

    @property
    def trouble(self) -> str | None:
        """Why Chroma does not follow the catalog at the moment, in a sentence. Searches answer all the same."""
        return self.chroma.trouble

    def flush(self, cancel: threading.Event | None = None) -> bool:
        """Bring Chroma up to date with the catalog if this process is, or can become, the owner.

        Returns whether Chroma is up to date. What is damaged there, hangs or crashes is replaced and filled again from
        the catalog; what cannot be mended is told by `trouble`. Raises StoreError for the catalog alone.
        """
        return self.chroma.flush(cancel)

    def follow(self) -> None:
        """Bring Chroma up to date soon, as `flush` does, in a thread of its own."""
        self.chroma.follow()

    def warm(self) -> None:
        """Open Chroma now, so that the first search does not wait for it; only the owner does."""
        self.chroma.warm()

    def nearest(self, vector: NDArray[np.float32], limit: int, allowed: Filter) -> list[int]:
        """The chunks nearest to a vector, best first.

        The owner asks Chroma once it is open, and adds by exact distance what Chroma does not have yet. While Chroma
        is at work or gone, in filtered searches and in every other process, exact distances are computed: no search
        waits, and Chroma's own filters cost up to 200 times as much.
        """
        digests = self.chroma.nearest(vector, limit) if allowed == Filter() else None
        return self.lookup.nearest(vector, limit, allowed) if digests is None else self.lookup.of_digests(digests)

    def forget_vectors(self) -> None:
        """Drop every vector, so that all texts are embedded again."""
        self.catalog.forget_vectors()
        self.chroma.forget()

    def close(self) -> None:
        """Let go of files and of the owner's lock."""
        self.chroma.close()
        self.cache.close()
        self.catalog.close()
        if self._lock.acquire():
            soundness.seal(self.catalog.path)
        self._lock.release()

    def _open_catalog(self) -> Catalog:
        file = self.folder / "catalog.sqlite"
        owner = self._lock.acquire()
        try:
            if owner and soundness.is_damaged(file):
                return self._begin_anew(file)
            try:
                return Catalog(file)
            except DamagedError:
                if not owner:
                    raise
                return self._begin_anew(file)
        finally:
            self._lock.release()

    def _begin_anew(self, file: Path) -> Catalog:
        _log.warning("the index %s is damaged; it is set aside and built again", file)
        for part in self.folder.glob(f"{file.name}*"):
            part.replace(part.with_name(f"damaged-{part.name}"))
        catalog = Catalog(file)
        catalog.set(set_aside=1)
        return catalog


def drop_elsewhere(folder: Path, options: StoreOptions) -> None:
    """Delete what the index in `folder` has on the server of these options, before the folder is removed.

    A server that cannot be reached keeps it, which is logged.
    """
    if not options.where() or not (folder / "catalog.sqlite").exists():
        return
    try:
        store = Store(folder, options)
    except StoreError as error:
        _log.warning("%s; what it has on a server stays there", error)
        return
    store.chroma.drop()
    store.close()


def try_out(options: StoreOptions, folder: Path) -> str:
    """Store and find two vectors in a collection of their own, and say how that went. Raises StoreError."""
    vectors = ChromaProcess(folder)
    try:
        vectors.open(place_of(options, folder / "chroma", f"connote-check-{uuid4().hex}"))
        digests = [bytes(15) + b"a", bytes(15) + b"b"]
        rows = np.eye(2, 8, dtype="<f2")
        vectors.add(digests, [row.tobytes() for row in rows])
        found = vectors.nearest(rows[0].astype(np.float32), 1)
        if options.kind != "persistent":
            vectors.drop()
    finally:
        vectors.kill()
    if found != digests[:1]:
        raise StoreError(f"Chroma found {found} where it should find {digests[:1]}")
    return "Chroma stores and finds" + (f" at {options.url or options.kind}" if options.kind != "persistent" else "")
