"""The command line: measure connote, and its peers if wanted, on the questions and on a public set."""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import connote
from benchmark import chart, figures, report
from benchmark.measure import Run, measure
from benchmark.packages import PackageError, obtain
from benchmark.peers import PeerError, peers
from benchmark.questions import HALVES, Subject, digests, read_half, read_public
from benchmark.systems import Connote, System

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
_NUMBERS = re.compile(r"\[[\d\s.,e-]+\]")
_EPILOG = """\
The questions kept for releases are not to be looked at while developing: leave --questions at `dev`.
The public set's folder holds a work tree NAME/ROOT for each name in ANNOTATIONS/corpora.json.
"""


def main() -> int:
    """Do what the command line asks for, and return the exit code: 0 done, 2 something is missing."""
    options = _options()
    _forget_settings()
    logging.getLogger().setLevel(logging.ERROR)
    try:
        systems: list[System] = [Connote(), *map(Connote, options.onnx), *peers(options.peers)]
    except PeerError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="connote-benchmark-", ignore_cleanup_errors=True) as temporary:
        work = options.work.resolve() if options.work else Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        try:
            measured = {name: _measured(name, systems, options, work) for name in _sets(options)}
        except PackageError as error:
            print(error, file=sys.stderr)
            return 2
    if options.rows:
        rows = {
            name: {system: list(map(_row, runs)) for system, runs in some.items()} for name, some in measured.items()
        }
        options.rows.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    sets = {name: _figures(name, systems, runs) for name, runs in measured.items()}
    print("\n\n".join(report.tables(name, table) for name, table in sets.items()))
    if options.write:
        _write(sets)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/quality/benchmark",
        description="Measure connote, and its peers if wanted, on the questions and on a public set.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--questions", choices=(*HALVES, "all", "none"), default="dev", help="default: dev")
    parser.add_argument("--public", type=Path, metavar="DIR", help="the work trees of a public set; with --annotations")
    parser.add_argument("--annotations", type=Path, metavar="DIR", help="its corpora.json and annotations/NAME.json")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these packages or repositories")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="where packages are unpacked and kept (default: nowhere)"
    )
    parser.add_argument(
        "--archives", type=Path, metavar="DIR", help="archives that are there already, and where new ones are put"
    )
    parser.add_argument(
        "--peers", nargs="*", choices=("bm25", "ripgrep", "semble"), help="all of them, or these; default: bm25"
    )
    parser.add_argument(
        "--onnx",
        nargs="+",
        type=Path,
        default=[],
        metavar="DIR",
        help="connote with the ONNX models in these folders, too",
    )
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write what became of each question, as JSON")
    parser.add_argument("--write", action="store_true", help="rewrite golden/figures.json, figures.md and chart.svg")
    options = parser.parse_args()
    if bool(options.public) != bool(options.annotations):
        parser.error("--public and --annotations belong together")
    if options.write and options.only:
        parser.error("--write is for whole sets, not with --only")
    if options.peers is None:
        options.peers = ["bm25"]
    elif not options.peers:
        options.peers = ["bm25", "ripgrep", "semble"]
    return options


def _forget_settings() -> None:
    for name in list(os.environ):
        if name.startswith("CONNOTE_") and not name.startswith("CONNOTE_TEST_"):
            del os.environ[name]


def _sets(options: argparse.Namespace) -> list[str]:
    halves = {"all": list(HALVES), "none": []}.get(options.questions, [options.questions])
    return halves + ["public"] * bool(options.public)


def _measured(name: str, systems: Sequence[System], options: argparse.Namespace, work: Path) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {system.name: [] for system in systems}
    for subject, root in _subjects(name, options, work):
        for system in systems:
            run = measure(system, subject, root, work, public=name == "public")
            runs[system.name].append(run)
            print(f"{name} {subject.name:<20} {system.name:<10} index {run.index_seconds:.1f} s", file=sys.stderr)
    if not all(runs.values()):
        raise PackageError(f"there is nothing to measure in the set {name}")
    return runs


def _subjects(name: str, options: argparse.Namespace, work: Path) -> list[tuple[Subject, Path]]:
    wanted = options.only
    if name != "public":
        archives = options.archives or Path(os.environ.get("CONNOTE_TEST_CACHE") or work / "archives")
        return [
            (subject, obtain(subject.package, work, archives.resolve()))
            for subject in read_half(name)
            if subject.package and (not wanted or subject.name in wanted)
        ]
    found = []
    subjects, roots = read_public(options.annotations)
    for subject in subjects:
        root = (options.public / subject.name / roots[subject.name]).resolve()
        if wanted and subject.name not in wanted:
            continue
        if root.is_dir():
            found.append((subject, root))
        else:
            print(f"{subject.name} has no work tree at {root} and is left out", file=sys.stderr)
    return found


def _figures(name: str, systems: Sequence[System], runs: dict[str, list[Run]]) -> dict[str, Any]:
    table = figures.of_set(runs, public=name == "public")
    for system in systems:
        table["systems"][system.name]["note"] = system.note
    return {
        "connote": connote.__version__,
        "commit": _commit(),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "files": {} if name == "public" else digests(name),
        **table,
    }


def _commit() -> str:
    def git(*command: str) -> str:
        done = subprocess.run(["git", *command], cwd=GOLDEN, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", ":/server/connote")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")


def _row(run: Run) -> dict[str, Any]:
    row = dataclasses.asdict(run)
    row["subject"] = run.subject.name
    for asked in row["asked"]:
        asked["score"] = asked["score"]._asdict()
    return row


def _write(sets: dict[str, Any]) -> None:
    """Replace the measured sets in the kept figures; those not measured now stay, with the commit they are of."""
    path = GOLDEN / "figures.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["sets"] if path.is_file() else {}
    merged = {**kept, **sets}
    everything = {"sets": {name: merged[name] for name in (*HALVES, "public") if name in merged}}
    text = json.dumps(everything, indent=1, allow_nan=False)
    text = _NUMBERS.sub(lambda found: " ".join(found.group().split()), text)  # one line a figure reads best in a diff
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    (GOLDEN / "figures.md").write_text(report.markdown(everything), encoding="utf-8", newline="\n")
    chart.draw(everything["sets"], GOLDEN / "chart.svg")
