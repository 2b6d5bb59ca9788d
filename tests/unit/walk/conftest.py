"""What the walk's tests share: git, a way to do without it, and walks as lines of text."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from connote.model import Problem, Skipped, SourceFile
from connote.walk import WalkOptions, walk

_GIT = shutil.which("git") or "git"
_PATH = os.environ.get("PATH", os.defpath)


@pytest.fixture(autouse=True)
def _own_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's configuration is the test's own."""
    home = tmp_path_factory.mktemp("git")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    settings = '[user]\n\tname = t\n\temail = t@example.org\n[protocol "file"]\n\tallow = always\n'
    (home / "gitconfig").write_text(settings)


@pytest.fixture
def git() -> Callable[..., str]:
    """A function that runs git in a folder and returns what it prints."""

    def run(folder: Path, *arguments: str) -> str:
        env = {**os.environ, "PATH": _PATH}
        done = subprocess.run([_GIT, *arguments], cwd=folder, env=env, check=True, capture_output=True)
        return os.fsdecode(done.stdout)

    return run


@pytest.fixture
def without_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is not on the PATH, so the walk reads the ignore files by itself."""
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))


@pytest.fixture(params=["git", "files"])
def either_way(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """The test runs twice: with git's answer, which must not be replaced by the walk's own unseen, and without git."""
    if request.param == "files":
        request.getfixturevalue("without_git")
    caplog.set_level(logging.INFO, "connote.walk")
    yield str(request.param)
    if request.param == "git":
        assert [] == [record.getMessage() for record in caplog.records]


@pytest.fixture
def said() -> Callable[..., list[str]]:
    """A function that returns what a walk says, a line for each path: `a.py`, `b/ (default folder)`, `c.py (!)`.

    `.git` itself is left out: it is in nearly every answer.
    """

    def lines(root: Path, options: WalkOptions | None = None, only: Sequence[str] | None = None) -> list[str]:
        outcomes = list(walk(root, options or WalkOptions(), only))
        return [_line(outcome) for outcome in outcomes if Path(outcome.path).name != ".git"]

    return lines


def _line(outcome: SourceFile | Skipped | Problem) -> str:
    if isinstance(outcome, SourceFile):
        return outcome.path
    return f"{outcome.path} ({outcome.reason if isinstance(outcome, Skipped) else '!'})"
