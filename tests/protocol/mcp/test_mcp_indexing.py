"""`connote mcp`: what an agent gets while there is no index yet, and when files change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

Connect = Callable[..., Any]
TOO_LATE = 20
"""Seconds: the contract's word for how long a cold index may take to answer."""


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A root whose first index takes longer than an agent waits."""
    root = tmp_path / "large"
    for number in range(6000):
        file = root / f"package{number % 60}" / f"module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        body = "\n".join(f"    value_{line} = event.field_{(line * number) % 977}" for line in range(12))
        file.write_text(f"def handle_event_{number}(event):\n{body}\n    return value_3 == {number}\n\n\n" * 4)
    return root


async def test_a_cold_index_answers_with_what_there_is_and_says_how_far_it_is(
    connect_stdio: Connect, large: Path
) -> None:
    # R092
    async with connect_stdio(large) as client:
        began = time.monotonic()
        found = (await client.call_tool("connote_search", {"query": "handle an event"})).structured_content
        assert time.monotonic() - began < TOO_LATE
        assert not found["complete"]
        assert "of 6,000 files" in found["message"]

        status = (await client.call_tool("connote_index_status", {})).structured_content
        assert "indexing" == status["state"]
        assert "Still indexing" in status["message"]

        told: list[tuple[float, float | None, str | None]] = []

        async def note(done: float, total: float | None, message: str | None) -> None:
            told.append((done, total, message))

        report = {"complete": False}
        for _ in range(20):
            began = time.monotonic()
            result = await client.call_tool("connote_index", {}, progress_callback=note)
            assert time.monotonic() - began < TOO_LATE
            report = result.structured_content
            if report["complete"]:
                break
            assert "call again" in report["message"]
        assert report["complete"]
        assert told
        assert all(total == 6000 for _, total, _ in told)
        later = (await client.call_tool("connote_search", {"query": "handle an event"})).structured_content
        assert later["complete"]
        assert 10 == len(later["hits"])


async def test_progress_is_told_over_http_too(start: Callable[..., Any], large: Path) -> None:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    server = start(str(large))
    told: list[float] = []

    async def note(done: float, _total: float | None, _message: str | None) -> None:
        told.append(done)

    headers = {"Authorization": f"Bearer {server.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as transport,
        Client(streamable_http_client(server.url, http_client=transport)) as client,
    ):
        await client.call_tool("connote_search", {"query": "handle an event"}, progress_callback=note)

    assert told
    assert sorted(set(told)) == told


async def test_a_change_is_in_the_next_search(connect_stdio: Connect, own_project: Path) -> None:
    async with connect_stdio(own_project) as client:

        async def best(query: str) -> str | None:
            found = (await client.call_tool("connote_search", {"query": query, "limit": 1})).structured_content
            assert found["complete"]
            return found["hits"][0].get("symbol") if found["hits"] else None

        # On a busy machine the first look at everything takes longer than a search waits.
        await client.call_tool("connote_index", {})
        assert "retry_upload" == await best("retry a failed upload")
        (own_project / "src" / "moon.py").write_text("def phase_of_the_moon(day):\n    return day % 29\n")
        assert "phase_of_the_moon" == await best("phase of the moon")
        (own_project / "src" / "moon.py").write_text("def lunar_calendar(day):\n    return day % 29\n")
        assert "lunar_calendar" == await best("lunar calendar")
        (own_project / "src" / "moon.py").unlink()
        assert "lunar_calendar" != await best("lunar calendar")
        report = (await client.call_tool("connote_index", {"rebuild": True})).structured_content
        assert (True, 0) == (report["complete"], report["unchanged"])
        assert 0 < report["embedded"]


async def test_a_part_of_a_root_is_served_alone(connect_stdio: Connect, own_project: Path) -> None:
    # R091
    async with connect_stdio(own_project / "src") as client:
        await client.call_tool("connote_index", {})
        found = (await client.call_tool("connote_search", {"query": "upload", "min_score": 0})).structured_content
        assert {"src"} == {hit["path"].split("/")[0] for hit in found["hits"]}
        assert not (await client.call_tool("connote_read_file", {"path": "src/uploads.py"})).is_error
        assert (await client.call_tool("connote_read_file", {"path": "docs/guide.md"})).is_error


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows: not shown that none leads outside")
async def test_links_lead_nowhere_outside(connect_stdio: Connect, own_project: Path, tmp_path: Path) -> None:
    # R096
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "vault.py").write_text("def open_the_vault(combination):\n    return combination == 42\n")
    (own_project / "folder").symlink_to(outside)
    (own_project / "file.py").symlink_to(outside / "vault.py")
    async with connect_stdio(own_project) as client:
        await client.call_tool("connote_index", {})
        asked = {"query": "open_the_vault", "min_score": 0, "limit": 200}
        found = (await client.call_tool("connote_search", asked)).structured_content["hits"]
        assert {hit["path"] for hit in found}.isdisjoint({"folder/vault.py", "file.py"})
        for path in ("folder/vault.py", "file.py"):
            for name, more in (("connote_read_file", {}), ("connote_similar", {"line": 1})):
                assert (await client.call_tool(name, {"path": path, **more})).is_error
            with pytest.raises(MCPError):
                await client.read_resource(f"connote://file/{path}")


async def test_trouble_with_the_index_is_a_result_and_not_the_end(
    connect_stdio: Connect, own_project: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    async with connect_stdio(own_project, CONNOTE_INDEX_DIR=str(blocked)) as client:
        for name, arguments in (
            ("connote_search", {"query": "x"}),
            ("connote_index_status", {}),
            ("connote_index", {}),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert str(blocked) in result.content[0].text
        # Files can be read without any index.
        assert not (await client.call_tool("connote_read_file", {"path": "src/uploads.py"})).is_error
        blocked.unlink()
        assert not (await client.call_tool("connote_search", {"query": "upload"})).is_error


def begin(root: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "connote", "mcp", str(root)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


def test_the_end_of_input_ends_it_whatever_runs(large: Path, session_environment: dict[str, str]) -> None:
    process = begin(large, session_environment)
    process.stdin.write(PING)
    process.stdin.flush()
    process.stdout.readline()
    process.stdin.close()

    assert 0 == process.wait(60)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to one process: not shown that they end a server")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_whatever_runs(
    large: Path, session_environment: dict[str, str], number: int, code: int
) -> None:
    process = begin(large, session_environment)
    process.stdin.write(PING)
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)

    assert code == process.wait(60)
