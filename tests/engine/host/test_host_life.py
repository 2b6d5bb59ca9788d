"""A host's life: nothing that is acknowledged is lost with it, and nothing of it stays behind."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.engine import stop
from connote.engine.host import starting
from connote.engine.host.rendezvous import Note
from connote.engine.local import LocalIndex

Until = Callable[[Callable[[], Any]], Any]
Run = Callable[..., "subprocess.Popen[str]"]
Alive = Callable[[int], bool]

FULL = bool(os.environ.get("CONNOTE_TEST_FULL"))

posix = pytest.mark.skipif(
    os.name == "nt",
    reason="Windows has no SIGKILL, SIGSTOP and SIGTERM and no groups of processes: how a host that is killed, stands"
    " still or is asked to end by the system is replaced is not shown there",
)


# R052
@posix
@pytest.mark.parametrize("seed", range(20 if FULL else 2))
def test_nothing_acknowledged_is_lost_when_the_host_is_killed_again_and_again(
    root: Path, settings: connote.Settings, note: Callable[[], Note], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    done = threading.Event()
    acknowledged: list[str] = []

    def kill() -> None:
        while not done.wait(chance.uniform(0.2, 1.5)):
            try:
                os.kill(note().pid, signal.SIGKILL)
            except (AssertionError, ProcessLookupError):
                continue  # it was killed already, and nobody has called the next one yet

    with connote.open(root, settings) as index:
        index.sync()
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            for number in range(30):
                name = f"n{number}.py"
                (root / name).write_text(f"def number_{number}():\n    return {number}\n", encoding="utf-8")
                while name not in acknowledged:
                    try:
                        index.update(name)
                    except connote.StoreError:
                        continue  # killed thrice during one call: nothing was promised
                    acknowledged.append(name)
        finally:
            done.set()
            killer.join()
        index.flush()

        assert {"a.py", "b.py", *acknowledged} == set(index.files())
        # What the index holds is what a fresh one would.
        report = index.sync()
        assert (0, 0, 0, 0) == (report.added, report.changed, report.removed, report.embedded)
    fresh = LocalIndex(root, dataclasses.replace(settings, index_dir=tmp_path / "fresh"))
    fresh.sync()
    with connote.open(root, settings) as index:
        places = [sorted((hit.path, hit.line, hit.text) for hit in one.outline(1000)) for one in (fresh, index)]
        assert places[0] == places[1]
        assert fresh.status().chunks == index.status().chunks
    fresh.close()


@posix
def test_a_call_that_is_under_way_when_the_host_is_killed_is_repeated(
    tree: Callable[..., Path], root: Path, settings: connote.Settings, note: Callable[[], Note]
) -> None:
    tree({f"m{n}.py": f"def step_{n}():\n    return {n}\n" for n in range(300)})
    killed: list[int] = []

    def kill_once(_: connote.Progress) -> None:
        if not killed:
            killed.append(note().pid)
            os.kill(killed[0], signal.SIGKILL)

    with connote.open(root, settings) as index:
        index.sync(kill_once)

        assert 302 == len(index.files())
        assert [note().pid] != killed
        assert "ready" == index.status().state


@posix
def test_a_host_that_is_killed_as_soon_as_it_listens_is_replaced(
    root: Path, settings: connote.Settings, note: Callable[[], Note], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    fitting = starting._fitting

    def kill_first(found: Note | None) -> object:
        if found is not None and not killed:
            killed.append(found.pid)
            os.kill(found.pid, signal.SIGKILL)
        return fitting(found)

    monkeypatch.setattr(starting, "_fitting", kill_first)

    with connote.open(root, settings) as index:
        index.sync()

        assert ["a.py", "b.py"] == index.files()
    assert [note().pid] != killed


@posix
def test_a_host_that_stands_still_is_ended_and_replaced(
    root: Path, settings: connote.Settings, note: Callable[[], Note], python: Run, until: Until, is_alive: Alive
) -> None:
    with connote.open(root, settings) as index:
        index.sync()
    host = note().pid
    os.kill(host, signal.SIGSTOP)
    code = "with connote.open(sys.argv[1], settings) as index: print(len(index.files()))"
    client = python(code, root, CONNOTE_HOST_PATIENCE="0.5")

    assert ("2\n", "") == client.communicate()
    until(lambda: not is_alive(host))
    assert host != note().pid


@posix
@pytest.mark.parametrize("trial", range(20 if FULL else 1))
def test_a_host_that_stops_to_answer_during_a_call_is_replaced(
    tree: Callable[..., Path], root: Path, settings: connote.Settings, note: Callable[[], Note], python: Run, trial: int
) -> None:
    chance = random.Random(trial)
    tree({f"m{n}.py": f"def step_{n}():\n    return {n}\n" for n in range(400)})
    code = (
        "with connote.open(sys.argv[1], settings) as index:\n"
        "    index.sync(lambda progress: (print(progress.done, flush=True), sys.stdin.readline()))\n"
        "    print('files', len(index.files()))\n"
    )
    client = python(code, root, CONNOTE_HOST_PATIENCE="0.5")
    for _ in range(chance.randrange(1, 4)):
        assert client.stdout.readline()
        client.stdin.write("\n")
        client.stdin.flush()
    threading.Event().wait(chance.uniform(0, 0.2))
    os.kill(note().pid, signal.SIGSTOP)
    out, err = client.communicate()

    assert "files 402" == out.splitlines()[-1]
    assert "" == err


def test_a_host_of_another_version_is_replaced(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path, until: Until, is_alive: Alive
) -> None:
    with connote.open(root, settings) as index:
        index.sync()
        old = note()
        (folder / "host.json").write_text(json.dumps({**dataclasses.asdict(old), "version": "0.0.1/1"}))
        with connote.open(root, settings) as other:
            assert ["a.py", "b.py"] == other.files()
            assert old.pid != note().pid
            until(lambda: not is_alive(old.pid))
        # The client of the old host follows to the new one.
        assert ["a.py", "b.py"] == index.files()


def test_a_host_ends_itself_when_nobody_asks_any_more(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path, until: Until, is_alive: Alive
) -> None:
    soon = dataclasses.replace(settings, server=dataclasses.replace(settings.server, idle_minutes=0.01))
    with connote.open(root, soon) as index:
        index.sync()
        host = note()
    until(lambda: not is_alive(host.pid))

    assert not (folder / "host.json").exists()
    assert not (folder / "host.lock").exists()
    assert host.address
    assert not Path(host.address.removeprefix("unix:")).exists()
    assert (folder / "root.json").exists()


def test_an_open_index_keeps_its_host(
    root: Path, settings: connote.Settings, note: Callable[[], Note], is_alive: Alive, until: Until
) -> None:
    soon = dataclasses.replace(settings, server=dataclasses.replace(settings.server, idle_minutes=0))
    with connote.open(root, soon) as index:
        host = note().pid
        until(lambda: index.status().files == 0 and threading.Event().wait(0.5) is False)

        assert is_alive(host)
        index.sync()
        assert host == note().pid
    until(lambda: not is_alive(host))


# R065: a host holds the pipe of the program that started it, and that program's reader waits for ever.
def test_the_starters_pipes_close_and_the_host_lives_on(
    root: Path, settings: connote.Settings, note: Callable[[], Note], is_alive: Alive
) -> None:
    environment = {**os.environ, "CONNOTE_INDEX_DIR": str(settings.index_dir)}
    command = [sys.executable, "-m", "connote", "search", "wait longer", str(root)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert "a.py" in done.stdout
    assert is_alive(note().pid)


@posix
def test_the_host_outlives_the_end_of_its_starter_and_of_all_its_children(
    root: Path, settings: connote.Settings, note: Callable[[], Note], is_alive: Alive
) -> None:
    opened = f"connote.open({str(root)!r}, connote.Settings(index_dir=pathlib.Path({str(settings.index_dir)!r})))"
    code = f"import pathlib, connote; index = {opened}; input()"
    starter = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    with connote.open(root, settings) as index:
        index.files()
    host = note().pid
    assert os.getpgid(host) != os.getpgid(starter.pid)
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate()

    assert is_alive(host)
    if Path("/proc").is_dir():
        parent = int(Path(f"/proc/{host}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent not in {starter.pid, os.getpid()}


@posix
def test_a_host_that_does_not_answer_can_be_stopped(
    root: Path, settings: connote.Settings, note: Callable[[], Note], python: Run, is_alive: Alive, until: Until
) -> None:
    with connote.open(root, settings):
        host = note().pid
    os.kill(host, signal.SIGSTOP)
    client = python(
        "from connote.engine import stop; print(stop(sys.argv[1], settings))", root, CONNOTE_HOST_PATIENCE="0.5"
    )

    assert ("killed\n", "") == client.communicate()
    until(lambda: not is_alive(host))


@posix
def test_a_host_that_is_asked_to_end_by_the_system_leaves_nothing(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path, is_alive: Alive, until: Until
) -> None:
    with connote.open(root, settings) as index:
        index.sync()
        host = note().pid
        os.kill(host, signal.SIGTERM)
        until(lambda: not is_alive(host))
        assert not (folder / "host.json").exists()
        assert "" == (folder / "host.log").read_text()

        assert ["a.py", "b.py"] == index.files()


def test_why_a_host_cannot_start_is_said(
    root: Path, settings: connote.Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "uvicorn.py").write_text("raise ImportError('no server here')\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(broken), os.environ.get("PYTHONPATH", "")]))
    with connote.open(root, settings) as index:
        index.sync()

        assert "no server here" in (index.status().message or "")
    assert stop(root, settings) is None
