"""The endpoint's key: given, or printed by a command that the user configured."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading

from connote.errors import EmbedError

_COMMAND_SECONDS = 60


class Key:
    """Any number of threads may ask for it."""

    def __init__(self, key: str, command: str) -> None:
        self._key = key.strip()
        self._command = command.strip()
        self._lock = threading.Lock()

    def get(self) -> str:
        """The key; empty where there is none. Raises EmbedError when the command fails."""
        with self._lock:
            if not self._key and self._command:
                self._key = self._printed()
            return self._key

    def renew(self, refused: str) -> bool:
        """Ask the command for another key than the one that was refused. Returns whether there is one."""
        with self._lock:
            if not self._command:
                return False
            if self._key == refused:
                self._key = self._printed()
            return self._key != refused

    def _printed(self) -> str:
        # Neither the command nor what it prints is ever told: both may hold secrets.
        what = "embed.api_key_command"
        try:
            command: str | list[str] = self._command if os.name == "nt" else shlex.split(self._command)
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COMMAND_SECONDS, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            why = "it does not end" if isinstance(error, subprocess.TimeoutExpired) else "it does not start"
            raise EmbedError(f"{what} prints no key: {why}. Run it in a terminal to see why.", 60.0) from None
        key = done.stdout.decode("utf-8", "replace").strip()
        if done.returncode or not key or not key.isprintable() or not key.isascii():
            why = f"it ends with {done.returncode}" if done.returncode else "what it prints is none"
            raise EmbedError(f"{what} prints no key: {why}. Run it in a terminal to see why.", 60.0)
        return key
