"""Lines that are no messages, and messages that are none of ours: the server answers or ignores them, and goes on."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import Any

INPUTS = 100_000 if os.environ.get("CONNOTE_TEST_FULL") else 2_000
BATCH = 100

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 10**30, 1e308, "", "x", "\0", "\ud800", "..", "/etc/passwd", "a" * 5000, [], {}, [None],
    {"a": [{}]}, "connote_search", "connote://file/../x", "connote://snippet/src/uploads.py?start=1&end=0",
    "2025-06-18", {"name": "connote_read_file", "arguments": {"path": "../x"}},
)  # fmt: skip
NAMES = (
    "query", "limit", "include", "path", "line", "name", "arguments", "uri", "cursor", "_meta", "progressToken", "id",
    "protocolVersion", "capabilities", "ref", "argument", "level", "budget", "start_line", "requestId", "",
)  # fmt: skip
METHODS = (
    "tools/call", "tools/list", "resources/read", "resources/list", "resources/templates/list", "prompts/get",
    "prompts/list", "completion/complete", "ping", "initialize", "notifications/cancelled",
    "notifications/initialized", "notifications/progress", "logging/setLevel", "server/discover", "nothing", "",
)  # fmt: skip
TOOLS = ("connote_search", "connote_similar", "connote_read_file", "connote_index_status", "nothing")


def test_no_input_takes_the_server_down(project: Path, session_environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "connote", "mcp", str(project)],
        env=session_environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    lines: Queue[bytes] = Queue()
    errors: list[bytes] = []
    # Both are read all the time, lest the server wait for somebody to read.
    threading.Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True).start()
    threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True).start()

    def send(data: bytes) -> None:
        process.stdin.write(data)

    def answer_to(message_id: str) -> dict[str, Any]:
        while True:
            message = json.loads(lines.get(timeout=120))
            if message.get("id") == message_id:
                return message

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
    send(_message("initialize", client, "begin"))
    process.stdin.flush()
    assert "result" in answer_to("begin")
    send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    chance = random.Random(20260728)
    for number in range(INPUTS):
        send(chance.choice((_bytes, _broken, _request, _call))(chance))
        if number % BATCH == BATCH - 1:
            send(b"\n" + _message("ping", {}, f"ping-{number}"))
            process.stdin.flush()
            assert "error" not in answer_to(f"ping-{number}")
    send(_message("tools/call", {"name": "connote_search", "arguments": {"query": "upload"}}, "end"))
    process.stdin.flush()
    result = answer_to("end")["result"]
    process.stdin.close()

    assert not result.get("isError")
    assert result["structuredContent"]["hits"]
    assert 0 == process.wait(60)
    assert b"Traceback" not in b"".join(errors)
    assert b"fault of connote" not in b"".join(errors)


def _message(method: str, params: Any, message_id: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}).encode() + b"\n"


def _value(chance: random.Random) -> dict[str, Any]:
    return {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randrange(4))}


def _bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((1, 20, 500))) + b"\n"


def _broken(chance: random.Random) -> bytes:
    data = _request(chance)
    place = chance.randrange(len(data))
    return data[:place] + chance.randbytes(chance.randrange(3)) + data[place + chance.randrange(3) :] + b"\n"


def _request(chance: random.Random) -> bytes:
    message = {
        "jsonrpc": "2.0",
        "method": chance.choice(METHODS),
        "params": _value(chance),
        "id": chance.choice(VALUES),
    }
    for name in ("jsonrpc", "params", "id", "method"):
        if chance.random() < 0.1:
            del message[name]
    if chance.random() < 0.05:
        return b"[" * chance.choice((1, 500, 50_000)) + b"\n"
    return json.dumps(message).encode() + b"\n"


def _call(chance: random.Random) -> bytes:
    arguments = _value(chance)
    if chance.random() < 0.5:
        arguments["query"] = "upload"
    return _message("tools/call", {"name": chance.choice(TOOLS), "arguments": arguments}, chance.randrange(10**6))
