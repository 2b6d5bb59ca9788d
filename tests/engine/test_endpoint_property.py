"""Whatever goes wrong with an endpoint on the way: the index is that of a flawless run, and no answer is paid twice."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connote.chunk import ChunkOptions
from connote.embed import EmbedOptions, open_embedder
from connote.store import Store
from connote.sync import Sync
from connote.walk import WalkOptions

EXAMPLES = 250 if os.environ.get("CONNOTE_TEST_FULL") else 8
ONCE = ("size", "400")
"""Faults that, one after the other, say that it is another endpoint now, or that it takes a text in no form."""
FAULTS = ("ok", "429", "500", "503", "408", "drop", "cut", "nonsense", "short", "nan", "null", *ONCE)
LONG = "TABLE = (\n" + "".join(f"    'entry {number} of the table',\n" for number in range(45)) + ")\n"
FILES = {
    **{f"m{n}.py": f"def step_{n}(order):\n    '''Add {n}.'''\n    return order + {n}\n" for n in range(14)},
    "copy.py": "def step_3(order):\n    '''Add 3.'''\n    return order + 3\n",
    "long.py": LONG,
}


def at_most_once(faults: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    kept = []
    for fault in faults:
        seen[fault] += 1
        kept.append("ok" if fault in ONCE and seen[fault] > 1 else fault)
    return kept


def rows(folder: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "catalog.sqlite") as db:
        return db.execute(
            "SELECT f.path, c.position, c.text, hex(c.digest), hex(v.vector) FROM chunks c"
            " JOIN files f ON f.id = c.file LEFT JOIN vectors v USING (digest) ORDER BY 1, 2"
        ).fetchall()


@pytest.mark.usefixtures("impatient")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    faults=st.lists(st.sampled_from(FAULTS), max_size=40).map(at_most_once),
    most=st.sampled_from((10**9, 10, 3)),
    longest=st.sampled_from((10**9, 900)),
    says=st.sampled_from(("no", "maximum context length is 250 tokens, you requested {} tokens")),
    form=st.sampled_from(("float", "base64")),
    batch=st.sampled_from((1, 5, 64)),
    concurrency=st.integers(1, 4),
    restarts=st.integers(0, 2),
)
def test_faults_change_neither_the_index_nor_what_is_paid_for(
    tmp_path_factory: pytest.TempPathFactory,
    serve: Callable[..., Any],
    write: Callable[..., Path],
    faults: list[str],
    most: int,
    longest: int,
    says: str,
    form: str,
    batch: int,
    concurrency: int,
    restarts: int,
) -> None:
    home = tmp_path_factory.mktemp("property")
    root = write(home / "root", FILES)

    def built(name: str, faults: list[str], passes: int) -> tuple[Any, list[tuple[Any, ...]]]:
        endpoint = serve()
        endpoint.most, endpoint.longest, endpoint.says, endpoint.form = most, longest, says, form
        endpoint.faults.extend(faults)
        options = EmbedOptions(
            provider="openai", base_url=endpoint.url, model="m", batch_size=batch, concurrency=concurrency
        )
        for number in range(passes):
            if number == passes - 2:
                endpoint.faults.clear()
            # Each pass is another process, as it were: what one knows the next one has from the disk.
            model = open_embedder(options, home / name)
            store = Store(home / name / "index")
            Sync(root, store, lambda model=model: model, (WalkOptions(), ChunkOptions())).run()
            store.close()
            model.close()
        endpoint.shutdown()
        return endpoint, rows(home / name / "index")

    flawless, expected = built("flawless", [], 2)
    endpoint, actual = built("faulty", faults, restarts + 3)

    assert all(row[-1] for row in expected)
    assert expected == actual
    # A text is answered once, whatever failed around it; what tries the endpoint out is no text of the index.
    for server in (flawless, endpoint):
        server.answered.pop("connote", None)
    assert flawless.answered.keys() == endpoint.answered.keys()
    assert {1} == set(flawless.answered.values())
    twice = sum(count - 1 for count in endpoint.answered.values())
    # An endpoint that was wrong about the length of its vectors, and then silent, may be paid twice for one portion.
    assert twice <= (batch if "size" in faults else 0)
    failed = [fault for fault in faults if fault != "ok"]
    largest = max(len(request["input"]) for request in endpoint.requests)
    assert endpoint.sent - flawless.sent <= (len(failed) + 4 * restarts + 12) * largest
