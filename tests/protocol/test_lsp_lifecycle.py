"""The language server's beginning and end, and what it answers to messages that no proper client sends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import connote

pytestmark = pytest.mark.usefixtures("hosted")

INVALID_REQUEST = -32600
NOT_INITIALIZED = -32002
SLOW = ("chromadb", "httpx", "numpy", "onnxruntime", "openai", "pathspec", "starlette", "tree_sitter", "watchfiles")

FILES = {
    "src/limits.py": 'def check_quota(user):\n    """Whether a user may send more."""\n    return user.sent < 10\n'
}


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


@pytest.fixture(scope="module")
def bare_import() -> float:
    """How long a new process takes to import pygls, in seconds."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pygls.lsp.server"], check=True)
    return time.perf_counter() - begin


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until its input ends."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


# R122: a client cannot tell that it talks to another version of the server than it thinks.
async def test_what_it_says_of_itself(start, tree) -> None:
    client = await start()
    result = await client.initialize(tree(FILES))
    can = result["capabilities"]

    assert result["serverInfo"] == {"name": "connote", "version": connote.__version__}
    assert can["experimental"] == {"semanticSearchProvider": {"version": 1}}
    assert can["workspaceSymbolProvider"]
    assert can["executeCommandProvider"]["commands"] == ["connote.reindex", "connote.clear", "connote.status"]
    assert can["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    assert can["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": False}}
    for operation in ("didCreate", "didRename", "didDelete"):
        filters = can["workspace"]["fileOperations"][operation]["filters"]
        assert [item["pattern"]["matches"] for item in filters] == ["file", "folder"]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(None, "utf-16"), (["utf-8", "utf-16"], "utf-8"), (["utf-32", "utf-8"], "utf-32"), (["utf-7"], "utf-16")],
)
async def test_the_client_chooses_how_columns_count(start, offered: Any, chosen: str) -> None:
    client = await start()
    result = await client.initialize(capabilities={"general": {"positionEncodings": offered}})

    assert chosen == result["capabilities"]["positionEncoding"]


# R111: indexing blocks the start. What takes long to load is loaded after the answer; times are only printed.
async def test_initialize_waits_for_nothing_that_is_slow_to_load(start, tree, bare_import: float) -> None:
    begin = time.perf_counter()
    client = await start()
    await client.initialize(tree(FILES))
    answered = time.perf_counter() - begin
    print(f"bare import of pygls {bare_import:.2f} s, initialize answered after {answered:.2f} s")
    code = f"import sys, connote.faces.lsp.server; print([name for name in {SLOW} if name in sys.modules])"
    run = asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (await run).stdout.strip() == "[]"


async def test_shutdown_and_exit_end_it_at_once_with_0_even_while_it_indexes(start, tree) -> None:
    client = await start()
    await client.initialize(tree(many(400)))
    await client.until(lambda: client.noted("connote/statusChanged"))
    assert await client.ask("shutdown") is None
    client.notify("exit")
    begin = time.perf_counter()

    assert await client.exit_code() == 0
    print(f"ended after {time.perf_counter() - begin:.2f} s")


async def test_what_was_indexed_before_the_end_is_there_after_it(start, tree) -> None:
    root = tree(many(150))
    client = await start()
    await client.initialize(root)
    await client.until(lambda: any(note["files"] > 20 for note in client.noted("connote/statusChanged")))
    await client.ask("shutdown")
    client.notify("exit")
    await client.exit_code()
    again = await start()
    await again.initialize(root)
    result = await again.ask("workspace/executeCommand", {"command": "connote.reindex"})
    status = await again.ask("connote/status")

    assert result[0]["cancelled"] is False
    assert status["folders"][0]["files"] == 150
    assert status["folders"][0]["state"] == "ready"


async def test_exit_alone_ends_it_with_1(start) -> None:
    client = await start()
    await client.initialize()
    client.notify("exit")

    assert await client.exit_code() == 1


# R064
async def test_the_end_of_input_ends_it_even_while_it_indexes(start, tree) -> None:
    client = await start()
    await client.initialize(tree(many(400)))
    await client.until(lambda: client.noted("connote/statusChanged"))
    client.process.stdin.close()

    assert await client.exit_code() == 1


async def test_the_end_of_input_before_initialize_ends_it(start) -> None:
    client = await start()
    client.process.stdin.close()

    assert await client.exit_code() == 1


# R064
@pytest.mark.parametrize("by_flag", [True, False])
async def test_it_ends_when_its_client_is_gone(start, bystander, by_flag: bool) -> None:
    client = await start(*([f"--clientProcessId={bystander.pid}"] if by_flag else []), "--stdio")
    await client.initialize(**({} if by_flag else {"processId": bystander.pid}))
    bystander.communicate(b"\n")

    assert await client.exit_code() == 1


async def test_a_client_of_another_machine_is_not_watched(start, tree, bystander) -> None:
    bystander.communicate(b"\n")
    client = await start()
    await client.initialize(tree(FILES), processId=bystander.pid)
    await client.settled()

    assert (await client.ask("connote/status"))["folders"][0]["state"] == "ready"


@pytest.mark.skipif(
    os.name == "nt", reason="Windows sends no SIGINT to one process: not shown that an interrupt ends the server"
)
async def test_an_interrupt_ends_it(start) -> None:
    client = await start()
    await client.initialize()
    client.process.send_signal(signal.SIGINT)

    assert await client.exit_code() == 130


async def test_requests_at_the_wrong_time(start) -> None:
    client = await start()
    assert await client.error("connote/status") == NOT_INITIALIZED
    assert await client.error("workspace/symbol", {"query": ""}) == NOT_INITIALIZED
    client.notify("initialized", {})  # nobody answers, nothing breaks
    await client.initialize()
    assert await client.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}}) == INVALID_REQUEST
    await client.ask("shutdown")
    assert await client.error("connote/status") == INVALID_REQUEST
    assert await client.error("shutdown") == INVALID_REQUEST
    client.notify("exit")

    assert await client.exit_code() == 0


async def test_nothing_but_messages_is_on_standard_output(start, tree) -> None:
    client = await start(command=[sys.executable, "-c", _NOISY], PYTHONUNBUFFERED="1")
    await client.initialize(tree(FILES))

    await client.until(lambda: b"a child read" in client.log)
    assert (await client.ask("connote/status"))["folders"]
    assert b"a line from a library" in client.log
    assert b"a line from C" in client.log


_NOISY = """
import os, subprocess, sys, threading, time
from connote.faces import lsp

def noise():
    while sys.stdout is not sys.stderr:
        time.sleep(0.001)
    print("a line from a library", flush=True)
    os.write(1, b"a line from C\\n")
    subprocess.run([sys.executable, "-c", "import sys; print('a child read', sys.stdin.read())"])

threading.Thread(target=noise, daemon=True).start()
lsp.main([])
"""


@pytest.mark.skipif(
    os.name == "nt", reason="Windows has no sh to close a stream: not shown that the server works without one"
)
async def test_it_works_without_standard_error(start, tree) -> None:
    client = await start(command=["sh", "-c", 'exec "$0" -m connote lsp 2>&-', sys.executable])
    await client.initialize(tree(FILES))

    assert "src/limits.py" in await client.search("check_quota", wait=True, minScore=0)


async def test_a_word_that_is_no_option_is_an_error(start) -> None:
    client = await start("--tcp")

    assert await client.exit_code() == 2
    assert b"--tcp" in client.log
