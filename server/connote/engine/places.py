"""Where things are: the root of a path, and the folder of all its indexes."""

from __future__ import annotations

import json
import os
import re
import shutil
from hashlib import blake2b
from pathlib import Path

from connote.config import Settings
from connote.errors import ConfigError, StoreError

_ROOT_FILE = "root.json"
_MARKS = ("connote.toml", ".git")
NOTE, LOCK, START, LOG = "host.json", "host.lock", "start.lock", "host.log"
HOST_FILES = frozenset((NOTE, LOCK, START, LOG))
"""What a host keeps beside the indexes of its root; they live as long as it does."""


def find_root(path: str | os.PathLike[str]) -> Path:
    """The nearest folder at or above `path` with `connote.toml` or `.git`, else `path` (a file's folder)."""
    start = Path(path).resolve()
    if not start.is_dir():
        start = start.parent
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return start


def resolve_root(root: str | os.PathLike[str]) -> Path:
    """The root as one absolute path without links. Raises ConfigError when it is no folder."""
    path = Path(root)
    if not path.is_dir():
        raise ConfigError(f"{path} is no folder; name the folder whose code you want to search.")
    return path.resolve()


def root_folder(root: Path, settings: Settings) -> Path:
    """The folder that holds all indexes of one root, whatever their settings."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name)[:40] or "root"
    digest = blake2b(os.fsencode(root), digest_size=8).hexdigest()
    return settings.index_dir / f"{name}-{digest}"


def cache_folder(settings: Settings) -> Path:
    """The folder of the vectors that all roots share."""
    return settings.index_dir / "cache"


def note_root(root: Path, settings: Settings) -> None:
    """Write down which root an index folder belongs to, and that it is in use today. Raises StoreError."""
    folder = root_folder(root, settings)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = folder / f"{_ROOT_FILE}.{os.getpid()}"
        fresh.write_text(json.dumps({"root": str(root)}, ensure_ascii=True), encoding="utf-8")
        fresh.replace(folder / _ROOT_FILE)
    except OSError as error:
        raise StoreError(f"The index folder {folder} cannot be written: {error}") from error


def has_index(folder: Path) -> bool:
    """Whether there is any index in a root's folder."""
    return any(name.name not in HOST_FILES for name in folder.iterdir()) if folder.is_dir() else False


def clear_indexes(folder: Path) -> bool:
    """Remove all indexes in a root's folder, but not what a host keeps there. Returns whether there were any."""
    existed = has_index(folder)
    for part in folder.iterdir() if existed else ():
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        elif part.name not in HOST_FILES:
            part.unlink(missing_ok=True)
    return existed


def root_folders(settings: Settings) -> list[tuple[Path, Path]]:
    """Every folder of a root's indexes or host: (root, that folder)."""
    found = []
    for folder in sorted(settings.index_dir.glob("*/")):
        try:
            root = json.loads((folder / _ROOT_FILE).read_text(encoding="utf-8"))["root"]
        except (OSError, ValueError, KeyError, TypeError):
            # A folder whose note is damaged belongs to nobody: listed under its own name, it can be cleared.
            root = str(folder)
        if (folder / _ROOT_FILE).exists() or any((folder / name).exists() for name in HOST_FILES):
            found.append((Path(root), folder))
    return found


def indexed_roots(settings: Settings) -> list[tuple[Path, Path, int]]:
    """Every root that has an index: (root, the folder of its indexes, bytes on disk)."""
    roots = root_folders(settings)
    return [(root, folder, size_of(folder)) for root, folder in roots if (folder / _ROOT_FILE).exists()]


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; files that vanish meanwhile count nothing."""
    total = 0
    for path, _, files in os.walk(folder):
        for name in files:
            try:
                total += (Path(path) / name).lstat().st_size
            except OSError:
                continue
    return total
