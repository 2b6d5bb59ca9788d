"""What happens to documents, files and folders shows in the next search. One server: each test opens folders in it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

pytestmark = pytest.mark.asyncio(loop_scope="module")

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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(begin, own_environment) -> AsyncIterator[Any]:
    del own_environment["root"]
    client = await begin(**own_environment)
    await client.initialize()
    yield client
    await client.close()


@pytest_asyncio.fixture(loop_scope="module")
async def opened(server) -> AsyncIterator[Callable[..., Awaitable[Any]]]:
    """A function that opens folders (paths or URIs) in the server, waits until they are indexed, returns the client."""
    folders = []

    async def open_folders(*roots: Path | str) -> Any:
        uris = [root if isinstance(root, str) else root.as_uri() for root in roots]
        folders.extend({"uri": uri, "name": uri} for uri in uris)
        server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folders, "removed": []}})
        for uri in uris:
            await server.until(lambda uri=uri: server.state_of(uri)["state"] == "ready")
        return server

    yield open_folders
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders}})


def uri(root: Path, path: str) -> str:
    return (root / path).as_uri()


def document(root: Path, path: str) -> dict[str, Any]:
    text = (root / path).read_text()
    return {"textDocument": {"uri": uri(root, path), "languageId": "python", "version": 1, "text": text}}


def change(root: Path, path: str, line: int, text: str, version: int = 2) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {
        "textDocument": {"uri": uri(root, path), "version": version},
        "contentChanges": [{"range": {"start": place, "end": place}, "text": text}],
    }


def lines(hit: dict[str, Any]) -> tuple[int, int]:
    span = hit["location"]["range"]
    return span["start"]["line"], span["end"]["line"]


async def test_a_save_shows_in_the_next_search(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    (root / "src/limits.py").write_text(QUOTA + "\n\n" + RETRY)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri(root, "src/limits.py")}})
    result = await client.ask(SEARCH, {"query": "try a failing upload again", "limit": 1, "definitionsOnly": True})

    assert [(hit["name"], hit["path"]) for hit in result["hits"]] == [("again", "src/limits.py")]


async def test_a_new_file_shows_in_the_next_search(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    tree({"src/retry.py": RETRY})
    client.notify("workspace/didCreateFiles", {"files": [{"uri": uri(root, "src/retry.py")}]})

    assert (await client.search("try a failing upload again"))[0] == "src/retry.py"


async def test_a_file_from_outside_the_editor_shows_in_the_next_search(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    registered = [
        item["method"] for note in client.requests for item in (note["params"] or {}).get("registrations", ())
    ]
    tree({"src/retry.py": RETRY})
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(root, "src/retry.py"), "type": 1}]})

    assert "workspace/didChangeWatchedFiles" in registered
    assert (await client.search("try a failing upload again"))[0] == "src/retry.py"


async def test_opening_a_document_checks_that_its_file_is_indexed(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    tree({"src/retry.py": RETRY})
    client.notify("textDocument/didOpen", document(root, "src/retry.py"))

    assert (await client.search("try a failing upload again"))[0] == "src/retry.py"


# Edge case 60
async def test_a_renamed_file_is_found_at_its_new_place_alone(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    (root / "src/limits.py").rename(root / "src/quota.py")
    names = {"oldUri": uri(root, "src/limits.py"), "newUri": uri(root, "src/quota.py")}
    client.notify("workspace/didRenameFiles", {"files": [names]})
    found = await client.search("may a user send more messages")

    assert found[0] == "src/quota.py"
    assert "src/limits.py" not in found


async def test_a_renamed_folder_takes_its_files_along(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    (root / "src/auth").rename(root / "src/login")
    names = {"oldUri": uri(root, "src/auth"), "newUri": uri(root, "src/login")}
    client.notify("workspace/didRenameFiles", {"files": [names]})
    found = await client.search("hashed passwords")

    assert found[0] == "src/login/tokens.py"
    assert "src/auth/tokens.py" not in found


async def test_a_deleted_file_is_gone_though_its_buffer_is_open(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    (root / "src/limits.py").unlink()
    client.notify("workspace/didDeleteFiles", {"files": [{"uri": uri(root, "src/limits.py")}]})

    assert "src/limits.py" not in await client.search("may a user send more messages", minScore=0)


async def test_a_deleted_folder_is_one_event(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    (root / "src/auth/tokens.py").unlink()
    (root / "src/auth").rmdir()
    client.notify("workspace/didDeleteFiles", {"files": [{"uri": uri(root, "src/auth")}]})

    assert "src/auth/tokens.py" not in await client.search("hashed passwords", minScore=0)


async def test_hundreds_of_changes_at_once_show(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    paths = [f"gen/f{n}.py" for n in range(300)]
    tree({path: f"value_{n} = {n}\n" for n, path in enumerate(paths)})
    changes = [{"uri": uri(root, path), "type": 1} for path in paths]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    await client.until(lambda: client.state_of(root)["files"] == 302)

    assert await client.search("value_123", limit=1, minScore=0, folders=[root.as_uri()]) == ["gen/f123.py"]


# R076
async def test_a_checkout_that_nobody_reports_shows_in_the_next_search(opened, tree, needs) -> None:
    needs("git", "a checkout is seen by the next search")
    root = tree(FILES)
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    _git(root, "checkout", "-q", "-b", "other")
    (root / "src/limits.py").unlink()
    tree({"src/retry.py": RETRY})
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "two")
    client = await opened(root)
    only = {"minScore": 0, "folders": [root.as_uri()]}
    assert "src/retry.py" in await client.search("try a failing upload again", **only)

    _git(root, "checkout", "-q", "-")
    found = await client.search("try a failing upload again", **only)

    assert "src/retry.py" not in found
    assert "src/limits.py" in found


def _git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True)


async def test_hits_move_with_the_edits_of_an_open_document(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    client.notify("textDocument/didChange", change(root, "src/limits.py", 0, "import os\n\n\n"))
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1}))["hits"]

    assert (lines(hit), hit["selectionRange"]["start"]["line"], hit["stale"]) == ((3, 5), 3, False)

    # Back to the saved text: nothing is moved.
    undo = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}, "text": ""}
    client.notify("textDocument/didChange", {**change(root, "src/limits.py", 0, ""), "contentChanges": [undo]})
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1}))["hits"]

    assert (lines(hit), hit["stale"]) == ((0, 2), False)


async def test_a_hit_whose_own_lines_changed_is_stale(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    client.notify("textDocument/didChange", change(root, "src/limits.py", 2, "    audit(user)\n"))
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1}))["hits"]

    assert hit["stale"] is True

    client.notify("textDocument/didClose", {"textDocument": {"uri": uri(root, "src/limits.py")}})
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1}))["hits"]

    assert (lines(hit), hit["stale"]) == ((0, 2), False)


async def test_definitions_of_an_open_document_are_where_they_stand(opened, tree) -> None:
    root = tree({"src/store.py": STORE + "\n\n" + QUOTA})  # one chunk with several definitions
    client = await opened(root)
    question = {"query": "verify passwords", "definitionsOnly": True, "minScore": 0}
    places = {hit["name"]: lines(hit) for hit in (await client.ask(SEARCH, question))["hits"]}
    client.notify("textDocument/didOpen", document(root, "src/store.py"))
    client.notify("textDocument/didChange", change(root, "src/store.py", 0, "import os\n"))
    hits = (await client.ask(SEARCH, question))["hits"]

    assert {"TokenStore": (0, 4), "verify": (3, 4), "check_quota": (7, 9)} == places
    assert {name: (first + 1, last + 1) for name, (first, last) in places.items()} == {
        hit["name"]: lines(hit) for hit in hits
    }
    assert [hit["stale"] for hit in hits] == [False, False, False]


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"),
    reason="Windows has no pipes in folders: not shown that lines stay when a document closes",
)
async def test_a_document_that_is_closed_during_a_search_keeps_its_lines(opened, tree) -> None:
    root = tree({"src/limits.py": "\n\n" + QUOTA, "src/tokens.py": STORE})
    client = await opened(root)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    slow = root / "src" / "tokens.py"
    slow.unlink()
    os.mkfifo(slow)
    searching = client.request(SEARCH, {"query": "may a user send more messages or verify passwords", "minScore": 0})
    with await asyncio.get_running_loop().run_in_executor(None, slow.open, "wb") as pipe:  # it is being read now
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri(root, "src/limits.py")}})
        await client.ask("connote/status")  # what was sent before it has been done
        pipe.write(STORE.encode())
    hits = {hit["path"]: hit for hit in (await searching)["result"]["hits"]}

    assert (lines(hits["src/limits.py"]), hits["src/limits.py"]["stale"]) == ((2, 4), False)


@pytest.mark.skipif(
    sys.platform == "win32", reason="links need a privilege on Windows: not shown that a document is known by them"
)
async def test_a_document_is_known_by_links_too(opened, tree, tmp_path) -> None:
    root = tree(FILES)
    link = tmp_path / "link"
    link.symlink_to(root)
    client = await opened(link)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    client.notify("textDocument/didChange", change(root, "src/limits.py", 0, "import os\n"))
    question = {"query": "may a user send more messages", "limit": 1, "minScore": 0, "folders": [link.as_uri()]}
    (hit,) = (await client.ask(SEARCH, question))["hits"]

    assert (hit["folder"], hit["location"]["uri"]) == (link.as_uri(), uri(root, "src/limits.py"))
    assert lines(hit) == (1, 3)


async def test_similar_code_follows_the_edits_of_an_open_document(opened, tree) -> None:
    root = tree({**FILES, "src/more.py": QUOTA.replace("check_quota", "allowed")})
    client = await opened(root)
    client.notify("textDocument/didOpen", document(root, "src/limits.py"))
    client.notify("textDocument/didChange", change(root, "src/limits.py", 0, STORE))
    place = {"textDocument": {"uri": uri(root, "src/limits.py")}, "position": {"line": 6, "character": 4}}
    result = await client.ask("textDocument/similarCode", place)

    assert result["hits"][0]["path"] == "src/more.py"


# R071, edge case 58
async def test_folders_come_and_go(opened, tmp_path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for folder, text in ((one, QUOTA), (two, STORE), (three, RETRY)):
        (folder / "src").mkdir(parents=True)
        (folder / "src/main.py").write_text(text)
    client = await opened(one, two)
    (hit,) = (await client.ask(SEARCH, {"query": "hashed passwords", "limit": 1, "minScore": 0}))["hits"]
    assert (two.as_uri(), uri(two, "src/main.py")) == (hit["folder"], hit["location"]["uri"])

    event = {
        "added": [{"uri": three.as_uri(), "name": "three"}],
        "removed": [{"uri": one.as_uri(), "name": "one"}],
    }
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await client.until(lambda: client.state_of(three)["state"] == "ready")
    (hit,) = (await client.ask(SEARCH, {"query": "try a failing upload again", "limit": 1, "minScore": 0}))["hits"]
    assert hit["folder"] == three.as_uri()
    result = await client.ask(SEARCH, {"query": "may a user send more messages", "minScore": 0})
    assert one.as_uri() not in {hit["folder"] for hit in result["hits"]}
    assert result["complete"] is True
    chosen = await client.ask(SEARCH, {"query": "hashed passwords", "minScore": 0, "folders": [three.as_uri()]})
    assert {hit["folder"] for hit in chosen["hits"]} == {three.as_uri()}
    event = {"added": [], "removed": event["added"]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


# Edge case 58
@pytest.mark.parametrize("outer_first", [True, False])
async def test_a_file_in_two_folders_is_found_once_in_the_inner_one(opened, tree, outer_first: bool) -> None:
    root = tree({**FILES, "packages/api/limits.py": QUOTA.replace("check_quota", "check_limit")})
    inner = root / "packages/api"
    client = await opened(*([root, inner] if outer_first else [inner, root]))
    result = await client.ask(SEARCH, {"query": "may a user send more messages"})
    found = [(hit["folder"], hit["path"]) for hit in result["hits"]]

    assert (inner.as_uri(), "limits.py") in found
    assert (root.as_uri(), "src/limits.py") in found
    assert len({hit["location"]["uri"] for hit in result["hits"]}) == len(
        {hit["location"]["uri"] + hit["name"] for hit in result["hits"]}
    )
    assert (root.as_uri(), "packages/api/limits.py") not in found


# Edge case 59
async def test_uris_are_spelled_as_the_editor_does(opened, tmp_path) -> None:
    root = tmp_path / "my prøject"
    root.mkdir()
    (root / "a b#.py").write_text(QUOTA)
    spelled = root.as_uri().replace("%C3%B8", "%c3%b8") + "/"
    client = await opened(spelled)
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1, "minScore": 0}))["hits"]

    assert (spelled, spelled + "a%20b%23.py") == (hit["folder"], hit["location"]["uri"])

    odd = spelled + "%61%20b%23.py"
    client.notify(
        "textDocument/didOpen", {"textDocument": {"uri": odd, "languageId": "python", "version": 1, "text": QUOTA}}
    )
    (hit,) = (await client.ask(SEARCH, {"query": "may a user send more messages", "limit": 1, "minScore": 0}))["hits"]

    assert odd == hit["location"]["uri"]


# Edge cases 59 and 60
async def test_what_is_not_in_a_folder_is_ignored_without_noise(opened, tree, tmp_path) -> None:
    root = tree(FILES)
    client = await opened(root)
    before = client.log, client.noted("window/showMessage")
    (tmp_path / "outside.py").write_text(RETRY)
    for name in ("untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#x", "git:/a.py", uri(tmp_path, "outside.py")):
        client.notify(
            "textDocument/didOpen", {"textDocument": {"uri": name, "languageId": "python", "version": 1, "text": RETRY}}
        )
        client.notify(
            "textDocument/didChange", {"textDocument": {"uri": name, "version": 2}, "contentChanges": [{"text": STORE}]}
        )
        client.notify("textDocument/didSave", {"textDocument": {"uri": name}})
        client.notify("workspace/didDeleteFiles", {"files": [{"uri": name}]})
        client.notify("workspace/didRenameFiles", {"files": [{"oldUri": name, "newUri": name}]})
        client.notify("textDocument/didClose", {"textDocument": {"uri": name}})
        place = {"textDocument": {"uri": name}, "position": {"line": 0, "character": 0}}
        assert (await client.ask("textDocument/similarCode", place))["hits"] == []

    assert set(await client.search("try a failing upload again", minScore=0, folders=[root.as_uri()])) <= set(FILES)
    assert before == (client.log, client.noted("window/showMessage"))


async def test_a_file_that_becomes_ignored_is_not_found(opened, tree) -> None:
    root = tree(FILES)
    client = await opened(root)
    tree({".connoteignore": "auth/\n"})
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(root, ".connoteignore"), "type": 1}]})

    assert "src/auth/tokens.py" not in await client.search("hashed passwords", minScore=0)
