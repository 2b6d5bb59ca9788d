"""How documents are cut, and the version of the cutting."""

from __future__ import annotations

from dataclasses import dataclass

CHUNKER_VERSION = 1
"""Raise it whenever the same input gives other chunks or other embedded text: it is part of an index's identity."""

CONTEXTS = ("none", "minimal", "full")
SIBLINGS = ("none", "names", "signatures")


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How documents are cut. Values out of range raise `ValueError`."""

    max_size: int = 1600
    """The most non-whitespace characters in a chunk; at least 1."""
    min_size: int = 400
    """From this size on a definition is a chunk of its own; at least 0, never used as more than half of `max_size`."""
    overlap_lines: int = 0
    """Lines of the chunk before that are embedded with a chunk, 0 to 1000; they never enter its text."""
    context: str = "full"
    """What is embedded before the text: `none`; `minimal`: scope and symbol;
    `full`: for later parts of a definition also its signature and doc. Only `full` fills `siblings` and `imports`.
    """
    siblings: str = "names"
    """What `Chunk.siblings` holds: `none`, `names` or `signatures`."""
    filter_imports: bool = False
    """Whether an import counts as used only by code, and not by its own statement."""
    language: str | None = None
    """The language of every document, instead of detection."""
    strict: bool = False
    """Whether a language without a grammar raises `UnsupportedLanguageError`, instead of being cut as text."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        _check_range("max_size", self.max_size, 1, 10_000_000)
        _check_range("min_size", self.min_size, 0, 10_000_000)
        _check_range("overlap_lines", self.overlap_lines, 0, 1000)
        if self.context not in CONTEXTS:
            raise ValueError(f"context must be one of {', '.join(CONTEXTS)}, not {self.context!r}")
        if self.siblings not in SIBLINGS:
            raise ValueError(f"siblings must be one of {', '.join(SIBLINGS)}, not {self.siblings!r}")


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, not {value}")
