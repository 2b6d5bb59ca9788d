"""The language server answers every request, whatever it looks like."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nimble(begin, own_environment) -> AsyncIterator[Any]:
    """One client for all of these tests."""
    root = own_environment.pop("root")
    client = await begin(**own_environment)
    await client.initialize(root)
    yield client
    await client.close()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("workspace/semanticSearch", None),
        ("workspace/semanticSearch", []),
        ("workspace/semanticSearch", {"limit": 3}),
        ("workspace/semanticSearch", {"query": 5}),
        ("workspace/semanticSearch", {"query": "x", "limit": 0}),
        ("workspace/semanticSearch", {"query": "x", "limit": -1}),
        ("workspace/semanticSearch", {"query": "x", "limit": 1000000}),
        ("workspace/semanticSearch", {"query": " ", "limit": 0}),
        ("workspace/semanticSearch", {"query": "x", "mode": "none"}),
        ("workspace/semanticSearch", {"query": "x", "folders": ["file:///elsewhere"]}),
        ("textDocument/similarCode", None),
        ("textDocument/similarCode", {"textDocument": {"uri": "file:///a.py"}}),
        ("textDocument/similarCode", {"textDocument": 1, "position": 2}),
        ("connote/status", [1]),
        ("workspace/symbol", None),
        ("workspace/symbol", {}),
        ("workspace/symbol", {"query": None}),
        ("workspace/executeCommand", {}),
        ("workspace/executeCommand", {"command": "connote.fly"}),
        ("workspace/executeCommand", {"command": "connote.reindex", "arguments": [7]}),
        ("workspace/executeCommand", {"command": "connote.clear", "arguments": ["file:///elsewhere"]}),
    ],
)
async def test_malformed_params_are_answered(nimble, method: str, params: Any) -> None:
    assert await nimble.error(method, params) == INVALID_PARAMS


async def test_other_malformed_messages_are_answered_too(nimble) -> None:
    assert await nimble.error("connote/fly", {}) == METHOD_NOT_FOUND
    assert await nimble.error("connote/fly") == METHOD_NOT_FOUND
    assert await nimble.error("textDocument/hover", {"nothing": 1}) == METHOD_NOT_FOUND
    for body, code in (
        (b"{", PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"1", INVALID_REQUEST),
    ):
        nimble.unexpected.clear()
        nimble.send_body(body)
        await nimble.until(lambda: nimble.unexpected)
        assert [(None, code)] == [(message["id"], message["error"]["code"]) for message in nimble.unexpected]
    # Notifications have no answer, but must not break anything.
    for method in ("textDocument/didSave", "textDocument/didChange", "workspace/didRenameFiles", "$/cancelRequest"):
        nimble.notify(method, {"nothing": 1})
    nimble.notify("$/cancelRequest", {"id": "nobody"})
    nimble.send({"id": "nobody", "result": 1})
    nimble.send({"id": {}, "error": "none"})

    assert (await nimble.ask("connote/status"))["folders"]


async def test_names_of_requests_may_be_strings(nimble) -> None:
    reply = await nimble.request("connote/status", None, "one")

    assert reply["id"] == "one"
