"""Languages: how a file's language is recognised."""

from __future__ import annotations

import pytest

from connote.languages import LANGUAGES, detect_language, grammar_of


def check(path: str, expected: str | None, text: str | None = None) -> None:
    assert expected == detect_language(path, text)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"), ("A.PY", "python"), ("x/y/a.pyi", "python"), ("a.js", "javascript"),
        ("a.mjs", "javascript"), ("a.cjs", "javascript"), ("a.jsx", "javascript"), ("a.ts", "typescript"),
        ("a.mts", "typescript"),
        ("a.cts", "typescript"), ("a.d.ts", "typescript"), ("a.tsx", "tsx"), ("a.go", "go"), ("a.rs", "rust"),
        ("a.java", "java"), ("a.c", "c"), ("a.h", "c"), ("a.cc", "cpp"), ("a.CXX", "cpp"), ("a.hh", "cpp"),
        ("a.cs", "csharp"), ("a.rb", "ruby"), ("a.php", "php"), ("a.blade.php", "blade"), ("a.kt", "kotlin"),
        ("a.swift", "swift"), ("a.scala", "scala"), ("a.lua", "lua"), ("a.sh", "bash"), ("a.exs", "elixir"),
        ("a.hs", "haskell"), ("a.zig", "zig"), ("a.dart", "dart"), ("Makefile", "make"), ("makefile", "make"),
        ("Dockerfile", "dockerfile"), ("Dockerfile.dev", "dockerfile"), ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"), ("README.md", "markdown"), ("a.vue", "vue"), ("c:\\x\\a.py", "python"),
        ("a.json", "json"), ("a.yml", "yaml"), ("a.toml", "toml"), ("a.css", "css"), ("a.sql", "sql"),
        ("a.jl", "julia"), ("Mod.vb", "vb"), ("noext", None), ("a.unknownext", None), (".py", "python"),
        ("", None), ("a.", None),
    ],
)  # fmt: skip
def test_names_and_extensions_decide(path: str, language: str | None) -> None:
    check(path, language)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env python", "python"), ("#!/usr/bin/env -S python3 -u", "python"), ("#!/bin/sh", "bash"),
        ("#! /usr/local/bin/python3.11", "python"), ("#!/usr/bin/env node", "javascript"),
        ("#!/usr/bin/ruby2.7", "ruby"), ("#!/usr/bin/env FOO=1 bash", "bash"), ("\ufeff#!/bin/bash", "bash"),
        ("#!/bin/strange", None), ("# python", None),
    ],
)  # fmt: skip
def test_the_first_line_decides_where_the_name_says_nothing(line: str, language: str | None) -> None:
    check("bin/tool", language, f"{line}\nx\n")


# R004: a header that holds Objective-C was read as C.
def test_a_header_is_told_apart_by_its_words() -> None:
    check("a.h", "objc", "#import <X/X.h>\n@interface A : B\n@end\n")
    check("a.h", "cpp", "#pragma once\nnamespace n {\nclass A;\n}\n")
    check("a.h", "c", "struct a { int b; };\n")


def test_sources_of_v_and_of_matlab_are_told_apart_by_their_words() -> None:
    check("a.v", "v", "module main\n\nfn main() {\n}\n")
    check("a.v", "verilog", "module counter(input clk);\nendmodule\n")
    check("a.m", "matlab", "% Shapes.\nfunction y = f(x)\n")
    check("a.m", "objc", "#import <X.h>\n@implementation A\n@end\n")


def test_an_extension_belongs_to_one_language_only() -> None:
    words = [word for entry in LANGUAGES.values() for word in entry.extensions]

    assert sorted(set(words)) == sorted(words)


def test_grammars_that_hang_or_guess_are_never_used() -> None:
    assert grammar_of("cobol") is None
    assert grammar_of("jsonnet") is None
    assert grammar_of(None) is None
    assert grammar_of("tsx") == "tsx"
