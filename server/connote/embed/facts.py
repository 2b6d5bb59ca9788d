"""What was learned of an endpoint, kept on disk so that no process pays for learning it again."""

from __future__ import annotations

import json
import logging
import os
import threading
from dataclasses import asdict, dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

FILE = "endpoints.json"
_MOST = 200
_lock = threading.Lock()
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Facts:
    """What an endpoint does, for one model and one way of asking."""

    native: int = 0
    """Length of the vectors that it sends; 0 is not known yet."""
    most: int = 0
    """The most texts that it takes in one request, as far as it refused more; 0 is not known."""
    longest: int = 0
    """Characters of the shortest text that was too long for it; 0 is none."""
    tokens: int = 0
    """The most tokens of a text, as it said itself; 0 is not known."""
    form: str = "float"
    """`encoding_format` of a request; empty leaves it out."""
    sends_dimensions: bool = True
    """Whether it takes `dimensions`."""


class Memory:
    """The facts of one endpoint: in this object, and in the folder's file for the processes to come."""

    def __init__(self, folder: Path | None, name: str) -> None:
        """`folder` of None keeps nothing on disk; `name` tells endpoints, models and ways of asking apart."""
        self._file = folder / FILE if folder else None
        self._name = blake2b(name.encode("utf-8", "replace"), digest_size=12).hexdigest()
        self.facts = self._read()

    def learn(self, **changes: Any) -> None:
        """Note facts, which are fields of Facts."""
        with _lock:
            self.facts = replace(self.facts, **changes)
            self._write()

    def _read(self) -> Facts:
        kept = self._all().get(self._name)
        kinds = {one.name: type(one.default) for one in fields(Facts)}
        if not isinstance(kept, dict) or any(type(value) is not kinds.get(name) for name, value in kept.items()):
            return Facts()
        return Facts(**kept)

    def _all(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8")) if self._file else {}
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def _write(self) -> None:
        if self._file is None:
            return
        kept = {name: value for name, value in self._all().items() if name != self._name}
        kept = dict([*kept.items(), (self._name, asdict(self.facts))][-_MOST:])
        fresh = self._file.with_name(f"{FILE}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.write_text(json.dumps(kept), encoding="utf-8")
            fresh.replace(self._file)
        except OSError as error:
            _log.info("what was learned of an endpoint is not kept: %s", error)
