"""How well a question is answered at all: what makes scores of different questions mean the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from connote.model import Candidate
from connote.rank.facts import Facts
from connote.rank.question import Question


class Evidence(NamedTuple):
    """What speaks for an answer being there, and what against it."""

    cosine: float
    """The highest one of all candidates."""
    unknown: float
    """Share of the question's words that stand nowhere in the index, rare ones counting more; in a small index less,
    for there is little text for a word to stand in."""
    chunk: float
    """Share of the question's words that the best hit holds."""
    scattered: float
    """Share that its file holds and it does not: words that only happen to stand in one file."""
    words: float
    """Number of the question's words, at most 16: a long one is near to something by chance."""
    size: float
    """Natural logarithm of the number of chunks, at least of 100, for the same reason."""


_MOST_WORDS = 16
_LEAST_SIZE = 100
_FEW = 200
"""Chunks in which a word is as likely missing by chance as not."""
_WEIGHTS = Evidence(cosine=19.0, unknown=-7.6, chunk=1.9, scattered=-3.4, words=0.39, size=-0.98)
_BIAS = 0.15
"""Of a logistic model of right answers in the first five (public set, development questions) against questions that
other repositories answer, or none. It is made steeper and shifted, so that half of the default minimum score is where
hardly a right answer lies below. Shifted by 1.5 more, four fifths of the development questions without an answer would
have no hit instead of three fifths, and a tenth of the right answers would be lost."""
_LEXICAL, _LEXICAL_BIAS = 6.0, -3.5
"""Without vectors the words of the best hit's file decide alone."""


def confidence(
    question: Question,
    candidates: Sequence[Candidate],
    facts: Facts,
    idf: Mapping[str, float],
    best: Candidate,
    mode: str,
) -> float:
    """The score of the best hit, 0 to 1. A named symbol that is found answers fully."""
    if question.symbols and set(question.symbols) & set(best.defines):
        return 1.0
    found = evidence(question, candidates, facts, idf, best)
    if mode == "lexical" or found is None:
        held = _held(idf, facts.tallies.get(best.file, {}))
        return math.sqrt(_logistic(_LEXICAL_BIAS + _LEXICAL * held))
    return _logistic(_BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, found, strict=True)))


def evidence(
    question: Question, candidates: Sequence[Candidate], facts: Facts, idf: Mapping[str, float], best: Candidate
) -> Evidence | None:
    """What the confidence is made of; None while no candidate has a vector."""
    cosines = [one.cosine for one in candidates if one.cosine is not None]
    if not cosines:
        return None
    in_chunk = {*best.body.split(), *best.names.split(), *best.stem.split(), *best.folders.split()}
    held = _held(idf, dict.fromkeys(in_chunk, 1))
    return Evidence(
        cosine=max(cosines),
        unknown=(1 - _held(idf, facts.frequency)) * facts.chunks / (facts.chunks + _FEW) if question.terms else 0.0,
        chunk=held,
        scattered=max(0.0, _held(idf, facts.tallies.get(best.file, {})) - held),
        words=min(len(question.terms), _MOST_WORDS),
        size=math.log(max(_LEAST_SIZE, facts.chunks)),
    )


def _held(idf: Mapping[str, float], counts: Mapping[str, int]) -> float:
    whole = sum(idf.values()) or 1.0
    return sum(weight for term, weight in idf.items() if counts.get(term)) / whole


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
