"""The commands around the search, as a user or a script meets them: the real process."""
# ruff: noqa: SIM300 - what is expected comes first, in all tests of this project

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from connote import __version__

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CODE = '''"""Uploads."""


def retry_upload(client, path):
    """Upload a file and retry a failed upload."""
    return client.upload(path)
'''
COMMANDS = ("search", "similar", "index", "status", "chunk", "clear", "doctor", "completions", "lsp")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment without the user's settings, terminal or index."""
    left_out = ("CONNOTE_", "GIT_", "XDG_", "NO_COLOR")
    keep = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    home = str(tmp_path_factory.mktemp("home"))
    homes = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), home)
    return {
        **keep,
        **homes,
        "CONNOTE_INDEX_DIR": str(Path(home) / "index"),
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "connote.toml").write_text("", encoding="utf-8")
    (root / "uploads.py").write_text(CODE, encoding="utf-8")
    (root / "data.bin").write_bytes(bytes(range(256)) * 20)
    return root.resolve()


@pytest.fixture
def run(project: Path, environment: dict[str, str]) -> Run:
    def start(*arguments: str, cwd: Path = project, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "connote", *arguments],
            check=False,
            cwd=cwd,
            env={**environment, **extra},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            stdin=subprocess.DEVNULL,
        )

    return start


def test_index_prints_a_report_and_then_finds_nothing_to_do(run: Run, project: Path) -> None:
    first = run("index")
    (project / "new.py").write_text("def greet():\n    return 1\n", encoding="utf-8")
    second = run("index", "--format", "json")
    third = run("index", str(project / "new.py"))

    assert 0 == first.returncode, first.stderr
    assert first.stdout.startswith("Indexed 2 files (2 added). Embedded ")
    names = ["added", "changed", "removed", "unchanged", "embedded", "reused", "problems"]
    assert names == list(json.loads(second.stdout))
    assert (1, 2, []) == tuple(json.loads(second.stdout)[name] for name in ("added", "unchanged", "problems"))
    assert "Nothing to do: 3 files up to date.\n" == third.stdout


def test_dry_run_counts_and_changes_nothing(run: Run, project: Path) -> None:
    first = json.loads(run("index", "--dry-run", "--format", "json").stdout)
    text = run("index", "--dry-run").stdout
    report = json.loads(run("index", "--format", "json").stdout)
    after = json.loads(run("index", "--dry-run", "--format", "json").stdout)

    assert ["files", "chunks", "texts", "tokens"] == list(first)
    assert (first["files"], first["texts"]) == (report["added"], report["embedded"])
    assert first["tokens"] > 0
    assert text.startswith("There are 2 files to index, in ")
    assert {"files": 0, "chunks": 0, "texts": 0, "tokens": 0} == after


def test_rebuild_embeds_everything_again(run: Run) -> None:
    run("index")

    report = json.loads(run("index", "--rebuild", "--format", "json").stdout)

    assert report["changed"] + report["added"] == 2
    assert report["embedded"] >= 2


def test_status_as_json_and_as_text_and_as_lists(run: Run, project: Path) -> None:
    before = json.loads(run("status", "--format", "json").stdout)
    run("index")
    after = json.loads(run("status", "--format", "json").stdout)
    text = run("status").stdout

    names = (
        "root state files chunks pending failed skipped languages kinds model dimensions store path bytes "
        "last_sync message"
    )
    assert names.split() == list(after)
    assert (0, None) == (before["files"], before["last_sync"])
    assert (str(project), "ready", 2) == (after["root"], after["state"], after["files"])
    assert text.startswith(f"{project}  ready\n  files ")
    assert "python 1" in text
    assert "\x1b" not in text
    assert "connote.toml\nuploads.py\n" == run("status", "--files").stdout
    assert "connote.toml\0uploads.py\0" == run("status", "--files", "-0").stdout
    path, reason = run("status", "--skipped").stdout.rstrip("\n").split("\t")
    assert "data.bin" == path
    assert reason


def test_chunk_shows_what_is_embedded(run: Run, project: Path) -> None:
    text = run("chunk", "uploads.py")
    data = json.loads(run("chunk", "uploads.py", "--format", "json").stdout)

    assert 0 == text.returncode, text.stderr
    assert f"1/{len(data['chunks'])}  uploads.py:1-" in text.stdout
    assert "function retry_upload" in text.stdout
    assert ("uploads.py", "python") == (data["path"], data["language"])
    assert "".join(chunk["text"] for chunk in data["chunks"]).strip() == CODE.strip()
    assert all(chunk["text"].strip() in chunk["embedded"] for chunk in data["chunks"])


@pytest.mark.parametrize("file", ["data.bin", ".", "nosuch.py"])
def test_chunk_refuses_what_is_no_text(run: Run, file: str) -> None:
    done = run("chunk", file)

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("connote: ")
    assert "Traceback" not in done.stderr


def test_clear_removes_one_index_the_stale_ones_or_all(run: Run, project: Path, tmp_path: Path) -> None:
    own = {"CONNOTE_INDEX_DIR": str(tmp_path / "index")}
    gone = tmp_path / "gone"
    shutil.copytree(project, gone)
    run("index", **own)
    run("index", cwd=gone, **own)
    shutil.rmtree(gone)

    assert f"Removed the index of {gone.resolve()}.\n" == run("clear", "--stale", **own).stdout
    assert f"Removed the index of {project}.\n" == run("clear", **own).stdout
    again = run("clear", **own)
    assert (0, f"There is no index of {project}.\n") == (again.returncode, again.stdout)
    run("index", "--index-dir", own["CONNOTE_INDEX_DIR"])
    assert f"Removed the index of {project}.\n" == run("clear", "--all", **own).stdout
    assert 2 == run("clear", "--all", "--stale", **own).returncode


def test_doctor_passes_here(run: Run) -> None:
    done = run("doctor")

    assert 0 == done.returncode, done.stdout
    assert all(line.startswith("ok ") for line in done.stdout.splitlines())
    assert "model" in done.stdout


def test_doctor_fails_where_the_index_cannot_be_written(run: Run, project: Path) -> None:
    done = run("doctor", "--format", "json", "--index-dir", str(project / "uploads.py" / "index"))

    assert 1 == done.returncode, done.stderr
    assert any(not check["ok"] for check in json.loads(done.stdout))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_print_a_script(run: Run, shell: str) -> None:
    done = run("completions", shell)

    assert (0, "") == (done.returncode, done.stderr)
    assert "_CONNOTE_COMPLETE" in done.stdout


def test_completions_answer(run: Run) -> None:
    def complete(words: str, number: int) -> str:
        return run(_CONNOTE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(number)).stdout

    assert "plain,status\n" == complete("connote stat", 1)
    assert {f"plain,{name}" for name in COMMANDS} == set(complete("connote ", 1).splitlines())
    assert "plain,vimgrep\n" == complete("connote search x --format vim", 4)
    assert "--format" in complete("connote question --for", 2)


def test_version_and_help_load_nothing_slow() -> None:
    # R121
    script = f"""
import contextlib, io, sys
from connote.__main__ import main
for words in (["--version"], ["--help"], ["-h"], [], *([name, "--help"] for name in {COMMANDS!r})):
    sys.argv = ["connote", *words]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main()
    assert code == (0 if words else 2), (words, code, err.getvalue())
    assert (out if words else err).getvalue().startswith(("Usage: connote", "connote {__version__}")), words
slow = "chromadb pygls lsprotocol numpy tree_sitter openai mcp rich platformdirs snowballstemmer".split()
print([name for name in slow if name in sys.modules], [name for name in sys.modules if name.startswith("connote.")])
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stderr
    assert done.stdout.startswith("[] ")
    assert "connote.engine" not in done.stdout


def test_help_names_every_command_and_no_other(run: Run) -> None:
    listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]

    assert list(COMMANDS) == [line.split()[0] for line in listed.splitlines()]


def test_a_search_in_a_pipe_loads_neither_pygls_nor_rich(environment: dict[str, str], project: Path) -> None:
    script = """
import sys
from connote.__main__ import main
sys.argv = ["connote", "retry a failed upload", "--min-score", "0"]
assert main() == 0
sys.stderr.write(repr([name for name in ("pygls", "lsprotocol", "mcp", "openai", "rich") if name in sys.modules]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (0, "[]") == (done.returncode, done.stderr)


def test_a_setting_that_does_not_exist_is_named_and_stops_nothing(run: Run, project: Path) -> None:
    (project / "connote.toml").write_text("[walk]\nmax_byte = 1\n", encoding="utf-8")

    done = run("search", "retry a failed upload", "-l")

    assert 0 == done.returncode
    assert "connote: " in done.stderr
    assert "max_byte" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_watch_indexes_what_changes_until_control_c(environment: dict[str, str], project: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "connote", "index", "--watch", "--format", "json"],
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        stop = threading.Timer(60, process.kill)
        stop.start()
        assert process.stdout is not None
        assert 2 == json.loads(process.stdout.readline())["added"]
        (project / "later.py").write_text("def later():\n    return 2\n", encoding="utf-8")
        assert 1 == json.loads(process.stdout.readline())["added"]
        process.send_signal(signal.SIGINT)
        code = process.wait()
        stop.cancel()

    assert 130 == code


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_control_c_while_indexing_leaves_a_usable_index(run: Run, environment: dict[str, str], project: Path) -> None:
    # R093
    for number in range(1500):
        (project / f"part{number}.py").write_text(
            f"def part_{number}(value):\n    return value + {number}\n" * 4, encoding="utf-8"
        )
    with subprocess.Popen(
        [sys.executable, "-m", "connote", "index"],
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _wait_for_files(Path(environment["CONNOTE_INDEX_DIR"]), process)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)

    assert (130, "connote: stopped\n") == (process.returncode, stderr)
    report = json.loads(run("index", "--format", "json").stdout)
    assert 1502 == report["added"] + report["unchanged"]
    assert 0 == run("search", "retry a failed upload", "-l", "--no-sync").returncode


def _wait_for_files(folder: Path, process: subprocess.Popen[str]) -> None:
    def catalogs() -> set[Path]:
        return set(folder.rglob("catalog.sqlite"))

    known = catalogs()
    while process.poll() is None and catalogs() <= known:
        pass
