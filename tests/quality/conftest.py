"""The golden set and the package that its questions are about."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

QUESTIONS = Path(__file__).parent / "golden" / "questions.toml"


@pytest.fixture(scope="session")
def golden_set() -> dict[str, Any]:
    """`golden/questions.toml` as it stands: `package` and a list `question`."""
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    parsed: dict[str, Any] = toml.loads(QUESTIONS.read_text(encoding="utf-8"))
    return parsed


@pytest.fixture(scope="session")
def golden_tree(
    golden_set: dict[str, Any], pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder with the unpacked package: the questions' paths are relative to it.

    The archive is downloaded once, into `CONNOTE_TEST_CACHE` or pytest's cache folder. The tree is unpacked once per
    session outside of both: pytest's cache is hidden from git, and so a walk of it would find nothing.
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
    archive = cache / f"{package['name']}-{package['version']}.whl"
    if not archive.is_file() or _sha256(archive) != package["sha256"]:
        _download(f"{package['name']}=={package['version']}", archive)
    assert package["sha256"] == _sha256(archive), f"{archive} is not the package that the questions were written for"

    tree: Path = tmp_path_factory.mktemp("golden") / package["name"]
    shutil.unpack_archive(archive, tree, format="zip")
    return tree


def _download(requirement: str, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", folder]
        done = subprocess.run(
            [*command, "--disable-pip-version-check", requirement], capture_output=True, text=True, check=False
        )
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            reason = f"{requirement} could not be downloaded: {done.stderr.strip()[-500:]}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        # Renamed, not written in place: sessions that share a cache see a whole archive or none.
        wheels[0].replace(archive)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
