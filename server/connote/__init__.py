"""connote searches code by meaning: `connote.open(root)` for an index, `connote.chunk(path, text)` for the chunker."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from connote.chunk import Chunker, ChunkOptions, chunk, chunk_batch, chunk_stream, contextualize
    from connote.config import Settings
    from connote.engine import Index
    from connote.engine import open_index as open  # noqa: A004 - `connote.open` is the name users read best
    from connote.errors import (
        ChunkingError,
        ConfigError,
        ConnoteError,
        EmbedError,
        StoreError,
        UnsupportedLanguageError,
    )
    from connote.languages import detect_language
    from connote.model import Answer, Chunk, Hit, Problem, Progress, Query, Report, Signal, Skipped, Status, Symbol

_HOMES = {
    "connote.chunk": ("ChunkOptions", "Chunker", "chunk", "chunk_batch", "chunk_stream", "contextualize"),
    "connote.config": ("Settings",),
    "connote.engine": ("Index", "open"),
    "connote.errors": (
        "ChunkingError", "ConfigError", "ConnoteError", "EmbedError", "StoreError", "UnsupportedLanguageError",
    ),
    "connote.languages": ("detect_language",),
    "connote.model": (
        "Answer", "Chunk", "Hit", "Problem", "Progress", "Query", "Report", "Signal", "Skipped", "Status", "Symbol",
    ),
}  # fmt: skip
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Chunk",
    "ChunkOptions",
    "Chunker",
    "ChunkingError",
    "ConfigError",
    "ConnoteError",
    "EmbedError",
    "Hit",
    "Index",
    "Problem",
    "Progress",
    "Query",
    "Report",
    "Settings",
    "Signal",
    "Skipped",
    "Status",
    "StoreError",
    "Symbol",
    "UnsupportedLanguageError",
    "__version__",
    "chunk",
    "chunk_batch",
    "chunk_stream",
    "contextualize",
    "detect_language",
    "open",
]


def __getattr__(name: str) -> Any:
    # Each name is loaded when it is asked for, so that importing connote costs nothing and the chunker never pays for
    # the index.
    if name not in _MODULES:
        raise AttributeError(f"module 'connote' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), "open_index" if name == "open" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
