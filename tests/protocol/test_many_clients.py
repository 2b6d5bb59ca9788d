"""Two editors, a shell and a script on one root at once: each sees what the others save, and nothing is lost."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.engine.local import LocalIndex

pytestmark = pytest.mark.usefixtures("hosted")

SECONDS = 60 if os.environ.get("CONNOTE_TEST_FULL") else 10
SEARCH = "workspace/semanticSearch"
FILES = {f"lib/m{n}.py": f"def step_{n}(order):\n    return order.price * {n}\n" for n in range(30)}


class Actor:
    """A client that saves and searches. Each of its saves adds a function to one of its files, and stays."""

    def __init__(
        self,
        name: str,
        root: Path,
        saved: Callable[[Path], Awaitable[None]],
        search: Callable[[str], Awaitable[list[str]]],
    ) -> None:
        self.name = name
        self.acknowledged: list[tuple[str, str]] = []
        """Names of functions and their files, which every search from now on must find."""
        self.searches = 0
        self._root = root
        self._saved = saved
        self.search = search

    async def save(self) -> None:
        number = len(self.acknowledged)
        path = f"src/{self.name}{number % 3}.py"
        function = f"{self.name}_{_word(number)}_marker"
        with (self._root / path).open("a", encoding="utf-8") as file:
            file.write(f"def {function}(value):\n    return value + {number}\n\n\n")
        await self._saved(self._root / path)
        assert path in await self.search(function), f"{self.name} does not see its own {function}"
        self.acknowledged.append((function, path))

    async def look(self, others: list[Actor]) -> None:
        for other in others:
            if other.acknowledged:
                function, path = other.acknowledged[-1]
                self.searches += 1
                assert path in await self.search(function), f"{self.name} does not see {function} of {other.name}"


def _word(number: int) -> str:
    """A word of letters alone, another one for each number."""
    return "".join("qwrtypsdfg"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(number))


def _editor(name: str, root: Path, client: Any) -> Actor:
    async def saved(path: Path) -> None:
        client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    async def search(words: str) -> list[str]:
        return await client.search(words, minScore=0, limit=5)

    return Actor(name, root, saved, search)


def _shell(root: Path) -> Actor:
    async def saved(_: Path) -> None:
        """Nothing to do: a command brings the index up to date by itself."""

    async def search(words: str) -> list[str]:
        command = [sys.executable, "-m", "connote", "search", words, str(root), "--format", "json", "-n", "5"]
        process = await asyncio.create_subprocess_exec(
            *command, "--min-score", "0", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await process.communicate()
        assert (0, b"") == (process.returncode, err)
        return [hit["path"] for hit in json.loads(out)["hits"]]

    return Actor("shell", root, saved, search)


def _script(root: Path, index: connote.Index) -> Actor:
    async def saved(path: Path) -> None:
        await asyncio.to_thread(index.update, path)

    async def search(words: str) -> list[str]:
        hits = await asyncio.to_thread(index.search, words, min_score=0, limit=5)
        return [hit.path for hit in hits]

    return Actor("script", root, saved, search)


async def test_four_clients_edit_and_search_one_root(start, tree, tmp_path: Path) -> None:
    root = tree(FILES)
    (root / "src").mkdir()
    clients = [await start(), await start()]
    for client in clients:
        await client.initialize(root)
    with connote.open(root) as index:
        editors = [_editor(name, root, client) for name, client in zip(("vim", "code"), clients, strict=True)]
        actors = [*editors, _shell(root), _script(root, index)]
        end = time.monotonic() + SECONDS

        async def act(actor: Actor) -> None:
            while time.monotonic() < end:
                await actor.save()
                await actor.look([other for other in actors if other is not actor])

        await asyncio.gather(*map(act, actors))
        for actor in actors:
            print(f"{actor.name}: {len(actor.acknowledged)} saves, {actor.searches} searches for those of others")
            await actor.look(actors)

        _check_content(index, tmp_path / "fresh")
    for client in clients:
        assert "ready" == (await client.ask("connote/status"))["folders"][0]["state"]
        assert b"Traceback" not in client.log
        assert [] == [note for note in client.noted("window/showMessage") if note["type"] <= 2]
    assert min(len(actor.acknowledged) for actor in actors) > 1


def _check_content(index: connote.Index, elsewhere: Path) -> None:
    """No chunk is lost or doubled: a fresh index of the same files is the same one."""
    report = index.sync()
    assert (0, 0, 0, ()) == (report.added, report.changed, report.removed, report.problems)
    fresh = LocalIndex(index.root, dataclasses.replace(index.settings, index_dir=elsewhere))
    fresh.sync()
    assert _content(fresh) == _content(index)
    fresh.close()
    assert "ready" == index.status().state
    (log,) = index.settings.index_dir.glob("*/host.log")
    assert "" == log.read_text()


def _content(index: connote.Index) -> tuple[list[str], int, list[tuple[str, int, str | None, str]]]:
    symbols = sorted((hit.path, hit.line, hit.symbol, hit.text) for hit in index.outline(100_000))
    return index.files(), index.status().chunks, symbols


async def test_an_editor_hears_what_another_client_does(start, tree) -> None:
    root = tree(FILES)
    client = await start()
    await client.initialize(root)
    await client.until(lambda: client.state_of(root)["state"] == "ready")
    assert 30 == client.state_of(root)["files"]
    (root / "new.py").write_text("def zebra_crossing():\n    return 'stripes'\n", encoding="utf-8")
    with connote.open(root) as index:
        index.update("new.py")

    await client.until(lambda: client.state_of(root)["files"] == 31)
    assert ["new.py"] == await client.search("zebra_crossing", limit=1)
