"""Chroma follows the catalog: what it lacks is added, what it has too much deleted, what it lost filled again."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from connote.errors import StoreError
from connote.store.catalog import Catalog
from connote.store.lock import OwnerLock
from connote.store.options import Place, StoreOptions, place_of
from connote.store.process import Budgets, ChildError, ChromaProcess
from connote.store.rows import unpack

_BATCH = 5000
_ATTEMPTS, _COLLECTIONS = 3, 3
_PROBES, _PROBES_UNSEALED = 16, 128
"""Vectors that are looked up after opening: few in a folder whose checksums are right."""
_SHARE_UNFOUND = 1 / 4
"""Of generated files that are all alike, an index that is sound did not find 1 in 40; a damaged one loses most."""
_LEAST_DEAD, _DEAD_SHARE = 5000, 1.0
"""Chroma keeps what is deleted in its files and in memory, and grows slower with it: a collection with more of it than
this, and than this share of what it should have, is made anew."""
_FOLLOW_SECONDS = 0.5
_LONGEST_PAUSE = 300.0
_log = logging.getLogger(__name__)


class Follower:
    """Keeps one Chroma collection in step with one catalog, if this process is, or can become, the index's owner.

    Nothing here raises for what Chroma does: trouble is logged and told by `trouble`, the next call tries again after
    a pause that grows, and until then searches compute exact distances over the catalog's vectors.
    """

    def __init__(
        self, folder: Path, catalog: Catalog, lock: OwnerLock, options: StoreOptions, budgets: Budgets | None = None
    ) -> None:
        self._folder = folder
        self._catalog = catalog
        self._lock = lock
        self._options = options
        self._budgets = budgets
        self._work = threading.Lock()
        """Held by the one thread that opens, fills or replaces the collection; never while a search waits."""
        self._vectors: ChromaProcess | None = None
        self._starting: ChromaProcess | None = None
        self._closed = False
        self._deleted_at = 0
        """The catalog's state when vectors last left Chroma."""
        self._asking = threading.Lock()
        self._asked = False
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()
        self._failures = 0
        self._not_before = 0.0
        self.trouble: str | None = None
        """Why Chroma does not follow at the moment, in a sentence."""

    def flush(self, cancel: threading.Event | None = None) -> bool:
        """Bring the collection up to date. Returns whether it is; StoreError is raised for the catalog alone."""
        with self._work:
            return self._may_work() and self._guarded(lambda: self._flush(cancel))

    def follow(self) -> None:
        """Bring the collection up to date soon, beside everything else."""
        with self._asking:
            self._asked = True
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="connote-follow", daemon=True)
                self._thread.start()

    def warm(self) -> None:
        """Open what is there, so that the first search does not wait for it."""
        with self._work:
            if self._may_work() and (self._vectors or self._catalog.any_stored()):
                self._guarded(lambda: self._do(lambda _: None) or self._flush(None))

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[bytes] | None:
        """The digests of the texts nearest to a vector, in no order; None when exact distances are to be used:
        Chroma is not open, or at work, or far behind the catalog."""
        vectors = self._vectors
        if vectors is None:
            return None
        most = limit * 5
        gone, late, rows = self._catalog.outbox(most)
        if len(gone) == most or len(late) == most:
            return None
        try:
            digests = vectors.nearest(vector, limit + len(gone))
        except ChildError as error:
            _log.warning("%s; exact distances are used until it is mended", error)
            self._mend(vectors)
            return None
        if self._deleted_at > self._catalog.generation():
            # This search reads an older state of the catalog, and what it should find may just have left Chroma.
            return None
        if digests is None or not late:
            return digests
        order = np.argsort(-(unpack(rows) @ vector))[:limit]
        return digests + [late[place] for place in order]

    def digests(self) -> set[bytes]:
        """Every digest that Chroma has, if it is open here: for checks, not for searches."""
        return self._vectors.digests() if self._vectors else set()

    @property
    def pid(self) -> int | None:
        """Chroma's process, while there is one."""
        return self._vectors.pid if self._vectors else None

    def forget(self) -> None:
        """Begin with an empty collection. The caller has emptied the catalog's vectors."""
        with self._work:
            if self._lock.acquire():
                self._replace()

    def drop(self) -> None:
        """Delete the collection from its server, as far as it can be reached; a folder is left to who removes it."""
        with self._work:
            where = self._options.where()
            if where and self._catalog.get("collection_at") == where and self._lock.acquire():
                try:
                    self._open().drop()
                except ChildError as error:
                    _log.warning("%s; its collection stays on the server", error)
                self._end()

    def close(self) -> None:
        """End Chroma's process, also in the middle of its work."""
        self._closed = True
        self._ending.set()
        if starting := self._starting:
            starting.kill()
        if vectors := self._vectors:
            vectors.close()
        with self._work:
            self._end()
        if self._thread is not None:
            self._thread.join()

    # Private: all below is called with the work lock held

    def _may_work(self) -> bool:
        return not self._closed and time.monotonic() >= self._not_before and self._lock.acquire()

    def _guarded(self, work: Callable[[], object]) -> bool:
        try:
            result = work()
        except ChildError as error:
            if self._closed:
                return False
            self._failures += 1
            self._not_before = time.monotonic() + min(2.0**self._failures, _LONGEST_PAUSE)
            self.trouble = f"{error}; until it works, vectors are compared one by one."
            _log.warning("%s", self.trouble)
            return False
        self._failures, self.trouble = 0, None
        return result is not False

    def _flush(self, cancel: threading.Event | None) -> bool:
        collections = 1
        while not (cancel and cancel.is_set()):
            gone, new, rows = self._catalog.outbox(_BATCH)
            if not gone and not new:
                if not self._is_mostly_dead():
                    return True
                _log.info("Chroma's collection holds mostly what was deleted, and is made anew")
                self._replace()
                continue
            self._catalog.begin_change()
            if gone:
                self._deleted_at = self._catalog.generation()
            if self._do(partial(ChromaProcess.change, gone=gone, new=new, rows=rows)):
                self._catalog.mark_stored(new, gone)
            elif collections == _COLLECTIONS:
                raise ChildError("Chroma loses every collection that it is given", "failed")
            else:
                collections += 1
        return False

    def _is_mostly_dead(self) -> bool:
        # Chroma Cloud compacts what it has by itself.
        dead = self._catalog.dead() if self._options.kind != "cloud" else 0
        return dead > _LEAST_DEAD and dead > _DEAD_SHARE * self._catalog.stored()

    def _do(self, act: Callable[[ChromaProcess], None]) -> bool:
        """Let Chroma do something, with another process or another folder where it fails.

        Returns whether `act` was done on a collection that has all that the catalog says it has; False means that it
        begins anew, and what was wanted has to be read again.
        """
        for attempt in range(_ATTEMPTS):
            try:
                act(self._vectors or self._open())
            except ChildError as error:
                self._end()
                if self._closed or error.kind in ("away", "unusable") or attempt == _ATTEMPTS - 1:
                    raise
                _log.warning("%s", error)
                # What only failed is opened again first: then it is looked at closely.
                if error.kind == "lost" or attempt:
                    self._replace()
                    return False
            else:
                return True
        raise AssertionError("unreachable")

    def _open(self) -> ChromaProcess:
        place = self._place()
        vectors = self._starting = ChromaProcess(self._folder, self._budgets)
        try:
            self._check(vectors, place)
        except BaseException as error:
            vectors.kill()
            if isinstance(error, ChildError) and error.kind in ("gone", "failed") and place.folder:
                # The process was started afresh for this: what fails or hangs now is the folder's fault.
                raise ChildError(str(error), "lost") from error
            raise
        finally:
            self._starting = None
        self._vectors = vectors
        # A process that was killed while it began anew may have left the former folder behind.
        for folder in self._folder.glob("chroma-*") if place.folder else ():
            if folder.is_dir() and folder != Path(place.folder):
                _remove(folder)
        return vectors

    def _check(self, vectors: ChromaProcess, place: Place) -> None:
        if self._closed:
            raise ChildError("The index was closed", "gone")
        vectors.open(place)
        if self._catalog.get("changing"):
            self._take_stock(vectors)
        expected = self._catalog.stored()
        if vectors.size < expected:
            raise ChildError(f"Chroma has {vectors.size} of {expected} vectors in {place.shown}", "lost")
        digests, rows = self._catalog.some_stored(_PROBES if vectors.sealed else _PROBES_UNSEALED)
        lost, unfound = vectors.probe(digests, rows)
        if lost or unfound > len(digests) * _SHARE_UNFOUND:
            raise ChildError(
                f"Of {len(digests)} vectors in {place.shown} {lost} are damaged and {unfound} are not found", "lost"
            )

    def _take_stock(self, vectors: ChromaProcess) -> None:
        """Note what a change that was cut off has added: nobody would ever delete it."""
        strays = vectors.digests() - self._catalog.stored_digests()
        known = self._catalog.with_vector(list(strays))
        vectors.delete(list(strays - known))
        self._catalog.mark_stored(list(known), [])

    def _place(self) -> Place:
        number = self._catalog.get("chroma") or 0
        if self._options.kind == "persistent":
            return place_of(self._options, self._folder / f"chroma-{number}", "")
        name = self._catalog.get("collection")
        # A copy of an index has another inode. Were both to write to one collection, each would lose vectors.
        try:
            mine = str((self._folder / "catalog.sqlite").stat().st_ino)
        except OSError as error:
            raise ChildError(f"The index in {self._folder} is gone: {error}", "unusable") from error
        if name is None or self._catalog.get("collection_of") != mine:
            if name is not None:
                self._catalog.nothing_stored(0)
                self._deleted_at = self._catalog.generation()
            # Random: two machines may have the same root at the same path, and one server.
            name, number = f"connote-{uuid4().hex}", 0
            self._catalog.set(collection=name, collection_of=mine, collection_at=self._options.where())
        return place_of(self._options, self._folder, f"{name}-{number}")

    def _replace(self) -> None:
        """Go on with a new, empty collection."""
        self._end()
        place, number = self._place(), self._catalog.get("chroma")
        self._catalog.nothing_stored(number + 1 if isinstance(number, int) else 1)
        self._deleted_at = self._catalog.generation()
        if place.folder:
            _remove(Path(place.folder))
            return
        old = ChromaProcess(self._folder, self._budgets)
        try:
            old.open(place)
            old.drop()
        except ChildError as error:
            _log.warning("%s; it stays on the server", error)
        finally:
            old.kill()

    def _end(self) -> None:
        vectors, self._vectors = self._vectors, None
        if vectors is not None:
            vectors.kill()

    # Private: called without it

    def _run(self) -> None:
        while True:
            # Saves come in bursts, and a program that is gone in a moment needs no Chroma.
            self._ending.wait(_FOLLOW_SECONDS)
            with self._asking:
                if self._closed or not self._asked:
                    self._thread = None
                    return
                self._asked = False
            self._quietly(self.flush)

    def _mend(self, broken: ChromaProcess) -> None:
        """Open Chroma again beside the searches, which must not wait for it."""

        def work() -> None:
            with self._work:
                if self._vectors is not broken:
                    return
                self._end()
            self._quietly(self.warm)
            self._quietly(self.flush)

        if self._vectors is broken:
            threading.Thread(target=work, name="connote-mend", daemon=True).start()

    def _quietly(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (StoreError, sqlite3.Error) as error:
            # The catalog cannot be used, or was closed meanwhile: whoever uses it next is told.
            if not self._closed:
                _log.warning("vectors could not be stored, they stay in the catalog: %s", error)


def _remove(folder: Path) -> None:
    """Remove what is or was a Chroma folder, with its lock and its seal, as far as the system lets go of it."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in (folder, folder.with_name(f"{folder.name}.lock"), folder.with_name(f"{folder.name}.seal")):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s cannot be removed: %s", path, error)
