"""What a search keeps in memory is the catalog, whatever came and went since it was read."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from connote.model import Chunk, Document, Symbol
from connote.store import Entry, Store, catalog, text_digest
from connote.store import kept as kept_module
from connote.store.kept import Kept

Open = Callable[..., Store]
KINDS = ("function", "class", "constant")


def entry(path: str, texts: Sequence[str], chance: random.Random) -> Entry:
    chunks = []
    for number, text in enumerate(texts):
        symbol = Symbol("name", chance.choice(KINDS), (), 1, 1, 1, 1, 1, 1, "", "")
        place = (number, text, number, number + 1, number + 1, number + 1)
        chunks.append(Chunk(path, *place, chance.choice(["python", "c", None]), None, None, symbols=(symbol,)))
    return Entry(Document(path, "", text_digest(path)), chance.choice(["python", None]), chunks, texts)


def shown(store: Store, kept: Kept) -> tuple[object, ...]:
    """All that is kept, in a form that does not depend on the order in which it came."""
    matrix = kept.matrix()
    masks = {kind: kept.of_kinds(matrix, [kind]) for kind in KINDS}
    names = {number: name for name, number in matrix.names.items()}
    rows = [
        (
            int(matrix.chunks[row]), int(matrix.files[row]), names[int(matrix.languages[row])],
            matrix.vectors[row].tobytes(), [kind for kind in KINDS if masks[kind][row]],
        )
        for row in np.flatnonzero(matrix.alive)
    ]  # fmt: skip
    return sorted(kept.files().items()), sorted(rows)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_kept_equals_what_is_read_anew(
    tmp_path: Path, open_store: Open, vector: Callable[[str], np.ndarray], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(kept_module, "_ROWS", 7)
    monkeypatch.setattr(catalog, "_KEPT_UNWANTED", 3)
    store = open_store(tmp_path / "index")
    kept = Kept(store.catalog)
    for step in range(60):
        action = chance.choice(["write", "write", "write", "remove", "embed", "embed", "touch", "prune", "forget"])
        paths = [f"f{chance.randrange(12)}" for _ in range(chance.randrange(1, 6))]
        if action == "write":
            texts = {path: [f"text {chance.randrange(200)}" for _ in range(chance.randrange(40))] for path in paths}
            store.catalog.replace([entry(path, texts[path], chance) for path in texts])
        elif action == "remove":
            store.catalog.remove(paths)
        elif action == "prune":
            store.catalog.prune()
        elif action == "touch":
            store.catalog.touch([(path, 1, step) for path in paths])
        elif action == "forget" and chance.random() < 0.2:
            store.catalog.forget_vectors()
        else:
            waiting = store.catalog.waiting(chance.randrange(1, 100))
            if waiting:
                rows = np.array([vector(text) for _, text in waiting])
                store.catalog.add_vectors([digest for digest, _ in waiting], rows)

        assert shown(store, Kept(store.catalog)) == shown(store, kept), f"after step {step}, {action}"


def test_a_kept_state_that_is_newer_is_not_shown_to_an_older_search(
    tmp_path: Path, open_store: Open, fill: Callable[[Store, Sequence[str]], None]
) -> None:
    store = open_store(tmp_path / "index")
    fill(store, [f"text {number}" for number in range(100)])
    kept = Kept(store.catalog)
    with store.catalog.snapshot():
        before = shown(store, Kept(store.catalog))
        with ThreadPoolExecutor(1) as elsewhere:
            (path, *_) = kept.files()
            store.catalog.remove([path])
            after = elsewhere.submit(shown, store, kept).result()

        assert before == shown(store, kept)

    assert after == shown(store, kept)
    assert before != after
