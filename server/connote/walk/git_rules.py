"""The ignore rules that a checkout brings with it, for when git itself cannot be asked."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from .checkout import Checkout, read_config
from .ignore import IgnoreRules, PatternList, octets, parse_rules, read_rules

_log = logging.getLogger(__name__)


def checkout_rules(checkout: Checkout, prefix: str) -> IgnoreRules:
    """Return the rules outside of the tree for a checkout in the root's folder `prefix`: the user's, then its own."""
    return IgnoreRules().add(_user_rules(checkout), prefix).add(_exclude(checkout), prefix)


def rules_above(folder: Path, top: Path, name: str, outside: Checkout | None = None) -> IgnoreRules | None:
    """Return the rules of the files called `name` in the folders from `top` down to that around `folder`.

    With `outside`, the rules outside of that checkout's tree are added. None when they ignore the folder itself.
    """
    weakest_first: list[tuple[Path, PatternList]] = []
    ignore_case = False
    if outside is not None:
        ignore_case = ignores_case(outside)
        weakest_first = [(top, _user_rules(outside)), (top, _exclude(outside))]
    for place in reversed(folder.parents):
        if not place.is_relative_to(top):
            continue
        if place != top and _is_ignored(place, weakest_first):
            return None
        weakest_first.append((place, _rules(place / name, ignore_case=ignore_case)))
    if _is_ignored(folder, weakest_first):
        return None
    rules = IgnoreRules()
    for place, patterns in weakest_first:
        rules = rules.add(patterns, lead=f"{folder.relative_to(place).as_posix()}/")
    return rules


def ignores_case(checkout: Checkout) -> bool:
    """Return whether git takes names that differ in case for the same there."""
    return read_config(checkout.common_dir / "config").get("core.ignorecase") == "true"


def _is_ignored(folder: Path, weakest_first: list[tuple[Path, PatternList]]) -> bool:
    name = octets(folder.name)
    for place, patterns in reversed(weakest_first):
        pattern = patterns.verdict(octets(folder.relative_to(place).as_posix()), name, folder=True)
        if pattern is not None:
            return not pattern.negated
    return False


def _exclude(checkout: Checkout) -> PatternList:
    return _rules(checkout.common_dir / "info" / "exclude", ignore_case=ignores_case(checkout), follow=True)


def _user_rules(checkout: Checkout) -> PatternList:
    """Read the file that `core.excludesFile` names, or the one that git reads without it."""
    home = Path(os.environ.get("HOME") or Path.home())
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    chosen = os.environ.get("GIT_CONFIG_GLOBAL")
    mine = [Path(chosen)] if chosen else [home / ".gitconfig", settings / "config"]
    place = settings / "ignore"
    # The strongest first; the system's own configuration is the last.
    for config in (checkout.common_dir / "config", *mine, Path("/etc/gitconfig")):
        value = read_config(config).get("core.excludesfile")
        if value is not None:
            place = home / value[2:] if value.startswith("~/") else checkout.folder / value
            break
    return _rules(place, ignore_case=ignores_case(checkout), follow=True)


def _rules(file: Path, *, ignore_case: bool, follow: bool = False) -> PatternList:
    try:
        return read_rules(str(file), ignore_case=ignore_case, follow=follow)
    except OSError as error:
        _log.warning("The ignore rules in %s do not apply: %s", file, error.strerror)
        return parse_rules(b"")
