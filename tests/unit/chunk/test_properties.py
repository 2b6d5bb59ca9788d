"""What holds for the chunks of any text whatever."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connote.chunk import ChunkOptions, chunk
from connote.chunk.source import Source
from connote.languages import LANGUAGES
from connote.model import Chunk, Symbol

LIMITS = st.sampled_from([1, 7, 40, 200, 1600])
PATHS = st.sampled_from(
    [
        "a.py",
        "a.ts",
        "a.go",
        "a.rs",
        "a.c",
        "a.md",
        "a.txt",
        "a.html",
        "a.json",
        "a.yaml",
        "a.toml",
        "a.sql",
        "a.sh",
        "a.vue",
        "a.svelte",
        "a.astro",
        "a.ipynb",
        "Dockerfile",
        "Makefile",
        "noname",
    ]
)
TEXTS = st.text(
    st.one_of(
        st.sampled_from("\n\r\t \f\v\x00\x85\u2028\ufeff(){}[]\"'`#/*=:;,.<>abcdefx019é🎉\ud800"),
        st.sampled_from(["\n"]),
        st.characters(),
    ),
    max_size=400,
)
SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@SETTINGS
@given(path=PATHS, text=TEXTS, limit=LIMITS, least=st.sampled_from([0, 20, 400]))
def test_any_text(checked: Callable[..., list[Chunk]], path: str, text: str, limit: int, least: int) -> None:
    """Edge case 38."""
    checked(path, text, max_size=limit, min_size=least)


@SETTINGS
@given(data=st.data(), limit=LIMITS)
def test_any_mixture_of_real_code(
    checked: Callable[..., list[Chunk]], snippets: dict[str, str], data: st.DataObject, limit: int
) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(snippets)), min_size=1, max_size=4))
    text = data.draw(st.sampled_from(["", "\ufeff"]))
    for name in names:
        code = snippets[name]
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(code)))
            cut = data.draw(st.integers(0, 20))
            code = (
                code[:at]
                + data.draw(st.sampled_from(["", "🎉é", '"', "{", "/*", "\r", "\x0c", "\t"]))
                + code[at + cut :]
            )
        text += code.replace("\n", data.draw(st.sampled_from(["\n", "\r\n", "\r"])))
    language = data.draw(st.sampled_from(sorted(LANGUAGES)))
    for piece in checked(names[0], text, max_size=limit, language=language):
        for symbol in piece.symbols:
            _check_symbol(text, symbol)


# Markup, Markdown and notebooks with code inside; `{}` is where it stands.
HOSTS = [
    ("a.vue", "<script>\n{}\n</script>\n", "<script setup lang='ts'>{}</script>", '<style lang="scss">\n{}</style>\n'),
    ("a.svelte", "<script context='module'>\n{}</script>\n", "{{#if x}}\n<p>é</p>\n{{/if}}\n", "<style>{}</style>\n"),
    ("a.astro", "---\n{}\n---\n", "<p>\n  <script>\n{}\n</script></p>\n", "<style>\n{}\n</style>\n"),
    ("a.html", "<script type=module>\n{}\n</script>\n", "<div>\n<style>{}</style></div>\n", "<script>{}"),
    ("a.md", "```python\n{}\n```\n", "# H é\n\n- x\n\n  ```ts\n{}\n  ```\n", "text\n\n~~~~ go\n{}\n~~~~\n## J\n"),
]


@SETTINGS
@given(data=st.data(), limit=LIMITS)
def test_any_code_inside_of_other_text(
    checked: Callable[..., list[Chunk]], snippets: dict[str, str], data: st.DataObject, limit: int
) -> None:
    path, *frames = data.draw(st.sampled_from(HOSTS))
    text = data.draw(st.sampled_from(["", "\ufeff", "<!-- é -->\n"]))
    for frame in data.draw(st.lists(st.sampled_from(frames), min_size=1, max_size=4)):
        text += frame.format(_part_of(data, snippets))
    for piece in checked(path, text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"]))), max_size=limit):
        for symbol in piece.symbols:
            _check_symbol(text, symbol)


@SETTINGS
@given(data=st.data(), limit=LIMITS)
def test_any_notebook(
    checked: Callable[..., list[Chunk]], snippets: dict[str, str], data: st.DataObject, limit: int
) -> None:
    """Its JSON in any form: pretty or on one line, with escapes or without, sources as lists or as one string."""
    cells = []
    for _ in range(data.draw(st.integers(0, 4))):
        code = data.draw(st.one_of(TEXTS, st.just(_part_of(data, snippets))))
        source = code if data.draw(st.booleans()) else code.splitlines(keepends=True)
        kind = data.draw(st.sampled_from(["code", "code", "markdown", "raw"]))
        cells.append({"cell_type": kind, "source": source, "outputs": [{"text": ["x = 1\n"], "source": "y"}]})
    language = data.draw(st.sampled_from(["python", "R", "julia", "?"]))
    notebook = {"cells": cells, "metadata": {"language_info": {"name": language}}}
    text = json.dumps(notebook, indent=data.draw(st.sampled_from([None, 1])), ensure_ascii=data.draw(st.booleans()))
    for piece in checked("a.ipynb", text, max_size=limit):
        for symbol in piece.symbols:
            _check_symbol(text, symbol)


def _part_of(data: st.DataObject, snippets: dict[str, str]) -> str:
    code = snippets[data.draw(st.sampled_from(sorted(snippets)))]
    first = data.draw(st.integers(0, len(code)))
    return code[first : data.draw(st.integers(first, len(code)))]


def _check_symbol(text: str, symbol: Symbol) -> None:
    rows = re.split("\r\n|\n|\r", text)
    rows[0] = rows[0].removeprefix("\ufeff")
    place = (symbol.line, symbol.column)
    assert (symbol.start_line, symbol.start_column) <= place <= (symbol.end_line, symbol.end_column)
    assert symbol.end_line <= len(rows)
    assert symbol.end_column <= len(rows[symbol.end_line - 1]) + 1


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_names_stand_where_symbols_say(
    symbols: Callable[..., list[Symbol]], snippets: dict[str, str], ending: str
) -> None:
    found = 0
    for path, code in snippets.items():
        text = f"\ufeff{code}".replace("\n", ending)
        rows = re.split("\r\n|\n|\r", text)
        rows[0] = rows[0].removeprefix("\ufeff")
        for symbol in symbols(path, text):
            if symbol.name.isidentifier() and symbol.name not in ("default", "init"):
                found += 1
                assert rows[symbol.line - 1][symbol.column - 1 :].startswith(symbol.name), (path, symbol)

    assert found > 120


def test_line_ends_change_no_symbol(symbols: Callable[..., list[Symbol]], snippets: dict[str, str]) -> None:
    for path, code in snippets.items():
        expected = symbols(path, code)

        assert expected == symbols(path, code.replace("\n", "\r\n"))
        assert expected == symbols(path, code.replace("\n", "\r"))


def test_sizes_count_characters_and_no_white_space() -> None:
    source = Source("é 🎉\t\r\nab\n\n  x")

    assert [0, 2, 4, 4, 5] == source.acc
    assert 4 == source.lines


def test_lines_end_at_three_things_only() -> None:
    source = Source("a\fb\x85c\u2028d\x1ce\x0bf\rg\r\nh\n")

    assert 4 == source.lines


@pytest.mark.parametrize(
    "changes",
    [
        {"max_size": 0}, {"max_size": -1}, {"max_size": 1.5}, {"max_size": True}, {"min_size": -1},
        {"overlap_lines": -1}, {"overlap_lines": 100_000}, {"context": "some"}, {"siblings": "all"},
    ],
)  # fmt: skip
def test_options_out_of_range_are_refused(changes: dict[str, object]) -> None:
    """Edge case 37."""
    with pytest.raises(ValueError, match=next(iter(changes))):
        ChunkOptions(**changes)  # type: ignore[arg-type]


def test_edits_move_only_borders_near_them() -> None:
    """Inserting lines into one function changes the text of few other chunks."""
    functions = [f"def f{i}(a, b):\n" + "".join(f"    a += b * {j}{i}\n" for j in range(40)) for i in range(60)]
    before = {piece.text for piece in chunk("a.py", "\n\n".join(functions))}
    functions[30] = functions[30].replace("\n", "\n    # one more line\n", 1)
    after = {piece.text for piece in chunk("a.py", "\n\n".join(functions))}

    assert len(before) > 20
    assert 2 >= len(after - before)
