"""`connote serve`: whom and what it refuses, through the real process."""

from __future__ import annotations

import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Server = Any
Start = Callable[..., Server]

MIB = 1_048_576
OUTSIDE = [
    "../../etc/passwd",
    "src/../../x.py",
    "..",
    "/etc/passwd",
    "C:\\Windows\\win.ini",
    "c:secrets.txt",
    "\\\\server\\share\\a.py",
    "//server/share/a.py",
    "src\\..\\..\\x.py",
    "%2e%2e/%2e%2e/etc/passwd",
    "src%2f..%2fx.py",
    "src/a.py\0.txt",
    "file:///etc/passwd",
    "~/.ssh/id_rsa",
    "%252e%252e/x",
    "%c0%ae%c0%ae/x",
]


def test_edge_67_no_token_wrong_token_foreign_origin_foreign_host(server: Server) -> None:
    own = f"127.0.0.1:{server.port}"
    rebound = {"Host": f"evil.example:{server.port}"}
    cases = [
        ({"Authorization": ""}, 401, "unauthorized"),
        ({"Authorization": "Bearer wrong"}, 401, "unauthorized"),
        ({"Origin": "http://evil.example"}, 403, "forbidden"),
        (rebound, 403, "forbidden"),
        # The same address from a page of another server of this machine, a sandboxed page, another scheme.
        ({"Origin": "http://127.0.0.1:9"}, 403, "forbidden"),
        ({"Origin": "null"}, 403, "forbidden"),
        ({"Origin": f"chrome-extension://{own}"}, 403, "forbidden"),
        ({"Host": ""}, 400, None),
        ({"Host": f"{own}@evil.example"}, 403, "forbidden"),
        ({"Host": "127.0.0.1.evil.example"}, 403, "forbidden"),
        ({"Host": "2130706433"}, 403, "forbidden"),
        ({"Host": "10.0.0.1"}, 403, "forbidden"),
        # Not even the open path tells a page of somebody else that a server is here.
        ({**rebound, "Authorization": ""}, 403, "forbidden"),
    ]
    for headers, status, code in cases:
        for path in ("/status", "/search?query=x"):
            reply = server.ask("GET", path, None, headers)
            assert status == reply.status, (headers, reply)
            if code:
                assert code == reply.code
    assert 403 == server.ask("GET", "/health", None, rebound).status


def test_its_own_names_are_let_in(server: Server) -> None:
    for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}", f"LOCALHOST:{server.port}", "localhost",
                 "[::1]:80", "localhost:8800"):  # fmt: skip
        assert 200 == server.ask("GET", "/status", None, {"Host": host}).status, host
        assert 200 == server.ask("GET", "/status", None, {"Host": host, "Origin": f"http://{host}"}).status, host


@pytest.mark.parametrize(
    "spelled",
    ["Bearer", "Bearer ", "Basic {token}", "{token}", "Bearer {token}x", "Bearer {half}", "Bearer {upper}",
     "Bearer \xe9", "Bearer {token} {token}"],
)  # fmt: skip
def test_a_token_that_is_nearly_right_is_wrong(server: Server, spelled: str) -> None:
    token = server.token
    value = spelled.format(token=token, half=token[:20], upper=token.swapcase())

    reply = server.ask("GET", "/status", None, {"Authorization": value})

    assert (401, "unauthorized") == (reply.status, reply.code)
    assert "Bearer" == reply.headers["www-authenticate"]


def test_two_tokens_are_none(server: Server) -> None:
    head = f"GET /status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
    answer = server.raw(f"{head}Authorization: Bearer x\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_outside_of_the_root_is_refused_in_every_spelling(server: Server, path: str) -> None:
    # R096
    for reply in (
        server.ask("GET", "/similar", path=path, line=1),
        server.ask("POST", "/similar", {"path": path, "line": 1}),
    ):
        assert (404, "not_found") == (reply.status, reply.code)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/search", b"{", 400, "unreadable"),
        ("POST", "/search", b"[]", 400, "unreadable"),
        ("POST", "/search", b'"query"', 400, "unreadable"),
        ("POST", "/search", b"\xff\xfe", 400, "unreadable"),
        ("POST", "/search", b'{"query": "x", "min_score": NaN}', 400, "unreadable"),
        ("POST", "/search", b"[" * 100_000, 400, "unreadable"),
        ("POST", "/search", b'{"query": "x", "limit": ' + b"9" * 5000 + b"}", 400, "unreadable"),
        ("POST", "/search", b"", 422, "invalid"),
        ("POST", "/search", {}, 422, "invalid"),
        ("POST", "/search", {"query": 1}, 422, "invalid"),
        ("POST", "/search", {"query": None}, 422, "invalid"),
        ("POST", "/search", {"query": "x" * 10_001}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "limit": 0}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "limit": 201}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "limit": 1.5}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "limit": True}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "limit": 10**400}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "mode": "vague"}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "kinds": ["thing"]}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "kinds": "class"}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "min_score": 1.1}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "context": -1}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "include": ["{a,b}" * 40]}, 422, "invalid"),
        ("POST", "/search", {"query": "x", "root": "/etc"}, 422, "invalid"),
        ("GET", "/search", None, 422, "invalid"),
        ("GET", "/search?query=x&limit=ten", None, 422, "invalid"),
        ("GET", "/search?query=x&query=y", None, 422, "invalid"),
        ("GET", "/search?query=x&relax=maybe", None, 422, "invalid"),
        ("GET", "/search?query=x&min_score=inf", None, 422, "invalid"),
        ("GET", "/search?query=x&path=/etc", None, 422, "invalid"),
        ("GET", "/similar?path=src/uploads.py", None, 422, "invalid"),
        ("GET", "/similar?path=src/uploads.py&line=0", None, 422, "invalid"),
        ("GET", "/similar?path=&line=1", None, 422, "invalid"),
        ("POST", "/index", {"rebuild": "yes"}, 422, "invalid"),
        ("GET", "/nowhere", None, 404, "not_found"),
        ("GET", "/", None, 404, "not_found"),
        ("GET", "/search/../../etc/passwd", None, 404, "not_found"),
        ("DELETE", "/search", None, 405, "method_not_allowed"),
        ("GET", "/index", None, 405, "method_not_allowed"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_in_words(
    server: Server, method: str, path: str, body: Any, status: int, code: str
) -> None:
    reply = server.ask(method, path, body)

    assert (status, code) == (reply.status, reply.code), reply.body[:300]
    assert "application/json" == reply.headers["content-type"]
    assert reply.json["error"]["message"]


def test_a_body_of_one_mebibyte_is_read_and_a_larger_one_is_not(server: Server) -> None:
    padding = MIB - len(b'{"query": "x"}')
    exact = server.ask("POST", "/search", b'{"query": "x"}' + b" " * padding)
    larger = server.ask("POST", "/search", b'{"query": "x"}' + b" " * (padding + 1))
    parts = f"Host: localhost\r\nAuthorization: Bearer {server.token}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    chunked = server.raw(b"POST /search HTTP/1.1\r\n" + parts + chunk * 17 + b"0\r\n\r\n")

    assert 200 == exact.status
    assert (413, "too_large") == (larger.status, larger.code)
    assert chunked.startswith(b"HTTP/1.1 413 ")


def test_a_token_is_asked_for_before_a_body_is_looked_at(server: Server) -> None:
    reply = server.ask("POST", "/search", b" " * (MIB + 1), {"Authorization": ""})

    assert 401 == reply.status


@pytest.mark.parametrize(
    "head",
    [b"GET /heal", b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"],
)
def test_a_slow_client_is_cut_off_and_holds_up_nobody(start: Start, own_project: Path, head: bytes) -> None:
    server = start(str(own_project), CONNOTE_SERVER_CLIENT_SECONDS="1")
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(20)]
    try:
        for connection in slow:
            connection.sendall(head)
        assert 200 == server.ask("GET", "/health").status
        # The end of the stream is what is waited for: nobody sends anything more.
        assert {b""} == {connection.recv(1) for connection in slow}
    finally:
        for connection in slow:
            connection.close()


def test_a_client_slow_with_its_body_is_told_so(start: Start, own_project: Path) -> None:
    server = start(str(own_project), CONNOTE_SERVER_CLIENT_SECONDS="1")
    head = (
        f"POST /search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 9\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
        slow.sendall(head.encode() + b"{")
        answer = b"".join(iter(lambda: slow.recv(65536), b""))

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"too_slow" in answer


class Telltale(http.server.BaseHTTPRequestHandler):
    """An embedding endpoint that refuses a key, and repeats it."""

    def do_POST(self) -> None:
        body = json.dumps({"error": {"message": f"wrong key: {self.headers['Authorization']}"}}).encode()
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


def test_no_key_is_in_any_answer_or_message(start: Start, own_project: Path) -> None:
    # R100, R098
    key = "sk-proj-0123456789abcdef0123456789abcdef"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Telltale) as endpoint:
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        server = start(
            str(own_project), CONNOTE_EMBED_PROVIDER="openai", CONNOTE_EMBED_API_KEY=key,
            CONNOTE_EMBED_BASE_URL=f"http://127.0.0.1:{endpoint.server_port}/v1",
        )  # fmt: skip
        indexed = server.ask("POST", "/index")
        replies = [
            server.ask("GET", "/search", query="retry a failed upload"),
            server.ask("GET", "/status"),
            server.ask("GET", "/openapi.json"),
            server.ask("GET", "/nowhere"),
        ]
        endpoint.shutdown()

    assert {200} == {reply.status for reply in (indexed, *replies[:3])}
    assert "src/uploads.py" == replies[0].json["hits"][0]["path"]
    assert "degraded" == replies[1].json["state"]
    everything = b"".join(reply.body for reply in [indexed, *replies]) + "".join(server.said).encode()
    for secret in (key, server.token, "AKIAIOSFODNN7EXAMPLE"):
        assert secret.encode() not in everything


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0,
    reason="no mode closes a folder to the superuser or on Windows: not shown that an unwritable one is 503",
)
def test_an_index_that_cannot_be_opened_is_503(start: Start, own_project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "unwritable"
    folder.mkdir(mode=0o500)
    server = start(str(own_project), "--no-token", CONNOTE_INDEX_DIR=str(folder))

    assert (503, "unavailable") == (server.ask("GET", "/status").status, server.ask("GET", "/status").code)


def test_an_index_folder_that_is_a_file_is_503_until_it_is_none(
    start: Start, own_project: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    server = start(str(own_project), "--no-token", CONNOTE_INDEX_DIR=str(blocked))

    for reply in (server.ask("GET", "/status"), server.ask("GET", "/search", query="x"), server.ask("POST", "/index")):
        assert (503, "unavailable") == (reply.status, reply.code)
    assert 200 == server.ask("GET", "/health").status
    blocked.unlink()
    assert 200 == server.ask("GET", "/status").status


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "connote", "serve", *arguments],
        env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_what_would_open_the_server_to_others_is_refused(
    environment: dict[str, str], own_project: Path, tmp_path: Path
) -> None:
    # R097
    short, readable = tmp_path / "short", tmp_path / "readable"
    short.write_text("abc")
    short.chmod(0o600)
    readable.write_text("correct-horse-battery-staple")
    readable.chmod(0o644)
    root = str(own_project)
    cases = [
        ([root, "--host", "0.0.0.0", "--no-token"], "--no-token would open 0.0.0.0"),
        ([root, "--host", "example.org", "--no-token"], "--no-token would open example.org"),
        ([root, "--host", "::", "--no-token"], "--no-token would open ::"),
        ([root, "--no-token", "--token-file", str(short)], "exclude each other"),
        ([root, "--token-file", str(short)], "holds no token"),
        ([root, "--token-file", str(tmp_path / "nowhere")], "There is no token file"),
        ([root, "--host", "not an address"], "is no address to listen on"),
        ([root, "--port", "70000"], "70000"),
        ([str(tmp_path / "nowhere")], "there is no file or folder"),
    ]
    if os.name != "nt":
        cases.append(([root, "--token-file", str(readable)], "Others than you can read"))
    for arguments, message in cases:
        done = run(environment, *arguments)
        assert 2 == done.returncode, (arguments, done)
        assert message in done.stderr
        assert "" == done.stdout


def test_a_port_that_is_taken_is_named_and_no_other_one_is_used(environment: dict[str, str], own_project: Path) -> None:
    # R095
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run(environment, str(own_project), "--port", str(port))

    assert 2 == done.returncode
    assert f"Another program listens on port {port}" in done.stderr


def test_it_listens_on_this_machine_alone_unless_told_otherwise(server: Server) -> None:
    # R097
    assert "127.0.0.1" == server.host
    hosts = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for host in hosts - {"127.0.0.1", "127.0.1.1"}:
        with socket.socket() as other:
            other.settimeout(5)
            assert 0 != other.connect_ex((host, server.port))


def test_every_address_of_the_machine_is_a_name_when_it_listens_on_all(start: Start, own_project: Path) -> None:
    server = start(str(own_project), "--host", "0.0.0.0")

    assert 200 == server.ask("GET", "/status", None, {"Host": f"192.0.2.7:{server.port}"}).status
    assert 403 == server.ask("GET", "/status", None, {"Host": f"evil.example:{server.port}"}).status
    assert 401 == server.ask("GET", "/status", None, {"Authorization": ""}).status


def test_tokens_are_compared_in_constant_time() -> None:
    """That a comparison takes no hint is not to be seen from outside; that the right function is used, is."""
    import connote.faces.serving.guard as guard

    source = Path(guard.__file__).read_text(encoding="utf-8")
    assert re.search(r"hmac\.compare_digest\(given", source)
    assert guard.is_token("Bearer " + "x" * 32, "x" * 32)
    assert not guard.is_token("Bearer " + "x" * 31 + "y", "x" * 32)
