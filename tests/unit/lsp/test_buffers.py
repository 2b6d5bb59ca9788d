"""Open documents: the text after edits, and where saved lines went."""

from __future__ import annotations

import random

import pytest
from lsprotocol import types

from connote.faces.lsp import convert
from connote.faces.lsp.buffers import Buffer

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def edit(place: str, text: str) -> types.TextDocumentContentChangePartial:
    """An edit at a place such as "1:0-2:3"."""
    start, end = (types.Position(*map(int, part.split(":"))) for part in place.split("-"))
    return types.TextDocumentContentChangePartial(range=types.Range(start, end), text=text)


def changed(text: str, *edits: tuple[str, str], encoding: str = "utf-16") -> Buffer:
    buffer = Buffer("file:///a.py", text)
    buffer.change([edit(*item) for item in edits], encoding)
    return buffer


@pytest.mark.parametrize(
    ("text", "place", "new", "expected"),
    [
        (TEXT, "0:0-0:0", "zero\n", "zero\n" + TEXT),
        (TEXT, "1:0-3:0", "", "one\nfour\nfive\n"),
        (TEXT, "1:1-1:99", "WO", "one\ntWO\nthree\nfour\nfive\n"),
        (TEXT, "5:0-5:0", "six", TEXT + "six"),
        (TEXT, "99:0-99:0", "six", TEXT + "six"),
        (TEXT, "0:0-99:0", "", ""),
        ("", "0:0-0:0", "a\nb", "a\nb"),
        ("a\r\nb\r\n", "0:1-1:0", "", "ab\r\n"),
        ("a\rb", "1:0-1:0", "\n", "a\r\nb"),
        ("a\u2028b\nc", "1:0-1:1", "d", "a\u2028b\nd"),
        ('"😋" = 1', "0:4-0:4", "x", '"😋"x = 1'),
    ],
)
def test_an_edit(text: str, place: str, new: str, expected: str) -> None:
    assert expected == changed(text, (place, new)).text


def test_a_whole_new_text() -> None:
    buffer = Buffer("file:///a.py", TEXT)
    buffer.change([types.TextDocumentContentChangeWholeDocument(text="zero\n" + TEXT)], "utf-16")

    assert buffer.text == "zero\n" + TEXT
    assert buffer.moved(0, 4) == (1, 5)


# R063
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_after_a_thousand_random_edits_the_text_is_the_clients(encoding: str) -> None:
    chance = random.Random(7)
    text = "s = '😋'\r\nünï\n\rx\u2028\f\n"
    buffer = Buffer("file:///a.py", text)
    for _ in range(1000):
        begin, end = sorted(chance.choices(range(len(text) + 1), k=2))
        end = min(end, begin + 20)
        if "\r\n" in (text[begin - 1 : begin + 1], text[end - 1 : end + 1]):
            continue  # no place of LSP lies between the two
        new = "".join(chance.choices("ab😋é\n\r\u2028", k=chance.randrange(8)))
        places = [position(text, place, encoding) for place in (begin, end)]
        text = text[:begin] + new + text[end:]
        change = types.TextDocumentContentChangePartial(range=types.Range(*places), text=new)
        buffer.change([change], encoding)
        assert text == buffer.text

    assert convert.split_lines(text) == list(buffer.lines)


def position(text: str, offset: int, encoding: str) -> types.Position:
    lines = convert.split_lines(text[:offset])
    return types.Position(len(lines) - 1, convert.units(lines[-1], encoding))


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], (2, 3)),
        ([("0:0-0:0", "a\nb\n")], (4, 5)),
        ([("0:0-1:0", "")], (1, 2)),
        ([("3:0-3:0", "new\n")], (2, 4)),
        ([("2:1-2:2", "H")], (2, 3)),
        ([("1:3-1:3", "\nmore")], (3, 4)),
        ([("4:0-4:4", "")], (2, 3)),
        ([("0:0-0:0", "a\n"), ("0:0-1:0", "")], (2, 3)),
        ([("2:0-4:0", "")], (2, 2)),
        ([("0:0-5:0", "")], (0, 0)),
    ],
)
def test_where_saved_lines_two_and_three_are(edits: list[tuple[str, str]], expected: tuple[int, int]) -> None:
    assert expected == changed(TEXT, *edits).moved(2, 3)


def test_a_save_makes_the_lines_those_of_the_file() -> None:
    buffer = changed(TEXT, ("0:0-0:0", "a\nb\n"))
    buffer.saved()

    assert buffer.moved(2, 3) == (2, 3)


def test_the_saved_line_of_a_place_in_the_buffer() -> None:
    buffer = changed(TEXT, ("1:0-1:0", "new\n"))

    assert [buffer.origin(line) for line in range(4)] == [0, 0, 1, 2]
    assert buffer.origin(99) == 5
