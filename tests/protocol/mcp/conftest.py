"""`connote mcp` as a process of its own, and the clients of the mcp package over both transports."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PATIENCE = 60
"""Seconds after which a test gives up; nothing is measured with it."""


@dataclass
class Server:
    """`connote mcp --http`, running."""

    process: subprocess.Popen[str]
    url: str
    token: str
    said: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])


@contextlib.contextmanager
def running(environment: dict[str, str], *arguments: str) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "connote", "mcp", "--http", "--port", "0", *arguments],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    said = []
    for line in process.stderr:
        said.append(line)
        if "the token is in" in line:
            break
    text = "".join(said)
    url = re.search(r" on (http://\S+)$", text, re.MULTILINE)
    file = re.search(r"the token is in (.+)$", text, re.MULTILINE)
    if url is None or file is None:
        process.wait(PATIENCE)
        raise AssertionError(text)
    threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
    try:
        yield Server(process, url[1], Path(file[1]).read_text().strip(), said)
    finally:
        process.kill()
        process.wait(PATIENCE)
        print("".join(said))


Connect = Callable[..., Any]


@contextlib.asynccontextmanager
async def over_stdio(root: Path, environment: dict[str, str], mode: str, *arguments: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "connote", "mcp", str(root), *arguments], env=environment
    )
    async with Client(parameters, mode=mode, read_timeout_seconds=PATIENCE) as client:
        yield client


@contextlib.asynccontextmanager
async def over_http(server: Server, mode: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {server.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as transport,
        Client(
            streamable_http_client(server.url, http_client=transport), mode=mode, read_timeout_seconds=PATIENCE
        ) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def files(sample: dict[str, str]) -> dict[str, str | bytes]:
    """The files of a small project, by path."""
    return {
        **sample,
        "src/odd name #1?.py": "def rotate_matrix(matrix):\n    return [list(row) for row in zip(*matrix[::-1])]\n",
        ".env": "TOKEN=AKIAIOSFODNN7EXAMPLE\n",
        ".gitignore": "ignored/\n",
        "ignored/notes.py": "ignored = True\n",
        "picture.png": b"\x89PNG\0\0",
        "long.py": "# \U0001f600\U0001f600\U0001f600\n" * 20_000,
    }


@pytest.fixture(scope="session")
def project(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str | bytes], write: Callable[..., Path]
) -> Path:
    """A small project, which no test changes."""
    return write(tmp_path_factory.mktemp("mcp") / "project", files)


@pytest.fixture(scope="session")
def session_environment(
    tmp_path_factory: pytest.TempPathFactory, environment_at: Callable[..., dict[str, str]]
) -> dict[str, str]:
    return environment_at(tmp_path_factory.mktemp("home"), host="auto")


@pytest.fixture(scope="session")
def server(session_environment: dict[str, str], project: Path) -> Iterator[Server]:
    """`connote mcp --http` of the project."""
    with running(session_environment, str(project)) as one:
        yield one


@pytest.fixture(params=["stdio-auto", "stdio-legacy", "http-auto", "http-legacy"])
def connect(
    request: pytest.FixtureRequest, project: Path, session_environment: dict[str, str]
) -> Callable[[], contextlib.AbstractAsyncContextManager[Client]]:
    """A function that connects a client to the project, over each transport and by both ways of beginning."""
    transport, mode = request.param.split("-")
    if transport == "stdio":
        return lambda: over_stdio(project, session_environment, mode)
    server = request.getfixturevalue("server")
    return lambda: over_http(server, mode)


@pytest.fixture
def connect_stdio(project: Path, session_environment: dict[str, str]) -> Connect:
    """A function that connects to the project, or another root, over stdio."""

    def begin(root: Path = project, *arguments: str, mode: str = "auto", **variables: str) -> Any:
        return over_stdio(root, {**session_environment, **variables}, mode, *arguments)

    return begin


@pytest.fixture
def own_project(tmp_path: Path, files: dict[str, str | bytes], write: Callable[..., Path]) -> Path:
    """A project that the test may change."""
    return write(tmp_path / "project", files)


@pytest.fixture
def start(tmp_path: Path, environment_at: Callable[..., dict[str, str]]) -> Iterator[Callable[..., Server]]:
    """A function that starts `connote mcp --http --port 0` with arguments; its servers end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **variables: stack.enter_context(
            running({**environment_at(tmp_path / "home"), **variables}, *arguments)
        )
