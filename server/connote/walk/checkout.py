"""Git's checkouts on disk, as far as they can be told without git: where they are, and which are one repository's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_MOST_BYTES = 1 << 16
"""Of a file of git's that holds a line or a few: anything larger is not one."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with a `.git` that git would accept."""

    folder: Path
    git_dir: Path
    common_dir: Path
    """Where the repository is; the same as `git_dir`, but in a linked work tree."""

    @property
    def is_linked(self) -> bool:
        """Whether it is a linked work tree, made by `git worktree add`."""
        return self.git_dir != self.common_dir

    @property
    def is_submodule(self) -> bool:
        """Whether the repository is inside another one's, as git keeps submodules."""
        return not self.is_linked and "modules" in self.git_dir.parts and (self.folder / ".git").is_file()

    @property
    def has_files(self) -> bool:
        """Whether the folder is a work tree; beside a bare repository, `.git` may be a mere pointer to it."""
        return self.is_linked or read_config(self.common_dir / "config").get("core.bare", "") != "true"


def checkout_at(folder: Path) -> Checkout | None:
    """Return the checkout whose top is this folder, or None."""
    git_dir = folder / ".git"
    try:
        if git_dir.is_file():
            text = _read(git_dir)
            if not text.startswith("gitdir: "):
                return None
            git_dir = (folder / text.removeprefix("gitdir: ").rstrip("\r\n")).resolve()
        elif not git_dir.is_dir():
            return None
        common_dir = git_dir
        if (git_dir / "commondir").is_file():
            common_dir = (git_dir / _read(git_dir / "commondir").rstrip("\r\n")).resolve()
        is_repository = (
            (git_dir / "HEAD").is_file() and (common_dir / "objects").is_dir() and (common_dir / "refs").is_dir()
        )
    except (OSError, ValueError):  # ValueError: a NUL in the name that a hostile file gives
        return None
    return Checkout(folder, git_dir, common_dir) if is_repository else None


def checkout_around(folder: Path) -> Checkout | None:
    """Return the innermost checkout that the folder is in, or at the top of."""
    for place in (folder, *folder.parents):
        checkout = checkout_at(place)
        if checkout is not None:
            return checkout
    return None


def is_second_checkout(checkout: Checkout, root: Path, around: Checkout | None) -> bool:
    """Return whether another checkout of the same repository stands for it in the root.

    That is the one that the root is in, `around`; else the main one; else the first of the linked ones by path.
    The answer depends on what is on disk only, so that it is the same for one file as for the whole root.
    """
    if not checkout.is_linked and around is None:
        return False
    if around is not None and around.has_files and around.common_dir.resolve() == checkout.common_dir.resolve():
        return True
    if not checkout.is_linked:
        return False
    root, here = root.resolve(), checkout.folder.resolve()
    main = checkout.common_dir.parent
    if checkout.common_dir.name == ".git" and main.is_relative_to(root) and _is_main(main):
        return True
    return any(place < here and place.is_relative_to(root) for place in _linked(checkout.common_dir))


def read_config(file: Path) -> dict[str, str]:
    """Read a git configuration file: `section.key` in lower case to value; of sections without a subsection.

    A file that is not there or cannot be read is empty. `include` is not followed.
    """
    try:
        text = _read(file)
    except OSError:
        return {}
    values: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        heading = re.match(r'\s*\[\s*([\w.-]+)\s*("[^"]*")?\s*\]\s*', line)
        if heading:
            section = "" if heading[2] else heading[1].lower()
            line = line[heading.end() :]  # noqa: PLW2901 - a value may follow its heading on the same line
        entry = re.match(r"\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$", line)
        if entry and section:
            values[f"{section}.{entry[1].lower()}"] = "true" if entry[2] is None else _value(entry[2])
    return values


def _value(text: str) -> str:
    """Return a configuration value without its quotes, escapes and comment."""
    parts: list[str] = []
    quoted = False
    characters = iter(text.rstrip())
    for char in characters:
        if char == '"':
            quoted = not quoted
        elif char == "\\":
            escaped = next(characters, "")
            parts.append({"n": "\n", "t": "\t", "b": "\b"}.get(escaped, escaped))
        elif char in "#;" and not quoted:
            return "".join(parts).rstrip()
        else:
            parts.append(char)
    return "".join(parts)


def _is_main(folder: Path) -> bool:
    checkout = checkout_at(folder)
    return checkout is not None and checkout.has_files


def _linked(common_dir: Path) -> list[Path]:
    """Return the linked work trees that are there, of those that the repository knows."""
    places = []
    for file in common_dir.glob("worktrees/*/gitdir"):
        try:
            place = (file.parent / _read(file).rstrip("\r\n")).parent.resolve()
            if (place / ".git").is_file():
                places.append(place)
        except (OSError, ValueError):
            continue  # a leftover of a work tree that is gone
    return places


def _read(file: Path) -> str:
    with file.open(encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read(_MOST_BYTES)
