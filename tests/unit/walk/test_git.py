"""Git is asked so that no repository can abuse it, and done without where it does not answer."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from connote.model import Problem
from connote.walk import WalkOptions, walk
from connote.walk import git as git_module

Tree = Callable[..., Path]
Git = Callable[..., str]
Said = Callable[..., list[str]]

posix = pytest.mark.skipif(
    os.name == "nt",
    reason="Windows runs no shell script in a program's place: what is never run, and a failing git, are not shown",
)


def _script(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return place


@posix
def test_no_program_that_a_repository_names_is_run(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    root = tree({"a.py": "", "sub/b.py": "", ".gitignore": "c.py\n", "c.py": ""})
    git(root, "init")
    git(root, "add", "a.py")
    proof = tmp_path / "proof"
    program = str(_script(tmp_path / "evil", f"touch '{proof}'"))
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "alias.ls-files", "diff.external"):
        git(root, "config", name, program)
    git(root, "config", "filter.x.clean", program)
    git(root, "config", "core.hooksPath", str(tmp_path))
    (root / ".gitattributes").write_text("* filter=x\n")
    for hook in ("post-index-change", "fsmonitor-watchman"):
        _script(root / ".git/hooks" / hook, f"touch '{proof}'")

    assert [".gitattributes", ".gitignore", "a.py", "sub/b.py"] == said(root)
    assert [".gitattributes", ".gitignore", "a.py", "sub/b.py"] == said(root, only=[".", "sub"])
    assert not proof.exists()


@posix
def test_no_git_from_the_current_folder_is_run(
    tree: Tree, git: Git, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({"a.py": ""})
    git(root, "init")
    _script(root / "git", f"touch '{tmp_path / 'proof'}'")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")

    assert ["a.py", "git"] == said(root)
    assert not (tmp_path / "proof").exists()


def test_a_repository_cannot_point_the_walk_at_another_folder(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    root = tree({"a.py": "", "inner/b.py": ""})
    (tmp_path / "other").mkdir()
    (tmp_path / "other/c.py").write_text("")
    git(root, "init")
    git(root, "config", "core.worktree", str(tmp_path / "other"))

    assert ["a.py", "inner/b.py"] == said(root)


def test_a_hooks_environment_does_not_lead_git_elsewhere(
    tree: Tree, git: Git, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({"a.py": "", "ignored.py": "", ".gitignore": "ignored.py\n"})
    git(root, "init")
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root))

    assert [".gitignore", "a.py"] == said(root)


@posix
@pytest.mark.parametrize("answer", ["exit 128", "echo nonsense", "kill -9 $$"])
def test_where_git_refuses_the_ignore_files_are_read(
    tree: Tree, git: Git, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    root = tree({".gitignore": "b.py\n", "a.py": "", "b.py": "", "inner/.gitignore": "c.py\n", "inner/c.py": ""})
    git(root, "init")
    git(root / "inner", "init")
    monkeypatch.setenv("PATH", str(_script(tmp_path / "bin/git", answer).parent))

    assert [".gitignore", "a.py", "inner/.gitignore"] == said(root)


@posix
def test_a_git_that_hangs_is_given_up(
    tree: Tree, git: Git, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = tree({"a.py": ""})
    git(root, "init")
    path = f"{_script(tmp_path / 'bin/git', 'exec sleep 60').parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(git_module, "SECONDS", 0.1)
    caplog.set_level(logging.INFO, "connote.walk")

    assert ["a.py"] == said(root)
    assert "git takes too long" in caplog.text


@posix
def test_folders_that_git_could_not_read_are_problems(
    tree: Tree, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # R028: git goes on without them and says so in passing; as root may read everything, a script says it here
    root = tree({"a.py": ""})
    git(root, "init")
    script = (
        'case "$*" in\n'
        "*rev-parse*) printf 'true\\n\\n';;\n"
        "*ls-files*) printf '? a.py\\0'\n"
        "echo \"warning: could not open directory 'my closed/': Permission denied\" >&2;;\n"
        "esac"
    )
    monkeypatch.setenv("PATH", str(_script(tmp_path / "bin/git", script).parent))
    problems = [outcome for outcome in walk(root, WalkOptions()) if isinstance(outcome, Problem)]

    assert [Problem("my closed/", "The folder could not be read.")] == problems


@pytest.mark.parametrize("content", ["", "gitdir: nowhere\n", "gitdir: \0\n", "nonsense", "gitdir: ../../../..\n"])
def test_a_git_file_that_leads_nowhere_is_no_repository(tree: Tree, said: Said, content: str) -> None:
    root = tree({"inner/.git": content, "inner/a.py": "", ".git": content})

    assert ["inner/a.py"] == said(root)


def test_git_writes_nothing_into_the_repository(tree: Tree, git: Git, said: Said) -> None:
    root = tree({"a.py": "x", "b.py": "y"})
    git(root, "init")
    git(root, "add", ".")
    os.utime(root / "a.py", (1, 1))
    before = (root / ".git/index").stat().st_mtime_ns, sorted(p.name for p in (root / ".git").iterdir())
    said(root)

    assert before == ((root / ".git/index").stat().st_mtime_ns, sorted(p.name for p in (root / ".git").iterdir()))
