"""Our requests' parameters: what is read, and what is refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from connote.faces.lsp import messages

PLACE = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 3, "character": 0}}


def test_fields_are_camel_case_and_others_are_ignored() -> None:
    params = messages.parse(
        messages.SemanticSearchParams,
        {"query": "x", "minScore": 0, "definitionsOnly": True, "include": ["*.py"], "limit": 5.0, "later": {}},
    )

    assert (
        messages.SemanticSearchParams("x", limit=5, include=("*.py",), definitions_only=True, min_score=0.0) == params
    )


def test_null_is_the_default() -> None:
    params = messages.parse(messages.SemanticSearchParams, {"query": "x", "limit": None, "folders": None})

    assert messages.SemanticSearchParams("x") == params


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (None, "query is missing"),
        ([], "params must be an object"),
        ({}, "query is missing"),
        ({"query": None}, "query is missing"),
        ({"query": 3}, "query must be a string"),
        ({"query": "x", "limit": 0}, "limit must be from 1 to 200"),
        ({"query": "x", "limit": 201}, "limit must be from 1 to 200"),
        ({"query": "x", "limit": 1.5}, "limit must be a whole number"),
        ({"query": "x", "limit": True}, "limit must be a whole number"),
        ({"query": "x", "limit": "5"}, "limit must be a whole number"),
        ({"query": "x", "mode": "vector"}, "mode must be hybrid, semantic or lexical"),
        ({"query": "x", "kinds": ["klass"]}, "kinds: klass is unknown"),
        ({"query": "x", "include": "*.py"}, "include must be a list of strings"),
        ({"query": "x", "include": [1]}, "include must be a list of strings"),
        ({"query": "x", "minScore": 2}, "minScore must be from 0 to 1"),
        ({"query": "x", "minScore": "0"}, "minScore must be a number"),
        ({"query": "x", "why": 1}, "why must be true or false"),
        ({"query": "x", "workDoneToken": {}}, "workDoneToken must be a whole number"),
    ],
)
def test_a_bad_search_is_refused_with_its_reason(params: Any, reason: str) -> None:
    with pytest.raises(JsonRpcInvalidParams) as error:
        messages.parse(messages.SemanticSearchParams, params)

    assert error.value.message.startswith(reason)


def test_a_place_is_a_position_or_a_range() -> None:
    area = {"start": {"line": 5, "character": 1}, "end": {"line": 9, "character": 0}}

    assert messages.parse(messages.SimilarCodeParams, PLACE).line == 3
    assert messages.parse(messages.SimilarCodeParams, {**PLACE, "position": None, "range": area}).line == 5


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"textDocument": None}, "textDocument is missing"),
        ({"textDocument": "file:///a.py"}, "textDocument must be an object"),
        ({"textDocument": {}}, "textDocument has no uri"),
        ({"textDocument": {"uri": 1}}, "textDocument must be a string"),
        ({"position": None}, "position or range is missing"),
        ({"position": {"line": 1}}, "position has no character"),
        ({"position": {"line": -1, "character": 0}}, "position must not be negative"),
        ({"range": {"start": 1, "end": 2}}, "range must be an object"),
        ({"limit": -1}, "limit must be from 1 to 200"),
    ],
)
def test_a_bad_place_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(JsonRpcInvalidParams) as error:
        messages.parse(messages.SimilarCodeParams, {**PLACE, **change})

    assert error.value.message.startswith(reason)


def test_results_are_camel_case_and_leave_out_what_is_not_there() -> None:
    start = types.Position(1, 2)
    hit = messages.SemanticHit(
        location=types.Location("file:///a.py", types.Range(start, start)),
        selection_range=types.Range(start, start),
        score=0.5,
        name="f",
        kind=types.SymbolKind.Function,
        language="python",
        path="a.py",
        folder="file:///",
        preview="def f",
        stale=False,
        signals=(messages.SignalItem("semantic", 0.5),),
    )
    place = {"line": 1, "character": 2}

    assert messages.converter().unstructure(messages.SemanticSearchResult((hit,), complete=True)) == {
        "hits": [
            {
                "location": {"uri": "file:///a.py", "range": {"start": place, "end": place}},
                "selectionRange": {"start": place, "end": place},
                "score": 0.5,
                "name": "f",
                "kind": 12,
                "language": "python",
                "path": "a.py",
                "folder": "file:///",
                "preview": "def f",
                "stale": False,
                "signals": [{"name": "semantic", "amount": 0.5}],
            }
        ],
        "complete": True,
        "relaxed": False,
    }
