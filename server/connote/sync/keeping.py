"""Keeping an index true without anybody's help: file events, a regular check, and another try of what failed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from connote.errors import ConnoteError
from connote.sync import watching
from connote.walk import WalkOptions

_LEAST_SHARE = 50.0
"""How many times longer than the last check took the next one waits, so that a large tree is not looked at all day."""
_REST_FACTOR, _LONGEST_REST = 10.0, 5.0
_WATCHED_FACTOR = 5.0
"""How much rarer the check is where events come."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Work:
    """What the keeper asks of its index. Each may be called from any thread, also at once."""

    update: Callable[[list[str]], object]
    """Bring these paths up to date."""
    sync: Callable[[threading.Event], object]
    """Bring everything up to date, until the event is set."""
    retry_in: Callable[[], float | None]
    """Seconds until what failed should be tried again; None when nothing failed."""
    indexed: Callable[[], Iterable[str]]
    """The indexed paths."""


class Keeper:
    """Keeps one root's index true, from `start` to `stop`.

    With `watch`, the operating system's events are followed; where they do not come, and now and then where they do,
    every file's size and time are compared each `check_seconds` (0: never).
    """

    def __init__(self, root: Path, options: WalkOptions, work: Work, *, watch: bool, check_seconds: float) -> None:
        self._root = root
        self._work = work
        self._check_seconds = check_seconds
        self._wake = threading.Condition()
        self._everything = False
        self._stopped = threading.Event()
        self._took = 0.0
        self._watcher = watching.Watcher(root, options, self._update, self.request, work.indexed) if watch else None
        self._thread = threading.Thread(target=self._run, name="connote-keep", daemon=True)

    @property
    def note(self) -> str | None:
        """What a user should know: why nothing is watched, and what is done instead."""
        problem = self._watcher.problem if self._watcher else None
        if problem is None:
            return None
        if not self._check_seconds:
            return f"{problem} Nor are they checked regularly: `connote index` finds what changed."
        return f"{problem} They are checked every {round(self._pause())} s instead."

    def start(self) -> None:
        """Begin; returns at once."""
        if self._watcher:
            self._watcher.start()
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until changes are seen, or it is known that they will not be."""
        return self._watcher is None or self._watcher.wait(seconds)

    def request(self) -> None:
        """Look at everything soon; a request that waits already is enough."""
        with self._wake:
            self._everything = True
            self._wake.notify()

    def stop(self) -> None:
        """End: what runs is stopped, and waited for."""
        self._stopped.set()
        with self._wake:
            self._wake.notify()
        if self._watcher:
            self._watcher.stop()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        checked = time.monotonic()
        while not self._stopped.is_set():
            with self._wake:
                if not self._everything:
                    self._wake.wait(self._due(checked))
                due = self._everything or self._due(checked) == 0
                self._everything = False
            if due:
                # Git writes its index at every turn: what asks often for all waits, and is one.
                self._stopped.wait(min(_LONGEST_REST, _REST_FACTOR * self._took) - (time.monotonic() - checked))
            if due and not self._stopped.is_set():
                began = time.monotonic()
                self._do(lambda: self._work.sync(self._stopped))
                checked = time.monotonic()
                self._took = checked - began

    def _due(self, checked: float) -> float | None:
        """Seconds until the next look at everything; None is never."""
        times = [self._pause() - (time.monotonic() - checked)] if self._check_seconds else []
        again = self._work.retry_in()
        if again is not None:
            times.append(max(again, 1.0 - (time.monotonic() - checked)))
        return max(0.0, min(times)) if times else None

    def _pause(self) -> float:
        watched = self._watcher is not None and self._watcher.problem is None
        pause = self._check_seconds * (_WATCHED_FACTOR if watched else 1.0)
        return max(pause, self._took * _LEAST_SHARE)

    def _update(self, paths: list[str]) -> None:
        self._do(lambda: self._work.update(paths))
        if self._work.retry_in() is not None:
            with self._wake:
                self._wake.notify()

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except ConnoteError as error:
            if not self._stopped.is_set():
                _log.warning("%s", error)
        except Exception:  # noqa: BLE001 - see below
            # The next event or check tries again; a thread that ended would leave the index to itself.
            _log.exception("%s could not be kept up to date", self._root)
