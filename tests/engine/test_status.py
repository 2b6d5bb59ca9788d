"""The status tells the truth: each state there is, how an index gets into it and out of it, and what it says."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import connote
from connote.errors import ConnoteError

Tree = Callable[..., Path]
Open = Callable[..., connote.Index]
Unreadable = Callable[[str], AbstractContextManager[None]]
CODE = "def step(order):\n    return order\n"


def state(index: connote.Index) -> tuple[str, int, int, int]:
    status = index.status()
    return status.state, status.files, status.pending, status.failed


def test_before_the_first_sync_it_is_degraded_and_says_what_to_do(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": CODE, "b.py": CODE})
    index = opened(root)
    assert ("degraded", 0, 0, 0) == state(index)
    assert "never indexed as a whole" in (index.status().message or "")
    assert index.status().last_sync is None

    index.update("a.py")
    assert ("degraded", 1, 0, 0) == state(index)
    assert not index.answer("step").complete

    index.sync()
    assert ("ready", 2, 0, 0) == state(index)
    assert (None, True) == (index.status().message, index.answer("step").complete)
    assert index.status().last_sync is not None


def test_while_it_indexes_it_counts_what_is_left(tree: Tree, opened: Open) -> None:
    index = opened(tree({f"m{n}.py": CODE for n in range(120)}))
    seen: list[tuple[str, int, int, int]] = []

    index.sync(lambda progress: seen.append(state(index)))

    assert [("indexing", 50, 70, 0), ("indexing", 100, 20, 0), ("indexing", 120, 0, 0)] == seen
    assert ("ready", 120, 0, 0) == state(index)


def test_a_sync_that_was_stopped_is_not_ready_but_a_later_one_leaves_it_so(tree: Tree, opened: Open) -> None:
    root = tree({f"m{n}.py": CODE for n in range(120)})
    index = opened(root)
    cancel = threading.Event()
    index.sync(lambda progress: cancel.set(), cancel=cancel)
    assert ("degraded", 50, 0, 0) == state(index)
    index.sync()
    assert ("ready", 120, 0, 0) == state(index)

    # What was indexed as a whole once stays so: nothing is lost by a stop.
    assert index.sync(cancel=cancel).cancelled
    assert ("ready", 120, 0, 0) == state(index)


def test_a_root_that_cannot_be_listed_is_an_error_until_it_can(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": CODE})
    index = opened(root)
    index.sync()
    root.rename(root.with_name("away"))
    with pytest.raises(ConnoteError, match="cannot be listed"):
        index.sync()

    assert ("error", 1, 0, 0) == state(index)
    assert "cannot be listed" in (index.status().message or "")
    assert ["a.py"] == [hit.path for hit in index.search("step", min_score=0)]

    root.with_name("away").rename(root)
    index.sync()
    assert ("ready", 1, 0, 0) == state(index)
    assert index.status().message is None


def test_a_file_that_failed_is_counted_named_and_tried_again(tree: Tree, opened: Open, unreadable: Unreadable) -> None:
    root = tree({"a.py": CODE, "b.py": CODE})
    index = opened(root)

    with unreadable("a.py"):
        index.sync()
        assert ("ready", 1, 0, 1) == state(index)
        assert "1 file could not be indexed; it is tried again" in (index.status().message or "")
        assert [("a.py", True)] == [(item.path, "Permission denied" in item.reason) for item in index.problems()]
    index.sync()

    assert ("ready", 2, 0, 0) == state(index)
    assert (None, []) == (index.status().message, index.problems())


def test_what_is_left_out_is_counted_by_reason(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": CODE, "logo.png": b"\x89PNG", "b.min.js": "x", "id_rsa": "k", "data.csv": "1,2\n"}))
    index.sync()

    assert {"binary": 1, "minified": 1, "secret": 1, "data": 1} == dict(index.status().skipped)
    assert ["b.min.js", "data.csv", "id_rsa", "logo.png"] == [item.path for item in index.skipped()]
