"""An OpenAI-compatible endpoint by setting: a real HTTP server on loopback that serves the embedded model's vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.config import load
from connote.embed import EmbedOptions

KEY = "canary-key-1234"
FILES = {
    "a.py": "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n",
    "b.py": "class Palette:\n    red = '#f00'\n    green = '#0f0'\n",
}


pytestmark = pytest.mark.usefixtures("impatient")


def settings(url: str, folder: Path) -> connote.Settings:
    embed = EmbedOptions(provider="openai", base_url=url, model="m", api_key=KEY, batch_size=1)
    return replace(load(None)[0], embed=embed, index_dir=folder)


def test_an_endpoint_embeds_in_batches_and_each_text_once(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    with connote.open(tree(FILES), settings(endpoint.url, tmp_path / "indexes")) as index:
        assert 2 == index.sync().embedded
        assert [1, 1, 1] == [len(request["input"]) for request in endpoint.requests]
        assert 0 == index.sync().embedded
        hits = index.search("wait longer after each failure", mode="semantic", min_score=0)
        status = index.status()

    assert "a.py" == hits[0].path
    assert ("m", 256, "ready") == (status.model, status.dimensions, status.state)
    assert {f"Bearer {KEY}"} == {headers["authorization"] for headers in endpoint.headers}
    assert "connote" == endpoint.requests[0]["input"][0], "the first request tries out how the endpoint is"
    assert "dimensions" not in endpoint.requests[0]


# R040: the endpoint is down, and indexing ends as if all were well.
def test_words_answer_while_the_endpoint_is_down_and_its_return_is_noticed(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.always = "401"
    with connote.open(tree(FILES), settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        answer = index.answer("wait longer after each failure")
        status = index.status()

        assert ["a.py"] == [hit.path for hit in answer.hits]
        assert "401" in (answer.message or "")
        assert "degraded" == status.state
        assert "2 texts have no vector yet" in (status.message or "")
        assert KEY not in caplog.text + (answer.message or "") + (status.message or "") + repr(index.settings)

        endpoint.always = "ok"
        assert 2 == index.sync().embedded
        assert "ready" == index.status().state


def test_another_model_is_another_index_and_going_back_costs_nothing(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    root = tree(FILES)
    with connote.open(root, replace(load(None)[0], index_dir=tmp_path / "indexes")) as index:
        assert 2 == index.sync().embedded
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        assert 2 == index.sync().embedded
    with connote.open(root, replace(load(None)[0], index_dir=tmp_path / "indexes")) as index:
        assert 0 == index.sync().embedded


# Edge case 54: an endpoint that fails during an update takes the old chunks away.
def test_an_update_that_cannot_be_embedded_keeps_the_old_chunks_and_is_tried_again(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    root = tree(FILES)
    question = "wait longer after each failure"
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        endpoint.always = "401"
        (root / "a.py").write_text("def give_up(request):\n    raise Refused(request)\n", encoding="utf-8")
        (root / "new.py").write_text("def sharpen_pencil(pencil):\n    return pencil\n", encoding="utf-8")
        report = index.update("a.py", "new.py")
        old = index.search(question, include=["a.py"], mode="lexical")
        status = index.status()

        assert ["a.py"] == [problem.path for problem in report.problems]
        assert [("a.py", True)] == [(hit.path, hit.stale) for hit in old]
        assert "Wait longer" in old[0].text
        assert ["new.py"] == [hit.path for hit in index.search("sharpen_pencil", mode="lexical")]
        assert ("degraded", 1) == (status.state, status.failed)
        assert "401" in (status.message or "")
        assert "It is tried again in" in (status.message or "")
        assert "the former one is found until it can be" in index.problems()[0].reason
        assert 0 < (index._sync.retry_in or 0) <= 15

        # The model is left alone meanwhile.
        asked = len(endpoint.requests)
        (root / "b.py").write_text("x = 1\n", encoding="utf-8")
        index.update("b.py")
        assert asked == len(endpoint.requests)

        endpoint.always = "ok"
        assert 3 == index.sync().embedded
        status = index.status()

        assert ("ready", 0, None) == (status.state, status.failed, status.message)
        assert index._sync.retry_in is None
        assert [("a.py", False)] == [(hit.path, hit.stale) for hit in index.search("give_up", limit=1)]
        assert () == tuple(index.search(question, include=["a.py"], mode="lexical"))


# R040: the first index of a root whose endpoint is down is found by words, and an edit of it too.
def test_without_any_vector_an_edit_is_found_by_words_at_once(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    root = tree(FILES)
    endpoint.always = "401"
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        (root / "a.py").write_text("def sharpen_pencil(pencil):\n    return pencil\n", encoding="utf-8")
        index.update("a.py")

        assert [("a.py", False)] == [(hit.path, hit.stale) for hit in index.search("sharpen_pencil")]
        assert 0 == index.status().failed


# Edge case 55: one input that is too long for the model costs its whole batch the vectors.
def test_a_text_that_is_too_long_costs_the_others_nothing(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(30)}
    endpoint.longest = 900
    options = settings(endpoint.url, tmp_path / "indexes")
    options = replace(options, embed=replace(options.embed, batch_size=64))
    with connote.open(tree({**files, "long.py": "WORDS = (\n" + "    'ab',\n" * 150 + ")\n"}), options) as index:
        assert 31 == index.sync().embedded
        assert "ready" == index.status().state
        assert ["long.py"] == [hit.path for hit in index.search("WORDS", mode="semantic", min_score=0, limit=1)]

    assert len(endpoint.requests) < 24


def test_a_model_that_refuses_everything_is_not_asked_text_by_text(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    endpoint.longest = 0
    with connote.open(
        tree({f"m{n}.py": f"x = {n}\n" for n in range(30)}), settings(endpoint.url, tmp_path / "indexes")
    ) as index:
        index.sync()

        assert "degraded" == index.status().state
    assert len(endpoint.requests) <= 4


# R039: nothing says which text the model does not take.
def test_a_text_that_is_refused_is_named_in_the_status(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    endpoint.refuses = lambda text: "forbidden" in text
    root = tree({**FILES, "bad.py": "def forbidden():\n    return 1\n"})
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        assert 2 == index.sync().embedded
        status = index.status()
        assert "ready" == status.state
        assert "1 text has no vector, and words alone find it" in (status.message or "")
        assert "(bad.py)" in (status.message or "")
        assert ["bad.py"] == [hit.path for hit in index.search("forbidden", limit=1)]

        # An edit of another file does not send it again, and one of its own file is not held up by it.
        asked = sum("forbidden" in text for request in endpoint.requests for text in request["input"])
        (root / "b.py").write_text("class Theme:\n    dark = True\n", encoding="utf-8")
        (root / "bad.py").write_text("def forbidden():\n    return 1\n\n\n# the end\n", encoding="utf-8")
        assert () == index.update("b.py").problems
        assert asked == sum("forbidden" in text for request in endpoint.requests for text in request["input"])
        assert () == index.update("bad.py").problems

        endpoint.refuses = lambda text: False
        index.sync()
        assert ("ready", None) == (index.status().state, index.status().message)


# R106: indexing stops in silence where the endpoint answers what is no JSON.
def test_an_endpoint_that_answers_nonsense_is_said_and_tried_again(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    endpoint.always = "nonsense"
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(4)}
    with connote.open(tree(files), settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        status = index.status()
        assert ("degraded", 4) == (status.state, status.files)
        assert 4 == len(index.search("step", mode="lexical", min_score=0))

        endpoint.always = "ok"
        assert 4 == index.sync().embedded
        assert "ready" == index.status().state
