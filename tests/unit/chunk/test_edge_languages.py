"""More of the inputs on which chunkers go wrong, by their number, and forms that languages hide definitions in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from connote.model import Chunk, Symbol

Checked = Callable[..., list[Chunk]]
Symbols = Callable[..., list[Symbol]]
Outline = Callable[..., list[str]]


def test_10_tabs_and_spaces_mixed(symbols: Symbols) -> None:
    found = symbols("a.py", "class A:\n\tdef f(self):\n        \treturn 1\n\tdef g(self): pass\n")

    assert [("A", 1, 1, 4, 19), ("f", 2, 2, 3, 18), ("g", 4, 2, 4, 19)] == [
        (s.name, s.start_line, s.start_column, s.end_line, s.end_column) for s in found
    ]


# The list asks for entities of re-exports. They define nothing, and a search for the definition must not end at one:
# so they are text that is found, and no symbols.
def test_23_re_exports_are_text(checked: Checked) -> None:
    (piece,) = checked("a.ts", 'export * from "./all";\nexport { a as b, default as c } from "./some";\n')

    assert () == piece.symbols
    assert "a as b" in piece.text


def test_24_scripts_in_markup_have_the_lines_of_their_file(symbols: Symbols) -> None:
    script = '<script setup lang="ts">\nfunction count(): number { return 1 }\n</script>\n'
    text = f"<template>\n  <p>{{{{ n }}}}</p>\n</template>\n\n{script}"
    (count,) = (s for s in symbols("a.vue", text) if s.kind == "function")

    assert ("count", 6, 10, "function count(): number") == (count.name, count.line, count.column, count.signature)


def test_26_what_rust_declares(outline: Outline) -> None:
    text = "const A: u8 = 1;\nmod m { pub fn f() {} }\ntrait T { fn sig(&self); }\nmod elsewhere;\n"
    expected = ["constant A", "module m", "function m.f", "trait T", "method T.sig", "module elsewhere"]

    assert expected == outline("a.rs", text)


def test_26_inner_docs_belong_to_what_is_around_them(symbols: Symbols) -> None:
    found = symbols("a.rs", "mod outer {\n    //! Of outer.\n    fn f() {}\n}\n")

    assert [("outer", 1, ""), ("f", 3, "")] == [(s.name, s.start_line, s.doc) for s in found]


def test_28_a_package_is_no_import_and_a_block_is_one_chunk(checked: Checked) -> None:
    (piece,) = checked("a.go", "package p\n\nconst (\n\tA = iota\n\tB\n\t_\n\tC, D = 1, 2\n)\n")

    assert ["A", "B", "C", "D"] == [symbol.name for symbol in piece.symbols]
    assert () == piece.imports


def test_29_java_imports_and_anonymous_classes(checked: Checked, outline: Outline) -> None:
    text = (
        "import java.util.*;\nimport static java.util.Map.entry;\n"
        "class A { Object o() { entry(1, 2); return new Object() { void run() {} }; } }\n"
    )

    assert ["class A", "method A.o", "method A.o.run"] == outline("A.java", text)
    assert "import static java.util.Map.entry;" in checked("A.java", text)[0].imports


def test_30_both_halves_of_a_condition_are_found(outline: Outline) -> None:
    text = "#ifdef X\nint f(int a) { return a; }\nint v;\n#else\nint f(int a) { return 1; }\n#endif\n"

    assert ["function f", "variable v", "function f"] == outline("a.c", text)


def test_30_pointers_to_functions_are_no_functions(outline: Outline) -> None:
    text = "struct S { int (*compare)(int); };\nint (*hook)(int);\nint (*maker(int a))(int);\n"

    assert ["struct S", "field S.compare", "variable hook", "function maker"] == outline("a.c", text)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "package p\nvar a, b = 1, 2\n", ["variable a", "variable b"]),
        ("a.c", "int a = 1, *b;\n", ["variable a", "variable b"]),
        ("A.java", "class A { int a = 1, b; }\n", ["class A", "field A.a", "field A.b"]),
        ("a.cs", "class A { int a = 1, b; }\n", ["class A", "field A.a", "field A.b"]),
        ("a.php", "<?php class A { const X = 1, Y = 2; }\n", ["class A", "constant A.X", "constant A.Y"]),
        ("a.swift", "enum A { case a, b }\n", ["enum A", "constant A.a", "constant A.b"]),
        ("a.rb", "class A\n  attr_reader :a, :b\nend\n", ["class A", "property A.a", "property A.b"]),
        ("a.lua", "local a, b = 1, 2\n", ["variable a", "variable b"]),
    ],
)
def test_one_statement_may_define_several_names(path: str, text: str, expected: list[str], outline: Outline) -> None:
    assert expected == outline(path, text)


@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_what_a_call_gives_back_is_no_function(path: str, outline: Outline) -> None:
    text = "function f(rows) {\n  const sums = rows.map((row) => row.sum);\n  timer = setTimeout(() => f([]), 9);\n}\n"

    assert ["function f"] == outline(path, text)
    assert ["function View"] == outline(path, "const View = memo((props) => props.x);\n")
    assert ["constant twice"] == outline(path, "const twice = [1].map((x) => x * 2);\n")


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.c", "int f(int a,\n      int b);\n", "int f(int a, int b)"),
        ("a.c", "typedef struct {\n  int a;\n} S;\n", "typedef struct S"),
        ("a.cs", "class A {\n  [Obsolete]\n  public int P => 1;\n}\n", "[Obsolete] public int P"),
        ("a.exs", "def f(x), do: x\n", "def f(x)"),
        ("a.rb", "def f(a); end\n", "def f(a)"),
        ("a.swift", "struct A {\n  var p: Int { 1 }\n}\n", "var p: Int"),
        ("a.hs", "f x = x\n", "f x"),
        ("a.ts", "const a = { b: 1 } as const;\n", "const a"),
        ("a.ex", "def f(\n  a,\n  b\n)\n", "def f( a, b )"),
    ],
)
def test_signatures_are_whole_and_without_bodies(path: str, text: str, signature: str, symbols: Symbols) -> None:
    assert signature in [symbol.signature for symbol in symbols(path, text)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a_spec.rb", 'describe A do\n  it "b" do\n  end\nend\n', ["test A", "test A.b"]),
        ("a.php", "<?php it('b', function () {});\n", ["test b"]),
        ("a.lua", 'describe("a", function() it("b", function() end) end)\n', ["test a", "test a.b"]),
        ("a.dart", "void main() { test('b', () { f(); }); }\n", ["function main", "test main.b"]),
        ("a.jl", '@testset "b" begin\n  @test true\nend\n', ["test b"]),
        ("a.scala", 'class A { test("b") { f() } }\n', ["class A", "test A.b"]),
        ("a.cpp", "TEST_F(A, B) { f(); }\n", ["test A.B"]),
        ("a.cpp", 'TEST_CASE("a") { SECTION("b") { f(); } }\n', ["test a", "test a.b"]),
        ("a.bats", '@test "b" {\n  run f\n}\n', ["test b"]),
        ("a.ml", 'let%test "b" = true\n', ["test b"]),
        ("a.zig", 'test "b" {}\n', ["test b"]),
        ("a.exs", 'test "b" do\n  :ok\nend\n', ["test b"]),
    ],
)
def test_tests_have_names_in_many_languages(path: str, text: str, expected: list[str], outline: Outline) -> None:
    assert expected == outline(path, text)


def test_macros_before_a_class_do_not_hide_it(symbols: Symbols) -> None:
    text = (
        "namespace n {\nLIB_NAMESPACE_BEGIN\n\n// Counts.\nclass LIB_API A final : public B {\n  int a_;\n};\n"
        "LIB_NAMESPACE_END\n}\nenum E {\n  FIRST_ONE,\n  LAST_ONE\n};\n"
    )
    found = symbols("a.cc", text)

    assert ["n", "A", "a_", "E", "FIRST_ONE", "LAST_ONE"] == [symbol.name for symbol in found]
    assert ("class", "Counts.", 4, 7) == (found[1].kind, found[1].doc, found[1].start_line, found[1].end_line)
    assert "class LIB_API A final : public B" == found[1].signature
