"""The engine: the only door to an index. Faces convert and render; everything else happens behind this module."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from connote.config import Settings, load
from connote.engine import places
from connote.engine.api import Cancelled, Estimate, Index, News
from connote.engine.places import find_root

if TYPE_CHECKING:
    from connote.engine.check import Check

__all__ = [
    "Cancelled", "Estimate", "Index", "News", "check", "clear", "clear_cache", "find_root", "indexed_roots",
    "open_index", "stop", "stop_all",
]  # fmt: skip

# Most of what is imported below is imported where it is used: a face that asks a host needs neither the stages nor
# numpy, and a face that works alone needs no host.


def open_index(root: str | os.PathLike[str], settings: Settings | None = None) -> Index:
    """Open the index of exactly this folder; it is made when there is none. Nothing is indexed yet.

    The root's host does the work, and is started when there is none; with `server.host` "off", and where no host can
    be started, this process does it. Without `settings` the user's files and the environment decide.
    Raises ConfigError and StoreError.
    """
    whole = places.resolve_root(root)
    chosen, problems = (settings, []) if settings else load(whole)
    index = _open(whole, chosen)
    index.setting_problems = problems
    return index


def clear(root: str | os.PathLike[str], settings: Settings | None = None) -> bool:
    """Remove all indexes of a root, which may be gone itself. Returns whether there were any.

    A host that has them open closes them first. Raises StoreError.
    """
    from connote.engine.connection import LostError  # noqa: PLC0415 - see above
    from connote.engine.host import starting  # noqa: PLC0415 - see above

    chosen = settings or load(None)[0]
    folder = places.root_folder(Path(root).resolve(), chosen)
    if not folder.is_dir():
        return False
    # What lies on a server is deleted with this caller's credentials, when nobody has it open.
    connection = None if chosen.store.where() else starting.reach(folder)
    if connection is not None:
        try:
            return bool(list(connection.call("clear", {}))[-1]["result"])
        except LostError:
            pass  # it ended just then; what it had open is closed
        finally:
            connection.close()
    starting.stop(folder)
    if not folder.is_dir():
        return False
    with starting.holding(folder):
        for catalog in folder.glob("*/catalog.sqlite"):
            from connote.store import drop_elsewhere  # noqa: PLC0415 - see above

            drop_elsewhere(catalog.parent, chosen.store)
        return places.clear_indexes(folder)


def clear_cache(settings: Settings | None = None) -> Path | None:
    """Remove the vectors that all roots share. Returns the folder they were in, None when there were none."""
    from connote.store import remove_cache  # noqa: PLC0415 - see above

    folder = places.cache_folder(settings or load(None)[0])
    return folder if remove_cache(folder) else None


def stop(root: str | os.PathLike[str], settings: Settings | None = None) -> str | None:
    """End the host of a root: `stopped`, `killed` when it did not answer, None when there is none.

    Whoever asks the index next starts another one. Raises StoreError when it cannot be ended.
    """
    from connote.engine.host import starting  # noqa: PLC0415 - see above

    return starting.stop(places.root_folder(Path(root).resolve(), settings or load(None)[0]))


def stop_all(settings: Settings | None = None) -> list[tuple[Path, str]]:
    """End the hosts of all roots: (root, as `stop` says it)."""
    from connote.engine.host import starting  # noqa: PLC0415 - see above

    ended = []
    for root, folder in places.root_folders(settings or load(None)[0]):
        outcome = starting.stop(folder)
        if outcome is not None:
            ended.append((root, outcome))
    return ended


def indexed_roots(settings: Settings | None = None) -> list[tuple[Path, Path, int]]:
    """Every root that has an index: (root, the folder of its indexes, bytes on disk)."""
    return places.indexed_roots(settings or load(None)[0])


def check(settings: Settings | None = None) -> list[Check]:
    """The checks of `connote doctor`, as `connote.engine.check.check` runs them."""
    from connote.engine.check import check  # noqa: PLC0415 - it uses every part there is

    return check(settings)


def _open(root: Path, settings: Settings) -> Index:
    remark = None
    if settings.server.host != "off":
        from connote.engine.host.starting import HostError  # noqa: PLC0415 - see above
        from connote.engine.remote import RemoteIndex  # noqa: PLC0415 - see above

        try:
            return RemoteIndex(root, settings)
        except HostError as error:
            remark = f"This process works on the index itself, for want of a host. {error}"
    from connote.engine.local import LocalIndex  # noqa: PLC0415 - it brings all stages

    return LocalIndex(root, settings, remark=remark)
