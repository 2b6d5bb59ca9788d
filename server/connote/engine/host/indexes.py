"""The indexes that a host has open: one object for each client's settings, one store for all that share its data."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from connote.config import ServerOptions, Settings
from connote.engine import places
from connote.engine.api import News
from connote.engine.local import LocalIndex, Opened
from connote.store import Store

_MOST_INDEXES = 8
_MOST_STORES = 4
_CLEAR_SECONDS = 30.0
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Held:
    """An index that clients use."""

    settings: Settings
    index: LocalIndex
    users: int = 0
    """Calls that run."""
    followers: int = 0
    """Clients that follow it: what they brought is kept for so long."""
    used: float = field(default_factory=time.monotonic)


@dataclass(eq=False)
class _Place:
    """A store that is open."""

    opened: Opened
    keep: bool
    """Whether it may stay open when nobody uses it: not when it was opened with somebody's credentials."""
    users: int = 0
    used: float = field(default_factory=time.monotonic)


class Indexes:
    """All open indexes of one root. Any number of threads may use it.

    What a client brings along, keys above all, serves its own calls: an index is found again only by the very same
    settings, and one that was opened with a secret is closed as soon as no call and no follower needs it.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.on_damage: Callable[[], None] = lambda: None
        """Called from any thread when everything was closed because a store is damaged: it is built again by whoever
        asks or follows next."""
        self.damages = 0
        """How often that was."""
        self._root = root
        self._folder = folder
        self._held: dict[Settings, Held] = {}
        self._places: dict[Hashable, _Place] = {}
        self._changed = threading.Condition(threading.RLock())
        self._clearing = False

    @contextmanager
    def use(self, settings: Settings) -> Iterator[LocalIndex]:
        """The index for these settings, open for so long. Raises ConfigError and StoreError."""
        held = self._take(settings)
        try:
            yield held.index
        finally:
            with self._changed:
                held.users -= 1
                held.used = time.monotonic()
                self._trim()
                self._changed.notify_all()

    def follow(self, settings: Settings, on_news: Callable[[News], None]) -> Callable[[], None]:
        """Keep the index for these settings open and fresh, and hear of it, until what is returned is called."""
        held = self._take(settings)
        deafen = held.index.listen(on_news)
        held.index.keep_fresh(settings.server)

        def end() -> None:
            deafen()
            with self._changed:
                held.followers -= 1
                self._trim()

        with self._changed:
            held.users -= 1
            held.followers += 1
            self._changed.notify_all()
        return end

    def clear(self) -> bool:
        """Close everything and remove all indexes of the root. Returns whether there were any.

        Waits for the calls that run; those that come meanwhile wait too, and begin with an empty index.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._clearing)
            self._clearing = True
        try:
            with self._changed:
                if not self._changed.wait_for(self._is_idle, _CLEAR_SECONDS):
                    _log.warning("the indexes of %s are removed although calls still run", self._root)
                self._close_all()
                return places.clear_indexes(self._folder)
        finally:
            with self._changed:
                self._clearing = False
                self._changed.notify_all()

    def close(self) -> None:
        """Close everything, at the end."""
        with self._changed:
            self._close_all()

    def any_damaged(self) -> bool:
        """Whether a store that is open was seen to be damaged."""
        with self._changed:
            return any(place.opened.store.catalog.damaged for place in self._places.values())

    def _take(self, settings: Settings) -> Held:
        # The host's behaviour is no part of what an index is, and its folder is this one however a client spells it.
        settings = dataclasses.replace(settings, server=ServerOptions(), index_dir=self._folder.parent)
        with self._changed:
            self._changed.wait_for(lambda: not self._clearing)
            if self.any_damaged():
                self._close_all()
                self.damages += 1
                self.on_damage()
            held = self._held.get(settings)
            if held is None:
                index = LocalIndex(self._root, settings, open_store=self._open_store)
                held = self._held[settings] = Held(settings, index)
            held.users += 1
            return held

    def _open_store(self, folder: Path, settings: Settings) -> Opened:
        key = (folder, *_access(settings))
        place = self._places.get(key)
        if place is None:
            store = Store(folder, settings.store, cache=places.cache_folder(settings))
            opened = Opened(store, lambda: self._release(key))
            place = self._places[key] = _Place(opened, keep=not _has_secrets(settings.store))
        place.users += 1
        return place.opened

    def _release(self, key: Hashable) -> None:
        with self._changed:
            place = self._places.get(key)
            if place is not None:
                place.users -= 1
                place.used = time.monotonic()

    def _is_idle(self) -> bool:
        return not any(held.users for held in self._held.values())

    def _trim(self) -> None:
        """Close what nobody needs."""
        unused = [held for held in self._held.values() if not held.users and not held.followers]
        unused.sort(key=lambda held: held.used)
        excess = len(self._held) - _MOST_INDEXES
        for number, held in enumerate(unused):
            if number < excess or _has_secrets(held.settings):
                del self._held[held.settings]
                held.index.close()
        idle = sorted((item for item in self._places.items() if not item[1].users), key=lambda item: item[1].used)
        excess = len(self._places) - _MOST_STORES
        for number, (key, place) in enumerate(idle):
            if number < excess or not place.keep:
                del self._places[key]
                place.opened.store.close()

    def _close_all(self) -> None:
        for held in self._held.values():
            held.index.close()
        self._held.clear()
        for place in self._places.values():
            place.opened.store.close()
        self._places.clear()


def _access(settings: Settings) -> tuple[object, ...]:
    """What decides which data a store's options reach, and by whose right."""
    return tuple(
        getattr(settings.store, one.name)
        for one in dataclasses.fields(settings.store)
        if one.metadata.get("user_only") or one.metadata.get("secret")
    )


def _has_secrets(settings: object) -> bool:
    if isinstance(settings, Settings):
        return any(_has_secrets(getattr(settings, group.name)) for group in dataclasses.fields(settings))
    if not dataclasses.is_dataclass(settings):
        return False
    return any(one.metadata.get("secret") and getattr(settings, one.name) for one in dataclasses.fields(settings))
