"""What an agent has read: bytes, lines, and whether that solves the question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmark.questions import Place, Question

MOST_BYTES = 100_000
"""Bytes after which an agent gives a question up."""
FAR = 1_000_000
"""Bytes after which it does where it is only looked how far it would have had to go."""
PAGE = 200
"""Lines that it reads of a file at once."""


class Shown(NamedTuple):
    """A line that a result shows whole."""

    path: str
    number: int
    end: int
    """How many bytes of lines the result has up to here."""


@dataclass(frozen=True)
class Outcome:
    """What became of a question."""

    solved: bool
    bytes: int
    calls: int


class Sources:
    """The files of a package, as lines without their ends."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        if path not in self._files:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
            self._files[path] = [line.rstrip("\r") for line in text.split("\n")]
        return self._files[path]

    def pages(self, path: str) -> list[tuple[int, int]]:
        """The first and the last line of each page of a file."""
        total = len(self.lines(path))
        return [(first, min(first + PAGE - 1, total)) for first in range(1, total + 1, PAGE)]


class Context:
    """An agent's memory for one question."""

    def __init__(self, question: Question, sources: Sources, most: int = MOST_BYTES) -> None:
        self._sources, self._most = sources, most
        self._seen: dict[str, set[int]] = defaultdict(set)
        self._wanted = [(answer.path, self._with_text(answer)) for answer in question.answers]
        self._bytes = self._calls = 0

    @property
    def solved(self) -> bool:
        """Whether half of the lines of an answer have been seen, blank ones aside."""
        return any(2 * len(lines & self._seen[path]) >= len(lines) for path, lines in self._wanted)

    @property
    def done(self) -> bool:
        """Whether there is nothing more to be read."""
        return self.solved or self._bytes >= self._most

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.solved, self._bytes, self._calls)

    def take(self, size: int, shown: Iterable[Shown]) -> None:
        """Read a result of so many bytes that shows these lines, as far as there is room for it."""
        room = self._most - self._bytes
        for line in shown:
            if line.end <= room:
                self._seen[line.path].add(line.number)
        self._bytes += min(size, room)
        self._calls += 1

    def has_seen(self, path: str, first: int, last: int) -> bool:
        """Whether all lines with text of a place have been seen."""
        return self._with_text(Place(path, first, last)) <= self._seen[path]

    def _with_text(self, place: Place) -> frozenset[int]:
        lines = self._sources.lines(place.path)
        last = min(place.last or len(lines), len(lines))
        return frozenset(number for number in range(place.first, last + 1) if lines[number - 1].strip())


def numbered(path: str, first: int, lines: Sequence[str]) -> tuple[int, list[Shown]]:
    """The bytes of lines with their ends, and the lines as they are shown."""
    size, shown = 0, []
    for number, line in enumerate(lines, first):
        size += len(line.encode("utf-8", "replace")) + 1
        shown.append(Shown(path, number, size))
    return size, shown
