"""An index that follows its root by itself: file events, ignore rules, switches of branches, and a check without."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import connote
from connote.sync import watching
from connote.walk import WalkOptions

Tree = Callable[..., Path]
Git = Callable[..., None]
Until = Callable[[Callable[[], object]], object]
Open = Callable[..., connote.Index]
CODE = "def step(order):\n    return order\n"


class Seen:
    """What a watcher reported."""

    def __init__(self, root: Path, until: Until) -> None:
        self.root = root
        self.until = until
        self.paths: list[str] = []
        self.overflows = 0
        self.watcher = watching.Watcher(root, WalkOptions(), self.paths.extend, self._overflow)
        self.watcher.start()
        assert self.watcher.wait(60)

    def _overflow(self) -> None:
        self.overflows += 1

    def write(self, path: str) -> None:
        """Write a file of this path, below a folder that may be new."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(CODE, encoding="utf-8")

    def after(self, path: str) -> None:
        """Write a file that is wanted and wait until it is seen: what came before has been seen too, or never is."""
        self.write(path)
        self.until(lambda: path in self.paths)


@pytest.fixture
def seen(git: Git, until: Until, tree: Tree) -> Iterator[Seen]:
    root = tree(
        {
            "a.py": CODE,
            "src/deep/b.py": CODE,
            "node_modules/x/index.js": CODE,
            "empty/.keep": "",
            "out/log.txt": "1",
            ".gitignore": "out/\n",
        }
    )
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    seen = Seen(root, until)
    yield seen
    seen.watcher.stop()


def test_files_and_folders_that_come_change_and_go_are_reported(seen: Seen) -> None:
    seen.write("a.py")
    seen.until(lambda: "a.py" in seen.paths)
    seen.write("empty/new.py")
    seen.until(lambda: "empty/new.py" in seen.paths)
    (seen.root / "src/deep/b.py").unlink()
    seen.until(lambda: "src/deep/b.py" in seen.paths)
    (seen.root / "src").rename(seen.root / "lib")
    seen.until(lambda: {"src", "lib"} <= set(seen.paths))
    seen.write("lib/deep/c.py")
    seen.until(lambda: "lib/deep/c.py" in seen.paths)
    shutil.rmtree(seen.root / "lib")
    seen.until(lambda: seen.paths.count("lib") > 1)

    assert 0 == seen.overflows


def test_what_comes_with_a_new_folder_is_not_lost(seen: Seen) -> None:
    for n in range(10):
        seen.write(f"new{n}/one/two/c.py")

    # The folder stands for what was in it when it came.
    seen.until(lambda: {f"new{n}" for n in range(10)} <= {path.split("/")[0] for path in seen.paths} or seen.overflows)
    seen.write("new9/one/two/d.py")
    seen.until(lambda: "new9/one/two/d.py" in seen.paths or seen.overflows)


def test_dependencies_and_ignored_folders_are_neither_watched_nor_reported(seen: Seen) -> None:
    seen.write("node_modules/x/more.js")
    seen.write("out/more.py")
    seen.write("node_modules/y/index.js")
    seen.write(".git/objects/ab/cd")
    seen.after("z.py")

    assert ["z.py"] == sorted(set(seen.paths))
    assert 0 == seen.overflows
    assert {"", "empty", "src", "src/deep"} == seen.watcher._folders


def test_a_new_folder_that_is_ignored_is_not_entered(seen: Seen) -> None:
    seen.write("src/node_modules/x/index.js")
    seen.write("src/out/a.py")
    seen.after("src/z.py")

    assert {"src/z.py"} == {path for path in seen.paths if path != "src/node_modules"} - {"src/out"}
    assert not any("node_modules" in folder or "out" in folder for folder in seen.watcher._folders)


# R019: ignore rules hold only after a restart.
@pytest.mark.parametrize("place", [".gitignore", ".connoteignore", "src/.gitignore", ".git/info/exclude"])
def test_a_change_of_the_rules_is_a_change_of_everything(seen: Seen, place: str) -> None:
    (seen.root / place).parent.mkdir(exist_ok=True)
    (seen.root / place).write_text("deep/\n", encoding="utf-8")

    seen.until(lambda: seen.overflows)


def test_a_folder_that_is_no_longer_ignored_is_watched(seen: Seen) -> None:
    (seen.root / ".gitignore").write_text("src/\n", encoding="utf-8")
    seen.until(lambda: seen.overflows)
    assert "src" not in seen.watcher._folders
    (seen.root / ".gitignore").write_text("", encoding="utf-8")
    seen.until(lambda: seen.overflows > 1)

    seen.after("src/more.py")


def test_a_switch_of_branches_is_a_change_of_everything(git: Git, seen: Seen) -> None:
    git(seen.root, "checkout", "-q", "-b", "other")

    seen.until(lambda: seen.overflows)


def test_a_burst_is_one_report(seen: Seen) -> None:
    for n in range(watching.MANY * 3):
        (seen.root / f"m{n}.py").write_text(CODE, encoding="utf-8")

    seen.until(lambda: seen.overflows or len(set(seen.paths)) == watching.MANY * 3)
    assert seen.overflows < 10


def test_where_watching_fails_the_status_says_so_and_the_regular_check_finds_what_changed(
    until: Until, tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchfiles import _rust_notify

    def refuse(*arguments: object) -> None:
        raise _rust_notify.WatchfilesRustInternalError("OS file watch limit reached.")

    monkeypatch.setattr(_rust_notify, "RustNotify", refuse)
    root = tree({"a.py": CODE})
    settings = connote.Settings(index_dir=tmp_path / "indexes")
    settings = replace(settings, server=replace(settings.server, host="off", resync_seconds=1))
    with connote.open(root, settings) as index:
        index.sync()
        index.keep_fresh()
        assert index._keeper is not None
        assert index._keeper.wait(60)
        (root / "b.py").write_text(CODE, encoding="utf-8")
        until(lambda: "b.py" in index.files())
        until(lambda: index.status().state == "ready")
        message = index.status().message or ""

    assert "Files are not watched for changes: OS file watch limit reached" in message
    assert "max_user_watches" in message
    assert "They are checked every" in message


# Edge cases 49 to 52 and 56, without anybody who tells.
def test_an_index_follows_its_root_by_itself(until: Until, git: Git, tree: Tree, opened: Open) -> None:
    root = tree({"a.py": CODE, "docs/guide.md": "# Guide\n\nHow to step.\n", ".gitignore": "*.log\n"})
    git(root, "init", "-q")
    index = opened(root)
    index.sync()
    index.keep_fresh()
    assert index._keeper is not None
    assert index._keeper.wait(60)

    (root / "src").mkdir()
    (root / "src/b.py").write_text("def zebra_crossing():\n    return 'stripes'\n", encoding="utf-8")
    until(lambda: "src/b.py" in [hit.path for hit in index.search("zebra_crossing")])
    (root / "src").rename(root / "lib")
    until(lambda: [hit.path for hit in index.search("zebra_crossing")][:1] == ["lib/b.py"])
    (root / ".gitignore").write_text("docs/\n", encoding="utf-8")
    until(lambda: "docs/guide.md" not in index.files())
    (root / ".gitignore").write_text("", encoding="utf-8")
    until(lambda: "docs/guide.md" in index.files())
    (root / "a.py").unlink()
    until(lambda: "a.py" not in index.files())

    assert [".gitignore", "docs/guide.md", "lib/b.py"] == index.files()


def test_watching_can_be_turned_off(tree: Tree, tmp_path: Path) -> None:
    settings = connote.Settings(index_dir=tmp_path / "indexes")
    settings = replace(settings, server=replace(settings.server, host="off", watch="off", resync_seconds=0))
    with connote.open(tree({"a.py": CODE}), settings) as index:
        index.sync()
        index.keep_fresh()

        assert index._keeper is not None
        assert index._keeper._watcher is None
        assert ("ready", None) == (index.status().state, index.status().message)


def test_the_end_of_an_index_ends_its_watch(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": CODE}))
    index.keep_fresh()
    index.close()

    assert not [thread.name for thread in threading.enumerate() if thread.name in {"connote-watch", "connote-keep"}]
