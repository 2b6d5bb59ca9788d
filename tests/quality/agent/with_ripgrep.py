"""The agent that has ripgrep and file reads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

from agent.context import Context, Shown, Sources, numbered
from benchmark.peers import densest
from connote import words

MOST_RESULT = 8_000
"""Bytes of a search's result: as many as connote's has characters by default."""
LINES_OF_A_FILE = 5
LONGEST = 300
"""Characters of a line in a search's result."""
WINDOW = 30
FILES_WITH_WINDOWS = 10

Matches = dict[str, list[tuple[int, str]]]
"""Path to (line, word) of each match, in the order of the lines."""


class RipgrepMissingError(Exception):
    """There is no ripgrep; the message says what to do."""


class RipgrepAgent:
    """Searches one package; `windows` has it look at the densest windows first."""

    def __init__(self, rg: str, root: Path, sources: Sources, *, windows: bool) -> None:
        self._rg, self._root, self._sources, self._windows = rg, root, sources, windows

    def read(self, question: str, context: Context) -> None:
        """Call after call, until there is nothing more to be read."""
        found = matches(self._rg, self._root, question)
        ranked = sorted(found, key=lambda path: (-len({word for _, word in found[path]}), -len(found[path]), path))
        context.take(*result(found, ranked, self._sources))
        if self._windows:
            for path in ranked[:FILES_WITH_WINDOWS]:
                self._window(path, found[path], context)
        for path in ranked:
            for first, last in self._sources.pages(path):
                self._lines(path, first, last, context)

    def _window(self, path: str, found: list[tuple[int, str]], context: Context) -> None:
        span, total = densest(path, found), len(self._sources.lines(path))
        first = max(1, span.start - (WINDOW - (span.end - span.start + 1)) // 2)
        last = min(total, first + WINDOW - 1)
        self._lines(path, max(1, last - WINDOW + 1), last, context)

    def _lines(self, path: str, first: int, last: int, context: Context) -> None:
        if not context.done and not context.has_seen(path, first, last):
            context.take(*numbered(path, first, self._sources.lines(path)[first - 1 : last]))


def find_ripgrep(wanted: str | None) -> str:
    """The program to run. Raises RipgrepMissingError."""
    found = shutil.which(wanted or "rg")
    if found is None:
        raise RipgrepMissingError(
            f"{wanted or 'ripgrep'} is not installed: `apt-get install ripgrep`, or name it by --rg"
        )
    return found


def version(rg: str) -> str:
    """What it calls itself."""
    return (
        subprocess.run([rg, "--version"], capture_output=True, text=True, check=True)
        .stdout.split(" (")[0]
        .split("\n")[0]
    )


def asked_words(question: str) -> list[str]:
    """The words of a question that are looked for."""
    every = words.unique(word.lower() for word in re.findall(r"\w+", question))
    return [word for word in every if word not in words.STOP_WORDS] or every


def matches(rg: str, root: Path, question: str) -> Matches:
    """What ripgrep finds for a question's words."""
    command = [rg, "--no-config", "--json", "-i", "-F"]
    command += [part for word in asked_words(question) for part in ("-e", word)] + ["--", "."]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    found: Matches = defaultdict(list)
    for row in map(json.loads, done.stdout.splitlines()):
        if row["type"] == "match" and "text" in row["data"]["path"]:
            path = Path(row["data"]["path"]["text"]).as_posix()
            for match in row["data"]["submatches"]:
                found[path].append((row["data"]["line_number"], match["match"]["text"].lower()))
    return found


def result(found: Matches, ranked: list[str], sources: Sources) -> tuple[int, list[Shown]]:
    """What the search gives the agent to read: its bytes and the lines that it shows whole."""
    size, shown = 0, []
    for path in ranked:
        of_lines: dict[int, set[str]] = defaultdict(set)
        for number, word in found[path]:
            of_lines[number].add(word)
        best = sorted(of_lines, key=lambda number: (-len(of_lines[number]), number))[:LINES_OF_A_FILE]
        rows = [(0, path)] + [
            (number, f"{number}:{sources.lines(path)[number - 1][:LONGEST]}") for number in sorted(best)
        ]
        for number, row in rows:
            size += len(row.encode("utf-8", "replace")) + 1
            if size > MOST_RESULT:
                return MOST_RESULT, shown
            if number and len(sources.lines(path)[number - 1]) <= LONGEST:
                shown.append(Shown(path, number, size))
    return size, shown
