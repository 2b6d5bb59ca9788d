"""Which index settings describe: all that gives its data meaning is in its folder's name."""

from __future__ import annotations

import re
import shutil
import time
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from connote.chunk import ChunkOptions, fingerprint
from connote.config import Settings
from connote.embed import Embedder
from connote.engine.places import root_folder
from connote.store import SCHEMA_VERSION, drop_elsewhere
from connote.walk import WalkOptions
from connote.words import WORDS_VERSION


def index_folder(root: Path, settings: Settings, embedder: Embedder) -> Path:
    """The folder of the index that these settings describe.

    All that changes the meaning of stored data is in its name, so a change of model, chunker or schema begins beside
    the old index instead of mixing with it.
    """
    return root_folder(root, settings) / identity(settings.chunk, embedder, settings.store.where())


def identity(chunking: ChunkOptions, embedder: Embedder, where: str = "") -> str:
    """What an index's data means: schema, words, chunker and its options, model; and where vectors are, if elsewhere.

    The catalog notes what its one collection has, so each server gets an index of its own.
    """
    meaning = repr((SCHEMA_VERSION, WORDS_VERSION, fingerprint(), chunking, embedder.fingerprint())) + where
    return blake2b(meaning.encode(), digest_size=6).hexdigest()


def without_index(walking: WalkOptions, root: Path, settings: Settings) -> WalkOptions:
    """The walk's options, with the index folder left out where the user put it inside the root."""
    inside = settings.index_dir.resolve()
    if root not in inside.parents:
        return walking
    glob = re.sub(r"([*?\[{])", r"[\1]", inside.relative_to(root).as_posix())
    return replace(walking, exclude=(*walking.exclude, f"/{glob}/**"))


def drop_unused(root: Path, settings: Settings, mine: Path) -> None:
    """Remove this root's other indexes that nobody used for `store.keep_days`."""
    oldest = time.time() - settings.store.keep_days * 86_400
    for folder in root_folder(root, settings).iterdir():
        catalog = folder / "catalog.sqlite"
        if folder != mine and catalog.is_file() and catalog.stat().st_mtime < oldest:
            drop_elsewhere(folder, settings.store)
            shutil.rmtree(folder, ignore_errors=True)
