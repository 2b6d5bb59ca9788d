"""Vectors on a Chroma server, a real one on loopback: the same store, and nothing there that is not ours is touched."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import connote
from connote.config import load
from connote.store import Store, StoreOptions

Open = Callable[..., Store]
Lost = Callable[[Store, Sequence[str]], tuple[int, int, int]]
Fill = Callable[[Store, Sequence[str]], None]
IsFound = Callable[[Store, str], bool]

TEXTS = [f"line {number}" for number in range(150)]
WANTED_HEADERS = {
    "bearer": ("Authorization", "Bearer open sesame"),
    "basic": ("Authorization", "Basic YWRhOnNlc2FtZQ=="),
    "x-chroma-token": ("X-Chroma-Token", "open sesame"),
}
CREDENTIALS = {"bearer": "open sesame", "basic": "ada:sesame", "x-chroma-token": "open sesame"}


class Server:
    """`chroma run`, which a test may stop and start again."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        chroma = Path(sys.executable).with_name("chroma.exe" if sys.platform == "win32" else "chroma")
        self._process = subprocess.Popen(
            [chroma, "run", "--path", self._folder, "--host", "127.0.0.1", "--port", str(self.port)],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while not self.answers():
            assert self._process.poll() is None, "chroma run ended"
            assert time.monotonic() < deadline, "chroma run does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()

    def answers(self) -> bool:
        try:
            return bool(self.ask("GET", "/heartbeat"))
        except OSError:
            return False

    def ask(self, method: str, path: str, body: object = None) -> object:
        request = urllib.request.Request(
            f"{self.url}/api/v2{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def collections(self, tenant: str = "default_tenant", database: str = "default_database") -> dict[str, int]:
        """Names and sizes."""
        base = f"/tenants/{tenant}/databases/{database}/collections"
        found = self.ask("GET", base)
        assert isinstance(found, list)
        return {one["name"]: int(self.ask("GET", f"{base}/{one['id']}/count")) for one in found}  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("server"))
    yield one
    one.stop()


@pytest.fixture(autouse=True)
def _only_ours(server: Server) -> Iterator[None]:
    yield
    for name in server.collections():
        server.ask("DELETE", f"/tenants/default_tenant/databases/default_database/collections/{name}")


@pytest.fixture
def options(server: Server) -> StoreOptions:
    return StoreOptions(kind="server", url=server.url)


def test_vectors_are_kept_on_the_server(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill, is_found: IsFound
) -> None:
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)

    assert (0, 0, 0) == lost(store, TEXTS)
    assert [150] == list(server.collections().values())
    assert not list((tmp_path / "index").glob("chroma-*"))
    store.catalog.remove(list(store.catalog.files())[:2])
    assert (0, 0, 0) == lost(store, TEXTS[100:])
    store.close()

    again = open_store(tmp_path / "index", options)
    assert (0, 0, 0) == lost(again, TEXTS[100:])
    assert is_found(again, TEXTS[120])
    again.chroma.drop()
    assert {} == server.collections()


def test_roots_machines_and_others_have_collections_of_their_own(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill
) -> None:
    """Also the same root at the same path, such as in two containers."""
    server.ask("POST", "/tenants/default_tenant/databases/default_database/collections", {"name": "somebody"})
    stores = [open_store(tmp_path / "here" / "index", options)]
    fill(stores[0], TEXTS)
    assert (0, 0, 0) == lost(stores[0], TEXTS)
    (tmp_path / "here").rename(tmp_path / "there")
    stores.append(open_store(tmp_path / "here" / "index", options))
    fill(stores[1], TEXTS[:50])

    assert (0, 0, 0) == lost(stores[1], TEXTS[:50])
    assert [0, 50, 150] == sorted(server.collections().values())
    stores[1].chroma.drop()
    assert [0, 150] == sorted(server.collections().values())
    assert "somebody" in server.collections()


def test_a_copied_index_begins_a_collection_of_its_own(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill
) -> None:
    first = open_store(tmp_path / "first", options)
    fill(first, TEXTS)
    assert first.flush()
    first.close()
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    second = open_store(tmp_path / "second", options)
    second.catalog.remove(list(second.catalog.files())[:1])

    assert (0, 0, 0) == lost(second, TEXTS[50:])
    assert (0, 0, 0) == lost(open_store(tmp_path / "first", options), TEXTS)
    assert [100, 150] == sorted(server.collections().values())


def test_a_collection_that_is_gone_is_filled_again(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill, is_found: IsFound
) -> None:
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)
    assert store.flush()
    (name,) = server.collections()
    server.ask("DELETE", f"/tenants/default_tenant/databases/default_database/collections/{name}")

    assert is_found(store, TEXTS[3])
    assert (0, 0, 0) == lost(store, TEXTS)


def test_a_rebuild_leaves_no_collection_behind(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill
) -> None:
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)
    assert store.flush()
    store.forget_vectors()
    store.catalog.remove(list(store.catalog.files()))
    fill(store, TEXTS[:50])

    assert (0, 0, 0) == lost(store, TEXTS[:50])
    assert [50] == list(server.collections().values())


def test_a_server_that_is_away_is_said_and_costs_nothing(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill, is_found: IsFound
) -> None:
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)
    assert store.flush()
    before = server.collections()
    server.stop()
    try:
        fill(store, ["one text more"])

        assert is_found(store, TEXTS[3])
        assert not store.flush()
        assert server.url in (store.trouble or "")
        assert is_found(store, "one text more")
    finally:
        server.start()
    store.chroma._not_before = 0

    assert (0, 0, 0) == lost(store, [*TEXTS, "one text more"])
    assert store.trouble is None
    assert list(before) == list(server.collections())


def test_tenant_and_database_are_named(
    tmp_path: Path, server: Server, options: StoreOptions, open_store: Open, lost: Lost, fill: Fill
) -> None:
    server.ask("POST", "/tenants", {"name": "acme"})
    server.ask("POST", "/tenants/acme/databases", {"name": "code"})
    store = open_store(tmp_path / "index", replace(options, tenant="acme", database="code"))
    fill(store, TEXTS)

    assert (0, 0, 0) == lost(store, TEXTS)
    assert [150] == list(server.collections("acme", "code").values())
    assert {} == server.collections()
    wrong = open_store(tmp_path / "wrong", replace(options, tenant="acme", database="nothing"))
    fill(wrong, TEXTS[:1])
    assert not wrong.flush()
    assert wrong.trouble is not None


@pytest.fixture
def gate(server: Server) -> Iterator[Callable[[str], str]]:
    """A function that starts a proxy before the server, which lets in who sends what one kind of `auth` sends."""
    gates = []

    def start(auth: str) -> str:
        name, value = WANTED_HEADERS[auth]

        class Gate(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = 401, b'{"error": "unauthorized"}'
                if self.headers.get(name) == value:
                    request = urllib.request.Request(
                        server.url + self.path, body or None, {"Content-Type": "application/json"}, method=self.command
                    )
                    try:
                        with urllib.request.urlopen(request, timeout=30) as reply:
                            status, answer = reply.status, reply.read()
                    except urllib.error.HTTPError as error:
                        status, answer = error.code, error.read()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the names that http.server looks for

            def log_message(self, *_: object) -> None:
                pass

        gates.append(ThreadingHTTPServer(("127.0.0.1", 0), Gate))
        Thread(target=gates[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{gates[-1].server_port}"

    yield start
    for one in gates:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize("auth", WANTED_HEADERS)
def test_credentials_are_sent_as_asked(
    tmp_path: Path, gate: Callable[[str], str], open_store: Open, lost: Lost, fill: Fill, auth: str
) -> None:
    options = StoreOptions(kind="server", url=gate(auth), auth=auth, credentials=CREDENTIALS[auth])
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)

    assert (0, 0, 0) == lost(store, TEXTS)
    stranger = open_store(tmp_path / "stranger", replace(options, credentials="nobody:knows"))
    fill(stranger, TEXTS[:1])
    assert not stranger.flush()
    assert stranger.trouble is not None
    assert "nobody" not in stranger.trouble


def test_credentials_are_written_nowhere(
    tmp_path: Path, gate: Callable[[str], str], open_store: Open, fill: Fill, caplog: pytest.LogCaptureFixture
) -> None:
    options = StoreOptions(kind="server", url=gate("bearer"), credentials="open sesame")
    store = open_store(tmp_path / "index", options)
    fill(store, TEXTS)
    assert store.flush()
    pid = store.chroma.pid
    store.close()

    assert all(b"sesame" not in file.read_bytes() for file in (tmp_path / "index").rglob("*") if file.is_file())
    assert "sesame" not in caplog.text + repr(options)
    if Path("/proc/self").exists():
        running = open_store(tmp_path / "index", options)
        running.warm()
        process = Path(f"/proc/{running.chroma.pid}")
        assert pid != running.chroma.pid
        assert b"sesame" not in (process / "environ").read_bytes() + (process / "cmdline").read_bytes()


def test_chroma_cloud_is_reached_with_its_key(
    tmp_path: Path, gate: Callable[[str], str], open_store: Open, fill: Fill, is_found: IsFound
) -> None:
    """As far as a server of one's own can tell: the key is sent as Chroma Cloud wants it, the rest is Chroma's."""
    options = StoreOptions(kind="cloud", url=gate("x-chroma-token"), credentials="open sesame")
    store = open_store(tmp_path / "index", replace(options, tenant="default_tenant", database="default_database"))
    fill(store, TEXTS)
    store.flush()

    assert "unauthorized" not in (store.trouble or "")
    assert is_found(store, TEXTS[3])


def test_an_index_on_a_server_is_one_of_its_own(
    tree: Callable[..., Path], tmp_path: Path, server: Server, options: StoreOptions
) -> None:
    """Each server's index has its own catalog; clearing a root clears the server too."""
    root = tree({"a.py": "def settle(account):\n    return account.balance\n"})
    local = replace(load(root)[0], index_dir=tmp_path / "indexes")
    remote = replace(local, store=options)
    paths = set()
    for settings in (local, remote):
        with connote.open(root, settings) as index:
            index.sync()
            index.flush()
            assert ["a.py"] == [hit.path for hit in index.search("settle account")]
            assert ("ready", settings.store.kind) == (index.status().state, index.status().store)
            paths.add(index.status().path)
    assert 2 == len(paths)
    assert [1] == list(server.collections().values())

    assert connote.engine.clear(root, remote)
    assert {} == server.collections()


def test_only_the_user_says_where_vectors_go(tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"connote.toml": '[store]\nkind = "server"\nurl = "http://evil.example"\ncredentials = "x"\n'})

    settings, problems = load(root)
    assert ("persistent", "", "") == (settings.store.kind, settings.store.url, settings.store.credentials)
    assert 3 == len(problems)
    monkeypatch.setenv("CONNOTE_STORE_KIND", "server")
    monkeypatch.setenv("CONNOTE_STORE_URL", "https://chroma.example:8000")
    assert ("server", "https://chroma.example:8000") == (load(root)[0].store.kind, load(root)[0].store.url)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"kind": "server"}, "store.url"),
        ({"kind": "cloud"}, "store.credentials"),
        ({"kind": "server", "url": "chroma.example:8000"}, "no address"),
        ({"kind": "server", "url": "https://ada:sesame@chroma.example"}, "no address"),
        ({"kind": "server", "url": "https://c.example", "auth": "basic", "credentials": "sesame"}, "user:password"),
    ],
)
def test_settings_that_cannot_be_are_named(values: dict[str, object], says: str) -> None:
    settings, problems = load(None, client={"store": values})

    assert "persistent" == settings.store.kind
    assert says in problems[0]
    assert "sesame" not in problems[0]
