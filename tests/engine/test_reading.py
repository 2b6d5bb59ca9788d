"""What of a root may be read, and how much of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from connote.config import Settings
from connote.engine.reading import MOST_BYTES, check_spelling, contained, read_excerpt
from connote.errors import RefusedError
from connote.model import Excerpt
from connote.walk import WalkOptions

Tree = Callable[..., Path]
KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" * 3

OUTSIDE = [
    "../../etc/passwd", "/etc/passwd", "a/../../x", "..", "a/..", "C:\\x", "c:x", "\\\\server\\share", "//server/share",
    "..\\x", "a\\..\\..\\x", "%2e%2e/x", "%2E%2E%2Fx", "a%5c..", "%00", "a.py\0", "\0", "", "file:///etc/passwd",
    "~/x", "~root/x", "%252e%252e/x", "%c0%ae%c0%ae/x", "%u002e%u002e/x", "/", "\\x", "http://x/y",
]  # fmt: skip


def read(root: Path, path: str, **options: object) -> Excerpt:
    return read_excerpt(root, path, Settings(), **options)  # type: ignore[arg-type]  # lines and within


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("windows", [True, False])
def test_every_spelling_of_another_place_is_refused(path: str, windows: bool) -> None:
    # R096, edge case 66
    with pytest.raises(RefusedError):
        check_spelling(path, windows=windows)


@pytest.mark.parametrize("path", ["a.py.", "a.py ", ".env::$DATA", "a:b", "con:", ".. /x", "a/.env. /b"])
def test_names_that_windows_takes_for_others_are_refused_there(path: str) -> None:
    with pytest.raises(RefusedError):
        check_spelling(path, windows=True)


def test_ordinary_paths_are_taken_as_they_are() -> None:
    for path in (
        "a.py",
        "src/a.py",
        "./src/a.py",
        "100%.md",
        "a b/c.py",
        "...",
        "..a/b",
        "\u00e9.py",
        "[id].tsx",
        "a%b",
    ):
        assert path == check_spelling(path, windows=False)
    assert "src/a.py" == check_spelling("src\\a.py", windows=True)


@pytest.mark.skipif(
    os.name == "nt", reason="links need a privilege on Windows: not shown that they are judged by where they lead"
)
def test_links_are_judged_by_where_they_lead(tree: Tree, tmp_path: Path) -> None:
    root = tree({"src/a.py": "inside = 1\n", ".env": "KEY=1\n"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.py").write_text("outside = 1\n")
    (root / "out.py").symlink_to(tmp_path / "outside" / "b.py")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "in.py").symlink_to(root / "src" / "a.py")
    (root / "harmless.py").symlink_to(root / ".env")
    (root / "ring.py").symlink_to(root / "ring.py")
    (root / "up").symlink_to(root.parent)
    (root / "itself").symlink_to(root)

    assert "inside = 1\n" == read(root, "in.py").text
    assert "inside = 1\n" == read(root, "itself/src/a.py").text
    for path in ("out.py", "folder/b.py", "harmless.py", "ring.py", "up/outside/b.py", "itself/.env", "up"):
        with pytest.raises(RefusedError):
            read(root, path)


def test_what_is_not_indexed_is_not_read(tree: Tree) -> None:
    root = tree(
        {
            ".gitignore": "ignored/\n*.local.py\n", "ignored/a.py": "x = 1\n", "b.local.py": "x = 1\n",
            "nested/.gitignore": "*.json\n", "nested/settings.json": '{"key": "AKIAIOSFODNN7EXAMPLE"}\n',
            ".connoteignore": "private.py\n", "private.py": "x = 1\n", ".env": "KEY=1\n", ".env.example": "KEY=\n",
            "server.pem": KEY, "notes.md": KEY, "id_rsa": KEY, ".npmrc": "token\n", "picture.py": b"\0\1\2",
            "data.csv": "a,b\n", "package-lock.json": "{}\n", "node_modules/a.js": "let a = 1\n", "a.py": "x = 1\n",
        }
    )  # fmt: skip
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    readable = {"a.py", ".env.example", ".gitignore", ".connoteignore", "nested/.gitignore"}

    found = set()
    for file in root.rglob("*"):
        path = file.relative_to(root).as_posix()
        if file.is_file() and not path.startswith(".git/"):
            try:
                read(root, path)
            except RefusedError:
                continue
            found.add(path)

    assert readable == found
    for path in (".git/config", "nowhere.py", "node_modules", ".", "nested"):
        with pytest.raises(RefusedError):
            read(root, path)


def test_an_ignored_file_and_none_are_told_alike(tree: Tree) -> None:
    root = tree({".gitignore": "secret.py\n", "secret.py": "x = 1\n"})

    def message(path: str) -> str:
        with pytest.raises(RefusedError) as refused:
            read(root, path)
        return str(refused.value).replace(path, "PATH")

    assert message("secret.py") == message("nowhere.py")


def test_reasons_are_said(tree: Tree) -> None:
    root = tree({".env": "KEY=1\n", "a.bin": b"\0"})

    with pytest.raises(RefusedError, match="looks like credentials"):
        read(root, ".env")
    with pytest.raises(RefusedError, match="no text"):
        read(root, "a.bin")


@pytest.mark.parametrize("shift", range(4))
def test_a_long_file_is_cut_between_two_characters(tree: Tree, shift: int) -> None:
    # Edge case 66: each character is four bytes, so that the limit is inside of one for three of the shifts.
    line = "\U0001f600" * 40 + "\n"
    root = tree({"long.py": "#" * shift + line * 2000})

    excerpt = read(root, "long.py")

    data = excerpt.text.encode()
    assert excerpt.truncated
    assert MOST_BYTES - 4 < len(data) <= MOST_BYTES
    assert ("#" * shift + line * 2000).startswith(excerpt.text)
    assert (1, 2000) == (excerpt.start_line, excerpt.total_lines)
    assert excerpt.text.count("\n") + 1 == excerpt.end_line


def test_a_file_of_exactly_the_limit_is_whole(tree: Tree) -> None:
    text = ("x = 1\n" * MOST_BYTES)[: MOST_BYTES - 1] + "\n"
    excerpt = read(tree({"exact.py": text}), "exact.py")

    assert not excerpt.truncated
    assert text == excerpt.text


def test_a_file_too_large_for_the_index_is_read_in_parts(tree: Tree) -> None:
    lines = [f"value_{number} = {number}  # {'why ' * 10}\n" for number in range(40_000)]
    root = tree({"large.py": "".join(lines)})
    assert (root / "large.py").stat().st_size > WalkOptions().max_bytes

    part = read(root, "large.py", lines=(30_000, 30_002))

    assert "".join(lines[29_999:30_002]) == part.text
    assert (30_000, 30_002, 40_000, False) == (part.start_line, part.end_line, part.total_lines, part.truncated)
    assert read(root, "large.py").truncated


def test_lines_are_those_that_editors_count(tree: Tree) -> None:
    root = tree({"a.py": b"one\r\ntwo\rthree\x0c still\nfour"})

    assert "two\rthree\x0c still\n" == read(root, "a.py", lines=(2, 3)).text
    assert "four" == read(root, "a.py", lines=(4, 99)).text
    assert 4 == read(root, "a.py", lines=(4, 99)).end_line
    for lines in ((0, 1), (1, 0), (3, 2), (5, None)):
        with pytest.raises(ValueError, match="line"):
            read(root, "a.py", lines=lines)


def test_an_empty_file_has_no_lines(tree: Tree) -> None:
    excerpt = read(tree({"empty.py": ""}), "empty.py")

    assert ("", 1, 0, 0, False) == (
        excerpt.text, excerpt.start_line, excerpt.end_line, excerpt.total_lines, excerpt.truncated,
    )  # fmt: skip


def test_within_a_part_nothing_else_is_read(tree: Tree) -> None:
    root = tree({"src/a.py": "x = 1\n", "srcs/b.py": "x = 1\n", "c.py": "x = 1\n"})

    assert "x = 1\n" == read(root, "src/a.py", within="src").text
    for path in ("srcs/b.py", "c.py", "src/../c.py"):
        with pytest.raises(RefusedError):
            read(root, path, within="src")


def test_where_a_path_leads_is_relative_to_the_root(tree: Tree) -> None:
    root = tree({"src/a.py": ""})

    assert "src/a.py" == contained(root, "./src/./a.py")
    assert "src/new.py" == contained(root, "src/new.py")
    with pytest.raises(RefusedError):
        read(root, "x" * 5000 + "/" + "y" * 300)
