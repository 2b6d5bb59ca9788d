"""Quality against index time as an SVG: one dot for each system and set."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

_PANELS = (
    ("questions, line level", ("dev", "release"), "lines_5", "right lines in top 5"),
    ("public set, file level", ("public",), "ndcg_10", "NDCG@10"),
)
_COLORS = {"connote": "#d1495b", "semble": "#00798c", "BM25": "#6c757d", "ripgrep": "#b8860b"}
_MARKERS = {"dev": "o", "release": "D", "public": "s"}
_AT_ONCE = 1.0
"""Seconds; where a system without an index is drawn, since zero has no place on a logarithmic axis."""


def draw(sets: Mapping[str, Any], path: Path) -> None:
    """Write the chart of all sets' figures. The same figures give the same bytes. Needs matplotlib."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("svg")
    pyplot: Any = import_module("matplotlib.pyplot")
    panels = [panel for panel in _PANELS if any(name in sets for name in panel[1])]
    with matplotlib.rc_context({"svg.hashsalt": "connote", "svg.fonttype": "none", "font.size": 10}):
        figure, axes = pyplot.subplots(1, len(panels), figsize=(5 * len(panels), 5), squeeze=False)
        for axis, (title, names, measure, label) in zip(axes[0], panels, strict=True):
            _panel(axis, {name: sets[name] for name in names if name in sets}, measure)
            axis.set(title=title, xlabel="seconds to index the set (no index: left edge)", ylabel=label)
        figure.tight_layout()
        figure.savefig(path, format="svg", metadata={"Date": None})
        pyplot.close(figure)


def _panel(axis: Any, sets: Mapping[str, Any], measure: str) -> None:
    for name, figures in sets.items():
        for system, table in figures["systems"].items():
            value, *ends = table["questions"][measure]
            seconds = max(table["index_seconds"], _AT_ONCE)
            color = _COLORS.get(system, "black")
            if ends:
                axis.vlines(seconds, *ends, color=color, alpha=0.35)
            text = system if len(sets) == 1 else f"{system}, {name}"
            axis.scatter([seconds], [value], color=color, marker=_MARKERS.get(name, "o"), label=text, zorder=3)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter("{x:g}")
    axis.set_xlim(left=_AT_ONCE / 1.5)
    axis.set_ylim(0, 1)
    axis.grid(alpha=0.2)
    # Words beside the dots would cover each other.
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncol=2, frameon=False)
