"""The Neovim plugin, driven by keys in the real Neovim with a real server.

The claims are written in Lua, in `clients/nvim/test`; here each is a test of its own. Those that are asked for run in
one Neovim, which starts the editors that they are about, while other tests run here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

LUA = Path(__file__).parents[2] / "clients" / "nvim" / "test"
CLAIMS = {
    file: re.findall(r'^test\("(.+)", function', (LUA / f"{file}.lua").read_text(encoding="utf-8"), re.MULTILINE)
    for file in ("units", "searching", "serving", "pickers")
}


@pytest.mark.parametrize("claim", [claim for claims in CLAIMS.values() for claim in claims])
def test_neovim(claim: str, neovim_outcome: Callable[[str], str]) -> None:
    outcome = neovim_outcome(claim)
    if outcome.startswith("skipped: "):
        pytest.skip(f"{outcome.removeprefix('skipped: ')}: not shown that its picker is used")
    elif outcome != "ok":
        pytest.fail(outcome, pytrace=False)


def test_every_claim_about_neovim_has_a_name_of_its_own() -> None:
    names = [claim for claims in CLAIMS.values() for claim in claims]

    assert all(CLAIMS.values())
    assert len(names) == len(set(names))
