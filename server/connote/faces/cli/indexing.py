"""What `index`, `clear` and `stop` do."""

from __future__ import annotations

import dataclasses
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from connote import engine
from connote.faces import render
from connote.faces.cli.place import bring_up_to_date, locate, locate_project, settings_for
from connote.faces.cli.terminal import Output, say, stop_on_interrupt
from connote.model import Report

SHORTEST_WAIT_S = 1.0
"""How soon `--watch` looks again: about the time in which a person notices."""
WAIT_FACTOR = 20.0
"""How many times longer `--watch` waits than its last look took, so that it costs at most a twentieth of one core."""

_ENDED = {"stopped": "Ended the host of", "killed": "Ended, although it did not answer, the host of"}


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of `index`, as they were typed."""

    rebuild: bool
    dry_run: bool
    watch: bool
    format_: str
    index_dir: str | None


def index(path: str, wishes: Wishes) -> int:
    """Bring an index up to date and print the report; return the exit code."""
    place = locate_project(path)
    output = Output()
    with engine.open_index(place.root, settings_for(place.root, wishes.index_dir)) as opened:
        if wishes.dry_run:
            return _dry_run(opened, output, wishes)
        _print_report(output, bring_up_to_date(opened, rebuild=wishes.rebuild), wishes)
        if wishes.watch:
            _watch(opened, output, wishes)
    return 0


def clear(path: str | None, all_: bool, stale: bool, index_dir: str | None) -> int:
    """Remove indexes and say which; return the exit code."""
    output = Output()
    if not (all_ or stale):
        root = _root_of(path or ".")
        gone = engine.clear(root, settings_for(root if root.is_dir() else None, index_dir))
        output.write(f"Removed the index of {root}.\n" if gone else f"There is no index of {root}.\n")
        return 0
    settings = settings_for(None, index_dir)
    roots = [root for root, _, _ in engine.indexed_roots(settings) if all_ or not root.is_dir()]
    for root in roots:
        engine.clear(root, settings)
        output.write(f"Removed the index of {root}.\n")
    cache = engine.clear_cache(settings) if all_ else None
    if cache:
        output.write(f"Removed the vectors that indexes share, in {cache}.\n")
    if not (roots or cache):
        output.write("There is no index.\n" if all_ else "There is no index of a root that is gone.\n")
    return 0


def stop(path: str | None, all_: bool, index_dir: str | None) -> int:
    """End hosts and say which; return the exit code."""
    output = Output()
    if all_:
        ended = engine.stop_all(settings_for(None, index_dir))
        for ended_root, how in ended:
            output.write(f"{_ENDED[how]} {ended_root}.\n")
        if not ended:
            output.write("There is no host.\n")
        return 0
    root = _root_of(path or ".")
    outcome = engine.stop(root, settings_for(root if root.is_dir() else None, index_dir))
    output.write(f"{_ENDED[outcome]} {root}.\n" if outcome else f"There is no host of {root}.\n")
    return 0


def report_text(report: Report) -> str:
    """Return what a sync did, in one or two sentences."""
    total = report.added + report.changed + report.unchanged
    if not (report.added or report.changed or report.removed):
        return f"Nothing to do: {_count(total, 'file')} up to date."
    parts = [
        f"{number:,} {word}"
        for number, word in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.removed, "removed"),
            (report.unchanged, "unchanged"),
        )
        if number
    ]
    text = f"Indexed {_count(report.added + report.changed, 'file')} ({', '.join(parts)})."
    if report.embedded or report.reused:
        text += f" Embedded {_count(report.embedded, 'chunk')}, reused {report.reused:,}."
    return text


def _print_report(output: Output, report: Report, wishes: Wishes) -> None:
    if wishes.format_ == "json":
        fields = dataclasses.asdict(report)
        del fields["cancelled"]  # A cancelled sync ends the command before it reports.
        output.write(render.to_json(fields, ascii_only=not output.unicode) + "\n")
        return
    output.write(f"{report_text(report)}\n")
    for problem in report.problems:
        say(f"{problem.path}: {problem.reason}")


def _dry_run(opened: engine.Index, output: Output, wishes: Wishes) -> int:
    with stop_on_interrupt() as stop:
        found = opened.estimate(stop)
    if wishes.format_ == "json":
        fields = dataclasses.asdict(found)
        if found.cost is None:
            del fields["cost"]
        output.write(render.to_json(fields) + "\n")
        return 0
    if not found.files:
        output.write("There is nothing to index.\n")
        return 0
    output.write(
        f"There {'is' if found.files == 1 else 'are'} {_count(found.files, 'file')} to index, "
        f"in {_count(found.chunks, 'chunk')}. "
        f"To embed: {_count(found.texts, 'text')}, about {_count(found.tokens, 'token')}"
        f"{'' if found.cost is None else f', which cost about {found.cost:,.2f}'}. "
        "Nothing was changed or sent.\n"
    )
    return 0


def _watch(opened: engine.Index, output: Output, wishes: Wishes) -> None:
    if wishes.format_ != "json":
        say("watching; Ctrl-C ends it")
    with stop_on_interrupt() as stop:
        wait_s = SHORTEST_WAIT_S
        while not _stopped(stop, wait_s):
            began = time.monotonic()
            report = opened.sync(cancel=stop)
            wait_s = max(SHORTEST_WAIT_S, WAIT_FACTOR * (time.monotonic() - began))
            if report.added or report.changed or report.removed:
                _print_report(output, report, wishes)


def _stopped(stop: threading.Event, wait_s: float) -> bool:
    return stop.wait(wait_s)


def _root_of(path: str) -> Path:
    # A root that is gone can still have an index; then the path itself names it.
    return locate(path).root if Path(path).exists() else Path(path).absolute()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
