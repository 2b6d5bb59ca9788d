"""Where an index lives: a catalog that any process may use, and a Chroma collection that one process owns."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from connote.store.options import StoreOptions
from connote.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from connote.store.cache import remove_cache
    from connote.store.catalog import Entry, FileRecord
    from connote.store.index import Store, drop_elsewhere, try_out
    from connote.store.lookup import ChunkRow, Filter
    from connote.store.process import Budgets
    from connote.store.rows import packed, text_digest

__all__ = [
    "SCHEMA_VERSION", "Budgets", "ChunkRow", "Entry", "FileRecord", "Filter", "Store", "StoreOptions",
    "drop_elsewhere", "packed", "remove_cache", "text_digest", "try_out",
]  # fmt: skip

# Settings need the options alone, and no numpy: all else is loaded where it is used.
_HOMES = {
    "cache": ("remove_cache",),
    "catalog": ("Entry", "FileRecord"),
    "index": ("Store", "drop_elsewhere", "try_out"),
    "lookup": ("ChunkRow", "Filter"),
    "process": ("Budgets",),
    "rows": ("packed", "text_digest"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
