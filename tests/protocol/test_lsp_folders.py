"""The language server's folders and settings: what is indexed of which, and what is said of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

QUOTA = '''\
def check_quota(user):
    """Whether a user may send more messages today."""
    return user.sent < 10
'''
STORE = '''\
class TokenStore:
    """Keeps hashed passwords."""

    def verify(self, name, secret):
        return hash(secret) == self.table[name]
'''
RETRY = '''\
def again(call):
    """Tries a failing upload again with growing pauses."""
    for pause in (1, 2, 4):
        sleep(pause)
        call()
'''
FILES = {"src/limits.py": QUOTA, "src/auth/tokens.py": STORE}

SEARCH = "workspace/semanticSearch"


async def opened(start, root: Path | str, *more: Path | str, **options: Any) -> Any:
    """A client of a server that has indexed its folders."""
    client = await start(**options)
    await client.initialize(root, *more)
    await client.settled(1 + len(more))
    return client


def uri(root: Path, path: str) -> str:
    return (root / path).as_uri()


# R070, R078
@pytest.mark.parametrize("params", [{"workspaceFolders": None}, {"workspaceFolders": []}])
async def test_without_a_folder_it_says_so(start, params: dict[str, Any]) -> None:
    client = await start()
    await client.initialize(**params)
    status = await client.ask("connote/status")
    result = await client.ask(SEARCH, {"query": "anything"})

    assert status["folders"] == []
    assert status["message"].startswith("No folder is open")
    assert result["hits"] == []
    assert result["message"].startswith("No folder is open")
    assert await client.ask("workspace/symbol", {"query": "anything"}) == []
    assert client.noted("window/showMessage") == []


# R070
@pytest.mark.parametrize("place", ["home", "/"])
async def test_the_home_folder_and_all_above_it_are_refused(start, place: str) -> None:
    root = Path(os.environ["HOME"]) if place == "home" else Path(Path.home().anchor)
    client = await start()
    await client.initialize(root)
    (message,) = await client.until(lambda: client.noted("window/showMessage"))
    status = (await client.ask("connote/status"))["folders"][0]
    result = await client.ask(SEARCH, {"query": "anything", "wait": True})

    assert "does not index it" in message["message"]
    assert ("error", message["message"], 0) == (status["state"], status["message"], status["files"])
    assert result["hits"] == []


async def test_a_root_that_is_not_there_is_an_error_in_the_status(start, tmp_path) -> None:
    client = await start()
    await client.initialize(tmp_path / "nowhere")
    await client.until(lambda: client.noted("window/showMessage"))
    (status,) = (await client.ask("connote/status"))["folders"]

    assert status["state"] == "error"
    assert status["message"]
    assert await client.search("anything", wait=True) == []


async def test_old_clients_name_their_root_alone(start, tree) -> None:
    root = tree(FILES)
    client = await start()
    await client.initialize(workspaceFolders=None, rootUri=root.as_uri(), capabilities={})

    assert "src/limits.py" in await client.search("may a user send more messages", wait=True)
    assert client.noted("$/progress") == []
    assert client.requests == []


async def test_settings_are_asked_for_again_when_they_change(start, tree) -> None:
    root = tree(FILES)
    client = await start()
    client.replies["workspace/configuration"] = lambda params: [
        {"walk": {"max_bytes": 100_000}} for _ in params["items"]
    ]
    await client.initialize(root)
    await client.settled()
    assert (await client.ask("connote/status"))["folders"][0]["files"] == 2

    client.replies["workspace/configuration"] = lambda params: [{"walk": {"max_bytes": 120}} for _ in params["items"]]
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await client.settled(2)

    assert (await client.ask("connote/status"))["folders"][0]["files"] == sum(
        len(text) <= 120 for text in FILES.values()
    )


async def test_what_a_client_calls_the_workspaces_counts_as_a_projects(start, tree) -> None:
    root = tree(FILES)
    client = await start(CONNOTE_WALK_MAX_BYTES="100000")
    hostile = {"walk.max_bytes": 1, "embed.provider": "openai", "embed.base_url": "http://127.0.0.1:9/v1"}
    client.replies["workspace/configuration"] = lambda params: [{"workspace": hostile} for _ in params["items"]]
    await client.initialize(root)
    await client.settled()
    (status,) = (await client.ask("connote/status"))["folders"]

    # The environment is the user's and wins; where data goes, a workspace cannot say at all.
    assert (2, "ready", "static") == (status["files"], status["state"], status["model"].split("-")[0])
    told = [message["message"] for message in client.noted("window/showMessage")]
    assert ["only you may set it" in message for message in told] == [True, True]


async def test_a_bad_setting_is_said_once_and_stops_nothing(start, tree) -> None:
    client = await start()
    await client.initialize(tree(FILES), initializationOptions={"connote": {"walk": {"max_byte": 1}}})
    await client.settled()
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    assert await client.search("may a user send more messages")
    (message,) = client.noted("window/showMessage")

    assert "max_byte" in message["message"]


async def test_changes_that_nobody_reports_are_found_by_the_regular_check(start, tree) -> None:
    root = tree(FILES)
    client = await start(CONNOTE_SERVER_RESYNC_SECONDS="1")
    await client.initialize(root)
    await client.settled()
    tree({"src/retry.py": RETRY})
    await client.until(lambda: client.noted("connote/statusChanged")[-1]["files"] == 3)

    assert (await client.search("try a failing upload again"))[0] == "src/retry.py"
