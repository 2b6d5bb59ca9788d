"""An index on real Chroma and the real model, a view of all that it holds, and an endpoint with every known fault."""

from __future__ import annotations

import base64
import json
import os
import random
import socket
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import connote
from connote.config import load
from connote.embed import EmbedOptions, open_embedder

PATIENCE = 60
"""Seconds after which a test gives up; nothing is measured with it."""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., connote.Index]]:
    """A function that opens a root's index; `home` names another place for it, as if nothing were indexed yet."""
    indexes = []

    def open_one(root: Path, home: str = "indexes") -> connote.Index:
        index = connote.open(root, replace(load(root)[0], index_dir=tmp_path / home))
        indexes.append(index)
        return index

    yield open_one
    for index in indexes:
        index.close()


@pytest.fixture
def until() -> Callable[[Callable[[], Any]], Any]:
    """A function that waits until a condition holds that nothing tells of, and returns its value."""

    def wait(condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < end, "what was waited for did not happen"
            time.sleep(0.01)
        return value

    return wait


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """A function that says whether a process lives."""

    def look(pid: int) -> bool:
        try:
            os.kill(pid, 0)
            # Where nothing takes over orphans, the dead stay on the list.
            return not Path("/proc/self/stat").exists() or b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
        except (ProcessLookupError, FileNotFoundError):
            return False

    return look


@pytest.fixture
def git() -> Callable[..., None]:
    """A function that runs git in a folder, by a name of its own."""

    def run(folder: Path, *arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    return run


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AbstractContextManager[None]]:
    """A function that lets no file be opened whose name ends so, for the time of a `with`."""

    @contextmanager
    def refuse(ending: str) -> Iterator[None]:
        real = os.open

        def failing(path: object, *rest: object, **more: object) -> int:
            if str(path).endswith(ending):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest, **more)  # type: ignore[arg-type]

        with monkeypatch.context() as context:
            context.setattr(os, "open", failing)
            yield

    return refuse


class Endpoint(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint on loopback that serves the embedded model, and fails as it is told to."""

    daemon_threads = True

    def __init__(self, family: socket.AddressFamily = socket.AF_INET) -> None:
        self.address_family = family
        super().__init__(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), _Handler)
        self.embed: Callable[[list[str]], Any] = open_embedder(EmbedOptions()).embed  # type: ignore[attr-defined]
        self.requests: list[dict[str, Any]] = []
        """The bodies of all requests, in the order of their coming."""
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        """By lower-case names."""
        self.faults: deque[str] = deque()
        """What goes wrong with the next requests, one each; `ok` is nothing."""
        self.always = "ok"
        """What goes wrong with every request for which there is no other fault."""
        self.most, self.longest = 10**9, 10**9
        """Texts in a request, and characters in a text, that it takes: 400 above."""
        self.refuses: Callable[[str], bool] = lambda _: False
        """Texts that it never takes."""
        self.says = "no"
        """What it writes with a 400 for a text; `{}` stands for the text's length."""
        self.after = "0.001"
        """`Retry-After` of a 429."""
        self.size: int | None = None
        """Length of the vectors, if not the model's; with `honours`, if a request names no other."""
        self.honours, self.form = False, "as asked"
        self.unknown: tuple[str, ...] = ()
        """Fields of a request that it answers with 400."""
        self.key: str | None = None
        """The only key that is good, if any is better than another."""
        self.let_go = threading.Event()
        """Ends the silence of `silent`."""
        self.answered: Counter[str] = Counter()
        """How often a vector was sent for a text that was one, in an answer without a fault."""
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        host = self.server_address[0]
        return f"http://{f'[{host}]' if ':' in str(host) else host}:{self.server_address[1]}/v1"

    @property
    def sent(self) -> int:
        """How many texts were sent, but those that try out how the endpoint is."""
        return sum(text != "connote" for request in self.requests for text in request["input"])

    def vectors(self, texts: list[str], size: int | None) -> list[list[float]]:
        """The texts' vectors, of another length than the model's by cutting or repeating them."""
        rows = np.asarray(self.embed(texts), np.float32)
        if size is not None:
            rows = np.tile(rows, (1, size // rows.shape[1] + 1))[:, :size]
        return [[float(value) for value in row] for row in rows]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that lose their patience are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20  # head and body in one packet: a body that follows alone waits for the client's delayed receipt

    def do_GET(self) -> None:
        self.server.paths.append(f"GET {self.path}")
        self._answer(405, {})

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(body)
            server.paths.append(self.path)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = server.faults.popleft() if server.faults else server.always
        if fault.isdigit():
            headers = {"Retry-After": server.after} if fault == "429" and server.after else {}
            # Services repeat the key that they refuse.
            self._answer(int(fault), {"error": {"message": f"no: {self._key()}"}}, headers)
        elif fault in {"drop", "silent"}:
            if fault == "silent":
                server.let_go.wait(60)
            self._drop()
        elif fault == "nonsense":
            self._answer(200, b"<html>busy</html>")
        elif fault == "redirect":
            self._answer(301, {}, {"Location": server.url.replace("/v1", "/elsewhere/v1?secret=1")})
        elif server.key is not None and self._key() != server.key:
            self._answer(401, {"error": {"message": f"Incorrect API key provided: {self._key()}"}})
        else:
            self._embed(body, fault)

    def _key(self) -> str | None:
        return self.headers.get("api-key") or (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    def _embed(self, body: dict[str, Any], fault: str) -> None:
        server, texts = self.server, body["input"]
        refused = [text for text in texts if len(text) > server.longest or server.refuses(text)]
        if len(texts) > server.most or refused or any(name in body for name in server.unknown):
            says = server.says.format(len(refused[0])) if refused else "too many inputs"
            return self._answer(400, {"error": {"message": says}})
        size = body.get("dimensions", server.size) if server.honours else server.size
        rows = server.vectors(texts, 12 if fault == "size" else size)
        if fault in {"nan", "null"}:
            rows[-1][0] = float("nan") if fault == "nan" else None  # type: ignore[call-overload]
        form = server.form if server.form != "as asked" else body.get("encoding_format", "float")
        data = [
            {"object": "embedding", "index": index, "embedding": _formed(row, form)} for index, row in enumerate(rows)
        ]
        # The order of the answer is the endpoint's business: `index` says which text is meant.
        random.Random(len(texts)).shuffle(data)
        if fault == "short":
            data.pop()
        if fault not in {"short", "cut", "size"}:
            with server.lock:
                server.answered.update(texts[:-1] if fault in {"nan", "null"} else texts)
        answer = {"object": "list", "model": body["model"], "data": data, "usage": {}}
        return self._answer(200, answer, cut=fault == "cut")

    def _answer(self, status: int, answer: object, headers: dict[str, str] | None = None, *, cut: bool = False) -> None:
        payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2] if cut else payload)
        self.wfile.flush()
        if cut:
            self._drop()

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass


def _formed(row: list[float], form: str) -> object:
    return base64.b64encode(np.array(row, "<f4").tobytes()).decode() if form == "base64" else row


@pytest.fixture
def serve() -> Iterator[Callable[..., Endpoint]]:
    """A function that starts an endpoint; all are ended with the test."""
    servers = []

    def start(family: socket.AddressFamily = socket.AF_INET) -> Endpoint:
        server = Endpoint(family)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return server

    yield start
    for server in servers:
        server.let_go.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def endpoint(serve: Callable[..., Endpoint]) -> Endpoint:
    return serve()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pauses short after which an endpoint that does not name one is asked again."""
    monkeypatch.setattr("connote.embed.pace.FIRST_SECONDS", 0.001)
