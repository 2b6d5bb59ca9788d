"""Whatever happens to a root, its index equals one that is built from nothing."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import connote

Contents = Callable[[connote.Index], dict[str, Any]]
Vectors = Callable[[connote.Index], dict[str, set[str]]]
Git = Callable[..., None]

FULL = bool(os.environ.get("CONNOTE_TEST_FULL"))
NAMES = ("a.py", "b.py", "src/a.py", "src/b.ts", "src/deep/c.go", "notes.md", "data.bin", "src/deep")
TEXTS = (
    b"def one():\n    return 1\n",
    b"def one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 'four'\n",
    b"export function five(): number { return 5 }\n",
    b"package c\n\n// Six is a number.\nfunc Six() int { return 6 }\n",
    b"# Title\n\nSome words about seven.\n",
    b"\x00\x01\x02",
    b"",
    "naïve = '🎉'\r\n".encode(),
)

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
names, texts = st.sampled_from(NAMES), st.sampled_from(TEXTS)
actions = st.one_of(
    st.tuples(st.just("write"), names, texts, st.booleans()),
    st.tuples(st.just("delete"), names, st.just(b""), st.booleans()),
    st.tuples(st.just("rename"), names, st.sampled_from([name.encode() for name in NAMES]), st.booleans()),
    st.tuples(st.just("copy"), names, st.sampled_from([name.encode() for name in NAMES]), st.booleans()),
    st.tuples(
        st.just("move"), st.sampled_from(["src", "src/deep", "lib"]), st.sampled_from([b"lib", b"src"]), st.booleans()
    ),
    st.tuples(
        st.just("ignore"), st.sampled_from(["*.py", "src/", "!a.py", "lib\r\n", ""]), st.just(b""), st.booleans()
    ),
    st.tuples(st.just("sync"), st.just(""), st.just(b""), st.just(True)),
    st.tuples(st.just("reopen"), st.just(""), st.just(b""), st.just(True)),
)


def act(  # noqa: C901 - one branch an action
    root: Path, index: connote.Index, action: str, name: str, content: bytes, told: bool
) -> None:
    """Do one thing to the root, and tell the index of it, or not."""
    place = root / name
    if action == "sync":
        index.sync()
    elif action == "ignore":
        (root / ".connoteignore").write_text(name + "\n", encoding="utf-8")
        if told:
            index.sync()
    elif action == "write":
        if place.is_dir() or any(parent.is_file() for parent in place.parents):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        if told:
            index.update(name)
    elif action == "delete":
        if place.is_dir():
            shutil.rmtree(place)
        elif place.exists():
            place.unlink()
        if told:
            index.remove(name)
    elif action == "move":
        target = root / content.decode()
        if place.is_dir() and not target.exists() and place not in target.parents:
            place.rename(target)
            if told:
                index.rename(name, target)
    elif action in {"rename", "copy"}:
        target = root / content.decode()
        if not place.is_file() or target.exists() or any(parent.is_file() for parent in target.parents):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if action == "copy":
            shutil.copyfile(place, target)
            if told:
                index.update(target)
        else:
            place.rename(target)
            if told:
                index.rename(name, target)


@given(history=st.lists(actions, min_size=1, max_size=12))
@settings(SLOW, max_examples=200 if FULL else 12)
def test_any_history_ends_in_the_index_of_a_fresh_build(
    tmp_path_factory: pytest.TempPathFactory,
    opened: Callable[..., connote.Index],
    contents: Contents,
    vectors: Vectors,
    history: list[tuple[str, str, bytes, bool]],
) -> None:
    root = tmp_path_factory.mktemp("root")
    index = opened(root, home=f"{root.name}-lived")
    for action, name, content, told in history:
        if action == "reopen":
            index.close()
            index = opened(root, home=f"{root.name}-lived")
        else:
            act(root, index, action, name, content, told)
    index.sync()
    equals_a_fresh_build(index, opened, contents, vectors)


def equals_a_fresh_build(
    index: connote.Index, opened: Callable[..., connote.Index], contents: Contents, vectors: Vectors
) -> None:
    fresh = opened(index.root, home=f"{index.root.name}-fresh")
    fresh.sync()
    lived, built, found = contents(index), contents(fresh), vectors(index)
    index.close()
    fresh.close()

    assert built == lived
    assert found["wanted"] == found["stored"] == found["chroma"] == {chunk[10] for chunk in built["chunks"]}
    assert (0, 0, 0) == built["orphans"]
    assert 0 == built["waiting"]


@given(history=st.lists(actions, min_size=4, max_size=25))
@settings(SLOW, max_examples=100 if FULL else 6)
def test_events_while_the_whole_is_synced_again_and_again_end_in_the_index_of_a_fresh_build(
    tmp_path_factory: pytest.TempPathFactory,
    opened: Callable[..., connote.Index],
    contents: Contents,
    vectors: Vectors,
    history: list[tuple[str, str, bytes, bool]],
) -> None:
    root = tmp_path_factory.mktemp("root")
    index = opened(root, home=f"{root.name}-lived")
    ended = threading.Event()
    failures: list[BaseException] = []

    def sync() -> None:
        try:
            while not ended.is_set():
                index.sync()
        except BaseException as error:  # noqa: BLE001 - it is raised below, in the test's own thread
            failures.append(error)

    passes = threading.Thread(target=sync)
    passes.start()
    try:
        for action, name, content, _ in history:
            if action not in {"reopen", "ignore"}:
                act(root, index, action, name, content, told=True)
    finally:
        ended.set()
        passes.join()

    assert [] == failures
    index.sync()
    equals_a_fresh_build(index, opened, contents, vectors)


# Edge case 52, R076: a switch of branches changes hundreds of files at once, and a switch back embeds them again.
def test_switching_branches_back_and_forth_ends_in_the_index_of_a_fresh_build(
    git: Git,
    tree: Callable[..., Path],
    opened: Callable[..., connote.Index],
    contents: Contents,
    vectors: Vectors,
) -> None:
    root = tree({f"pkg{n % 7}/m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(500)})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    git(root, "checkout", "-q", "-b", "other")
    for n in range(500):
        place = root / f"pkg{n % 7}/m{n}.py"
        if n % 5 == 0:
            place.unlink()
        elif n % 5 == 1:
            (root / f"new{n}").mkdir()
            place.rename(root / f"new{n}/m{n}.py")
        else:
            place.write_text(f"def other_{n}(shelf):\n    return shelf * {n}\n", encoding="utf-8")
    (root / ".gitignore").write_text("pkg6/\nnew1/\n", encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "two")
    index = opened(root)
    first = index.sync()
    git(root, "checkout", "-q", "main")
    there = index.sync()
    git(root, "checkout", "-q", "other")
    back = index.sync()

    assert first.embedded > 0
    assert there.embedded > 0
    assert 0 == back.embedded
    equals_a_fresh_build(index, opened, contents, vectors)
