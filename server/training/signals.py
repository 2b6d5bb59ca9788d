"""The ranker's signals for written questions: `python -m training.signals ARCHIVES CASES.npz [--packages N]`.

Each package is indexed and asked by the product itself, so what is kept is what its ranker sees. Archives are found
below ARCHIVES by their file name; the packages whose archive is not there are named and left out.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from connote.config import Settings
from connote.embed import Embedder, open_embedder
from connote.engine.search import Searcher
from connote.model import Candidate
from connote.rank import read_question
from connote.rank.ranking import Signals, signals
from connote.store import Filter, Store
from connote.sync import Sync
from training.archives import sources

WRITTEN = Path(__file__).parent / "written" / "questions.tsv"
_MORE_FILES = 130
"""Of a package, beside those that are asked for: a large one would take an hour."""


class Written(NamedTuple):
    """A question, and the lines that answer it."""

    package: str
    """Its archive's file name."""
    path: str
    first: int
    last: int
    category: str
    question: str


@dataclass(frozen=True)
class Case:
    """A question's signals, and which of its candidates are right; arrays have a place for each candidate."""

    package: str
    category: str
    found: Signals
    right: NDArray[np.bool_]
    """Candidates that share half of their lines, or half of the answer's, with the answer."""
    right_file: NDArray[np.bool_]


def read_written(path: Path = WRITTEN) -> list[Written]:
    """The questions of a file with a header."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    fields = (line.split("\t") for line in lines)
    return [Written(package, at, int(first), int(last), *rest) for package, at, first, last, *rest in fields]


def cases(archive: Path, questions: Sequence[Written], embedder: Embedder) -> Iterator[Case]:
    """Index a package in a folder for the time being, and ask all its questions; one without candidates is left out."""
    with tempfile.TemporaryDirectory() as folder:
        root, settings = Path(folder, "package"), Settings()
        _unpack(archive, {question.path for question in questions}, root)
        with closing(Store(Path(folder, "index"), settings.store)) as store:
            Sync(root, store, lambda: embedder, (settings.walk, settings.chunk)).run()
            searcher = Searcher(root, store, settings)
            for one in questions:
                question, vector = read_question(one.question), embedder.embed_query(one.question)
                candidates, facts = searcher.candidates(question, vector, Filter())
                if candidates:
                    found = signals(question, candidates, facts)
                    right = np.array([_is_right(candidate, one) for candidate in candidates])
                    right_file = np.array([candidate.path == one.path for candidate in candidates])
                    yield Case(one.package, one.category, found, right, right_file)


def save(path: Path, kept: Sequence[Case]) -> None:
    """Write cases: those of all questions in a row, and where each begins."""
    names = list(kept[0].found.rows)
    np.savez_compressed(
        path,
        names=names,
        package=[case.package for case in kept],
        category=[case.category for case in kept],
        held=[case.found.held for case in kept],
        alone=[case.found.alone for case in kept],
        ends=np.cumsum([len(case.right) for case in kept]),
        rows=np.concatenate([[case.found.rows[name] for name in names] for case in kept], axis=1).astype(np.float32),
        # Penalties never meet at one place, so their product says all.
        left=np.concatenate([np.prod([np.ones(len(case.right)), *case.found.kept.values()], axis=0) for case in kept]),
        files=np.concatenate([_numbers(case.found.files) for case in kept]),
        texts=np.concatenate([_numbers(case.found.texts) for case in kept]),
        right=np.concatenate([case.right for case in kept]),
        right_file=np.concatenate([case.right_file for case in kept]),
    )


def load(path: Path) -> list[Case]:
    """What `save` wrote; the penalties of a place have become one."""
    with np.load(path) as packed:
        kept = {name: packed[name] for name in packed.files}
    cases = []
    for number, end in enumerate(kept["ends"]):
        part = slice(kept["ends"][number - 1] if number else 0, end)
        found = Signals(
            rows=dict(zip(kept["names"].tolist(), kept["rows"][:, part].astype(float), strict=True)),
            held=float(kept["held"][number]),
            alone=bool(kept["alone"][number]),
            files=kept["files"][part].tolist(),
            texts=kept["texts"][part].tolist(),
            kept={"penalties": kept["left"][part]},
        )
        package, category = str(kept["package"][number]), str(kept["category"][number])
        cases.append(Case(package, category, found, kept["right"][part], kept["right_file"][part]))
    return cases


def _unpack(archive: Path, asked: set[str], root: Path) -> None:
    files = sources(archive)
    random.Random(archive.name).shuffle(files)  # noqa: S311 - a choice of files is no secret
    files.sort(key=lambda file: file.path not in asked)
    for file in files[: len(asked) + _MORE_FILES]:
        place = root / file.path
        # An archive may hold any name, and nothing of it is written elsewhere.
        if root.resolve() in place.resolve().parents:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)


def _is_right(candidate: Candidate, asked: Written) -> bool:
    shared = min(candidate.end_line, asked.last) - max(candidate.start_line, asked.first) + 1
    shorter = min(candidate.end_line - candidate.start_line, asked.last - asked.first) + 1
    return candidate.path == asked.path and shared >= shorter / 2


def _numbers(groups: Sequence[Hashable]) -> NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups])


def main() -> None:
    """Keep the signals of every package whose archive is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--packages", type=int, help="so many of them; all without it")
    options = parser.parse_args()
    by_package: dict[str, list[Written]] = defaultdict(list)
    for one in read_written():
        by_package[one.package].append(one)
    there = {path.name: path for path in options.archives.rglob("*") if path.name in by_package}
    embedder = open_embedder(Settings().embed, None)
    kept: list[Case] = []
    if missing := sorted(set(by_package) - set(there)):
        sys.stderr.write(f"not there: {', '.join(missing)}\n")
    # Not by the alphabet, in which packages of one maker stand together.
    chosen = random.Random(0).sample(sorted(there), len(there))  # noqa: S311 - nothing here is secret
    for package in sorted(chosen[: options.packages]):
        kept += cases(there[package], by_package[package], embedder)
        sys.stderr.write(f"{package}: {len(kept)} questions so far\n")
    if not kept:
        raise SystemExit("No archive of the written questions is there: get them with training.fetch.")
    save(options.cases, kept)


if __name__ == "__main__":
    main()
