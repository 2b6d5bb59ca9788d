"""Golden files: all that is found in one sample of each language, read line by line when it was accepted.

`CONNOTE_UPDATE_GOLDENS=1 pytest tests/unit/chunk/test_golden.py` writes what is found instead of comparing it;
read the difference before it is committed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from connote.chunk.definitions import DEFINITIONS
from connote.chunk.grammar import load
from connote.languages import detect_language, grammar_of
from connote.model import SYMBOL_KINDS, Chunk, Symbol

Checked = Callable[..., list[Chunk]]

GOLDEN = Path(__file__).parent / "golden"
FOLDERS = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
LEAST_LINES = 40
# Read here, before the fixtures that hide the settings of the machine.
UPDATE = os.environ.get("CONNOTE_UPDATE_GOLDENS") == "1"


# Kinds that a row takes over from another language's, in whose sample they are seen, or that no grammar here can read.
UNSEEN = {
    "cuda": {"type"},
    "glsl": {"type", "enum"},
    "hlsl": {"type", "namespace", "macro"},
    "matlab": {"property", "constant", "class"},
    "systemverilog": {"macro", "type"},
    "verilog": {"interface", "constructor", "field", "type", "class"},
}


@pytest.mark.parametrize("language", FOLDERS)
def test_what_is_found_is_what_was_accepted(language: str, checked: Checked) -> None:
    check(GOLDEN / language, checked)


def test_every_row_has_a_sample() -> None:
    assert not set(DEFINITIONS) - set(FOLDERS)


def check(folder: Path, checked: Checked) -> None:
    (sample,) = (file for file in folder.iterdir() if file.suffix != ".golden")
    text = sample.read_text(encoding="utf-8")
    assert folder.name == detect_language(sample.name, text)
    assert text.count("\n") >= LEAST_LINES

    chunks = checked(sample.name, text)
    found = listing(chunks)

    kinds = {symbol.kind for chunk in chunks for symbol in chunk.symbols}
    assert kinds <= set(SYMBOL_KINDS)
    assert kinds_of_row(folder.name) - kinds == UNSEEN.get(folder.name, set())
    golden = folder / "sample.golden"
    if UPDATE:
        golden.write_text(found, encoding="utf-8", newline="\n")
    assert golden.read_text(encoding="utf-8") == found


def kinds_of_row(language: str) -> set[str]:
    grammar = load(grammar_of(language) or "")
    return {row.kind for row in grammar.rows} & set(SYMBOL_KINDS) if grammar is not None else set()


def listing(chunks: list[Chunk]) -> str:
    """One line for each symbol in document order, then one for each chunk."""
    symbols = dict.fromkeys(symbol for chunk in chunks for symbol in chunk.symbols)
    lines = [symbol_line(symbol) for symbol in symbols]
    lines.append("")
    lines += [chunk_line(chunk) for chunk in chunks]
    return "\n".join(lines) + "\n"


def symbol_line(symbol: Symbol) -> str:
    place = f"{symbol.start_line}:{symbol.start_column}-{symbol.end_line}:{symbol.end_column}"
    head = f"{symbol.kind} {symbol.name}  {scope_text(symbol.scope)}  {place}  name {symbol.line}:{symbol.column}"
    return " | ".join((head, symbol.signature, symbol.doc.split("\n", 1)[0])).rstrip(" |")


def chunk_line(chunk: Chunk) -> str:
    name = f"{chunk.kind} {chunk.symbol}" if chunk.symbol is not None else "-"
    line = f"chunk {chunk.start_line}-{chunk.end_line}  {name}  {scope_text(chunk.scope)}"
    if chunk.parts > 1:
        line += f"  part {chunk.part}/{chunk.parts}"
    return f"{line}  error: {chunk.error}" if chunk.error is not None else line


def scope_text(scope: tuple[str, ...]) -> str:
    return f"[{' > '.join(scope)}]"
