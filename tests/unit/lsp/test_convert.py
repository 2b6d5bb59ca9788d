"""Paths and URIs, columns and places, between our model and LSP."""

from __future__ import annotations

import pytest
from lsprotocol import types

from connote.faces.lsp import convert
from connote.model import SYMBOL_KINDS, Hit

EMOJI = 's = "😋😋"; def_marker = 1'


def hit(text: str, start: int, **fields: object) -> Hit:
    values = {
        "path": "src/a.py",
        "file": "/repo/src/a.py",
        "start_line": start,
        "end_line": start + text.count("\n"),
        "score": 0.5,
        "language": "python",
        "symbol": None,
        "kind": None,
        "scope": (),
        "line": start,
        "column": 1,
        "text": text,
    }
    return Hit(**{**values, **fields})


def span(found: types.Range) -> str:
    return f"{found.start.line}:{found.start.character}-{found.end.line}:{found.end.character}"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a.py", "/home/me/a.py"),
        ("file:///home/a%20b/%C3%A9.py", "/home/a b/é.py"),
        ("file://localhost/a.py", "/a.py"),
        ("FILE:///a.py", "/a.py"),
        ("file:///a/", "/a"),
        ("file:///", "/"),
        ("file:///a/../b", "/b"),
        ("file:///c#/a.py", "/c#/a.py"),
        ("file:///a%00b", None),
        ("file://server/share/a.py", None),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:/a.ipynb#x", None),
        ("git:/a.py?ref", None),
        ("file:a.py", None),
        ("file://[", None),
        ("", None),
    ],
)
def test_posix_path(uri: str, path: str | None) -> None:
    assert path == convert.to_path(uri, windows=False)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/me/a.py", "C:\\Users\\me\\a.py"),
        ("file:///C:/Users/me/a%20b.py", "C:\\Users\\me\\a b.py"),
        ("file:///c:", "C:\\"),
        ("file://server/share/a.py", "\\\\server\\share\\a.py"),
        ("file:///home/me/a.py", None),
    ],
)
def test_windows_path(uri: str, path: str | None) -> None:
    assert path == convert.to_path(uri, windows=True)


@pytest.mark.parametrize(
    ("folder", "path", "uri"),
    [
        ("file:///repo", "src/a.py", "file:///repo/src/a.py"),
        ("file:///repo/", "a b/é#.py", "file:///repo/a%20b/%C3%A9%23.py"),
        ("file:///c%3A/repo", "a.py", "file:///c%3A/repo/a.py"),
        ("file:///C:/Root", "a.py", "file:///C:/Root/a.py"),
        ("file:///", "a.py", "file:///a.py"),
    ],
)
def test_the_folder_keeps_the_spelling_of_the_editor(folder: str, path: str, uri: str) -> None:
    assert uri == convert.to_uri(folder, path)


def test_a_name_that_is_no_utf_8_survives_the_way_there_and_back() -> None:
    uri = convert.to_uri("file:///repo", b"\xff.py".decode("utf-8", "surrogateescape"))

    assert uri == "file:///repo/%FF.py"
    assert convert.to_path(uri, windows=False) == "/repo/\udcff.py"


# R063
@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 16), ("utf-16", 12), ("utf-32", 10)])
def test_columns_after_an_emoji(encoding: str, column: int) -> None:
    found = convert.name_range([EMOJI], 0, EMOJI.index("def_marker"), "def_marker", encoding)

    assert f"0:{column}-0:{column + 10}" == span(found)
    assert EMOJI.index("def_marker") == convert.characters(EMOJI, column, encoding)


# Edge case 43
@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-16", "0:10-0:15"), ("utf-8", "0:13-0:19"), ("utf-32", "0:9-0:14")]
)
def test_unicode_names(encoding: str, expected: str) -> None:
    line = 'é = "🎉"; naïve = 1'

    assert expected == span(convert.name_range([line], 0, 9, "naïve", encoding))


def test_a_place_inside_a_character_is_before_it() -> None:
    assert convert.characters("x😋y", 2, "utf-16") == 1
    assert convert.characters("x😋y", 4, "utf-8") == 1
    assert convert.characters("x😋y", 99, "utf-16") == 3


def test_a_lone_surrogate_is_counted() -> None:
    assert convert.units("\ud83d", "utf-16") == 1


# Edge case 45
@pytest.mark.parametrize("character", ["\f", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_feeds_and_returns_end_a_line(character: str) -> None:
    assert [f"a{character}b", "c", "d", "e", ""] == convert.split_lines(f"a{character}b\nc\r\nd\re\n")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = 1", "x = 1"),
        ("x = é".encode("utf-16-le").join([b"\xff\xfe", b""]), "x = é"),
        ("x = é".encode("utf-16-be").join([b"\xfe\xff", b""]), "x = é"),
        (b"caf\xe9", "caf\ufffd"),
    ],
)
def test_text_is_decoded_as_an_editor_shows_it(data: bytes, text: str) -> None:
    assert text == convert.decode(data)


def test_every_kind_has_one_of_lsp() -> None:
    assert set(SYMBOL_KINDS) == set(convert.KINDS)
    assert types.SymbolKind.File == convert.symbol_kind(None)


def test_the_range_of_a_hit_goes_from_its_indent_to_the_end_of_its_last_line() -> None:
    lines = ["class A:", "    def f(self):", '        return "😋"']
    place = convert.locate(hit("    def f(self):\n        return '😋'", 2), lines)

    assert span(convert.location("file:///a.py", place, "utf-16").range) == "1:4-2:19"


# Edge case 65
def test_a_hit_past_the_end_of_its_file_is_clamped_and_stale() -> None:
    place = convert.locate(hit("a\nb\nc\nd", 3), ["x", "y", "z"])

    assert (place.start, place.end, place.stale) == (2, 2, True)


def test_a_hit_whose_file_changed_is_found_by_its_text() -> None:
    lines = ["new", "", "def f():", "    return 1", ""]
    place = convert.locate(hit("def f():\n    return 1", 1, stale=True), lines)

    assert (place.start, place.end, place.line, place.stale) == (2, 3, 2, False)


def test_a_hit_whose_text_is_gone_is_stale() -> None:
    place = convert.locate(hit("def f():\n    return 1", 1, stale=True), ["def f():", "    return 2"])

    assert (place.start, place.end, place.stale) == (0, 1, True)


def test_of_equal_texts_the_nearest_is_meant() -> None:
    lines = ["f()", "x", "f()", "x", "x", "x", "f()"]

    assert convert.find_text(lines, "f()", 3) == 2
    assert convert.find_text(lines, "f()", 5) == 6
    assert convert.find_text(lines, "g()", 0) is None


def test_a_hit_without_symbol_is_named_after_its_file() -> None:
    found = convert.semantic_hit(
        hit("x = 1", 1), "file:///repo", "file:///repo/src/a.py", convert.locate(hit("x = 1", 1), ["x = 1"]), "utf-16"
    )

    assert ("a.py", types.SymbolKind.File, None) == (found.name, found.kind, found.container_name)
    assert span(found.selection_range) == "0:0-0:5"


def test_a_symbol_has_its_scope_as_container() -> None:
    method = hit("    def f(): ...", 2, symbol="f", kind="method", scope=("A", "B"), column=9)
    found = convert.symbol_information(
        method, "file:///a.py", convert.locate(method, ["", "    def f(): ..."]), "utf-16"
    )

    assert ("f", types.SymbolKind.Method, "A.B") == (found.name, found.kind, found.container_name)
