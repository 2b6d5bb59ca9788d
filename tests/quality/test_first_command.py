"""The README's first command, typed on a machine that has only Python and git."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).parent / "golden" / "buildbot.toml"


def command_below(mark: str) -> str:
    """The README's shell command below a comment."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {mark} -->\n```sh\n(.+?)\n```", readme, re.DOTALL)

    assert found, f"the README has no {mark}"
    return found[1]


def bare_environment(home: Path) -> dict[str, str]:
    """What a new machine has: a path with Python and git, a home, and how this one reaches its package registry."""
    reach = ("PIP_", "SSL_", "https_proxy", "HTTPS_")
    kept = {name: value for name, value in os.environ.items() if name.startswith(reach)}
    python = shutil.which("python3") or sys.executable
    base = Path(sys.base_prefix) / "bin"
    path = os.pathsep.join([str(base), str(Path(python).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    return {**kept, "PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}


@pytest.mark.parametrize("golden_set", [LIST], ids=["buildbot"], indirect=True)
def test_the_first_command_answers_on_a_fresh_machine(tmp_path: Path, golden_tree: Path) -> None:
    checkout = tmp_path / "checkout"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in (os.fsdecode(name) for name in listed.split(b"\0") if name):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)
    environment = bare_environment(tmp_path)

    def run(folder: Path, *command: str) -> str:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "server/connote/store/" in run(checkout, "bash", "-c", command_below("first command"))

    # The same program on a real package's source, twice: the second run finds everything indexed.
    connote = str(checkout / ".venv" / "bin" / "connote")
    first, second = (run(tmp_path, connote, "search", "hash a password", str(golden_tree)) for _ in range(2))
    report = json.loads(run(tmp_path, connote, "index", "--format", "json", str(golden_tree)))

    assert first == second
    assert (0, 0, 0, 0) == tuple(report[name] for name in ("added", "changed", "removed", "embedded"))
    assert report["unchanged"] > 500
