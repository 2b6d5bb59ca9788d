"""Watching a root's folders for changes, by the operating system's events. The only user of watchfiles."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from connote.walk import ListingError, WalkOptions, walked_folders
from connote.walk.checkout import checkout_around, checkout_at

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

OnChange = Callable[[list[str]], object]
OnOverflow = Callable[[], object]

MANY = 200
"""Changed paths at once from which on a pass over everything is the shorter way, such as a switch of branches."""
_STEP_MS, _DEBOUNCE_MS = 50, 500
"""Events are collected until none came for a step, at most for so long: a save is often three of them."""
_REST_FACTOR, _LONGEST_REST = 4.0, 2.0
"""How much longer than a change took to index the next one waits: what is written all the time costs little."""
_AGAIN = 60.0
"""Seconds until a watch that could not be made is tried again: the root may be back."""
_RULES = frozenset((".gitignore", ".connoteignore"))
_GIT_FILES = frozenset(("HEAD", "index", "exclude"))
_WHOLE_TREE = sys.platform in {"darwin", "win32"}
"""There one watch of the root is all, and costs nothing for what is below it. On Linux each folder costs one."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _News:
    """What events say."""

    paths: frozenset[str] = frozenset()
    everything: bool = False
    """Whether anything may have changed."""
    folders: bool = False
    """Whether other folders are to be watched than before."""


class Watcher:
    """Watches one root from `start` to `stop`, in a thread of its own, from which it calls back.

    `on_change` gets paths relative to the root of files that changed, came or went, and of such folders; `on_overflow`
    says that anything may have changed: many files, an ignore file, git's HEAD or index, or events that were lost.
    Folders that a walk does not enter, `node_modules` or what git ignores, are neither watched nor reported. `indexed`
    lists the indexed paths, whose folders are watched in any case.
    """

    def __init__(
        self,
        root: Path,
        options: WalkOptions,
        on_change: OnChange,
        on_overflow: OnOverflow,
        indexed: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._root = root
        self._base = os.fspath(root)
        self._options = options
        self._on_change = on_change
        self._on_overflow = on_overflow
        self._indexed = indexed
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="connote-watch", daemon=True)
        self._folders: frozenset[str] = frozenset()
        self._git_folders: frozenset[str] = frozenset()
        self._rule_folders: frozenset[str] = frozenset()
        self.problem: str | None = None
        """Why nothing is watched, in a sentence; None while all is well."""

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until changes are seen, or it is known that they will not be. Returns whether it came to that."""
        return self._begun.wait(seconds)

    def stop(self) -> None:
        """End; no call comes after it, but one that is under way may still be."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    # The thread

    def _run(self) -> None:
        notify = self._armed()
        self._begun.set()
        while not self._stop.is_set():
            if notify is None:
                if not self._stop.wait(_AGAIN):
                    notify = self._armed()
                    self._tell(_News(everything=notify is not None))
                continue
            events = notify.watch(_DEBOUNCE_MS, _STEP_MS, 0, self._stop)
            if not isinstance(events, set):
                continue
            began = time.monotonic()
            news = self._read(events)
            if news.folders:
                # The old watch stays until the new one is there, and what it saw meanwhile is not lost.
                before, notify = notify, self._armed()
                late = before.watch(1, 1, 1, None)
                before.close()
                if isinstance(late, set):
                    more = self._read(late)
                    news = _News(news.paths | more.paths, news.everything or more.everything)
            self._tell(news)
            self._stop.wait(min(_LONGEST_REST, _REST_FACTOR * (time.monotonic() - began)))
        if notify is not None:
            notify.close()

    def _tell(self, news: _News) -> None:
        try:
            if news.everything or len(news.paths) > MANY:
                self._on_overflow()
            elif news.paths:
                self._on_change(sorted(news.paths))
        except Exception:  # noqa: BLE001 - see below
            # The next event comes all the same, and the regular check finds what this one was about.
            _log.exception("changes in %s could not be indexed", self._root)

    def _armed(self) -> RustNotify | None:
        """A new watch of all folders as they are now; None, with the reason in `problem`, where there can be none."""
        # Not `watchfiles.watch`: it cannot be told that folders came, and what happens while another begins is lost.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError  # noqa: PLC0415 - where it is used

        for _ in range(3):
            try:
                places = self._places()
                notify = RustNotify(places, False, False, 0, _WHOLE_TREE, True)
            except FileNotFoundError:
                continue  # a folder went between the look and the watch
            except (ListingError, OSError, WatchfilesRustInternalError) as error:
                self.problem = f"Files are not watched for changes: {_reason(error)}"
                _log.warning("%s", self.problem)
                return None
            self.problem = None
            return notify
        self.problem = f"Files are not watched for changes: the folders of {self._root} come and go."
        return None

    def _places(self) -> list[str]:
        folders = {folder.rstrip("/") for folder in walked_folders(self._root, self._options, cancel=self._stop)}
        for path in self._indexed():
            while "/" in path:
                path = path[: path.rfind("/")]  # noqa: PLW2901 - on the way up
                if path in folders:
                    break
                folders.add(path)
        self._folders = frozenset(folders)
        around = checkout_around(self._root.resolve())
        checkouts = [checkout_at(self._root / folder) for folder in folders]
        git, rules = set[str](), set[str]()
        for checkout in (around, *checkouts):
            if checkout is not None:
                git |= {os.fspath(checkout.git_dir), os.fspath(checkout.common_dir / "info")}
        if around is not None:
            above = (place for place in self._root.resolve().parents if place.is_relative_to(around.folder))
            rules = {os.fspath(place) for place in above}
        self._git_folders, self._rule_folders = frozenset(git), frozenset(rules)
        if _WHOLE_TREE:
            places = [self._base, *(place for place in (*git, *rules) if not place.startswith(self._base + os.sep))]
        else:
            places = [*(os.path.join(self._base, *folder.split("/")) for folder in folders), *git, *rules]  # noqa: PTH118 - thousands of them
        return [place for place in places if os.path.isdir(place)]  # noqa: PTH112 - as above

    def _read(self, events: set[tuple[int, str]]) -> _News:
        paths: set[str] = set()
        everything = folders = False
        for _, place in events:
            around, name = os.path.split(place)
            if around in self._git_folders:
                everything |= name in _GIT_FILES
                continue
            if not place.startswith(self._base + os.sep):
                if around in self._rule_folders and name in _RULES:
                    everything = folders = True
                continue
            relative = place[len(self._base) + 1 :].replace(os.sep, "/")
            if relative[: max(relative.rfind("/"), 0)] not in self._folders:
                continue  # nothing is wanted there
            if name in _RULES or name == ".git":
                # What is wanted is another matter now, and so may be the folders to watch.
                everything = folders = True
            is_known = relative in self._folders
            if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114 - for each event
                if (is_known and _WHOLE_TREE) or not self._is_entered(relative):
                    continue  # there the files have events of their own
                folders = True
            folders |= is_known
            paths.add(relative)
        return _News(frozenset(paths), everything, folders)

    def _is_entered(self, folder: str) -> bool:
        try:
            return f"{folder}/" in walked_folders(self._root, self._options, [folder], cancel=self._stop)
        except ListingError:
            return False


def _reason(error: BaseException) -> str:
    text = str(error)
    if "limit" in text.lower() or "too many open files" in text.lower() or "no space" in text.lower():
        text = f"{text.rstrip('.')}; on Linux fs.inotify.max_user_watches and max_user_instances raise the limit"
    return f"{text.rstrip('.')}."
