"""What connote raises: each message says what happened and what to do."""

from __future__ import annotations


class ConnoteError(Exception):
    """The base of all errors that connote raises on purpose."""


class ChunkingError(ConnoteError):
    """A text could not be cut into chunks."""


class UnsupportedLanguageError(ChunkingError):
    """No grammar is known for a language, and `ChunkOptions.strict` asks for one."""


class ConfigError(ConnoteError):
    """A setting has a value that connote cannot work with."""


class EmbedError(ConnoteError):
    """Texts could not be embedded.

    `retry_after` is in seconds; None says that trying again does not help.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StoreError(ConnoteError):
    """The index on disk could not be read or written."""


class ListingError(ConnoteError):
    """The listing of a root is not complete, so nothing may be concluded from what it did not name."""


class RefusedError(ConnoteError):
    """A file is not for others to read: it is outside the root, ignored, looks like credentials, or is no text."""
