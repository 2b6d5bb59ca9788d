"""Inputs on which chunkers go wrong, each with its number in the list of edge cases and its right answer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from connote.chunk import ChunkOptions, chunk, contextualize
from connote.errors import UnsupportedLanguageError
from connote.model import Chunk, Symbol

Checked = Callable[..., list[Chunk]]
Symbols = Callable[..., list[Symbol]]
Outline = Callable[..., list[str]]


def code(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def one(found: list[Symbol], name: str) -> Symbol:
    return next(symbol for symbol in found if symbol.name == name)


# Python


def test_1_decorators_are_part_of_a_function(symbols: Symbols) -> None:
    (f,) = symbols("a.py", '@a\n@b(1)\ndef f(x):\n    """Doc."""\n')

    assert ("f", 1, 3, "@a @b(1) def f(x)", "Doc.") == (f.name, f.start_line, f.line, f.signature, f.doc)


def test_2_a_dataclass_is_one_chunk(checked: Checked) -> None:
    (piece,) = checked("a.py", '@dataclass\nclass A:\n    """Holds."""\n\n    x: int = 1\n    y: int = 2\n')

    assert ("A", "class", "Holds.", "@dataclass class A") == (piece.symbol, piece.kind, piece.doc, piece.signature)


def test_3_scopes_are_chains_without_oneself(symbols: Symbols) -> None:
    found = symbols("a.py", "def f():\n    class A:\n        class B:\n            def m(self): pass\n")

    assert ("f", "A", "B") == one(found, "m").scope
    assert "method" == one(found, "m").kind
    assert () == one(found, "f").scope


def test_4_and_6_equal_names_are_all_kept(outline: Outline) -> None:
    text = """
        class A:
            @property
            def x(self): return 1
            @x.setter
            def x(self, v): pass
            async def y(self): pass
        @overload
        def f(a: int): ...
        @overload
        def f(a: str): ...
        def f(a): ...
        """
    expected = ["class A", "method A.x", "method A.x", "method A.y", "function f", "function f", "function f"]

    assert expected == outline("a.py", code(text))


@pytest.mark.parametrize(
    ("literal", "doc"),
    [
        ('"d"', "d"), ("'d'", "d"), ('r"""d"""', "d"), ('u"""d"""', "d"), ("R'''d'''", "d"), ('f"d"', ""), ('b"d"', ""),
        ('"""A.\n\n    B\n      C\n    """', "A.\n\nB\n  C"), ("1", ""),
        ('# comment first\n    """d"""', "d"), ('"""quote \\" inside"""', 'quote \\" inside'),
    ],
)  # fmt: skip
def test_5_docstrings(symbols: Symbols, literal: str, doc: str) -> None:
    (f,) = symbols("a.py", f"def f():\n    {literal}\n")

    assert doc == f.doc
    (f,) = symbols("a.py", f"def f():\n    {literal}\n    return 1\n")

    assert doc == f.doc
    (a,) = symbols("a.py", f"class A:\n    {literal}\n")

    assert doc == a.doc


def test_7_what_a_module_runs_is_kept(checked: Checked) -> None:
    text = """
        from typing import TYPE_CHECKING
        LIMIT = 3
        if TYPE_CHECKING:
            import decimal
        if __name__ == "__main__":
            run(decimal, LIMIT)
        """
    (piece,) = checked("a.py", code(text))

    assert ("LIMIT", "constant") == (piece.symbol, piece.kind)
    assert ("from typing import TYPE_CHECKING", "import decimal") == piece.imports


def test_8_new_syntax(checked: Checked, outline: Outline) -> None:
    text = """
        square = lambda x: x * x
        type T = int
        def g[T](a: T) -> T:
            match a:
                case 1: return (b := a)
        """

    assert ["function square", "type T", "function g"] == outline("a.py", code(text))
    assert all(piece.error is None for piece in checked("a.py", code(text)))


def test_9_stubs(outline: Outline) -> None:
    assert ["class A", "method A.m", "function f"] == outline("a.pyi", "class A:\n    def m(self): ...\ndef f(): ...\n")


def test_10_tabs_and_spaces(symbols: Symbols) -> None:
    found = symbols("a.py", "class A:\n\tdef m(self):\n\t    pass\n        # odd\n\tdef n(self): pass\n")

    assert (2, 6) == (one(found, "m").line, one(found, "m").column)
    assert (5, 6) == (one(found, "n").line, one(found, "n").column)


# JavaScript and TypeScript


def test_11_and_12_exports_are_looked_through(symbols: Symbols) -> None:
    found = symbols(
        "a.ts", "/** doc */\nexport class Foo {}\n/** f doc */\nexport const f = async (a) => {\n  return a\n}\n"
    )

    assert [("Foo", "class", "doc", 1), ("f", "function", "f doc", 3)] == [
        (s.name, s.kind, s.doc, s.start_line) for s in found
    ]
    assert "export const f = async (a)" == one(found, "f").signature


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export default function(){}\n", "function default"),
        ("export default class{}\n", "class default"),
        ("export default memo(App)\n", "variable default"),
        ("export default function named(){}\n", "function named"),
        ("export default () => { return 1 }\n", "function default"),
    ],
)
def test_13_default_exports(outline: Outline, text: str, expected: str) -> None:
    assert [expected] == outline("a.js", text)


def test_14_overloads(outline: Outline) -> None:
    text = "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\n"

    assert ["function f"] * 3 == outline("a.ts", text)


def test_15_abstract_classes(outline: Outline) -> None:
    text = "export abstract class A { abstract m(): void; c() {} }\n"

    assert ["class A", "method A.m", "method A.c"] == outline("a.ts", text)


def test_16_namespaces(outline: Outline) -> None:
    text = 'namespace N { namespace P { export function q() {} } }\ndeclare module "m" { function r(): void }\n'

    assert ["namespace N", "namespace N.P", "function N.P.q", "namespace m", "function m.r"] == outline("a.ts", text)
    text = "declare global { interface Window { a: 1 } }\n"

    assert ["interface Window", "property Window.a"] == outline("a.ts", text)


def test_17_type_assertions_need_the_right_grammar(checked: Checked, outline: Outline) -> None:
    text = "const x = <T>(y)\nfunction after() {}\n"

    assert ["constant x", "function after"] == outline("a.ts", text)
    assert [None] == [piece.error for piece in checked("a.ts", text)]


def test_18_callbacks_stay_in_their_component(checked: Checked) -> None:
    text = "export const List = (p) => {\n  return <ul>{p.items.map(i => <li onClick={() => go(i)}>{i}</li>)}</ul>\n}\n"
    (piece,) = checked("a.tsx", text)

    assert ["List"] == [symbol.name for symbol in piece.symbols]


def test_19_decorated_methods_keep_their_comments(symbols: Symbols) -> None:
    found = symbols("a.ts", "class A {\n  /** doc */\n  @dec()\n  m() {}\n}\n")

    assert ("doc", 2, 4) == (one(found, "m").doc, one(found, "m").start_line, one(found, "m").line)


def test_20_members(outline: Outline) -> None:
    text = (
        "class A {\n  on = () => {}\n  #p() {}\n  get x() { return 1 }\n  set x(v) {}\n  static { init() }\n"
        "  [k]() {}\n  *g() {}\n  async h() {}\n  constructor() {}\n}\n"
    )
    expected = ["class A", "field A.on", "method A.#p", "method A.x", "method A.x", "method A.[k]", "method A.g"]

    assert [*expected, "method A.h", "constructor A.constructor"] == outline("a.js", text)


def test_21_functions_in_objects(outline: Outline) -> None:
    found = outline("a.js", "module.exports = { a() {}, b: () => 1 }\nexport default { methods: { c() {} } }\n")

    assert {"method a", "function b", "method default.c"} <= set(found)
    assert ["function query"] == outline("a.js", "module.exports = function query(options) {\n  return 1\n}\n")


def test_22_tests_have_names(outline: Outline) -> None:
    text = 'describe("limits", () => {\n  const z = 1\n  it("stops at ten", () => {})\n})\nconst after = 1\n'

    assert ["test limits", "test limits.stops at ten", "constant after"] == outline("a.test.js", text)


# Rust, Go, Java, the C family


def test_25_impls_are_named_after_their_target(symbols: Symbols) -> None:
    found = symbols("a.rs", "impl<T> S<T> { fn new() {} }\nimpl Drop for Foo { fn drop(&mut self) {} }\n")

    assert [("S", "impl", ()), ("new", "method", ("S",)), ("Foo", "impl", ()), ("drop", "method", ("Foo",))] == [
        (s.name, s.kind, s.scope) for s in found
    ]
    assert "impl Drop for Foo" == found[2].signature


def test_26_attributes_do_not_hide_docs(symbols: Symbols) -> None:
    text = (
        "//! module\n\n/// doc\n#[derive(Debug)]\n// note\n#[x]\npub struct S { a: u8 }\nmacro_rules! m { () => {} }\n"
    )
    found = symbols("a.rs", text)

    assert ("doc\nnote", 3, 7) == (found[0].doc, found[0].start_line, found[0].line)
    assert "#[derive(Debug)] #[x] pub struct S" == found[0].signature
    assert [("a", "field"), ("m", "macro")] == [(s.name, s.kind) for s in found[1:]]


def test_27_receivers(symbols: Symbols) -> None:
    found = symbols("a.go", "package p\nfunc (u *User[T]) Get() {}\nfunc (User) X() {}\n")

    assert [("Get", "method", ("User",)), ("X", "method", ("User",))] == [(s.name, s.kind, s.scope) for s in found]


def test_28_go_docs_and_groups(symbols: Symbols, checked: Checked) -> None:
    text = 'package p\n\nimport "fmt"\n\n// User is one.\ntype User struct{}\n\n'
    text += "type (\n\t// A is too.\n\tA int\n\tB int\n)\n"
    found = symbols("a.go", text)

    assert [("User", "User is one.", 5), ("A", "A is too.", 9), ("B", "", 11)] == [
        (s.name, s.doc, s.start_line) for s in found
    ]
    assert ('"fmt"',) == checked("a.go", text)[0].imports


def test_29_java(outline: Outline) -> None:
    text = (
        "class A {\n  A() {}\n  static class In {}\n  record R(int a) {}\n  enum E { X { void q() {} }, Y }\n"
        "  @interface An { int v(); }\n}\n"
    )
    expected = ["class A", "constructor A.A", "class A.In", "class A.R", "field A.R.a", "enum A.E", "constant A.E.X"]

    assert [*expected, "method A.E.X.q", "constant A.E.Y", "interface A.An", "method A.An.v"] == outline("A.java", text)


def test_30_the_c_family(outline: Outline) -> None:
    c = "int proto(int a);\ntypedef struct S { int a; } S;\n#define F(x) x\nint *f(int a) { return 0; }\n"

    assert ["function proto", "type S", "field S.a", "macro F", "function f"] == outline("a.c", c)
    cpp = "void n::A::m() {}\ntemplate<typename T> T mx(T a) { return a; }\nauto l = [](int a) { return a; };\n"

    assert ["method n.A.m", "function mx", "function l"] == outline("a.cpp", cpp)
    assert ["namespace A.B", "class A.B.C"] == outline("a.cs", "namespace A.B;\nclass C {}\n")


# Size and structure


def test_31_parts_of_a_large_function(checked: Checked) -> None:
    text = "def large(rows):\n    '''Adds up.'''\n" + "".join(f"    rows.append({i})\n" for i in range(2000))
    chunks = checked("a.py", text)

    assert len(chunks) > 10
    assert [("large", i + 1, len(chunks)) for i in range(len(chunks))] == [(p.symbol, p.part, p.parts) for p in chunks]
    assert all(contextualize(piece).startswith("large\ndef large(rows)\nAdds up.\n") for piece in chunks[1:])
    assert contextualize(chunks[0]).startswith("large\ndef large(rows):\n")


def test_32_a_large_string_is_cut_once(checked: Checked) -> None:
    chunks = checked("a.ts", "const s = `" + "abcdefghij klmnopqrst uvwxyz\n" * 12 + "`;\nconst t = 1;\n", max_size=100)

    assert len(chunks) > 3


def test_33_a_long_line_is_cut_between_characters(checked: Checked) -> None:
    chunks = checked("a.js", "const s = '" + "é🎉" * 5000 + "';\n")

    assert 7 == len(chunks)
    assert {1} == {piece.start_line for piece in chunks}


def test_34_every_field_is_in_a_chunk(checked: Checked) -> None:
    text = "class A {\n" + "".join(f"  field{i}: number = {i};\n" for i in range(300)) + "  m() {}\n}\n"
    chunks = checked("a.ts", text)

    assert {f"field{i}" for i in range(300)} <= {symbol.name for piece in chunks for symbol in piece.symbols}


def test_35_small_functions_share_a_chunk(checked: Checked) -> None:
    (piece,) = checked("a.py", "".join(f"def f{i}(): pass\n" for i in range(10)))

    assert [f"f{i}" for i in range(10)] == [symbol.name for symbol in piece.symbols]
    assert "f0" == piece.symbol
    assert "A" == checked("a.py", "class A: pass\n")[0].symbol


# Text and places


@pytest.mark.parametrize("text", ["", " ", "\n", "\r\n\t\f\v \r", "\ufeff", "\ufeff\n"])
def test_39_nothing_gives_nothing(text: str) -> None:
    assert [] == chunk("a.py", text)
    assert [] == chunk("a.md", text)
    assert [] == chunk("a", text)


def test_39_comments_and_imports_alone(checked: Checked) -> None:
    (piece,) = checked("a.py", "# one\n# two\n")

    assert (None, None, ()) == (piece.symbol, piece.kind, piece.symbols)
    (piece,) = checked("a.py", "import os\nimport sys\n")

    assert ("import os", "import sys") == piece.imports


def test_40_line_ends_change_no_embedded_text(checked: Checked, snippets: dict[str, str]) -> None:
    for path, text in snippets.items():
        expected = [contextualize(piece) for piece in checked(path, text)]

        for ending in ("\r\n", "\r"):
            assert expected == [contextualize(piece) for piece in checked(path, text.replace("\n", ending))]


def test_41_lone_carriage_returns_are_line_ends(symbols: Symbols) -> None:
    found = symbols("a.py", "# comment\rdef f(): pass\rdef g(): pass\r")

    assert [("f", 2, 5), ("g", 3, 5)] == [(s.name, s.line, s.column) for s in found]


def test_42_a_byte_order_mark_is_no_column(checked: Checked) -> None:
    (piece,) = checked("a.py", "\ufeffdef f(): pass\n")

    assert (1, 1, 5) == (piece.symbols[0].start_line, piece.symbols[0].start_column, piece.symbols[0].column)
    assert "f\ndef f(): pass" == contextualize(piece)


def test_43_columns_are_characters(symbols: Symbols) -> None:
    found = symbols("a.py", 'é = "🎉"; naïve = 1\n')

    assert [("é", 1), ("naïve", 10)] == [(s.name, s.column) for s in found]


def test_44_surrogates_and_nul_bytes(checked: Checked) -> None:
    checked("a.py", "x = '\ud800'\ndef f(): pass\n")
    checked("a.py", "x = '\x00'\ndef f(): pass\n")


def test_45_the_last_line_needs_no_line_end(symbols: Symbols) -> None:
    (f,) = symbols("a.py", "def f():\n    return 1")

    assert (2, 13) == (f.end_line, f.end_column)
    (f,) = symbols("a.py", "def f():\n    return 1\n")

    assert (2, 13) == (f.end_line, f.end_column)


def test_46_errors_stay_where_they_are(checked: Checked) -> None:
    good = "".join(f"def good{i}(a):\n" + "    a.call(1, 2, 3)\n" * 30 + "\n\n" for i in range(4))
    chunks = checked("a.py", good + "def bad(:\n    pass\n\n\n" + good)

    assert 1 == sum(piece.error is not None for piece in chunks)
    assert "line 133" in next(piece.error for piece in chunks if piece.error)
    assert 8 == sum((piece.symbol or "").startswith("good") for piece in chunks)


def test_46_functions_after_an_unreadable_one(outline: Outline) -> None:
    assert "function b" in outline("a.ts", "function a( { }\nfunction b() { return 1 }\n")
    conflict = "def a(): pass\n<<<<<<< HEAD\ndef b(): pass\n=======\ndef c(): pass\n>>>>>>> main\ndef d(): pass\n"

    assert {"function a", "function b", "function c", "function d"} <= set(outline("a.py", conflict))
    assert "function after" in outline("a.js", "const s = 'open\nfunction after() {}\n")


def test_47_one_paragraph_of_prose_is_kept(checked: Checked) -> None:
    chunks = checked("README", "word " * 500)

    assert 2 == len(chunks)


# Languages without a grammar


def test_unknown_languages_raise_when_strict() -> None:
    with pytest.raises(UnsupportedLanguageError, match="unknown language"):
        chunk("a.unknownext", "x", ChunkOptions(strict=True))
    assert chunk("a.md", "x", ChunkOptions(strict=True))


def test_the_language_can_be_given(outline: Outline) -> None:
    assert ["function f"] == outline("a.txt", "def f(): pass\n", language="python")


def test_markdown_sections(checked: Checked) -> None:
    text = code("""
        ---
        title: x
        # no heading
        ---
        before

        # One
        text

        ## Two `code`
        ```sh
        # no heading
        ```

        Three
        =====
        end
        """)
    (piece,) = checked("README.md", text)

    assert [("One", ()), ("Two code", ("One",)), ("Three", ())] == [(s.name, s.scope) for s in piece.symbols]
    assert {"section"} == {symbol.kind for symbol in piece.symbols}
    assert [(7, 13), (10, 13), (15, 17)] == [(s.start_line, s.end_line) for s in piece.symbols]


def test_large_markdown_sections_are_parts(checked: Checked) -> None:
    text = "# One\n\n" + "A paragraph of words that goes on.\n\n" * 100 + "# Two\n\nend\n"
    chunks = checked("README.md", text)

    assert {"One", "Two"} == {piece.symbol for piece in chunks}
    assert sum(piece.symbol == "One" for piece in chunks) == chunks[0].parts


def test_a_class_below_a_long_comment_is_opened(checked: Checked) -> None:
    """What has one part alone on lines of its own is opened until there are several: no method that fits is split."""
    comment = "/**\n" + " * Words about what this class is for, and how it came to be.\n" * 30 + " */\n"
    method = "  void m%d() {\n" + "    call(one, two, three);\n\n" * 20 + "  }\n\n"
    chunks = checked("A.java", f"{comment}@Ann\npublic class A {{\n{''.join(method % i for i in range(6))}}}\n")

    for i in range(6):
        (holder,) = (piece for piece in chunks if f"void m{i}()" in piece.text)
        assert 20 == holder.text.count("call(") / holder.text.count("void m")
