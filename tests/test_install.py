"""Installing: what a fresh machine needs, and what is said when a part of it does not work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODEL = "static_code_256.npz"
MODEL_DIGEST = "66512e2220be5076ab4bcec914ce03c52d9a5ae2a6712d949b60e9020820254a"
"""The sha256 of the weights that all figures were measured with."""


def run_without_network(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code in a network namespace that has no interface but a loopback that is down."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        # Where this must be shown, it may not pass for shown.
        assert not os.environ.get("CI"), "the tests need `unshare -rn` to show that nothing is fetched"
        pytest.skip("a test may have no network namespace of its own here: not shown that nothing is fetched")
    environment = {**os.environ, "CONNOTE_INDEX_DIR": str(tmp_path / "indexes"), "HOME": str(tmp_path)}
    return subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


# R115: grammars are fetched at first use, and offline everything silently degrades.
def test_the_main_job_runs_without_any_network(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def wait_longer():\n    return backoff()\n", encoding="utf-8")
    (root / "b.ts").write_text("export class Limiter {\n  check(): void {}\n}\n", encoding="utf-8")
    (root / "c.go").write_text("package c\n\nfunc Reconcile() error {\n\treturn nil\n}\n", encoding="utf-8")
    code = (
        "import connote, sys\n"
        f"with connote.open({str(root)!r}) as index:\n"
        "    index.sync()\n"
        "    print(sorted(hit.symbol for hit in index.search('wait', limit=10, min_score=0)))\n"
        "    print(index.status().state)\n"
    )

    done = run_without_network(code, tmp_path)

    assert (0, "['Limiter', 'Reconcile', 'wait_longer']\nready\n") == (done.returncode, done.stdout), done.stderr


def run_doctor(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "connote", "doctor"], env=environment, capture_output=True, text=True, check=False
    )


# R118, R120: what does not work on this machine shows only much later.
def test_doctor_checks_every_part() -> None:
    done = run_doctor(dict(os.environ))

    assert done.returncode == 0, done.stdout
    for part in ("settings", "grammars", "sqlite", "model", "store", "index folder"):
        assert part in done.stdout


# R116: a broken release of the grammar pack.
def test_a_missing_grammar_pack_is_named_by_doctor(tmp_path: Path) -> None:
    (tmp_path / "tree_sitter_language_pack.py").write_text("raise ImportError('no grammars here')\n", encoding="utf-8")

    done = run_doctor({**os.environ, "PYTHONPATH": str(tmp_path)})

    assert 1 == done.returncode
    assert "grammars" in done.stdout
    assert "install connote again" in done.stdout


# R119: an open range breaks fresh installs overnight.
def test_every_dependency_has_both_bounds() -> None:
    project = toml(ROOT / "pyproject.toml")["project"]
    wanted = [*project["dependencies"], *(one for group in project["optional-dependencies"].values() for one in group)]

    assert [] == [one for one in wanted if not (">=" in one and re.search(r"<\d", one))]


# R121: a start that loads everything.
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom connote.__main__ import main\nsys.argv[1:] = " + repr(arguments) + "\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'chromadb', 'pygls', 'tree_sitter', 'openai', 'mcp'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_a_source_distribution_has_what_it_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert built.returncode == 0, built.stderr
    archive = next(tmp_path.glob("*.tar.gz"))
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "pyproject.toml", "server/connote/embed/static_code_256.npz"} <= names
    assert not [name for name in names if name.startswith(("tests", ".ci", "server/training"))]


def test_the_wheel_has_the_model_that_was_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert built.returncode == 0, built.stderr
    wheel = next(tmp_path.glob("*.whl"))
    with zipfile.ZipFile(wheel) as opened:
        packed = opened.read(f"connote/embed/{MODEL}")
    assert MODEL_DIGEST == sha256(packed).hexdigest()
    assert MODEL_DIGEST == sha256((ROOT / "server/connote/embed" / MODEL).read_bytes()).hexdigest()
    assert len(packed) <= 16 * 1024 * 1024

    # Installed without its dependencies, which are this environment's; what is imported is said by the program itself.
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(installed), str(wheel)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import connote; from connote.embed.static import StaticEmbedder\n"
        "model = StaticEmbedder()\n"
        "print(connote.__file__)\n"
        "print(model.embed(['def retry(request):\\n    return backoff(request, 2)', 'ünï 日本 🎉']).tobytes().hex())\n"
        "print(model.embed_query('where do we stop hammering a failing server').tobytes().hex())\n"
    )
    said = [
        subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True).stdout
        for folder in (ROOT / "server", installed)
    ]
    (_, *tree), (place, *copy) = (answer.splitlines() for answer in said)
    assert Path(place).is_relative_to(installed)
    assert [2 * 256 * 8, 256 * 8] == [len(vectors) for vectors in tree]
    assert tree == copy


def toml(path: Path) -> dict[str, Any]:
    from importlib import import_module

    return import_module("tomllib" if sys.version_info >= (3, 11) else "tomli").loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
