"""What makes a question look answered, and what makes it look as if its answer were not there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from connote.model import Candidate
from connote.rank import Facts, read_question
from connote.rank.calibration import confidence

QUESTION = read_question("retry uploads gently")
BEST = Candidate(
    1,
    1,
    "src/a.py",
    "python",
    1,
    9,
    "upload",
    "function",
    40,
    "retri send",
    "upload",
    "a",
    "src",
    ("upload",),
    0.3,
    0.3,
)
FACTS = Facts(5000, 60.0, {"retri": 40, "upload": 90, "gentl": 7}, np.zeros(3, np.float32), {1: {"": 80, "retri": 1}})


def of(best: Candidate = BEST, facts: Facts = FACTS, mode: str = "hybrid") -> float:
    idf = {term: math.log(1 + facts.chunks / (1 + count)) for term, count in facts.frequency.items()}
    return confidence(QUESTION, [best], facts, idf, best, mode)


def test_all_questions_words_are_those_of_the_facts() -> None:
    assert set(QUESTION.terms) == set(FACTS.frequency)


def test_it_lies_between_0_and_1_in_every_mode() -> None:
    assert all(0 < of(mode=mode) < 1 for mode in ("hybrid", "semantic", "lexical"))


def test_what_is_nearer_in_meaning_counts_more() -> None:
    assert of(BEST._replace(cosine=0.2)) < of() < of(BEST._replace(cosine=0.4))


def test_what_holds_more_of_the_words_counts_more() -> None:
    assert of(BEST._replace(body="send")) < of() < of(BEST._replace(body="retri send gentl"))


def test_a_word_that_stands_nowhere_counts_against_it_and_less_so_in_a_small_index() -> None:
    unknown = replace(FACTS, frequency={**FACTS.frequency, "gentl": 0})
    few, few_unknown = replace(FACTS, chunks=100), replace(unknown, chunks=100)

    def logit(score: float) -> float:
        return math.log(score / (1 - score))

    assert of(facts=unknown) < of()
    assert logit(of(facts=few)) - logit(of(facts=few_unknown)) < logit(of()) - logit(of(facts=unknown))


def test_words_elsewhere_in_the_file_count_against_it() -> None:
    scattered = replace(FACTS, tallies={1: {"": 80, "retri": 1, "gentl": 1, "upload": 1}})

    assert of(facts=scattered) < of()


def test_the_same_nearness_says_less_among_more_chunks() -> None:
    assert of(facts=replace(FACTS, chunks=100_000)) < of()


def test_a_symbol_that_is_named_and_found_answers_fully() -> None:
    named = read_question("uploadAll")
    best = BEST._replace(defines=("uploadall",), cosine=0.0)

    assert 1.0 == confidence(named, [best], FACTS, {"uploadal": 1.0}, best, "hybrid")


def test_without_vectors_the_files_words_decide() -> None:
    assert of(BEST._replace(cosine=None)) == of(mode="lexical")
