"""Candidates to ranked hits: named signals that sum to the score."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from connote import words
from connote.model import Candidate, Signal
from connote.rank.calibration import confidence
from connote.rank.facts import Facts
from connote.rank.options import RankOptions
from connote.rank.paths import penalty
from connote.rank.question import Question

_K1, _B = 1.2, 0.75
_NAMES, _STEM = 2.0, 3.0
"""Weights of words in defined names and in the file's name against those in the body."""
_NAMES_LENGTH = 4
"""A chunk's usual number of words in names."""
_FAINT = 0.001
_BEST_OF_FILE = 5
_COPIES = 0.5
"""What is left of each further copy of a text."""


@dataclass(frozen=True)
class Weights:
    """What each signal counts. Of two ends the first holds where no place has any word of the question, the second
    where one has them all."""

    ends: Mapping[str, tuple[float, float]]
    decay: tuple[float, float]
    """What each further chunk of a file keeps, at the same two ends."""
    definition: tuple[float, float]
    """For a place that defines a symbol of the question: where the question is the name alone, and where it is not."""
    file_is_symbol: float


WEIGHTS = Weights(
    ends={
        "semantic": (0.82, 0.34),
        "semantic file": (1.16, 0.05),
        "semantic beside": (0.05, 0.035),
        "words": (0.2, 0.6),
        "names": (0.1, 0.15),
        "file words": (1.0, 0.6),
        "file name": (0.4, 0.1),
        "name in question": (0.3, 0.7),
        "file": (0.08, 0.57),
    },
    decay=(0.84, 0.36),
    definition=(1.5, 0.7),
    file_is_symbol=0.8,
)
"""Those of the semantic signals are multiplied by their option. People who know the words are served by the words. The
others are why there are vectors: for them the file is found by all its chunks together, and they are shown more of it.
How they were found: `training/EXPERIMENTS.md`."""


@dataclass(frozen=True)
class Signals:
    """What speaks for each candidate, before anything is weighed; arrays have a place for each candidate."""

    rows: Mapping[str, NDArray[np.float64]]
    """By a signal's name, each 0 to 1."""
    held: float
    """The largest share of the question's words that one place holds, 0 to 1."""
    alone: bool
    """Whether the question is one name."""
    files: Sequence[Hashable]
    texts: Sequence[Hashable]
    """Equal for copies of one text."""
    kept: Mapping[str, NDArray[np.float64]]
    """By a penalty's name what it leaves of a score, 0 to 1."""


@dataclass(frozen=True)
class Ranked:
    """A candidate with its score."""

    candidate: Candidate
    score: float
    """0 to 1: the sum of `signals`."""
    names: tuple[str, ...] = field(repr=False)
    amounts: NDArray[np.float64] = field(repr=False)
    """What each name stands for adds."""

    @property
    def signals(self) -> tuple[Signal, ...]:
        """What the score is made of; made when asked for, as few hits are asked to explain themselves."""
        return tuple(
            Signal(name, amount) for name, amount in zip(self.names, self.amounts.tolist(), strict=True) if amount
        )


def rank(
    question: Question, candidates: Sequence[Candidate], facts: Facts, options: RankOptions, mode: str = "hybrid"
) -> list[Ranked]:
    """Order candidates, best first.

    Word signals are BM25F (Robertson et al. 2004) over body, names and path. Each signal is divided by its maximum
    over the candidates; a file's later chunks count less and less, so that one file does not fill the list, and so do
    later copies of a text.
    The whole is then scaled so that the best hit's score says how well the question is answered at all.
    """
    if not candidates:
        return []
    idf = _rarity(facts)
    amounts = combine(signals(question, candidates, facts, mode), WEIGHTS, options)
    total: NDArray[np.float64] = sum(amounts.values(), np.zeros(len(candidates)))
    best = float(total.max())
    if best <= 0:
        return []
    scale = confidence(question, candidates, facts, idf, candidates[int(total.argmax())], mode) / best
    order = sorted(
        range(len(candidates)), key=lambda place: (-total[place], candidates[place].path, candidates[place].start_line)
    )
    names, columns = tuple(amounts), np.array(list(amounts.values())).T * scale
    scores = (total * scale).tolist()
    return [Ranked(candidates[place], scores[place], names, columns[place]) for place in order]


def signals(question: Question, candidates: Sequence[Candidate], facts: Facts, mode: str = "hybrid") -> Signals:
    """What is known of one candidate or more."""
    idf = _rarity(facts)
    rows: dict[str, NDArray[np.float64]] = {}
    held = 0.0
    if mode != "lexical":
        rows["semantic"] = _semantic(candidates, facts)
    if mode == "hybrid":
        # Who asks for vectors alone, or for code like this, wants what a place says itself, not what stands around it.
        rows["semantic file"] = _semantic_file(candidates)
        rows["semantic beside"] = _semantic_beside(candidates, rows["semantic"])
    if mode != "semantic":
        rows["words"], rows["names"], held = _bm25f(question, candidates, facts, idf)
        rows.update(_file_signals(question, candidates, facts, idf))
        rows["definition"] = _definitions(question, candidates)
        rows["file is symbol"] = _stems(question, candidates)
    return Signals(
        rows={name: _scaled(row) for name, row in rows.items()},
        held=held,
        alone=question.alone,
        files=[candidate.file for candidate in candidates],
        texts=[_copied(question, candidate) for candidate in candidates],
        kept=_penalties(question, candidates),
    )


def combine(found: Signals, weights: Weights, options: RankOptions) -> dict[str, NDArray[np.float64]]:
    """What each signal adds to the candidates' scores, which are the sums; they are not scaled yet."""
    weight = {name: _between(ends, found.held) for name, ends in weights.ends.items()}
    for name in ("semantic", "semantic file", "semantic beside"):
        weight[name] *= options.semantic_weight
    weight["definition"] = weights.definition[0 if found.alone else 1]
    weight["file is symbol"] = weights.file_is_symbol
    amounts = {name: weight[name] * row for name, row in found.rows.items()}
    none = np.zeros(len(found.files))
    if "words" in found.rows:
        amounts["file"] = weight["file"] * _scaled(_coherence(found.files, sum(amounts.values(), none)))
    total: NDArray[np.float64] = sum(amounts.values(), none)
    if options.penalties and found.kept:
        amounts.update({name: total * (kept - 1) for name, kept in found.kept.items()})
        total = sum(amounts.values(), none)
    # Copies come first: what they lose is not held against other chunks of their files.
    amounts["same text"] = _repetition(found.texts, total, _COPIES)
    total = total + amounts["same text"]
    amounts["same file"] = _repetition(found.files, total, _between(weights.decay, found.held))
    return amounts


def _rarity(facts: Facts) -> dict[str, float]:
    """Of each of the question's words."""
    return {term: math.log(1 + (facts.chunks - count + 0.5) / (count + 0.5)) for term, count in facts.frequency.items()}


def _semantic(candidates: Sequence[Candidate], facts: Facts) -> NDArray[np.float64]:
    middle = float(np.median(facts.sample)) if len(facts.sample) else 0.0
    # Below the middle a little is left, so that what filters leave over still has an order.
    return np.array(
        [0.0 if one.cosine is None else max(one.cosine - middle, _FAINT * (1 + one.cosine)) for one in candidates]
    )


def _semantic_file(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """The meaning of a file's candidates together, above the usual one of those that have vectors already."""
    known = [one.file_cosine for one in candidates if one.file_cosine is not None]
    usual = float(np.median(known)) if known else 0.0
    return np.array([0.0 if one.file_cosine is None else max(one.file_cosine - usual, 0.0) for one in candidates])


def _semantic_beside(candidates: Sequence[Candidate], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """The meaning of the candidates of the same file that come before and after."""
    beside = np.zeros(len(candidates))
    order = sorted(range(len(candidates)), key=lambda place: (candidates[place].file, candidates[place].start_line))
    for one, other in pairwise(order):
        if candidates[one].file == candidates[other].file:
            beside[one] += own[other]
            beside[other] += own[one]
    return beside


def _bm25f(
    question: Question, candidates: Sequence[Candidate], facts: Facts, idf: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """BM25F of all fields and BM25 of the names, a row each, and the largest share of the question that one holds."""
    all_fields, names_only, shares = (np.zeros(len(candidates)) for _ in range(3))
    total = sum(idf.values()) or 1.0
    for place, candidate in enumerate(candidates):
        norm = _K1 * (1 - _B + _B * candidate.length / facts.mean_length)
        text = f"{candidate.body} {candidate.names} {candidate.stem} {candidate.folders}"
        # Most words stand in few candidates, and a look at the whole text is much cheaper than one at its words.
        terms = [term for term in question.terms if term in text]
        if not terms:
            continue
        body, names = candidate.body.split(" "), candidate.names.split(" ")
        stem, folders = candidate.stem.split(" "), candidate.folders.split(" ")
        for term in terms:
            named = names.count(term)
            frequency = body.count(term) + _NAMES * named + _STEM * stem.count(term) + folders.count(term)
            all_fields[place] += idf[term] * frequency / (norm + frequency)
            names_only[place] += idf[term] * named / (_K1 * (1 - _B + _B * len(names) / _NAMES_LENGTH) + named)
            shares[place] += idf[term] * (frequency > 0)
    return all_fields, names_only, float(shares.max()) / total


def _file_signals(
    question: Question, candidates: Sequence[Candidate], facts: Facts, idf: Mapping[str, float]
) -> dict[str, NDArray[np.float64]]:
    lengths = [tally[""] for tally in facts.tallies.values()]
    mean = sum(lengths) / max(1, len(lengths))
    total = sum(idf[term] for term in question.terms) or 1.0
    by_file: dict[int, tuple[float, float, float]] = {}
    raw = frozenset(question.raw)
    stems = frozenset(map(words.stem, raw))
    raw_text = _spaced(question.raw)
    # How each word looks for itself at the start of a path's words.
    begins = {term: f" {term}" if len(term) > 3 else None for term in question.terms}
    for candidate in candidates:
        if candidate.file in by_file:
            continue
        tally = facts.tallies.get(candidate.file, {})
        norm = _K1 * (1 - _B + _B * tally.get("", 0) / max(1.0, mean))
        inside = sum(idf[term] * tally.get(term, 0) / (norm + tally.get(term, 0)) for term in question.terms)
        stem, folders = _path_parts(candidate.path)
        found = 0.0
        for term, begin in begins.items():
            if term in stem.stems or (begin and begin in stem.text):
                found += idf[term]
            elif term in folders.stems or (begin and begin in folders.text):
                found += idf[term] / 2
        asked = sum(
            part in raw or stemmed in stems or (len(part) > 3 and f" {part}" in raw_text)
            for part, stemmed in zip(stem.parts, stem.stems, strict=True)
        )
        by_file[candidate.file] = (inside, found / total, asked / max(1, len(stem.parts)))
    columns = np.array([by_file[candidate.file] for candidate in candidates])
    return {"file words": columns[:, 0], "file name": columns[:, 1], "name in question": columns[:, 2]}


class _Parts(NamedTuple):
    parts: tuple[str, ...]
    """Lower-case words."""
    stems: tuple[str, ...]
    """One for each."""
    text: str
    """The words, each behind a space: a search for ` wor` finds those that begin so."""


@lru_cache(maxsize=100_000)
def _path_parts(path: str) -> tuple[_Parts, _Parts]:
    """The words of a file's name and of its last three folders."""
    pure = PurePosixPath(path)
    folders = [part for folder in pure.parts[-4:-1] for part in words.parts(folder)]
    return _parts(words.parts(pure.stem)), _parts(folders)


def _parts(parts: Sequence[str]) -> _Parts:
    return _Parts(tuple(parts), tuple(map(words.stem, parts)), _spaced(parts))


def _spaced(parts: Sequence[str]) -> str:
    return "".join(f" {part}" for part in parts)


def _definitions(question: Question, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    wanted = set(question.symbols)
    return np.array([1.0 if wanted & set(candidate.defines) else 0.0 for candidate in candidates])


def _stems(question: Question, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    wanted = set(question.symbols)
    if not wanted:
        return np.zeros(len(candidates))
    return np.array([1.0 if words.joined(PurePosixPath(one.path).stem) in wanted else 0.0 for one in candidates])


def _coherence(files: Sequence[Hashable], local: NDArray[np.float64]) -> NDArray[np.float64]:
    scores: dict[Hashable, list[float]] = defaultdict(list)
    for file, score in zip(files, local, strict=True):
        scores[file].append(score)
    sums = {file: sum(sorted(values, reverse=True)[:_BEST_OF_FILE]) for file, values in scores.items()}
    return np.array([sums[file] for file in files])


def _penalties(question: Question, candidates: Sequence[Candidate]) -> dict[str, NDArray[np.float64]]:
    kept: dict[str, NDArray[np.float64]] = {}
    for place, candidate in enumerate(candidates):
        name, factor = penalty(candidate.path)
        if factor < 1 and not (name == "tests" and question.about_tests):
            kept.setdefault(name, np.ones(len(candidates)))[place] = factor
    return kept


def _copied(question: Question, candidate: Candidate) -> Hashable:
    # Somebody who names a symbol wants every place that defines it, and a text without words says nothing.
    if question.copies or not candidate.body or set(question.symbols) & set(candidate.defines):
        return candidate.id
    return candidate.body


def _repetition(groups: Sequence[Hashable], total: NDArray[np.float64], decay: float) -> NDArray[np.float64]:
    """What is taken off so that the best of each group keeps its score and each later one has `decay` of the last."""
    seen: dict[Hashable, int] = defaultdict(int)
    amounts = np.zeros(len(groups))
    for place in np.argsort(-total, kind="stable"):
        amounts[place] = total[place] * (decay ** seen[groups[place]] - 1)
        seen[groups[place]] += 1
    return amounts


def _between(ends: tuple[float, float], share: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * share


def _scaled(row: NDArray[np.float64]) -> NDArray[np.float64]:
    most = float(row.max())
    return row / most if most > 0 else row
