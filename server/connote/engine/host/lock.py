"""A lock that the operating system holds for a process, gone with it, and that says which process that is."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from pathlib import Path

_LOOK_SECONDS = 0.02
_BYTE = 1 << 30
"""Where Windows locks: a locked byte cannot be read there, and what is written into the file must be."""


class HostLock:
    """At most one process holds it. Not filelock: that empties the file, in which the holder is named, on each try."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self, timeout: float = 0.0) -> bool:
        """Become the holder within so many seconds. Returns whether this process is. Raises OSError."""
        end = time.monotonic() + timeout
        while not self._try():
            if time.monotonic() >= end:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def release(self) -> None:
        """Let another process hold it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def remove(self) -> None:
        """Release it, and remove its file: whoever waits for it begins with a new one."""
        if sys.platform == "win32":
            self.release()
            with contextlib.suppress(OSError):  # another process has it open, and keeps it
                self._path.unlink()
        else:
            self._path.unlink(missing_ok=True)
            self.release()

    def _try(self) -> bool:
        if self._file is None and (file := _locked(self._path)) is not None:
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()} {machine()}".encode())
            self._file = file
        return self._file is not None


def is_held(path: Path) -> bool:
    """Whether any process holds the lock."""
    if not path.exists():
        return False
    try:
        file = _locked(path)
    except OSError:
        return True
    if file is None:
        return True
    os.close(file)
    return False


def holder(path: Path) -> tuple[int, str] | None:
    """The process that holds the lock, or held it last, and the machine that it runs on."""
    try:
        number, _, where = path.read_text(encoding="utf-8").partition(" ")
        return int(number), where
    except (OSError, ValueError):
        return None


def machine() -> str:
    """A name for all processes that see each other's numbers: containers may share a folder, and do not."""
    try:
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - a link of the kernel, no path
    except OSError:
        space = ""
    return f"{socket.gethostname()} {space}".strip()


def _locked(path: Path) -> int | None:
    """The open and locked file; None when another process has locked it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        # The last user of an empty folder removes it.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    # The file may have been removed by its last holder between the opening and the locking of it.
    if _lock(file) and _is_at(file, path):
        return file
    os.close(file)
    return None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        os.lseek(file, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

    def _is_at(file: int, path: Path) -> bool:  # noqa: ARG001 - an open file cannot be removed there
        return True

else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _is_at(file: int, path: Path) -> bool:
        try:
            return os.path.samestat(os.fstat(file), path.stat())
        except OSError:
            return False
