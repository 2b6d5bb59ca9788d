"""Whatever happens to a root, its index equals one that is built from nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import connote

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

names, texts = st.sampled_from(NAMES), st.sampled_from(TEXTS)
actions = st.one_of(
    st.tuples(st.just("write"), names, texts, st.booleans()),
    st.tuples(st.just("delete"), names, st.just(b""), st.booleans()),
    st.tuples(st.just("rename"), names, st.sampled_from([name.encode() for name in NAMES]), st.booleans()),
    st.tuples(st.just("copy"), names, st.sampled_from([name.encode() for name in NAMES]), st.booleans()),
    st.tuples(st.just("ignore"), st.sampled_from(["*.py", "src/", "!a.py", ""]), st.just(b""), st.just(False)),
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
@settings(
    max_examples=200 if FULL else 12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_history_ends_in_the_index_of_a_fresh_build(
    tmp_path_factory: pytest.TempPathFactory,
    opened: Callable[..., connote.Index],
    contents: Callable[[connote.Index], dict[str, Any]],
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
    fresh = opened(root, home=f"{root.name}-fresh")
    fresh.sync()

    lived, built = contents(index), contents(fresh)
    index.close()
    fresh.close()

    assert built == lived
    assert built["wanted"] == built["stored"] == built["chroma"] == {chunk[10] for chunk in built["chunks"]}
    assert (0, 0, 0) == built["orphans"]
    assert 0 == built["waiting"]
