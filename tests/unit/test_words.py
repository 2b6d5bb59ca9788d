"""Words: how identifiers and sentences are split for the word search."""

from __future__ import annotations

import pytest

from connote import words


def check(text: str, expected: str) -> None:
    assert expected.split() == words.split(text)


# R081: words inside identifiers are not split.
def test_identifiers_give_their_parts_and_the_joined_form() -> None:
    check("componentEmits", "compon emit componentemits")
    check("HTTPServerError", "http server error httpservererror")
    check("snake_case_name", "snake case name snakecasename")
    check("kebab-name", "kebab name")
    check("utf8Decode2", "utf 8 decod 2 utf8decode2")


def test_sentences_lose_stop_words_and_endings() -> None:
    check("where do we stop hammering a failing server", "stop hammer fail server")


def test_other_alphabets_keep_their_words() -> None:
    check("naïve 日本語 größe", "naïve 日本語 größe")


def test_runs_of_data_are_no_words() -> None:
    check("a" * 49, "")


def test_all_spellings_of_a_name_have_one_form() -> None:
    spellings = ("xq_reconcile_ledger", "xqReconcileLedger", "XqReconcileLedger")

    assert {"xqreconcileledger"} == {words.joined(name) for name in spellings}


@pytest.mark.parametrize("text", ["", "  ", "🎉", "_", "...", "\x00"])
def test_texts_without_words_have_none(text: str) -> None:
    check(text, "")
