"""What the language server finds: one server for all of these questions, asked by pytest-lsp's client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {
    "src/limits.py": '''\
"""Who may do how much."""

from clock import today


class Limiter:
    """Counts what users send."""

    # No more than this many a day.
    @cached
    def check_quota(self, user):
        """Whether a user may send more messages today."""
        return self.sent[user, today()] < 10


def reset_quota(user):
    """Forgets what a user has sent."""
    user.sent = 0
''',
    "src/emoji.py": 's = "😋😋"; def_marker = 1\n\n\ndef smileys(text): return text.count("😋")\n',
    "src/auth/tokens.py": '''\
class TokenStore:
    """Keeps hashed passwords."""

    def verify_password(self, name, secret):
        return hash(secret) == self.table[name]
''',
    "web/retry.ts": """\
/** Sends a failing upload again, with growing pauses. */
export async function sendAgain(upload: Upload): Promise<void> {
  for (const pause of [1, 2, 4]) { await sleep(pause); if (await upload.send()) return; }
}
""",
    "tests/test_limits.py": "def test_check_quota():\n    assert Limiter().check_quota('me')\n",
    "README.md": "# Shop\n\nHow to install the shop on a new machine, step by step.\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(project: str, own_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    # Not by pytest_lsp.fixture: its server's environment is that of the import.
    config = ClientServerConfig(
        server_command=[sys.executable, "-m", "connote", "lsp"], server_env={**os.environ, **own_environment}
    )
    client = await config.start()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        """pytest-lsp has no handler of its own."""

    folder = types.WorkspaceFolder(uri=Path(project).as_uri(), name="shop")
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=[folder]))
    yield client
    await client.shutdown_session()
    await client.stop()


@pytest.fixture(scope="module")
def project(own_environment: dict[str, str]) -> str:
    root = Path(own_environment["root"])
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return str(root)


async def search(client: LanguageClient, query: str, **params: Any) -> Any:
    return await ask(client, "workspace/semanticSearch", {"query": query, "wait": True, **params})


async def ask(client: LanguageClient, method: str, params: Any = None) -> Any:
    return await client.protocol.send_request_async(method, params)


def span(found: Any) -> str:
    return f"{found.start.line}:{found.start.character}-{found.end.line}:{found.end.character}"


async def test_a_question_finds_the_code_that_answers_it(client: LanguageClient, project: str) -> None:
    result = await search(client, "may this user send more messages", limit=3)
    hit = result.hits[0]

    assert (result.complete, result.relaxed) == (True, False)
    assert (hit.path, hit.language, hit.stale) == ("src/limits.py", "python", False)
    assert hit.folder == Path(project).as_uri()
    assert hit.location.uri == (Path(project) / "src/limits.py").as_uri()
    assert 0 < hit.score <= 1
    assert "check_quota" in hit.preview
    assert not hasattr(hit, "signals")


async def test_definitions_have_their_full_range_and_the_place_of_their_name(client: LanguageClient) -> None:
    result = await search(client, "may this user send more messages", definitionsOnly=True)
    hit = next(hit for hit in result.hits if hit.name == "check_quota")

    assert (hit.kind, hit.containerName) == (types.SymbolKind.Method, "Limiter")
    assert span(hit.location.range) == "8:4-12:44"
    assert span(hit.selectionRange) == "10:8-10:19"
    assert len(
        {(hit.path, hit.name, hit.containerName if hasattr(hit, "containerName") else None) for hit in result.hits}
    ) == len(result.hits)


async def test_signals_sum_to_the_score(client: LanguageClient) -> None:
    result = await search(client, "may this user send more messages", why=True)

    assert sum(signal.amount for signal in result.hits[0].signals) == pytest.approx(result.hits[0].score, abs=1e-6)


# Edge case 62
@pytest.mark.parametrize("query", ["", "  \n\t "])
async def test_a_blank_query_finds_nothing(client: LanguageClient, query: str) -> None:
    result = await search(client, query)

    assert (result.hits, result.complete) == ([], True)


# Edge case 62
@pytest.mark.parametrize("query", ["😋", "x" * 100_000, "def f(x):\n    return x[0] ** 2", "a AND (b OR", '"', "\0"])
async def test_odd_queries_have_a_result(client: LanguageClient, query: str) -> None:
    assert isinstance((await search(client, query)).hits, list)


@pytest.mark.parametrize(
    ("params", "paths"),
    [
        ({"include": ["*.ts"]}, {"web/retry.ts"}),
        ({"include": ["src/**"], "exclude": ["**/limits.py"]}, {"src/emoji.py", "src/auth/tokens.py"}),
        ({"languages": ["typescript"]}, {"web/retry.ts"}),
        ({"languages": ["ts"]}, {"web/retry.ts"}),
        ({"kinds": ["class"], "definitionsOnly": True}, {"src/limits.py", "src/auth/tokens.py"}),
        ({"include": ["*.go"]}, set()),
    ],
)
async def test_filters(client: LanguageClient, params: dict[str, Any], paths: set[str]) -> None:
    result = await search(client, "send an upload again, check a password", minScore=0, **params)

    assert {hit.path for hit in result.hits} <= paths
    assert bool(result.hits) == bool(paths)


async def test_nothing_found_has_a_reason(client: LanguageClient) -> None:
    result = await search(client, "zebra photosynthesis", minScore=1, relax=False)

    assert result.hits == []
    assert result.message


async def test_limit(client: LanguageClient) -> None:
    assert len((await search(client, "user", limit=1, minScore=0)).hits) == 1


async def test_similar_code_never_is_the_place_itself(client: LanguageClient, project: str) -> None:
    await search(client, "x")
    place = {
        "textDocument": {"uri": (Path(project) / "src/limits.py").as_uri()},
        "position": {"line": 10, "character": 9},
    }
    result = await ask(client, "textDocument/similarCode", place)
    area = {"start": place["position"], "end": {"line": 12, "character": 0}}
    by_range = await ask(client, "textDocument/similarCode", {"textDocument": place["textDocument"], "range": area})

    assert result.complete is True
    assert result.hits
    assert all(not (hit.path == "src/limits.py" and hit.name == "check_quota") for hit in result.hits)
    assert [hit.path for hit in result.hits] == [hit.path for hit in by_range.hits]


async def test_similar_code_of_a_file_that_is_not_indexed(client: LanguageClient, project: str) -> None:
    place = {"textDocument": {"uri": (Path(project) / "nothing.py").as_uri()}, "position": {"line": 0, "character": 0}}
    result = await ask(client, "textDocument/similarCode", place)

    assert result.hits == []
    assert result.message


async def test_workspace_symbols_are_definitions_best_first_with_full_ranges(client: LanguageClient) -> None:
    await search(client, "x")
    symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="verify password"))

    assert (symbols[0].name, symbols[0].kind, symbols[0].container_name) == (
        "verify_password",
        types.SymbolKind.Method,
        "TokenStore",
    )
    assert span(symbols[0].location.range) == "3:4-4:47"
    assert all(isinstance(symbol, types.SymbolInformation) for symbol in symbols)


async def test_a_query_that_reads_like_a_name_is_matched_as_one(client: LanguageClient) -> None:
    await search(client, "x")
    symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="sendAgain"))

    assert symbols[0].name == "sendAgain"


# R062
@pytest.mark.parametrize("query", ["", " "])
async def test_an_empty_symbol_query_lists_symbols(client: LanguageClient, query: str) -> None:
    await search(client, "x")
    symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query=query))

    assert {"check_quota", "TokenStore", "sendAgain"} <= {symbol.name for symbol in symbols}


async def test_the_status_has_the_fields_of_the_command_line(client: LanguageClient, project: str) -> None:
    await search(client, "x")
    result = await ask(client, "connote/status")
    (status,) = result.folders

    assert status.folder == Path(project).as_uri()
    assert (status.state, status.files, status.pending, status.failed) == ("ready", len(FILES), 0, 0)
    assert set(status._fields) == {
        "folder", "root", "state", "files", "chunks", "pending", "failed", "skipped", "languages", "kinds", "model",
        "dimensions", "store", "path", "bytes", "last_sync", "message",
    } - ({"message"} if status._fields and "message" not in status._fields else set())  # fmt: skip


async def test_the_status_command_answers_as_the_request(client: LanguageClient) -> None:
    await search(client, "x")
    result = await client.workspace_execute_command_async(types.ExecuteCommandParams(command="connote.status"))
    asked = await ask(client, "connote/status")

    assert list(result["folders"][0].values())[:6] == list(asked.folders[0])[:6]


async def test_a_cancelled_search_is_answered_as_such_and_the_next_one_at_once(client: LanguageClient) -> None:
    await search(client, "x")
    # R066
    pending = []
    for number in range(70):
        pending.append(
            asyncio.wrap_future(
                client.protocol.send_request(
                    "workspace/semanticSearch", {"query": f"question {number}"}, msg_id=f"search {number}"
                )
            )
        )
        client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(id=f"search {number}"))
    last = await search(client, "may this user send more messages")
    answers = await asyncio.gather(*pending, return_exceptions=True)

    assert last.hits[0].path == "src/limits.py"
    # One that was answered before its cancellation came has its hits; how many are is a matter of speed.
    cancelled = [answer for answer in answers if isinstance(answer, JsonRpcException)]
    assert {answer.code for answer in cancelled} == {-32800}
