"""What a question asks for: its words, and the symbols it names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from connote import words

_MOST_TERMS = 64
_LONGEST = 20_000
_TOKEN = re.compile(r"[\w.:$#@/-]+").findall
_NAME_LIKE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|_|::|\w\.\w|\w#\w").search
_NAME = re.compile(r"\w+").findall
_TESTS = frozenset(
    words.stem(word) for word in ("test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "mock")
)


@dataclass(frozen=True)
class Question:
    """A question as ranking sees it."""

    terms: tuple[str, ...]
    """Distinct words, split and stemmed, at most 64."""
    raw: tuple[str, ...]
    """Distinct lower-case words of three letters and more, not stemmed: matched against file names by prefix."""
    symbols: tuple[str, ...]
    """Names asked for, in the one form for all spellings."""
    alone: bool
    """Whether the whole question is one name."""
    about_tests: bool
    copies: bool = False
    """Whether every copy of a text is as good an answer as the first."""


def read_question(text: str) -> Question:
    """Read a question of any length; what is past 20,000 characters is not looked at."""
    text = text[:_LONGEST]
    terms = words.unique(words.split(text))[:_MOST_TERMS]
    tokens = [token.strip(".:/-") for token in _TOKEN(text)]
    tokens = [token for token in tokens if token]
    alone = len(tokens) == 1
    named = tokens if alone else [token for token in tokens if _NAME_LIKE(token)]
    # Of `Class::method` and `module.function` both the whole and the last part may be the name.
    names = [name for token in named for name in (token, *_NAME(token)[-1:])]
    keys = words.unique(key for key in map(words.joined, names) if key)
    raw = words.unique(part for part in words.parts(text) if len(part) > 2 and part not in words.STOP_WORDS)
    return Question(tuple(terms), tuple(raw[:_MOST_TERMS]), tuple(keys[:16]), alone, not _TESTS.isdisjoint(terms))
