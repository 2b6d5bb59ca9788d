"""What goes over the wire between a face and a host: values, settings and errors as JSON, and back."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from connote.config import Settings, default_of
from connote.engine.api import Cancelled, Estimate, News
from connote.errors import (
    ChunkingError,
    ConfigError,
    ConnoteError,
    EmbedError,
    ListingError,
    StoreError,
    UnsupportedLanguageError,
)
from connote.model import Answer, Hit, Problem, Progress, Query, Report, Signal, Skipped, Status

V = TypeVar("V", Answer, Estimate, Hit, News, Problem, Progress, Query, Report, Signal, Skipped, Status)

_INNER: dict[tuple[type, str], type] = {
    (Answer, "hits"): Hit,
    (Hit, "signals"): Signal,
    (Report, "problems"): Problem,
    (News, "progress"): Progress,
}
"""Fields that hold values of ours; all others hold JSON's own, with lists for tuples."""

_ERRORS: dict[str, type[Exception]] = {
    "value": ValueError,
    "type": TypeError,
    "config": ConfigError,
    "store": StoreError,
    "embed": EmbedError,
    "listing": ListingError,
    "language": UnsupportedLanguageError,
    "chunking": ChunkingError,
    "connote": ConnoteError,
    "cancelled": Cancelled,
}
"""Subclasses stand before their bases."""


def dumps(value: object) -> bytes:
    """A JSON document of one line, in ASCII: half surrogates, of file names that are no text, pass unharmed."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def pack(value: Any) -> Any:
    """A value of ours, or a list of them, as what JSON can hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: pack(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [pack(one) for one in value]
    if isinstance(value, Mapping):
        return dict(value)
    return os.fspath(value) if isinstance(value, Path) else value


def unpack(kind: type[V], data: Mapping[str, Any]) -> V:
    """A value from what `pack` made of it. Raises TypeError and ValueError for anything else."""
    values: dict[str, Any] = {}
    for name, value in data.items():
        inner = _INNER.get((kind, name))
        if inner is not None and isinstance(value, list):
            values[name] = tuple(unpack(inner, one) for one in value)
        elif inner is not None and value is not None:
            values[name] = unpack(inner, value)
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def pack_settings(settings: Settings) -> dict[str, Any]:
    """All settings, secrets too: for a host alone, over a connection that is the user's own."""
    packed: dict[str, Any] = pack(settings)
    # The host works in another folder than the face.
    packed["index_dir"] = os.fspath(settings.index_dir.absolute())
    return packed


def unpack_settings(data: Mapping[str, Any]) -> Settings:
    """The settings that a face sent. Raises TypeError and ValueError for anything else."""
    groups: dict[str, Any] = {}
    for group in dataclasses.fields(Settings):
        value = data[group.name]
        if group.name == "index_dir":
            groups[group.name] = Path(value)
        else:
            kind = type(default_of(group))
            groups[group.name] = kind(
                **{name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
            )
    return Settings(**groups)


def pack_error(error: Exception) -> dict[str, Any] | None:
    """An error that is meant for the caller; None for one that is a bug of ours."""
    if isinstance(error, OSError):
        return {"code": "os", "message": str(error), "errno": error.errno, "detail": [error.strerror, error.filename]}
    for code, kind in _ERRORS.items():
        if isinstance(error, kind):
            packed: dict[str, Any] = {"code": code, "message": str(error)}
            if isinstance(error, EmbedError):
                packed["retry_after"] = error.retry_after
            return packed
    return None


def unpack_error(data: Mapping[str, Any]) -> Exception:
    """The same exception that the host met; one that is not known is a ConnoteError."""
    message = str(data.get("message", "the host answered with an error that it did not explain"))
    code = data.get("code")
    if code == "os":
        text, name = data.get("detail") or (message, None)
        return OSError(data.get("errno"), text, name) if data.get("errno") is not None else OSError(message)
    if code == "embed":
        return EmbedError(message, data.get("retry_after"))
    return _ERRORS.get(str(code), ConnoteError)(message)
