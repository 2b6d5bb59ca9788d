"""The commands around the search, as a user or a script meets them: the real process."""

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
Batch = Callable[..., "list[tuple[int, str, str]]"]

CODE = '''"""Uploads."""


def retry_upload(client, path):
    """Upload a file and retry a failed upload."""
    return client.upload(path)
'''
COMMANDS = (
    "search", "similar", "index", "status", "chunk", "clear", "stop", "doctor", "completions", "lsp", "serve",
    "mcp",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "connote.toml").write_text("", encoding="utf-8")
    (root / "uploads.py").write_text(CODE, encoding="utf-8")
    (root / "data.bin").write_bytes(bytes(range(256)) * 20)
    return root.resolve()


@pytest.fixture
def run(connote: Run, project: Path) -> Run:
    def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return connote(*arguments, cwd=project, **variables)

    return start


@pytest.fixture
def outputs(batch: Batch, project: Path) -> Callable[..., list[str]]:
    """Run command lines in one process; all must succeed without a message. Returns what they print."""

    def start(*commands: str, **variables: str) -> list[str]:
        done = batch([command.split() for command in commands], project, **variables)
        assert [(0, "")] * len(commands) == [(code, messages) for code, _, messages in done]
        return [output for _, output, _ in done]

    return start


def test_index_prints_a_report_and_then_finds_nothing_to_do(
    run: Run, outputs: Callable[..., list[str]], project: Path
) -> None:
    first = run("index")
    (project / "new.py").write_text("def greet():\n    return 1\n", encoding="utf-8")
    second, third = outputs("index --format json", "index new.py")

    assert 0 == first.returncode, first.stderr
    assert first.stdout.startswith("Indexed 2 files (2 added). Embedded ")
    names = ["added", "changed", "removed", "unchanged", "embedded", "reused", "problems"]
    assert names == list(json.loads(second))
    assert (1, 2, []) == tuple(json.loads(second)[name] for name in ("added", "unchanged", "problems"))
    assert "Nothing to do: 3 files up to date.\n" == third


def test_dry_run_counts_and_changes_nothing(outputs: Callable[..., list[str]], tmp_path: Path) -> None:
    dry, text, report, after, done = outputs(
        "index --dry-run --format json",
        "index --dry-run",
        "index --format json",
        "index --dry-run --format json",
        "index --dry-run",
        CONNOTE_INDEX_DIR=str(tmp_path / "index"),  # what other indexes have embedded counts too
    )

    first = json.loads(dry)
    assert ["files", "chunks", "texts", "tokens"] == list(first)
    assert (first["files"], first["texts"]) == (json.loads(report)["added"], json.loads(report)["embedded"])
    assert first["tokens"] > 0
    assert text.startswith("There are 2 files to index, in ")
    assert {"files": 0, "chunks": 0, "texts": 0, "tokens": 0} == json.loads(after)
    assert "There is nothing to index.\n" == done


def test_dry_run_names_the_cost_where_there_is_a_price(outputs: Callable[..., list[str]], tmp_path: Path) -> None:
    dry, text = outputs(
        "index --dry-run --format json",
        "index --dry-run",
        CONNOTE_INDEX_DIR=str(tmp_path / "index"),
        CONNOTE_EMBED_PROVIDER="openai",
        CONNOTE_EMBED_BASE_URL="http://127.0.0.1:9/v1",  # nobody is there, and nobody is asked
        CONNOTE_EMBED_PRICE="1000000",
    )

    found = json.loads(dry)
    assert found["tokens"] == found["cost"] > 0
    assert f"tokens, which cost about {found['cost']:,.2f}. Nothing was changed or sent." in text


def test_rebuild_embeds_everything_again(outputs: Callable[..., list[str]]) -> None:
    _, rebuilt = outputs("index", "index --rebuild --format json")

    report = json.loads(rebuilt)
    assert 2 == report["changed"] + report["added"]
    assert report["embedded"] >= 1


def test_status_as_json_and_as_text_and_as_lists(outputs: Callable[..., list[str]], project: Path) -> None:
    before, _, after, text, files, null, skipped = outputs(
        "status --format json",
        "index",
        "status --format json",
        "status",
        "status --files",
        "status --files -0",
        "status --skipped",
    )

    names = (
        "root state files chunks pending failed skipped languages kinds model dimensions store path bytes "
        "last_sync message"
    )
    state = json.loads(after)
    assert names.split() == list(state)
    assert (0, None) == (json.loads(before)["files"], json.loads(before)["last_sync"])
    assert (str(project), "ready", 2) == (state["root"], state["state"], state["files"])
    assert text.startswith(f"{project}  ready\n  files ")
    assert "python 1" in text
    assert "\x1b" not in text
    assert "connote.toml\nuploads.py\n" == files
    assert "connote.toml\0uploads.py\0" == null
    path, reason = skipped.rstrip("\n").split("\t")
    assert "data.bin" == path
    assert reason


def test_chunk_shows_what_is_embedded(outputs: Callable[..., list[str]]) -> None:
    text, data = outputs("chunk uploads.py", "chunk uploads.py --format json")

    shown = json.loads(data)
    assert f"1/{len(shown['chunks'])}  uploads.py:1-" in text
    assert "function retry_upload" in text
    assert ("uploads.py", "python") == (shown["path"], shown["language"])
    assert "".join(chunk["text"] for chunk in shown["chunks"]).strip() == CODE.strip()
    assert all(chunk["text"].strip() in chunk["embedded"] for chunk in shown["chunks"])


def test_chunk_refuses_what_is_no_text(batch: Batch, project: Path) -> None:
    for code, output, messages in batch([["chunk", file] for file in ("data.bin", ".", "nosuch.py")], project):
        assert (2, "") == (code, output)
        assert messages.startswith("connote: ")


def test_clear_removes_one_index_the_stale_ones_or_all(
    outputs: Callable[..., list[str]], project: Path, tmp_path: Path
) -> None:
    own = {"CONNOTE_INDEX_DIR": str(tmp_path / "index")}
    gone = tmp_path / "gone"
    shutil.copytree(project, gone)
    outputs("index", f"index {gone}", **own)
    shutil.rmtree(gone)

    assert [
        f"Removed the index of {gone.resolve()}.\n",
        "There is no index of a root that is gone.\n",
        f"Removed the index of {project}.\n",
        f"There is no index of {project}.\n",
    ] == outputs("clear --stale", "clear --stale", "clear", "clear", **own)
    _, removed, nothing = outputs(f"index --index-dir {own['CONNOTE_INDEX_DIR']}", "clear --all", "clear --all", **own)
    cache = Path(own["CONNOTE_INDEX_DIR"]) / "cache"
    assert f"Removed the index of {project}.\nRemoved the vectors that indexes share, in {cache}.\n" == removed
    assert "There is no index.\n" == nothing


def test_stop_ends_the_host_of_a_root_or_all(outputs: Callable[..., list[str]], project: Path, tmp_path: Path) -> None:
    own = {"CONNOTE_INDEX_DIR": str(tmp_path / "index")}

    _, ended, none, _, every, nothing = outputs(
        "index", "stop", f"stop {project}", "status", "stop --all", "stop --all", **own
    )
    assert f"Ended the host of {project}.\n" == ended == every
    assert f"There is no host of {project}.\n" == none
    assert "There is no host.\n" == nothing


def test_doctor_passes_here(run: Run) -> None:
    done = run("doctor")

    assert 0 == done.returncode, done.stdout
    assert all(line.startswith("ok ") for line in done.stdout.splitlines())
    assert "model" in done.stdout


def test_doctor_fails_where_the_index_cannot_be_written(run: Run, project: Path) -> None:
    done = run("doctor", "--format", "json", "--index-dir", str(project / "uploads.py" / "index"))

    assert 1 == done.returncode, done.stderr
    assert any(not check["ok"] for check in json.loads(done.stdout))


def test_completions_print_a_script(outputs: Callable[..., list[str]]) -> None:
    for script in outputs("completions bash", "completions zsh", "completions fish"):
        assert "_CONNOTE_COMPLETE" in script


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
slow = "chromadb pygls lsprotocol numpy tree_sitter openai mcp starlette uvicorn h11 rich platformdirs"
slow = [*slow.split(), "snowballstemmer"]
print([name for name in slow if name in sys.modules], [name for name in sys.modules if name.startswith("connote.")])
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stderr
    assert done.stdout.startswith("[] ")
    assert "connote.engine" not in done.stdout


def test_help_names_every_command_and_no_other(run: Run) -> None:
    listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]

    assert list(COMMANDS) == [line.split()[0] for line in listed.splitlines()]


def test_a_search_in_a_pipe_loads_no_server_and_no_highlighter(environment: dict[str, str], project: Path) -> None:
    script = """
import sys
from connote.__main__ import main
SLOW = ("pygls", "lsprotocol", "mcp", "openai", "connote.faces.cli.highlight")
sys.argv = ["connote", "retry a failed upload", "--min-score", "0"]
assert main() == 0
sys.stderr.write(repr([name for name in SLOW if name in sys.modules]))
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


def test_a_setting_that_does_not_exist_or_is_not_the_projects_is_named_and_stops_nothing(
    run: Run, project: Path
) -> None:
    settings = '[walk]\nmax_byte = 1\n[embed]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n'
    (project / "connote.toml").write_text(settings, encoding="utf-8")

    done = run("search", "retry a failed upload", "-l")

    assert 0 == done.returncode
    assert "connote: " in done.stderr
    assert all(name in done.stderr for name in ("max_byte", "embed.provider", "embed.base_url"))


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process: not shown that it ends --watch")
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


@pytest.mark.skipif(
    os.name == "nt", reason="Windows sends no SIGINT to one process: not shown that the index stays usable"
)
def test_control_c_while_indexing_leaves_a_usable_index(run: Run, environment: dict[str, str], project: Path) -> None:
    # R093
    for number in range(800):
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
    assert 802 == report["added"] + report["unchanged"]
    assert 0 == run("search", "retry a failed upload", "-l", "--no-sync").returncode


def _wait_for_files(folder: Path, process: subprocess.Popen[str]) -> None:
    def catalogs() -> set[Path]:
        return set(folder.rglob("catalog.sqlite"))

    known = catalogs()
    while process.poll() is None and catalogs() <= known:
        pass
