"""Whether a catalog's file is what was written: one that was closed in order is known by its seal, any other is looked
through."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

_SECONDS = 3.0
"""A file of some gigabytes is not waited for: what is broken in it shows when it is read."""
_STEPS = 10_000


def is_damaged(file: Path) -> bool:
    """Whether it was noted that the file is damaged, or it was not closed in order and some of its pages are broken."""
    if _note(file).exists():
        return True
    if not file.exists() or _sealed(file) == _state(file):
        return False
    return _look_through(file) is False


def note_damage(file: Path) -> None:
    """Write down that the file is not to be used any more. Whoever sets it aside takes the note along."""
    with suppress(OSError):
        _note(file).touch()


def seal(file: Path) -> None:
    """Write down how the file was left, when nobody has it open; or that it is damaged."""
    if _note(file).exists() or not file.exists() or _sealed(file) == _state(file):
        return
    sound = _look_through(file)
    if sound is False:
        note_damage(file)
    elif sound:
        with suppress(OSError):  # nobody may write here, or the disk is full: the next one to open it looks through it
            _seal(file).write_text(json.dumps(_state(file)), encoding="utf-8")


def _look_through(file: Path) -> bool | None:
    """Whether SQLite finds no page broken; None when it could not tell in time."""
    end = time.monotonic() + _SECONDS
    try:
        with closing(sqlite3.connect(file, timeout=_SECONDS)) as db:
            db.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
            found = db.execute("PRAGMA quick_check(1)").fetchone()
            return bool(found == ("ok",))
    except sqlite3.OperationalError:
        return None  # out of time, locked, or not to be read: which is not for this to say
    except sqlite3.DatabaseError:
        return False


def _state(file: Path) -> list[int]:
    now = file.stat()
    return [now.st_size, now.st_mtime_ns]


def _sealed(file: Path) -> object:
    try:
        return json.loads(_seal(file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _seal(file: Path) -> Path:
    return file.with_name(f"{file.name}.seal")


def _note(file: Path) -> Path:
    return file.with_name(f"{file.name}.damaged")
