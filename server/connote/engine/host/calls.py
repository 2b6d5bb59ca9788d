"""What a host can be asked: each method of an index, by its name on the wire."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from connote.engine import wire
from connote.engine.local import LocalIndex
from connote.model import Progress, Query


@dataclass(frozen=True)
class Call:
    """One call of a client."""

    arguments: Mapping[str, Any]
    cancel: threading.Event
    """Set when the client is gone."""
    on_progress: Callable[[Progress], None]


METHODS: dict[str, Callable[[LocalIndex, Call], Any]] = {
    "open": lambda _index, _call: None,
    "sync": lambda index, call: index.sync(
        call.on_progress, cancel=call.cancel, rebuild=bool(call.arguments.get("rebuild"))
    ),
    "update": lambda index, call: index.update(*call.arguments["paths"], cancel=call.cancel),
    "remove": lambda index, call: index.remove(*call.arguments["paths"]),
    "rename": lambda index, call: index.rename(*call.arguments["paths"]),
    "flush": lambda index, _: index.flush(),
    "warm": lambda index, _: index.warm(),
    "estimate": lambda index, call: index.estimate(call.cancel),
    "answer": lambda index, call: index.answer(wire.unpack(Query, call.arguments["query"]), cancel=call.cancel),
    "similar": lambda index, call: index.similar_answer(
        call.arguments["path"], call.arguments["line"], call.arguments["limit"]
    ),
    "outline": lambda index, call: index.outline(call.arguments["limit"]),
    "complete": lambda index, _: index.complete,
    "status": lambda index, _: index.status(),
    "files": lambda index, _: index.files(),
    "skipped": lambda index, _: index.skipped(),
    "problems": lambda index, _: index.problems(),
}

LONG = frozenset(("sync", "update", "remove", "rename", "flush", "warm", "estimate"))
"""Those that can take long: they have threads of their own, so that no search waits for one."""

CHANGING = frozenset(("sync", "update", "remove", "rename"))
"""Those after which the index may be another one."""
