"""`connote serve` as a process of its own, and a client that can send what no proper client would."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 60
"""Seconds after which a test gives up; nothing is measured with it."""


@dataclass
class Reply:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The word of an error, which has the promised shape."""
        assert {"error"} == set(self.json)
        assert {"code", "message"} == set(self.json["error"])
        return str(self.json["error"]["code"])


@dataclass
class Server:
    """A running server, and how to ask it."""

    process: subprocess.Popen[str]
    port: int
    token: str | None
    token_file: Path | None
    said: list[str] = field(default_factory=list)
    host: str = "127.0.0.1"

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        /,
        **query: Any,
    ) -> Reply:
        """The answer to a request with the right token; `headers` come last, and one that is "" is left out."""
        target = path + (f"?{urllib.parse.urlencode(query, doseq=True)}" if query else "")
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        wanted = {"Host": f"{self.host}:{self.port}", "Authorization": f"Bearer {self.token}", **(headers or {})}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in wanted.items():
                if value:
                    connection.putheader(name, value)
            if data is not None and "Content-Length" not in wanted:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def get(self, path: str, /, **query: Any) -> Any:
        """The JSON of a GET that succeeds."""
        reply = self.ask("GET", path, **query)
        assert 200 == reply.status, reply
        return reply.json

    def post(self, path: str, body: Any = None) -> Any:
        """The JSON of a POST that succeeds."""
        reply = self.ask("POST", path, body)
        assert 200 == reply.status, reply
        return reply.json

    def raw(self, data: bytes) -> bytes:
        """What the server sends, until it closes, to bytes that are sent as they are."""
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def end(self, number: int) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


Start = Callable[..., Server]


@contextlib.contextmanager
def running(environment: dict[str, str]) -> Iterator[Start]:
    """A function that starts servers, which end with the block."""
    servers: list[Server] = []

    def start(*arguments: str, cwd: Path | None = None, **variables: str) -> Server:
        process = subprocess.Popen(
            [sys.executable, "-m", "connote", "serve", "--port", "0", *arguments],
            cwd=cwd,
            env={**environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = []
        for line in process.stderr:
            said.append(line)
            if "the token is in" in line or "no token is asked for" in line:
                break
        text = "".join(said)
        url = re.search(r" on http://(\S+):(\d+)$", text, re.MULTILINE)
        if url is None:
            process.wait(PATIENCE)
            raise AssertionError(text)
        file = re.search(r"the token is in (.+)$", text, re.MULTILINE)
        token_file = Path(file[1]) if file else None
        token = token_file.read_text().strip() if token_file else None
        server = Server(process, int(url[2]), token, token_file, said, url[1].strip("[]"))
        # Read to the end, lest the server wait for somebody to read what it says.
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait(PATIENCE)
        print("".join(server.said))


@pytest.fixture(scope="session")
def files(sample: dict[str, str]) -> dict[str, str]:
    """The files of a small project, by path."""
    return {
        **sample,
        "src/colors.go": """package src

// ParseColor reads a hexadecimal colour such as #ff8800.
func ParseColor(text string) (int, error) {
	return strconv.ParseInt(text[1:], 16, 32)
}
""",
        "src/matrix.py": "".join(
            f"def {name}(matrix):\n"
            + "".join(f"    row_{number} = [{name}_of(cell) for cell in matrix[{number}]]\n" for number in range(12))
            + f"    return row_0, row_11, {name!r}\n\n\n"
            for name in ("rotate", "invert", "transpose")
        ),
        ".env": "TOKEN=AKIAIOSFODNN7EXAMPLE\n",
    }


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], write: Callable[..., Path]) -> Path:
    """A small project, which no test changes."""
    return write(tmp_path_factory.mktemp("http") / "project", files)


@pytest.fixture(scope="session")
def server(
    tmp_path_factory: pytest.TempPathFactory, project: Path, environment_at: Callable[..., dict[str, str]]
) -> Iterator[Server]:
    """A server of the project, indexed; for tests that do not change it."""
    with running(environment_at(tmp_path_factory.mktemp("home"), host="auto")) as start:
        one = start(str(project))
        one.post("/index")
        yield one


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """A function that starts `connote serve --port 0` with arguments; its servers end with the test."""
    with running(environment) as begin:
        yield begin


@pytest.fixture
def environment(tmp_path: Path, environment_at: Callable[..., dict[str, str]]) -> dict[str, str]:
    """Variables with a home and an index folder of their own: the ones of `start`."""
    return environment_at(tmp_path / "home")


@pytest.fixture
def own_project(tmp_path: Path, files: dict[str, str], write: Callable[..., Path]) -> Path:
    """A project that the test may change."""
    return write(tmp_path / "project", files)
