"""Files of an index are truncated or garbled, at any moment: it is built again, and nobody has to do anything.

R047, R056, R057: whichever file it is, SQLite's, Chroma's or a note; while nobody has it open, after a kill, and under
a host that goes on.
"""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.engine import stop
from connote.engine.host.rendezvous import Note
from connote.engine.local import LocalIndex

Contents = Callable[[connote.Index], dict[str, Any]]
Vectors = Callable[[connote.Index], dict[str, set[str]]]

FULL = bool(os.environ.get("CONNOTE_TEST_FULL"))
WHEN = ("closed", "killed", "open")
FILES = 150


def source(number: int, generation: int) -> str:
    body = "".join(f"    total += weigh_{number}_{m}(request, {generation})\n" for m in range(13))
    return "\n\n".join(f"def step_{number}_{n}(request):\n    total = 0\n{body}    return total\n" for n in range(8))


def damage(file: Path, chance: random.Random) -> str:
    """Truncate the file, or write nonsense over some of its pages; says which."""
    size = file.stat().st_size
    how = chance.choice(("truncated", "garbled"))
    with file.open("r+b") as stream:
        if how == "truncated":
            stream.truncate(chance.randrange(size))
        else:
            stream.seek(chance.randrange(size) // 4096 * 4096)
            stream.write(chance.randbytes(min(size, chance.choice((1, 4, 50)) * 4096)))
    return f"{file.name} {how}"


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows has no SIGKILL, and no file there changes while another process has it open: that damage is mended"
    " is not shown there",
)
@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("trial", range(20 if FULL else 1))
def test_a_damaged_index_is_built_again(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path, tmp_path: Path,
    contents: Contents, vectors: Vectors, when: str, trial: int,
) -> None:  # fmt: skip
    chance = random.Random(f"{when} {trial}")
    for number in range(FILES):
        (root / f"m{number}.py").write_text(source(number, 0), encoding="utf-8")
    with connote.open(root, settings) as index:
        index.sync()
        index.flush()
        if when == "killed":
            for number in range(20):
                (root / f"m{number}.py").write_text(source(number, 1), encoding="utf-8")
            syncing = threading.Thread(target=index.sync)
            syncing.start()
            threading.Event().wait(chance.uniform(0, 1))
            os.kill(note().pid, signal.SIGKILL)
            syncing.join()
            os.kill(note().pid, signal.SIGKILL)
        if when != "open":
            stop(root, settings)
        files = [file for file in folder.rglob("*") if file.is_file() and file.stat().st_size]
        # The catalog is one file of many, and the one that all else is built from.
        chosen = chance.choice(files if trial % 2 else [file for file in files if file.name == "catalog.sqlite"])
        print(damage(chosen, chance))

        # One that was open goes on.
        for number in range(20, 40):
            (root / f"m{number}.py").write_text(source(number, 2), encoding="utf-8")
        index.search("step", min_score=0)
        index.sync()
        assert "ready" == index.status().state
        assert FILES + 2 == len(index.files())
    # What SQLite has in memory hides what is on disk under it, until the host ends and looks.
    stop(root, settings)
    with connote.open(root, settings) as index:
        index.sync()
        assert "ready" == index.status().state
        for number in (0, 30, FILES - 1):
            assert f"m{number}.py" in [hit.path for hit in index.search(f"step_{number}_3", min_score=0)]
    stop(root, settings)
    fresh = LocalIndex(root, dataclasses.replace(settings, index_dir=tmp_path / "fresh"))
    fresh.sync()
    with LocalIndex(root, settings) as again:
        assert contents(fresh) == contents(again)
        found = vectors(again)
        assert found["wanted"] == found["stored"] == found["chroma"]
        assert again._store.trouble is None
        child = again._store.chroma._vectors
        rows = again._store.catalog.reader().execute("SELECT digest, vector FROM vectors WHERE wanted = 1").fetchall()
        assert 0 == child.probe([row[0] for row in rows], [row[1] for row in rows])[0]
    fresh.close()
