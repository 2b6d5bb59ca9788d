"""The walk's own reading of ignore files gives git's answer, whatever the patterns."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from connote.model import SourceFile
from connote.walk import WalkOptions, walk
from connote.walk.ignore import IgnoreRules, parse_rules

Git = Callable[..., str]

# Names that no default rule has an opinion on.
_NAMES = ["a", "b", "ab", "abc", "a.py", "b.py", "c d", "x[1]", "é", "-r", "#h", "!n", "a b ", "\\q", "A"]
_PIECES = [
    *"ab*?/!\\.# -[]é", "**", "/", "*", "ab", "[ab]", "[!a]", "[a-c]", "[^b-z]", "[[:alpha:]]", "[z-a]", "\\*", "\\!",
    "[]]", "[\\]a]", "[a-]", ".py", "a**", "/**/", "**/",
]  # fmt: skip

_patterns = st.one_of(
    st.sampled_from(_NAMES),
    st.lists(st.sampled_from([*_NAMES, "*", "**", "?", "*.py", "a*"]), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map("".join),
)
_lines = st.tuples(
    st.sampled_from(["", "", "!"]), st.sampled_from(["", "", "/"]), _patterns, st.sampled_from(["", "", "/"])
).map("".join)
_rules = st.tuples(st.lists(_lines, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"])).map(
    lambda parts: parts[1].join(parts[0]) + parts[1]
)
_paths = st.lists(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4), min_size=2, max_size=12)


@pytest.mark.usefixtures("without_git")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=_paths, top=_rules, nested=_rules, own=st.one_of(st.just(""), _rules))
@example(paths=[["a", "b"], ["a", "b.py"]], top="*\n!*/\n!*.py\n", nested="", own="")
def test_the_files_are_those_that_git_lists(git: Git, paths: list[list[str]], top: str, nested: str, own: str) -> None:
    # R015: the differential test
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init")
        for names in paths:
            file = root.joinpath(*names)
            if not file.exists() and all(not above.is_file() for above in file.parents):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("")
        first = root / paths[0][0]
        for place, rules in ((root, top), (first, nested)):
            if place.is_dir():
                (place / ".gitignore").write_text(rules, encoding="utf-8", newline="")
        (root / ".git/info/exclude").write_text(own, encoding="utf-8", newline="")
        listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")

        ours = [outcome.path for outcome in walk(root, WalkOptions()) if isinstance(outcome, SourceFile)]

        assert sorted(set(listed.split("\0")) - {""}) == ours


def _ignored(rules: str | bytes, path: str, *, folder: bool = False, ignore_case: bool = False) -> bool:
    data = rules if isinstance(rules, bytes) else rules.encode()
    return IgnoreRules().add(parse_rules(data, ignore_case)).ignores(path, folder)


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("a.py", "x/a.py", True),
        ("/a.py", "x/a.py", False),
        ("x/a.py", "y/x/a.py", False),
        ("x/", "x", False),
        ("*.py\n!keep.py", "keep.py", False),
        ("# a.py", "a.py", False),
        ("\\#a.py", "#a.py", True),
        ("a.py   ", "a.py", True),
        ("a.py\\ ", "a.py ", True),
        ("a.py\t", "a.py", False),
        (b"\xef\xbb\xbfa.py\r\n", "a.py", True),
        ("a\\", "a", False),
        ("[a", "[a", False),
        ("?.py", "é.py", False),  # git counts bytes
        ("??.py", "é.py", True),
        ("é.py", "é.py", True),
        ("[z-a].py", "b.py", False),
        ("a[!x]b", "a/b", False),
        ("d/**", "d", False),
        ("d/**", "d/x/y", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("**/b/c", "a/b/c", True),
        ("**/a/**/b/**/c", "x/a/y/b/a/c", True),
        ("**/a/**/b/**/c", "x/a/y/bc/a/c", False),
        ("*a*b*c", "xaxcxbxc", True),
        ("a**c/d", "abc/d", True),
        ("a**c/d", "a/c/d", False),
        ("a**/c", "ac", True),  # git matches what comes after the plain text `a`, and there `**/` is at the beginning
        ("a**/c", "ab/x/c", True),
        ("a\\/b", "a/b", True),
        ("**\\/b", "b", False),
        ("[[:upper:][:digit:]]", "7", True),
        ("[[:nothing:]a]", "a", False),
        ("[A-[:alpha:]]", "B]", True),
        ("[\\]]", "]", True),
        ("\xa0", "\xa0", True),
        ("a" * 5000, "a" * 5000, False),  # no such path is looked for
        ("", "a", False),
        ("!", "a", False),
        ("/", "a", False),
    ],
)
def test_one_pattern(rules: str | bytes, path: str, expected: bool) -> None:
    assert expected == _ignored(rules, path)


def test_case_matters_unless_git_says_otherwise() -> None:
    assert not _ignored("*.PY", "a.py")
    assert _ignored("*.PY", "a.py", ignore_case=True)
    assert not _ignored("É", "é", ignore_case=True)  # only ASCII, as in git


def test_a_hostile_pattern_takes_no_time() -> None:
    name = "a" * 250
    pattern = "*a" * 60 + "*b"
    deep = "/".join(["a"] * 500)

    assert not _ignored(pattern, name)
    assert not _ignored("/".join(["**", "a*"] * 30) + "/b", deep)


def test_a_link_in_the_place_of_an_ignore_file_is_not_read(
    tree: Callable[..., Path], git: Git, either_way: str, tmp_path: Path
) -> None:
    root = tree({"a.py": ""})
    (tmp_path / "rules").write_text("a.py\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")
    (root / ".connoteignore").symlink_to(tmp_path / "rules")
    git(root, "init")

    assert "a.py" in [outcome.path for outcome in walk(root, WalkOptions())]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes: not shown that none is opened")
def test_a_pipe_in_the_place_of_an_ignore_file_is_not_opened(tree: Callable[..., Path]) -> None:
    root = tree({"a.py": ""})
    os.mkfifo(root / ".connoteignore")
    os.mkfifo(root / ".gitignore")

    assert "a.py" in [outcome.path for outcome in walk(root, WalkOptions())]
