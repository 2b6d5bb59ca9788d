"""Git, asked for its answers; nothing that a repository says can make it run anything else."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SECONDS = 120.0
"""How long git may take; after that its answer is made without it."""

_KEPT = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}
"""Where the user keeps git's configuration. The other variables may be about another command's repository: a hook's."""

_NO_CODE = (
    # A repository's configuration may name a program for git to run before it lists files...
    "-c", "core.fsmonitor=false",
    "-c", "core.quotepath=off",
    # ...and a remote to fetch missing objects from, by any program at all.
    "-c", "protocol.allow=never",
)  # fmt: skip

_LIST = ["--literal-pathspecs", "ls-files", "-t", "--stage", "-z", "--cached", "--others", "--exclude-standard"]


class GitRefusal(Exception):  # noqa: N818 - no error: another way is taken
    """Git is not there, refuses, or takes too long."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What git says about the files of a folder, by path relative to that folder."""

    tracked: dict[str, bool]
    """Path to whether git tracks it. Other repositories end in `/`: submodules are tracked, others are not."""
    unreadable: tuple[str, ...]
    """Folders that could not be read, with their final `/`."""


def list_files(
    folder: Path, depth: int, paths: list[str] | None = None, cancel: threading.Event | None = None
) -> Listing:
    """List what is tracked, and what is not and not ignored either; with `paths`, of those alone.

    `depth` is how many folders the top of the checkout is above `folder`. Raises `GitRefusal`.
    """
    # A repository's configuration may also name another folder as its work tree.
    inside = _run(folder, ["rev-parse", "--is-inside-work-tree", "--show-prefix"], cancel=cancel).stdout
    if not inside.startswith(b"true\n") or inside.count(b"/") != depth:
        raise GitRefusal("the folder is not where git thinks it is")
    done = _run(folder, [*_LIST, "--", *(paths or [])], cancel=cancel)

    tracked: dict[str, bool] = {}
    for item in os.fsdecode(done.stdout).split("\0"):
        if item.startswith("? "):
            tracked.setdefault(item[2:], False)
        elif item:
            about, _, path = item.partition("\t")
            tracked[path + "/" if about.startswith("160000 ", 2) else path] = True
    return Listing(tracked, _unreadable(os.fsdecode(done.stderr)))


def is_ignored(top: Path, path: str, cancel: threading.Event | None = None) -> bool:
    """Return whether the checkout ignores the path, which holds nothing that is tracked. Raises `GitRefusal`."""
    return _run(top, ["check-ignore", "-q", "--", f"./{path}"], fine=(0, 1), cancel=cancel).returncode == 0


def ignored_by_rule(folder: Path, paths: list[str], cancel: threading.Event | None = None) -> set[str]:
    """Return those of the paths that a pattern ignores, tracked or not. Raises `GitRefusal`."""
    return {path.removeprefix("./") for path in _check_ignore(folder, ["--no-index"], paths, cancel)}


def deciding_patterns(folder: Path, paths: list[str], cancel: threading.Event | None = None) -> dict[str, str]:
    """Return the pattern, with its `!`, that decides about each path; of those paths for which one does.

    Raises `GitRefusal`.
    """
    fields = _check_ignore(folder, ["-v"], paths, cancel)  # file, line, pattern, path; and again
    return {path.removeprefix("./"): pattern for path, pattern in zip(fields[3::4], fields[2::4], strict=True)}


def _check_ignore(folder: Path, options: list[str], paths: list[str], cancel: threading.Event | None) -> list[str]:
    # Unlike `ls-files` it cannot be told to take paths as they are; no path is special that begins so.
    sent = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    done = _run(folder, ["check-ignore", "-z", "--stdin", *options], sent=sent, fine=(0, 1), cancel=cancel)
    return os.fsdecode(done.stdout).split("\0")[:-1]


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: bytes
    stderr: bytes


def _run(
    folder: Path,
    arguments: list[str],
    *,
    sent: bytes | None = None,
    fine: tuple[int, ...] = (0,),
    cancel: threading.Event | None = None,
) -> _Done:
    program = _program(os.environ.get("PATH", os.defpath))
    if program is None:
        raise GitRefusal("git is not on the PATH")
    try:
        process = subprocess.Popen(
            [program, *_NO_CODE, *arguments],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL if sent is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise GitRefusal(f"git cannot be run: {error}") from error
    with process:
        stdout, stderr = _collect(process, sent, cancel)
    if process.returncode not in fine:
        raise GitRefusal(os.fsdecode(stderr).strip())
    return _Done(process.returncode, stdout, stderr)


def _collect(
    process: subprocess.Popen[bytes], sent: bytes | None, cancel: threading.Event | None
) -> tuple[bytes, bytes]:
    end = time.monotonic() + SECONDS
    while True:
        try:
            return process.communicate(sent, timeout=0.2)
        except subprocess.TimeoutExpired as error:
            sent = None  # taken the first time
            if time.monotonic() > end or (cancel is not None and cancel.is_set()):
                process.kill()
                raise GitRefusal("git takes too long") from error


def _environment() -> dict[str, str]:
    """Return our environment without what would lead git elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # Unlike `protocol.allow`, this is stronger than what the repository allows for one protocol.
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }


def _unreadable(stderr: str) -> tuple[str, ...]:
    folders = re.findall(r"^warning: could not open directory '(.*?)/?': ", stderr, re.MULTILINE)
    return tuple(f"{folder}/" for folder in folders)


@lru_cache(maxsize=8)
def _program(path: str) -> str | None:
    """Return where git is; never in the current folder, which may be a hostile repository's."""
    for folder in path.split(os.pathsep):
        if not Path(folder).is_absolute():
            continue
        # Not `shutil.which`: on Windows it looks in the current folder first.
        program = Path(folder) / ("git.exe" if os.name == "nt" else "git")
        if program.is_file() and os.access(program, os.X_OK):
            return None if _is_apples_placeholder(str(program)) else str(program)
    return None


def _is_apples_placeholder(program: str) -> bool:
    """Return whether running this would only ask, in a window, to install Apple's developer tools."""
    if platform.system() != "Darwin" or program != "/usr/bin/git":
        return False
    chosen = subprocess.run(["/usr/bin/xcode-select", "-p"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return chosen.returncode != 0
