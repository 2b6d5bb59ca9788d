"""Runs to figures: means with intervals, by category, language and package, and how systems compare."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmark import bootstrap
from benchmark.measure import Asked, Run

MEASURES = ("lines_5", "file_5", "file_3", "ndcg_10")
PUBLIC_MEASURES = ("ndcg_10", "file_5", "file_3")
"""The public set's targets are files, so lines say nothing there."""

Figure = list[float]
"""[value, low end, high end] with a 95 % interval, or [value] where there is too little for one."""


def of_set(runs: Mapping[str, Sequence[Run]], *, public: bool) -> dict[str, Any]:
    """The figures of one set: `runs` are a system's runs over the same subjects in the same order."""
    measures = PUBLIC_MEASURES if public else MEASURES
    return {
        "systems": {name: _system(some, measures) for name, some in runs.items()},
        "connote_to_bm25": _ratios(runs, measures),
    }


def _system(runs: Sequence[Run], measures: Sequence[str]) -> dict[str, Any]:
    rows = [(run, asked) for run in runs for asked in run.asked]
    figures: dict[str, Any] = {
        "questions": _means([asked for _, asked in rows], measures),
        "mean_of_packages": {
            name: _of_groups([[_value(asked, name) for asked in run.asked] for run in runs if run.asked])
            for name in measures
        },
        "category": _split(rows, lambda _, asked: asked.question.category, measures),
        "language": _split(rows, lambda run, _: run.subject.language, measures),
        "package": _split(rows, lambda run, _: run.subject.name, measures),
        "index_seconds": round(sum(run.index_seconds for run in runs), 2),
        "query_ms": _latency([asked.milliseconds for _, asked in rows]),
    }
    for run in runs:
        figures["package"].get(run.subject.name, {})["index_seconds"] = round(run.index_seconds, 2)
    return {**figures, **_cutoff(runs), **_pairs(runs)}


def _cutoff(runs: Sequence[Run]) -> dict[str, Any]:
    """How well the default score tells what is there from what is not."""
    absent = [one for run in runs for one in run.absent]
    found = [asked for run in runs for asked in run.asked if asked.uncut_right]
    figures: dict[str, Any] = {}
    if absent:
        figures["absent"] = {
            "n": len(absent),
            "no_hit": mean([one.silent for one in absent]),
            "no_hit_strictly": mean([one.silent_strictly for one in absent]),
        }
    if found:
        figures["kept"] = {
            "n": len(found),
            "kept": mean([bool(asked.kept) for asked in found]),
            "kept_strictly": mean([bool(asked.kept_strictly) for asked in found]),
        }
    return figures


def _pairs(runs: Sequence[Run]) -> dict[str, Any]:
    mates = [mate for run in runs for mate in run.mates]
    if not mates:
        return {}
    by_kind = {
        kind: {
            "n": sum(mate.kind == kind for mate in mates),
            "found": mean([m.found for m in mates if m.kind == kind]),
        }
        for kind in sorted({mate.kind for mate in mates})
    }
    return {"pairs": {"n": len(mates), "found": mean([mate.found for mate in mates]), "kind": by_kind}}


def _ratios(runs: Mapping[str, Sequence[Run]], measures: Sequence[str]) -> dict[str, Figure]:
    if not {"connote", "BM25"} <= runs.keys():
        return {}
    ours, theirs = ([asked for run in runs[name] for asked in run.asked] for name in ("connote", "BM25"))
    if [asked.question for asked in ours] != [asked.question for asked in theirs]:
        raise ValueError("connote and BM25 were asked different questions")
    return {
        name: ratio([_value(one, name) for one in ours], [_value(one, name) for one in theirs]) for name in measures
    }


def _split(
    rows: Iterable[tuple[Run, Asked]], key: Callable[[Run, Asked], str], measures: Sequence[str]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Asked]] = {}
    for run, asked in rows:
        groups.setdefault(key(run, asked), []).append(asked)
    return {name: _means(groups[name], measures) for name in sorted(groups)}


def _means(asked: Sequence[Asked], measures: Sequence[str]) -> dict[str, Any]:
    return {"n": len(asked), **{name: mean([_value(one, name) for one in asked]) for name in measures}}


def _value(asked: Asked, measure: str) -> float:
    return float(getattr(asked.score, measure))


def mean(values: Sequence[float]) -> Figure:
    """The mean over questions with its interval; one value has none."""
    value = statistics.fmean(values)
    return _rounded(value, *(bootstrap.of_mean(values) if len(values) > 1 else ()))


def ratio(values: Sequence[float], others: Sequence[float]) -> Figure:
    """One mean over another over the same questions, with its paired interval; infinite ends are left out."""
    below = statistics.fmean(others)
    if not below:
        return []
    low, high = bootstrap.of_ratio(values, others)
    return _rounded(statistics.fmean(values) / below, *((low, high) if math.isfinite(high) else ()))


def _of_groups(groups: Sequence[Sequence[float]]) -> Figure:
    value = statistics.fmean(statistics.fmean(group) for group in groups)
    return _rounded(value, *(bootstrap.of_mean_of_groups(groups) if len(groups) > 1 else ()))


def _rounded(*values: float) -> Figure:
    return [round(value, 4) for value in values]


def _latency(milliseconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    # The nearest rank: a search that took place.
    return {
        name: round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 2)
        for name, share in (("p50", 0.5), ("p95", 0.95))
    }
