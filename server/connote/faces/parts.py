"""Parts of a root: what is in one, a question about one part, asked of another, and what is too much for a root."""

from __future__ import annotations

import os
from pathlib import Path


def is_within(path: str, part: str | None) -> bool:
    """Whether a path is a part of the root, or below it; None is all of the root."""
    return part is None or path == part or path.startswith(f"{part}/")


def narrowed(outer: str | None, wanted: str | None) -> str | None:
    """Return the prefix that is in both ("" for all of the root); None when they have nothing in common.

    Both are paths relative to the root, with `/` (`wanted` also as it was typed); None and "" are all of it.
    """
    inner = os.path.normpath(wanted).replace(os.sep, "/").strip("/") if wanted else "."
    outer = outer or ""
    if inner == "." or not outer:
        return outer or ("" if inner == "." else inner)
    if f"{inner}/".startswith(f"{outer}/"):
        return inner
    return outer if f"{outer}/".startswith(f"{inner}/") else None


def holds_home(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is the user's home, or holds it as `/` does: everything that the user has, not one project."""
    try:
        home = _key(Path.home())
    except RuntimeError:  # There is none, so nothing holds it.
        return False
    real = _key(folder)
    return home == real or home.startswith(real if real.endswith(os.sep) else real + os.sep)


def _key(path: str | os.PathLike[str]) -> str:
    return os.path.normcase(os.path.realpath(path))
