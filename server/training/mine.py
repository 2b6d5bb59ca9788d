"""Pairs of a question and the code that answers it, from package archives: `python -m training.mine ARCHIVES PAIRS`.

Each archive gives one file of JSON lines: `kind` (see KINDS), `language`, `path`, `name`, `scope`, `question`, `code`,
`file` and `unit` (equal for pairs about the same function). The question never stands in its code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing import Pool
from pathlib import Path

from training import questions
from training.archives import Source, sources
from training.definitions import LINE_COMMENT, Definition, definitions

KINDS = {
    "d": 9000,  # first sentence of the documentation -> function
    "c": 9000,  # the same -> type
    "l": 3500,  # a later sentence of the documentation -> function or type
    "p": 2500,  # what a parameter or result is -> function
    "i": 9000,  # comment inside a function -> the code after it
    "j": 9000,  # comment at the end of a line -> the lines around it
    "s": 9000,  # message (log, error, assertion) -> the code around it
    "t": 5000,  # test's name -> test
    "u": 4000,  # test's name -> a function that the test calls
    "n": 2500,  # words of a name -> function without documentation
}
"""The kinds of pairs and the most of each that one package gives."""

_FILES = 900
_SHOWN = 2000
_QUOTED = r'"((?:[^"\\\n]|\\.)*)"'
_SINGLE = r"'((?:[^'\\\n]|\\.)*)'"
_TICKED = r"`([^`]{8,400})`"
_STRINGS = {
    **dict.fromkeys(("javascript", "typescript", "tsx"), re.compile(f"{_QUOTED}|{_SINGLE}|{_TICKED}")),
    **dict.fromkeys(("python", "ruby", "php", "lua", "bash", "elixir"), re.compile(f"{_QUOTED}|{_SINGLE}")),
    "go": re.compile(f"{_QUOTED}|{_TICKED}"),
}
_ONLY_QUOTED = re.compile(_QUOTED)
# What may stand between the parts of one message.
_GLUE = re.compile(r"^[\s+.\\]*(?:[frbuL]|PRI\w+)?[\s+.\\]*$")
_LOOKS_LIKE_CODE = re.compile(r"[;{}]$|\(\)|==|->")
_CASE = re.compile(
    r"^(?P<indent>\s*)(?:it|test|describe|context|specify|scenario|Deno\.test|t\.Run)\b(?:\.\w+)*\s*\(?\s*"
    r"(?P<quote>[\"'`])(?P<title>.{14,180}?)(?P=quote)",
    re.MULTILINE,
)
_MACRO_CASE = re.compile(
    r"^(?P<indent>)(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(?P<title>\w+\s*,\s*\w+)\s*\)", re.MULTILINE
)
_CALLS = re.compile(r"\b([A-Za-z_]\w{3,})\s*\(")


@dataclass(frozen=True)
class Pair:
    """A question and the code that answers it."""

    kind: str
    language: str
    path: str
    name: str
    scope: str
    question: str
    code: str
    file: int
    unit: int


@dataclass
class _Package:
    """What one package has given so far."""

    random: random.Random
    pairs: list[Pair] = field(default_factory=list)
    tests: list[Pair] = field(default_factory=list)
    functions: dict[str, list[Pair]] = field(default_factory=lambda: defaultdict(list))
    files: int = 0


def mine(archives: Sequence[Path], package: str) -> list[Pair]:
    """The pairs of one package, at most `KINDS[kind]` of each kind, the same for the same archives."""
    found = [one for archive in archives for one in sources(archive)]
    state = _Package(random.Random(package))  # noqa: S311 - a repeatable choice, no secret
    tests = [one for one in found if one.is_test]
    code = [one for one in found if not one.is_test]
    seen: set[bytes] = set()
    for group, most in ((code, _FILES), (tests, _FILES // 2)):
        for source in group if len(group) <= most else state.random.sample(group, most):
            digest = hashlib.sha256(source.data).digest()
            if digest not in seen:
                seen.add(digest)
                state.files += 1
                _mine_file(source, state)
    state.pairs += _tested(state)
    return _limited(state)


def _mine_file(source: Source, state: _Package) -> None:
    language = source.language
    try:
        text = source.data.decode()
    except UnicodeDecodeError:
        return
    if language == "cpp" and source.path.endswith(".h") and "class " not in text and "namespace" not in text:
        language = "c"
    if source.is_test:
        _mine_cases(source, text, state)
    found = definitions(source.data, language)
    for one in found:
        if sum(map(len, one.code)) < 30:
            continue
        if not one.is_type and _is_test(one, source):
            _mine_test(one, source, state)
        elif not source.is_test:
            _mine_definition(one, source, state)
    if not source.is_test:
        _mine_bodies([one for one in found if not one.is_type and not _is_test(one, source)], source, state)


def _mine_bodies(functions: Sequence[Definition], source: Source, state: _Package) -> None:
    seen: set[str] = set()
    # The innermost function comes first, so that it owns its comments and messages.
    for one in sorted(functions, key=lambda one: len(one.code)):
        if sum(map(len, one.code)) > 100:
            _mine_comments(one, source, state, seen)
            _mine_messages(one, source, state, seen)


def _pair(one: Definition, source: Source, state: _Package, kind: str, texts: tuple[str, str]) -> Pair:
    question, code = texts
    unit = _unit(source.path, one.first_line)
    name, scope = ("", "") if kind == "t" else (one.name, one.scope)
    return Pair(kind, one.language, source.path, name, scope, question, code, state.files, unit)


def _unit(path: str, line: int) -> int:
    return zlib.crc32(f"{path}\0{line}".encode())


def _mine_definition(one: Definition, source: Source, state: _Package) -> None:
    code = "\n".join(one.code)
    views = questions.of_documentation(one.doc)
    plain = questions.sentences(questions.plain_comment(one.doc))
    for kind, question in views:
        shown = code
        # Half of the code keeps the rest of its documentation, as it does in an index.
        if state.random.random() < 0.5:
            rest = " ".join(part for part in plain if part[:60] not in question and question[:60] not in part)
            shown = f"{rest}\n{code}" if rest else code
        of_type = "c" if one.is_type and kind == "d" else kind
        state.pairs.append(_pair(one, source, state, of_type, (question, shown[:_SHOWN])))
    if one.is_type:
        return
    words = questions.name_words(one.name)
    whole = _pair(one, source, state, "u", ("", code[:_SHOWN]))
    state.functions[re.split(r"[.:]", one.name)[-1]].append(whole)
    if not views and len(code) > 100 and len(words) >= 2 and state.random.random() < 0.35:
        if one.scope and state.random.random() < 0.5:
            words = questions.name_words(one.scope)[-3:] + words
        state.pairs.append(_pair(one, source, state, "n", (" ".join(words), code[:_SHOWN])))


def _mine_comments(one: Definition, source: Source, state: _Package, seen: set[str]) -> None:
    mark, lines = LINE_COMMENT.get(one.language, "//"), list(one.code)
    at, found = 1, 0
    while at < len(lines) - 1 and found < 12:
        line, after = lines[at].strip(), at + 1
        kind, comment, code = "", "", ""
        if line.startswith((mark, "/*") if mark == "//" else mark):
            after = _comment_end(lines, at, mark)
            kind, comment = "i", questions.plain_comment(lines[at:after])
            code = _block(lines, at, after, state)
        elif line.find(f" {mark} ") > 5:
            kind, comment = "j", line.partition(f" {mark} ")[2].strip()
            cut = lines[at].partition(f" {mark} ")[0]
            code = _around([*lines[:at], cut, *lines[at + 1 :]], at, 900)
        usable = kind and comment not in seen and questions.is_sentence(comment, 4)
        if usable and len(code) > 60 and not _LOOKS_LIKE_CODE.search(comment):
            seen.add(comment)
            found += 1
            first = questions.sentences(comment)[0]
            question = first if questions.is_sentence(first, 4) and state.random.random() < 0.5 else comment
            state.pairs.append(_pair(one, source, state, kind, (question[: questions.LONGEST], code)))
        at = after


def _comment_end(lines: Sequence[str], at: int, mark: str) -> int:
    end = at
    if lines[at].strip().startswith("/*"):
        while end < len(lines) - 1 and "*/" not in lines[end]:
            end += 1
        return end + 1
    while end < len(lines) and lines[end].strip().startswith(mark):
        end += 1
    return end


def _block(lines: Sequence[str], at: int, after: int, state: _Package) -> str:
    """The code that a comment speaks of: the lines up to a blank one, or half of the time all around it."""
    end = after
    while end < len(lines) and end - after < 16 and lines[end].strip():
        end += 1
    block = "\n".join(lines[after:end])
    if len(block) < 150 or state.random.random() < 0.5:
        return _around([*lines[:at], *lines[after:]], at)
    return block


def _mine_messages(one: Definition, source: Source, state: _Package, seen: set[str]) -> None:
    code = "\n".join(one.code)
    found = 0
    for start, end, text in _literals(code, one.language):
        message = questions.of_message(text)
        if not message or message in seen or found >= 8:
            continue
        seen.add(message)
        found += 1
        lines = f'{code[:start]}""{code[end:]}'.split("\n")
        shown = _around(lines, code.count("\n", 0, start), 1700 if state.random.random() < 0.5 else 800)
        state.pairs.append(_pair(one, source, state, "s", (message, shown)))


def _literals(code: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each string; strings that are put together in the source are one."""
    start = end = 0
    text = ""
    for match in _STRINGS.get(language, _ONLY_QUOTED).finditer(code):
        part = next((group for group in match.groups() if group is not None), "")
        if text and match.start() - end < 60 and _GLUE.match(code[end : match.start()]):
            text += part
        else:
            if text:
                yield start, end, text
            start, text = match.start(), part
        end = match.end()
    if text:
        yield start, end, text


def _around(lines: Sequence[str], at: int, size: int = 1700) -> str:
    """Lines around one, at most about `size` characters, with the function's first line."""
    if sum(len(line) + 1 for line in lines) <= size + 300:
        return "\n".join(lines)
    first = last = min(at, len(lines) - 1)
    length = len(lines[first])
    while length < size and (first > 0 or last < len(lines) - 1):
        if first > 0:
            first -= 1
            length += len(lines[first]) + 1
        if last < len(lines) - 1:
            last += 1
            length += len(lines[last]) + 1
    head = [lines[0]] if first > 0 else []
    return "\n".join([*head, *lines[first : last + 1]])[: size + 400]


def _is_test(one: Definition, source: Source) -> bool:
    if one.language == "rust":
        return any("#[" in line and "test" in line for line in one.above)
    if not source.is_test:
        return False
    name = one.name.lower()
    marked = any(mark in line for line in one.above for mark in ("@Test", "[Fact", "[Test"))
    return marked or name.startswith("test") or name.endswith("test") or "should" in name


def _mine_test(one: Definition, source: Source, state: _Package) -> None:
    words = [word for word in questions.name_words(one.name) if word not in ("test", "tests")]
    body = "\n".join(one.code[1:])
    if len(words) < 3 or len(body) <= 60:
        return
    said = questions.plain_comment(one.doc)
    question = said if questions.is_sentence(said, 5) and state.random.random() < 0.5 else " ".join(words)
    state.tests.append(_pair(one, source, state, "t", (question[: questions.LONGEST], body)))
    state.pairs.append(_pair(one, source, state, "t", (question[: questions.LONGEST], body[:_SHOWN])))


def _mine_cases(source: Source, text: str, state: _Package) -> None:
    """Cases whose title is a string or a macro's arguments; their body is what is indented deeper below."""
    lines = text.split("\n")
    for pattern in (_CASE, _MACRO_CASE):
        for match in pattern.finditer(text):
            first = text.count("\n", 0, match.start("title"))
            title = match["title"] if pattern is _CASE else " ".join(questions.name_words(match["title"]))
            if len(re.findall("[A-Za-z]{2,}", title)) < 4 or not title.isascii():
                continue
            indent, end = len(match["indent"].replace("\n", "")), first + 1
            while end < len(lines) and end - first < 45 and _is_deeper(lines[end], indent):
                end += 1
            body = "\n".join(lines[first + 1 : end])
            if len(body) >= 60:
                unit = _unit(source.path, first)
                case = Pair("t", source.language, source.path, "", "", title, body[:_SHOWN], state.files, unit)
                state.pairs.append(case)
                state.tests.append(case)


def _is_deeper(line: str, indent: int) -> bool:
    return not line.strip() or len(line) - len(line.lstrip()) > indent


def _tested(state: _Package) -> Iterator[Pair]:
    """Functions that a test is about: it calls them, they are defined once or twice and few tests call them."""
    called = [set(_CALLS.findall(test.code)) for test in state.tests]
    uses = Counter(name for names in called for name in names)
    for test, names in zip(state.tests, called, strict=True):
        known = [name for name in names if 1 <= len(state.functions.get(name, ())) <= 2 and uses[name] <= 15]
        long = [name for name in known if len(state.functions[name][0].code) > 120]
        for name in sorted(long, key=lambda name: (uses[name], name))[:2]:
            function = state.functions[name][0]
            yield Pair(**{**asdict(function), "question": test.question})


def _limited(state: _Package) -> list[Pair]:
    unique = {(pair.question, pair.code[:200]): pair for pair in reversed(state.pairs)}
    by_kind: dict[str, list[Pair]] = defaultdict(list)
    for pair in reversed(unique.values()):
        by_kind[pair.kind].append(pair)
    return [
        pair
        for kind, pairs in by_kind.items()
        for pair in (pairs if len(pairs) <= KINDS[kind] else state.random.sample(pairs, KINDS[kind]))
    ]


def _work(job: tuple[str, list[Path], Path]) -> str:
    package, archives, target = job
    pairs = mine(archives, package)
    part = target.with_suffix(".part")
    part.write_text("".join(json.dumps(asdict(pair)) + "\n" for pair in pairs), encoding="utf-8")
    part.replace(target)
    return f"{package} {dict(Counter(pair.kind for pair in pairs))}"


def main() -> None:
    """Mine every package whose pairs are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, help="one folder for each package, as fetch.py makes them")
    parser.add_argument("pairs", type=Path, help="folder for the JSON lines")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    options.pairs.mkdir(parents=True, exist_ok=True)
    jobs = []
    for folder in sorted(options.archives.iterdir()):
        target = options.pairs / f"{folder.name}.jsonl"
        archives = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".tgz", ".gz", ".xz", ".bz2"))
        if archives and not target.exists():
            jobs.append((folder.name, archives, target))
    with Pool(options.processes) as pool:
        for line in pool.imap_unordered(_work, jobs):
            sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
