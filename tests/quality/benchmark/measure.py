"""One system on one subject: each question asked once, each search timed."""

from __future__ import annotations

import gc
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmark import judge
from benchmark.judge import Score
from benchmark.questions import Pair, Place, Question, Subject
from benchmark.systems import ConnoteSearcher, Searcher, System

LIMIT = 10


@dataclass(frozen=True)
class Asked:
    """A question and what its hits are worth."""

    question: Question
    score: Score
    milliseconds: float
    uncut_right: bool | None = None
    """Whether the first five hits, however weak, show the right lines; None where a system has no cutoff."""
    kept: bool | None = None
    """Of those with `uncut_right`: whether a right one of these five is still shown by default."""
    kept_strictly: bool | None = None
    """The same without the second attempt at half of the score."""


@dataclass(frozen=True)
class Absent:
    """A question about what is not there, and whether the system says so: True is right."""

    query: str
    silent: bool
    silent_strictly: bool


@dataclass(frozen=True)
class Mate:
    """One direction of a pair, and whether the partner was among the first five."""

    kind: str
    seed: Place
    found: bool


@dataclass(frozen=True)
class Run:
    """Everything measured of one system on one subject."""

    subject: Subject
    index_seconds: float
    asked: tuple[Asked, ...]
    absent: tuple[Absent, ...] = ()
    mates: tuple[Mate, ...] = field(default=())


def measure(system: System, subject: Subject, root: Path, scratch: Path, *, public: bool = False) -> Run:
    """Index a folder from nothing below `scratch`, and ask all that is asked of the subject.

    Searches are timed after a first one, which is not: programs load what they need on it.
    """
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        gc.collect()
        started = time.perf_counter()
        searcher = system.open(root, Path(folder))
        seconds = time.perf_counter() - started
        try:
            searcher.search("open the file", LIMIT)
            asked = tuple(_ask(searcher, question, public=public) for question in subject.questions)
            absent = tuple(one for query in subject.absent if (one := _ask_absent(searcher, query)) is not None)
            mates = tuple(one for pair in subject.pairs for one in _ask_pair(searcher, pair))
        finally:
            searcher.close()
    return Run(subject, seconds, asked, absent, mates)


def _ask(searcher: Searcher, question: Question, *, public: bool) -> Asked:
    started = time.perf_counter()
    hits = searcher.search(question.query, LIMIT)
    milliseconds = (time.perf_counter() - started) * 1e3
    if public:
        return Asked(question, judge.score_public(hits, question.answers), milliseconds)
    score = judge.score(hits, question.answers)
    if not isinstance(searcher, ConnoteSearcher):
        return Asked(question, score, milliseconds)
    right = set(judge.right(searcher.uncut(question.query, LIMIT)[:5], question.answers))
    if not right:
        return Asked(question, score, milliseconds, uncut_right=False)
    kept, kept_strictly = bool(right & set(hits)), bool(right & set(searcher.strict(question.query, LIMIT)))
    return Asked(question, score, milliseconds, True, kept, kept_strictly)


def _ask_absent(searcher: Searcher, query: str) -> Absent | None:
    if isinstance(searcher, ConnoteSearcher):
        return Absent(query, not searcher.search(query, LIMIT), not searcher.strict(query, LIMIT))
    return None  # other systems have no cutoff: they show what they have


def _ask_pair(searcher: Searcher, pair: Pair) -> list[Mate]:
    mates = []
    for seed, partner in ((pair.left, pair.right), (pair.right, pair.left)):
        hits = searcher.similar(seed, 5)
        if hits is not None:
            mates.append(Mate(pair.kind, seed, bool(judge.right(hits, [partner]))))
    return mates
