"""Reports about the stores of comparable tools that no other file of tests answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import connote
from connote import ChunkOptions
from connote.config import load
from connote.engine import clear, indexed_roots
from connote.model import Chunk, Document, Symbol
from connote.store import Entry, Filter, Store, text_digest

Tree = Callable[..., Path]
OpenRoot = Callable[..., connote.Index]
Open = Callable[..., Store]

FULL = bool(os.environ.get("CONNOTE_TEST_FULL"))
SETTLE = "def settle(account):\n    '''Pay what the account owes.'''\n    return account.pay()\n"


def module(number: int) -> str:
    return (
        f"def settle_{number}(account):\n    '''Pay what account {number} owes.'''\n    return account.pay({number})\n"
    )


# R045: vectors of deleted files stay until all is indexed again.
@pytest.mark.parametrize("how", ["told", "while it is open", "while it is closed", "a folder"])
def test_vectors_of_deleted_files_leave_chroma(tree: Tree, opened: OpenRoot, how: str) -> None:
    root = tree({f"old/m{number}.py": module(number) for number in range(5)} | {"kept.py": SETTLE})
    index = opened(root)
    index.sync()
    index.flush()
    assert 6 == len(index._store.chroma.digests())
    gone = 5 if how == "a folder" else 1

    if how == "told":
        (root / "old/m0.py").unlink()
        index.remove("old/m0.py")
    elif how == "while it is open":
        (root / "old/m0.py").unlink()
        index.sync()
    elif how == "while it is closed":
        index.close()
        (root / "old/m0.py").unlink()
        index = opened(root)
        index.sync()
    else:
        shutil.rmtree(root / "old")
        index.update("old")
    index.flush()
    index.warm()

    assert 6 - gone == len(index._store.chroma.digests())
    assert "old/m0.py" not in {hit.path for hit in index.search("settle_0 pay", limit=200, min_score=0)}


# R046: renames leave the old path searchable.
@pytest.mark.parametrize(("old", "new", "files"), [("A.py", "a.py", 1), ("old", "new", 200)])
def test_renames_leave_nothing_behind(tree: Tree, opened: OpenRoot, old: str, new: str, files: int) -> None:
    names = [old] if files == 1 else [f"{old}/m{number}.py" for number in range(files)]
    root = tree({name: module(number) for number, name in enumerate(names)})
    index = opened(root)
    index.sync()
    (root / old).rename(root / new)

    report = index.rename(old, new)

    assert (0, files) == (report.embedded, report.removed)
    assert sorted(name.replace(old, new, 1) for name in names) == index.files()
    assert all(hit.path.startswith(new) for hit in index.search("settle the account", limit=200, min_score=0))


# R052: two instances overwrite each other's registry.
def test_roots_that_are_indexed_at_once_are_all_listed(tmp_path: Path) -> None:
    """There is no registry: each root has a folder of its own."""
    program = (
        "import sys; from dataclasses import replace; from pathlib import Path\n"
        "import connote; from connote.config import load\n"
        "root = Path(sys.argv[1])\n"
        "with connote.open(root, replace(load(root)[0], index_dir=Path(sys.argv[2]))) as index: index.sync()"
    )
    for round_ in range(20 if FULL else 2):
        home = tmp_path / f"indexes{round_}"
        roots = [tmp_path / f"root{number}" for number in range(2)]
        for root in roots:
            root.mkdir(exist_ok=True)
            (root / "a.py").write_text(SETTLE, encoding="utf-8")
        running = [subprocess.Popen([sys.executable, "-c", program, root, home]) for root in roots]

        assert [0, 0] == [one.wait() for one in running]
        listed = indexed_roots(replace(load(None)[0], index_dir=home))
        assert sorted(roots) == sorted(root for root, _, _ in listed)


# R053: vectors of earlier models are never removed.
def test_indexes_that_nobody_used_for_long_are_dropped(tree: Tree, tmp_path: Path) -> None:
    root = tree({"a.py": SETTLE})
    settings = replace(load(root)[0], index_dir=tmp_path / "indexes")

    def used(max_size: int) -> Path:
        mine = replace(settings, chunk=ChunkOptions(max_size=max_size))
        with connote.open(root, mine) as index:
            index.sync()
            return Path(index.status().path)

    folders = [used(size) for size in (1000, 1200, 1600)]
    assert all(folder.is_dir() for folder in folders)
    long_ago = (folders[0] / "catalog.sqlite").stat().st_mtime - 15 * 86_400
    for file in folders[0].iterdir():
        os.utime(file, (long_ago, long_ago))

    used(1600)

    assert [False, True, True] == [folder.is_dir() for folder in folders]
    shutil.rmtree(root)
    assert [root] == [listed for listed, _, _ in indexed_roots(settings)]  # `connote clear --stale` removes it


# R055: the graph cannot return as many as are asked for.
@pytest.mark.parametrize("only", [1, 3])
def test_a_filter_that_leaves_few_chunks_returns_them(tree: Tree, opened: OpenRoot, only: int) -> None:
    files = {f"all/m{number}.py": module(number) for number in range(300)}
    index = opened(tree(files | {f"few/m{number}.py": module(1000 + number) for number in range(only)}))
    index.sync()
    index.flush()
    index.warm()

    hits = index.search("pay what the account owes", include=["few/**"], limit=50, min_score=0)

    assert {f"few/m{number}.py" for number in range(only)} == {hit.path for hit in hits}


# R060: an index cannot be removed while it is open, or goes on in files that are gone.
@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows removes no file that is open: clearing an open index without a host is not shown there",
)
def test_an_index_is_removed_while_it_is_open(tree: Tree, opened: OpenRoot) -> None:
    index = opened(tree({"a.py": SETTLE}))
    index.sync()
    index.flush()

    assert clear(index.root, index.settings)
    index.close()
    again = opened(index.root)
    again.sync()
    assert ["a.py"] == [hit.path for hit in again.search("settle the account")]
    assert again.flush() is None
    assert 1 == len(again._store.chroma.digests())


# R055: filters take seconds. SQLite used to look each chunk of the kind up among the words.
def test_a_filter_by_kind_looks_at_the_chunks_that_have_the_words_alone(tmp_path: Path, open_store: Open) -> None:
    store = open_store(tmp_path / "index")
    symbol = Symbol("limit", "constant", (), 1, 1, 1, 1, 1, 1, "", "")
    chunks = [Chunk("a.c", n, f"word{n}", n, n, 1, 1, "c", "limit", "constant", symbols=(symbol,)) for n in range(3000)]
    store.catalog.replace([Entry(Document("a.c", "", text_digest("a")), "c", chunks, [one.text for one in chunks])])
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    store.catalog.reader().set_progress_handler(count, 1)
    found = store.lookup.matching(["word7"], 10, Filter(kinds=("constant",)))
    store.catalog.reader().set_progress_handler(None, 0)

    assert 1 == len(found)
    assert steps < 1000
