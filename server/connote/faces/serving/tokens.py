"""Tokens: the secret that a client has to know, in a file that only the user can read."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
from pathlib import Path

from connote.engine.places import root_folder
from connote.errors import ConfigError
from connote.faces.serving import Address, Served, is_loopback

_SHORTEST = 16
"""Characters: less can be tried out."""
_TOKEN = re.compile(r"[\x21-\x7e]+")
"""What a header can carry without any encoding."""
_FILE = "token"


def token_for(address: Address, served: Served) -> tuple[str | None, Path | None]:
    """Return the token that clients must show, and the file that it is in; None and None when they need none.

    Without a file of the user's own, the root's is used, and made when there is none, so that what clients were told
    once stays true. Raises ConfigError for what would let in others than the user.
    """
    if address.no_token:
        if not is_loopback(address.host):
            raise ConfigError(
                f"--no-token would open {address.host} to everyone who can reach it; "
                "leave it out, or listen on 127.0.0.1."
            )
        return None, None
    if address.token_file is not None:
        file = Path(address.token_file).expanduser().absolute()
        return _read(file), file
    file = root_folder(served.root, served.settings) / _FILE
    with contextlib.suppress(FileExistsError):
        _make(file)
    return _read(file), file


def _make(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A name of its own first, then a link: no reader ever sees half of a token, and of two makers one wins.
        fresh = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.write(handle, f"{secrets.token_urlsafe(32)}\n".encode())
        finally:
            os.close(handle)
        try:
            if sys.platform == "win32":
                os.rename(fresh, file)  # noqa: PTH104 - there it does not replace what exists, which is what is wanted
            else:
                os.link(fresh, file)
        finally:
            fresh.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except OSError as error:
        raise ConfigError(
            f"The token cannot be kept in {file}: {error.strerror}; name a file by --token-file."
        ) from error


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"{file} is no file; name one by --token-file.")
            data = stream.read(4096)
    except FileNotFoundError:
        raise ConfigError(f"There is no token file {file}; without --token-file connote makes one.") from None
    except OSError as error:
        raise ConfigError(
            f"The token file {file} cannot be read: {error.strerror}; name another by --token-file."
        ) from error
    if sys.platform != "win32":
        if status.st_mode & 0o077:
            raise ConfigError(f"Others than you can read the token file {file}: chmod 600 it, and change the token.")
        if status.st_uid not in (os.geteuid(), 0):
            raise ConfigError(f"The token file {file} belongs to somebody else; name one of yours by --token-file.")
    token = data.decode("ascii", "replace").strip()
    if len(token) < _SHORTEST or len(data) >= 4096 or not _TOKEN.fullmatch(token):
        raise ConfigError(
            f"{file} holds no token; write at least {_SHORTEST} characters of ASCII without spaces into it."
        )
    return token
