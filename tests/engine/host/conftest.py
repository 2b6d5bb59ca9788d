"""Real hosts for a root of few files, and what a test wants to know of their processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import connote
from connote.engine import places, stop
from connote.engine.host.rendezvous import Note, read_note


@pytest.fixture
def settings(hosted: None, tmp_path: Path) -> connote.Settings:
    """Settings with an index folder of the test's own."""
    return connote.Settings(index_dir=tmp_path / "indexes")


@pytest.fixture
def root(tree: Callable[..., Path], settings: connote.Settings) -> Iterator[Path]:
    """A root of two files, whose host ends with the test."""
    root = tree(
        {
            "a.py": "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n",
            "b.py": "class Palette:\n    red = '#f00'\n    green = '#0f0'\n",
        }
    )
    yield root
    stop(root, settings)


@pytest.fixture
def folder(root: Path, settings: connote.Settings) -> Path:
    """Where the root's indexes are, and its host's note."""
    return places.root_folder(root, settings)


@pytest.fixture
def note(folder: Path) -> Callable[[], Note]:
    """A function that reads the note of the host that runs."""

    def read() -> Note:
        found = read_note(folder)
        assert found is not None
        return found

    return read


@pytest.fixture
def python(settings: connote.Settings) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """A function that runs code in a process of its own; `settings` are there. All end with the test."""
    processes = []

    def run(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
        head = (
            "import pathlib, sys, connote\n"
            f"settings = connote.Settings(index_dir=pathlib.Path({str(settings.index_dir)!r}))\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", head + code, *map(str, arguments)],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()
