"""While the language server indexes: it answers, says how far it is, and can be stopped."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("hosted")

SEARCH = "workspace/semanticSearch"
CANCELLED = -32800

EMOJI = 's = "😋😋"; def_marker = 1\n'


def many(count: int) -> dict[str, str]:
    """Files enough that their index takes some seconds."""
    return {f"pkg{n % 20}/module{n}.py": "\n".join(_function(n, k) for k in range(12)) for n in range(count)}


def _function(n: int, k: int) -> str:
    return f'''\
def step_{n}_{k}(order, stock_{k}):
    """Moves order {n * k} to shelf {n + k}."""
    total = order.price_{n} * {k}
    return stock_{k}.put(total, "{n}-{k}")


'''


def progress(client: Any) -> dict[str, list[dict[str, Any]]]:
    """The values of each work-done progress, in order."""
    result: dict[str, list[dict[str, Any]]] = {}
    for note in client.noted("$/progress"):
        result.setdefault(note["token"], []).append(note["value"])
    return result


async def indexing(start, root: Path) -> Any:
    """A client of a server that has indexed a part of its folder."""
    client = await start()
    await client.initialize(root)
    await client.until(lambda: client.state_of(root)["files"] > 0)
    return client


async def test_every_request_is_answered_meanwhile_from_what_is_there(start, tree) -> None:
    root = tree(many(800))
    client = await indexing(start, root)
    result = await client.ask(SEARCH, {"query": "move an order to a shelf", "minScore": 0})
    symbols = await client.ask("workspace/symbol", {"query": ""})
    (status,) = (await client.ask("connote/status"))["folders"]
    blank = await client.ask(SEARCH, {"query": " "})
    place = {"textDocument": {"uri": result["hits"][0]["location"]["uri"]}, "position": {"line": 0, "character": 0}}
    similar = await client.ask("textDocument/similarCode", place)

    assert progress(client)  # it has begun,
    assert not [values for values in progress(client).values() if values[-1]["kind"] == "end"]  # and not ended
    assert result["hits"]
    assert [result["complete"], blank["complete"], similar["complete"]] == [False, False, False]
    assert symbols
    assert status["state"] == "indexing"
    assert status["files"] + status["pending"] > 0


async def test_progress_begins_reports_and_ends(start, tree) -> None:
    root = tree(many(400))
    client = await indexing(start, root)
    await client.settled()
    (values,) = progress(client).values()
    asked = [item["params"]["token"] for item in client.requests if item["method"] == "window/workDoneProgress/create"]
    await client.until(lambda: client.state_of(root)["state"] == "ready")
    states = [note["state"] for note in client.noted("connote/statusChanged")]

    assert asked == list(progress(client))
    assert ["begin", *["report"] * (len(values) - 2), "end"] == [value["kind"] for value in values]
    assert values[0]["cancellable"] is True
    assert "400 of 400 files" in values[-1]["message"]
    assert set(states[:-1]) == {"indexing"}
    assert client.state_of(root)["files"] == 400


# R068
async def test_a_stopped_index_keeps_what_it_has_and_goes_on_when_asked(start, tree) -> None:
    root = tree(many(500))
    client = await indexing(start, root)
    (token,) = progress(client)
    client.notify("window/workDoneProgress/cancel", {"token": token})
    await client.settled()
    (status,) = (await client.ask("connote/status"))["folders"]
    result = await client.ask(SEARCH, {"query": "move an order to a shelf", "minScore": 0, "wait": True})

    assert 0 < status["files"] < 500
    assert result["hits"]
    assert result["complete"] is False
    assert progress(client)[token][-1]["message"].startswith("Stopped")

    (report,) = await client.ask("workspace/executeCommand", {"command": "connote.reindex"})
    assert report["added"] == 500 - status["files"]
    assert (await client.ask(SEARCH, {"query": "move an order"}))["complete"] is True


async def test_a_search_can_wait_for_the_whole_index(start, tree) -> None:
    client = await indexing(start, tree({**many(400), "zz/last.py": "def zebra_crossing():\n    return 'stripes'\n"}))
    result = await client.ask(SEARCH, {"query": "zebra_crossing", "wait": True, "limit": 1})

    assert result["complete"] is True
    assert [hit["path"] for hit in result["hits"]] == ["zz/last.py"]


async def test_a_waiting_search_can_be_cancelled(start, tree) -> None:
    client = await indexing(start, tree(many(400)))
    waiting = client.request(SEARCH, {"query": "zebra", "wait": True}, "the waiting one")
    client.notify("$/cancelRequest", {"id": "the waiting one"})

    assert (await waiting)["error"]["code"] == CANCELLED


# R066, R068
async def test_a_cancelled_reindex_stops(start, tree) -> None:
    root = tree(many(400))
    client = await indexing(start, root)
    await client.settled()
    command = {"command": "connote.reindex", "arguments": [{"rebuild": True}]}
    running = client.request("workspace/executeCommand", command, "reindex")
    await client.until(lambda: len(progress(client)) == 2)
    client.notify("$/cancelRequest", {"id": "reindex"})
    reply = await running
    await client.settled(2)

    assert reply["error"]["code"] == CANCELLED
    assert list(progress(client).values())[1][-1]["message"].startswith("Stopped")


async def test_a_save_while_it_indexes_shows_in_the_next_search(start, tree) -> None:
    root = tree(many(800))
    client = await indexing(start, root)
    tree({"zz/last.py": "def zebra_crossing():\n    return 'stripes'\n"})
    client.notify("textDocument/didSave", {"textDocument": {"uri": (root / "zz/last.py").as_uri()}})
    result = await client.ask(SEARCH, {"query": "zebra_crossing", "limit": 1})

    assert result["complete"] is False
    assert [hit["path"] for hit in result["hits"]] == ["zz/last.py"]


async def test_a_cleared_index_is_empty_until_it_is_asked_for(start, tree) -> None:
    root = tree({"a.py": "def zebra_crossing():\n    return 'stripes'\n"})
    client = await start()
    await client.initialize(root)
    await client.settled()
    assert await client.ask("workspace/executeCommand", {"command": "connote.clear", "arguments": []}) is None
    client.notify("textDocument/didSave", {"textDocument": {"uri": (root / "a.py").as_uri()}})
    (status,) = (await client.ask("connote/status"))["folders"]

    assert await client.search("zebra_crossing", minScore=0) == []
    assert status["files"] == 0
    assert "connote.reindex" in status["message"]

    (report,) = await client.ask(
        "workspace/executeCommand", {"command": "connote.reindex", "arguments": [root.as_uri()]}
    )
    assert (report["folder"], report["added"]) == (root.as_uri(), 1)
    assert await client.search("zebra_crossing", minScore=0) == ["a.py"]


# R063
@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 16), ("utf-16", 12), ("utf-32", 10)])
async def test_columns_count_as_the_client_counts(start, tree, encoding: str, column: int) -> None:
    root = tree({"a.py": EMOJI, "b.py": "\ufeffdef_first = 1\r\n" + EMOJI.replace("def_marker", "def_second")})
    client = await start()
    await client.initialize(root, capabilities={"general": {"positionEncodings": [encoding]}})
    for name, line, start_column in (("def_marker", 0, column), ("def_second", 1, column), ("def_first", 0, 0)):
        params = {"query": name, "definitionsOnly": True, "minScore": 0, "wait": True}
        hits = (await client.ask(SEARCH, params))["hits"]
        (hit,) = [hit for hit in hits if hit["name"] == name]
        assert hit["selectionRange"] == {
            "start": {"line": line, "character": start_column},
            "end": {"line": line, "character": start_column + len(name)},
        }


# R074
@pytest.mark.skipif(
    sys.platform != "linux", reason="there is no /proc to count threads in: not shown that folders cost few"
)
async def test_many_folders_cost_few_threads(start, tmp_path) -> None:
    roots = [tmp_path / f"root{n}" for n in range(8)]
    for n, root in enumerate(roots):
        root.mkdir()
        (root / "a.py").write_text(f"def zebra_{n}():\n    return {n}\n")
    client = await start()
    await client.initialize(*roots)
    await client.settled(8)
    status = (await client.ask("connote/status"))["folders"]
    await client.until_true(lambda: _figures(client.process.pid)["Threads"] <= 25)
    print(_figures(client.process.pid))

    assert {folder["state"] for folder in status} == {"ready"}
    assert (await client.search("zebra_5", minScore=0, limit=1)) == ["a.py"]


# R064
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc to list processes in: not shown that work ends")
async def test_no_work_for_it_outlives_it(start, tree) -> None:
    client = await indexing(start, tree(many(800)))
    host = _host()
    await client.until_true(lambda: _cutting(host))
    client.process.kill()
    await client.process.wait()

    # The host lives on, and so may its Chroma, but it works no more for who is gone.
    await client.until_true(lambda: not _cutting(host))


def _host() -> int:
    """The one host that runs."""
    (note,) = Path(os.environ["CONNOTE_INDEX_DIR"]).glob("*/host.json")
    pid: int = json.loads(note.read_text())["pid"]
    return pid


def _cutting(host: int) -> list[str]:
    """The host's processes that cut files."""
    children = [child for task in Path(f"/proc/{host}/task").glob("*/children") for child in task.read_text().split()]
    return [child for child in children if b"connote.sync.worker" in _command(child)]


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


def _figures(pid: int) -> dict[str, int]:
    """Threads, and resident memory in kB."""
    lines = (line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(value.split()[0]) for name, value in lines if name in ("Threads", "VmRSS")}
