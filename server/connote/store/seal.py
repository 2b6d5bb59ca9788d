"""A folder's checksums, written when it was closed in order: what is damaged on disk since then shows at once."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

_BLOCK = 1 << 20


def write_seal(folder: Path) -> None:
    """Note the checksums of all files below a folder that nobody has open."""
    fresh = _seal(folder).with_suffix(".new")
    fresh.write_text(json.dumps(_checksums(folder)), encoding="utf-8")
    fresh.replace(_seal(folder))


def break_seal(folder: Path) -> bool | None:
    """Whether the folder is as it was when it was sealed; None when it was not. The seal is gone afterwards."""
    seal = _seal(folder)
    try:
        noted = json.loads(seal.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        noted = None
    intact: bool = noted == _checksums(folder)
    seal.unlink(missing_ok=True)
    return intact


def _seal(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.seal")


def _checksums(folder: Path) -> dict[str, list[int]]:
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            size = checksum = 0
            with file.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    size += len(block)
                    checksum = zlib.crc32(block, checksum)
            found[file.relative_to(folder).as_posix()] = [size, checksum]
    return found
