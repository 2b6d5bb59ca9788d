"""Pinned packages: found in a folder of archives or downloaded, checked, and unpacked."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmark.questions import Package

ENDINGS = {
    "debian": re.compile(r"\.orig\.tar\.\w+$"),
    "npm": re.compile(r"\.tgz$"),
    "pypi-wheel": re.compile(r"\.whl$"),
    "pypi-sdist": re.compile(r"\.tar\.gz$|\.zip$"),
}
"""What the archives of each source are called."""


class PackageError(Exception):
    """A package is not to be had; the message says what to do."""


def obtain(package: Package, work: Path, archives: Path) -> Path:
    """The folder of an unpacked package that is indexed; unpacked below `work` once, downloaded to `archives` once.

    Raises PackageError when the archive cannot be had, has another SHA-256, or lacks the folder.
    """
    tree = work / f"{_plain(package.name)}-{package.version}-{package.sha256[:8]}"
    if not tree.is_dir():
        _unpack(archive_of(package, archives), tree)
    root = tree / package.root
    if not root.is_dir():
        raise PackageError(f"{package.name} {package.version} has no folder {package.root}: its question file is wrong")
    return root


def archive_of(package: Package, archives: Path) -> Path:
    """The archive of a package, downloaded to `archives` if it is not there. Raises PackageError."""
    return find(package, archives) or _downloaded(package, archives)


def find(package: Package, archives: Path) -> Path | None:
    """The archive in a folder that has the package's name, kind and SHA-256, whatever else it is called."""
    if package.source not in ENDINGS:
        raise PackageError(f"{package.name} comes from {package.source!r}; known are {', '.join(ENDINGS)}")
    return next((path for path in _candidates(package, archives) if _sha256(path) == package.sha256), None)


def _candidates(package: Package, archives: Path) -> Iterator[Path]:
    ending, name = ENDINGS[package.source], _plain(package.name)
    for path in sorted(archives.iterdir()) if archives.is_dir() else ():
        if ending.search(path.name) and _plain(path.name).startswith(name):
            yield path


def _downloaded(package: Package, archives: Path) -> Path:
    archives.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archives) as folder:
        command = _COMMANDS[package.source](package, folder)
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        except OSError as error:
            raise PackageError(f"{package.name} cannot be downloaded: {command[0]} does not start ({error})") from error
        archive = find(package, Path(folder))
        if archive is None:
            got = ", ".join(f"{path.name} ({_sha256(path)})" for path in _candidates(package, Path(folder)))
            reason = f"got {got}" if got else (done.stderr or done.stdout).strip()[-500:]
            raise PackageError(
                f"{package.name} {package.version} with SHA-256 {package.sha256} is not to be had: put its archive "
                f"into {archives}. `{' '.join(command)}`: {reason}"
            )
        # Renamed, not written in place: runs that share a folder see a whole archive or none.
        return archive.replace(archives / archive.name)


def _apt(package: Package, _folder: str) -> list[str]:
    # Of the release in use, which the pinned upstream version must be part of; needs `deb-src` in its sources.
    return ["apt-get", "source", "--download-only", package.name]


def _npm(package: Package, folder: str) -> list[str]:
    # Windows has `npm.cmd`, which is found by its full path alone.
    npm = shutil.which("npm") or "npm"
    return [npm, "pack", f"{package.name}@{package.version}", "--pack-destination", folder]


def _pip(package: Package, folder: str) -> list[str]:
    form = "--only-binary=:all:" if package.source == "pypi-wheel" else "--no-binary=:all:"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", form]
    return [*command, "--dest", folder, f"{package.name}=={package.version}"]


_COMMANDS: dict[str, Callable[[Package, str], list[str]]] = {
    "debian": _apt,
    "npm": _npm,
    "pypi-wheel": _pip,
    "pypi-sdist": _pip,
}


def _unpack(archive: Path, tree: Path) -> None:
    tree.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tree.parent) as folder:
        unpacked = Path(folder) / "tree"
        if archive.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(unpacked)
        else:
            with tarfile.open(archive) as tar:
                # Pythons before 3.10.12 have no filters; the archive's hash is known, so none is needed there.
                if hasattr(tarfile, "data_filter"):
                    tar.extraction_filter = tarfile.data_filter
                tar.extractall(unpacked)
        unpacked.replace(tree)


def _plain(name: str) -> str:
    """One form for a name's spellings: `@scope/My_name` is `scope-my-name`, as `npm pack` and wheels write it."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
