"""The golden questions are well formed, point at real lines, and do not give their answers away."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import snowballstemmer  # type: ignore[import-untyped] # has no types

_FUNCTION_WORDS = """
    a about afterwards among an and any anybody are as at back be been by can cannot do does for from had has have
    how if in instead into is it its must no not of off on one or other our out rather several so some somebody than
    that the their them then they this to too twice two up us was way ways we were what when where which while who whom
    whose why will with without
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""They say nothing about what is asked, and code has them in names such as `is_open_for_us`."""

NAMED_BY_THE_LANGUAGE = frozenset({"self", "cls"})

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+").findall


def test_form(golden_set: dict[str, Any]) -> None:
    """25 questions, most of them by meaning, each with at least one range of lines; the package is pinned."""
    package, questions = golden_set["package"], golden_set["question"]
    categories = Counter(q["category"] for q in questions)

    assert {"wanted", "package", "question"} == set(golden_set)
    assert 0 <= golden_set["wanted"] <= 25
    assert package["kind"] in {"wheel", "sdist"}  # the only kinds that the fixture unpacks
    assert {"name", "version", "kind", "sha256", "files"} == set(package) - {"folder"}
    assert (package["kind"] == "sdist") == ("folder" in package)
    assert re.fullmatch(r"[0-9a-f]{64}", package["sha256"])
    assert package["files"] >= 200
    assert {"semantic", "architecture", "symbol"} == set(categories)
    assert categories["semantic"] >= 15
    assert categories["architecture"] >= 5
    assert categories["symbol"] == 4
    assert len(questions) == 25 == len({q["query"] for q in questions})
    for question in questions:
        assert {"query", "category", "answers"} == set(question)
        assert question["query"] == question["query"].strip() != ""
        assert 1 <= len({answer["path"] for answer in question["answers"]}) <= 2
        for answer in question["answers"]:
            assert {"path", "lines"} == set(answer)
            assert not answer["path"].startswith("/")
            assert "\\" not in answer["path"]
            first, last = answer["lines"]
            assert 1 <= first <= last


def test_answers_exist(golden_set: dict[str, Any], golden_tree: Path) -> None:
    """Each range lies inside its file and begins and ends with text, so it was not shifted by accident."""
    assert golden_set["package"]["files"] == sum(1 for _ in golden_tree.rglob("*.py"))
    for question in golden_set["question"]:
        for answer in question["answers"]:
            lines = (golden_tree / answer["path"]).read_text(encoding="utf-8").splitlines()
            first, last = answer["lines"]

            assert last <= len(lines), answer
            assert lines[first - 1].strip(), answer
            assert lines[last - 1].strip(), answer


def test_most_questions_share_no_word_with_their_answers(golden_set: dict[str, Any], golden_tree: Path) -> None:
    """At least 15 questions, and all semantic ones, cannot be answered by matching names or paths."""
    shared = {
        question["query"]: _stems(question["query"]) & _stems(" ".join(_names(golden_tree, question["answers"])))
        for question in golden_set["question"]
    }
    semantic = {q["query"] for q in golden_set["question"] if q["category"] == "semantic"}

    assert sum(1 for stems in shared.values() if not stems) >= 15
    assert not {query: stems for query, stems in shared.items() if stems and query in semantic}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((1, 1), {"Server"}),
        ((4, 7), {"Server", "handle", "self", "peer", "limit", "error"}),
        ((5, 5), {"Server", "handle", "limit"}),
        ((8, 8), {"Server", "handle", "kind"}),
    ],
)
def test_names_of_lines(lines: tuple[int, int], expected: set[str]) -> None:
    """Names bound on the lines and the functions and classes around them; names that are only read do not count."""
    source = """class Server:
    size = 1

    def handle(self, peer):
        try: self.limit = peer.size
        except OSError as error:
            raise error
        kind: int = 0
"""

    assert expected == _defined(ast.parse(source), *lines)


def test_stems() -> None:
    assert {"pars", "http", "header", "2"} == _stems("parseHTTPHeader2 of_the headers")


def _names(tree: Path, answers: list[dict[str, Any]]) -> set[str]:
    names = set()
    for answer in answers:
        names |= set(Path(answer["path"]).with_suffix("").parts)
        names |= _defined(ast.parse((tree / answer["path"]).read_text(encoding="utf-8")), *answer["lines"])
    return names - NAMED_BY_THE_LANGUAGE


def _defined(module: ast.Module, first: int, last: int) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(module):
        start = getattr(node, "lineno", 0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if start <= last and (node.end_lineno or start) >= first:
                names.add(node.name)
        elif first <= start <= last:
            names |= _bound(node)
    return names


def _bound(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return {node.attr}
    if isinstance(node, ast.arg):
        return {node.arg}
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return {node.name} if node.name else set()
    return set()


def _stems(text: str) -> set[str]:
    stemmer = snowballstemmer.stemmer("english")
    words = {part.lower() for part in _PARTS(text)} - FUNCTION_WORDS
    return {stemmer.stemWord(word) for word in words}
