"""A walk over the statements of a tree: finds what a grammar's query finds, for a third of its time.

A query looks at every node. Where only statements hold definitions, most nodes lie in expressions and need no look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import tree_sitter

    Captures = dict[str, list[tree_sitter.Node]]


_SHAPES = ("value", "member", "lambda")
"""Assignments in a module or below one `if` or `try` of it, in a class, and of a lambda."""

KNOWN = frozenset(
    {
        "class_definition", "function_definition", "decorated_definition", "type_alias_statement", "import_statement",
        "import_from_statement", "future_import_statement", *_SHAPES,
    }
)  # fmt: skip
"""What a walk can capture: node types, and shapes of assignments."""


class Skeleton:
    """Which nodes of Python's grammar are opened, and as what they are captured. For trees without errors."""

    def __init__(self, language: tree_sitter.Language, captures: Mapping[str, str]) -> None:
        """`captures` names what each of `KNOWN` is captured as."""

        def ids(*types: str) -> list[int]:
            found = (language.id_for_node_kind(node_type, True) for node_type in types)
            return [kind for kind in found if kind is not None]

        # What a node is captured as, and whether it may hold statements.
        self._statements: dict[int, tuple[str | None, bool]] = dict.fromkeys(ids(*_HOLDERS), (None, True))
        for node_type, capture in captures.items():
            for kind in ids(node_type):
                self._statements[kind] = (capture, kind in self._statements)
        self._assignments = frozenset(ids("assignment"))
        self._statements.update(dict.fromkeys(ids("assignment", "augmented_assignment"), (None, False)))
        self._classes = frozenset(ids("class_definition"))
        self._with_body = frozenset(ids("class_definition", "function_definition"))
        self._wrappers = frozenset(ids("decorated_definition"))
        self._tops = frozenset(ids("if_statement", "try_statement"))
        self._blocks = frozenset(ids("block"))
        self._comments = frozenset(ids("comment"))
        self._shapes = {shape: captures[shape] for shape in _SHAPES if shape in captures}
        self._body = language.field_id_for_name("body") or 0
        self._right = language.field_id_for_name("right") or 0

    def captures(self, root: tree_sitter.Node, data: bytes) -> Captures:
        """What the grammar's query captures in a tree of `data`."""
        found: Captures = {capture: [] for capture, _ in self._statements.values() if capture is not None}
        found["comment"] = list(self._comments_in(root, data))
        self._walk(root, data, found)
        if "lambda" in self._shapes:
            found[self._shapes["lambda"]] = list(self._lambdas_in(root, data))
        return found

    # One loop for all: a call for each node would cost as much as what is done with it.
    def _walk(  # noqa: C901, PLR0912
        self, root: tree_sitter.Node, data: bytes, found: Captures
    ) -> None:
        statements, with_body, body = self._statements, self._with_body, self._body
        holds = _finder(data, root)
        values: list[tree_sitter.Node] = []
        members: list[tree_sitter.Node] = []
        stack = [(root, _MODULE)]
        while stack:
            node, place = stack.pop()
            assignments = members if place == _CLASS_BLOCK else values if place in (_MODULE, _TOP_BLOCK) else None
            for child in node.named_children:
                kind = child.kind_id
                statement = statements.get(kind)
                if statement is None:
                    continue
                capture, is_holder = statement
                if capture is not None:
                    found[capture].append(child)
                if not is_holder:
                    if capture is None and assignments is not None:
                        assignments += self._chained(child)
                elif kind in with_body:
                    inner = child.child_by_field_id(body)
                    is_class = kind in self._classes
                    if inner is not None and (is_class or holds(inner.start_byte, inner.end_byte)):
                        stack.append((inner, _CLASS_BLOCK if is_class else _ELSEWHERE))
                elif place == _MODULE and kind in self._tops:
                    stack.append((child, _TOP))
                elif place == _TOP and kind in self._blocks:
                    stack.append((child, _TOP_BLOCK))
                elif kind in self._wrappers or holds(child.start_byte, child.end_byte):
                    stack.append((child, _ELSEWHERE))
        for of, nodes in (("value", values), ("member", members)):
            if of in self._shapes:
                found[self._shapes[of]] = nodes

    def _chained(self, node: tree_sitter.Node) -> list[tree_sitter.Node]:
        """An assignment, and the one whose value it shares: `a = b = 1`."""
        right = node.child_by_field_id(self._right)
        nodes = [node] if node.kind_id in self._assignments else []
        if right is not None and right.kind_id in self._assignments:
            nodes.append(right)
        return nodes

    def _comments_in(self, root: tree_sitter.Node, data: bytes) -> Iterator[tree_sitter.Node]:
        at = data.find(b"#", root.start_byte, root.end_byte)
        while at >= 0:
            node = root.descendant_for_byte_range(at, at + 1)
            if node is not None and node.kind_id in self._comments:
                yield node
                at = node.end_byte
            else:
                at += 1
            at = data.find(b"#", at, root.end_byte)

    def _lambdas_in(self, root: tree_sitter.Node, data: bytes) -> Iterator[tree_sitter.Node]:
        """Assignments of a lambda, which may stand inside of others: `a = b = lambda: 0`."""
        at = data.find(b"lambda", root.start_byte, root.end_byte)
        while at >= 0:
            word = root.descendant_for_byte_range(at, at + 6)
            value = word.parent if word is not None and word.type == "lambda" else None
            outer = value.parent if value is not None else None
            is_assignment = outer is not None and outer.kind_id in self._assignments
            if outer is not None and is_assignment and outer.child_by_field_id(self._right) == value:
                yield outer
            at = data.find(b"lambda", at + 6, root.end_byte)


# Where a walk is: in a module, in an `if` or `try` of it, in a block of that, in the block of a class, or elsewhere.
_MODULE, _TOP, _TOP_BLOCK, _CLASS_BLOCK, _ELSEWHERE = range(5)

_HOLDERS = (
    "class_definition", "function_definition", "decorated_definition", "block",
    "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "with_statement",
    "try_statement", "except_clause", "except_group_clause", "finally_clause", "match_statement", "case_clause",
)  # fmt: skip


def _finder(data: bytes, root: tree_sitter.Node) -> Callable[[int, int], bool]:
    """Whether a word that all captured statements inside of others hold stands between two offsets."""
    find = data.find
    text = data[root.start_byte : root.end_byte]
    # Only where there are tabs and the like can a keyword be followed by something else than a space.
    space = b"" if any(other in text for other in (b"\t", b"\x0c", b"\\\n", b"\\\r")) else b" "
    function, kind = b"def" + space, b"class" + space
    # Some grammars take `type(x).y = 1` for an alias.
    alias = b"type" if b"type(" in text else b"type" + space

    def holds(start: int, end: int) -> bool:
        return (
            find(b"import", start, end) >= 0
            or find(function, start, end) >= 0
            or find(kind, start, end) >= 0
            or find(alias, start, end) >= 0
        )

    return holds


PROBE = b"""\
# comment
import a
from a import b  # comment
A = B = lambda: 0
a = b = c = 1
a += 1
a: int
class C(D, E=1):
    a: int = 1
    b = c = d = 2
    b += 1
    if a:
        b = 1
        class G:
            a = 1
    @d
    async def f(self):
        def g(): return lambda: "#"
        type T = int
        a = 1
if a:
    import b
    A, b = 1, 2
elif b:
    a = lambda: 0
else:
    class F: pass
try:
    a = (1,  # comment
         2)
except E:
    import c
finally:
    with a as b:
        for c in d:
            while e: from f import g; a = 1
    a = 1
match a:
    case 1:
        import d
def h():
    a = 1
    if a: import e
"""
"""In which the walk must find what the query finds, before it is used in its place."""
