"""Where a host and its clients meet: the note beside the indexes, and a socket that is the user's alone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import sys
import tempfile
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from connote import __version__
from connote.engine.places import NOTE
from connote.errors import StoreError
from connote.store.schema import SCHEMA_VERSION

VERSION = f"{__version__}/{SCHEMA_VERSION}"
"""Of the host's code and of what goes over the wire: faces speak only with a host of their own."""
_LONGEST_PATH = 100
"""In bytes. Kernels allow a socket's path 104 to 108."""


@dataclass(frozen=True)
class Note:
    """What a host writes down for those who look for it."""

    pid: int
    version: str
    started: str
    """A random word: another one for each host."""
    address: str | None = None
    """`unix:PATH` or `tcp:PORT`; None until it listens."""
    token: str | None = None
    """What a client must show. The file is readable by the user alone."""


def read_note(folder: Path) -> Note | None:
    """The note of a root's host; None when there is none that makes sense."""
    try:
        data = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        return Note(**data)
    except (OSError, ValueError, TypeError):
        return None


def write_note(folder: Path, note: Note) -> None:
    """Write the note, whole or not at all, for the user's eyes only."""
    fresh = folder / f"{NOTE}.{os.getpid()}"
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        json.dump(asdict(note), opened)
    fresh.replace(folder / NOTE)


def remove_note(folder: Path) -> None:
    """Remove the note; there need not be one."""
    with contextlib.suppress(FileNotFoundError):
        (folder / NOTE).unlink()


def uses_tcp() -> bool:
    """Whether hosts listen on the loopback interface instead of a socket in a folder."""
    return sys.platform == "win32" or os.environ.get("CONNOTE_HOST_TCP") == "1"


def listen(folder: Path) -> tuple[socket.socket, str]:
    """A socket that listens, and its address. Raises StoreError when no place for it is the user's alone."""
    if uses_tcp():
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.bind(("127.0.0.1", 0))
        address = f"tcp:{listening.getsockname()[1]}"
    else:
        path = _socket_folder() / f"{blake2b(os.fsencode(folder.resolve()), digest_size=8).hexdigest()}.sock"
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        address = f"unix:{path}"
    listening.listen(128)
    return listening, address


def forget(address: str) -> None:
    """Remove what an address leaves on disk."""
    if address.startswith("unix:"):
        with contextlib.suppress(OSError):
            os.unlink(address.removeprefix("unix:"))  # noqa: PTH108 - a string on purpose, like the others here


def dial(address: str, timeout: float) -> socket.socket:
    """A connection to a host. Raises OSError, and StoreError when the socket lies where others could have put it."""
    kind, _, place = address.partition(":")
    if kind == "tcp":
        return socket.create_connection(("127.0.0.1", int(place)), timeout)
    _check_private(Path(place).parent)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(place)
    except BaseException:
        connection.close()
        raise
    return connection


def _socket_folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    choices = [Path(runtime, "connote")] if runtime and Path(runtime).is_absolute() else []
    choices.append(Path(tempfile.gettempdir(), f"connote-{os.getuid()}"))
    problem: Exception | None = None
    for folder in choices:
        if len(os.fsencode(folder)) + 1 + 21 > _LONGEST_PATH:
            problem = problem or StoreError(f"{folder} is too long a path for a socket")
            continue
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            _check_private(folder)
        except (OSError, StoreError) as error:
            problem = problem or error
            continue
        return folder
    raise StoreError(f"there is no place for a socket: {problem}") from problem


def _check_private(folder: Path) -> None:
    """Raise StoreError for a folder that others could have made or can write to. No link is followed."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{folder} is no folder; remove it")
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise StoreError(f"{folder} does not belong to you alone; remove it, or correct its owner and its mode (0700)")
