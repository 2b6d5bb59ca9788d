"""Faults and limits of endpoints, each played by a real server on loopback, and what they cost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import connote
from connote.config import load
from connote.embed import Embedder, EmbedOptions, open_embedder
from connote.embed.static import StaticEmbedder
from connote.errors import EmbedError

pytestmark = pytest.mark.usefixtures("impatient")
MODEL = StaticEmbedder()
TEXTS = [f"def step_{number}(order):\n    return order + {number}" for number in range(40)]


def opened(endpoint: Any, memory: Path | None = None, **options: Any) -> Embedder:
    return open_embedder(EmbedOptions(provider="openai", base_url=endpoint.url, model="m", **options), memory)


def vectors(model: Embedder, texts: list[str]) -> tuple[np.ndarray, dict[int, str]]:
    """All vectors in the order of the texts, zeros for those that are refused; each place is answered once."""
    rows: dict[int, np.ndarray] = {}
    refused: dict[int, str] = {}
    for part in model.parts(texts):
        assert not (set(part.places) | set(part.refused)) & (set(rows) | set(refused))
        rows.update(zip(part.places, part.vectors, strict=True))
        refused.update(part.refused)
    assert set(range(len(texts))) == set(rows) | set(refused)
    size = len(next(iter(rows.values()))) if rows else 0
    return np.stack([rows.get(place, np.zeros(size, np.float32)) for place in range(len(texts))]), refused


def same(expected: np.ndarray, actual: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize(
    "fault", ["429", "500", "502", "503", "408", "drop", "cut", "nonsense", "short", "size", "nan", "null"]
)
def test_a_fault_that_passes_is_not_noticed(endpoint: Any, fault: str) -> None:
    model = opened(endpoint, batch_size=8)
    endpoint.faults.extend(["ok", fault, "ok", fault, fault])

    got, refused = vectors(model, TEXTS)

    same(MODEL.embed(TEXTS), got)
    assert {} == refused
    assert endpoint.sent <= len(TEXTS) + 3 * 8


@pytest.mark.parametrize("fault", ["500", "drop", "nonsense", "size"])
def test_a_fault_that_stays_ends_it_and_what_was_got_is_kept(endpoint: Any, fault: str) -> None:
    model = opened(endpoint, batch_size=8)
    endpoint.faults.extend(["ok"] * 3)
    endpoint.always = fault
    got: list[int] = []

    def gather() -> None:
        for part in model.parts(TEXTS):
            got.extend(part.places)

    with pytest.raises(EmbedError) as caught:
        gather()

    assert 16 == len(set(got))
    assert (caught.value.retry_after or 0) >= 30
    assert "connote tries again later" in str(caught.value)


# R106: an endpoint that says nothing is waited for without end.
def test_an_endpoint_that_says_nothing_is_given_up(endpoint: Any) -> None:
    model = opened(endpoint, timeout_seconds=0.2)
    endpoint.always = "silent"

    with pytest.raises(EmbedError, match=r"does not answer in 0.2 s"):
        list(model.parts(TEXTS))

    assert 4 == len(endpoint.requests)


def test_vectors_may_come_as_numbers_or_as_base64(endpoint: Any) -> None:
    for form in ("float", "base64"):
        endpoint.form = form
        same(MODEL.embed(TEXTS), vectors(opened(endpoint), TEXTS)[0])


# Some services know no `float`, others no `encoding_format` at all.
def test_a_field_that_an_endpoint_does_not_know_is_left_out(endpoint: Any) -> None:
    endpoint.unknown = ("encoding_format",)

    same(MODEL.embed(TEXTS), vectors(opened(endpoint), TEXTS)[0])

    assert ["encoding_format" in request for request in endpoint.requests] == [True, False, False]


# R036: a batch above the endpoint's number of inputs is refused, and indexing fails.
def test_the_most_texts_at_once_are_found_out_and_remembered(endpoint: Any, tmp_path: Path) -> None:
    endpoint.most = 10
    texts = [f"text number {number}" for number in range(300)]

    same(MODEL.embed(texts), vectors(opened(endpoint, tmp_path), texts)[0])
    assert len(endpoint.requests) <= 40

    endpoint.requests.clear()
    same(MODEL.embed(texts), vectors(opened(endpoint, tmp_path), texts)[0])
    assert [10] * 30 == [len(request["input"]) for request in endpoint.requests], "another process knows it already"


def test_batches_are_bounded_by_count_and_by_tokens(endpoint: Any) -> None:
    texts = ["word " * 100 + str(number) for number in range(12)]

    same(MODEL.embed(texts), vectors(opened(endpoint, batch_size=5, batch_tokens=440), texts)[0])

    assert [1, *[3] * 4] == [len(request["input"]) for request in endpoint.requests]


# R037: workers that are refused at once jump to the longest pause, each for itself.
def test_retry_after_holds_back_all_workers_and_no_longer_than_it_says(endpoint: Any) -> None:
    endpoint.after = "0.01"
    model = opened(endpoint, batch_size=2, concurrency=5)
    endpoint.faults.extend(["ok", "ok", *["429"] * 40])

    same(MODEL.embed(TEXTS), vectors(model, TEXTS)[0])

    assert 1 + 20 + 40 == len(endpoint.requests)
    assert model.note is None


# R037: nothing says that an endpoint is waited for.
def test_a_long_pause_is_told_and_ends_the_attempt(endpoint: Any) -> None:
    endpoint.after, endpoint.always = "3600", "429"
    model = opened(endpoint)

    with pytest.raises(EmbedError) as caught:
        list(model.parts(TEXTS))
    assert 1 == len(endpoint.requests)
    assert 3600 == caught.value.retry_after
    assert "The endpoint is asked again in 3" in (model.note or "")

    with pytest.raises(EmbedError, match="refuses more requests for now"):
        model.embed_query("where do we retry")
    assert 1 == len(endpoint.requests), "nothing is sent before the time that the endpoint named"


# R038: requests refused at random leave an incomplete index.
def test_refusals_at_random_cost_nothing_but_requests(endpoint: Any) -> None:
    model = opened(endpoint, batch_size=1)
    endpoint.faults.extend(["ok", *["429", "ok", "ok"] * 30])

    same(MODEL.embed(TEXTS), vectors(model, TEXTS)[0])

    assert endpoint.sent <= len(TEXTS) + 30


# R039: a text that is too long is sent again and again, and the others wait.
@pytest.mark.parametrize(
    "says",
    [
        "This model's maximum context length is 300 tokens, however you requested {} tokens.",
        "Input validation error: `inputs` must have less than 300 tokens. Given: {}",
        "the input length exceeds the context length",
        "no",
    ],
)
def test_a_long_text_is_embedded_in_pieces_and_costs_the_others_nothing(endpoint: Any, says: str) -> None:
    long = "\n".join(f"step {number} of the reconciliation" for number in range(100))
    endpoint.longest, endpoint.says = 1200, says
    model = opened(endpoint)
    texts = [*TEXTS[:20], long, *TEXTS[20:]]

    got, refused = vectors(model, texts)

    assert {} == refused
    same(MODEL.embed(TEXTS), np.delete(got, 20, axis=0))
    assert got[20] @ MODEL.embed([long])[0] > 0.8, "the pieces together mean what the whole does"
    assert 1 == pytest.approx(float(np.linalg.norm(got[20])), abs=1e-5)
    if "300" in says:
        # Its batch, itself, then its pieces; the first request tried the endpoint out, another one the refusal.
        assert 6 == len(endpoint.requests)
    same(got, vectors(opened(endpoint, batch_size=7), texts)[0])


# R044: the tail of a long text is in no vector.
def test_the_end_of_a_long_text_counts(endpoint: Any) -> None:
    endpoint.longest = 1200
    head = "\n".join(f"color palette {number} of the theme" for number in range(50))
    tail = "\n".join(f"zebra reconciliation of ledger {number}" for number in range(20))

    got, _ = vectors(opened(endpoint), [head, head + "\n" + tail])

    asked = MODEL.embed(["zebra reconciliation of the ledger"])[0]
    assert asked @ got[1] > asked @ got[0] + 0.1


def test_a_text_that_is_refused_in_every_form_is_marked_and_costs_the_others_nothing(endpoint: Any) -> None:
    endpoint.refuses = lambda text: "step_7(" in text

    got, refused = vectors(opened(endpoint), TEXTS)

    assert [7] == list(refused)
    assert "400" in refused[7]
    same(np.delete(MODEL.embed(TEXTS), 7, axis=0), np.delete(got, 7, axis=0))


# R034, R033: one run got vectors of two lengths.
def test_vectors_of_another_length_are_never_mixed_in(tree: Callable[..., Path], tmp_path: Path, endpoint: Any) -> None:
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(4)}
    embed = EmbedOptions(provider="openai", base_url=endpoint.url, model="m", batch_size=2)
    settings = replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")
    root = tree(files)
    with connote.open(root, settings) as index:
        index.sync()
        assert 256 == index.status().dimensions

        endpoint.size = 16
        (root / "m9.py").write_text("def another():\n    return 9\n", encoding="utf-8")
        index.sync()
        status = index.status()
        assert ("degraded", 5) == (status.state, status.files)
        assert "have 16 dimensions where it gave 256 before" in (status.message or "")
        assert "connote index --rebuild" in (status.message or "")

        index.sync()
        assert "have 16 dimensions, and those of this index 256" in (index.status().message or "")
        assert ["m9.py"] == [hit.path for hit in index.search("another", mode="lexical", limit=1)]

        assert 5 == index.sync(rebuild=True).embedded
        status = index.status()
        assert ("ready", 16) == (status.state, status.dimensions)


# R035: `dimensions` is ignored by one endpoint, and refused by another.
@pytest.mark.parametrize("kind", ["honours", "ignores", "refuses"])
def test_the_dimensions_that_are_asked_for_are_got(endpoint: Any, kind: str) -> None:
    endpoint.honours = kind == "honours"
    endpoint.unknown = ("dimensions",) if kind == "refuses" else ()
    model = opened(endpoint, dimensions=64)

    got, _ = vectors(model, TEXTS)

    whole = MODEL.embed(TEXTS)[:, :64]
    same(whole / np.linalg.norm(whole, axis=1, keepdims=True), got)
    assert 64 == model.dimensions == len(model.embed_query("where"))
    assert all(request.get("dimensions") == 64 for request in endpoint.requests) == (kind != "refuses")


# R035: what cannot be got is said with both numbers.
def test_more_dimensions_than_there_are_is_said(endpoint: Any) -> None:
    with pytest.raises(EmbedError, match=r"have 256 dimensions, and embed.dimensions asks for 512"):
        list(opened(endpoint, dimensions=512).parts(TEXTS))


def test_prefixes_go_before_texts_and_questions(endpoint: Any) -> None:
    model = opened(endpoint, query_prefix="search_query: ", document_prefix="search_document: ")

    list(model.parts(["a text"]))
    model.embed_query("a question")

    assert [["connote"], ["search_document: a text"], ["search_query: a question"]] == [
        request["input"] for request in endpoint.requests
    ]
    assert opened(endpoint).fingerprint() != model.fingerprint()
    assert opened(endpoint, document_prefix="search_document: ").fingerprint() == model.fingerprint()


def test_a_question_is_sent_once_and_not_at_all_while_the_endpoint_is_down(endpoint: Any) -> None:
    model = opened(endpoint)
    for _ in range(3):
        model.embed_query("where do we retry")
    assert 2 == len(endpoint.requests)

    endpoint.always = "500"
    for _ in range(3):
        with pytest.raises(EmbedError, match="fails"):
            model.embed_query("another question")
    assert 3 == len(endpoint.requests)


# R040: a closed port.
def test_an_endpoint_that_is_not_there_is_said(endpoint: Any) -> None:
    endpoint.shutdown()
    endpoint.server_close()

    with pytest.raises(EmbedError, match=r"cannot be reached: check embed.base_url") as caught:
        list(opened(endpoint).parts(TEXTS))

    assert (caught.value.retry_after or 0) >= 30


# R042: the client's connections are dead after a restart of the endpoint or a cancelled request.
def test_an_endpoint_that_was_restarted_is_asked_as_if_nothing_were(
    endpoint: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(endpoint, batch_size=4)
    cancel = threading.Event()
    for _ in model.parts(TEXTS, cancel):
        cancel.set()
    assert endpoint.sent < len(TEXTS), "what is not wanted any more is not sent"

    endpoint.faults.extend(["drop", "drop"])
    same(MODEL.embed(TEXTS), vectors(model, TEXTS)[0])
    model.close()
    same(MODEL.embed(TEXTS), vectors(model, TEXTS)[0])


# R043: an endpoint that hangs holds up what does not need it.
def test_an_endpoint_that_hangs_holds_up_nothing_else(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any, until: Callable[[Callable[[], Any]], Any]
) -> None:
    endpoint.always = "silent"
    embed = EmbedOptions(provider="openai", base_url=endpoint.url, model="m")
    settings = replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")
    cancel = threading.Event()
    with connote.open(tree({"a.py": "def try_again():\n    return 1\n"}), settings) as index:
        passes = threading.Thread(target=lambda: index.sync(cancel=cancel))
        passes.start()
        until(lambda: endpoint.requests)
        assert ["a.py"] == [hit.path for hit in index.search("try_again", mode="lexical")]
        assert "indexing" == index.status().state
        cancel.set()
        passes.join(30)

        assert not passes.is_alive()
        assert connote.engine.clear(index.root, settings)
