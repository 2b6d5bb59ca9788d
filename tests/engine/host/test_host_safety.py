"""A host serves its user alone, and keeps to itself what clients trust it with."""

from __future__ import annotations

import dataclasses
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import connote
from connote.embed import EmbedOptions
from connote.engine import wire
from connote.engine.connection import Connection, LostError
from connote.engine.host import starting
from connote.engine.host.rendezvous import Note, read_note, write_note
from connote.engine.local import LocalIndex
from connote.engine.remote import RemoteIndex
from connote.errors import StoreError

CANARY = "canary-key-1234"

posix = pytest.mark.skipif(
    os.name == "nt",
    reason="Windows has no sockets in folders (AF_UNIX) and no modes: that others cannot reach a host by its files is"
    " not shown there",
)


@pytest.fixture(params=["socket", "tcp"])
def address(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to reach a host; Windows has one of them."""
    if request.param == "tcp":
        monkeypatch.setenv("CONNOTE_HOST_TCP", "1")
    elif os.name == "nt":
        pytest.skip("Windows has no sockets in folders (AF_UNIX): that way to a host is not shown there")
    return str(request.param)


def test_either_way_of_reaching_it_works(
    address: str, root: Path, settings: connote.Settings, note: Callable[[], Note]
) -> None:
    with connote.open(root, settings) as index:
        index.sync()

        assert ["a.py", "b.py"] == index.files()
        assert (note().address or "").startswith("tcp:" if address == "tcp" else "unix:")


def test_a_client_without_the_token_is_refused(
    address: str, root: Path, settings: connote.Settings, note: Callable[[], Note]
) -> None:
    with connote.open(root, settings):
        wrong = dataclasses.replace(note(), token="0" * 64)
        body = {"settings": wire.pack_settings(settings)}
        if address == "tcp":
            # The host cannot prove to such a client that it is the host.
            with pytest.raises(LostError, match="another program"):
                Connection(wrong)
        else:
            connection = Connection(wrong)
            for call in (connection.health, lambda: list(connection.call("files", body))):
                with pytest.raises(StoreError, match="refuses"):
                    call()
            connection.close()


@posix
def test_the_note_and_the_socket_are_the_users_alone(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path
) -> None:
    with connote.open(root, settings):
        place = Path((note().address or "").removeprefix("unix:"))

        assert 0o600 == stat.S_IMODE((folder / "host.json").stat().st_mode)
        assert 0o700 == stat.S_IMODE(place.parent.stat().st_mode)
        assert os.getuid() == place.parent.stat().st_uid


class _Refusing(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_error(401, "no")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass


@pytest.fixture
def refusing() -> Iterator[str]:
    """The URL of an endpoint that refuses every key."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def test_no_secret_is_written_logged_or_shown(
    refusing: str,
    root: Path,
    settings: connote.Settings,
    note: Callable[[], Note],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("CONNOTE_EMBED_API_KEY", CANARY)
    embed = EmbedOptions(provider="openai", base_url=refusing, api_key=CANARY, batch_size=1)
    with connote.open(root, dataclasses.replace(settings, embed=embed)) as index:
        index.sync()
        index.answer("wait longer")
        with pytest.raises(ValueError, match="outside"):
            index.update("../x.py")
        host = note().pid
        assert "degraded" == index.status().state
        assert CANARY not in str(index.status())

        texts = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
        if Path("/proc").is_dir():
            texts += [Path(f"/proc/{host}/{name}").read_bytes() for name in ("cmdline", "environ")]
        assert not [text for text in texts if CANARY.encode() in text]


def test_a_host_gets_of_its_starters_environment_only_what_it_needs() -> None:
    own = {
        "HOME": "/home/me", "PATH": "/bin", "Lc_All": "C", "CONNOTE_HOST_TCP": "1", "PYTHONPATH": "x",
        "CHROMA_SERVER_HOST": "x", "IS_PERSISTENT": "x", "GIT_DIR": "x", "AWS_SECRET_ACCESS_KEY": "x", "GH_TOKEN": "x",
        "CONNOTE_EMBED_API_KEY": "x", "PYTHONSTARTUP": "x", "PYTHONINSPECT": "1",
    }  # fmt: skip

    kept = starting.environment(own)

    assert {"HOME", "PATH", "Lc_All", "CONNOTE_HOST_TCP", "PYTHONPATH"} == set(kept)
    assert all(Path(part).is_absolute() for part in kept["PYTHONPATH"].split(os.pathsep))


def test_what_one_client_brought_serves_no_other(root: Path, settings: connote.Settings) -> None:
    embed = EmbedOptions(provider="openai", base_url="http://127.0.0.1:9/v1", api_key=CANARY)
    with connote.open(root, dataclasses.replace(settings, embed=embed)) as mine:
        mine.follow(lambda _: None)
        other = dataclasses.replace(settings, embed=dataclasses.replace(embed, api_key="another"))
        with connote.open(root, other) as theirs:
            # The same endpoint and model are the same index, and each asks with its own key.
            assert mine.status().path == theirs.status().path
    with connote.open(root, settings) as index:
        assert "static" == index.status().model


# The folder for sockets is in a place where every user can write.
@posix
@pytest.mark.parametrize("trap", ["link", "open to all", "file"])
def test_a_folder_that_another_user_may_have_made_is_not_used(
    trap: str, root: Path, settings: connote.Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, elsewhere = tmp_path / "t", tmp_path / "elsewhere"
    temporary.mkdir()
    elsewhere.mkdir(mode=0o700)
    place = temporary / f"connote-{os.getuid()}"
    if trap == "link":
        place.symlink_to(elsewhere)
    elif trap == "file":
        place.write_text("")
    else:
        place.mkdir()
        place.chmod(0o777)
    monkeypatch.setenv("TMPDIR", str(temporary))

    with connote.open(root, settings) as index:
        index.sync()

        assert isinstance(index, LocalIndex)
        assert "no place for a socket" in (index.status().message or "")
        assert str(place) in (index.status().message or "")
    assert [] == list(elsewhere.iterdir())


@posix
def test_a_client_sends_nothing_through_a_folder_that_is_not_its_users(
    root: Path, settings: connote.Settings, note: Callable[[], Note]
) -> None:
    with connote.open(root, settings):
        place = Path((note().address or "").removeprefix("unix:")).parent
        place.chmod(0o755)
        try:
            with pytest.raises(StoreError, match="belong to you alone"):
                Connection(note())
        finally:
            place.chmod(0o700)


def test_a_program_on_the_port_of_a_host_that_is_gone_learns_nothing(folder: Path) -> None:
    heard = b""
    with socket.create_server(("127.0.0.1", 0)) as impostor:

        def answer() -> None:
            nonlocal heard
            connection, _ = impostor.accept()
            with connection:
                heard = connection.recv(65536)
                connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"proof": ""}')

        thread = threading.Thread(target=answer)
        thread.start()
        folder.mkdir(parents=True)
        token = "f" * 64
        write_note(folder, Note(1, "x", "y", f"tcp:{impostor.getsockname()[1]}", token))
        found = read_note(folder)
        assert found is not None
        with pytest.raises(LostError, match="another program"):
            Connection(found)
        thread.join()

    assert heard.startswith(b"GET /v1/health?challenge=")
    assert token.encode() not in heard


def test_garbage_is_refused_and_the_host_goes_on(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path
) -> None:
    with connote.open(root, settings) as index:
        assert isinstance(index, RemoteIndex)
        connection = Connection(note())
        for method, body in (
            ("files", []),
            ("files", {"settings": {}}),
            ("files", {"settings": {**wire.pack_settings(settings), "walk": {"x": 1}}}),
            ("nothing", {"settings": wire.pack_settings(settings)}),
            ("answer", {"settings": wire.pack_settings(settings), "arguments": {"query": {"nonsense": 1}}}),
            ("answer", {"settings": wire.pack_settings(settings)}),
        ):
            (line,) = connection.call(method, body)
            assert "error" in line
        connection.close()

        assert [] == index.files()
