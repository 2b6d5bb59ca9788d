"""The walk stage: which files of a root are indexed, and what their text is."""

from __future__ import annotations

from .content import read
from .options import ListingError, WalkOptions
from .patterns import glob_filter
from .walking import walk, walked_folders

__all__ = ["ListingError", "WalkOptions", "glob_filter", "read", "walk", "walked_folders"]
