"""Measures what the chunker finds against other parsers: universal-ctags, and TypeScript's own navigation tree.

`python tests/oracles/run.py [LANGUAGE …]` needs `ctags`, `node`, `npm` and, for its sources, Debian's package client;
it checks the chunks of all sources, prints the recall of each language, writes it to `recall.md` beside this file,
and fails below the goals.
With `--missing` it prints what was not found, and writes nothing. `.ci/run` runs it; plain `pytest` does not.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import sources

from connote.chunk import ChunkOptions, chunk_batch
from connote.errors import ChunkingError
from connote.model import Chunk

HERE = Path(__file__).resolve().parent
CTAGS = {"c": "C", "go": "Go", "rust": "Rust", "java": "Java", "ruby": "Ruby"}
GOALS = {**dict.fromkeys(CTAGS, 0.99), "typescript": 0.98, "javascript": 0.98}

# Kinds of ctags that are no definitions, or of which it cannot say where they are.
NO_DEFINITIONS = {
    "c": {"header", "label"},
    "go": {"package", "packageName", "unknown", "anonMember"},
    "rust": set(),
    "java": {"package"},
    "ruby": {"library"},
}  # fmt: skip


class Item(NamedTuple):
    """A definition as another parser sees it."""

    path: str
    name: str
    line: int
    kind: str


class Recall(NamedTuple):
    """How many of its definitions are found."""

    files: int
    wanted: int
    found: int
    missing: list[Item]


def main(arguments: list[str]) -> int:
    show = "--missing" in arguments
    languages = [word for word in arguments if not word.startswith("-")] or list(GOALS)
    for tool in ("ctags", "node", "npm", "apt-get"):
        if shutil.which(tool) is None:
            print(f"{tool} is missing; install universal-ctags, nodejs and npm", file=sys.stderr)
            return 2
    cache = Path(os.environ.get("CONNOTE_ORACLE_CACHE") or Path(tempfile.gettempdir()) / "connote-oracles")
    places = sources.bring(cache)
    recalls = {}
    for language in languages:
        paths = list(sources.files(language, places))
        wanted = _ctags(language, paths) if language in CTAGS else _navigation_tree(paths, places["typescript"])
        recalls[language] = measure(paths, list(wanted))
        print(_line(language, recalls[language]))
        if show:
            _show(recalls[language])
    failed = [name for name, recall in recalls.items() if recall.found < GOALS[name] * recall.wanted]
    if not show and languages == list(GOALS):
        _write(recalls, sources.versions(places))
    passed = len(recalls) - len(failed)
    print(f"oracles: {passed} passed, {len(failed)} failed")
    return 1 if failed else 0


def measure(paths: list[Path], wanted: list[Item]) -> Recall:
    """A definition is found when a symbol of its name stands on its line, or begins or is named around it."""
    texts = [(str(path), path.read_text(encoding="utf-8", errors="strict")) for path in paths]
    symbols: dict[tuple[str, str], list[tuple[int, int]]] = {}
    options = ChunkOptions(context="none", siblings="none")
    for (path, text), result in zip(texts, chunk_batch(texts, options, concurrency=2), strict=True):
        if isinstance(result, ChunkingError):
            raise result
        _check(path, text, result)
        for symbol in {symbol for piece in result for symbol in piece.symbols}:
            symbols.setdefault((path, symbol.name), []).append((symbol.start_line, symbol.line))
    missing = [item for item in wanted if not _has(symbols.get((item.path, item.name), []), item.line)]
    return Recall(len(paths), len(wanted), len(wanted) - len(missing), missing)


def _check(path: str, text: str, chunks: list[Chunk]) -> None:
    """What holds for the chunks of any text holds for these too."""
    data = text.encode()
    at = 0
    for chunk in chunks:
        place = f"{path}:{chunk.start_line}"
        assert at <= chunk.start_byte < chunk.end_byte, place
        assert not data[at : chunk.start_byte].strip(), place
        assert chunk.text == data[chunk.start_byte : chunk.end_byte].decode(), place
        assert sum(map(len, chunk.text.split())) <= ChunkOptions().max_size, place
        assert data.count(b"\n", 0, chunk.start_byte) + 1 == chunk.start_line or b"\r" in data, place
        at = chunk.end_byte
    assert not data[at:].strip(b"\xef\xbb\xbf \t\r\n\x0b\x0c"), path


def _has(places: list[tuple[int, int]], line: int) -> bool:
    return any(start <= line <= named for start, named in places)


def _ctags(language: str, paths: list[Path]) -> Iterator[Item]:
    command = [
        "ctags", "--options=NONE", "--output-format=json", "--fields=+nKsl", "--extras=-F", "--sort=no",
        f"--languages={CTAGS[language]}", f"--language-force={CTAGS[language]}", "-f", "-", "-L", "-",
    ]  # fmt: skip
    listed = "\n".join(map(str, paths))
    output = subprocess.run(command, input=listed, check=True, capture_output=True, text=True).stdout
    for row in output.splitlines():
        tag = json.loads(row)
        if tag["_type"] == "tag" and tag["kind"] not in NO_DEFINITIONS[language] and _is_real(tag):
            yield Item(tag["path"], _name(tag), tag["line"], tag["kind"])


def _name(tag: dict[str, str]) -> str:
    """The name as the language has it: ctags tags Ruby's writers as `name=`, and drops the `?` of what aliases name."""
    if tag["kind"] == "accessor":
        return tag["name"].rstrip("=")
    alias = re.search(r"\balias\s+:?([^\s,]+)", tag["pattern"]) if tag["kind"] == "alias" else None
    return alias.group(1) if alias else tag["name"]


def _is_real(tag: dict[str, str]) -> bool:
    """Whether ctags saw a definition: it gives names to what has none, and takes uses of some constants for such."""
    if tag["name"].startswith("__anon") or tag["name"] == "_":
        return False
    if (tag["language"], tag["kind"]) == ("Ruby", "constant"):
        return not re.search(rf"\b{tag['name']}\s*=[=>~]", tag["pattern"])
    if (tag["language"], tag["kind"]) == ("Java", "field"):
        return f"default {tag['name']}" not in tag["pattern"]
    return True


def _navigation_tree(paths: list[Path], typescript: Path) -> Iterator[Item]:
    listed = "\n".join(map(str, paths))
    command = ["node", str(HERE / "navtree.cjs"), str(typescript / "package")]
    output = subprocess.run(command, input=listed, check=True, capture_output=True, text=True).stdout
    for path, row in zip(paths, output.splitlines(), strict=True):
        for item in json.loads(row):
            name, line, node, around, holder, value, is_local, kind = item
            if _is_definition(node, (around, holder), value, is_local) and not name.startswith("<"):
                yield Item(str(path), name.strip("\"'`"), line, f"{kind}: {node} in {around} in {holder} = {value}")


def _is_definition(node: str, around: tuple[str, str], value: str, is_local: bool) -> bool:
    """Whether an item of the tree is a definition: local variables, imports and data are none."""
    if node in _NO_CODE or (node == "VariableDeclaration" and around[0] == "CatchClause"):
        return False
    is_function = value in ("ArrowFunction", "FunctionExpression", "ClassExpression")
    if node == "BindingElement" or (node == "VariableDeclaration" and is_local):
        return is_function
    if node in ("PropertyAssignment", "ShorthandPropertyAssignment", "SpreadAssignment"):
        return is_function
    if around[0] == "TypeLiteral":
        # A type without a name has no members that anybody asks for.
        return around[1] == "TypeAliasDeclaration"
    return node != "PropertyAccessExpression" or is_function


# Imports, and types that only a comment declares.
_NO_CODE = frozenset(
    {
        "ImportClause", "ImportSpecifier", "NamespaceImport", "ExportSpecifier", "NamespaceExport",
        "ImportEqualsDeclaration", "JSDocTypedefTag", "JSDocCallbackTag",
    }
)  # fmt: skip


def _line(language: str, recall: Recall) -> str:
    share = recall.found / recall.wanted
    counts = f"{recall.found}/{recall.wanted} = {share:.2%}"
    return f"{language:<11} {counts} in {recall.files} files (goal {GOALS[language]:.0%})"


def _show(recall: Recall) -> None:
    for kind, count in Counter(item.kind for item in recall.missing).most_common(12):
        print(f"  {count} {kind}")
        for item in [item for item in recall.missing if item.kind == kind][:6]:
            row = Path(item.path).read_text(encoding="utf-8").split("\n")[item.line - 1]
            print(f"      {item.path}:{item.line} {item.name} | {row.strip()[:100]}")


BELOW = "## Differences"


def _write(recalls: dict[str, Recall], versions: dict[str, str]) -> None:
    file = HERE / "recall.md"
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = old[old.index(BELOW) :] if BELOW in old else f"{BELOW}\n"
    rows = [
        f"| {name} | {_oracle(name)} | {recall.files} | {recall.wanted} | {recall.found}"
        f" | {recall.found / recall.wanted:.2%} | {GOALS[name]:.0%} | {_packages(name, versions)} |"
        for name, recall in recalls.items()
    ]
    head = [
        "# Recall against other parsers",
        "",
        "Written by `python tests/oracles/run.py`; what stands below the table is written by hand and kept.",
        "A definition counts as found when a symbol of its name stands on its line.",
        "",
        "| language | oracle | files | definitions | found | recall | goal | packages |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
    ]
    file.write_text("\n".join(head) + "\n" + kept, encoding="utf-8", newline="\n")


def _oracle(language: str) -> str:
    return "universal-ctags" if language in CTAGS else "TypeScript's navigation tree"


def _packages(language: str, versions: dict[str, str]) -> str:
    names: Iterable[str] = sources.PACKAGES[language]
    return ", ".join(f"{name} {versions[name]}" for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
