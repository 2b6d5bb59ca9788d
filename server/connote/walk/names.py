"""What the names of files and folders say about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from . import reasons, tables
from .options import WalkOptions
from .patterns import alternatives, glob_filter, names_folder


class NameRules:
    """The rules of one `WalkOptions`. Paths are relative to the root, with `/`."""

    def __init__(self, options: WalkOptions) -> None:
        self.brings_in: Callable[[str], bool] = glob_filter(options.include) if options.include else _nothing
        """Whether a path is one of `walk.include`, which overrides the default rules."""
        self.excludes: Callable[[str], bool] = glob_filter(options.exclude) if options.exclude else _nothing
        self.is_allowed_secret: Callable[[str], bool] = glob_filter(options.secrets) if options.secrets else _nothing
        self._max_bytes = options.max_bytes
        self._included = [
            text
            for glob in options.include
            for text in alternatives(glob.replace("\\", "/"))
            if not glob.startswith("!")
        ]
        self._secret_folders_open = bool(options.secrets)

    def folder(self, path: str, name: str) -> str | None:
        """Return the reason to leave a folder out with all that is in it, tracked or not."""
        if name in tables.VERSION_CONTROL_FOLDERS:
            return reasons.VERSION_CONTROL
        if self.excludes(path + "/"):  # with the slash: `docs/**` is about all of the folder
            return reasons.EXCLUDED
        # A glob of `walk.secrets` may lead into the folder; then each of its files is judged by itself.
        if name in tables.SECRET_FOLDERS and not self._secret_folders_open:
            return reasons.SECRET
        return None

    def default_folder(self, name: str, has: Callable[[str], bool], beside: Callable[[str], bool]) -> str | None:
        """Return the reason to leave out what git does not track in a folder.

        `has` and `beside` say whether a name is in the folder, and next to it.
        """
        if name in tables.CERTAIN_FOLDERS or name in tables.LIKELY_FOLDERS or name.endswith(".egg-info"):
            return reasons.DEFAULT_FOLDER
        twin = tables.LIKELY_TOGETHER.get(name)
        if twin is not None and beside(twin):
            return reasons.DEFAULT_FOLDER
        return self.marked_folder(name, has)

    def marked_folder(self, name: str, has: Callable[[str], bool]) -> str | None:
        """Return the reason to leave out a folder that can be nothing else, where git's answer is not to be had."""
        if name in tables.CERTAIN_FOLDERS or any(has(marker) for marker in tables.MARKERS):
            return reasons.DEFAULT_FOLDER
        if all(has(part) for part in tables.BARE_REPOSITORY):
            return reasons.VERSION_CONTROL
        return None

    def brings_in_some_of(self, name: str) -> bool:
        """Return whether a glob of `walk.include` names a folder of this name, so that it has to be entered."""
        return any(names_folder(text, name) for text in self._included)

    def file(self, path: str, size: int) -> str | None:
        """Return the reason to leave a regular file out."""
        name = path[path.rfind("/") + 1 :].lower()
        if self.excludes(path):
            return reasons.EXCLUDED
        if _is_secret(path, name) and not self.is_allowed_secret(path):
            return reasons.SECRET
        reason = _kind(name)
        if reason is not None and not self.brings_in(path):
            return reason
        return reasons.TOO_LARGE if size > self._max_bytes else None


@lru_cache(maxsize=16)
def name_rules(options: WalkOptions) -> NameRules:
    """Return the rules of these options, compiled once."""
    return NameRules(options)


def _is_secret(path: str, name: str) -> bool:
    if tables.KEY.fullmatch(name):
        return True
    if tables.SECRET.fullmatch(path.lower()) and not tables.NOT_SECRET.fullmatch(name):
        return True
    return "/." in f"/{path}" and not tables.SECRET_FOLDERS.isdisjoint(path.split("/")[:-1])


def _kind(name: str) -> str | None:
    """Return the reason that lies in the name (in lower case) itself, if any."""
    extension = name[name.rfind(".") + 1 :] if "." in name else ""
    if extension in tables.BINARY_EXTENSIONS:
        return reasons.BINARY
    if name in tables.LOCK_FILES or extension in tables.LOCK_EXTENSIONS:
        return reasons.LOCK_FILE
    if tables.GENERATED.fullmatch(name):
        return reasons.GENERATED
    if tables.MINIFIED.fullmatch(name):
        return reasons.MINIFIED
    return reasons.DATA if extension in tables.DATA_EXTENSIONS else None


def _nothing(_path: str) -> bool:
    return False
