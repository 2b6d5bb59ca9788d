"""Damage to Chroma's files, and to its process, costs a new folder filled from the catalog: nothing else.

R047, R050, R056, and the faults that were seen to end in a crash, a hang, a panic or silence with Chroma alone.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from connote.store import Budgets, Filter, Store, follower
from connote.store.seal import break_seal

Open = Callable[..., Store]
Until = Callable[[Callable[[], object]], object]
Alive = Callable[[int], bool]
Lost = Callable[[Store, Sequence[str]], tuple[int, int, int]]
Fill = Callable[[Store, Sequence[str]], None]
IsFound = Callable[[Store, str], bool]

HASTY = Budgets(open=20, search=3)
posix = pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows has no SIGKILL, SIGSTOP and SIGCONT, and no file there changes while Chroma has it open: that a"
    " search outlives a child that dies, hangs or loses its files is not shown there",
)


def garble(file: Path, start: int = 0, size: int | None = None) -> None:
    data = bytearray(file.read_bytes())
    end = len(data) if size is None else start + size
    data[start:end] = random.Random(1).randbytes(len(data[start:end]))
    file.write_bytes(data)


def halve(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def segment(chroma: Path) -> Path:
    return next(path for path in chroma.iterdir() if path.is_dir())


FAULTS: dict[str, Callable[[Path], object]] = {
    "SQLite truncated": lambda chroma: halve(chroma / "chroma.sqlite3"),
    "SQLite header garbled": lambda chroma: garble(chroma / "chroma.sqlite3", 0, 100),
    "SQLite pages garbled": lambda chroma: garble(chroma / "chroma.sqlite3", 8192, 200_000),
    "SQLite empty": lambda chroma: (chroma / "chroma.sqlite3").write_bytes(b""),
    "SQLite gone": lambda chroma: (chroma / "chroma.sqlite3").unlink(),
    "segment gone": lambda chroma: shutil.rmtree(segment(chroma)),
    **{
        f"{name} {how}": lambda chroma, name=name, act=act: act(segment(chroma) / f"{name}.bin")
        for name in ("data_level0", "header", "length", "link_lists")
        for how, act in (("gone", Path.unlink), ("truncated", halve), ("garbled", garble))
    },
    "records of the segment truncated": lambda chroma: halve(segment(chroma) / "index_metadata.pickle"),
    "folder gone": shutil.rmtree,
    "folder is a file": lambda chroma: (shutil.rmtree(chroma), chroma.write_bytes(b"")),
    "folder is empty": lambda chroma: (shutil.rmtree(chroma), chroma.mkdir()),
}


FULL = "CONNOTE_TEST_FULL" in os.environ
FOR_EACH_RUN = ("SQLite empty", "SQLite pages garbled", "segment gone", "data_level0 garbled", "link_lists garbled")
"""Silence, a panic, half an answer, a crash and a hang."""


@pytest.mark.parametrize("fault", FAULTS if FULL else FOR_EACH_RUN)
def test_damage_after_a_kill_costs_a_new_folder(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, fill: Fill, fault: str
) -> None:
    """No checksums were written: what Chroma does with the damage shows it, or vectors that do not find themselves."""
    (folder / "chroma-0.seal").unlink()
    FAULTS[fault](folder / "chroma-0")
    store = open_store(folder, budgets=HASTY)
    new = ["one text more"]
    fill(store, new)

    store.warm()

    assert (0, 0, 0) == lost(store, texts + new)
    assert store.trouble is None


@pytest.mark.parametrize("fault", FAULTS if FULL else FOR_EACH_RUN[:1])
def test_damage_while_closed_costs_a_new_folder(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, fault: str
) -> None:
    chroma = folder / "chroma-0"
    FAULTS[fault](chroma)
    store = open_store(folder, budgets=HASTY)

    store.warm()

    assert (0, 0, 0) == lost(store, texts)
    assert not chroma.exists()
    assert (folder / "chroma-1").is_dir()


@pytest.mark.parametrize("fault", FAULTS)
def test_checksums_show_every_damage(folder: Path, fault: str) -> None:
    chroma = folder / "chroma-0"
    FAULTS[fault](chroma)

    assert break_seal(chroma) is False
    assert break_seal(chroma) is None


def test_checksums_say_when_nothing_is_wrong(folder: Path) -> None:
    assert break_seal(folder / "chroma-0") is True
    assert break_seal(folder / "chroma-0") is None


def test_what_is_sound_is_kept(folder: Path, texts: list[str], open_store: Open, lost: Lost) -> None:
    for _ in range(3):
        store = open_store(folder)
        store.warm()
        assert (0, 0, 0) == lost(store, texts)
        store.close()

    assert ["chroma-0", "chroma-0.lock", "chroma-0.seal"] == sorted(path.name for path in folder.glob("chroma*"))


OPEN_FAULTS: dict[str, Callable[[Path], object]] = {
    "SQLite garbled": lambda chroma: garble(chroma / "chroma.sqlite3"),
    "SQLite empty": lambda chroma: (chroma / "chroma.sqlite3").write_bytes(b""),
    "folder gone": shutil.rmtree,
    "segment gone": lambda chroma: shutil.rmtree(segment(chroma)),
}


@posix
@pytest.mark.parametrize("fault", OPEN_FAULTS if FULL else ["SQLite garbled"])
def test_damage_while_open_costs_a_new_folder(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, fill: Fill, is_found: IsFound, fault: str
) -> None:
    """Whether it is seen at once or when the folder is opened again."""
    store = open_store(folder, budgets=HASTY)
    store.warm()
    OPEN_FAULTS[fault](folder / "chroma-0")

    assert is_found(store, texts[7])
    new = [f"another text {number}" for number in range(1200)]
    fill(store, new)
    assert is_found(store, new[7])
    store.flush()
    assert is_found(store, texts[7])
    store.close()
    again = open_store(folder, budgets=HASTY)
    again.warm()

    assert (0, 0, 0) == lost(again, texts + new)
    assert again.trouble is None


@posix
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSTOP"])
def test_a_search_is_answered_when_the_process_dies_or_hangs(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, is_found: IsFound, name: str
) -> None:
    store = open_store(folder, budgets=Budgets(search=0.5))
    store.warm()
    first = store.chroma.pid
    assert first is not None
    os.kill(first, getattr(signal, name))

    assert is_found(store, texts[0])
    assert (0, 0, 0) == lost(store, texts)
    assert store.chroma.pid not in (None, first)
    assert (folder / "chroma-0").is_dir()


@posix
def test_a_process_that_hangs_while_it_is_given_vectors_is_replaced(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, fill: Fill, is_found: IsFound
) -> None:
    store = open_store(folder, budgets=Budgets(change=1.0))
    store.warm()
    new = [f"another text {number}" for number in range(600)]
    fill(store, new)
    assert store.chroma.pid is not None
    os.kill(store.chroma.pid, signal.SIGSTOP)
    flushed: list[bool] = []
    thread = threading.Thread(target=lambda: flushed.append(store.flush()))
    thread.start()

    # While the flush waits for its time to pass, nobody else waits.
    assert is_found(store, texts[0])
    assert is_found(store, new[0])
    thread.join()

    assert [True] == flushed
    assert (0, 0, 0) == lost(store, texts + new)


def test_a_search_meanwhile_compares_one_by_one(
    folder: Path, texts: list[str], open_store: Open, is_found: IsFound
) -> None:
    store = open_store(folder)
    store.warm()
    vectors = store.chroma._vectors
    assert vectors is not None

    with vectors._calls:
        assert store.chroma.nearest(np.ones(32, np.float32), 3) is None
        assert is_found(store, texts[3])


@posix
@pytest.mark.parametrize("stopped", [False, True], ids=["idle", "hung"])
def test_the_process_ends_with_its_owner(is_alive: Alive, until: Until, folder: Path, stopped: bool) -> None:
    """kill -9 of the owner ends its stdin; the next owner opens the folder as soon as it is gone."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    child = int(owner.stdout.readline())
    if stopped:
        os.kill(child, signal.SIGSTOP)
    owner.kill()
    owner.wait()
    if stopped:
        os.kill(child, signal.SIGCONT)

    until(lambda: not is_alive(child))


OWNER = """
import sys, pathlib
from connote.store import Store
store = Store(pathlib.Path(sys.argv[1]))
store.warm()
print(store.chroma.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="without Linux's /proc nobody sees what a process has open: that Chroma's inherits nothing is not shown",
)
def test_the_process_inherits_nothing(
    folder: Path, texts: list[str], open_store: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONNOTE_EMBED_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("CHROMA_SERVER_HOST", "elsewhere")
    monkeypatch.setenv("PERSIST_DIRECTORY", str(tmp_path / "elsewhere"))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text("MIGRATIONS=alembic", encoding="utf-8")
    (tmp_path / "work" / "connote.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "work")
    with (tmp_path / "held").open("w", encoding="utf-8") as held:
        os.set_inheritable(held.fileno(), True)
        store = open_store(folder)
        store.warm()
        process = Path(f"/proc/{store.chroma.pid}")

        kinds = {name: str((process / "fd" / str(name)).readlink()) for name in range(3)}
        files = {str(descriptor.readlink()) for descriptor in (process / "fd").iterdir()}
        environment = (process / "environ").read_bytes()

    assert ["pipe", "/dev", "/dev"] == [kinds[name][:4] for name in range(3)]
    assert str(tmp_path / "held") not in files
    assert b"secret" not in environment
    assert b"elsewhere" not in environment
    assert folder == (process / "cwd").readlink()
    assert os.getsid(store.chroma.pid or 0) != os.getsid(0)


# R045: what was added in the moment of a kill is on no list, and stays for ever.
@posix
@pytest.mark.parametrize("pruned", [False, True])
def test_what_was_added_in_the_moment_of_a_kill_is_known(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, fill: Fill, pruned: bool
) -> None:
    store = open_store(folder)
    before = set(store.catalog.files())
    fill(store, [f"text of a moment {number}" for number in range(120)])
    store.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert -signal.SIGKILL == killed.returncode
    store = open_store(folder)
    store.catalog.remove(set(store.catalog.files()) - before)
    if pruned:
        with store.catalog._write() as db:
            db.execute("DELETE FROM vectors WHERE wanted = 0")

    assert (0, 0, 0) == lost(store, texts)


KILLED = """
import os, signal, sys, pathlib
from connote.store import Store
store = Store(pathlib.Path(sys.argv[1]))
# The last moment in which Chroma has more than the catalog knows.
store.catalog.mark_stored = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
store.flush()
"""


# R050: each add fails and is retried for ever.
def test_what_cannot_be_mended_is_tried_again_later_and_later(
    folder: Path, texts: list[str], open_store: Open, fill: Fill, is_found: IsFound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(folder / "no python"))
    store = open_store(folder)
    fill(store, ["one text more"])

    assert not store.flush()
    assert "cannot be started" in (store.trouble or "")
    pauses = []
    for _ in range(12):
        pauses.append(round(store.chroma._not_before - time.monotonic()))
        assert not store.flush()  # within the pause: nothing is tried
        store.chroma._not_before = 0
        store.flush()

    assert sorted(pauses) == pauses
    assert 200 < pauses[-1] <= 300
    assert is_found(store, "one text more")
    assert (folder / "chroma-0").is_dir()
    monkeypatch.undo()
    store.chroma._not_before = 0
    assert store.flush()
    assert store.trouble is None


# R049: above some thousand vectors the index would not load after a restart; R054: the batch cap of the store.
@pytest.mark.parametrize("count", [999, 1001, 2500] if FULL else [1001])
def test_any_number_of_vectors_is_read_back(
    tmp_path: Path, open_store: Open, lost: Lost, fill: Fill, count: int
) -> None:
    texts = [f"line {number}" for number in range(count)]
    store = open_store(tmp_path / "index")
    fill(store, texts)
    assert store.flush()
    store.close()

    assert (0, 0, 0) == lost(open_store(tmp_path / "index"), texts)


# R054: a folder of thousands of chunks is deleted at once. R055: after deleting 90 % the graph finds too few.
def test_thousands_are_deleted_at_once(folder: Path, texts: list[str], open_store: Open, lost: Lost) -> None:
    store = open_store(folder)
    store.warm()
    paths = sorted(store.catalog.files(), key=lambda path: store.catalog.files()[path].id)
    store.catalog.remove(paths[2:])

    assert (0, 0, 0) == lost(store, texts[:100])
    found = store.nearest(np.ones(32, np.float32) / 6, 50, Filter())
    assert 50 == len(set(found))


def test_a_collection_that_is_mostly_deleted_is_made_anew(
    folder: Path, texts: list[str], open_store: Open, lost: Lost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma's own files keep what is deleted for ever."""
    monkeypatch.setattr(follower, "_LEAST_DEAD", 100)
    store = open_store(folder)
    paths = sorted(store.catalog.files(), key=lambda path: store.catalog.files()[path].id)
    half = len(paths) // 2 - 1
    store.catalog.remove(paths[half + 2 :])
    assert store.flush()
    assert store.catalog.dead() > 100
    assert (folder / "chroma-0").is_dir()
    store.catalog.remove(paths[half : half + 2])

    assert store.flush()

    assert 0 == store.catalog.dead()
    assert ["chroma-1"] == [path.name for path in folder.glob("chroma-*") if path.is_dir()]
    assert (0, 0, 0) == lost(store, texts[: half * 50])
