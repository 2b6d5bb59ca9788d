"""What every test gets: a home, a cache and an index folder of its own, and no settings of the person who runs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("CONNOTE_", "GIT_", "XDG_")) and not name.startswith("CONNOTE_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("CONNOTE_INDEX_DIR", str(home / "indexes"))


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes files (`path: text or bytes`) below a new root and returns the root."""
    root = tmp_path / "root"
    root.mkdir()

    def write(files: dict[str, str | bytes] | None = None) -> Path:
        for path, content in (files or {}).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write
