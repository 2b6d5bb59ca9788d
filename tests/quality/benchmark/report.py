"""Figures as short Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_TITLES = {"dev": "Questions to develop on", "release": "Questions kept for releases", "public": "Public set"}
_NAMES = {
    "lines_5": "right lines in top 5",
    "file_5": "right file in top 5",
    "file_3": "right file in top 3",
    "ndcg_10": "NDCG@10",
}
_ABOUT = """\
# Figures

Written by `python tests/quality/benchmark --write`; not by hand.
A hit shows the right lines when half of it or half of an answer's lines lies in the other; a hit of over 150 lines \
only when half of it does.
In brackets: 95 % bootstrap intervals over questions (5,000 draws); for the mean of packages, whole packages are drawn.
An interval without width says that all questions went alike, not that the figure is sure.
Times are wall times of one run on the machine named with it, beside other work: compare lines of one table."""


def markdown(figures: Mapping[str, Any]) -> str:
    """The whole report: a part for each set, in the order of `figures["sets"]`."""
    parts = [_ABOUT] + [_part(name, table) for name, table in figures["sets"].items()]
    return "\n\n".join([*parts, "![quality against index time](chart.svg)"]) + "\n"


def tables(name: str, figures: Mapping[str, Any]) -> str:
    """The report of one set alone."""
    return _part(name, figures)


def _part(name: str, figures: Mapping[str, Any]) -> str:
    systems = figures["systems"]
    ours = systems["connote"]
    measures = [measure for measure in ours["questions"] if measure in _NAMES]
    of = "repositories" if name == "public" else "packages"
    about = (
        f"{ours['questions']['n']} questions, {len(ours['package'])} {of}; connote {figures['connote']} at "
        f"`{figures['commit']}`, {figures['machine']}."
    )
    notes = [f"{system}: {table['note']}." for system, table in systems.items() if table.get("note")]
    parts = [f"## {_TITLES.get(name, name)}", "\n".join([about, *notes])]
    parts.append(_overall(systems, measures, figures["connote_to_bm25"], of))
    parts += [_by(one, systems, measures) for one in ("category", "language")]
    parts.append(_by("package", systems, measures[:1]))
    parts += filter(None, [_cutoff(ours), _pairs(systems)])
    return "\n\n".join(parts)


def _overall(systems: Mapping[str, Any], measures: Sequence[str], ratios: Mapping[str, list[float]], of: str) -> str:
    first = measures[0]
    head = ["system", *(_NAMES[one] for one in measures), f"{_NAMES[first]}, mean of {of}"]
    rows = [
        [
            name,
            *(_figure(table["questions"][one]) for one in measures),
            _figure(table["mean_of_packages"][first]),
            f"{table['index_seconds']:.1f}",
            f"{table['query_ms']['p50']:.1f} / {table['query_ms']['p95']:.1f}",
        ]
        for name, table in systems.items()
    ]
    if ratios:
        rows.append(["connote : BM25", *(_times(ratios[one]) for one in measures), "", "", ""])
    return _table([*head, "index, s", "query p50 / p95, ms"], rows)


def _by(field: str, systems: Mapping[str, Any], measures: Sequence[str]) -> str:
    """The first measure of every system, and connote's others without intervals."""
    first, *others = measures
    names = list(systems)
    head = [field, "n", *(f"{name}: {_NAMES[first]}" for name in names)]
    head += [f"connote: {_NAMES[one]}" for one in others]
    rows = []
    for value, figures in systems["connote"][field].items():
        row = [value, str(figures["n"]), _figure(figures[first])]
        row += [_number(systems[name][field][value][first][0]) for name in names if name != "connote"]
        rows.append(row + [_number(figures[one][0]) for one in others])
    return _table(head, rows)


def _cutoff(ours: Mapping[str, Any]) -> str:
    rows = []
    if "absent" in ours:
        one = ours["absent"]
        label = "questions about what is not there that get no hit"
        rows.append([label, str(one["n"]), _figure(one["no_hit"]), _figure(one["no_hit_strictly"])])
    if "kept" in ours:
        one = ours["kept"]
        label = "right lines among the first 5 of all hits that are still shown"
        rows.append([label, str(one["n"]), _figure(one["kept"]), _figure(one["kept_strictly"])])
    head = ["connote's default minimum score", "n", "by default", "without the second attempt at half of it"]
    return _table(head, rows) if rows else ""


def _pairs(systems: Mapping[str, Any]) -> str:
    asked = {name: table["pairs"] for name, table in systems.items() if "pairs" in table}
    if "connote" not in asked:
        return ""
    rows = [["all", str(asked["connote"]["n"]), *(_figure(one["found"]) for one in asked.values())]]
    for kind, figures in asked["connote"]["kind"].items():
        row = [kind, str(figures["n"]), *(_figure(one["kind"][kind]["found"]) for one in asked.values())]
        rows.append(row)
    return _table(["similar code: partner in top 5, both directions", "n", *asked], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figure(figure: Sequence[float]) -> str:
    value, *ends = figure
    return f"{_number(value)} [{_number(ends[0])}, {_number(ends[1])}]" if ends else _number(value)


def _times(figure: Sequence[float]) -> str:
    if not figure:
        return "-"
    value, *ends = figure
    return f"{value:.2f}x [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else f"{value:.2f}x"


def _number(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"
