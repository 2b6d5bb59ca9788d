"""Bytes that are no requests, and requests that are none of ours: the server answers or closes, and goes on."""

from __future__ import annotations

import json
import os
import random
import socket
from typing import Any

Server = Any
INPUTS = 100_000 if os.environ.get("CONNOTE_TEST_FULL") else 2_000

LINES = (
    b"GET / HTTP/1.1", b"POST /search HTTP/1.1", b"GET /search?query=x&limit=1 HTTP/1.1", b"POST /index HTTP/1.1",
    b"GET /similar?path=src/uploads.py&line=1 HTTP/1.1", b"GET /status HTTP/1.0", b"PRI * HTTP/2.0",
    b"OPTIONS * HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"GET http://127.0.0.1/health HTTP/1.1", b"GET /%00%ff HTTP/1.1",
    b"\x16\x03\x01\x02\x00\x01\x00", b"GET /health",
)  # fmt: skip
HEADERS = (
    b"Host: localhost", b"Host: evil", b"Origin: null", b"Content-Length: 5", b"Content-Length: -1",
    b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked",
    b"Expect: 100-continue", b"Connection: upgrade", b"Upgrade: websocket", b"Upgrade: h2c", b"Cookie: a=b",
    b"X: " + b"y" * 70_000, b"A\x00: b", b": nothing", b" folded", b"Authorization: Bearer \xff",
)  # fmt: skip
VALUES = (
    None, True, -1, 0, 1, 1e308, 10**30, "", "x", "\0", "\ud800", "..", "/etc/passwd", "%2e%2e", "a" * 5000, [], ["*"],
    ["[", "{", "**"], [None], {}, {"a": [{}]}, "retry a failed upload",
)  # fmt: skip
NAMES = (
    "query", "limit", "mode", "include", "exclude", "languages", "kinds", "prefix", "min_score", "relax", "context",
    "why", "definitions", "tests", "path", "line", "rebuild", "", "\n",
)  # fmt: skip


def test_no_input_takes_the_server_down(server: Server) -> None:
    chance = random.Random(20260728)
    with_token = b"Authorization: Bearer " + server.token.encode()
    for number in range(INPUTS):
        data = chance.choice((_bytes, _head, _body))(chance, with_token)
        answer = _answer(server.port, data)
        assert b" 500 " not in answer[:16], (number, data)
        assert b"Traceback" not in answer, (number, data)
        if number % 200 == 0:
            assert 200 == server.ask("GET", "/health").status
    assert server.get("/search", query="retry a failed upload", limit=1)["hits"]


def _bytes(chance: random.Random, _token: bytes) -> bytes:
    return chance.randbytes(chance.choice((1, 10, 200, 5000)))


def _head(chance: random.Random, token: bytes) -> bytes:
    chosen = [chance.choice(HEADERS) for _ in range(chance.randrange(5))]
    lines = [chance.choice(LINES), b"Host: localhost", *chosen, *([token] if chance.random() < 0.7 else [])]
    data = chance.choice((b"\r\n", b"\r\n", b"\n")).join(lines) + b"\r\n\r\n"
    if chance.random() < 0.5:
        place = chance.randrange(len(data))
        data = data[:place] + chance.randbytes(chance.randrange(4)) + data[place + chance.randrange(3) :]
    return data + chance.choice((b"", b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n", b"{}", b"hello"))


def _body(chance: random.Random, token: bytes) -> bytes:
    path = chance.choice((b"/search", b"/similar", b"/search", b"/similar", b"/nowhere"))
    value = {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randrange(5))}
    if chance.random() < 0.5:
        value["query"] = "upload"
    body = json.dumps(value).encode()
    if chance.random() < 0.3:
        place = chance.randrange(len(body))
        body = body[:place] + chance.randbytes(2) + body[place + 1 :]
    length = len(body) + (chance.choice((-1, 1, 7)) if chance.random() < 0.1 else 0)
    head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + token
    return head + b"\r\nContent-Length: " + str(length).encode() + b"\r\n\r\n" + body


def _answer(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b""  # It closed on what it does not want to read to the end.
