"""The words of code and of questions: identifiers split, stemmed, without stop words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from threading import local

import snowballstemmer  # type: ignore[import-untyped]  # it has no stubs

WORDS_VERSION = 1
"""Part of an index's identity: raise it when the same text gives other words."""

LONGEST = 48
"""Characters. Longer runs are keys, hashes or encoded data: nobody asks for them by their words."""

STOP_WORDS = frozenset(
    """
    a about all also an and any are as at be been being but by can could did do does doing done for from get gets
    had has have how i if in into is it its just let may me might my of on or our out shall should so some such
    than that the their them then there these they this those to up us use used uses using want was way we were
    what when where whether which while who whose why will with would you your
    """.split()  # noqa: SIM905 - a list of 100 lines reads worse
)
"""Left out of the index and of questions: they stand in every text and tell none apart."""

_IDENTIFIER = re.compile(r"\w+").findall
_PARTS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+").findall
_threads = local()


def split(text: str) -> list[str]:
    """All words of `text` in order, repeated as often as they stand there.

    `parseHTTPHeader` gives `pars`, `http`, `header` and the joined `parsehttpheader`.
    """
    words: list[str] = []
    for identifier in _IDENTIFIER(text):
        words += _of_identifier(identifier)
    return words


def parts(identifier: str) -> list[str]:
    """The lower-case parts of an identifier or a path, not stemmed, stop words kept."""
    return [part.lower() for part in _PARTS(identifier)]


def joined(identifier: str) -> str:
    """One form for all spellings of a name: `xq_reconcile`, `xqReconcile` and `XqReconcile` are `xqreconcile`."""
    return "".join(_PARTS(identifier)).lower()


def unique(words: Iterable[str]) -> list[str]:
    """The words without repetition, in the order of their first occurrence."""
    return list(dict.fromkeys(words))


@lru_cache(maxsize=50_000)
def _of_identifier(identifier: str) -> tuple[str, ...]:
    pieces = [piece.lower() for piece in _PARTS(identifier)]
    words = [stem(piece) for piece in pieces if piece not in STOP_WORDS and len(piece) <= LONGEST]
    if len(pieces) > 1:
        whole = "".join(pieces)
        if len(whole) <= LONGEST:
            words.append(whole)
    return tuple(words)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Snowball stem of a lower-case English word; words of other alphabets stay as they are."""
    if not word.isascii() or len(word) < 4:
        return word
    # A stemmer object keeps the word it works on, so each thread has its own.
    stemmer = getattr(_threads, "stemmer", None)
    if stemmer is None:
        stemmer = _threads.stemmer = snowballstemmer.stemmer("english")
    return str(stemmer.stemWord(word))
