"""A text is embedded once, whatever root, branch or worktree it is in; the cache that sees to it can be lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import connote
from connote.engine import clear_cache
from connote.store.cache import VectorCache

Git = Callable[..., None]

DIGESTS = [bytes([number]) * 16 for number in range(200)]
ROWS = [np.full(64, number, "<f2").tobytes() for number in range(200)]
FILE = "vectors.sqlite"


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Callable[..., VectorCache]]:
    caches = []

    def open_one(most_bytes: int = 10**7, **more: Callable[[], float]) -> VectorCache:
        caches.append(VectorCache(tmp_path / "cache", most_bytes, **more))
        return caches[-1]

    yield open_one
    for one in caches:
        one.close()


def kept(cache: VectorCache, model: str = "model", numbers: range = range(200)) -> None:
    cache.keep(model, [DIGESTS[n] for n in numbers], [ROWS[n] for n in numbers])
    cache.close()


def test_what_is_kept_is_found_bit_for_bit(cache: Callable[..., VectorCache]) -> None:
    kept(cache())

    assert dict(zip(DIGESTS, ROWS, strict=True)) == cache().find("model", DIGESTS)
    assert {} == cache().find("model", [b"\xff" * 16])
    assert {} == cache().find("another model", DIGESTS)


def test_a_cache_of_no_bytes_keeps_nothing(cache: Callable[..., VectorCache], tmp_path: Path) -> None:
    kept(cache(0))

    assert {} == cache(0).find("model", DIGESTS)
    assert not (tmp_path / "cache").exists()


def test_least_recently_used_vectors_go_first(cache: Callable[..., VectorCache]) -> None:
    groups = [[bytes([group, number]) * 8 for number in range(100)] for group in range(3)]
    hours = iter(range(100))

    def at_work(act: Callable[[VectorCache], object]) -> None:
        now = next(hours) * 10_000.0
        one = cache(600_000, clock=lambda: now)
        act(one)
        one.close()

    for group in groups[:2]:
        at_work(lambda one, group=group: one.keep("model", group, [bytes(2000)] * 100))
    at_work(lambda one: one.find("model", groups[0]))
    at_work(lambda one: one.keep("model", groups[2], [bytes(2000)] * 100))

    first, second, third = (len(cache().find("model", group)) for group in groups)
    assert (100, 100) == (first, third)
    assert second < 100


def test_it_stays_within_its_bytes(cache: Callable[..., VectorCache], tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        one = cache(1_000_000)
        one.keep("model", [random.bytes(16) for _ in range(1000)], [random.bytes(512) for _ in range(1000)])
        one.close()

    assert (tmp_path / "cache" / FILE).stat().st_size < 1_200_000
    last = cache(1_000_000)
    last.keep("model", [b"\1" * 16], [bytes(2_000_000)])
    last.close()
    assert (tmp_path / "cache" / FILE).stat().st_size < 1_200_000


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "no database": lambda data: b"this is no database" * 500,
    "truncated": lambda data: data[: len(data) // 2],
    "pages garbled": lambda data: data[:4096] + b"\xa5" * (len(data) - 4096),
    "header garbled": lambda data: b"\xa5" * 100 + data[100:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_costs_only_the_cache(cache: Callable[..., VectorCache], tmp_path: Path, damage: str) -> None:
    kept(cache())
    file = tmp_path / "cache" / FILE
    file.write_bytes(DAMAGES[damage](file.read_bytes()))

    found = cache().find("model", DIGESTS)
    assert all(ROWS[DIGESTS.index(digest)] == row for digest, row in found.items())
    for _ in range(2):
        # The first meets the damage, the second has a new file.
        kept(cache())
    assert dict(zip(DIGESTS, ROWS, strict=True)) == cache().find("model", DIGESTS)


def test_a_vector_that_changed_on_disk_is_unknown(cache: Callable[..., VectorCache], tmp_path: Path) -> None:
    kept(cache())
    with sqlite3.connect(tmp_path / "cache" / FILE) as db:
        db.execute("UPDATE vectors SET vector = zeroblob(132) WHERE rowid = 8")

    assert 199 == len(cache().find("model", DIGESTS))


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cache = VectorCache(tmp_path / "file", 10**6)
    kept(cache)

    assert {} == cache.find("model", DIGESTS)


def test_processes_share_it(tmp_path: Path, cache: Callable[..., VectorCache]) -> None:
    program = (
        "import sys, pathlib; from connote.store.cache import VectorCache\n"
        "cache = VectorCache(pathlib.Path(sys.argv[1]), 10**8)\n"
        "for n in range(20): cache.keep('model', [bytes([int(sys.argv[2]), n]) * 8] , [bytes([n]) * 64])\n"
        "cache.close()"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, tmp_path / "cache", str(n)]) for n in range(4)]

    assert [0] * 4 == [writer.wait() for writer in writers]
    digests = [bytes([writer, n]) * 8 for writer in range(4) for n in range(20)]
    assert 80 == len(cache().find("model", digests))


# Through the engine


def module(number: int, branch: str) -> str:
    return f"def step_{number}_{branch}(request):\n    '''Try number {number} in {branch}.'''\n    return {number}\n"


def embedded(index: connote.Index) -> tuple[int, int]:
    report = index.sync()
    return report.embedded, report.reused


# R076: going back to a branch embeds everything again.
def test_branches_worktrees_and_roots_embed_a_text_once(
    git: Git, tree: Callable[..., Path], opened: Callable[[Path], connote.Index]
) -> None:
    """A few hundred files that differ between two branches."""
    root = tree({f"m{number}.py": module(number, "main") for number in range(250)})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "main")
    git(root, "checkout", "-q", "-b", "other")
    for number in range(200):
        (root / f"m{number}.py").write_text(module(number, "other"), encoding="utf-8")
    git(root, "commit", "-q", "-a", "-m", "other")
    git(root, "checkout", "-q", "main")
    index = opened(root)

    assert (250, 0) == embedded(index)
    git(root, "checkout", "-q", "other")
    assert (200, 0) == embedded(index)
    for branch in ("main", "other", "main"):
        git(root, "checkout", "-q", branch)
        assert (0, 200) == embedded(index)
        assert f"step_7_{branch}" == index.search(f"step_7_{branch}", limit=1)[0].symbol
    index.close()
    git(root, "worktree", "add", "-q", str(root.parent / "worktree"), "other")
    assert (0, 250) == embedded(opened(root.parent / "worktree"))
    copy = root.parent / "copy"
    copy.mkdir()
    (copy / "renamed.py").write_text(module(3, "other"), encoding="utf-8")
    (copy / "new.py").write_text(module(1000, "other"), encoding="utf-8")
    assert (1, 1) == embedded(opened(copy))


def test_a_rebuild_embeds_everything_again(tree: Callable[..., Path], opened: Callable[[Path], connote.Index]) -> None:
    index = opened(tree({"a.py": module(1, "main"), "b.py": module(2, "main")}))
    index.sync()

    assert 2 == index.sync(rebuild=True).embedded


def test_clearing_it_is_said(tree: Callable[..., Path], opened: Callable[[Path], connote.Index]) -> None:
    index = opened(tree({"a.py": module(1, "main")}))
    index.sync()
    index.close()

    assert index.settings.index_dir / "cache" == clear_cache(index.settings)
    assert clear_cache(index.settings) is None
    assert (1, 0) == embedded(opened(tree({"b.py": module(2, "main")})))
