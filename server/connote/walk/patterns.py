"""Patterns for paths: git's, as its ignore files have them, and the globs of settings and queries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_MOST_ALTERNATIVES = 512
"""`{a,b}` multiplies: a pattern from a client must not be able to fill the memory."""
_MOST_CHARACTERS = 4096
"""Hardly a path is as long; a longer pattern never matches, lest a hostile one take time and memory."""

_STARS_AFTER_TEXT = re.compile(r"([^*?\[\\]*[^*?\[\\/])(?:\*\*+/)*\*\*+(/|(?=\\/|\Z))")

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-\\/:-@\\[-`{-~", "space": " \\t-\\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_MEMBER = r"\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?"
"""Of a bracket: a named class, a character or a range."""

_HIDDEN = "\U000f0000"
"""Stands for one character of a path, and pathspec does not see which it may be."""
_TO_HIDE = re.compile(
    r"(?P<slash>(?:(?<![^/])(?P<stars>\*\*+))?\\/)"
    rf"|(?P<bracket>\[(?P<not>[!^]|(?![!^]))(?P<members>"
    rf"(?=(?P<first>{_MEMBER}))(?P=first)(?:(?!\])(?=(?P<next>{_MEMBER}))(?P=next))*)\])"
    rf"|(?P<malformed>\[)|\\(?P<escaped>.)|(?P<space>[\s{_HIDDEN}])",
    re.DOTALL,
)

# How pathspec writes the end of a pattern, all paths and those with a folder (which it would search for), a `*` before
# another one in a name, and a `**` before another one.
_END = r"(?:(?P<ps_d>/)|$)"
_SHORT_CUTS = {".": "^", "/": "^.*/"}
_STAR = re.compile(r"\[\^/\]\*((?:\[\^/\](?!\*)|\\.|[^\\/(\[])+)(?=\[\^/\]\*)", re.DOTALL)
_STARS = re.compile(r"\(\?:(/\.\+|\.\+/)\)\?(.+?)(?=\(\?:/\.\+\)\?)", re.DOTALL)

_group_numbers = itertools.count()
"""Expressions are joined, where no two groups may have one name."""


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

    def passes(path: str) -> bool:
        return (refuses is None or refuses(path) is None) and (accepts is None or accepts(path) is not None)

    return passes


def wildmatch(pattern: str, end: str = r"\Z") -> str | None:
    """Translate a pattern as git reads it (`WM_PATHNAME`) to a regular expression, to match a path from its beginning.

    None for a pattern that can never match, such as one with a bracket that is not closed.
    `end` is an expression for what has to follow on what the pattern matches.
    """
    expressions = [_expression(text, end, f".+{end}") for text in _as_git_begins(pattern)]
    return "|".join(filter(None, expressions)) or None


def names_folder(pattern: str, name: str) -> bool:
    """Return whether one of the names in the pattern, but not a mere `*` or `**`, matches a folder of this name."""
    for part in pattern.strip("/").split("/"):
        if not part.strip("*"):
            continue
        expression = wildmatch(part)
        if expression is not None and re.match(expression, name, re.DOTALL):
            return True
    return False


def alternatives(pattern: str) -> list[str]:
    """Spell out `{a,b}`: one pattern without braces for each combination."""
    texts = list(itertools.islice(_spell_out(pattern), _MOST_ALTERNATIVES + 1))
    if len(texts) > _MOST_ALTERNATIVES:
        raise ValueError(f"The glob {pattern[:60]!r} has more than {_MOST_ALTERNATIVES} alternatives.")
    return texts


def _compile(patterns: Sequence[str], ignore_case: bool) -> Callable[[str], re.Match[str] | None] | None:
    texts = [text for pattern in patterns for text in alternatives(pattern.strip().replace("\\", "/"))]
    expressions = [expression for expression in map(_glob, texts) if expression is not None]
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return re.compile("|".join(expressions), flags).match if expressions else None


def _glob(text: str) -> str | None:
    text = text.rstrip("/")
    anchored = "/" in text
    while text.startswith(("/", "./")):
        text = text.partition("/")[2]
    if not text:
        return None
    text = text if anchored else f"**/{text}"
    text += "*" if text.endswith("/*") else ""  # the same, but for `a/`: all that is in `a` is all of `a`
    end = r"(?:/|\Z)"
    # A bracket that is not closed is meant as it stands: whoever types a query gets no file for it otherwise.
    return _expression(text, end, "") or _expression(text.replace("[", "\\["), end, "")


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


def _as_git_begins(pattern: str) -> list[str]:
    """Return the pattern, or those that say without it what a `**` right after the text it begins with says to git.

    Git compares the part before the first wildcard as text and matches only the rest, so that such a `**` counts as
    the beginning of a name: `ab**/c` matches `abc` and `abx/y/c`.
    """
    begin = _STARS_AFTER_TEXT.match(pattern)
    if begin is None:
        return [pattern]
    head, rest = begin[1], pattern[begin.end() :]
    return [head + rest, f"{head}*/**/{rest}"] if begin[2] else [f"{head}*{rest}", f"{head}*/**{rest}"]


def _expression(pattern: str, end: str, below: str) -> str | None:
    """Have pathspec translate a pattern that is relative to the root; None when it can never match.

    `end` is what has to follow, and `below` what has to follow when the pattern ends with `/**`, after the `/`.
    """
    hidden: list[str] = []

    def hide(found: re.Match[str]) -> str:
        if found["slash"]:
            return f"{found['stars']}/*/" if found["stars"] else "/"  # only a plain `**/` may stand for nothing
        hidden.append(_one_character(found))
        return _HIDDEN

    try:
        # A `**` that is not a whole name is no more than `*`.
        names = _TO_HIDE.sub(hide, pattern[: _MOST_CHARACTERS + 1]).split("/")
        names = [re.sub(r"\*+", "**" if len(name) > 1 and not name.strip("*") else "*", name) for name in names]
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex("/" + "/".join(names))
    except (KeyError, ValueError):  # a class that there is not; a backslash at the end
        return None
    if expression is None or not names[-1] or len(pattern) > _MOST_CHARACTERS:
        return None
    expression = _SHORT_CUTS.get(expression, expression).removeprefix("^")
    expression = expression.removesuffix(_END) + end if expression.endswith(_END) else expression + below
    # Pathspec's expressions take time exponential in the wildcards. What stands between two of a kind is best taken
    # where it first fits, which makes it linear for each.
    expression = _STAR.sub(lambda star: _first_fit(rf"[^/]*?{star[1]}"), expression)
    expression = _STARS.sub(lambda stars: _first_fit(f"(?:{stars[1].replace('+', '+?')})??{stars[2]}(?=/)"), expression)
    characters = iter(hidden)
    return re.sub(_HIDDEN, lambda _: next(characters), expression)


def _one_character(found: re.Match[str]) -> str:
    """Return the expression of what is hidden from pathspec, which misreads it.

    In brackets it knows no named classes and no escapes, lets `[!a]` match a `/`, and makes an invalid expression of
    a range that runs backwards (which is empty). It cuts a pattern at each `/`, be it escaped or in brackets, and
    strips from the end what Python takes for spaces: tabs, for example, and half of an `à`, escaped or not.
    """
    if found["malformed"]:
        raise ValueError(f"The bracket in {found.string!r} is not closed.")
    if not found["bracket"]:
        return re.escape(found["escaped"] or found["space"])
    inside = ""
    for named, begin, end in re.findall(_MEMBER, found["members"], re.DOTALL):
        if not begin:
            inside += _CLASSES[named]
        elif not end:
            inside += re.escape(begin)
        elif begin <= end:
            inside += f"{re.escape(begin)}-{re.escape(end)}"
    if found["not"]:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if inside else "(?!)"


def _first_fit(expression: str) -> str:
    """Make an expression atomic: a group looked ahead at and then repeated (Python has atomic groups since 3.11)."""
    name = f"g{next(_group_numbers)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"
