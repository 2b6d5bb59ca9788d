"""The walk over Python's statements finds what the query finds."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from tree_sitter import Node, Parser, QueryCursor

from connote.chunk import grammar as grammars
from connote.chunk.skeleton import PROBE, Skeleton


@pytest.fixture(scope="module")
def python() -> grammars.Grammar:
    grammar = grammars.load("python")
    assert grammar is not None
    return grammar


@pytest.fixture(scope="module")
def skeleton(python: grammars.Grammar) -> Skeleton:
    # Without one Python is cut by the query, as any language: right, at half the speed. After a change of Python's row
    # of definitions, `connote.chunk.skeleton` has to learn what is new in it.
    assert python.skeleton is not None, "the walk does not find what the query finds in its probe"
    return python.skeleton


def spans(captures: dict[str, list[Node]]) -> dict[str, list[tuple[int, int]]]:
    return {
        name: sorted((node.start_byte, node.end_byte) for node in nodes) for name, nodes in captures.items() if nodes
    }


def check(python: grammars.Grammar, skeleton: Skeleton, data: bytes) -> bool:
    root = Parser(python.language).parse(data).root_node
    if root.has_error:
        return False

    assert spans(QueryCursor(python.query).captures(root)) == spans(skeleton.captures(root, data))
    return True


@pytest.mark.parametrize(
    "code",
    [
        "",
        "\n\n  # only a comment\n",
        "#!/usr/bin/python\n# é\nclass A: x = 1; y = 2\n",
        "if a:\n\timport b\n\tdef\tc(): pass\n",
        "def f():\n    def\\\n    g(): pass\n",
        "def f():\r\n    class A:\r\n        import b\r\n",
        "x = y = z = 1\nclass A:\n    x = y = z = 1\n",
        "a = b = lambda: 0\nlambda_ = 'lambda'\nf(lambda: 0)\n",
        "s = '# no comment'\nt = f'{a}#'  # a comment # with a mark\n",
        "type A[T] = list[T]\ndef f():\n    type (x) = 1\n    return type(x)\n",
        "try:\n    x = 1\nexcept E:\n    y = 1\nelse:\n    z = 1\nfinally:\n    import d\n",
        "@a\n@b  # c\nclass C:\n    @d\n    def e(self): import f\n",
        "async def f():\n    async with a as b:\n        async for c in d: from e import (f,  # g\n            h)\n",
        "match a:\n    case {'b': c}:\n        def d(): pass\n",
        "from __future__ import annotations\nwhile a:\n    x = 1\n    break\nelse:\n    class B: pass\n",
    ],
)
def test_any_place_of_a_statement(python: grammars.Grammar, skeleton: Skeleton, code: str) -> None:
    assert check(python, skeleton, code.encode())


def test_the_probe_has_no_error(python: grammars.Grammar, skeleton: Skeleton) -> None:
    assert check(python, skeleton, PROBE)


def test_real_code(python: grammars.Grammar, skeleton: Skeleton) -> None:
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    checked = [check(python, skeleton, path.read_bytes()) for path in files if path.stat().st_size < 50_000]

    assert sum(checked) > 50
