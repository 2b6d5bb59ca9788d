"""`connote serve`: what each endpoint answers, through the real process."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Server = Any
Start = Callable[..., Server]

UPLOAD = "retry a failed upload"
ANSWER = ["root", "query", "hits", "complete", "relaxed", "message", "elapsed_ms"]
HIT = [
    "path", "file", "start_line", "end_line", "score", "language", "symbol", "kind", "scope", "line", "column", "text",
    "stale",
]  # fmt: skip


def test_health_says_the_version_and_asks_for_no_token(server: Server) -> None:
    reply = server.ask("GET", "/health", None, {"Authorization": ""})

    assert 200 == reply.status
    assert {"status", "version"} == set(reply.json)
    assert "ok" == reply.json["status"]


def test_a_search_answers_as_the_command_line_does(server: Server, project: Path) -> None:
    answer = server.get("/search", query=UPLOAD, limit=1)

    assert ANSWER == list(answer)
    assert (str(project), UPLOAD, True) == (answer["root"], answer["query"], answer["complete"])
    (hit,) = answer["hits"]
    assert HIT == list(hit)
    assert ("src/uploads.py", "retry_upload", "function") == (hit["path"], hit["symbol"], hit["kind"])
    assert str(project / "src" / "uploads.py") == hit["file"]


def test_a_post_is_the_same_as_a_get(server: Server) -> None:
    got = server.get("/search", query=UPLOAD, limit=3, include=["*.py", "*.md"], tests="false", why="true")
    posted = server.post(
        "/search", {"query": UPLOAD, "limit": 3, "include": ["*.py", "*.md"], "tests": False, "why": True}
    )

    assert got["hits"] == posted["hits"]
    assert all(pytest.approx(hit["score"]) == sum(signal["amount"] for signal in hit["signals"]) for hit in got["hits"])


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"include": "*.md"}, {"docs/guide.md"}),
        ({"include": "*.MD", "ignore_case": "true"}, {"docs/guide.md"}),
        ({"exclude": ["*.md", "tests/**"]}, {"src/uploads.py"}),
        ({"languages": "markdown"}, {"docs/guide.md"}),
        ({"languages": "md"}, {"docs/guide.md"}),
        ({"exclude_languages": "md", "tests": "false"}, {"src/uploads.py"}),
        ({"kinds": "function", "tests": "0"}, {"src/uploads.py"}),
        ({"prefix": "docs"}, {"docs/guide.md"}),
        ({"mode": "lexical", "prefix": "src"}, {"src/uploads.py"}),
        ({"mode": "semantic", "prefix": "src/uploads.py"}, {"src/uploads.py"}),
        ({"definitions": "true", "prefix": "src"}, {"src/uploads.py"}),
        ({"include": "*.cobol"}, set()),
        ({"languages": "py\0thon"}, set()),
        ({"languages": "'); DROP TABLE files; --"}, set()),
        ({"exclude_languages": "\0", "prefix": "docs"}, {"docs/guide.md"}),
        ({"prefix": "../elsewhere"}, set()),
        ({"prefix": "/etc"}, set()),
        ({"min_score": "1", "relax": "false"}, set()),
    ],
)
def test_each_parameter_of_a_search_does_what_it_says(server: Server, asked: Any, expected: set[str]) -> None:
    answer = server.get("/search", query=UPLOAD, **asked)

    about_uploads = {"src/uploads.py", "docs/guide.md", "tests/test_uploads.py"}
    assert expected == {hit["path"] for hit in answer["hits"]} & about_uploads
    assert bool(answer["hits"]) == (answer["message"] is None)


def test_context_widens_a_hit_and_limit_holds(server: Server) -> None:
    (plain,) = server.get("/search", query="invert", limit=1, prefix="src/matrix.py")["hits"]
    (wide,) = server.get("/search", query="invert", limit=1, prefix="src/matrix.py", context=3)["hits"]

    assert (plain["start_line"] - 3, plain["end_line"] + 3) == (wide["start_line"], wide["end_line"])
    assert plain["text"] in wide["text"]


def test_a_relaxed_answer_says_so(server: Server) -> None:
    (best,) = server.get("/search", query=UPLOAD, limit=1)["hits"]
    answer = server.get("/search", query=UPLOAD, min_score=min(1, best["score"] * 1.5), limit=1)

    assert answer["relaxed"]
    assert [best["path"]] == [hit["path"] for hit in answer["hits"]]


@pytest.mark.parametrize("query", ["", "  ", "\n\t"])
def test_a_blank_question_has_no_hits_and_is_no_error(server: Server, query: str) -> None:
    assert [] == server.get("/search", query=query)["hits"]


def test_a_half_of_a_character_in_a_question_is_no_trouble(server: Server) -> None:
    reply = server.ask("POST", "/search", b'{"query": "retry \\ud83d upload"}')

    assert 200 == reply.status
    assert "retry \ufffd upload" == reply.json["query"]


def test_similar_never_answers_with_the_place_itself(server: Server) -> None:
    got = server.get("/similar", path="src/uploads.py", line=5, limit=2)
    posted = server.post("/similar", {"path": "src/uploads.py", "line": 5, "limit": 2})

    assert ANSWER == list(got)
    assert got["hits"] == posted["hits"]
    assert 1 <= len(got["hits"]) <= 2
    assert "retry_upload" not in {hit["symbol"] for hit in got["hits"]}


def test_similar_to_what_is_not_indexed_says_so(server: Server) -> None:
    answer = server.get("/similar", path="src/nowhere.py", line=1)

    assert [] == answer["hits"]
    assert "src/nowhere.py is not indexed" in answer["message"]


def test_index_reports_and_status_has_the_promised_fields(server: Server, project: Path) -> None:
    report = server.post("/index", {})
    status = server.get("/status")

    assert ["added", "changed", "removed", "unchanged", "embedded", "reused", "problems"] == list(report)
    assert 7 == report["unchanged"]
    assert [
        "root", "state", "files", "chunks", "pending", "failed", "skipped", "languages", "kinds", "model", "dimensions",
        "store", "path", "bytes", "last_sync", "message",
    ] == list(status)  # fmt: skip
    assert (str(project), "ready", 7, {"secret": 1}) == (
        status["root"], status["state"], status["files"], status["skipped"],
    )  # fmt: skip


def test_the_document_describes_every_endpoint_and_parameter(server: Server) -> None:
    document = server.get("/openapi.json")

    assert {"/health", "/search", "/similar", "/index", "/status", "/openapi.json"} == set(document["paths"])
    body = document["paths"]["/search"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    query = {one["name"] for one in document["paths"]["/search"]["get"]["parameters"]}
    assert query == set(body["properties"])
    assert {"query", "limit", "mode", "include", "exclude", "languages", "kinds", "prefix", "min_score", "relax",
            "context", "why"} <= query  # fmt: skip


def test_a_change_is_found_once_it_is_indexed(start: Start, own_project: Path) -> None:
    server = start(str(own_project))
    server.post("/index")
    (own_project / "src" / "moon.py").write_text("def phase_of_the_moon(day):\n    return day % 29\n")

    report = server.post("/index")

    assert 1 == report["added"]
    assert "src/moon.py" == server.get("/search", query="phase of the moon", limit=1)["hits"][0]["path"]


def test_rebuild_starts_afresh(start: Start, own_project: Path) -> None:
    server = start(str(own_project))
    server.post("/index")

    report = server.post("/index", {"rebuild": True})

    assert 0 == report["unchanged"]
    assert 0 < report["embedded"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows: not shown that none leads outside")
def test_links_lead_nowhere_outside(start: Start, own_project: Path, tmp_path: Path) -> None:
    # R096
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "vault.py").write_text("def open_the_vault(combination):\n    return combination == 42\n")
    (own_project / "folder").symlink_to(outside)
    (own_project / "file.py").symlink_to(outside / "vault.py")
    server = start(str(own_project), "--no-token")
    server.post("/index")

    found = server.get("/search", query="open_the_vault", min_score=0, limit=200)["hits"]
    assert {hit["path"] for hit in found}.isdisjoint({"folder/vault.py", "file.py"})
    for path in ("folder/vault.py", "file.py"):
        assert 404 == server.ask("GET", "/similar", path=path, line=1).status


def test_a_part_of_a_root_is_served_alone(start: Start, own_project: Path) -> None:
    # R091
    server = start("src", cwd=own_project)
    server.post("/index")

    answer = server.get("/search", query=UPLOAD, min_score=0)

    assert str(own_project) == answer["root"]
    assert {"src"} == {hit["path"].split("/")[0] for hit in answer["hits"]}
    assert [] == server.get("/search", query=UPLOAD, prefix="docs")["hits"]
    alike = server.get("/similar", path="src/uploads.py", line=5, limit=200)["hits"]
    assert {"src"} == {hit["path"].split("/")[0] for hit in alike}


def test_while_it_indexes_it_answers_with_what_there_is(start: Start, tmp_path: Path) -> None:
    root = tmp_path / "large"
    for number in range(3000):
        file = root / f"package{number % 50}" / f"module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def handle_{number}(event):\n    return event.kind == {number}\n" * 4)

    server = start(str(root))
    early = server.get("/search", query="handle an event")
    status = server.get("/status")
    server.post("/index")
    late = server.get("/search", query="handle an event")

    assert not early["complete"]
    assert early["message"]
    assert "indexing" == status["state"]
    assert late["complete"]
    assert 10 == len(late["hits"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes: not shown who can read the token, nor that it stays")
def test_the_token_is_kept_where_only_the_user_reads_it_and_stays_the_same(start: Start, own_project: Path) -> None:
    first = start(str(own_project))
    mode = stat.S_IMODE(first.token_file.stat().st_mode)
    assert 0 == first.end(signal.SIGTERM)
    second = start(str(own_project))

    assert 0o600 == mode
    assert len(first.token) >= 32
    assert (first.token, first.token_file) == (second.token, second.token_file)


def test_a_token_of_ones_own(start: Start, own_project: Path, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("correct-horse-battery\n")
    file.chmod(0o600)

    server = start(str(own_project), "--token-file", str(file))

    assert "correct-horse-battery" == server.token
    assert 200 == server.ask("GET", "/status").status
    assert "correct-horse-battery" not in "".join(server.said)


def test_without_a_token_on_this_machine_alone(start: Start, own_project: Path) -> None:
    server = start(str(own_project), "--no-token")

    assert server.token is None
    assert 200 == server.ask("GET", "/status", None, {"Authorization": ""}).status
    assert "security" not in server.get("/openapi.json")


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process: not shown that it ends a server")
def test_ctrl_c_is_130_and_the_index_is_usable(start: Start, own_project: Path, environment: dict[str, str]) -> None:
    server = start(str(own_project))
    server.post("/index")

    assert 130 == server.end(signal.SIGINT)
    again = subprocess.run(
        [sys.executable, "-m", "connote", "status", "--format", "json"],
        cwd=own_project, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "ready" == json.loads(again.stdout)["state"]


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGTERM: not shown that it ends a server that indexes")
def test_a_signal_while_it_indexes_ends_it(start: Start, tmp_path: Path) -> None:
    # R093
    root = tmp_path / "large"
    root.mkdir()
    for number in range(2000):
        (root / f"module{number}.py").write_text(f"def handle_{number}(event):\n    return {number}\n" * 4)
    server = start(str(root))

    assert 0 == server.end(signal.SIGTERM)


def test_it_listens_on_ipv6_too(start: Start, own_project: Path) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"this machine has no IPv6 ({error}): not shown that connote listens on it")
    server = start(str(own_project), "--host", "::1")

    assert 200 == server.ask("GET", "/status", None, {"Host": f"[::1]:{server.port}"}).status
