"""An index on real Chroma and the real model, and a view of all that it holds."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.config import load

PATIENCE = 60
"""Seconds after which a test gives up; nothing is measured with it."""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., connote.Index]]:
    """A function that opens a root's index; `home` names another place for it, as if nothing were indexed yet."""
    indexes = []

    def open_one(root: Path, home: str = "indexes") -> connote.Index:
        index = connote.open(root, replace(load(root)[0], index_dir=tmp_path / home))
        indexes.append(index)
        return index

    yield open_one
    for index in indexes:
        index.close()


@pytest.fixture
def contents() -> Callable[[connote.Index], dict[str, Any]]:
    """A function that reads all that an index's catalog holds, in a form that does not depend on how it came to be."""

    def read(index: connote.Index) -> dict[str, Any]:
        db = index._store.catalog.reader()
        chunks = db.execute(
            "SELECT f.path, c.position, c.start_byte, c.end_byte, c.start_line, c.end_line, c.symbol, c.kind, c.scope,"
            " c.text, hex(c.digest), w.body, w.names, w.stem, w.folders, hex(v.vector)"
            " FROM chunks c JOIN files f ON f.id = c.file JOIN words w ON w.rowid = c.id"
            " LEFT JOIN vectors v USING (digest)"
            " ORDER BY 1, 2"
        ).fetchall()
        wanted = {digest for (digest,) in db.execute("SELECT hex(digest) FROM vectors WHERE wanted = 1")}
        return {
            "files": db.execute(
                "SELECT path, hex(digest), size, language, hex(words) FROM files ORDER BY 1"
            ).fetchall(),
            "chunks": chunks,
            "symbols": db.execute(
                "SELECT f.path, s.name, s.kind, s.scope, s.start_line, s.end_line, s.line, s.col FROM symbols s"
                " JOIN files f ON f.id = s.file JOIN chunks c ON c.id = s.chunk ORDER BY 1, 5, 7, 8, 2"
            ).fetchall(),
            "orphans": db.execute(
                "SELECT (SELECT count(*) FROM words WHERE rowid NOT IN (SELECT id FROM chunks)),"
                " (SELECT count(*) FROM symbols WHERE chunk NOT IN (SELECT id FROM chunks)),"
                " (SELECT count(*) FROM chunks WHERE file NOT IN (SELECT id FROM files))"
            ).fetchone(),
            "left out": [(item.path, item.reason) for item in (*index.skipped(), *index.problems())],
            "wanted": wanted,
            "waiting": db.execute("SELECT count(*) FROM waiting").fetchone()[0],
        }

    return read


@pytest.fixture
def vectors() -> Callable[[connote.Index], dict[str, set[str]]]:
    """A function that brings Chroma up to date and tells the digests that chunks want, that the catalog says Chroma
    has, and that Chroma has. A fresh build needs none of this to be compared with."""

    def read(index: connote.Index) -> dict[str, set[str]]:
        index.flush()
        index.warm()
        db = index._store.catalog.reader()
        return {
            "wanted": {digest for (digest,) in db.execute("SELECT hex(digest) FROM vectors WHERE wanted = 1")},
            "stored": {digest for (digest,) in db.execute("SELECT hex(digest) FROM vectors WHERE stored = 1")},
            "chroma": {digest.hex().upper() for digest in index._store.chroma.digests()},
        }

    return read


@pytest.fixture
def until() -> Callable[[Callable[[], Any]], Any]:
    """A function that waits until a condition holds that nothing tells of, and returns its value."""

    def wait(condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < end, "what was waited for did not happen"
            time.sleep(0.01)
        return value

    return wait


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """A function that says whether a process lives."""

    def look(pid: int) -> bool:
        try:
            os.kill(pid, 0)
            # Where nothing takes over orphans, the dead stay on the list.
            return not Path("/proc/self/stat").exists() or b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
        except (ProcessLookupError, FileNotFoundError):
            return False

    return look


@pytest.fixture
def git() -> Callable[..., None]:
    """A function that runs git in a folder, by a name of its own."""

    def run(folder: Path, *arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    return run


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AbstractContextManager[None]]:
    """A function that lets no file be opened whose name ends so, for the time of a `with`."""

    @contextmanager
    def refuse(ending: str) -> Iterator[None]:
        real = os.open

        def failing(path: object, *rest: object, **more: object) -> int:
            if str(path).endswith(ending):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest, **more)  # type: ignore[arg-type]

        with monkeypatch.context() as context:
            context.setattr(os, "open", failing)
            yield

    return refuse
