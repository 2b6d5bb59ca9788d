"""The walk stage: which files of a root are indexed, and what their text is."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .options import ListingError, WalkOptions

if TYPE_CHECKING:
    from .content import read
    from .patterns import glob_filter
    from .walking import walk, walked_folders

__all__ = ["ListingError", "WalkOptions", "glob_filter", "read", "walk", "walked_folders"]

_HOMES = {"read": ".content", "glob_filter": ".patterns", "walk": ".walking", "walked_folders": ".walking"}


def __getattr__(name: str) -> object:
    # A face needs the options alone, for its settings; the work is loaded where it is done.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
