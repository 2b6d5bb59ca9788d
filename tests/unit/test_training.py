"""The written questions are of packages learned from, never of those that judge; their signals rank as the product."""

from __future__ import annotations

import importlib
import io
import random
import re
import tarfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from connote.embed import EmbedOptions, open_embedder
from connote.rank.ranking import WEIGHTS

SERVER = Path(__file__).resolve().parents[2] / "server"
TRAINING = SERVER / "training"
CATEGORIES = {"semantic", "architecture", "symptom", "short"}
WAITING = '''def {0}(job):
    """Wait a little longer after each failure, so that a busy server can recover."""
    pause = 1
    while not job.try_once():
        pause = min(pause * 2, 60)
        job.rest(pause)
    return job.result
'''
DRAWING = '''def {0}(canvas, circle):
    """Draw a filled circle with its outline."""
    canvas.fill(circle.centre, circle.radius, circle.colour)
    canvas.stroke(circle.centre, circle.radius, circle.outline)
    canvas.flush()
    return canvas
'''


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of the developers' tool, which is never installed."""
    monkeypatch.syspath_prepend(SERVER)
    names = ("archives", "signals", "weights")
    modules: dict[str, ModuleType] = {name: importlib.import_module(f"training.{name}") for name in names}
    return SimpleNamespace(**modules)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A package of two files."""
    path = tmp_path / "two-1.0.tgz"
    with tarfile.open(path, "w:gz") as packed:
        for name, text in (("retry", WAITING.format("again")), ("shapes", DRAWING.format("disc"))):
            entry = tarfile.TarInfo(f"two/{name}.py")
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text.encode()))
    return path


def name_of(archive: str) -> tuple[str, str]:
    """Source and name of a package, by its archive's; letters that archives write in other ways are one."""
    if archive.endswith(".whl"):
        source, name = "pypi", archive.split("-", maxsplit=1)[0]
    elif archive.endswith(".tgz"):
        source, name = "npm", re.split(r"-\d", archive)[0]
    else:
        source, name = "debian", archive.split("_", maxsplit=1)[0]
    return source, plain(name)


def plain(name: str) -> str:
    return re.sub(r"[-_./]+", "-", name.lower().replace("@", ""))


def test_each_written_question_is_of_a_package_learned_from(training: Any) -> None:
    lines = (TRAINING / "packages.tsv").read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    learned = {(source, plain(name)) for source, name, _version, _licence in fields}
    written = {name_of(one.package) for one in training.signals.read_written()}

    assert written
    assert written - learned == set()


def test_no_written_question_is_of_a_project_that_judges(training: Any) -> None:
    asked = {(one.package, one.path) for one in training.signals.read_written()}
    judged = [
        (package, path)
        for package, path in asked
        if training.archives.is_judged(name_of(package)[1]) or not training.archives.is_wanted(path)
    ]

    assert judged == []


def test_written_questions_are_whole_sorted_and_each_there_once(training: Any) -> None:
    written = training.signals.read_written()

    assert written == sorted(set(written))
    assert {one.category for one in written} == CATEGORIES
    for one in written:
        assert 1 <= one.first <= one.last, one
        assert one.question == " ".join(one.question.split()) != "", one
        assert "\\" not in one.path, one
        assert not one.path.startswith("/"), one
        assert ".." not in one.path.split("/"), one


def test_a_package_is_asked_by_the_product_and_its_signals_can_be_kept(
    training: Any, archive: Path, tmp_path: Path
) -> None:
    written = training.signals.Written
    asked = [
        written(archive.name, "two/retry.py", 1, 7, "semantic", "be patient with a server that has trouble"),
        written(archive.name, "two/shapes.py", 1, 6, "short", "draw a circle"),
    ]
    cases = list(training.signals.cases(archive, asked, open_embedder(EmbedOptions())))
    training.signals.save(tmp_path / "cases.npz", cases)
    kept = training.signals.load(tmp_path / "cases.npz")

    assert [("semantic", 1), ("short", 1)] == [(case.category, case.right.sum()) for case in kept]
    assert [case.right.tolist() for case in kept] == [case.right_file.tolist() for case in kept]
    assert training.weights.evaluate(kept, WEIGHTS) == training.weights.evaluate(cases, WEIGHTS) == (1.0, 1.0, 1.0)


def test_a_third_of_the_packages_is_never_searched_on(training: Any) -> None:
    cases = [SimpleNamespace(package=f"p{number % 9}") for number in range(27)]
    searched, checked = training.weights.split(cases)

    assert {case.package for case in checked} == {"p0", "p3", "p6"}
    assert len(searched) + len(checked) == len(cases)
    assert {case.package for case in searched}.isdisjoint(case.package for case in checked)


def test_changed_weights_differ_in_at_most_three_numbers_and_keep_within_bounds(training: Any) -> None:
    chance = random.Random(5)
    counts = set()
    for _ in range(200):
        weights = training.weights.changed(WEIGHTS, chance)
        pairs = [(weights.ends[name], WEIGHTS.ends[name]) for name in WEIGHTS.ends]
        pairs += [(weights.decay, WEIGHTS.decay), (weights.definition, WEIGHTS.definition)]
        counts.add(sum(new != old for pair, before in pairs for new, old in zip(pair, before, strict=True)))

        assert all(number >= 0 for pair, _before in pairs for number in pair)
        assert max(weights.decay) < 1
    assert {1, 2, 3} <= counts <= {0, 1, 2, 3}
