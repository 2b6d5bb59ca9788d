"""Finding the host of a root, starting it when there is none, and ending it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import connote
from connote.engine import places
from connote.engine.connection import PATIENCE_SECONDS, Connection, LostError
from connote.engine.host.lock import HostLock, holder, is_held, machine
from connote.engine.host.rendezvous import VERSION, Note, read_note, remove_note
from connote.engine.places import LOCK, LOG, START
from connote.environment import KEYRINGS, needed
from connote.errors import StoreError

START_SECONDS = 60.0
"""How long a host may take until it listens: seconds on a machine that has other things to do."""
END_SECONDS = 15.0
"""How long a host may take to end when it is asked to."""
_LOOK_SECONDS = 0.02
_LOG_TAIL = 2000
_ATTEMPTS = 3

_KEPT_BEGINNINGS = ("LC_", "XDG_", "GIT_CONFIG", "CONNOTE_HOST_", "COVERAGE_")
"""Beside what a program needs, a host gets of its starter's environment this and no more: no keys, nothing that means
something to Chroma, no settings (those come with each call), and nothing of the repository whose hook may have called
connote."""


class HostError(StoreError):
    """There is no host, and none can be started."""


def connect(folder: Path, root: Path) -> Connection:
    """A connection to the host of a root, which is started when there is none. Raises HostError.

    A host of another version is asked to end, one that does not answer is ended.
    """
    note = read_note(folder)
    connection = _fitting(note)
    if connection is not None:
        return connection
    with _starting(folder):
        # Others may have started one while this process waited for its turn.
        note = read_note(folder)
        connection = _fitting(note)
        if connection is not None:
            return connection
        _clear_way(folder, note)
        for _ in range(_ATTEMPTS):
            connection = _start(folder, root)
            if connection is not None:
                return connection
        raise HostError(f"A host for {root} ended again and again before it could be asked.{_last_words(folder / LOG)}")


def running(folder: Path) -> Note | None:
    """The note of a root's host, if the host lives."""
    return read_note(folder) if is_held(folder / LOCK) else None


def reach(folder: Path) -> Connection | None:
    """A connection to the host of a root, of whichever version, if one runs and answers."""
    note = running(folder)
    return None if note is None else _answering(note)


def stop(folder: Path) -> str | None:
    """End the host of a root, and wait for its end. Returns `stopped`, `killed`, or None when there was none.

    Raises HostError when it cannot be ended.
    """
    if not is_held(folder / LOCK):
        return None
    with _starting(folder):
        outcome = _end(folder, read_note(folder))
        if not places.has_index(folder):
            (folder / LOG).unlink(missing_ok=True)
    _remove_if_empty(folder)
    return outcome


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep any host from starting: for work on a folder that must not be in use. Raises HostError."""
    lock = HostLock(folder / LOCK)
    try:
        held = lock.acquire(END_SECONDS)
    except OSError as error:
        raise HostError(f"The index folder {folder} cannot be written: {error}") from error
    if not held:
        raise HostError(f"{folder} is in use by another process; try again, or end it with `connote stop`.")
    try:
        yield
        if not places.has_index(folder):
            remove_note(folder)
            (folder / LOG).unlink(missing_ok=True)
    finally:
        lock.remove()
    _remove_if_empty(folder)


# Finding


def _fitting(note: Note | None) -> Connection | None:
    """A connection to a host of this version; None when there is none that answers."""
    return _answering(note) if note is not None and note.version == VERSION else None


def _answering(note: Note) -> Connection | None:
    connection = None
    try:
        connection = Connection(note)
        connection.health()
    except LostError:
        if connection is not None:
            connection.close()
        return None
    return connection


@contextmanager
def _starting(folder: Path) -> Iterator[None]:
    """Let one process at a time start or end hosts of a root."""
    lock = HostLock(folder / START)
    try:
        if not lock.acquire(START_SECONDS):
            raise HostError(
                f"Another process has been starting a host in {folder} for {START_SECONDS:.0f} s; try again later."
            )
    except OSError as error:
        raise HostError(f"The index folder {folder} cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.remove()


# Ending


def _clear_way(folder: Path, note: Note | None) -> None:
    if is_held(folder / LOCK):
        _end(folder, note)


def _end(folder: Path, note: Note | None) -> str | None:
    lock = folder / LOCK
    connection = _answering(note) if note is not None else None
    if connection is not None:
        with contextlib.suppress(LostError), contextlib.closing(connection):
            list(connection.call("stop", {}))
    # One without a note is ending already; one with a note that nobody can talk to is given a moment, and no more.
    if _is_released(lock, END_SECONDS if connection is not None or note is None else PATIENCE_SECONDS / 5):
        return "stopped"
    found = holder(lock)
    if found is None or found[1] != machine() or found[0] in {0, 1, os.getpid()}:
        raise HostError(
            f"The index in {folder} is held by a process of another machine or container"
            f" ({found[1] if found else 'unknown'}), which does not answer here; end it there, or set `index_dir` to a"
            " folder of this machine's own."
        )
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(found[0], signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    if not _is_released(lock, END_SECONDS):
        raise HostError(f"Process {found[0]}, which holds the index in {folder}, cannot be ended; end it yourself.")
    return "killed"


def _is_released(lock: Path, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while is_held(lock):
        if time.monotonic() >= end:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):  # it holds an index, or somebody begins to use it
        folder.rmdir()


# Starting


def _start(folder: Path, root: Path) -> Connection | None:
    """A connection to a new host; None when that was ended by somebody before it could be asked."""
    before = read_note(folder)
    log = folder / LOG
    try:
        process = _spawn(folder, root, log)
    except (OSError, ValueError) as error:
        raise HostError(f"A host for {root} could not be started: {error}") from error
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        note = read_note(folder)
        if note is not None and note != before and note.address is not None:
            connection = _fitting(note)
            if connection is not None:
                # On POSIX the process that was started has passed its work on and is about to end, or has ended.
                threading.Thread(target=process.wait, name="connote-started", daemon=True).start()
                return connection
        code = process.poll()
        # One that cannot start says why, and one that is killed says nothing. On POSIX 0 is said by its parent, once it
        # listens.
        if code and (words := _last_words(log)):
            raise HostError(f"A host for {root} could not be started.{words}")
        if code or (code == 0 and not is_held(folder / LOCK)):
            return None
        time.sleep(_LOOK_SECONDS)
    process.kill()
    raise HostError(f"A host for {root} did not listen within {START_SECONDS:.0f} s.{_last_words(log)}")


def _spawn(folder: Path, root: Path, log: Path) -> subprocess.Popen[bytes]:
    if not sys.executable:
        raise ValueError("Python does not know its own executable")
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "connote.engine.host", str(folder.resolve()), str(root)],
            cwd=folder,
            env=environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            creationflags=flags,
        )


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a host gets of this process's environment, with a path on which it finds this very connote."""
    kept = needed(own, *_KEPT_BEGINNINGS, *KEYRINGS)
    home = Path(connote.__file__).resolve().parents[1]
    path = [str(Path(part).absolute()) for part in kept.get("PYTHONPATH", "").split(os.pathsep) if part]
    # Where packages are installed Python looks anyway, and there after its own library.
    if home.name not in {"site-packages", "dist-packages"}:
        path.append(str(home))
    if path:
        kept["PYTHONPATH"] = os.pathsep.join(path)
    else:
        kept.pop("PYTHONPATH", None)
    return kept


def _last_words(log: Path) -> str:
    """What the host left behind, to be put after a sentence; nothing if it said nothing."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:].strip()
    except OSError:
        return ""
    return f" {log} says: {text}" if text else ""
