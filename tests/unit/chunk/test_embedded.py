"""Texts with code inside: markup with scripts and styles, Markdown with fences, notebooks; and files of keys."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from connote.chunk import contextualize
from connote.chunk.embedded import language_of_word
from connote.chunk.region import MAX_KEYS
from connote.model import Chunk, Symbol

Checked = Callable[..., list[Chunk]]
Symbols = Callable[..., list[Symbol]]
Outline = Callable[..., list[str]]


def places(symbols: list[Symbol]) -> list[str]:
    """`name line:column` of each symbol but fields."""
    return [f"{symbol.name} {symbol.line}:{symbol.column}" for symbol in symbols if symbol.kind not in FIELDS]


FIELDS = ("field", "property")


def test_24_lines_of_a_vue_script_are_those_of_the_file(symbols: Symbols, snippets: dict[str, str]) -> None:
    found = symbols("Cart.vue", snippets["Cart.vue"])

    assert [
        "Item 5:11", "props 10:7", "open 11:7", "total 14:7", "checkout 18:16", "$gap 34:1", "stack 36:8",
        ".cart 41:1",
    ] == places(found)  # fmt: skip
    total = next(symbol for symbol in found if symbol.name == "total")
    assert ("function", "Sum of all prices, in cents.", 13, 16) == (
        total.kind,
        total.doc,
        total.start_line,
        total.end_line,
    )


def test_24_lines_of_svelte_scripts_are_those_of_the_file(symbols: Symbols, snippets: dict[str, str]) -> None:
    found = symbols("Timer.svelte", snippets["Timer.svelte"])

    assert ["LIMIT 2:16", "seconds 8:7", "handle 9:9", "stop 12:12", "face 19:11", "p 30:3"] == places(found)
    assert "Stops the clock for good." == found[3].doc


def test_astro_has_code_above_and_below(outline: Outline, snippets: dict[str, str]) -> None:
    assert [
        "interface Props", "function slug", "function track", "rule h1",
    ] == [line for line in outline("Post.astro", snippets["Post.astro"]) if line.split()[0] not in FIELDS]  # fmt: skip


def test_scripts_and_styles_of_html(symbols: Symbols, snippets: dict[str, str]) -> None:
    found = symbols("login.html", snippets["login.html"])

    assert ["submitForm 11:22", "body 19:7", "form > label 20:7", "late 25:22"] == places(found)
    assert "async function submitForm(event)" == found[0].signature


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<script>", ["function f"]),
        ("<script type='text/javascript'>", ["function f"]),
        ("<script type=module async>", ["function f"]),
        ("<script lang='tsx'>", ["function f"]),
        ("<script type='text/x-template'>", []),
        ("<script type='application/json'>", []),
        ("<script lang='nothing-known'>", []),
    ],
)
def test_a_tag_says_what_its_text_is_written_in(outline: Outline, tag: str, expected: list[str]) -> None:
    assert expected == outline("a.html", f"<p>\n{tag}\nfunction f() {{}}\n</script>\n")


def test_large_scripts_are_cut_between_functions(checked: Checked) -> None:
    body = "".join(f"  total += {i} * rate\n" for i in range(40))
    script = "".join(f"function f{i}() {{\n{body}}}\n\n" for i in range(6))
    chunks = checked("a.vue", f"<template>\n  <p/>\n</template>\n<script>\n{script}</script>\n")

    assert [f"f{i}" for i in range(6)] == [piece.symbol for piece in chunks if piece.symbol]
    assert all(piece.text.count("function ") <= 1 for piece in chunks)


def test_an_unreadable_script_is_cut_as_text(checked: Checked) -> None:
    text = "<script>\n" + "{% if x %} ) ] } var a = ; {{ y }}\n" * 90 + "</script>\n<p>after</p>\n"
    chunks = checked("a.html", text)

    assert len(chunks) > 1
    assert any(piece.error for piece in chunks)


def test_imports_of_a_script_are_known_to_its_chunks(checked: Checked, snippets: dict[str, str]) -> None:
    chunks = checked("Cart.vue", snippets["Cart.vue"], max_size=300, min_size=50)
    template = next(piece for piece in chunks if "<template>" in piece.text)
    total = next(piece for piece in chunks if piece.symbol == "total")

    assert "import { money } from '@/format'" in template.imports
    assert ("import { computed, ref } from 'vue'",) == total.imports


def test_fenced_code_is_read_below_its_heading(symbols: Symbols, snippets: dict[str, str]) -> None:
    found = symbols("guide.md", snippets["guide.md"])

    assert [
        "section Client", "section Client.Install", "section Client.Use", "class Client.Use.Retrying",
        "method Client.Use.Retrying.send", "function Client.Use.connect", "section Client.Notes",
    ] == [f"{s.kind} {'.'.join((*s.scope, s.name))}" for s in found]  # fmt: skip
    assert ("Tries three times.", 21, 7) == (found[3].doc, found[3].line, found[3].column)


def test_a_section_that_fits_is_never_split_by_its_fences(checked: Checked) -> None:
    code = "".join(f"    x = call({i})\n" for i in range(40))
    (piece,) = checked("a.md", f"# T\n\ntext\n\n```py\ndef f():\n{code}```\n\nmore\n\n```py\ndef g():\n{code}```\n")

    assert ["T", "f", "g"] == [symbol.name for symbol in piece.symbols]


def test_a_function_in_a_fence_of_a_large_section_stays_whole(checked: Checked) -> None:
    code = "".join(f"    x = call({i})\n\n" for i in range(50))
    prose = "Words and more words, and so on.\n\n" * 30
    chunks = checked("a.md", f"# T\n\n{prose}```py\ndef f():\n{code}\ndef g():\n{code}```\n{prose}")

    for name in ("f", "g"):
        (holder,) = (piece for piece in chunks if f"def {name}():" in piece.text)
        assert holder.text.count("call(") == 50


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("python", "python"), ("py3", "python"), (" js {1,3}", "javascript"), ("ts,ignore", "typescript"),
        ("C++", "cpp"), ("c#", "csharp"), ("Dockerfile", "dockerfile"), ("rs", "rust"), ("shell", "bash"),
        ("{.python}", None), ("", None), ("console", None), ("makefile", "make"),
    ],
)  # fmt: skip
def test_words_for_languages(word: str, language: str | None) -> None:
    assert language == language_of_word(word)


def test_cells_of_a_notebook(checked: Checked, snippets: dict[str, str]) -> None:
    text = snippets["sales.ipynb"]
    chunks = checked("sales.ipynb", text)
    found = list(dict.fromkeys(symbol for piece in chunks for symbol in piece.symbols))

    assert [
        "section Sales in 2025 und Überblick",
        "constant Sales in 2025 und Überblick.PATH",
        "section Sales in 2025 und Überblick.Cleaning",
        "function Sales in 2025 und Überblick.Cleaning.clean",
        "class Sales in 2025 und Überblick.Cleaning.Report",
        "method Sales in 2025 und Überblick.Cleaning.Report.__init__",
        "method Sales in 2025 und Überblick.Cleaning.Report.total",
        "function Sales in 2025 und Überblick.Cleaning.fetch",
    ] == [f"{s.kind} {'.'.join((*s.scope, s.name))}" for s in found]
    rows = text.split("\n")
    for symbol in found:
        if symbol.name.isidentifier():
            assert rows[symbol.line - 1][symbol.column - 1 :].startswith(symbol.name)
    assert "not_a_function" not in "".join(piece.text for piece in chunks)
    assert "iVBOR" not in "".join(piece.text for piece in chunks)


def notebook(*sources: str | list[str], kind: str = "code", **forms: object) -> str:
    cells = [{"cell_type": kind, "source": source, "outputs": [{"text": "secret"}]} for source in sources]
    return json.dumps({"cells": cells, "nbformat": 4}, **forms)  # type: ignore[arg-type]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_sources_of_notebooks_may_have_any_form(
    checked: Checked, symbols: Symbols, indent: int | None, ascii_only: bool
) -> None:
    code = 'é = "🎉\\n"\n\ndef f():\n    """Says \\"é\\"."""\n'
    for source in (code, code.splitlines(keepends=True)):
        text = notebook(source, "f()", indent=indent, ensure_ascii=ascii_only)
        first, second = checked("a.ipynb", text)
        f = next(symbol for symbol in symbols("a.ipynb", text) if symbol.name == "f")

        assert contextualize(first).endswith(code.rstrip())
        assert "f()" == second.text
        assert text.split("\n")[f.line - 1][f.column - 1 :].startswith("f():")
        assert 'Says \\"é\\".' == f.doc


def test_a_large_cell_is_cut_within_the_limit(checked: Checked) -> None:
    """Sizes are those in the file: escapes and quotes count."""
    code = "".join(f'def f{i}():\n    return "é" + "\\t"\n\n\n' for i in range(60))
    chunks = checked("a.ipynb", notebook(code.splitlines(keepends=True), indent=1), max_size=200, min_size=10)

    assert [f"f{i}" for i in range(60)] == [symbol.name for piece in chunks for symbol in piece.symbols]


def test_other_kernels_and_old_notebooks(outline: Outline) -> None:
    cells = [{"cell_type": "code", "input": ["f <- function(x) {\n", "  x\n", "}"], "outputs": []}]
    old = {"worksheets": [{"cells": cells}], "metadata": {"language_info": {"name": "R"}}, "nbformat": 3}

    assert ["function f"] == outline("a.ipynb", json.dumps(old))


@pytest.mark.parametrize("text", ['{"cells": 1}', '{"cells": [{"cell_type": "code"', "def f(): pass\n", "[" * 9000])
def test_what_is_no_notebook_is_cut_as_text(checked: Checked, text: str) -> None:
    chunks = checked("a.ipynb", text)

    assert {"not a notebook that can be read; cut as text"} == {piece.error for piece in chunks}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.json", '{\n "a": {"b": 1},\n "c.d": [2]\n}\n', ["a 2:3", "c.d 3:3"]),
        ("a.yaml", "# x\na:\n  b: 1\n'c d': 2\n---\ne: 3\n", ["a 2:1", "c d 4:2", "e 6:1"]),
        ("a.toml", 'a = 1\n"b c" = 2\n[d.e]\nf = 1\n[[g]]\n', ["a 1:1", "b c 2:2", "d.e 3:2", "g 5:3"]),
    ],
)
def test_top_level_keys_are_symbols(symbols: Symbols, path: str, text: str, expected: list[str]) -> None:
    found = symbols(path, text)

    assert expected == places(found)
    assert {"key"} == {symbol.kind for symbol in found}


def test_keys_are_borders_and_names_of_chunks(checked: Checked) -> None:
    values = "".join(f"  - some value number {i}\n" for i in range(40))
    chunks = checked("a.yaml", "".join(f"key{i}:\n{values}" for i in range(5)))

    assert [f"key{i}" for i in range(5)] == [piece.symbol for piece in chunks]


def test_symbols_of_one_data_file_are_bounded(symbols: Symbols, checked: Checked) -> None:
    text = "{\n" + ",\n".join(f'"k{i}": {i}' for i in range(MAX_KEYS + 500)) + "\n}\n"

    assert MAX_KEYS == len(symbols("a.json", text))
    assert f'"k{MAX_KEYS + 499}"' in checked("a.json", text)[-1].text


def test_sql_shell_docker_and_make(outline: Outline, snippets: dict[str, str]) -> None:
    assert ["table accounts", "view active_accounts", "function touch"] == [
        line
        for line in outline("schema.sql", snippets["schema.sql"])
        if line.split()[0] in ("table", "view", "function")
    ]
    assert ["function f", "function g"] == outline("build.sh", snippets["build.sh"])
    assert {"rule all", "rule tool", "rule clean"} <= set(outline("Makefile", snippets["Makefile"]))
    assert 2 == len(outline("Dockerfile", snippets["Dockerfile"]))
