"""Passes that overlap, listings that fail and readers that never rest: none of them sees or makes a wrong index."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.errors import ConnoteError
from connote.model import Report
from connote.sync.filling import Filling

Tree = Callable[..., Path]
Open = Callable[..., connote.Index]
Unreadable = Callable[[str], AbstractContextManager[None]]

RETRY = "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n"
COLOR = "class Palette:\n    red = '#f00'\n    green = '#0f0'\n"
QUESTION = "wait longer after each failure"


def texts(index: connote.Index) -> dict[str, str]:
    """What is indexed of each file."""
    rows = index._store.catalog.reader().execute(
        "SELECT f.path, c.text FROM chunks c JOIN files f ON f.id = c.file ORDER BY f.path, c.position"
    )
    return {path: text.strip() for path, text in rows if path != ".connoteignore"}


def newer_edit(index: connote.Index) -> None:
    (index.root / "src/a.py").write_text(COLOR, encoding="utf-8")
    index.update("src/a.py")


def newer_deletion(index: connote.Index) -> None:
    (index.root / "src/a.py").unlink()
    index.update("src/a.py")


def newer_removal(index: connote.Index) -> None:
    (index.root / "src/a.py").unlink()
    index.remove("src/a.py")


def newer_removal_of_the_folder(index: connote.Index) -> None:
    shutil.rmtree(index.root / "src")
    index.remove("src")


def newer_rename(index: connote.Index) -> None:
    (index.root / "src").rename(index.root / "lib")
    index.rename("src", "lib")


def newer_sync(index: connote.Index) -> None:
    (index.root / "src/a.py").unlink()
    index.sync()


def newer_ignore_rule(index: connote.Index) -> None:
    (index.root / ".connoteignore").write_text("src/\n", encoding="utf-8")
    index.sync()


# Edge case 53
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (newer_edit, {"src/a.py": COLOR}),
        (newer_deletion, {}),
        (newer_removal, {}),
        (newer_removal_of_the_folder, {}),
        (newer_rename, {"lib/a.py": RETRY}),
        (newer_sync, {}),
        (newer_ignore_rule, {}),
    ],
)
def test_what_a_slow_pass_has_read_does_not_undo_a_newer_event(
    tree: Tree, opened: Open, event: Callable[[connote.Index], None], expected: dict[str, str], known: bool
) -> None:
    root = tree({"src/a.py": "x = 1\n" if known else RETRY})
    index = opened(root)
    if known:
        index.sync()
        (root / "src/a.py").write_text(RETRY, encoding="utf-8")
    sync = index._sync
    plan = sync.plan()
    slow = list(sync._preparer.prepare(plan, None, force=False, cancel=None))
    assert ["src/a.py"] == [one.path for one in slow]

    event(index)
    filling = Filling(sync._vectors, None, None, afresh=False)
    sync._write(slow, plan.known, Report(), filling, at_once=False, cancel=None)
    sync._remove(plan.removed, 1)

    assert {path: text.strip() for path, text in expected.items()} == texts(index)


def test_an_older_pass_does_not_remove_what_came_after_its_listing(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    (root / "a.py").unlink()
    ticket = index._sync._generations.now()
    plan = index._sync.plan()
    assert ["a.py"] == plan.removed
    (root / "a.py").write_text(COLOR, encoding="utf-8")
    index.update("a.py")

    assert 0 == index._sync._remove(plan.removed, ticket)
    assert ["a.py"] == index.files()


def test_two_index_objects_of_one_root_share_the_order(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    one, other = opened(root), opened(root)
    plan = one._sync.plan()
    slow = list(one._sync._preparer.prepare(plan, None, force=False, cancel=None))
    (root / "a.py").unlink()
    other.update("a.py")
    filling = Filling(one._sync._vectors, None, None, afresh=False)
    one._sync._write(slow, plan.known, Report(), filling, at_once=False, cancel=None)

    assert {} == texts(one) == texts(other)


# Edge case 57, R028
@pytest.mark.parametrize("place", ["", "src"])
def test_a_listing_that_fails_halfway_removes_nothing(
    tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    root = tree({"a.py": RETRY, "src/b.py": RETRY, "src/c.py": RETRY, "z.py": RETRY})
    index = opened(root)
    index.sync()
    (root / "z.py").unlink()
    real = os.scandir

    def failing(path: Any = ".") -> Any:
        if Path(path) == root / place:
            raise OSError(5, "Input/output error", str(path))
        return real(path)

    with monkeypatch.context() as context:
        context.setattr(os, "scandir", failing)
        if place:
            assert ["src/"] == [problem.path for problem in index.sync().problems]
            assert ["a.py", "src/b.py", "src/c.py"] == index.files()
        else:
            with pytest.raises(ConnoteError, match="cannot be listed"):
                index.sync()
            assert ["a.py", "src/b.py", "src/c.py", "z.py"] == index.files()
            assert "error" == index.status().state
    index.sync()

    assert ["a.py", "src/b.py", "src/c.py"] == index.files()
    assert ("ready", 0) == (index.status().state, index.status().failed)


def test_a_root_that_is_gone_for_a_while_keeps_its_index(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    root.rename(root.with_name("away"))

    with pytest.raises(ConnoteError, match="cannot be listed"):
        index.sync()
    root.with_name("away").rename(root)

    assert (0, 1, 0) == (index.sync().embedded, len(index.files()), index.status().failed)


# Edge case 57: what fails once is tried again though it looks the same.
def test_a_file_that_could_not_be_read_is_read_by_the_next_pass(
    tree: Tree, opened: Open, unreadable: Unreadable
) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    os.utime(root / "a.py", (1, 1))

    with unreadable("a.py"):
        index.sync()
        assert 1 == index.status().failed
    index.sync()

    assert 0 == index.status().failed
    assert [] == index.problems()


# Edge cases 50 and 52: between the removal of the old and the arrival of the new, nothing is found.
@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_a_reader_finds_the_code_at_every_moment(tree: Tree, opened: Open, mode: str) -> None:
    root = tree({"src/a.py": RETRY, **{f"m{n}.py": COLOR.replace("Palette", f"Palette{n}") for n in range(40)}})
    index = opened(root)
    index.sync()
    index.warm()
    done = threading.Event()
    seen: list[list[str]] = []

    def read() -> None:
        while not done.is_set():
            hits = index.search(QUESTION, mode=mode, min_score=0, limit=3)
            seen.append([hit.path for hit in hits if hit.path.endswith("/a.py")])

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for turn in range(12):
            here, there = ("src", "lib") if turn % 2 == 0 else ("lib", "src")
            (root / here / "a.py").write_text("\n" * turn + RETRY + f"# {turn}\n", encoding="utf-8")
            index.update(f"{here}/a.py")
            (root / here).rename(root / there)
            index.rename(here, there)
            index.flush()
            if turn % 4 == 0:
                index.sync()
    finally:
        done.set()
        for reader in readers:
            reader.join()

    assert len(seen) > 12
    assert [] == [paths for paths in seen if not paths]
