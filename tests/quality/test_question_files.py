"""The files of judging questions have their agreed form, and no project in them can be trained on."""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

FILES = sorted((Path(__file__).parent / "questions").glob("*/*.toml"))
EXCLUDED = Path(__file__).resolve().parents[2] / "server" / "training" / "exclude.txt"

SOURCES = {"debian", "npm", "pypi-wheel", "pypi-sdist"}
KINDS = {"clone", "reimplementation", "sibling"}
OF_TWENTY = {"semantic": 12, "architecture": 5, "symbol": 3}
LEAST_LINES_OF_A_PAIR = 6


@pytest.fixture(params=FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def question_file(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def question_set(question_file: Path) -> dict[str, Any]:
    """One file as it stands: `package` and the lists `question`, `absent` and `pair`."""
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    parsed: dict[str, Any] = toml.loads(question_file.read_text(encoding="utf-8"))
    return parsed


def test_there_are_files() -> None:
    """Without any, every other test here would be skipped in silence."""
    assert FILES


def test_tables(question_set: dict[str, Any]) -> None:
    assert {"package", "question", "absent", "pair"} == set(question_set)


def test_package(question_set: dict[str, Any]) -> None:
    """The archive is pinned, and the folder in it is named as on every system."""
    package = question_set["package"]

    assert {"name", "version", "source", "sha256", "root", "language"} == set(package)
    assert all(isinstance(value, str) and value == value.strip() != "" for value in package.values())
    assert package["source"] in SOURCES
    assert re.fullmatch(r"[0-9a-f]{64}", package["sha256"])
    assert is_inside(package["root"])


def test_the_project_is_kept_out_of_training(question_file: Path) -> None:
    """The file's name is the project's; the package's may be another, as `libquartz2-java` is for quartz."""
    lines = EXCLUDED.read_text(encoding="utf-8").splitlines()

    assert question_file.stem in {line.strip() for line in lines if not line.startswith("#")}


def test_questions(question_set: dict[str, Any]) -> None:
    """Each names at least one range of lines; of twenty, 12 are by meaning, 5 about architecture, 3 about symbols."""
    questions = question_set["question"]
    counts = Counter(question["category"] for question in questions)

    assert set(counts) == set(OF_TWENTY)
    for category, of_twenty in OF_TWENTY.items():
        assert counts[category] >= of_twenty * min(len(questions), 20) // 20, category
    for question in questions:
        assert {"query", "category", "answers"} == set(question)
        assert question["answers"], question
        for answer in question["answers"]:
            check_place(answer)
        assert len(question["answers"]) == len({str(answer) for answer in question["answers"]}), question


def test_absent(question_set: dict[str, Any]) -> None:
    """Questions that the package cannot answer have nothing but their words."""
    assert len(question_set["absent"]) >= 6
    assert all({"query"} == set(question) for question in question_set["absent"])


def test_queries(question_set: dict[str, Any]) -> None:
    """No question is asked twice, not even as one with and one without an answer."""
    queries = [question["query"] for question in question_set["question"] + question_set["absent"]]

    assert all(isinstance(query, str) and query == query.strip() != "" for query in queries)
    assert [] == [query for query, times in Counter(query.casefold() for query in queries).items() if times > 1]


def test_pairs(question_set: dict[str, Any]) -> None:
    """Both sides are pieces of code worth comparing, in two files; no pair stands there twice."""
    pairs = question_set["pair"]

    assert len(pairs) >= 4
    for pair in pairs:
        assert {"kind", "left", "right"} == set(pair)
        assert pair["kind"] in KINDS
        for side in (pair["left"], pair["right"]):
            check_place(side)
            assert side["lines"][1] - side["lines"][0] + 1 >= LEAST_LINES_OF_A_PAIR, side
        assert pair["left"]["path"] != pair["right"]["path"], pair
    assert len(pairs) == len({frozenset((str(pair["left"]), str(pair["right"]))) for pair in pairs})


def check_place(place: dict[str, Any]) -> None:
    assert {"path", "lines"} == set(place)
    assert is_inside(place["path"]), place
    assert all(type(line) is int for line in place["lines"]), place
    first, last = place["lines"]
    assert 1 <= first <= last, place


def is_inside(path: str) -> bool:
    """Whether a path is written with slashes, the short way, and stays in its folder on every system."""
    posix = PurePosixPath(path)
    return path == str(posix) and not posix.is_absolute() and ".." not in posix.parts and not set("\\:") & set(path)


@pytest.mark.parametrize("path", [".", "a.py", "a/b.py", "a-1.0/b", "..a/b"])
def test_paths_inside(path: str) -> None:
    assert is_inside(path)


@pytest.mark.parametrize("path", ["/a", "../a", "a/../b", "..", "a/..", "a\\b", "c:/a", "./a", "a/", "a//b", ""])
def test_paths_outside_or_in_another_form(path: str) -> None:
    assert not is_inside(path)
