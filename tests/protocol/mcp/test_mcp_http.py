"""`connote mcp --http`: whom it refuses, and what it takes."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Server = Any
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def post(server: Server, body: Any, **changes: str) -> tuple[int, bytes]:
    headers = {
        "Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }  # fmt: skip
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest("POST", "/mcp", skip_host=True)
    for name, value in {**headers, "Content-Length": str(len(data))}.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders(data)
    answer = connection.getresponse()
    status, text = answer.status, answer.read()
    connection.close()
    return status, text


def test_edge_67_no_token_wrong_token_foreign_origin_foreign_host(server: Server) -> None:
    status, text = post(server, INITIALIZE)
    assert 200 == status
    assert b'"connote"' in text
    for changes, expected in (
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Host": f"evil.example:{server.port}"}, 403),
    ):
        status, text = post(server, INITIALIZE, **changes)
        assert expected == status, changes
        assert {"code", "message"} == set(json.loads(text)["error"])
    assert 200 == post(server, INITIALIZE, Origin=f"http://127.0.0.1:{server.port}")[0]


def test_a_body_of_more_than_one_mebibyte_is_refused(server: Server) -> None:
    assert 413 == post(server, b" " * 1_048_577)[0]


def test_a_slow_client_is_cut_off(start: Callable[..., Server], own_project: Path) -> None:
    server = start(str(own_project), CONNOTE_SERVER_CLIENT_SECONDS="1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
        slow.sendall(b"POST /mcp HT")
        assert 200 == post(server, INITIALIZE)[0]
        assert b"" == slow.recv(1)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process: not shown that it ends a server")
def test_ctrl_c_is_130_while_a_client_listens(start: Callable[..., Server], own_project: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("correct-horse-battery\n")
    token.chmod(0o600)
    server = start(str(own_project), "--host", "localhost", "--token-file", str(token))
    assert "correct-horse-battery" == server.token
    assert 200 == post(server, INITIALIZE)[0]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60):
        server.process.send_signal(signal.SIGINT)
        assert 130 == server.process.wait(60)


def test_options_that_make_no_sense_are_refused(project: Path, session_environment: dict[str, str]) -> None:
    for arguments, words in (
        (["--port", "1"], "go with --http"),
        (["--token-file", "x"], "go with --http"),
        (["--http", "--no-token"], "No such option"),
        (["--http", "--token-file", str(project / "nowhere")], "There is no token file"),
        (["--http", "--host", "no address"], "is no address to listen on"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "connote", "mcp", str(project), *arguments],
            env=session_environment, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert 2 == done.returncode
        assert words.lower() in done.stderr.lower()
        assert "" == done.stdout
