"""Tokens of services never get into an index: settings with one are left out, code with one has it masked."""

from __future__ import annotations

from pathlib import Path

import pytest

from connote.model import Document, Skipped, SourceFile
from connote.walk import WalkOptions, read
from connote.walk.tokens import without_tokens

# Put together here, so that no file of ours holds what looks like a token.
BODY = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6"
TOKENS = [
    "AKIA" + "QYJ7MZD3RPWL5XVK",
    "ghp_" + BODY,
    "github_pat_" + (BODY * 3)[:82],
    "glpat-" + BODY[:20],
    "xoxb-" + "204815162342-" + BODY[:24],
    "sk-ant-" + BODY * 2,
    "sk-proj-" + BODY,
    "sk_live_" + BODY[:30],
    "npm_" + BODY,
    "pypi-AgE" + BODY * 2,
    "hf_" + BODY[:34],
    "SG." + BODY[:22] + "." + (BODY * 2)[:43],
    "ASIA" + "QYJ7MZD3RPWL5XVK",
    *(f"gh{kind}_{BODY}" for kind in "ousr"),
    "xoxp-" + "204815162342-" + BODY[:24],
    "xapp-1-" + "A0B1C2D3E4F-" + "204815162342-" + "0f1e2d3c4b5a6978" * 4,
    "rk_live_" + BODY[:30],
    "dop_v1_" + "0f1e2d3c4b5a6978" * 4,
    "AGE-SECRET-KEY-1" + (BODY.upper() * 2)[:58],
    "shpat_" + "0f1e2d3c4b5a6978" * 2,
]


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:7])
@pytest.mark.parametrize("around", ['KEY = "{}"\n', "{}", "https://user:{}@host/", "Authorization: Bearer {}\r\nx"])
def test_a_token_is_masked_where_it_stands(token: str, around: str) -> None:
    text = around.format(token)
    masked = without_tokens(text)

    assert around.format("*" * len(token)) == masked
    assert len(text.encode()) == len(masked.encode())


@pytest.mark.parametrize(
    "text",
    ["AKIAIOSFODNN7EXAMPLE", "ghp_" + "x" * 36, "ghp_" + "a" * 36, "sk-ant-your-key-goes-here-and-nowhere-else-please",
     "npm_config_registry", "hf_" + BODY, "MAKIA" + "QYJ7MZD3RPWL5XVK", "task-ant-hill", "SG.short", "sk_live_"],
)  # fmt: skip
def test_what_only_resembles_one_is_left_alone(text: str) -> None:
    assert text == without_tokens(text)


def reading(root: Path, path: str, options: WalkOptions | None = None) -> Document | Skipped:
    (root / path).write_text(f'token = "{TOKENS[1]}"\nname = "x"\n')
    return read(root, SourceFile(path, 0, 0), options or WalkOptions())


@pytest.mark.parametrize("path", ["settings.json", "app.yaml", "conf.toml", "setup.ini", "notes.txt", "noext"])
def test_settings_with_a_token_are_left_out_with_the_reason(tmp_path: Path, path: str) -> None:
    found = reading(tmp_path, path)

    assert isinstance(found, Skipped)
    assert "secret" == found.reason


@pytest.mark.parametrize("path", ["client.py", "main.go", "deploy.sh", "guide.md"])
def test_code_with_a_token_is_indexed_without_it(tmp_path: Path, path: str) -> None:
    # R099
    found = reading(tmp_path, path)

    assert isinstance(found, Document)
    assert TOKENS[1] not in found.text
    assert 'name = "x"' in found.text


def test_the_setting_for_secrets_lets_them_in(tmp_path: Path) -> None:
    found = reading(tmp_path, "settings.json", WalkOptions(secrets=("settings.json",)))

    assert isinstance(found, Document)
    assert TOKENS[1] in found.text
