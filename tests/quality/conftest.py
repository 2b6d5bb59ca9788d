"""The golden sets and the packages that their questions are about."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark.packages import PackageError, obtain
from benchmark.questions import Package

LISTS = sorted((Path(__file__).parent / "golden").glob("*.toml"))


@pytest.fixture(scope="session", params=LISTS, ids=[path.stem for path in LISTS])
def golden_set(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each list in `golden/` as it stands: `wanted`, `package` and a list `question`."""
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    parsed: dict[str, Any] = toml.loads(request.param.read_text(encoding="utf-8"))
    return parsed


@pytest.fixture(scope="session")
def golden_tree(golden_set: dict[str, Any], archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the unpacked package: the questions' paths are relative to it.

    Of an sdist it holds the list's `folder` alone, which keeps its name. The tree is unpacked outside of the folder of
    archives: pytest's cache is hidden from git, and so a walk of it would find nothing.
    Where the package is not to be had, tests that need it are skipped; under `CI` they fail.
    """
    package = golden_set["package"]
    name, version, folder = package["name"], package["version"], package.get("folder")
    root = "." if folder is None else f"{name}-{version}"
    pinned = Package(name, version, f"pypi-{package['kind']}", package["sha256"], root, "python")
    try:
        unpacked = obtain(pinned, tmp_path_factory.mktemp("unpacked"), archives)
    except PackageError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(f"{error}: not shown how well its questions are answered")
    if folder is None:
        return unpacked
    tree: Path = tmp_path_factory.mktemp("golden") / name
    tree.mkdir()
    return (unpacked / folder).rename(tree / folder).parent
