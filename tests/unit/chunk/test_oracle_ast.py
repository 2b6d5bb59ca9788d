"""Python's own parser as an oracle: every function and class of its standard library, with its exact range."""

from __future__ import annotations

import ast
import os
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from connote.chunk import ChunkOptions, chunk_batch

# Read here, before the fixtures that hide the settings of the machine.
FULL = os.environ.get("CONNOTE_TEST_FULL") == "1"
STRIDE = 1 if FULL else 12
"""Every so many files are read."""
GOAL = 0.999
"""Of Python 3.11's 72 055 definitions 55 were missed: 51 in `test/test_compile.py`, which the grammar gives up on
because of one statement, and 4 lambdas and functions in strange places.
"""

Place = tuple[int, int]
Found = tuple[str, tuple[str, ...], Place, Place]
"""Name, scope, and where the definition begins and ends: line and column from 1, the end exclusive."""


def test_all_definitions_of_the_standard_library_are_found() -> None:
    files = dict(_files())
    expected: Counter[tuple[str, Found]] = Counter()
    found: Counter[tuple[str, Found]] = Counter()
    for path, text in files.items():
        expected.update((path, definition) for definition in _definitions(text))
    options = ChunkOptions(context="none", siblings="none")
    for path, result in zip(files, chunk_batch(files.items(), options, concurrency=2), strict=True):
        assert isinstance(result, list), result
        symbols = dict.fromkeys(symbol for piece in result for symbol in piece.symbols if symbol.kind in _KINDS)
        found.update(
            (path, (s.name, s.scope, (s.start_line, s.start_column), (s.end_line, s.end_column))) for s in symbols
        )
    wanted = expected.total()
    missing, extra = expected - found, found - expected
    shown = "\n".join(map(str, [*missing][:10])) + "\nbut\n" + "\n".join(map(str, [*extra][:10]))

    assert wanted > 20_000 / STRIDE
    assert (wanted - missing.total()) / wanted >= GOAL, shown
    assert extra.total() <= wanted * (1 - GOAL), shown


_KINDS = ("function", "method", "constructor", "class")


def _files() -> Iterator[tuple[str, str]]:
    """Modules that Python itself can parse: among its tests are some that it must not."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = (path for path in sorted(root.rglob("*.py")) if "site-packages" not in path.parts)
    for number, path in enumerate(paths):
        if number % STRIDE or "dist-packages" in path.parts:
            continue
        try:
            with tokenize.open(path) as file:
                text = file.read()
            _parse(text)
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        yield path.relative_to(root).as_posix(), text


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        # Old modules hold escapes that Python would rather not see.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _definitions(text: str) -> Iterator[Found]:
    rows = text.split("\n")
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(_parse(text), ())]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, scope, _start(node, node.decorator_list, rows), _end(node, rows)
            scope = (*scope, node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1:
            # A name for a lambda is a function too.
            target = node.targets[0]
            if isinstance(target, ast.Name):
                yield target.id, scope, _start(node, [], rows), _end(node, rows)
        stack.extend((child, scope) for child in ast.iter_child_nodes(node))


def _start(node: ast.stmt, decorators: list[ast.expr], rows: list[str]) -> Place:
    """A range begins at the first decorator, or at the first of the comment lines directly above that."""
    line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    column = len(rows[line - 1].encode()[: node.col_offset].decode())
    if rows[line - 1][:column].strip():
        return line, column + 1  # Something stands before it on its line.
    while line > 1 and rows[line - 2].lstrip().startswith("#") and not rows[line - 2].startswith("#!"):
        line -= 1
    return line, len(rows[line - 1]) - len(rows[line - 1].lstrip()) + 1


def _end(node: ast.stmt, rows: list[str]) -> Place:
    """A range ends with its last statement and the comment behind that on its line."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    row = rows[node.end_lineno - 1]
    end = len(row.encode()[: node.end_col_offset].decode())  # Python counts bytes.
    if row[end:].lstrip().startswith("#"):
        end = len(row.rstrip())
    return node.end_lineno, end + 1
