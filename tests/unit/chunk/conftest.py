"""What tests of the chunker share: one check of everything that must hold for any chunks, and real snippets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from connote.chunk import ChunkOptions, chunk
from connote.languages import detect_language
from connote.model import Chunk, Symbol


def _size(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _place(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a byte offset: computed on its own, from the text before it."""
    before = data[:offset].decode("utf-8", "surrogatepass")
    rows = re.split("\r\n|\n|\r", before)
    # The offset may lie between \r and \n; no chunk begins there.
    column = len(rows[-1]) + 1
    if len(rows) == 1 and before.startswith("\ufeff"):
        column -= 1
    return len(rows), column


def _check(path: str, text: str, options: ChunkOptions) -> list[Chunk]:
    chunks = chunk(path, text, options)
    data = text.encode("utf-8", "surrogatepass")
    unread = "not a notebook that can be read; cut as text"
    is_notebook = (options.language or detect_language(path, text)) == "jupyter"
    if chunks and chunks[0].error == unread:
        is_notebook = False
    if is_notebook:
        _check_cells(data, chunks)
    at = 0
    for index, piece in enumerate(chunks):
        assert index == piece.index
        assert data[piece.start_byte : piece.end_byte] == piece.text.encode("utf-8", "surrogatepass")
        assert at <= piece.start_byte < piece.end_byte <= len(data)
        assert is_notebook or not data[at : piece.start_byte].strip()
        assert piece.text.strip(" \t\n\r\x0b\x0c")
        assert _size(piece.text) <= options.max_size
        assert _place(data, piece.start_byte)[0] == piece.start_line
        assert _place(data, piece.end_byte)[0] == piece.end_line
        assert piece.start_line <= piece.end_line
        assert 1 <= piece.part <= piece.parts
        assert piece.line >= 1
        assert piece.column >= 1
        assert (piece.symbol is None) == (piece.kind is None)
        if piece.symbol is not None:
            assert any((piece.symbol, piece.kind, piece.line) == (s.name, s.kind, s.line) for s in piece.symbols)
        at = piece.end_byte
    assert is_notebook or not data[at:].strip(b"\xef\xbb\xbf \t\n\r\x0b\x0c")
    assert chunks == chunk(path, text, options)
    return chunks


def _check_cells(data: bytes, chunks: list[Chunk]) -> None:
    """Without what the chunks hold, a notebook is one whose cells are blank, and is the same in all else."""
    rest = data
    for piece in reversed(chunks):
        rest = rest[: piece.start_byte] + rest[piece.end_byte :]
    before, after = (_cells(part.decode("utf-8", "surrogatepass").removeprefix("\ufeff")) for part in (data, rest))
    if before is None:
        return  # Broken, and still read: JSON's own reader can say nothing of it.
    assert after is not None
    assert not "".join(source for _, source in after).strip(" \t\n\r\x0b\x0c")
    assert [cell for cell, _ in before] == [cell for cell, _ in after]


def _cells(text: str) -> list[tuple[dict[str, object], str]] | None:
    """Each cell without its source, and its source."""
    try:
        cells = json.loads(text)["cells"]
        return [({**cell, "source": ""}, "".join(cell.get("source", ""))) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return None


@pytest.fixture(scope="session")
def checked() -> Callable[..., list[Chunk]]:
    """A function that cuts a document and asserts all that must hold for any document."""

    def check(path: str, text: str, **options: object) -> list[Chunk]:
        return _check(path, text, ChunkOptions(**options))  # type: ignore[arg-type]

    return check


@pytest.fixture(scope="session")
def symbols(checked: Callable[..., list[Chunk]]) -> Callable[..., list[Symbol]]:
    """A function that cuts a document and returns its symbols, each once."""

    def collect(path: str, text: str, **options: object) -> list[Symbol]:
        return list(dict.fromkeys(symbol for piece in checked(path, text, **options) for symbol in piece.symbols))

    return collect


@pytest.fixture(scope="session")
def outline(symbols: Callable[..., list[Symbol]]) -> Callable[..., list[str]]:
    """A function that cuts a document and returns `kind scope.name` of each symbol."""

    def collect(path: str, text: str, **options: object) -> list[str]:
        return [f"{s.kind} {'.'.join((*s.scope, s.name))}" for s in symbols(path, text, **options)]

    return collect


@pytest.fixture(scope="session")
def snippets() -> dict[str, str]:
    """Real code in several languages, by file name."""
    folder = Path(__file__).parent / "data"
    return {file.name: file.read_bytes().decode() for file in sorted(folder.iterdir())}
