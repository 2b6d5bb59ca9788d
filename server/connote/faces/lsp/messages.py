"""Our own part of the protocol: method names, parameters and results, in camelCase on the wire."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import default_converter

from connote.model import MOST_HITS, SYMBOL_KINDS

if TYPE_CHECKING:
    from cattrs import Converter

SEMANTIC_SEARCH = "workspace/semanticSearch"
SIMILAR_CODE = "textDocument/similarCode"
STATUS = "connote/status"
STATUS_CHANGED = "connote/statusChanged"

COMMAND_REINDEX = "connote.reindex"
COMMAND_CLEAR = "connote.clear"
COMMAND_STATUS = "connote.status"

PROVIDER = {"semanticSearchProvider": {"version": 1}}
"""What `initialize` answers under `experimental`."""


@dataclass(frozen=True)
class Request:
    """One of our requests, its parameters not looked at yet: `parse` does that, so that bad ones get an answer."""

    id: int | str
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@dataclass(frozen=True)
class SemanticSearchParams:
    """Parameters of `workspace/semanticSearch`."""

    query: str
    """Empty or blank: no hits, no error."""
    limit: int = 20
    """1 to 200."""
    mode: str = "hybrid"
    """`hybrid`, `semantic` or `lexical`."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Globs relative to the folder."""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    folders: tuple[str, ...] | None = None
    """URIs of workspace folders; None is all of them."""
    definitions_only: bool = False
    """Whether hits are symbols, the best place of each."""
    min_score: float | None = None
    """0 to 1; None is the setting."""
    relax: bool = True
    why: bool = False
    """Whether hits carry their signals."""
    wait: bool = False
    """Whether to answer only when the first index is complete."""
    work_done_token: int | str | None = None

    def __post_init__(self) -> None:
        _check_limit(self.limit)
        if self.mode not in ("hybrid", "semantic", "lexical"):
            raise ValueError("mode must be hybrid, semantic or lexical")
        if unknown := sorted(set(self.kinds) - set(SYMBOL_KINDS)):
            raise ValueError(f"kinds: {', '.join(unknown)} is unknown; known are {', '.join(SYMBOL_KINDS)}")
        if self.min_score is not None and not 0 <= self.min_score <= 1:
            raise ValueError("minScore must be from 0 to 1")


@dataclass(frozen=True)
class SimilarCodeParams:
    """Parameters of `textDocument/similarCode`: a place, given as a position or as a range."""

    text_document: types.TextDocumentIdentifier
    position: types.Position | None = None
    range: types.Range | None = None
    limit: int = 20
    """1 to 200."""
    work_done_token: int | str | None = None

    def __post_init__(self) -> None:
        _check_limit(self.limit)
        if self.position is None and self.range is None:
            raise ValueError("position or range is missing")

    @property
    def line(self) -> int:
        """Where the place begins, from 0."""
        if self.position is not None:
            return self.position.line
        return self.range.start.line if self.range is not None else 0


@dataclass(frozen=True)
class SymbolParams:
    """Parameters of `workspace/symbol`: LSP's, but a query that is no string is refused."""

    query: str


@dataclass(frozen=True)
class StatusParams:
    """Parameters of `connote/status`: none."""


@dataclass(frozen=True)
class ReindexParams:
    """The argument of the command `connote.reindex`, which may be left out."""

    folders: tuple[str, ...] | None = None
    """URIs of workspace folders; None is all of them."""
    rebuild: bool = False
    """Whether to start afresh."""


@dataclass(frozen=True)
class ClearParams:
    """The argument of the command `connote.clear`, which may be left out."""

    folders: tuple[str, ...] | None = None
    """URIs of workspace folders; None is all of them."""


@dataclass(frozen=True)
class SignalItem:
    """A named part of a hit's score."""

    name: str
    amount: float


@dataclass(frozen=True)
class SemanticHit:
    """One hit of `workspace/semanticSearch` and `textDocument/similarCode`."""

    location: types.Location
    """The full range of the chunk or symbol."""
    selection_range: types.Range
    """The symbol's name, else the first line with text."""
    score: float
    name: str
    """The symbol; without one, the file's name."""
    kind: types.SymbolKind
    language: str
    path: str
    """Relative to the folder, with `/`."""
    folder: str
    """The folder's URI, as the client spells it."""
    preview: str
    stale: bool
    """Whether the hit's own lines are no longer those that were indexed."""
    container_name: str | None = None
    signals: tuple[SignalItem, ...] | None = None


@dataclass(frozen=True)
class SemanticSearchResult:
    """The result of `workspace/semanticSearch` and `textDocument/similarCode`."""

    hits: tuple[SemanticHit, ...]
    """Best first."""
    complete: bool
    """Whether all that was searched is indexed to the end."""
    relaxed: bool = False
    message: str | None = None


@dataclass(frozen=True)
class StatusResult:
    """The result of `connote/status`."""

    folders: tuple[Mapping[str, Any], ...]
    """For each folder its URI as `folder`, and the fields of `connote status --format json`."""
    message: str | None = None
    """Set when no folder is open."""


@dataclass(frozen=True)
class StatusChangedParams:
    """Parameters of the notification `connote/statusChanged`."""

    folder: str
    state: str
    files: int
    pending: int
    message: str | None = None


ParamsT = TypeVar("ParamsT")


def parse(cls: type[ParamsT], raw: object) -> ParamsT:
    """The parameters in `raw`, what came over the wire; fields that `cls` does not know are ignored.

    Raises JsonRpcInvalidParams, which names the field, for anything that is missing, of another type or out of range.
    """
    if raw is None:
        raw = {}
    if not isinstance(raw, Mapping):
        raise JsonRpcInvalidParams("params must be an object")
    values: dict[str, Any] = {}
    for item in dataclasses.fields(cls):  # type: ignore[arg-type]  # every class given here is a dataclass
        name = _camel(item.name)
        value = raw.get(name)
        if value is None:
            if item.default is dataclasses.MISSING:
                raise JsonRpcInvalidParams(f"{name} is missing")
            continue
        try:
            values[item.name] = _READERS[str(item.type)](value)
        except ValueError as error:
            raise JsonRpcInvalidParams(f"{name} {error}") from None
    try:
        return cls(**values)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from None


def converter() -> Converter:
    """A converter that knows our messages beside those of LSP."""
    result: Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls does not type it
    result.register_structure_hook(Request, _structure_request)
    for cls in (SignalItem, SemanticHit, SemanticSearchResult, StatusResult, StatusChangedParams):
        result.register_unstructure_hook(cls, _writer(result))
    return result


def _structure_request(data: Mapping[str, Any], _: type[Request]) -> Request:
    return Request(id=data["id"], method=data["method"], params=data.get("params"))


def _writer(converter: Converter) -> Callable[[Any], dict[str, Any]]:
    def write(value: Any) -> dict[str, Any]:
        items = ((item.name, getattr(value, item.name)) for item in dataclasses.fields(value))
        return {_camel(name): converter.unstructure(item) for name, item in items if item is not None}

    return write


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.title() for word in tail)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_HITS:
        raise ValueError(f"limit must be from 1 to {MOST_HITS}")


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _whole(value: object) -> int:
    # A bool is an int to Python, but not to JSON; clients in JavaScript may send 20.0 for 20.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a number")
    return float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def _token(value: object) -> int | str:
    return value if isinstance(value, str) else _whole(value)


def _fields(value: object, *names: str) -> list[Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be an object")
    if missing := [name for name in names if value.get(name) is None]:
        raise ValueError(f"has no {missing[0]}")
    return [value[name] for name in names]


def _document(value: object) -> types.TextDocumentIdentifier:
    (uri,) = _fields(value, "uri")
    return types.TextDocumentIdentifier(_string(uri))


def _position(value: object) -> types.Position:
    line, character = (_whole(item) for item in _fields(value, "line", "character"))
    if line < 0 or character < 0:
        raise ValueError("must not be negative")
    return types.Position(line, character)


def _range(value: object) -> types.Range:
    start, end = _fields(value, "start", "end")
    return types.Range(_position(start), _position(end))


_READERS: dict[str, Callable[[object], Any]] = {
    "str": _string,
    "int": _whole,
    "bool": _flag,
    "float | None": _number,
    "tuple[str, ...]": _strings,
    "tuple[str, ...] | None": _strings,
    "int | str | None": _token,
    "types.TextDocumentIdentifier": _document,
    "types.Position | None": _position,
    "types.Range | None": _range,
}
"""How a field is read, by its annotation as written above."""
