"""An index follows its root: what is known is not cut or embedded again, what is gone is not found."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import connote
from connote.config import load
from connote.engine import Cancelled

Tree = Callable[..., Path]
Open = Callable[..., connote.Index]

RETRY = "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n"
COLOR = "class Palette:\n    red = '#f00'\n    green = '#0f0'\n"


def paths(index: connote.Index, query: str = "wait longer after each failure") -> list[str]:
    return [hit.path for hit in index.search(query, min_score=0)]


def counts(report: connote.Report) -> tuple[int, int, int, int, int]:
    return report.added, report.changed, report.removed, report.unchanged, report.embedded


def test_an_unchanged_root_costs_nothing(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": RETRY, "b.py": COLOR}))

    assert (2, 0, 0, 0, 2) == counts(index.sync())
    assert (0, 0, 0, 2, 0) == counts(index.sync())


# R059: a new time alone looks like a change.
def test_a_new_time_is_no_change(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    os.utime(root / "a.py", (1, 1))

    assert (0, 0, 0, 1, 0) == counts(index.sync())
    assert [False] == [hit.stale for hit in index.search("wait longer")]


def test_an_edit_embeds_only_the_chunks_whose_text_changed(tree: Tree, opened: Open) -> None:
    functions = [
        f"def step_{n}(x):\n" + "".join(f"    x = transform_{n}_{m}(x, {m})\n" for m in range(40)) for n in range(9)
    ]
    root = tree({"a.py": "\n\n".join(functions)})
    index = opened(root)
    first = index.sync().embedded
    functions[4] = functions[4].replace("transform_4_20", "convert_4_20")
    (root / "a.py").write_text("\n\n".join(functions), encoding="utf-8")

    report = index.update("a.py")

    assert first >= 9
    assert (0, 1, 0, 0, 1) == counts(report)
    assert first - 1 == report.reused


# Edge case 49: a line at the top embeds everything again.
def test_a_line_at_the_top_embeds_nothing_and_moves_the_hits(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY * 3})
    index = opened(root)
    index.sync()
    before = index.search("wait longer after each failure")[0]
    (root / "a.py").write_text("\n" + RETRY * 3, encoding="utf-8")

    assert 0 == index.update("a.py").embedded
    after = index.search("wait longer after each failure")[0]
    assert (before.start_line + 1, before.end_line + 1) == (after.start_line, after.end_line)


# R046 and edge cases 50, 51: renames leave the old path searchable; renames and copies are embedded again.
def test_renames_and_copies_embed_nothing(tree: Tree, opened: Open) -> None:
    root = tree({"old/a.py": RETRY, "b.py": COLOR})
    index = opened(root)
    index.sync()
    (root / "old").rename(root / "new")

    assert 0 == index.rename("old", "new").embedded
    assert ["new/a.py"] == paths(index)[:1]
    assert "old/a.py" not in paths(index)

    (root / "copy.py").write_text(RETRY, encoding="utf-8")
    assert 0 == index.update("copy.py").embedded
    assert {"new/a.py", "copy.py"} == set(paths(index)) - {"b.py"}
    index.remove("copy.py")
    assert "copy.py" not in paths(index)
    assert "new/a.py" in paths(index)


# R045: vectors of deleted files stay.
@pytest.mark.parametrize("how", ["removed", "updated", "synced"])
def test_a_deleted_file_leaves_no_hit(tree: Tree, opened: Open, how: str) -> None:
    root = tree({"gone/a.py": RETRY, "b.py": COLOR})
    index = opened(root)
    index.sync()
    (root / "gone/a.py").unlink()

    {"removed": lambda: index.remove("gone"), "updated": lambda: index.update("gone/a.py"), "synced": index.sync}[how]()

    assert "gone/a.py" not in paths(index)
    assert ["b.py"] == index.files()


# R076: going back to a branch embeds everything again.
def test_going_back_embeds_nothing(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": RETRY})
    index = opened(root)
    index.sync()
    (root / "a.py").write_text(COLOR, encoding="utf-8")
    assert 1 == index.update("a.py").embedded
    (root / "a.py").write_text(RETRY, encoding="utf-8")

    assert 0 == index.update("a.py").embedded
    assert ["a.py"] == paths(index)


def test_what_one_process_writes_the_next_search_of_another_shows(tree: Tree, opened: Open) -> None:
    root = tree({"a.py": COLOR})
    owner, guest = opened(root), opened(root)
    owner.sync()
    owner.flush()
    assert owner._store.owned
    (root / "b.py").write_text(RETRY, encoding="utf-8")

    guest.update("b.py")

    assert not guest._store.owned
    assert ["b.py"] == paths(owner)[:1] == paths(guest)[:1]
    owner.close()
    guest.sync()
    guest.flush()
    assert guest._store.owned
    assert ["b.py"] == paths(guest)[:1]


def test_paths_outside_the_root_are_refused(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": RETRY}))

    for call in (
        index.update,
        index.remove,
        lambda path: index.rename("a.py", path),
        lambda path: index.similar(path, 1),
    ):
        with pytest.raises(ValueError, match="outside"):
            call("../other.py")


# Edge case 53: an update while the first sync runs is lost.
def test_an_update_during_a_sync_survives_it(tree: Tree, opened: Open) -> None:
    root = tree({f"m{number}.py": COLOR.replace("Palette", f"Palette{number}") for number in range(30)})
    index = opened(root)

    def edit(progress: connote.Progress) -> None:
        if not (root / "late.py").exists():
            (root / "late.py").write_text(RETRY, encoding="utf-8")
            index.update("late.py")
            (root / "m29.py").write_text(RETRY, encoding="utf-8")
            index.update("m29.py")

    index.sync(edit)

    assert {"late.py", "m29.py"} <= set(paths(index))


def test_a_cancelled_sync_keeps_what_is_done_and_goes_on_later(tree: Tree, opened: Open) -> None:
    root = tree({f"m{number}.py": COLOR.replace("Palette", f"Palette{number}") for number in range(150)})
    index = opened(root)
    cancel = threading.Event()

    report = index.sync(lambda progress: cancel.set(), cancel=cancel)

    assert report.cancelled
    assert 0 < len(index.files()) < 150
    assert not index.answer("palette").complete
    rest = index.sync()
    assert 150 == len(index.files())
    assert 150 - report.added == rest.added
    assert index.answer("palette").complete


def test_a_cancelled_search_stops(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": RETRY}))
    index.sync()
    cancel = threading.Event()
    cancel.set()

    with pytest.raises(Cancelled):
        index.answer("wait", cancel=cancel)


def test_rebuild_embeds_everything_again(tree: Tree, opened: Open) -> None:
    index = opened(tree({"a.py": RETRY, "b.py": COLOR}))
    index.sync()

    report = index.sync(rebuild=True)

    assert (2, 2) == (report.changed, report.embedded)
    assert ["a.py"] == paths(index)[:1]


def test_another_chunker_setting_is_another_index_and_going_back_costs_nothing(tree: Tree, tmp_path: Path) -> None:
    root = tree({"a.py": RETRY})

    def embedded(size: int) -> int:
        settings = replace(load(None)[0], chunk=connote.ChunkOptions(max_size=size), index_dir=tmp_path / "indexes")
        with connote.open(root, settings) as index:
            return index.sync().embedded

    # The second one cuts the same text, which the vectors that all indexes share hold already.
    assert [1, 0, 0] == [embedded(1600), embedded(2000), embedded(1600)]


# R101: an index folder inside the root is indexed itself.
def test_an_index_folder_inside_the_root_is_not_indexed(tree: Tree) -> None:
    root = tree({"a.py": RETRY})
    settings = replace(load(None)[0], index_dir=root / "the [index]")
    with connote.open(root, settings) as index:
        index.sync()
        index.sync()

        assert ["a.py"] == index.files()
        assert 0 == index.estimate().files
