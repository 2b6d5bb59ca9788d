"""The comparison of agents: what counts as seen and solved, what each reads, and that the kept figures are fresh."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from agent import command, report
from agent.context import Context, Outcome, Shown, Sources, numbered
from agent.with_connote import ConnoteAgent, connected
from agent.with_ripgrep import RipgrepAgent, asked_words, result
from benchmark.questions import Place, Question, digests, read_half

FOLDER = Path(command.__file__).parent
LINES = "".join(f"line {number}\n\n" for number in range(1, 11))
"""Ten lines with text, at the odd numbers of twenty."""


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "a.py").write_text(LINES, encoding="utf-8")
    return Sources(tmp_path)


def context_of(sources: Sources, most: int = 1000) -> Context:
    return Context(Question("q", "semantic", (Place("a.py", 1, 20),)), sources, most)


def shown(*numbers: int) -> list[Shown]:
    return [Shown("a.py", number, 0) for number in numbers]


def test_a_question_is_solved_by_half_of_the_lines_with_text(sources: Sources) -> None:
    context = context_of(sources)
    context.take(10, shown(1, 2, 3, 4, 5))
    context.take(10, [*shown(3, 7, 8), Shown("b.py", 9, 0)])
    assert Outcome(solved=False, bytes=20, calls=2) == context.outcome
    assert context.has_seen("a.py", 1, 8)
    assert not context.has_seen("a.py", 1, 9)

    context.take(5, shown(19))

    assert Outcome(solved=True, bytes=25, calls=3) == context.outcome
    assert context.done


def test_the_last_result_counts_as_far_as_there_is_room(sources: Sources) -> None:
    size, lines = numbered("a.py", 1, sources.lines("a.py"))
    assert len(LINES) + 1 == size
    enough, too_few = context_of(sources, lines[8].end), context_of(sources, lines[8].end - 1)

    for context in (enough, too_few):
        context.take(size, lines)

    assert Outcome(solved=True, bytes=lines[8].end, calls=1) == enough.outcome
    assert Outcome(solved=False, bytes=lines[8].end - 1, calls=1) == too_few.outcome
    assert too_few.done


def test_files_are_read_in_pages(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\n" * 401, encoding="utf-8")

    assert [(1, 200), (201, 400), (401, 402)] == Sources(tmp_path).pages("a.py")


def test_ripgreps_result_has_the_best_lines_of_the_best_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"retry\nfailed retry\n{'x' * 301} retry\n", encoding="utf-8")
    sources = Sources(tmp_path)
    found = {"a.py": [(1, "retry"), (2, "failed"), (2, "retry"), (3, "retry")]}

    size, lines = result(found, ["a.py"], sources)

    assert len("a.py\n1:retry\n2:failed retry\n3:\n") + 300 == size
    assert [1, 2] == [line.number for line in lines]
    assert ["retry", "failed", "upload"] == asked_words("How do we retry a failed upload, and retry?")


FILES = {
    "net/upload.py": "def retry_upload(client):\n    # again and again\n    return client.send()\n"
    + "\n# rest\n" * 300,
    "colors.py": "def parse_color(text):\n    return int(text, 16)\n",
}


async def test_an_agent_with_connote_reads_the_hits_of_a_real_server(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    sources, outcomes = Sources(root), {}
    async with connected(root, tmp_path / "index") as client:
        for form in ("text", "data"):
            for path, last in (("net/upload.py", 3), ("net/upload.py", 603), ("colors.py", 2)):
                context = Context(Question("q", "semantic", (Place(path, 1, last),)), sources)
                await ConnoteAgent(client, sources, form).read("retry_upload", context)
                outcomes[form, path, last] = context.outcome

    assert {(True, 1)} == {(outcomes[form, "net/upload.py", 3].solved, outcomes[form, "net/upload.py", 3].calls)
                           for form in ("text", "data")}  # fmt: skip
    assert all(outcome.solved for (_, path, _), outcome in outcomes.items() if path == "net/upload.py")
    for form in ("text", "data"):
        assert outcomes[form, "net/upload.py", 3].bytes < 500 < outcomes[form, "net/upload.py", 603].bytes
    assert outcomes["text", "net/upload.py", 603].bytes < outcomes["data", "net/upload.py", 603].bytes


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed: not shown what its agent reads")
@pytest.mark.parametrize(("windows", "calls"), [(False, 1), (True, 1)])
def test_an_agent_with_ripgrep_reads_what_it_points_at(tmp_path: Path, windows: bool, calls: int) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    sources = Sources(tmp_path)
    near, far = (Context(Question("q", "semantic", (Place("net/upload.py", 1, last),)), sources) for last in (1, 603))

    for context in (near, far):
        RipgrepAgent("rg", tmp_path, sources, windows=windows).read("where do we retry an upload", context)

    assert Outcome(solved=True, bytes=len("net/upload.py\n1:def retry_upload(client):\n"), calls=calls) == near.outcome
    assert far.outcome.solved
    assert (4 if windows else 3) == far.outcome.calls


def test_the_thirty_questions_are_thirty() -> None:
    of_packages = {subject.name: len(command.thirty(subject)) for subject in read_half("dev")}

    assert {"beets": 15, "kombu": 15} == {name: count for name, count in of_packages.items() if count}


def test_the_kept_figures_are_of_these_questions_and_the_report_is_of_these_figures() -> None:
    """Stale figures fail; run `python tests/quality/agent --all --write`."""
    kept = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))

    assert digests("dev") == kept["files"]
    assert 30 == sum(row["thirty"] for row in kept["rows"])
    assert report.markdown(kept) == (FOLDER / "figures.md").read_text(encoding="utf-8")


def test_without_ripgrep_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["agent", "--rg", "nowhere/rg"])

    assert 2 == command.main()
    assert "apt-get install ripgrep" in capsys.readouterr().err
