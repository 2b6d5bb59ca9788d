"""Why a file is left out: the words that `Skipped.reason` can hold."""

from __future__ import annotations

BINARY = "binary"
"""Not text: by its extension, a NUL byte or control characters, or in an encoding that cannot be told."""
DATA = "data"
"""Text that is data for machines: tables, drawings, logs."""
DEFAULT_FOLDER = "default folder"
"""In a folder of dependencies, build output or caches that git does not track."""
EXCLUDED = "excluded"
"""Matches the setting `walk.exclude`."""
GENERATED = "generated"
"""Written by a program, by its name or by what its first lines say."""
LINK = "link"
"""A symbolic link or junction; what it leads to is indexed where it really lies, if that is in the root."""
LOCK_FILE = "lock file"
"""A package manager's lock file."""
MINIFIED = "minified"
"""Code or data for machines to load, without line breaks."""
NOT_A_FILE = "not a file"
"""A pipe, socket or device, or a folder where a file was; also the kernel's folders."""
SECRET = "secret"  # noqa: S105 - a reason, not a password
"""Looks like credentials: by its name, a private key inside, or a service's token in a file of settings."""
SUBMODULE = "submodule"
"""A git submodule, with the setting `walk.submodules` off."""
TOO_LARGE = "too large"
"""Over the setting `walk.max_bytes`."""
VANISHED = "vanished"
"""Gone between listing and reading."""
VERSION_CONTROL = "version control"
"""What a version control system keeps: `.git`, a bare repository."""
WORKTREE = "worktree"
"""A linked work tree: another checkout of a repository that is already in the root, so each hit would come twice."""

ALL = (
    BINARY, DATA, DEFAULT_FOLDER, EXCLUDED, GENERATED, LINK, LOCK_FILE, MINIFIED, NOT_A_FILE, SECRET, SUBMODULE,
    TOO_LARGE, VANISHED, VERSION_CONTROL, WORKTREE,
)  # fmt: skip
"""Every reason there is."""
