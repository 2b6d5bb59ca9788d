"""What can be set about the walk."""

from __future__ import annotations

from dataclasses import dataclass, field

from connote.errors import ListingError

__all__ = ["ListingError", "WalkOptions"]


@dataclass(frozen=True)
class WalkOptions:
    """Which files of a root are indexed, beyond what its ignore files say.

    Raises `ValueError` for a value out of range.
    """

    max_bytes: int = 1_000_000
    """Files larger than this are left out: nobody wrote them by hand, and parsing them takes seconds and gigabytes."""

    include: tuple[str, ...] = ()
    """Globs of files to index although they are in a folder of dependencies or build output, generated, minified, a
    lock file, data or of a binary file's extension. They do not bring back what an ignore file leaves out.
    To bring in a folder, name it: `dist/**` does, `*.js` does not."""

    exclude: tuple[str, ...] = ()
    """Globs of files and folders to leave out, besides those that ignore files name."""

    secrets: tuple[str, ...] = field(default=(), metadata={"user_only": True})
    """Globs of files to index although they look like credentials. Apart from `include`, so that a broad glob there
    never brings in a key."""

    submodules: bool = True
    """Whether git submodules are indexed, each by its own ignore files."""

    def __post_init__(self) -> None:
        if self.max_bytes < 1:
            raise ValueError(f"max_bytes must be at least 1, not {self.max_bytes}.")
        globs = (*self.include, *self.exclude, *self.secrets)
        if globs:
            # A face needs no patterns to pass its settings on to a host, and hardly any settings have some.
            from .patterns import glob_filter  # noqa: PLC0415 - see the comment above

            glob_filter(globs)
