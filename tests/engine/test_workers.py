"""What the worker processes of a sync do is what would be done here, and one that dies costs nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import connote
from connote.chunk import ChunkOptions
from connote.embed import EmbedOptions, open_embedder
from connote.sync import cutting, preparing
from connote.sync.cutting import CuttingPool, cut

TEXTS = ["def settle(order):\n    return order.paid\n", "wait longer after each failure", ""] * 200


def vectors(pool: CuttingPool) -> np.ndarray:
    return np.concatenate([part.vectors for part in pool.parts(open_embedder(EmbedOptions()), TEXTS)])


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is warned of; not by the log, which another test of this process may have silenced."""
    said: list[str] = []
    monkeypatch.setattr(cutting._log, "warning", lambda text, *_: said.append(text))
    return said


def test_workers_cut_and_embed_as_it_is_done_here() -> None:
    files = [("a.py", "def settleOrder(order):\n    return order\n"), ("b.md", "# Wait\n\nlonger\n"), ("c.txt", "")]
    with CuttingPool(2) as pool:
        assert [(path, cut(path, text, ChunkOptions())) for path, text in files] == list(pool.cuts(iter(files)))
        here = np.concatenate([part.vectors for part in open_embedder(EmbedOptions()).parts(TEXTS)])
        assert np.array_equal(here, vectors(pool))


def test_a_worker_that_dies_while_it_embeds_costs_nothing(warnings: list[str]) -> None:
    with CuttingPool(1) as pool:
        before = vectors(pool)
        worker = pool._asked
        assert worker is not None
        worker.kill()

        assert np.array_equal(before, vectors(pool))
        assert ["texts are embedded here, for %s"] == warnings
        assert np.array_equal(before, vectors(pool))
        assert pool._asked not in (None, worker)


def test_a_pass_that_is_cancelled_does_not_go_on_here(warnings: list[str]) -> None:
    cancel = threading.Event()
    pool = CuttingPool(1)
    cancel.set()
    pool.close()

    assert [] == list(pool.parts(open_embedder(EmbedOptions()), TEXTS, cancel))
    assert [] == warnings


def test_an_index_that_workers_made_is_the_one_that_is_made_here(
    tree: Callable[..., Path],
    opened: Callable[..., connote.Index],
    contents: Callable[[connote.Index], dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tree({f"m{n}.py": f"def step_{n}(order):\n    return order.price * {n}\n" for n in range(120)})
    with_workers = opened(root)
    report = with_workers.sync()
    monkeypatch.setattr(preparing, "_POOL_FROM", 1000)
    without = opened(root, "without")

    assert report.embedded + report.reused == 120
    assert (report.embedded, report.reused) == (without.sync().embedded, 0)
    assert contents(with_workers) == contents(without)
