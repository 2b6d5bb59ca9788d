"""connote as a process of its own, in an environment without the settings of the person who runs the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from connote import Settings
from connote.engine import stop_all

BATCH = """
import contextlib, io, json, sys
from connote.faces.cli import main
done = []
for words in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words)
    done.append([code, out.getvalue(), err.getvalue()])
json.dump(done, sys.stdout)
"""


@pytest.fixture(scope="session")
def environment(
    tmp_path_factory: pytest.TempPathFactory, environment_at: Callable[..., dict[str, str]]
) -> Iterator[dict[str, str]]:
    """Variables with a home and an index folder of their own."""
    variables = environment_at(tmp_path_factory.mktemp("home"), host="auto")
    # Each test has a root of its own, and so a host, which need not outlive it by much.
    yield {**variables, "CONNOTE_SERVER_IDLE_MINUTES": "0.05"}
    stop_all(Settings(index_dir=Path(variables["CONNOTE_INDEX_DIR"])))


@pytest.fixture(scope="session")
def connote(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `connote` with arguments in a folder, with variables added to its environment."""

    def start(*arguments: str, cwd: Path, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "connote", *arguments],
            check=False,
            cwd=cwd,
            env={**environment, **variables},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=120,
        )

    return start


@pytest.fixture(scope="session")
def batch(environment: dict[str, str]) -> Callable[..., list[tuple[int, str, str]]]:
    """Run many command lines one after the other in one process, to spare its start.

    Returns the exit code, the output and the messages of each.
    """

    def start(commands: list[list[str]], cwd: Path, **variables: str) -> list[tuple[int, str, str]]:
        done = subprocess.run(
            [sys.executable, "-c", BATCH],
            check=True,
            cwd=cwd,
            env={**environment, **variables},
            input=json.dumps(commands),
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=120,
        )
        return [tuple(one) for one in json.loads(done.stdout)]

    return start
