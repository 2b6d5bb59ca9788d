"""When an endpoint may be asked again: one pace for all that ask it, so that one refusal slows all of them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

FIRST_SECONDS, LONGEST_SECONDS = 0.5, 30.0
"""The pauses of an endpoint that does not say how long; they double."""
_LOOK_SECONDS = 0.05


class Pace:
    """Any number of threads may use it.

    Several requests that are refused at once are one refusal: pauses grow with each try, not with each thread.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next = 0.0
        self._grown = 0.0
        self._since: float | None = None
        self._level = 0

    @property
    def pause(self) -> float:
        """Seconds until the next request may go out."""
        return max(0.0, self._next - self._clock())

    @property
    def struggling(self) -> float:
        """Seconds since the first refusal that no success has followed."""
        since = self._since
        return 0.0 if since is None else self._clock() - since

    def wait(self, stopped: Callable[[], bool]) -> bool:
        """Wait until a request may go out; returns False when `stopped` says so first."""
        while (pause := self.pause) > 0:
            if stopped():
                return False
            time.sleep(min(pause, _LOOK_SECONDS))
        return not stopped()

    def now(self) -> float:
        """The time, for `slow`."""
        return self._clock()

    def slow(self, asked: float, seconds: float | None) -> float:
        """Note that what was asked at a time was refused, perhaps with the `seconds` to wait; returns the pause."""
        with self._lock:
            now = self._clock()
            if self._since is None:
                self._since = now
            if asked >= self._grown:
                self._grown = now
                self._level += 1
            pause = min(FIRST_SECONDS * 2 ** (self._level - 1), LONGEST_SECONDS) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret hangs on it
            if seconds is not None:
                # A little later than asked for, and not all at the same moment.
                pause = seconds * random.uniform(1.0, 1.1)  # noqa: S311 - as above
            self._next = max(self._next, now + pause)
            return self._next - now

    def fine(self) -> None:
        """Note a success."""
        with self._lock:
            self._level = 0
            self._since = None
