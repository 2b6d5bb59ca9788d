"""What the indexer runs in its threads. The engine is imported here, at the first need."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from connote.model import Progress, Report

from .folders import Change

WORKSPACE = "workspace"
"""The name under which a client gives the settings that are the workspace's, if it tells them from the user's."""

if TYPE_CHECKING:
    from connote.config import Settings
    from connote.engine import Index


def load(path: str, client: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """The settings for a folder, and what is wrong with them.

    What `client` holds under `workspace` counts as a project's: it may come from the folder itself.
    """
    # Not at the top, here and below: they bring numpy and the like, and `initialize` must not wait for them.
    from connote import config  # noqa: PLC0415

    user = {name: value for name, value in client.items() if name != WORKSPACE}
    workspace = client.get(WORKSPACE)
    return config.load(Path(path), client=user, workspace=workspace if isinstance(workspace, Mapping) else None)


def open_index(path: str, client: Mapping[str, object]) -> tuple[Settings, Index, list[str]]:
    """The folder's settings, its index, and what is wrong with the settings."""
    from connote import engine  # noqa: PLC0415

    settings, problems = load(path, client)
    return settings, engine.open_index(path, settings), problems


def clear(path: str, settings: Settings | None) -> None:
    """Removes the index of a folder that is not open."""
    from connote import engine  # noqa: PLC0415

    engine.clear(path, settings)


def apply(index: Index, changes: list[Change]) -> None:
    """Brings changes to the index in their order; updates that follow one another are one."""
    updates: list[str] = []
    for kind, *paths in changes:
        if kind == "update":
            updates += paths
            continue
        if updates:
            index.update(*updates)
            updates = []
        index.rename(*paths)
    if updates:
        index.update(*updates)


def summary(report: Report) -> str:
    """What a sync did, in a few words."""
    changed = report.added + report.changed + report.removed
    text = f"{changed} of {changed + report.unchanged} files changed" if changed else "Up to date"
    if report.problems:
        text += f", {len(report.problems)} with a problem"
    return f"Stopped: {text}" if report.cancelled else text


class Every:
    """Passes on a call, but not more often than every so many seconds."""

    def __init__(self, seconds: float, call: Callable[[Progress], object]) -> None:
        self._seconds = seconds
        self._call = call
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        """Passes it on, or drops it."""
        now = time.monotonic()
        if now - self._last >= self._seconds:
            self._last = now
            self._call(progress)
