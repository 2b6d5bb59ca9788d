"""Locks held by the operating system, gone with the process that holds them."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock


class OwnerLock:
    """At most one process holds it; the others ask again whenever they like."""

    def __init__(self, folder: Path, name: str = "owner.lock") -> None:
        self._lock = FileLock(folder / name, timeout=0, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this process is the owner."""
        return self._lock.is_locked

    def acquire(self, seconds: float = 0) -> bool:
        """Become the owner if nobody is, or stops to be within some time. Returns whether this process is now: where it
        may not write, it cannot be."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=seconds)
        except OSError:  # filelock.Timeout is one
            return False
        return True

    def release(self) -> None:
        """Let another process own the index."""
        self._lock.release()
