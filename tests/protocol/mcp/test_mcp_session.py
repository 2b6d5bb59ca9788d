"""`connote mcp`: a client of the mcp package lists and calls everything, over both transports and both eras."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import MCPError

Connect = Callable[..., Any]
Files = dict[str, Any]

UPLOAD = "retry a failed upload"
TOOLS = ["connote_search", "connote_similar", "connote_read_file", "connote_index", "connote_index_status"]


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def call(client: Any, name: str, **arguments: Any) -> Any:
    """The structured result of a call that succeeds; the client has checked it against the tool's schema."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


def snippet_uri(hit: dict[str, Any]) -> str:
    return f"connote://snippet/{quote(hit['path'])}?start={hit['start_line']}&end={hit['end_line']}"


async def refused(client: Any, name: str, **arguments: Any) -> str:
    """The words of a refusal."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, result
    assert result.structured_content is None
    return text_of(result)


async def test_everything_is_listed_and_can_be_called(connect: Connect, project: Path) -> None:
    async with connect() as client:
        assert "connote" == client.server_info.name
        assert "connote_search" in client.instructions
        assert TOOLS == [tool.name for tool in (await client.list_tools()).tools]
        assert {"connote://repository", "connote://index"} == {
            one.uri for one in (await client.list_resources()).resources
        }
        assert {"connote://file/{+path}", "connote://snippet/{+path}{?start,end}"} == {
            one.uri_template for one in (await client.list_resource_templates()).resource_templates
        }
        assert ["semantic_grep", "trace_symbol"] == [one.name for one in (await client.list_prompts()).prompts]

        report = await call(client, "connote_index")
        assert report["complete"]
        assert 0 == report["failed"]
        status = await call(client, "connote_index_status")
        assert (str(project), "ready") == (status["root"], status["state"])
        assert {"secret": 1, "binary": 1} == status["skipped"]

        found = await call(client, "connote_search", query=UPLOAD, limit=2, tests=False)
        assert found["complete"]
        hit = found["hits"][0]
        assert ("src/uploads.py", "retry_upload", "function") == (hit["path"], hit["symbol"], hit["kind"])
        assert "def retry_upload" in hit["preview"]
        alike = await call(client, "connote_similar", path="src/uploads.py", line=5, limit=3)
        assert "src/uploads.py" not in {hit["path"] for hit in alike["hits"]}
        lines = await call(client, "connote_read_file", path="src/uploads.py", start_line=4, end_line=5)
        assert ("def retry_upload(client, path, attempts=3):", 4, 5, 11, False, "python") == (
            lines["text"].split("\n")[0], lines["start_line"], lines["end_line"], lines["total_lines"],
            lines["truncated"], lines["language"],
        )  # fmt: skip

        snippet = (await client.read_resource(snippet_uri(hit))).contents[0]
        assert "def retry_upload" in snippet.text
        whole = (await client.read_resource("connote://file/src/uploads.py")).contents[0]
        assert (project / "src" / "uploads.py").read_text() == whole.text
        repository = json.loads((await client.read_resource("connote://repository")).contents[0].text)
        assert ("project", {"src/": 3, "docs/": 1, "tests/": 1, "./": 3}) == (repository["name"], repository["folders"])
        assert "ready" == json.loads((await client.read_resource("connote://index")).contents[0].text)["state"]

        for name, argument in (("semantic_grep", "question"), ("trace_symbol", "symbol")):
            prompt = await client.get_prompt(name, {argument: "where quotas are checked"})
            assert "where quotas are checked" in prompt.messages[0].content.text


async def test_edge_66_what_may_not_be_read_is_refused(connect: Connect) -> None:
    paths = [
        "../../etc/passwd", "/etc/passwd", "src/../../x.py", "..", "C:\\win.ini", "c:x", "\\\\server\\share\\a",
        "//server/share/a", "src\\..\\..\\x", "%2e%2e/x", "src%2f..%2fx", "src/a\0.py", "file:///etc/passwd", "~/x",
        "%252e%252e/x", ".env", "ignored/notes.py", "picture.png", "nowhere.py", "src", "", ".git/config",
    ]  # fmt: skip
    async with connect() as client:
        for path in paths:
            assert await refused(client, "connote_read_file", path=path), path
            uri = f"connote://file/{path}"
            with pytest.raises(MCPError) as error:
                await client.read_resource(uri)
            assert -32602 == error.value.code
        for uri in ("connote://snippet/../x?start=1&end=2", "connote://snippet/src/uploads.py?start=3&end=2",
                    "connote://snippet/src/uploads.py?start=900", "connote://file/", "connote://nothing",
                    "file:///etc/passwd", "connote://file/src/%2e%2e/%2e%2e/etc/passwd"):  # fmt: skip
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        for path in ("../x", "/etc/passwd", "%2e%2e/x"):
            assert await refused(client, "connote_similar", path=path, line=1)


async def test_edge_66_a_long_file_is_cut_between_two_characters(connect: Connect, project: Path) -> None:
    whole = (project / "long.py").read_bytes()
    assert len(whole) > 290_000
    async with connect() as client:
        result = await client.call_tool("connote_read_file", {"path": "long.py"})
        resource = (await client.read_resource("connote://file/long.py")).contents[0]

    excerpt = result.structured_content
    assert excerpt["truncated"]
    assert 199_996 <= len(excerpt["text"].encode()) <= 200_000
    assert whole.startswith(excerpt["text"].encode())
    assert f"go on with start_line {excerpt['end_line']}" in text_of(result)
    assert excerpt["text"] == resource.text


async def test_arguments_that_cannot_be_are_refused_in_words(connect: Connect) -> None:
    async with connect() as client:
        for name, arguments, words in (
            ("connote_search", {}, "query is missing"),
            ("connote_search", {"query": 1}, "query is no text"),
            ("connote_search", {"query": "x", "limit": 0}, "limit is 0; it can be 1 to 200"),
            ("connote_search", {"query": "x", "limit": "ten"}, "limit is no number"),
            ("connote_search", {"query": "x", "mode": "vague"}, "it can be hybrid, semantic, lexical"),
            ("connote_search", {"query": "x", "kinds": ["thing"]}, "an entry of kinds is 'thing'"),
            ("connote_search", {"query": "x", "include": "*.py"}, "include is no list"),
            ("connote_search", {"query": "x", "budget": 10}, "budget is 10; it can be 500 to 200000"),
            ("connote_search", {"query": "x", "path": "/etc"}, "there is no parameter 'path'"),
            ("connote_search", {"query": "x", "include": ["{a,b}" * 40]}, "alternatives"),
            ("connote_similar", {"path": "src/uploads.py"}, "line is missing"),
            ("connote_read_file", {"path": "src/uploads.py", "start_line": 99}, "has 11 lines"),
            ("connote_read_file", {"path": "src/uploads.py", "start_line": 3, "end_line": 2}, "is before line 3"),
            ("connote_index", {"rebuild": "yes"}, "rebuild is neither true nor false"),
            ("connote_index_status", {"root": "/etc"}, "there is no parameter 'root'"),
        ):
            assert words in await refused(client, name, **arguments), (name, arguments)
        for ask in (
            client.call_tool("connote_delete", {}),
            client.get_prompt("nothing", {}),
            client.get_prompt("trace_symbol", {}),
            client.get_prompt("trace_symbol", {"symbol": "x", "more": "y"}),
        ):
            with pytest.raises(MCPError):
                await ask


async def test_schemas_are_such_as_strict_clients_take(connect_stdio: Connect) -> None:
    # R088
    def check(schema: Any) -> None:
        if isinstance(schema, dict):
            assert not isinstance(schema.get("type"), list)
            assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(schema)
            if schema.get("type") == "object":
                assert "properties" in schema or "additionalProperties" in schema
            for value in schema.values():
                check(value)
        elif isinstance(schema, list):
            for value in schema:
                check(value)

    async with connect_stdio() as client:
        tools = (await client.list_tools()).tools
        nulls = {"limit": None, "mode": None, "include": None, "min_score": None, "why": None, "budget": None}
        assert (await call(client, "connote_search", query=UPLOAD, **nulls))["hits"]

    for tool in tools:
        assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
        assert "object" == tool.input_schema["type"]
        assert isinstance(tool.input_schema["properties"], dict)
        assert tool.output_schema
        check(tool.input_schema)
        check(tool.output_schema)
    assert ["connote_index"] == [tool.name for tool in tools if not tool.annotations.read_only_hint]


async def test_every_field_of_a_query_is_a_parameter(connect_stdio: Connect) -> None:
    async with connect_stdio() as client:
        (search,) = [tool for tool in (await client.list_tools()).tools if tool.name == "connote_search"]
        assert {
            "query", "limit", "mode", "include", "exclude", "ignore_case", "languages", "exclude_languages", "kinds",
            "prefix", "tests", "definitions", "min_score", "relax", "context", "why", "budget",
        } == set(search.input_schema["properties"])  # fmt: skip
        cases = [
            ({"include": ["*.md"]}, {"docs/guide.md"}),
            ({"exclude": ["*.md", "tests/**"]}, {"src/uploads.py"}),
            ({"languages": ["md"]}, {"docs/guide.md"}),
            ({"exclude_languages": ["markdown"], "tests": False}, {"src/uploads.py"}),
            ({"kinds": ["function"], "tests": False}, {"src/uploads.py"}),
            ({"prefix": "docs"}, {"docs/guide.md"}),
            ({"prefix": "src", "mode": "lexical"}, {"src/uploads.py"}),
            ({"include": ["GUIDE.md"], "ignore_case": True}, {"docs/guide.md"}),
            ({"prefix": "../elsewhere"}, set()),
        ]  # fmt: skip
        about_uploads = {"src/uploads.py", "docs/guide.md", "tests/test_uploads.py"}
        for arguments, expected in cases:
            found = await call(client, "connote_search", query=UPLOAD, **arguments)
            assert expected == {hit["path"] for hit in found["hits"]} & about_uploads, arguments
        (hit,) = (await call(client, "connote_search", query="check_quota", limit=1, why=True))["hits"]
        assert hit["score"] == pytest.approx(sum(signal["amount"] for signal in hit["signals"]), abs=0.002)
        assert [] == (await call(client, "connote_search", query="  "))["hits"]


async def test_a_search_links_to_what_it_found_and_never_holds_a_whole_file(connect_stdio: Connect) -> None:
    async with connect_stdio() as client:
        await call(client, "connote_index")
        result = await client.call_tool("connote_search", {"query": "rotate a matrix", "min_score": 0})
        links = [block for block in result.content if block.type == "resource_link"]
        hits = result.structured_content["hits"]

        assert list(map(snippet_uri, hits)) == [link.uri for link in links]
        assert all(len(hit["preview"]) <= (300 if rank < 3 else 120) for rank, hit in enumerate(hits))
        assert all(len(hit["preview"].split("\n")) <= (5 if rank < 3 else 2) for rank, hit in enumerate(hits))
        (odd,) = [link for link in links if link.name == "rotate_matrix"]
        assert "connote://snippet/src/odd%20name%20%231%3F.py?start=1&end=2" == odd.uri
        assert "def rotate_matrix" in (await client.read_resource(odd.uri)).contents[0].text
        assert (
            "def rotate_matrix" in (await client.read_resource("connote://file/src/odd name #1?.py")).contents[0].text
        )


@pytest.mark.parametrize("budget", [500, 1000, 3000, 20_000])
async def test_an_answer_keeps_to_its_budget(connect_stdio: Connect, budget: int) -> None:
    async with connect_stdio() as client:
        await call(client, "connote_index")
        result = await client.call_tool(
            "connote_search", {"query": "emoji", "min_score": 0, "limit": 40, "why": True, "budget": budget}
        )
    data = result.structured_content
    links = [block for block in result.content if block.type == "resource_link"]

    assert len(text_of(result)) + sum(len(link.uri) + len(link.name) for link in links) <= budget
    assert len(json.dumps(data, ensure_ascii=False)) <= budget
    assert 1 <= len(data["hits"]) == len(links)
    assert (budget <= 3000) == ("left_out" in data)
    assert ("left_out" in data) == ("left out: the budget is used up" in text_of(result))


async def test_paths_are_completed(connect_stdio: Connect) -> None:
    from mcp.types import ResourceTemplateReference

    async with connect_stdio() as client:
        await call(client, "connote_index")
        done = await client.complete(
            ResourceTemplateReference(uri="connote://file/{+path}"), {"name": "path", "value": "src/"}
        )

    assert {"src/limits.py", "src/odd name #1?.py", "src/uploads.py"} == set(done.completion.values)
