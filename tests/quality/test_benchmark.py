"""The benchmark: when hits count, how sure a figure is, how packages are had, and that the kept figures are fresh."""

from __future__ import annotations

import hashlib
import io
import json
import math
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark import bootstrap, command, figures, judge, report
from benchmark.judge import Score, Span
from benchmark.measure import Absent, Asked, Mate, Run, measure
from benchmark.packages import PackageError, find, obtain
from benchmark.peers import densest
from benchmark.questions import FOLDER, HALVES, Package, Pair, Place, Question, Subject, digests, read, read_public
from benchmark.systems import Connote

GOLDEN = Path(__file__).parent / "golden"
RUNNER = Path(__file__).parent / "benchmark"
ANSWER = Place("a.py", 101, 120)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param(101, 120, True, id="the same lines"),
        pytest.param(111, 130, True, id="half of both"),
        pytest.param(112, 131, False, id="9 of 20 lines of both"),
        pytest.param(105, 106, True, id="a small part of the answer, but all of the hit"),
        pytest.param(1, 110, True, id="half of the answer in a longer hit"),
        pytest.param(1, 109, False, id="less than half of the answer"),
        pytest.param(51, 200, True, id="150 lines with all of the answer"),
        pytest.param(51, 201, False, id="151 lines with all of the answer"),
        pytest.param(121, 140, False, id="just behind it"),
        pytest.param(81, 100, False, id="just before it"),
    ],
)
def test_a_hit_shows_the_answer_when_half_of_one_lies_in_the_other(start: int, end: int, expected: bool) -> None:
    assert expected == judge.shows(Span("a.py", start, end), ANSWER)
    assert not judge.shows(Span("b/a.py", start, end), ANSWER)


def test_a_long_hit_counts_when_half_of_it_is_the_answer() -> None:
    long_answer = Place("a.py", 101, 300)

    assert judge.shows(Span("a.py", 200, 400), long_answer)  # 101 of 201 lines
    assert not judge.shows(Span("a.py", 201, 401), long_answer)  # 100 of 201 lines, and half of the answer


def test_ndcg_counts_each_answer_at_its_first_hit() -> None:
    other = Place("b.py", 1, 10)
    hits = [Span("c.py", 1, 9), Span("a.py", 101, 120), Span("a.py", 101, 120), Span("b.py", 1, 10)]
    ideal = 1 + 1 / math.log2(3)

    assert 1 / math.log2(3) == judge.ndcg(hits, [ANSWER], judge.shows)
    assert (1 / math.log2(3) + 1 / math.log2(5)) / ideal == pytest.approx(
        judge.ndcg(hits, [ANSWER, other], judge.shows)
    )
    assert 0 == judge.ndcg([Span("c.py", 1, 9)] * 10 + hits, [ANSWER], judge.shows)
    assert 0 == judge.ndcg(hits, [], judge.shows)


def test_a_question_is_scored_by_its_first_hits() -> None:
    wrong = Span("a.py", 1, 20)

    assert Score(True, True, True, 1.0) == judge.score([Span("a.py", 101, 120)], [ANSWER])
    assert Score(False, True, True, 0.0) == judge.score([wrong], [ANSWER])
    found_fourth = judge.score([Span("b.py", 1, 2)] * 3 + [Span("a.py", 101, 120)], [ANSWER])
    assert (True, True, False) == found_fourth[:3]
    found_sixth = judge.score([Span("b.py", 1, 2)] * 5 + [Span("a.py", 101, 120)], [ANSWER])
    assert (False, False, False) == found_sixth[:3]
    assert 1 / math.log2(7) == found_sixth.ndcg_10
    assert Score(False, False, False, 0.0) == judge.score([], [ANSWER])


def test_a_public_target_is_a_file_whatever_folder_its_path_begins_at() -> None:
    hit = Span("lib/app/core.ex", 10, 20)

    assert judge.touches(hit, Place("app/core.ex"))
    assert judge.touches(hit, Place("repo/lib/app/core.ex"))
    assert not judge.touches(hit, Place("p/core.ex"))
    assert judge.touches(hit, Place("app/core.ex", 20, 90))
    assert not judge.touches(hit, Place("app/core.ex", 21, 90))


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    low, high = bootstrap.of_mean(few)
    narrow_low, narrow_high = bootstrap.of_mean(many)

    # The standard error of 20 fair coins is .5 / sqrt(20) = .112, and 1.96 of them reach .28 and .72.
    assert 0.28 == pytest.approx(low, abs=0.05)
    assert 0.72 == pytest.approx(high, abs=0.05)
    assert 2 * 1.96 * 0.5 / math.sqrt(1000) == pytest.approx(narrow_high - narrow_low, rel=0.1)
    assert (1.0, 1.0) == bootstrap.of_mean([1.0] * 20)
    assert (low, high) == bootstrap.of_mean(few)


def test_a_ratio_is_paired_over_questions() -> None:
    values = [0.2, 0.9, 0.4, 0.7, 0.1, 0.6]

    assert pytest.approx((2.0, 2.0)) == bootstrap.of_ratio([2 * value for value in values], values)
    low, high = bootstrap.of_ratio([2 * value for value in values], values[::-1])
    assert low < 2 < high
    assert math.inf == bootstrap.of_ratio([1.0, 1.0], [0.0, 1.0])[1]
    with pytest.raises(ValueError, match="paired"):
        bootstrap.of_ratio(values, values[1:])


def test_the_mean_of_groups_draws_whole_groups() -> None:
    groups = [[0.0] * 50, [1.0] * 50]

    assert (0.0, 1.0) == bootstrap.of_mean_of_groups(groups)
    assert (0.5, 0.5) == bootstrap.of_mean_of_groups([[0.0, 1.0], [1.0, 0.0]])


def test_a_person_with_ripgrep_looks_where_most_words_stand_together() -> None:
    scattered = [
        (1, "retry"),
        (2, "retry"),
        (3, "retry"),
        (100, "retry"),
        (110, "limit"),
        (129, "limit"),
        (131, "retry"),
    ]

    assert Span("a.py", 100, 129) == densest("a.py", scattered)
    assert Span("a.py", 7, 7) == densest("a.py", [(7, "retry")])


SOURCES = {"pkg-1.0/src/a.py": "def first():\n    return 1\n", "pkg-1.0/README": "text\n"}


def tarball(path: Path, files: dict[str, str]) -> str:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def wheel(path: Path, files: dict[str, str]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("source", "name", "file"),
    [
        ("debian", "my-pkg", "my-pkg_1.0.orig.tar.gz"),
        ("npm", "@my/pkg", "my-pkg-1.0.tgz"),
        ("pypi-sdist", "My.Pkg", "my_pkg-1.0.tar.gz"),
        ("pypi-wheel", "my-pkg", "my_pkg-1.0-py3-none-any.whl"),
    ],
)
def test_a_package_is_taken_from_the_folder_of_archives(tmp_path: Path, source: str, name: str, file: str) -> None:
    make = wheel if source == "pypi-wheel" else tarball
    (tmp_path / "archives").mkdir()
    digest = make(tmp_path / "archives" / file, SOURCES)
    package = Package(name, "1.0", source, digest, "pkg-1.0/src", "python")

    root = obtain(package, tmp_path / "work", tmp_path / "archives")

    assert ["a.py"] == [path.name for path in root.iterdir()]
    (tmp_path / "archives" / file).unlink()
    assert root == obtain(package, tmp_path / "work", tmp_path / "archives")  # unpacked once
    with pytest.raises(PackageError, match="no folder elsewhere"):
        obtain(replace(package, root="elsewhere"), tmp_path / "work", tmp_path / "archives")


def test_an_archive_with_another_content_is_not_taken(tmp_path: Path) -> None:
    digest = tarball(tmp_path / "pkg-1.0.tgz", SOURCES)
    package = Package("pkg", "1.0", "npm", digest, ".", "javascript")
    tarball(tmp_path / "pkg-1.0.tgz", {**SOURCES, "pkg-1.0/more": "more"})

    assert find(package, tmp_path) is None
    with pytest.raises(PackageError, match="'cpan'"):
        find(replace(package, source="cpan"), tmp_path)


def test_a_question_file_and_annotations_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(
        """
        package = {name = "pkg", version = "1.0", source = "npm", sha256 = "00", root = ".", language = "javascript"}
        question = [{query = "q", category = "semantic", answers = [{path = "a.js", lines = [1, 9]}]}]
        absent = [{query = "nowhere"}]
        pair = [{kind = "clone", left = {path = "a.js", lines = [1, 9]}, right = {path = "b.js", lines = [2, 8]}}]
        """,
        encoding="utf-8",
    )
    left, right = Place("a.js", 1, 9), Place("b.js", 2, 8)

    subject = read(tmp_path / "one.toml")

    assert (Question("q", "semantic", (left,)),) == subject.questions
    assert ("nowhere",) == subject.absent
    assert (Pair("clone", left, right),) == subject.pairs

    (tmp_path / "annotations").mkdir()
    (tmp_path / "corpora.json").write_text('{"one": {"language": "go", "root": "src"}}', encoding="utf-8")
    tasks = [
        {
            "query": "q",
            "category": "symbol",
            "relevant": ["a.go", {"path": "b.go", "start_line": 3, "end_line": 4}],
            "secondary": [{"path": "c.go"}],
        }
    ]
    (tmp_path / "annotations" / "one.json").write_text(json.dumps(tasks), encoding="utf-8")

    subjects, roots = read_public(tmp_path)

    answers = (Place("a.go"), Place("b.go", 3, 4), Place("c.go"))
    assert [Subject("one", "go", (Question("q", "symbol", answers),))] == subjects
    assert {"one": "src"} == roots


def test_connote_is_measured_end_to_end(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    body = "\n".join(f"    total = add_price(total, item, {number})" for number in range(8))
    for name in ("shop", "market"):
        (root / f"{name}.py").write_text(f"def {name}_total(item):\n    total = 0\n{body}\n    return total\n", "utf-8")
    left, right = Place("shop.py", 1, 11), Place("market.py", 1, 11)
    subject = Subject(
        "tiny",
        "python",
        (Question("shop_total", "symbol", (left,)), Question("shop_total", "symbol", (Place("other.py", 1, 2),))),
        ("zygomorphic orchid pollination",),
        (Pair("clone", left, right),),
    )

    run = measure(Connote(), subject, root, tmp_path)

    found, missed = run.asked
    assert Score(True, True, True, 1.0) == found.score
    assert (True, True, True) == (found.uncut_right, found.kept, found.kept_strictly)
    assert Score(False, False, False, 0.0) == missed.score
    assert (False, None, None) == (missed.uncut_right, missed.kept, missed.kept_strictly)
    assert ["zygomorphic orchid pollination"] == [one.query for one in run.absent]
    assert [Mate("clone", left, True), Mate("clone", right, True)] == list(run.mates)
    assert run.index_seconds > 0
    assert not (root / ".connote").exists()


def run_of(name: str, scores: list[Score], **more: object) -> Run:
    asked = tuple(
        Asked(Question(str(number), "semantic", (ANSWER,)), score, float(number)) for number, score in enumerate(scores)
    )
    return Run(Subject(name, "python", ()), 2.0, asked, **more)  # type: ignore[arg-type]


RIGHT, WRONG = Score(True, True, True, 1.0), Score(False, True, False, 0.0)


def test_figures_of_a_set() -> None:
    ours = [run_of("one", [RIGHT, RIGHT, WRONG, WRONG]), run_of("two", [RIGHT, RIGHT])]
    theirs = [run_of("one", [RIGHT, WRONG, WRONG, WRONG]), run_of("two", [RIGHT, WRONG])]
    ours[0] = replace(
        ours[0],
        absent=(Absent("x", True, True), Absent("y", False, True)),
        mates=(Mate("clone", ANSWER, True), Mate("sibling", ANSWER, False)),
    )

    table = figures.of_set({"connote": ours, "BM25": theirs}, public=False)

    connote = table["systems"]["connote"]
    assert 6 == connote["questions"]["n"]
    assert 0.6667 == connote["questions"]["lines_5"][0]
    assert [0.75, 0.5, 1.0] == connote["mean_of_packages"]["lines_5"]
    assert {"one": 4, "two": 2} == {name: one["n"] for name, one in connote["package"].items()}
    assert 4.0 == connote["index_seconds"]
    assert {"p50": 1.0, "p95": 3.0} == connote["query_ms"]
    assert (0.5, 1.0) == (connote["absent"]["no_hit"][0], connote["absent"]["no_hit_strictly"][0])
    assert (2, 0.5) == (connote["pairs"]["n"], connote["pairs"]["found"][0])
    assert {"clone": 1.0, "sibling": 0.0} == {kind: one["found"][0] for kind, one in connote["pairs"]["kind"].items()}
    assert 2.0 == table["connote_to_bm25"]["lines_5"][0]
    text = report.tables("dev", {"connote": "1", "commit": "c", "machine": "m", **table})
    assert "| connote | .667 [" in text
    assert "| connote : BM25 | 2.00x" in text


def test_the_kept_figures_are_of_these_questions_and_the_report_is_of_these_figures() -> None:
    """Stale figures fail; run `python tests/quality/benchmark --peers --write` with the public set's folders."""
    kept = json.loads((GOLDEN / "figures.json").read_text(encoding="utf-8"))

    halves = [half for half in HALVES if half in kept["sets"]]
    assert "dev" in halves
    assert {half: digests(half) for half in halves} == {half: kept["sets"][half]["files"] for half in halves}
    assert report.markdown(kept) == (GOLDEN / "figures.md").read_text(encoding="utf-8")
    assert (GOLDEN / "chart.svg").is_file()


def test_question_files_have_one_digest_on_every_machine(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "a.toml").write_bytes(b"a = 1\nb = 2\n")
    unix = digests("dev", tmp_path)
    (tmp_path / "dev" / "a.toml").write_bytes(b"a = 1\r\nb = 2\r\n")

    assert unix == digests("dev", tmp_path)
    assert sorted(digests("dev")) == sorted(path.name for path in (FOLDER / "dev").glob("*.toml"))


def test_the_runner_starts_by_its_folder() -> None:
    done = subprocess.run([sys.executable, str(RUNNER), "--help"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: python tests/quality/benchmark")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--public", "somewhere"], "belong together"),
        (["--write", "--only", "kombu"], "whole sets"),
        (["--peers", "ripgrep"], "ripgrep is not installed"),
    ],
)
def test_a_command_line_that_cannot_be_done_says_why(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    try:
        code = command.main()
    except SystemExit as left:
        code = left.code

    assert 2 == code
    assert message in capsys.readouterr().err
