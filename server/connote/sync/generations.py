"""Which pass saw a path last: a slow pass never undoes what a newer one wrote."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from weakref import WeakValueDictionary


class Generations:
    """Tickets in the order of looking: who looked at a path later knows better what it is now.

    A pass takes a ticket before it looks, and claims each path before it writes what it saw there. Any thread may ask.
    """

    def __init__(self) -> None:
        self._tickets = itertools.count(1)
        self._lock = threading.Lock()
        self._claimed: dict[str, int] = {}
        self._written: dict[str, int] = {}
        self._reading: Counter[str] = Counter()

    def now(self) -> int:
        """A ticket for a look at any number of paths that begins after this."""
        return next(self._tickets)

    def begin_reading(self, path: str) -> int:
        """A ticket for reading one file. `end_reading` follows in every case."""
        with self._lock:
            self._reading[path] += 1
            return next(self._tickets)

    def end_reading(self, paths: Iterable[str]) -> None:
        """Say that what was read of these files is written, or never will be."""
        with self._lock:
            for path in paths:
                self._reading[path] -= 1
                if self._reading[path] <= 0:
                    del self._reading[path]

    def outdate(self, covers: Callable[[str], bool], ticket: int, but: Collection[str] = ()) -> None:
        """Refuse what older passes have read and not written yet, of the paths covered but some: it is known better."""
        with self._lock:
            for path in self._reading:
                if covers(path) and path not in but:
                    self._claimed[path] = max(ticket, self._claimed.get(path, 0))

    def claim(self, path: str, ticket: int) -> bool:
        """Whether what was seen with this ticket may be written: no later pass has claimed the path."""
        with self._lock:
            if self._claimed.get(path, 0) > ticket:
                return False
            self._claimed[path] = ticket
            return True

    def wrote(self, paths: Iterable[str]) -> None:
        """Note that these paths were written just now."""
        with self._lock:
            now = next(self._tickets)
            self._written.update(dict.fromkeys(paths, now))

    def written_since(self, path: str, ticket: int) -> bool:
        """Whether a path was written after this ticket was taken."""
        return self._written.get(path, 0) > ticket


def generations_of(folder: Path) -> Generations:
    """The tickets of the index in this folder: one row for all who write to it in this process."""
    with _opening:
        found = _open.get(folder)
        if found is None:
            found = _open[folder] = Generations()
        return found


_opening = threading.Lock()
_open: WeakValueDictionary[Path, Generations] = WeakValueDictionary()
