"""The nouns: frozen values that every layer speaks, and nothing that computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

SYMBOL_KINDS = (
    "function", "method", "constructor", "class", "interface", "struct", "trait", "impl", "enum", "type",
    "module", "namespace", "constant", "variable", "property", "field", "macro", "test",
    "section", "key", "table", "view", "rule", "block",
)  # fmt: skip
"""Every kind a symbol can have; faces map them to what their clients know."""

MOST_HITS = 200
"""As many as one question can ask for."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the walk lists: not read yet."""

    path: str
    """Relative to the root, with `/`."""
    size: int
    """In bytes."""
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file left out on purpose, by a rule; counted in the status under its reason."""

    path: str
    reason: str
    """One of a small set of words, such as `binary` or `too large`."""
    size: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that should be indexed and could not be."""

    path: str
    reason: str
    """A sentence for the user."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file's text, decoded."""

    path: str
    text: str
    """With its line ends and its byte order mark as they are; undecodable bytes are U+FFFD."""
    digest: bytes
    """16 bytes of BLAKE2b over the file's bytes on disk."""
    size: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. Lines and columns are 1-based; columns count characters (code points)."""

    name: str
    kind: str
    """One of `SYMBOL_KINDS`."""
    scope: tuple[str, ...]
    """Names of the symbols around it, outermost first, without itself."""
    start_line: int
    start_column: int
    """Where its range begins: at its doc comment or decorators, if it has any."""
    end_line: int
    end_column: int
    """Just past its last character."""
    line: int
    column: int
    """Where its name stands."""
    signature: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document that is embedded and found.

    `document.text.encode()[start_byte:end_byte]` is the chunk's text.
    """

    path: str
    index: int
    """Position among the chunks of its document, from 0."""
    text: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    """1-based and inclusive."""
    language: str | None
    symbol: str | None
    """Name of the definition that this chunk is, holds first, or is part of."""
    kind: str | None
    symbols: tuple[Symbol, ...] = ()
    """The definitions that begin in this chunk, or (for parts of one too large) that it is part of."""
    scope: tuple[str, ...] = ()
    """Names of the definitions around `symbol`, outermost first; without a symbol, those around the chunk."""
    signature: str = ""
    doc: str = ""
    imports: tuple[str, ...] = ()
    """Imports of the document whose names this chunk uses."""
    siblings: tuple[str, ...] = ()
    """Nearest definitions before and after it on the same level."""
    part: int = 1
    parts: int = 1
    """Part i of n of one definition that is over the limit."""
    error: str | None = None
    """What the parser could not read inside this chunk."""
    line: int = 0
    column: int = 0
    """1-based place of the symbol's name; without a symbol, of the first line with text."""
    context: str = ""
    """What is embedded before the text."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of an index."""

    query: str
    limit: int = 10
    """1 to `MOST_HITS`."""
    mode: str = "hybrid"
    """`hybrid`, `semantic` (vectors alone) or `lexical` (words alone)."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Globs relative to the root: `**`, `*`, `?`, `[a-z]`, `{a,b}`; one without `/` matches file names."""
    ignore_case: bool = False
    """Whether globs ignore case."""
    languages: tuple[str, ...] = ()
    exclude_languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    prefix: str | None = None
    """Only paths at or below this one."""
    tests: bool = True
    """Whether files of tests may be found."""
    definitions: bool = False
    """Hits are symbols instead of chunks, the best place of each once."""
    min_score: float | None = None
    """0 to 1; None is the setting `rank.min_score`."""
    relax: bool = True
    """Whether a search without hits is retried once at half of `min_score`."""
    context: int = 0
    """Lines read from disk that widen each hit at both ends."""
    why: bool = False
    """Whether hits carry their signals."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A named part of a hit's score."""

    name: str
    amount: float


class Candidate(NamedTuple):
    """A chunk that may be a hit, with what its score is made of."""

    id: int
    file: int
    path: str
    language: str | None
    """The chunk's, which may differ from its file's."""
    start_line: int
    end_line: int
    symbol: str | None
    kind: str | None
    length: int
    """In words."""
    body: str
    names: str
    stem: str
    folders: str
    """Words, split and stemmed, separated by spaces."""
    defines: tuple[str, ...]
    """Names of the symbols that begin in it, each in the one form for all spellings."""
    cosine: float | None
    """Similarity to the question's vector; None while the chunk has no vector."""
    file_cosine: float | None
    """That of the sum of the vectors of its file's candidates."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk or symbol. Lines and columns are 1-based, end lines inclusive, columns in characters."""

    path: str
    """Relative to the root, with `/`."""
    file: str
    """Absolute."""
    start_line: int
    end_line: int
    score: float
    """0 to 1; the sum of its signals."""
    language: str | None
    symbol: str | None
    kind: str | None
    scope: tuple[str, ...]
    line: int
    column: int
    """Where the symbol's name stands; without a symbol, the first line with text."""
    text: str
    stale: bool = False
    """Whether the file on disk is no longer the one that was indexed."""
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search returns, with its state."""

    hits: tuple[Hit, ...] = ()
    """Best first."""
    complete: bool = True
    """Whether all of the root was indexed when it was searched."""
    relaxed: bool = False
    """Whether the hits passed only half of the wanted score."""
    message: str | None = None
    """Why there are no hits, or what the user should know."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, for who may read it."""

    path: str
    """Relative to the root, with `/`."""
    language: str | None
    text: str
    start_line: int
    end_line: int
    """1-based and inclusive; one less than `start_line` where there is no line."""
    total_lines: int
    truncated: bool = False
    """Whether the text ends before `end_line` does, or before what was asked for, because it would be too long."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sync is, in files."""

    done: int
    total: int
    path: str = ""
    """The file just dealt with."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a sync did. Counts are of files, but `embedded` and `reused`, which count chunks."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    embedded: int = 0
    """Chunks whose text had to be embedded."""
    reused: int = 0
    """Chunks of added and changed files whose vector was known."""
    problems: tuple[Problem, ...] = ()
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an index. The fields are those of `connote status --format json`."""

    root: str
    state: str
    """`indexing`, `ready`, `degraded` or `error`."""
    files: int
    chunks: int
    pending: int
    """Files known to have changed that are not indexed yet."""
    failed: int
    """Files with a problem."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Reason to number of files."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """Language to number of files."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """Kind to number of symbols."""
    model: str = ""
    dimensions: int = 0
    store: str = ""
    path: str = ""
    """Where the index lies."""
    bytes: int = 0
    last_sync: str | None = None
    """When a sync last ended: ISO 8601, UTC."""
    message: str | None = None
