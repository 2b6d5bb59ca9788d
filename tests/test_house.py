"""The invariants of the code base itself: layers, lint, format, types, sizes, layout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from connote.config import docs
from connote.model import SYMBOL_KINDS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "server" / "connote"
TOP_LEVEL = {"pyproject.toml", "server", "clients", "tests", "README.md", "CHANGELOG.md", "LICENSE"}
MOST_LINES = 450
USERS_OWN = (
    "embed.provider", "embed.base_url", "embed.model", "embed.api_key_command", "embed.ca_file", "store.kind",
    "walk.secrets", "index_dir",
)  # fmt: skip


def run(*command: str) -> None:
    """Run a tool of this environment in the checkout; its output is the message when it fails."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def test_imports_point_down() -> None:
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(is_debug_mode=False))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Contracts: 4 kept, 0 broken." in done.stdout


def test_lint() -> None:
    run("ruff", "check", "server", "tests")


def test_format() -> None:
    run("ruff", "format", "--check", "server", "tests")


def test_types() -> None:
    run("mypy")


def test_the_settings_table_is_fresh() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert docs.refreshed(readme) == readme


def test_the_settings_of_the_vscode_extension_are_fresh() -> None:
    manifest = (ROOT / "clients" / "vscode" / "package.json").read_text(encoding="utf-8")

    assert docs.refreshed_manifest(manifest) == manifest, (
        "renew it with `python -m connote.config.docs clients/vscode/package.json`"
    )


def test_the_settings_in_the_neovim_help_are_fresh() -> None:
    text = (ROOT / "clients" / "nvim" / "doc" / "connote.txt").read_text(encoding="utf-8")

    assert docs.refreshed_help(text) == text, (
        "renew it with `python -m connote.config.docs clients/nvim/doc/connote.txt`"
    )


def test_no_workspace_can_say_where_data_goes_in_vscode() -> None:
    properties = {name: about for section in docs.vscode_sections() for name, about in section["properties"].items()}
    users_own = {name for name, about in properties.items() if about["scope"] == "machine"}

    assert {f"connote.{name}" for name in USERS_OWN} <= users_own
    assert "connote.embed.api_key" not in properties, (
        "a key is in no file of settings: the editor's secret store has it"
    )


def test_the_clients_know_the_kinds_of_the_server() -> None:
    shared = json.loads((ROOT / "clients" / "query-cases.json").read_text(encoding="utf-8"))

    assert list(SYMBOL_KINDS) == shared["kinds"], "the tests of each client hold its own list to this one"


def test_the_top_level_is_the_agreed_one() -> None:
    assert TOP_LEVEL == {name.split("/")[0] for name in tracked() if not name.startswith(".")}


def test_no_module_is_a_heap() -> None:
    lines = {name: (ROOT / name).read_text(encoding="utf-8").count("\n") for name in tracked() if name.endswith(".py")}

    assert {} == {name: count for name, count in lines.items() if count > MOST_LINES and name.startswith("server/")}


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    machine = re.compile("/(?:work|farm|root)/")
    texts = (".py", ".md", ".toml", ".lua", ".ts", ".json", "run")

    found = [
        name for name in tracked() if name.endswith(texts) and machine.search((ROOT / name).read_text(encoding="utf-8"))
    ]

    assert [] == found


@pytest.mark.parametrize(
    ("names", "absent"),
    [
        ("__version__", "numpy tree_sitter chromadb openai pygls click"),
        ("chunk chunk_batch chunk_stream Chunker contextualize detect_language", "numpy chromadb openai pygls click"),
        ("open Index Settings Query", "numpy chromadb openai pygls tree_sitter_language_pack click starlette uvicorn"),
    ],
)
def test_each_name_of_the_library_loads_only_what_it_needs(names: str, absent: str) -> None:
    code = (
        "import connote, sys\n"
        f"for name in {names.split()}: getattr(connote, name)\n"
        f"loaded = [name for name in {absent.split()} if name in sys.modules]\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
