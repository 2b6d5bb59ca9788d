"""What meaning adds to a place: its own, that of its file's candidates together, and that of the places beside it."""

from __future__ import annotations

import numpy as np
import pytest

from connote.model import Candidate
from connote.rank import Facts, read_question
from connote.rank.ranking import signals

QUESTION = read_question("lend out the gadgets")
FACTS = Facts(100, 60.0, dict.fromkeys(QUESTION.terms, 1), np.array([0.1, 0.2, 0.3], np.float32), {})


def place(file: int, line: int, cosine: float | None, of_file: float | None) -> Candidate:
    path = f"src/m{file}.py"
    return Candidate(
        file * 100 + line, file, path, "python", line, line + 9, None, None, 40, "word", "", f"m{file}", "src", (),
        cosine, of_file,
    )  # fmt: skip


def rows(*candidates: Candidate, mode: str = "hybrid") -> dict[str, list[float]]:
    found = signals(QUESTION, candidates, FACTS, mode)
    return {name: row.tolist() for name, row in found.rows.items() if name.startswith("semantic")}


def test_a_place_counts_by_what_it_is_above_the_usual_one() -> None:
    assert [1.0, 0.5] == pytest.approx(rows(place(1, 1, 0.6, 0.5), place(2, 1, 0.4, 0.5))["semantic"])


def test_the_candidates_of_a_file_count_together() -> None:
    found = rows(place(1, 1, 0.3, 0.7), place(2, 1, 0.3, 0.5), place(3, 1, 0.3, 0.4))["semantic file"]

    assert [1.0, 0.0, 0.0] == pytest.approx(found)


def test_files_are_told_apart_while_most_have_no_vector_yet() -> None:
    waiting = [place(file, 1, None, None) for file in range(4, 10)]
    found = rows(place(1, 1, 0.5, 0.7), place(2, 1, 0.4, 0.5), place(3, 1, 0.3, 0.3), *waiting)["semantic file"]

    assert [1.0, 0.0, 0.0, *[0.0] * 6] == pytest.approx(found)


def test_places_beside_count_within_one_file_alone() -> None:
    found = rows(place(1, 21, 0.2, 0.5), place(2, 1, 0.9, 0.5), place(1, 1, 0.6, 0.5), place(1, 11, 0.2, 0.5))
    beside = found["semantic beside"]

    assert 0.0 == beside[1]
    assert beside[3] == max(beside) > beside[0]


def test_without_any_vector_nothing_is_near() -> None:
    found = rows(place(1, 1, None, None), place(1, 11, None, None))

    assert {"semantic", "semantic file", "semantic beside"} == set(found)
    assert {0.0} == {value for row in found.values() for value in row}


@pytest.mark.parametrize(("mode", "names"), [("semantic", {"semantic"}), ("lexical", set())])
def test_vectors_alone_are_judged_by_the_place_itself(mode: str, names: set[str]) -> None:
    assert names == set(rows(place(1, 1, 0.6, 0.5), place(1, 11, 0.4, 0.5), mode=mode))
