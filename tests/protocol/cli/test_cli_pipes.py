"""`connote search` among other programs: what it prints is what they read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Batch = Callable[..., "list[tuple[int, str, str]]"]
Needs = Callable[[str, str], str]

FILES = {
    "connote.toml": "",
    "src/uploads.py": '"""Uploads."""\n\nAFTER = 1\n\n\ndef retry_upload(client, path):\n'
    '    """Upload a file and retry a failed upload."""\n    return client.upload(path)\n',
    "src/a naïve name.py": "def retry_download(client):\n    émission = 1; return client.retry(émission)\n",
    "docs/guide.md": "# Failed uploads\n\nA failed upload is retried three times.\n",
    "tests/test_uploads.py": "def test_retry_upload():\n    assert retry_upload(FakeClient(), 'a') is None\n",
}
UPLOAD = "retry a failed upload"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, write: Callable[..., Path], connote: Run) -> Path:
    root = write(tmp_path_factory.mktemp("pipes") / "project", FILES)
    assert 0 == connote("index", cwd=root).returncode
    return root


def piped(project: Path, environment: dict[str, str], words: list[str], program: list[str]) -> str:
    """What a program prints that reads what connote prints."""
    search = [sys.executable, "-m", "connote", "search", UPLOAD, "--no-sync", "--min-score", "0", *words]
    with subprocess.Popen(search, cwd=project, env=environment, stdout=subprocess.PIPE) as first:
        done = subprocess.run(
            program, cwd=project, env=environment, stdin=first.stdout, capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip
    assert (0, 0) == (first.returncode, done.returncode), done
    return done.stdout


def test_jq_reads_the_lines_of_jsonl(project: Path, environment: dict[str, str], needs: Needs) -> None:
    jq = needs("jq", "it reads the lines of jsonl")
    paths = piped(project, environment, ["--format", "jsonl"], [jq, "-r", "select(.score >= 0) | .path"])

    assert {path for path in FILES if path != "connote.toml"} <= set(paths.splitlines())


def test_xargs_takes_names_as_they_are(project: Path, environment: dict[str, str], needs: Needs) -> None:
    xargs = needs("xargs", "it takes names as they are")
    lines = piped(project, environment, ["-l", "-0"], [xargs, "-0", "wc", "-c"])

    assert all(Path(path).name in lines for path in FILES if path != "connote.toml")


def test_vim_jumps_to_what_vimgrep_names(
    project: Path, environment: dict[str, str], connote: Run, needs: Needs
) -> None:
    vim = needs("vim", "it jumps to what vimgrep names")
    options = ["--no-sync", "--min-score", "0", "--format", "vimgrep", "-g", "*.py", "--no-tests"]
    found = connote("search", UPLOAD, *options, cwd=project).stdout
    (project / "errors").write_text(found, encoding="utf-8")
    script = (
        "call writefile(map(getqflist(), {_, i -> printf('%s:%d:%d', bufname(i.bufnr), i.lnum, i.col)}), 'places')"
        " | call writefile([getline('.')], 'line') | qa!"
    )
    subprocess.run(
        [vim, "-Nu", "NONE", "-n", "-es", "-c", "set errorformat=%f:%l:%c:%m", "-q", "errors", "-c", script],
        cwd=project, env={**environment, "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL, check=False, timeout=60,
    )  # fmt: skip
    places = (project / "places").read_text(encoding="utf-8").splitlines()

    assert [":".join(line.split(":")[:3]) for line in found.splitlines()] == places
    assert "src/uploads.py:6:5" in places


LONG = (
    (["-n", "1"], ["--limit", "1"]),
    (["-g", "*.md"], ["--glob", "*.md"]),
    (["-t", "python"], ["--type", "python"]),
    (["-T", "python"], ["--type-not", "python"]),
    (["-l"], ["--files-only"]),
    (["-c"], ["--count"]),
    (["-l", "-0"], ["-l", "--null"]),
    (["-C", "1"], ["--context", "1"]),
    (["-A", "1"], ["--after-context", "1"]),
    (["-B", "1"], ["--before-context", "1"]),
    (["-A", "1", "-B", "1"], ["-C", "1"]),
    (["-C", "3", "-A", "0", "-B", "0"], []),
)


def test_short_and_long_names_of_an_option_are_one(project: Path, batch: Batch) -> None:
    base = ["search", UPLOAD, "--no-sync", "--min-score", "0", "--format", "grep"]
    done = batch([[*base, *words] for pair in LONG for words in pair], project)

    assert {0} == {code for code, _, _ in done}
    for number, pair in enumerate(LONG):
        assert done[2 * number] == done[2 * number + 1], pair


def test_a_search_through_a_link_to_the_root_finds_the_same(project: Path, batch: Batch, tmp_path: Path) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(project, target_is_directory=True)
    except OSError:
        pytest.skip("links need a privilege here: not shown that a search through one finds the same")
    words = ["search", UPLOAD, "--no-sync", "--format", "json"]
    ((_, straight, _), (_, through, _)) = batch([words, [*words, str(link)]], project)

    paths = [[hit["path"] for hit in json.loads(text)["hits"]] for text in (straight, through)]
    assert paths[0] == paths[1]
