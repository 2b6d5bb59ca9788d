"""An OpenAI-compatible endpoint by setting: a real HTTP server on loopback that serves the embedded model's vectors."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.config import load
from connote.embed import EmbedOptions
from connote.embed.static import StaticEmbedder

KEY = "canary-key-1234"
FILES = {
    "a.py": "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n",
    "b.py": "class Palette:\n    red = '#f00'\n    green = '#0f0'\n",
}


class Endpoint(ThreadingHTTPServer):
    """Counts what it is asked, and answers `status` instead of vectors where that is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model = StaticEmbedder()
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.status = 200
        self.longest = 10**9
        self.nonsense = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.add(self.headers["Authorization"])
        status = 400 if max(map(len, body["input"])) > self.server.longest else self.server.status
        vectors = self.server.model.embed(body["input"])
        data = [
            {"object": "embedding", "index": index, "embedding": self._form(body, vector)}
            for index, vector in enumerate(vectors)
        ]
        # The order of the answer is the endpoint's business: `index` says which text is meant.
        answer = {"object": "list", "model": body["model"], "data": data[::-1], "usage": {}}
        payload = json.dumps(answer if status == 200 else {"error": {"message": "no"}}).encode()
        if self.server.nonsense:
            self.server.nonsense -= 1
            payload = b"<html>busy</html>"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _form(self, body: dict[str, Any], vector: Any) -> object:
        if body.get("encoding_format") == "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(value) for value in vector]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def settings(url: str, folder: Path) -> connote.Settings:
    embed = EmbedOptions(provider="openai", base_url=url, model="m", api_key=KEY, batch_size=1)
    return replace(load(None)[0], embed=embed, index_dir=folder)


def test_an_endpoint_embeds_in_batches_and_each_text_once(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    with connote.open(tree(FILES), settings(endpoint.url, tmp_path / "indexes")) as index:
        assert 2 == index.sync().embedded
        assert [1, 1] == [len(request["input"]) for request in endpoint.requests]
        assert 0 == index.sync().embedded
        hits = index.search("wait longer after each failure", mode="semantic", min_score=0)
        status = index.status()

    assert "a.py" == hits[0].path
    assert ("m", 256, "ready") == (status.model, status.dimensions, status.state)
    assert {f"Bearer {KEY}"} == endpoint.keys
    assert "dimensions" not in endpoint.requests[0]


# R040: the endpoint is down, and indexing ends as if all were well.
def test_words_answer_while_the_endpoint_is_down_and_its_return_is_noticed(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.status = 401
    with connote.open(tree(FILES), settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        answer = index.answer("wait longer after each failure")
        status = index.status()

        assert ["a.py"] == [hit.path for hit in answer.hits]
        assert "401" in (answer.message or "")
        assert "degraded" == status.state
        assert "2 texts have no vector yet" in (status.message or "")
        assert KEY not in caplog.text + (answer.message or "") + (status.message or "") + repr(index.settings)

        endpoint.status = 200
        assert 2 == index.sync().embedded
        assert "ready" == index.status().state


def test_another_model_is_another_index_and_going_back_costs_nothing(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
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
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    root = tree(FILES)
    question = "wait longer after each failure"
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        endpoint.status = 401
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

        endpoint.status = 200
        assert 3 == index.sync().embedded
        status = index.status()

        assert ("ready", 0, None) == (status.state, status.failed, status.message)
        assert index._sync.retry_in is None
        assert [("a.py", False)] == [(hit.path, hit.stale) for hit in index.search("give_up", limit=1)]
        assert () == tuple(index.search(question, include=["a.py"], mode="lexical"))


# R040: the first index of a root whose endpoint is down is found by words, and an edit of it too.
def test_without_any_vector_an_edit_is_found_by_words_at_once(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    root = tree(FILES)
    endpoint.status = 401
    with connote.open(root, settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        (root / "a.py").write_text("def sharpen_pencil(pencil):\n    return pencil\n", encoding="utf-8")
        index.update("a.py")

        assert [("a.py", False)] == [(hit.path, hit.stale) for hit in index.search("sharpen_pencil")]
        assert 0 == index.status().failed


# Edge case 55: one input that is too long for the model costs its whole batch the vectors.
def test_a_text_that_is_too_long_costs_the_others_nothing(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(30)}
    endpoint.longest = 900
    options = settings(endpoint.url, tmp_path / "indexes")
    options = replace(options, embed=replace(options.embed, batch_size=64))
    with connote.open(tree({**files, "long.py": "WORDS = (\n" + "    'ab',\n" * 150 + ")\n"}), options) as index:
        assert 31 == index.sync().embedded
        assert "ready" == index.status().state
        assert ["long.py"] == [hit.path for hit in index.search("WORDS", mode="semantic", min_score=0, limit=1)]

    assert len(endpoint.requests) < 20


def test_a_model_that_refuses_everything_is_not_asked_text_by_text(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.longest = 0
    with connote.open(
        tree({f"m{n}.py": f"x = {n}\n" for n in range(30)}), settings(endpoint.url, tmp_path / "indexes")
    ) as index:
        index.sync()

        assert "degraded" == index.status().state
    assert len(endpoint.requests) <= 60


# R106: indexing stops in silence where the endpoint answers what is no JSON.
def test_an_endpoint_that_answers_nonsense_is_said_and_tried_again(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.nonsense = 1
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(4)}
    with connote.open(tree(files), settings(endpoint.url, tmp_path / "indexes")) as index:
        index.sync()
        status = index.status()
        assert ("degraded", 4) == (status.state, status.files)
        assert 4 == len(index.search("step", mode="lexical", min_score=0))

        assert 4 == index.sync().embedded
        assert "ready" == index.status().state
