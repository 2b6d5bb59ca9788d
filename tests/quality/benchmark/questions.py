"""The questions and what they are about: read from TOML files, or from the annotations of a public set."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed where it is needed

FOLDER = Path(__file__).resolve().parents[1] / "questions"
HALVES = ("dev", "release")


@dataclass(frozen=True)
class Place:
    """Lines of a file: 1-based, inclusive. Without lines (`last` is None) the whole file."""

    path: str
    """Relative to the indexed folder, with `/`."""
    first: int = 1
    last: int | None = None

    @property
    def middle(self) -> int:
        """The line that surely belongs to what the place is about: the first ones may be a comment."""
        return (self.first + (self.last or self.first)) // 2


@dataclass(frozen=True)
class Package:
    """A pinned package: its archive, and the folder inside that is indexed."""

    name: str
    version: str
    source: str
    """`debian`, `npm`, `pypi-wheel` or `pypi-sdist`."""
    sha256: str
    root: str
    language: str


@dataclass(frozen=True)
class Question:
    """A question with all places that answer it."""

    query: str
    category: str
    answers: tuple[Place, ...]


@dataclass(frozen=True)
class Pair:
    """Two places that do alike."""

    kind: str
    left: Place
    right: Place


@dataclass(frozen=True)
class Subject:
    """One indexed folder with what is asked of it."""

    name: str
    language: str
    questions: tuple[Question, ...]
    absent: tuple[str, ...] = ()
    """Questions about what is not there."""
    pairs: tuple[Pair, ...] = ()
    package: Package | None = None
    """How to get it; None for a folder that is there already."""


def read_half(half: str, folder: Path = FOLDER) -> list[Subject]:
    """The subjects of one half of the question files, by file name. Raises KeyError for a file of another form."""
    return [read(path) for path in sorted((folder / half).glob("*.toml"))]


def read(path: Path) -> Subject:
    """The subject of one TOML file."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    package = Package(**{name: table["package"][name] for name in Package.__dataclass_fields__})
    questions = tuple(
        Question(one["query"], one["category"], tuple(_place(answer) for answer in one["answers"]))
        for one in table.get("question", [])
    )
    absent = tuple(one["query"] for one in table.get("absent", []))
    pairs = tuple(Pair(one["kind"], _place(one["left"]), _place(one["right"])) for one in table.get("pair", []))
    return Subject(path.stem, package.language, questions, absent, pairs, package)


def read_public(annotations: Path) -> tuple[list[Subject], dict[str, str]]:
    """The subjects of a public set, and the folder of each inside its work tree.

    `annotations` holds `corpora.json` (name: `language`, `root`) and `annotations/NAME.json`, a list of tasks with
    `query`, `category`, `relevant` and perhaps `secondary`: paths, or paths with `start_line` and `end_line`.
    """
    corpora = json.loads((annotations / "corpora.json").read_text(encoding="utf-8"))
    subjects = []
    for name in sorted(corpora):
        tasks = json.loads((annotations / "annotations" / f"{name}.json").read_text(encoding="utf-8"))
        questions = tuple(
            Question(task["query"], task["category"], tuple(map(_target, task["relevant"] + task.get("secondary", []))))
            for task in tasks
        )
        subjects.append(Subject(name, corpora[name]["language"], questions))
    return subjects, {name: corpora[name]["root"] for name in corpora}


def digests(half: str, folder: Path = FOLDER) -> dict[str, str]:
    """SHA-256 of each question file of a half, whatever line ends a checkout gives it."""
    return {
        path.name: hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        for path in sorted((folder / half).glob("*.toml"))
    }


def _place(table: dict[str, Any]) -> Place:
    first, last = table["lines"]
    return Place(table["path"], first, last)


def _target(target: str | dict[str, Any]) -> Place:
    if isinstance(target, str):
        return Place(target)
    first, last = target.get("start_line"), target.get("end_line")
    return Place(target["path"]) if first is None or last is None else Place(target["path"], first, last)
