"""The checks of `connote doctor`: does every part work on this machine?"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from connote.chunk import chunk, fingerprint
from connote.config import Settings, load
from connote.embed import open_embedder
from connote.engine.connection import LostError
from connote.engine.host import starting
from connote.errors import ConnoteError
from connote.store import Store, StoreOptions, try_out

_SOURCES = {
    "a.py": "def answer():\n    return 42\n",
    "a.ts": "export function answer(): number { return 42 }\n",
    "a.go": "package a\n\nfunc Answer() int { return 42 }\n",
    "a.rs": "fn answer() -> u32 { 42 }\n",
    "a.java": "class A { int answer() { return 42; } }\n",
}


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str
    ok: bool
    detail: str


def check(settings: Settings | None = None) -> list[Check]:
    """Run every check. Nothing is raised: what is broken is in the result, with what to do."""
    problems: list[str] = []
    if settings is None:
        settings, problems = load(None)
    chosen = settings
    return [
        Check("settings", not problems, " ".join(problems) or "all read"),
        _run("grammars", _grammars),
        _run("sqlite", _sqlite),
        _run("model", lambda: _model(chosen)),
        _run("store", lambda: _store(chosen.store)),
        _run("index folder", lambda: _writable(chosen.index_dir)),
        _run("host", lambda: _host(chosen)),
    ]


def _run(name: str, work: Callable[[], str]) -> Check:
    try:
        return Check(name, True, work())
    except (ConnoteError, LostError, OSError, ImportError, sqlite3.Error, ValueError) as error:
        return Check(name, False, f"{type(error).__name__}: {error}")


def _grammars() -> str:
    for path, text in _SOURCES.items():
        if not any(one.symbol for one in chunk(path, text)):
            raise ValueError(f"the grammar for {path[1:]} files finds no definition; install connote again")
    return fingerprint()


def _sqlite() -> str:
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (a)")
    return f"SQLite {sqlite3.sqlite_version} with FTS5"


def _model(settings: Settings) -> str:
    embedder = open_embedder(settings.embed)
    vector = embedder.embed_query("where do we retry failed uploads")
    return f"{embedder.name}, {len(vector)} dimensions"


def _store(options: StoreOptions) -> str:
    with tempfile.TemporaryDirectory(prefix="connote-") as folder:
        return try_out(options, Path(folder))


def _writable(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="check-") as probe:
        store = Store(Path(probe))
        try:
            store.catalog.set(probe=1)
        finally:
            store.close()
    return str(folder)


def _host(settings: Settings) -> str:
    if settings.server.host == "off":
        return "off, by the setting server.host"
    with tempfile.TemporaryDirectory(prefix="connote-") as name:
        folder = Path(name)
        connection = starting.connect(folder / "host", folder)
        try:
            answer = connection.health()
        finally:
            connection.close()
            starting.stop(folder / "host")
    return f"a host of version {answer['version']} starts, answers and ends"
