"""Definitions that a grammar lost in what it could not read."""

from __future__ import annotations

from collections.abc import Callable

Outline = Callable[..., list[str]]


def test_a_dialect_of_sql_keeps_its_procedures(outline: Outline) -> None:
    text = (
        "CREATE TABLE a (b int);\nCREATE OR ALTER PROCEDURE dbo.[Clean_Up] @days int AS\nBEGIN\n  DELETE a;\nEND\nGO\n"
    )

    assert ["table a", "function Clean_Up"] == outline("a.sql", text)


def test_functions_of_tcl_and_vim_are_found_behind_their_scopes(outline: Outline) -> None:
    tcl = "set a {\nproc ::tk::Config {w} {\n  return $w\n}\n"
    vim = "let a = }\nfunction! <SID>Jump(mode) range\n  return 1\nendfunction\n"

    assert "function Config" in outline("a.tcl", tcl)
    assert "function Jump" in outline("a.vim", vim)


def test_a_class_of_objective_c_survives_a_macro_of_its_own(outline: Outline) -> None:
    text = "@implementation Converter (Text)\n- (int)a\n{\n  return 1;\n}\n"
    text += 'MACRO(\n  A,\n  (@{ @"x" : @(1) }),\n  b)\n@end\n'

    assert "class Converter" in outline("a.m", text)
    assert any(line.startswith("method ") and line.endswith("a") for line in outline("a.m", text))
