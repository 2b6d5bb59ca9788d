"""Globs of settings and queries."""

from __future__ import annotations

import pytest

from connote.walk import glob_filter

PATHS = ["a.py", "src/a.py", "src/b.ts", "src/deep/c.tsx", "lib/src/d.py", "[x].py", "README.md", "tests/t.PY"]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ([], [], PATHS),
        (["*.py"], [], ["a.py", "src/a.py", "lib/src/d.py", "[x].py"]),
        (["/*.py"], [], ["a.py", "[x].py"]),
        (["./a.py"], [], ["a.py"]),
        (["src/*.py"], [], ["src/a.py"]),
        (["src"], [], ["src/a.py", "src/b.ts", "src/deep/c.tsx", "lib/src/d.py"]),
        (["/src"], [], ["src/a.py", "src/b.ts", "src/deep/c.tsx"]),
        (["src/"], [], ["src/a.py", "src/b.ts", "src/deep/c.tsx", "lib/src/d.py"]),
        (["src/**"], [], ["src/a.py", "src/b.ts", "src/deep/c.tsx"]),
        (["src/deep"], [], ["src/deep/c.tsx"]),
        (["**/src/*.py"], [], ["src/a.py", "lib/src/d.py"]),
        (["src/**/*.{ts,tsx}"], [], ["src/b.ts", "src/deep/c.tsx"]),
        (["src\\**\\*.{ts,tsx}"], [], ["src/b.ts", "src/deep/c.tsx"]),
        (["{src/{a,b},README}.*"], [], ["src/a.py", "src/b.ts", "README.md"]),
        (["?.py"], [], ["a.py", "src/a.py", "lib/src/d.py"]),
        (["[ab].*"], [], ["a.py", "src/a.py", "src/b.ts"]),
        (["[!ab].*"], [], ["src/deep/c.tsx", "lib/src/d.py", "tests/t.PY"]),
        (["[[]x].py"], [], ["[x].py"]),
        (["[x.py", "{a.py"], [], []),
        (["*.py", "!src/**"], [], ["a.py", "lib/src/d.py", "[x].py"]),
        (["!*.py"], [], ["src/b.ts", "src/deep/c.tsx", "README.md", "tests/t.PY"]),
        ([], ["src", "*.md"], ["a.py", "[x].py", "tests/t.PY"]),
        (["*.go"], [], []),
        (["", " "], [], PATHS),
    ],
)
def test_which_paths_pass(include: list[str], exclude: list[str], expected: list[str]) -> None:
    assert expected == list(filter(glob_filter(include, exclude), PATHS))


def test_case_can_be_ignored() -> None:
    assert ["tests/t.PY"] == list(filter(glob_filter(["TESTS/*.py"], ignore_case=True), PATHS))
    assert not glob_filter(["TESTS/*.py"])("tests/t.PY")


def test_a_folder_with_its_slash_is_all_that_is_in_it() -> None:
    assert all(map(glob_filter(["docs/**"]), ["docs/", "docs/a.md", "docs/deep/"]))
    assert all(map(glob_filter(["docs/*"]), ["docs/", "docs/a.md", "docs/deep/"]))
    assert not any(map(glob_filter(["docs/*.md"]), ["docs/", "docs/deep/a.md", "docs"]))


def test_a_question_mark_is_one_character_and_not_one_byte() -> None:
    assert glob_filter(["?.py"])("é.py")


def test_a_bracket_or_brace_that_is_not_closed_stands_for_itself() -> None:
    assert glob_filter(["[x.py"])("[x.py")
    assert glob_filter(["{a,b.py"])("{a,b.py")


def test_too_many_alternatives_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 512 alternatives"):
        glob_filter(["{a,b}" * 60])


def test_a_hostile_glob_takes_no_time() -> None:
    passes = glob_filter(["*a" * 60 + "*b", "**/a*/" * 30 + "b"])

    assert not passes("a" * 250)
    assert not passes("/".join(["a"] * 500))
