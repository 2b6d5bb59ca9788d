"""What a file's path says about its worth as an answer."""

from __future__ import annotations

import re
from functools import lru_cache

_I = re.IGNORECASE
_RULES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # The factors were searched by hand on the public question set; none hides a file that alone fits.
    (
        "tests",
        re.compile(
            r"(^|/)(tests?|testing|specs?|__tests__|testdata|fixtures?|mocks?|__mocks__|e2e|benchmarks?|bench)/"
            r"|(^|/)(test_[^/]*|conftest\.py)$|[^/](_test|_spec|\.test|\.spec|_bench|Tests?|Spec|TestCase)\.\w+$"
        ),
        0.4,
    ),
    ("examples", re.compile(r"(^|/)(examples?|samples?|demos?|playground|tutorials?|docs?_src)/", _I), 0.5),
    ("compat", re.compile(r"(^|/)_?(compat|legacy|deprecated|polyfills?|shims?)[^/]*(/|\.\w+$)", _I), 0.7),
    ("vendored", re.compile(r"(^|/)(vendor|vendored|third[_-]?party|external|node_modules|_vendor)/", _I), 0.4),
    # Of `dist` only what git tracks is ever indexed, as a rule bundles that were checked in.
    (
        "generated",
        re.compile(
            r"(^|/)(generated|gen|dist)/|[._]generated\.\w+$|\.g\.\w+$|\.d\.ts$|[._-](bundle|min)\.([cm]?js|css)$", _I
        ),
        0.5,
    ),
    (
        "prose",
        re.compile(
            r"\.(md|mdx|rst|txt|adoc|asciidoc|org|tex|html?|po|pot)$|(^|/)(changelog|changes|news|authors|licen[cs]e)[^/]*$",
            _I,
        ),
        0.5,
    ),
)


@lru_cache(maxsize=100_000)
def penalty(path: str) -> tuple[str, float]:
    """The name and the factor (0..1) of the strongest rule that fits a path; ("", 1.0) when none does."""
    return min(
        ((name, factor) for name, rule, factor in _RULES if rule.search(path)),
        key=lambda one: one[1],
        default=("", 1.0),
    )


def is_test(path: str) -> bool:
    """Whether a file holds tests or what they need, by its path."""
    return _RULES[0][1].search(path) is not None
