"""The outline of a document: definitions with their names, scopes and ranges, comments, imports and errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

from connote.chunk import calls, special
from connote.chunk.adjoining import adjoined
from connote.chunk.names import Around, name_of
from connote.chunk.signatures import doc_of, inner_doc, signature_of

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.grammar import Grammar
    from connote.chunk.source import Source

MAX_SCOPE = 32
"""Names in a scope; of a deeper nest, which no person wrote, the innermost are kept."""

CONTAINERS = frozenset({"class", "interface", "struct", "trait", "impl", "enum"})
"""A function directly inside one of these is a method."""

MINOR = frozenset({"constant", "variable", "property", "field", "key", "rule"})
"""Kinds that are too small and many to be worth a chunk border or a chunk's name."""


@dataclass(slots=True)
class Definition:
    """A definition while a document is cut. Offsets are of bytes, lines are counted from 0."""

    name: str
    kind: str
    scope: tuple[str, ...]
    parent: int
    """Index of the definition around it, or -1."""
    start: int
    """Where its node or the wrapper around it begins, without doc comment."""
    end: int
    full_start: int
    """`start`, or where its doc comment or attributes begin."""
    name_at: int
    signature: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Lead:
    """Comment or attribute that has its lines for itself."""

    line: int
    last: int
    start: int
    end: int
    is_attribute: bool


@dataclass(slots=True)
class Outline:
    """What is known of a document before it is cut."""

    definitions: list[Definition] = field(default_factory=list)
    """In document order; a definition comes before those inside it."""
    leads: dict[int, Lead] = field(default_factory=dict)
    """By their last line."""
    tops: dict[int, Lead] = field(default_factory=dict)
    """By the last line of one, the topmost lead of those that follow each other down to it."""
    comments: list[tuple[int, int]] = field(default_factory=list)
    imports: list[tuple[int, int]] = field(default_factory=list)
    errors: list[tuple[int, int, bool]] = field(default_factory=list)
    """Offsets of what the parser could not read, and whether something is missing there."""

    def lead_start(self, source: Source, offset: int) -> int:
        """Where the comments and attributes directly above an offset's line begin, or the offset itself."""
        top = self.tops.get(source.line_of(offset) - 1)
        return offset if top is None else top.start

    def lead(self, line: int) -> int:
        """First line of the comments and attributes directly above a line, or the line itself."""
        top = self.tops.get(line - 1)
        return line if top is None else top.line


def outline(
    source: Source, grammar: Grammar, root: tree_sitter.Node, captures: dict[str, list[tree_sitter.Node]]
) -> Outline:
    """Find all definitions in what the grammar's query captured, also inside what the parser could not read."""
    found = Outline()
    if root.has_error:
        found.errors = [(node.start_byte, node.end_byte, False) for node in captures.get("error", ())]
        found.errors += [(node.start_byte, node.end_byte, True) for node in _missing(root)]
        found.errors.sort()
    found.imports = sorted((node.start_byte, node.end_byte) for node in captures.get("import", ()))
    found.comments = sorted((node.start_byte, node.end_byte) for node in captures.get("comment", ()))
    attributes = captures.get("attribute", [])
    if grammar.name == "elixir":  # Its constants and types look like annotations.
        attributes = [node for node in attributes if calls.is_annotation(node, source.data)]
    # `//!` is about what is around it.
    inner = b"//!" if grammar.name in ("rust", "zig") else None
    above = [span for span in found.comments if inner is None or not source.data.startswith(inner, span[0])]
    _add_leads(found.leads, source, above, is_attribute=False)
    _add_leads(found.leads, source, [(n.start_byte, n.end_byte) for n in attributes], True)
    for line in sorted(found.leads):
        before = found.leads.get(found.leads[line].line - 1)
        found.tops[line] = found.tops[before.last] if before is not None else found.leads[line]
    _Interpreter(source, grammar, found).run(captures)
    return found


def _missing(root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What the parser had to add; the first of them, where there are very many."""
    found: list[tree_sitter.Node] = []
    stack = [root]
    for _ in range(20_000):
        if not stack:
            break
        node = stack.pop()
        if node.is_missing:
            found.append(node)
        elif node.has_error:
            stack.extend(reversed(node.children))
    return found


def _add_leads(leads: dict[int, Lead], source: Source, spans: list[tuple[int, int]], is_attribute: bool) -> None:
    data, starts = source.parsed, source.starts
    for start, end in spans:
        line = source.line_of(start)
        if source.has_text_before(start, line) or (not line and data.startswith(b"#!", start)):
            continue  # Something stands before it on its line, or it names an interpreter.
        # Some comment nodes hold their line end, and the indentation behind it.
        while end > start and data[end - 1] in b"\n\r\t ":
            end -= 1  # noqa: PLW2901 - the end without line ends is the end
        last = source.line_of(max(end - 1, start))
        if data.startswith(b"=", start) and last + 2 < source.lines and source.is_blank(last + 1):
            # Perl's documentation has a blank line behind it.
            leads[last + 1] = Lead(line, last + 1, start, end, is_attribute)
            continue
        if not data[end : starts[last + 1]].strip():
            leads[last] = Lead(line, last, start, end, is_attribute)


# A wrapper comes before the definition that is the same node, and a body after it.
_WRAP, _DEFINITION, _LOCAL = 0, 1, 2
_WITHOUT_NODE = itemgetter(0, 1, 2, 3)


class _Interpreter:
    """Turns captures into definitions with one pass over them in document order, and a stack of what is open."""

    def __init__(self, source: Source, grammar: Grammar, found: Outline) -> None:
        self._source = source
        self._grammar = grammar
        self._found = found
        self._comments = ([start for start, _ in found.comments], [end for _, end in found.comments])
        # An entry is (end offset, what it is, index of its definition or -1, start offset).
        self._stack: list[tuple[int, int, int, int]] = []
        self._last = -1
        """Id of the node that was defined last."""

    def run(self, captures: dict[str, list[tree_sitter.Node]]) -> None:
        stack = self._stack
        for start, negative_end, what, row, node in self._events(captures):
            end = -negative_end
            while stack and stack[-1][0] <= start:
                stack.pop()
            if what == _DEFINITION:
                self._define(row, node, start, end)
            elif what == _WRAP and not _is_group(node):
                stack.append((end, _WRAP, -1, start))
            elif what == _LOCAL and not self._is_namespace_body():
                stack.append((end, _LOCAL, -1, start))
        if self._grammar.name in _FILE_SCOPED:
            _adopt_file_scoped(self._found.definitions, self._source, _FILE_SCOPED[self._grammar.name])

    def _events(self, captures: dict[str, list[tree_sitter.Node]]) -> list[tuple[int, int, int, int, tree_sitter.Node]]:
        """What was captured, in document order, each before what is inside of it."""
        kinds = [("wrap", _WRAP, -1), *((f"d{i}", _DEFINITION, i) for i in range(len(self._grammar.rows)))]
        events = [
            (node.start_byte, -node.end_byte, what, row, node)
            for capture, what, row in (*kinds, ("local", _LOCAL, -1))
            for node in captures.get(capture, ())
        ]
        events.sort(key=_WITHOUT_NODE)
        return events

    def _is_namespace_body(self) -> bool:
        for _, what, index, _ in reversed(self._stack):
            if what == _DEFINITION:
                return self._found.definitions[index].kind in ("namespace", "module")
            if what == _LOCAL:
                return False
        return False

    def _define(self, row_index: int, node: tree_sitter.Node, start: int, end: int) -> None:
        row = self._grammar.rows[row_index]
        if self._grammar.name == "make":
            self._close_rule(start)
        stack, definitions = self._stack, self._found.definitions
        parent, is_local = self._place()
        if row.optional and is_local:
            return
        special_case = special.SPECIAL.get(row.kind)
        if special_case is not None:
            named = special_case(node, Around(is_local, self._source.data, self._grammar.name))
        else:
            named = name_of(node, self._source.data, row, self._grammar.name)
        if named is None:
            return
        kind, name, name_at, qualifier, body, others, whole = named
        outer = definitions[parent] if parent >= 0 else None
        if row.kind == "promoted" and outer is not None and outer.kind in _BODIES:
            parent = outer.parent  # A property of the class, and not of its constructor.
            outer = definitions[parent] if parent >= 0 else None
        # Of several rows that fit a node, the first that names it says what it is.
        if node.id == self._last or (stack and stack[-1][2] == parent and _is_same(outer, name, start, name_at)):
            return
        if whole is not None:
            start, end = whole.start_byte, whole.end_byte
        kind = self._kind(kind, name, outer, qualifier)
        scope = (*outer.scope, outer.name, *qualifier)[-MAX_SCOPE:] if outer is not None else qualifier
        node_start = start
        start, end = self._unwrap(start, end)
        end = self._trimmed(start, end)
        start, body, end = adjoined(self._source, self._grammar.name, node, body, (start, end))
        if self._grammar.name in _IN_EQUATIONS and self._merges_with_last(kind, name, parent, start, end):
            return
        definition = Definition(name, kind, scope, parent, start, end, start, name_at)
        self._describe(definition, node, node_start, body)
        stack.append((end, _DEFINITION, len(definitions), start))
        definitions.append(definition)
        self._last = node.id
        if others:
            definitions.extend([self._further(definition, other) for other in others])

    def _place(self) -> tuple[int, bool]:
        """Index of the definition around what comes next, or -1, and whether that is directly inside a body."""
        is_local = False
        for _, what, index, _ in reversed(self._stack):
            if what == _DEFINITION:
                # Some grammars have no node that is a body.
                return index, is_local or self._found.definitions[index].kind in _BODIES
            is_local = is_local or what == _LOCAL
        return -1, is_local

    def _further(self, definition: Definition, node: tree_sitter.Node) -> Definition:
        """What a statement defines besides its first name."""
        at, end = node.start_byte, node.end_byte
        name = self._source.decode(at, end)
        name_at = at + len(name) - len(name.lstrip(":"))  # Ruby's `attr_reader :a, :b`
        kind, scope, parent = definition.kind, definition.scope, definition.parent
        further = Definition(name.lstrip(":"), kind, scope, parent, at, end, at, name_at)
        further.signature, further.doc = definition.signature, definition.doc
        return further

    def _kind(self, kind: str, name: str, outer: Definition | None, qualifier: tuple[str, ...]) -> str:
        """A function inside something is a method, or its constructor."""
        if kind not in _BY_PLACE:
            return kind
        is_member = qualifier or (outer is not None and outer.kind in CONTAINERS)
        if kind == "function" and is_member and self._grammar.name not in _WITHOUT_METHODS:
            kind = "method"
        around = qualifier[-1] if qualifier else outer.name if outer is not None else ""
        if kind == "method" and (
            name in _CONSTRUCTORS.get(self._grammar.name, ())
            or (name == around and self._grammar.name in _NAMED_AS_THEIR_CLASS)
        ):
            return "constructor"
        is_field = kind == "variable" and outer is not None and outer.kind in CONTAINERS
        return "field" if is_field and self._grammar.name in _FIELDS_AS_VARIABLES else kind

    def _describe(
        self, definition: Definition, node: tree_sitter.Node, node_start: int, body: tree_sitter.Node | None
    ) -> None:
        """Give a definition its doc comment and signature, and the range that holds them."""
        source, leads, grammar = self._source, self._found.leads, self._grammar.name
        start = definition.start
        line = source.line_of(start)
        # Only what begins its line owns the comments above.
        is_first = not source.has_text_before(start, line)
        top = self._found.tops.get(line - 1) if is_first else None
        if top is not None:
            definition.full_start = top.start
        # Elixir's attributes are whole statements, and no part of how a function is called.
        sign_start = start if grammar == "elixir" else definition.full_start
        inner = inner_doc(node, self._grammar.docs) if self._grammar.docs else None
        if inner is not None and "comment" in inner.type:
            self._take_lead(source.line_of(inner.start_byte))
        following = inner.next_sibling if inner is not None and inner.start_byte == node_start else None
        if following is not None:
            sign_start = node_start = following.start_byte
        bodies = self._grammar.bodies
        definition.signature = signature_of(
            source,
            node,
            body,
            sign_start,
            node_start,
            self._comments,
            bodies,
            inner,
            (definition.name_at, definition.name),
        )
        definition.doc = doc_of(source, leads, line if is_first else -1, node, grammar, inner)

    def _take_lead(self, line: int) -> None:
        """Comments inside a definition that document it are about nothing below them."""
        while line in self._found.leads:
            lead = self._found.leads.pop(line)
            self._found.tops.pop(lead.last, None)
            line += 1

    def _close_rule(self, start: int) -> None:
        """End a rule of a makefile before the next: what follows a conditional in a rule is read into it."""
        for end, what, index, _ in self._stack:
            if what == _DEFINITION and end > start:
                outer = self._found.definitions[index]
                outer.end = self._trimmed(outer.start, self._found.lead_start(self._source, start))
        self._stack[:] = [entry for entry in self._stack if entry[1] == _WRAP]

    def _trimmed(self, start: int, end: int) -> int:
        """The end of a definition without blanks and comments, which some grammars read into what is before them."""
        data, source, leads = self._source.data, self._source, self._found.leads
        if end > start and data[end - 1] not in b" \t\r\n" and source.line_of(end - 1) not in leads:
            return end
        for _ in range(1000):
            while end > start and data[end - 1] in b" \t\r\n":
                end -= 1
            lead = leads.get(source.line_of(end - 1)) if end > start else None
            if lead is None or lead.start <= start or lead.end < end:
                break
            end = lead.start
        return end

    def _unwrap(self, start: int, end: int) -> tuple[int, int]:
        """Widen a range to the wrappers directly around it; the first definition in one takes it over."""
        stack = self._stack
        while stack and stack[-1][1] == _WRAP:
            outer_end, _, _, outer_start = stack.pop()
            tail = self._source.data[end:outer_end].strip()
            start = outer_start
            # A wrapper around several definitions, as in `const a = 1, b = 2`, ends with the last of them.
            # Zig's holds the body that its prototype lacks.
            if tail in (b"", b";", b",", b".") or self._grammar.name in ("zig", "pascal"):
                end = outer_end
        return start, end

    def _merges_with_last(self, kind: str, name: str, parent: int, start: int, end: int) -> bool:
        # Erlang's equations end with a semicolon, but for the last.
        if not self._found.definitions:
            return False
        last = self._found.definitions[-1]
        if self._grammar.name == "erlang" and self._source.data[last.end - 1 : last.end] != b";":
            return False
        if (last.name, last.kind, last.parent) != (name, kind, parent) or kind not in ("function", "method"):
            return False
        last.end = max(last.end, end)
        return start >= last.start


_CONSTRUCTORS = {
    "javascript": ("constructor",),
    "typescript": ("constructor",),
    "tsx": ("constructor",),
    "php": ("__construct",),
    "ruby": ("initialize",),
    "scala": ("this",),
}


# Kinds whose definitions hold what follows them, up to the next.
_FILE_SCOPED = {"csharp": "namespace", "php": "namespace", "perl": "module", "dockerfile": "block"}

# Languages that write one function as several equations.
_IN_EQUATIONS = ("haskell", "erlang")

# Kinds that have a body, in which definitions are local.
_BODIES = frozenset({"function", "method", "constructor", "constant", "variable", "macro", "test"})

# Kinds that say something else inside of others.
_BY_PLACE = frozenset({"function", "method", "variable"})

# Grammars that have one node type for variables and for the fields of what they are in.
_FIELDS_AS_VARIABLES = ("gdscript", "d", "fortran", "nim")

# Grammars that have one node type for methods and constructors, where a constructor is called as its class.
_NAMED_AS_THEIR_CLASS = ("powershell", "cpp", "cuda", "julia")

# Languages in which what contains functions is no class.
_WITHOUT_METHODS = ("ocaml", "ocaml_interface", "tcl")


def _is_same(outer: Definition | None, name: str, start: int, name_at: int) -> bool:
    """Whether a definition was seen already: by another pattern, or as `typedef struct s {…} s`."""
    if outer is None or outer.name != name:
        return False
    return outer.start == start or outer.name_at == name_at or outer.kind == "type"


def _is_group(node: tree_sitter.Node) -> bool:
    """Whether a wrapper holds a parenthesised list of definitions, as Go's `type (…)`: these keep their own ranges."""
    return any(child.type in ("(", "const_spec_list", "var_spec_list") for child in node.children[1:2])


def _adopt_file_scoped(definitions: list[Definition], source: Source, kind: str) -> None:
    """Put what follows `namespace N;` into N, up to the next one: in the tree they are siblings."""
    outer: Definition | None = None
    index = block_end = -1
    for i, definition in enumerate(definitions):
        if definition.start < block_end:
            continue
        if definition.kind == kind:
            if kind != "block" and not source.data[definition.start : definition.end].rstrip().endswith(b";"):
                block_end = definition.end  # What has a body is called by its whole name.
                continue
            if outer is not None:
                between = source.data[outer.start : definition.full_start]
                outer.end = outer.start + len(between.rstrip())
            outer, index = definition, i
        elif outer is not None:
            definition.scope = (*outer.scope, outer.name, *definition.scope)
            if definition.parent < 0:
                definition.parent = index
    if outer is not None:
        outer.end = len(source.data.rstrip())
