"""Patterns for paths: git's, as its ignore files have them, and the globs of settings and queries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

_MOST_ALTERNATIVES = 512
"""`{a,b}` multiplies: a pattern from a client must not be able to fill the memory."""

_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-\\/:-@\\[-`{-~", "space": " \\t-\\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip

# Tokens of a pattern: these four, and any other string, which is a regular expression for one character.
_SLASH, _ESCAPED_SLASH, _STAR, _STARS = "/", "\\/", "*", "**"


def glob_filter(
    include: Iterable[str], exclude: Iterable[str] = (), *, ignore_case: bool = False
) -> Callable[[str], bool]:
    """Return a function that says whether a path (relative, with `/`) passes the globs.

    A path passes when it matches one of `include`, or there are none, and matches none of `exclude`.
    `*` and `?` stay within a name, `**` spans folders, `[a-z]`, `[!a-z]` and `{a,b}` are alternatives; a backslash is
    a `/`. A pattern without `/` matches names at any depth, one with a `/` is relative to the root, and one that
    matches a folder matches everything below it. A pattern of `include` that begins with `!` is one of `exclude`.

    Raises `ValueError` when a pattern has too many alternatives.
    """
    wanted, unwanted = [], list(exclude)
    for pattern in include:
        if pattern.startswith("!"):
            unwanted.append(pattern[1:])
        else:
            wanted.append(pattern)
    accepts, refuses = _compile(wanted, ignore_case), _compile(unwanted, ignore_case)

    if accepts is None and refuses is None:
        return lambda _path: True
    if refuses is None:
        return lambda path: accepts is not None and accepts(path) is not None
    if accepts is None:
        return lambda path: refuses(path) is None
    return lambda path: refuses(path) is None and accepts(path) is not None


def wildmatch(pattern: str, groups: Iterator[int] | None = None) -> str | None:
    """Translate a pattern as git reads it (`WM_PATHNAME`) to a regular expression for a whole path.

    None for a pattern that can never match, such as one with a bracket that is not closed.
    Expressions that are to be joined take the names of their groups from one counter, `groups`.
    """
    tokens = _tokens(pattern)
    if tokens is None:
        return None
    # Git compares the part before the first wildcard as text and matches only the rest, so that a `**` right after
    # it counts as the beginning of a name: `ab**/c` matches `ab/c` and `abx/y/c`.
    plain = next((i for i, char in enumerate(pattern) if char in "*?[\\"), len(pattern))
    return _expression(tokens, plain, groups or itertools.count())


def names_folder(pattern: str, name: str) -> bool:
    """Return whether one of the names in the pattern, but not a mere `*` or `**`, matches a folder of this name."""
    for part in pattern.strip("/").split("/"):
        if not part.strip("*"):
            continue
        expression = wildmatch(part)
        if expression is not None and re.fullmatch(expression, name, re.DOTALL):
            return True
    return False


def alternatives(pattern: str) -> list[str]:
    """Spell out `{a,b}`: one pattern without braces for each combination."""
    texts = list(itertools.islice(_spell_out(pattern), _MOST_ALTERNATIVES + 1))
    if len(texts) > _MOST_ALTERNATIVES:
        raise ValueError(f"The glob {pattern[:60]!r} has more than {_MOST_ALTERNATIVES} alternatives.")
    return texts


def _compile(patterns: Sequence[str], ignore_case: bool) -> Callable[[str], re.Match[str] | None] | None:
    groups = itertools.count()
    expressions = []
    for pattern in patterns:
        for text in alternatives(pattern.strip().replace("\\", "/")):
            expression = _glob(text, groups)
            if expression is not None:
                expressions.append(expression)
    if not expressions:
        return None
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return re.compile(f"(?:{'|'.join(expressions)})(?:/.*)?", flags).fullmatch


def _glob(text: str, groups: Iterator[int]) -> str | None:
    anchored = "/" in text.rstrip("/")
    text = text.rstrip("/")
    while text.startswith(("/", "./")):
        text = text.partition("/")[2]
    if not text:
        return None
    # A bracket that is not closed is meant as it stands: whoever types a query gets no file for it otherwise.
    tokens = _tokens(text) or _tokens(text.replace("[", "[[]")) or []
    if not anchored:
        tokens = [_STARS, _SLASH, *tokens]
    return _expression(tokens, 0, groups)


def _spell_out(pattern: str) -> Iterator[str]:
    """Yield the combinations one by one, so that the caller can stop."""
    opening = pattern.find("{")
    while opening >= 0:
        parts = _braces(pattern, opening)
        if parts is not None:
            choices, end = parts
            head, tail = pattern[:opening], pattern[end:]
            for choice in choices:
                for text in _spell_out(choice + tail):
                    yield head + text
            return
        opening = pattern.find("{", opening + 1)
    yield pattern


def _braces(pattern: str, opening: int) -> tuple[list[str], int] | None:
    """Return the alternatives of the brace at `opening` and where it ends; None if it is not closed."""
    depth, start, choices = 0, opening + 1, []
    for i in range(opening, len(pattern)):
        char = pattern[i]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                choices.append(pattern[start:i])
                return choices, i + 1
        elif char == "," and depth == 1:
            choices.append(pattern[start:i])
            start = i + 1
    return None


def _tokens(pattern: str) -> list[str] | None:
    tokens: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            stars = len(pattern) - i + 1 - len(pattern[i - 1 :].lstrip("*"))
            tokens.append(_STAR if stars == 1 else _STARS)
            i += stars - 1
        elif char == "?":
            tokens.append("[^/]")
        elif char == "[":
            bracket = _bracket(pattern, i)
            if bracket is None:
                return None
            token, i = bracket
            tokens.append(token)
        elif char == "\\":
            if i == len(pattern):
                return None
            tokens.append(_ESCAPED_SLASH if pattern[i] == "/" else re.escape(pattern[i]))
            i += 1
        else:
            tokens.append(_SLASH if char == "/" else re.escape(char))
    return tokens


def _bracket(pattern: str, i: int) -> tuple[str, int] | None:
    """Return the expression of the bracket whose inside begins at `i` and where it ends; None if it is malformed.

    A `]` that comes first is a member; a backslash escapes; a range that runs backwards is empty.
    """
    negated = pattern[i : i + 1] in {"!", "^"}
    i += negated
    members: list[str] = []
    before = ""  # what a `-` would begin at
    first = True
    while i < len(pattern) and (first or pattern[i] != "]"):
        first = False
        char = pattern[i]
        if char == "-" and before and pattern[i + 1 : i + 2] not in {"", "]"}:
            i += 1 + (pattern[i + 1] == "\\")
            if i == len(pattern):
                return None
            if before <= pattern[i]:
                members.append(f"{re.escape(before)}-{re.escape(pattern[i])}")
            before = ""
        elif pattern.startswith("[:", i) and (name := _posix_class(pattern, i)) is not None:
            if name not in _POSIX_CLASSES:
                return None
            members.append(_POSIX_CLASSES[name])
            i += len(name) + 3
            before = ""
        else:
            i += char == "\\"
            if i == len(pattern):
                return None
            before = pattern[i]
            members.append(re.escape(before))
        i += 1
    if i == len(pattern):
        return None
    if negated:
        return f"[^/{''.join(members)}]", i + 1
    return (f"(?!/)[{''.join(members)}]" if members else "(?!)"), i + 1


def _posix_class(pattern: str, i: int) -> str | None:
    end = pattern.find("]", i + 2)
    return pattern[i + 2 : end - 1] if end > i + 2 and pattern[end - 1] == ":" else None


def _expression(tokens: list[str], plain: int, groups: Iterator[int]) -> str:
    """Build the expression so that it needs time linear in the path for each wildcard, not exponential in them.

    What stands between two wildcards is best taken where it first fits; a group looked ahead at and then repeated
    cannot be taken otherwise, as an atomic group would do (Python has them only since 3.11).
    """
    # `**/` divides the pattern into runs that fit a fixed number of whole names each.
    runs: list[list[str]] = [[]]
    i = 0
    while i < len(tokens):
        part = tokens[i]
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        i += 1
        if part == _STARS:
            part = _STAR
            if after in {None, _SLASH, _ESCAPED_SLASH} and (i == 1 or tokens[i - 2] in {_SLASH, _ESCAPED_SLASH}):
                if after == _SLASH:
                    runs.append([])
                    i += 1
                    continue
                part = ".*"
            elif after in {None, _SLASH, _ESCAPED_SLASH} and i - 1 == plain:
                part = "(?:.*/)?" if after == _SLASH else ".*"
                i += after == _SLASH
        runs[-1].append(part)

    expression = _run(runs[0], groups)
    for run in runs[1:-1]:
        expression += _first_fit(f"(?:[^/]+/)*?{_run(run, groups)}", groups) if run else ""
    if len(runs) > 1:
        expression += f"(?:[^/]+/)*{_run(runs[-1], groups)}"
    return expression


def _run(tokens: list[str], groups: Iterator[int]) -> str:
    expression, piece, starred = "", "", False
    for token in tokens:
        if token in {_SLASH, _ESCAPED_SLASH}:
            expression += ("[^/]*" if starred else "") + piece + "/"
            piece, starred = "", False
        elif token == _STAR:
            if not starred:
                expression += piece
            elif piece:
                expression += _first_fit(f"[^/]*?{piece}", groups)
            piece, starred = "", True
        else:
            piece += token
    return expression + ("[^/]*" if starred else "") + piece


def _first_fit(expression: str, groups: Iterator[int]) -> str:
    name = f"g{next(groups)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"
