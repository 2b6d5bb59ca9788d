"""Faults that were reported against comparable tools, each by its number."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from connote.chunk import chunk
from connote.languages import detect_language
from connote.model import Chunk, Symbol


def names(chunks: list[Chunk]) -> list[str]:
    return [symbol.name for piece in chunks for symbol in piece.symbols]


# R001: the name of a class over the limit was in no chunk.
def test_a_split_class_keeps_its_name(checked: Callable[..., list[Chunk]]) -> None:
    body = "".join(f"        total += {i} * self.rate\n" for i in range(60))
    text = "class PaymentReconciler(Base):\n" + "".join(f"    def m{i}(self):\n{body}\n" for i in range(3))
    chunks = checked("a.py", text)

    assert chunks[0].text.startswith("class PaymentReconciler(Base):")
    assert chunks[0].symbol == "PaymentReconciler"
    assert all("PaymentReconciler" in (piece.symbol, *piece.scope) for piece in chunks)


# R002: a small file was taken for minified because of one long line.
def test_one_long_line_costs_nothing(checked: Callable[..., list[Chunk]]) -> None:
    text = "import os\n" * 28 + f'KEY = "{"k" * 900}"\n\n\ndef needle_fn():\n    return KEY\n'

    assert "needle_fn" in names(checked("keys.py", text))


# R003: a language without a grammar gave no chunk at all.
def test_unknown_languages_are_cut_as_text(checked: Callable[..., list[Chunk]]) -> None:
    text = "proc one {\n  alpha\n}\n\nproc two {\n  beta\n}\n" * 120
    chunks = checked("x.unknownext", text)

    assert len(chunks) > 1
    assert chunks[0].language is None
    assert {"f", "g"} <= set(names(checked("solver.jl", "function f(x)\n x\nend\n\nfunction g(x)\n x\nend\n")))


# R004: another language's grammar ate the file.
def test_text_of_another_language_is_cut_as_text(checked: Callable[..., list[Chunk]]) -> None:
    text = "".join(
        f"Function CalcTax{i}(x As Integer) As Integer\n  Return x * {i}\nEnd Function\n\n" for i in range(70)
    )
    for path, language in (("Mod.vb", None), ("Mod.cs", None), ("a.py", None), ("a.txt", "java")):
        chunks = checked(path, text, language=language)

        assert any("Function CalcTax69(" in piece.text for piece in chunks)
    chunks = checked("Mod.cs", text)

    assert chunks[0].error == "mostly not readable as csharp; cut as text"


# R005: large files gave no functions, without an error.
def test_large_files_keep_their_functions(checked: Callable[..., list[Chunk]]) -> None:
    body = "".join(f"  const value{j} = input.field{j} + {j};\n" for j in range(10))
    text = "".join(f"export function fn{i}(input: Input): number {{\n{body}  return 1;\n}}\n\n" for i in range(800))
    found = set(names(chunk("big.ts", text)))

    assert {f"fn{i}" for i in range(800)} <= found
    jsx = "export function Page() {\n  return <div>\n" + "    <p>some text</p>\n" * 8000 + "  </div>;\n}\n"
    chunks = checked("big.tsx", jsx)

    assert {"Page"} == {piece.symbol for piece in chunks}
    assert len(chunks) == chunks[-1].parts


# R006: parsing failed at exact sizes of a buffer.
@pytest.mark.parametrize("size", [32_767, 32_768, 65_536, 1_048_577])
def test_sizes_of_buffers_are_no_borders(size: int) -> None:
    tail = f"def tail_marker_{size}():\n    pass\n"
    text = "(a)\n" * ((size - len(tail)) // 4)
    text += "#" * (size - len(text) - len(tail) - 1) + "\n" + tail

    assert size == len(text)
    assert f"tail_marker_{size}" in names(chunk("a.py", text))


# R007: a parser that is used again, or by several threads, mixed files up; comments above an item were cut off.
def test_files_and_threads_do_not_disturb_each_other(snippets: dict[str, str]) -> None:
    expected = {path: chunk(path, text) for path, text in snippets.items()}
    big = {f"{i}.py": "def f(a):\n    return [a, {}]\n\n\n" * 800 for i in range(3)}
    expected |= {path: chunk(path, text) for path, text in big.items()}
    jobs = sorted({**snippets, **big}.items()) * 4
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda job: (job[0], chunk(*job)), jobs))

    assert all(expected[path] == chunks for path, chunks in results)


# R008: doc comments became chunks of their own.
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "/// retries with exponential backoff\n/// twice\n#[inline]\npub fn go_again() {\n%s}\n"),
        ("a.ts", "/**\n * retries with exponential backoff\n */\nexport function go_again() {\n%s}\n"),
        (
            "A.java",
            "class A {\n  /** retries with exponential backoff */\n  @Override\n  void go_again() {\n%s  }\n}\n",
        ),
        ("a.py", '@retry\ndef go_again():\n    """retries with exponential backoff"""\n%s'),
        ("a.go", "// retries with exponential backoff\nfunc go_again() {\n%s}\n"),
    ],
)
def test_doc_comments_stay_with_what_they_describe(checked: Callable[..., list[Chunk]], path: str, text: str) -> None:
    before = {
        "rs": "fn x() {\n%s}\n",
        "ts": "function x() {\n%s}\n",
        "java": "",
        "py": "def x():\n%s",
        "go": "func x() {\n%s}\n",
    }
    # Large enough that a border falls between the two, in any language.
    body = "".join(f"    call_number({i})\n" for i in range(30))
    head = before[path.rsplit(".", maxsplit=1)[-1]]
    chunks = checked(path, (head % body if head else "") + "\n" + text % body, max_size=700, min_size=100)
    hit = next(piece for piece in chunks if "exponential backoff" in piece.text)

    assert "go_again()" in hit.text
    symbol = next(symbol for symbol in hit.symbols if symbol.name == "go_again")
    assert "exponential backoff" in symbol.doc
    assert symbol.start_line < symbol.line


# R009: a leaf larger than a chunk could not be split.
def test_large_leaves_are_split(checked: Callable[..., list[Chunk]]) -> None:
    rows = "".join(f"SELECT column_{i} FROM some_table WHERE x = {i}\n" for i in range(270))
    chunks = checked("const.py", f'SQL = """\n{rows}"""\n')

    assert len(chunks) > 5
    assert all(piece.symbol == "SQL" for piece in chunks)
    checked("const.py", "# " + "word " * 2000 + "\n")
    checked("const.c", "/* " + "word\n" * 2000 + "*/\nint f(void);\n")


# R010: deep code ran into the recursion limit. Edge case 36.
@pytest.mark.parametrize("depth", [5000, 100_000])
def test_depth_is_no_danger(depth: int) -> None:
    after = "\nfunction afterwards() {}\n"

    assert "afterwards" in names(chunk("deep.js", "[" * depth + "]" * depth + after))
    assert "afterwards" in names(chunk("deep.js", "[\n" * depth + "]\n" * depth + after))


def test_nested_blocks_are_no_danger() -> None:
    nested = "if (x) {\n" * 3000 + "}\n" * 3000

    assert "afterwards" in names(chunk("deep.js", nested + "function afterwards() {}\n"))
    assert chunk("deep.py", "".join(f"{' ' * i}if x:\n" for i in range(2000)))
    assert chunk("unclosed.py", "(" * 50_000)


# R011: limits cut characters in half.
@pytest.mark.parametrize("limit", range(1, 40, 3))
def test_no_character_is_cut(checked: Callable[..., list[Chunk]], limit: int) -> None:
    checked("a.py", "# naïve 日本語 🙂 e\u0301\n" * 20, max_size=limit)
    checked("a.txt", "naïve日本語🙂" * 50, max_size=limit)


# R012: line numbers drifted where line ends are mixed.
def test_mixed_line_ends_count_as_an_editor_counts(symbols: Callable[..., list[Symbol]]) -> None:
    text = "a = 1\r\nb = 2\rc = '\f\u2028\x85'\n\td\n\r\n\rdef known():\r    pass\n"
    found = {symbol.name: symbol for symbol in symbols("a.py", text)}

    assert (7, 5) == (found["known"].line, found["known"].column)
    assert 8 == found["known"].end_line


# R013: code around `#ifdef` halves was lost.
def test_code_in_unreadable_regions_is_kept(checked: Callable[..., list[Chunk]]) -> None:
    text = "#ifdef A\nvoid f(int a){\n#else\nvoid f(long a){\n#endif\n body(); }\nvoid g(void){}\n"
    chunks = checked("a.c", text)

    assert "g" in names(chunks)
    assert "void f(int a)" in "".join(piece.text for piece in chunks)
    assert any(piece.error for piece in chunks)


# R014: common extensions were missing.
def test_common_extensions_are_known() -> None:
    paths = ["a.mjs", "b.cjs", "c.cts", "d.mts", "e.cxx", "f.hh", "g.pyi", "h.blade.php", "Dockerfile", "Makefile"]

    assert all(detect_language(path) for path in paths)
    assert detect_language("tool", "#!/usr/bin/env python\nx = 1\n") == "python"
