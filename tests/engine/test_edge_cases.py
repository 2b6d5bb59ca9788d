"""Edge cases of an index's life, each with its number in the list, and reports about speed and scale (R104 to R114)."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import connote

Tree = Callable[..., Path]
Git = Callable[..., None]
Open = Callable[..., connote.Index]
Until = Callable[[Callable[[], object]], object]

RETRY = "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n"
COLOR = "class Palette:\n    red = '#f00'\n    green = '#0f0'\n"
QUESTION = "wait longer after each failure"


def found(index: connote.Index, query: str = QUESTION, **changes: Any) -> list[str]:
    return [hit.path for hit in index.search(query, min_score=0, **changes)]


def test_49_a_blank_line_at_the_top_embeds_nothing(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY + COLOR, "notes.md": "# One\n\nText.\n\n# Two\n\nMore text.\n"})
    index = opened(root)
    index.sync()
    for name in ("a.py", "notes.md"):
        (root / name).write_text("\n" + (root / name).read_text(encoding="utf-8"), encoding="utf-8")

    assert 0 == index.sync().embedded


def test_51_a_copy_and_its_original_are_both_found_and_each_alone(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    shutil.copyfile(root / "a.py", root / "b.py")

    assert 0 == index.sync().embedded
    assert {"a.py", "b.py"} == set(found(index, mode="semantic"))
    (root / "a.py").unlink()
    index.sync()
    assert ["b.py"] == found(index, mode="semantic")


@pytest.mark.parametrize(
    ("rules", "stays"),
    [
        ("docs/\n", {"a.py", "src/a.py", "src/docs"}),
        ("/docs/\n", {"a.py", "src/a.py", "src/docs", "lib/docs/g.md"}),
        ("*.md\n!g.md\n", {"a.py", "src/a.py", "src/docs", "docs/g.md", "lib/docs/g.md"}),
        ("docs/\r\n*.py\r\n", {"src/docs"}),
    ],
)
def test_56_ignore_rules_prune_and_bring_back(git: Git, tree: Tree, opened: Open, rules: str, stays: set[str]) -> None:
    files = {"a.py": RETRY, "docs/g.md": "# G\n", "lib/docs/g.md": "# G\n", "src/a.py": COLOR, "src/docs": "a file\n"}
    root = tree({**files, ".gitignore": ""})
    git(root, "init", "-q")
    index = opened(root)
    index.sync()
    every = set(index.files())
    (root / ".gitignore").write_bytes(rules.encode())
    index.sync()

    assert stays == set(index.files()) - {".gitignore"}

    for path in files:  # as an editor saves them
        index.update(path)
    assert stays == set(index.files()) - {".gitignore"}

    (root / ".gitignore").write_bytes(b"")
    report = index.sync()
    assert every == set(index.files())
    assert 0 == report.embedded


def test_56_a_nested_rule_holds_below_it(tree: Tree, opened: Open) -> None:
    root = tree({"src/a.py": RETRY, "src/gen/b.py": COLOR, "gen/c.py": COLOR})
    index = opened(root)
    index.sync()
    (root / "src/.connoteignore").write_text("gen/\n", encoding="utf-8")
    index.sync()

    assert ["gen/c.py", "src/.connoteignore", "src/a.py"] == index.files()


def test_57_what_a_path_is_may_change(tree: Tree, opened: Open, tmp_path: Path) -> None:
    root = tree({"a": RETRY, "b/c.py": COLOR, "d.py": RETRY})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text(RETRY, encoding="utf-8")
    index = opened(root)
    index.sync()
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a/inner.py").write_text(RETRY, encoding="utf-8")
    shutil.rmtree(root / "b")
    (root / "b").write_text(COLOR, encoding="utf-8")
    (root / "d.py").unlink()
    (root / "d.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "loop").symlink_to(root, target_is_directory=True)
    index.sync()

    assert ["a/inner.py", "b"] == index.files()
    assert {"d.py": "link", "loop": "link"} == {item.path: item.reason for item in index.skipped()}


def test_58_a_root_through_a_link_is_the_same_root(tree: Tree, opened: Open, tmp_path: Path) -> None:
    root = tree({"src/a.py": RETRY})
    (tmp_path / "link").symlink_to(root, target_is_directory=True)
    opened(root).sync()
    linked = opened(tmp_path / "link")

    assert ["src/a.py"] == found(linked)
    assert (0, 1) == (linked.sync().embedded, len(linked.files()))
    assert root.resolve() == linked.root
    (root / "src/a.py").write_text(COLOR, encoding="utf-8")
    linked.update(tmp_path / "link/src/a.py")
    assert ["src/a.py"] == found(opened(root), "palette of red and green")


def test_58_worktrees_submodules_and_repositories_below_the_root_are_found_once(
    git: Git, tree: Tree, opened: Open, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "l.py").write_text(COLOR, encoding="utf-8")
    git(lib, "init", "-q")
    git(lib, "add", "-A")
    git(lib, "commit", "-q", "-m", "one")
    root = tree({"app/a.py": RETRY, "app/.gitignore": "out/\n", "app/out/x.py": RETRY, "other/b.py": "x = 1\n"})
    for name in ("app", "other"):
        git(root / name, "init", "-q")
        git(root / name, "add", "-A")
        git(root / name, "commit", "-q", "-m", "one")
    git(root / "app", "submodule", "add", "-q", str(lib), "vendor/lib")
    git(root / "app", "worktree", "add", "-q", str(root / "app/trees/two"))
    index = opened(root)
    index.sync()

    files = [path for path in index.files() if path.endswith(".py")]
    assert ["app/a.py", "app/vendor/lib/l.py", "other/b.py"] == files
    assert ["app/a.py"] == found(index, mode="lexical")
    # A save inside of the second tree changes nothing either.
    index.update("app/trees/two/a.py")
    assert ["app/a.py"] == found(index, mode="lexical")


def test_60_a_rename_to_an_ignored_name_or_another_language(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY, "b.py": RETRY, ".connoteignore": "*.bak\n"})
    index = opened(root)
    index.sync()
    (root / "a.py").rename(root / "a.bak")
    index.rename("a.py", "a.bak")
    (root / "b.py").rename(root / "b.txt")
    index.rename("b.py", "b.txt")

    assert [".connoteignore", "b.txt"] == index.files()
    assert ["text"] == [hit.language or "text" for hit in index.search(QUESTION, min_score=0, include=["b.txt"])]


def test_63_a_filter_is_filled_though_its_hits_are_far_down(tree: Tree, opened: Open) -> None:
    files = {f"m{n}.py": RETRY.replace("try_again", f"try_again_{n}") for n in range(600)}
    weak = {f"w{n}.go": f"package w\n\nfunc Again{n}(r Request) Failure {{ return wait(r, {n}) }}\n" for n in range(30)}
    index = opened(tree({**files, **weak}))
    index.sync()
    index.warm()

    for mode in ("hybrid", "semantic"):
        assert 20 == len(found(index, include=["*.go"], limit=20, mode=mode))
        assert 20 == len(found(index, languages=["go"], limit=20, mode=mode))
    assert set(weak) == set(found(index, include=["**/*.{go,rs}"], limit=200))


@pytest.mark.parametrize("seen", [1, 5])
def test_68_a_cancel_stops_at_the_next_file(
    tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch, seen: int
) -> None:
    from connote.sync import preparing

    root = tree({f"m{n:03}.py": COLOR.replace("Palette", f"Palette{n}") for n in range(400)})
    cancel, read, after = threading.Event(), preparing.read, []

    def counted(where: Path, file: Any, options: Any) -> Any:
        if cancel.is_set():
            after.append(file.path)
        return read(where, file, options)

    monkeypatch.setattr(preparing, "read", counted)
    index = opened(root)
    reports = []

    def stop(progress: connote.Progress) -> None:
        reports.append(progress)
        if len(reports) == seen:
            cancel.set()

    report = index.sync(stop, cancel=cancel)

    assert report.cancelled
    assert [] == after
    assert seen == len(reports)
    assert report.added == len(index.files()) == reports[-1].done


def test_68_a_cancel_does_not_wait_for_the_model(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": RETRY}))
    asked, answer, cancel = threading.Event(), threading.Event(), threading.Event()
    real = index._embedder

    class Slow:
        name, dimensions, fingerprint = real.name, real.dimensions, real.fingerprint

        def parts(self, texts: list[str], cancel: threading.Event) -> Iterator[object]:
            asked.set()
            answer.wait(60)
            yield from real.parts(texts)

    index._sync._vectors._embedder = Slow  # type: ignore[assignment]
    passes = threading.Thread(target=lambda: index.sync(cancel=cancel))
    passes.start()
    assert asked.wait(60)
    cancel.set()
    passes.join(60)

    assert not passes.is_alive()
    assert "a.py" in index.files()
    answer.set()


WRITER = """
import sys
from pathlib import Path
from connote.chunk import ChunkOptions
from connote.embed import EmbedOptions, open_embedder
from connote.store import Store
from connote.sync import Sync
from connote.walk import WalkOptions

root, folder = map(Path, sys.argv[1:])
model = open_embedder(EmbedOptions())
sync = Sync(root, Store(folder), lambda: model, (WalkOptions(), ChunkOptions()))
sync.run(on_progress=lambda progress: print(progress.done, flush=True))
print("all", flush=True)
"""


# R104, R105: nothing of an interrupted index is there after it.
@pytest.mark.parametrize("kept", [50, 150, 250])
def test_68_a_kill_while_indexing_costs_nothing_that_was_reported(
    tree: Tree, opened: Open, contents: Callable[[connote.Index], dict[str, Any]], kept: int
) -> None:
    root = tree({f"m{n:03}.py": COLOR.replace("Palette", f"Palette{n}") for n in range(300)})
    index = opened(root)
    folder = index._store.folder
    index.close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(folder)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if line.strip() == str(kept):
            break
    writer.kill()
    writer.wait()
    writer.stdout.close()

    index = opened(root)
    assert kept <= len(index.files())
    report = index.sync()
    fresh = opened(root, home="fresh")
    fresh.sync()
    assert report.added <= 300 - kept
    assert contents(fresh) == contents(index)


def test_70_two_indexes_of_one_root_write_and_read_at_once(tree: Tree, opened: Open) -> None:
    root = tree({f"m{n}.py": COLOR.replace("Palette", f"Palette{n}") for n in range(60)})
    one, other = opened(root), opened(root)
    failures: list[BaseException] = []

    def work(index: connote.Index, first: int) -> None:
        try:
            for n in range(first, 60, 2):
                (root / f"m{n}.py").write_text(RETRY.replace("try_again", f"try_{first}_{n}"), encoding="utf-8")
                index.update(f"m{n}.py")
                assert f"m{n}.py" in found(index, f"try_{first}_{n}", mode="lexical")
        except BaseException as error:  # noqa: BLE001 - it is raised below, in the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one, 0)), threading.Thread(target=work, args=(other, 1))]
    for thread in threads:
        thread.start()
    one.sync()
    for thread in threads:
        thread.join()

    assert [] == failures
    assert 60 == len(one.files()) == len(other.files())


# R107, R113: an index that cannot be written at first, and every start, embeds everything again.
def test_a_locked_catalog_is_waited_for_and_costs_no_embedding(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    folder = index._store.folder
    index.close()
    index = opened(root)
    lock = sqlite3.connect(folder / "catalog.sqlite", isolation_level=None, check_same_thread=False)
    lock.execute("BEGIN IMMEDIATE")
    reports: list[connote.Report] = []
    passes = threading.Thread(target=lambda: reports.append(index.sync()))
    passes.start()
    assert ["a.py"] == found(index)
    lock.execute("ROLLBACK")
    lock.close()
    passes.join()

    assert [(0, 1)] == [(report.embedded, report.unchanged) for report in reports]


# R108: each search looks at every file.
def test_a_search_walks_nothing_and_runs_nothing(tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    index = opened(tree({f"m{n}.py": COLOR for n in range(50)} | {"a.py": RETRY}))
    index.sync()
    index.search(QUESTION)
    looked: list[str] = []
    real = os.stat

    def stat(path: Any, *rest: Any, **more: Any) -> Any:
        looked.append(os.fspath(path) if not isinstance(path, int) else "")
        return real(path, *rest, **more)

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a search looked at the root")

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)

    assert "a.py" == index.search(QUESTION, limit=3)[0].path
    assert len([path for path in looked if path.endswith(".py")]) <= 3


# R109: what is in ignored folders is listed first and left out then.
@pytest.mark.parametrize("repository", [True, False])
@pytest.mark.parametrize("ignored", [True, False])
def test_dependencies_are_not_looked_at_file_by_file(
    git: Git, tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch, repository: bool, ignored: bool
) -> None:
    files = {f"node_modules/p{n // 20}/m{n}.js": "x" for n in range(1000)}
    root = tree({"a.py": RETRY, **files, ".gitignore": "node_modules/\n" if ignored else ""})
    if repository:
        git(root, "init", "-q")
    looked: list[str] = []

    def spy(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def look(path: Any = ".", *rest: Any, **more: Any) -> Any:
            looked.append(str(path))
            return real(path, *rest, **more)

        return look

    for name in ("lstat", "scandir", "open"):
        monkeypatch.setattr(os, name, spy(name))
    index = opened(root)
    index.sync()

    assert [".gitignore", "a.py"] == index.files()
    assert [] == [path for path in looked if path.endswith(".js")]


LIMITED = (
    """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
"""
    + WRITER
)


# R112: too many files are open.
@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows has no limit for open files (RLIMIT_NOFILE): that few are enough is not shown there",
)
def test_few_open_files_are_enough(tree: Tree, tmp_path: Path) -> None:
    root = tree({f"d{n % 40}/m{n}.py": f"x = {n}\n" for n in range(1500)})
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(root), str(tmp_path / "index")], check=True, capture_output=True, text=True
    )

    assert "all" == done.stdout.split()[-1]


def test_a_long_life_does_not_gather_open_files(tree: Tree, opened: Open, until: Until) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    for _ in range(20):
        index.sync()
        thread = threading.Thread(target=lambda: index.search(QUESTION))
        thread.start()
        thread.join()

    # A thread's connection is closed a moment after it.
    until(lambda: gc.collect() >= 0 and len(index._store.catalog._opened) <= 10)


@pytest.mark.parametrize("text", [RETRY, ""])
def test_57_a_file_that_vanishes_between_listing_and_reading(
    tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    from connote.sync import preparing

    root = tree({"a.py": RETRY, "b.py": text})
    index = opened(root)
    index.sync()
    (root / "a.py").write_text(COLOR, encoding="utf-8")
    read = preparing.read

    def gone(where: Path, file: Any, options: Any) -> Any:
        (root / "a.py").unlink(missing_ok=True)
        return read(where, file, options)

    with monkeypatch.context() as context:
        context.setattr(preparing, "read", gone)
        index.sync()
    assert ["b.py"] == index.files()
    index.sync()

    assert ["b.py"] == index.files()
    assert [] == index.skipped()
