"""What a person sees: the command line in a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals in Python: not shown what a terminal gets")

Terminal = Callable[..., "tuple[int, str, str]"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, connote: Callable[..., subprocess.CompletedProcess[str]]) -> Path:
    root = tmp_path_factory.mktemp("terminal").resolve()
    (root / "connote.toml").write_text("", encoding="utf-8")
    for number in range(60):
        (root / f"part{number}.py").write_text(f"def part_{number}(value):\n    return value\n", encoding="utf-8")
    (root / "uploads.py").write_text(
        "def retry_upload(client):\n" + "    client.upload()\n" * 30 + f"    # {'long ' * 60}\n", encoding="utf-8"
    )
    assert 0 == connote("index", cwd=root).returncode
    return root


@pytest.fixture
def terminal(environment: dict[str, str], project: Path) -> Terminal:
    """Run connote with standard output, or standard error, on a terminal; returns the exit code and both texts."""

    def start(*arguments: str, on: str = "stdout", **variables: str) -> tuple[int, str, str]:
        screen, end = pty.openpty()
        plain, plain_end = os.pipe()
        streams = {"stdout": plain_end, "stderr": plain_end, on: end}
        with subprocess.Popen(
            [sys.executable, "-m", "connote", *arguments],
            cwd=project,
            env={**environment, "TERM": "xterm", "COLUMNS": "80", **variables},
            stdin=subprocess.DEVNULL,
            **streams,  # type: ignore[call-overload]
        ) as process:
            os.close(end)
            os.close(plain_end)
            shown, rest = _read(screen).replace("\r\n", "\n"), _read(plain)
        return (process.returncode, shown, rest) if on == "stdout" else (process.returncode, rest, shown)

    return start


def test_a_terminal_gets_pretty_coloured_shortened_hits_cut_to_its_width(terminal: Terminal) -> None:
    code, output, messages = terminal("retry_upload", "-n", "1")
    plain = re.sub("\x1b\\[[0-9;]*m", "", output)

    assert (0, "") == (code, messages)
    assert "\x1b[" in output
    assert plain.startswith("uploads.py:1-32  function retry_upload  ")
    assert re.search("^ +... 20 more lines$", plain, re.MULTILINE)
    assert max(map(len, plain.splitlines())) <= 80


def test_no_color_and_never_and_dumb_terminals_get_no_colours(terminal: Terminal) -> None:
    for variables, options in (({"NO_COLOR": "1"}, ()), ({"TERM": "dumb"}, ()), ({}, ("--color", "never"))):
        code, output, _ = terminal("retry_upload", "-n", "1", "--no-sync", *options, **variables)

        assert 0 == code
        assert "\x1b" not in output
        assert output.startswith("uploads.py:1-32  function retry_upload  ")


def test_progress_is_on_standard_error_and_leaves_no_trace(terminal: Terminal, tmp_path: Path) -> None:
    code, output, messages = terminal("retry_upload", "-l", "-n", "1", "--index-dir", str(tmp_path), on="stderr")

    assert (0, "uploads.py\n") == (code, output)
    assert "Indexing" in messages
    assert "62/62" in messages
    # The last thing it does is to erase its line.
    assert messages.endswith("\x1b[2K")


def test_a_mistyped_command_is_told_from_a_question(terminal: Terminal) -> None:
    _, output, messages = terminal("serach", "--no-sync", "-l", on="stderr")
    _, _, of_a_question = terminal("retry", "--no-sync", "-l", on="stderr")

    assert "searching for 'serach', which is no command; did you mean `connote search`?" in messages
    assert "serach" not in output
    assert "did you mean" not in of_a_question


def _read(descriptor: int) -> str:
    data = b""
    while True:
        try:
            more = os.read(descriptor, 65536)
        except OSError:
            more = b""  # Linux reports the other end's closing of a terminal as an error.
        if not more:
            os.close(descriptor)
            return data.decode()
        data += more
