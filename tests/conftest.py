"""What every test gets: a home, a cache and an index folder of its own, and no settings of the person who runs it.

Each process of a test works on its index itself, unless the test asks for hosts with the fixture `hosted`: starting
one takes a second that most claims do not need. No host outlives its test.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import connote
from connote import Settings
from connote.engine import stop_all
from connote.engine.host import starting
from connote.engine.places import LOCK

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in its background deaf to Ctrl-C, and so would be all that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _no_host_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    yield
    for lock in list(tmp_path_factory.getbasetemp().rglob(LOCK)):
        starting.stop(lock.parent)


@pytest.fixture(scope="session")
def archives(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where packages that tests need are kept, each downloaded once: `CONNOTE_TEST_CACHE`, or pytest's cache folder."""
    setting = os.environ.get("CONNOTE_TEST_CACHE")
    if setting:
        return Path(setting)
    if hasattr(pytestconfig, "cache"):
        return Path(pytestconfig.cache.mkdir("connote-golden"))
    return tmp_path_factory.mktemp("connote-golden")  # pytest's cache plugin is switched off


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("CONNOTE_", "GIT_", "XDG_")) and not name.startswith("CONNOTE_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("CONNOTE_INDEX_DIR", str(home / "indexes"))
    monkeypatch.setenv("CONNOTE_SERVER_HOST", "off")
    yield
    stop_all(Settings(index_dir=home / "indexes"))


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test's processes find and start hosts, as they do for people."""
    monkeypatch.setenv("CONNOTE_SERVER_HOST", "auto")


@pytest.fixture(scope="session")
def write() -> Callable[..., Path]:
    """A function that writes files (`path: text or bytes`) below a folder, and returns where that really is."""

    def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
        root.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root.resolve()

    return write


@pytest.fixture
def tree(tmp_path: Path, write: Callable[..., Path]) -> Callable[..., Path]:
    """A function that writes files (`path: text or bytes`) below a new root and returns the root."""
    root = tmp_path / "root"
    root.mkdir()

    def grow(files: Mapping[str, str | bytes] | None = None) -> Path:
        write(root, files or {})
        return root

    return grow


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
