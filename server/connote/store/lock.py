"""The lock that makes one process the owner of an index: held by the operating system, gone with the process."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


class OwnerLock:
    """At most one process holds it; the others ask again whenever they like."""

    def __init__(self, folder: Path) -> None:
        self._lock = FileLock(folder / "owner.lock", timeout=0, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this process is the owner."""
        return self._lock.is_locked

    def acquire(self) -> bool:
        """Become the owner if nobody is. Returns whether this process is the owner now."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Let another process own the index."""
        self._lock.release()
