"""Where things are: the root of a path, and the folder of a root's index."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from connote.chunk import ChunkOptions, fingerprint
from connote.config import Settings
from connote.embed import Embedder
from connote.errors import ConfigError
from connote.store import SCHEMA_VERSION
from connote.walk import WalkOptions
from connote.words import WORDS_VERSION

_ROOT_FILE = "root.json"
_MARKS = ("connote.toml", ".git")


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


def index_folder(root: Path, settings: Settings, embedder: Embedder) -> Path:
    """The folder of the index that these settings describe.

    All that changes the meaning of stored data is in its name, so a change of model, chunker or schema begins beside
    the old index instead of mixing with it.
    """
    return root_folder(root, settings) / identity(settings.chunk, embedder)


def identity(chunking: ChunkOptions, embedder: Embedder) -> str:
    """What an index's data means: schema, words, chunker and its options, model."""
    meaning = repr((SCHEMA_VERSION, WORDS_VERSION, fingerprint(), chunking, embedder.fingerprint()))
    return blake2b(meaning.encode(), digest_size=6).hexdigest()


def without_index(walking: WalkOptions, root: Path, settings: Settings) -> WalkOptions:
    """The walk's options, with the index folder left out where the user put it inside the root."""
    inside = settings.index_dir.resolve()
    if root not in inside.parents:
        return walking
    glob = re.sub(r"([*?\[{])", r"[\1]", inside.relative_to(root).as_posix())
    return replace(walking, exclude=(*walking.exclude, f"/{glob}/**"))


def note_root(root: Path, settings: Settings) -> None:
    """Write down which root an index folder belongs to, and that it is in use today."""
    folder = root_folder(root, settings)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = folder / f"{_ROOT_FILE}.{os.getpid()}"
    fresh.write_text(json.dumps({"root": str(root)}, ensure_ascii=True), encoding="utf-8")
    fresh.replace(folder / _ROOT_FILE)


def clear(root: str | os.PathLike[str], settings: Settings) -> bool:
    """Remove all indexes of a root, which may be gone itself. Returns whether there were any."""
    folder = root_folder(Path(root).resolve(), settings)
    existed = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return existed


def indexed_roots(settings: Settings) -> list[tuple[Path, Path, int]]:
    """Every root that has an index: (root, the folder of its indexes, bytes on disk)."""
    found = []
    for file in sorted(settings.index_dir.glob(f"*/{_ROOT_FILE}")):
        try:
            root = json.loads(file.read_text(encoding="utf-8"))["root"]
        except (OSError, ValueError, KeyError, TypeError):
            # A folder whose note is damaged belongs to nobody: listed under its own name, it can be cleared.
            root = str(file.parent)
        found.append((Path(root), file.parent, size_of(file.parent)))
    return found


def drop_unused(root: Path, settings: Settings, mine: Path) -> None:
    """Remove this root's other indexes that nobody used for `store.keep_days`."""
    oldest = time.time() - settings.store.keep_days * 86_400
    for folder in root_folder(root, settings).iterdir():
        catalog = folder / "catalog.sqlite"
        if folder != mine and catalog.is_file() and catalog.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


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
