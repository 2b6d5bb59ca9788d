"""The walk: every file of a root that is to be indexed, by names, sizes and ignore rules."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from connote.model import Problem, Skipped, SourceFile

from . import reasons
from .checkout import Checkout, checkout_around, is_second_checkout
from .folders import Place, folder_steps
from .git import GitRefusal, is_ignored
from .git_rules import checkout_rules, ignores_case, rules_above
from .ignore import IgnoreRules
from .listed import listed_steps
from .names import name_rules
from .options import ListingError, WalkOptions
from .scope import OWN_IGNORE_FILE, Below, Nested, Scope, Step
from .wanted import Wanted

_log = logging.getLogger(__name__)


def walk(
    root: Path, options: WalkOptions, only: Sequence[str] | None = None, *, cancel: threading.Event | None = None
) -> Iterator[SourceFile | Skipped | Problem]:
    """Yield every file below a folder that is to be indexed, sorted by path, and what is left out with its reason.

    No file is opened but ignore files, and no link is followed. What an ignore file names is not mentioned.
    A path that ends in `/` is a folder: skipped, with all that git does not track in it; or a problem, and then
    nothing is known of what is below it.

    With `only` (paths of files and folders, relative with `/`), yields exactly what the whole walk would say about
    them and what is below them, or about the folder or link around them that it names instead. A path that does not
    exist, is ignored or is outside the root yields nothing.

    Raises `ListingError` when the root cannot be listed, or when `cancel` is set before the end.
    """
    yield from _walk(root, options, only, cancel, None)


def walked_folders(
    root: Path, options: WalkOptions, only: Sequence[str] | None = None, *, cancel: threading.Event | None = None
) -> list[str]:
    """Return the folders that a walk looks into, `` and `a/b/` each, sorted: where a new file may be wanted.

    The rules are read from the ignore files, so a folder that git ignores is not among them, even where git tracks a
    file in it all the same. With `only`, those at and below these paths, and around them. Raises as `walk` does.
    """
    entered: list[str] = []
    for _ in _walk(root, options, only, cancel, entered):
        pass
    return sorted(entered)


def _walk(
    root: Path,
    options: WalkOptions,
    only: Sequence[str] | None,
    cancel: threading.Event | None,
    entered: list[str] | None,
) -> Iterator[SourceFile | Skipped | Problem]:
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise ListingError(f"{root} cannot be listed: {error.strerror}.") from error

    base = os.fspath(root).replace(os.sep, "/").rstrip("/")
    wanted = Wanted(base, only)
    if wanted.is_nothing:
        return
    real = root.resolve()
    around = checkout_around(real)
    if around is not None and real != around.folder and _is_left_alone(around, real, cancel):
        around = None
    scope = Scope(root, base, name_rules(options), options.submodules, wanted, around, cancel, entered)

    steps = [_root_steps(scope, real)]
    while steps:
        if cancel is not None and cancel.is_set():
            raise ListingError(f"The listing of {root} was cancelled.")
        step = next(steps[-1], None)
        if step is None:
            steps.pop()
        elif isinstance(step, Below):
            steps.append(step.steps)
        elif isinstance(step, Nested):
            steps.append(_nested_steps(scope, step))
        else:
            yield step


def _is_left_alone(around: Checkout, root: Path, cancel: threading.Event | None) -> bool:
    """Return whether the checkout around the root ignores it; it is then walked as if there were no checkout."""
    try:
        return is_ignored(around.folder, root.relative_to(around.folder).as_posix(), cancel)
    except GitRefusal as refusal:
        _log.info("Git does not say whether %s is ignored (%s): its ignore files are read instead.", root, refusal)
        return rules_above(root, around.folder, ".gitignore", around) is None


def _root_steps(scope: Scope, real: Path) -> Iterator[Step]:
    around = scope.around
    if around is None:
        return folder_steps(scope, Place())
    ours = rules_above(real, around.folder, OWN_IGNORE_FILE) or IgnoreRules()
    return _checkout_steps(scope, around, "", ours, real)


def _nested_steps(scope: Scope, nested: Nested) -> Iterator[Step]:
    if nested.is_submodule and not scope.submodules:
        return iter([Skipped(nested.path, reasons.SUBMODULE)])
    if is_second_checkout(nested.checkout, scope.root, scope.around):
        return iter([Skipped(nested.path, reasons.WORKTREE)])
    return _checkout_steps(scope, nested.checkout, nested.path, nested.ours, scope.root / nested.path)


def _checkout_steps(scope: Scope, checkout: Checkout, prefix: str, ours: IgnoreRules, folder: Path) -> Iterator[Step]:
    """List the root's folder `prefix`, which is in a checkout (at `folder`, where git sees it)."""
    depth = len(folder.relative_to(checkout.folder).parts)
    if checkout.has_files and scope.entered is None:
        try:
            return listed_steps(scope, prefix, depth, ours)
        except GitRefusal as refusal:
            _log.info("Git does not list %s (%s): its ignore files are read instead.", folder, refusal)
    theirs = rules_above(folder, checkout.folder, ".gitignore", checkout) if depth else checkout_rules(checkout, prefix)
    place = Place(prefix, theirs or IgnoreRules(), ours, checkout.has_files, ignores_case(checkout))
    return folder_steps(scope, place)
