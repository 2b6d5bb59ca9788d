"""Ends with the client: some are killed without closing our pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

SECONDS = 3.0
"""Between two looks."""


def watch_parent(process: int, gone: Callable[[], None]) -> None:
    """Calls `gone`, in a thread, when the process with this id has ended.

    One that is not there from the beginning is not watched: its id is that of another machine or container.
    """
    if is_alive(process):
        threading.Thread(target=_watch, args=(process, gone), name="connote-parent", daemon=True).start()


if sys.platform == "win32":

    def is_alive(process: int) -> bool:
        """Whether a process with this id runs."""
        import ctypes  # noqa: PLC0415  # Windows alone needs it

        synchronize, timeout = 0x00100000, 0x102
        handle = ctypes.windll.kernel32.OpenProcess(synchronize, False, process)
        if not handle:
            return False
        try:
            return bool(ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == timeout)
        finally:
            ctypes.windll.kernel32.CloseHandle(handle)

else:

    def is_alive(process: int) -> bool:
        """Whether a process with this id runs."""
        if process <= 0:
            return False
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except (PermissionError, OverflowError):
            return True
        return True


def _watch(process: int, gone: Callable[[], None]) -> None:
    while is_alive(process):
        time.sleep(SECONDS)
    gone()
