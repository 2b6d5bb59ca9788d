"""One host owns a root's index, whoever asks and however many do."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.embed import EmbedOptions
from connote.engine import Cancelled, News, clear, stop, stop_all, wire
from connote.engine.host.rendezvous import Note
from connote.engine.local import LocalIndex
from connote.engine.remote import RemoteIndex
from connote.errors import ConfigError, EmbedError, ListingError, StoreError
from connote.walk import WalkOptions

Until = Callable[[Callable[[], Any]], Any]
Run = Callable[..., "subprocess.Popen[str]"]

QUESTION = "wait longer after each failure"


def paths(index: connote.Index, **changes: object) -> list[str]:
    return [hit.path for hit in index.search(QUESTION, min_score=0, **changes)]


def many(count: int) -> dict[str, str]:
    """Files enough that their index takes some seconds."""
    return {
        f"m{n}.py": "".join(f"def step_{n}_{k}(x):\n    return x + {n * k}\n\n\n" for k in range(40))
        for n in range(count)
    }


ASK = """
with connote.open(sys.argv[1], settings) as index:
    index.sync()
    print(index.search("wait longer after each failure")[0].path, flush=True)
    for line in sys.stdin:
        print([hit.path for hit in index.search(line, min_score=0)][0], flush=True)
"""


# R050, R053: two processes with one index lose what the other wrote.
def test_processes_share_one_host_and_each_sees_what_the_others_write(
    root: Path, settings: connote.Settings, python: Run, note: Callable[[], Note]
) -> None:
    first, second = python(ASK, root), python(ASK, root)
    assert ["a.py", "a.py"] == [process.stdout.readline().strip() for process in (first, second)]
    host = note().pid

    with connote.open(root, settings) as index:
        assert isinstance(index, RemoteIndex)
        (root / "c.py").write_text("def zebra_crossing():\n    return 'stripes'\n", encoding="utf-8")
        assert 1 == index.update("c.py").added
        for process in (first, second):
            process.stdin.write("zebra crossing\n")
            process.stdin.flush()
            assert "c.py" == process.stdout.readline().strip()

    assert host == note().pid


def test_an_index_of_a_host_answers_as_one_in_the_process_does(
    root: Path, settings: connote.Settings, folder: Path
) -> None:
    (root / "skipped.png").write_bytes(b"\x89PNG")
    with connote.open(root, settings) as remote:
        report = remote.sync()
        remote.flush()
        remote.warm()
        local = LocalIndex(root, settings)
        query = connote.Query(QUESTION, why=True, include=("*.py",), context=1)

        assert connote.Report(added=2, embedded=2) == report
        assert local.answer(query) == remote.answer(query)
        assert local.answer(QUESTION, definitions=True) == remote.answer(QUESTION, definitions=True)
        assert local.similar_answer("a.py", 1) == remote.similar_answer(root / "a.py", 1)
        assert local.outline(10) == remote.outline(10)
        assert local.files() == remote.files() == ["a.py", "b.py"]
        assert local.skipped() == remote.skipped()
        assert local.problems() == remote.problems() == []
        assert local.complete is remote.complete is True
        assert local.estimate() == remote.estimate()
        assert dataclasses.replace(local.status(), bytes=0) == dataclasses.replace(remote.status(), bytes=0)
        local.close()


def test_errors_are_those_of_an_index_in_the_process(root: Path, settings: connote.Settings) -> None:
    with connote.open(root, settings) as index:
        with pytest.raises(ValueError, match=r"outside"):
            index.update("../elsewhere.py")
        with pytest.raises(ValueError, match=r"limit is 0"):
            index.search("x", limit=0)
        with pytest.raises(TypeError, match=r"no 'nonsense'"):
            index.search("x", nonsense=1)
        with pytest.raises(ValueError, match=r"limit is 999"):
            index.similar("a.py", 1, limit=999)
        assert connote.Report() == index.update()
    with pytest.raises(StoreError, match=r"closed"):
        index.search("x")
    wrong = dataclasses.replace(settings, embed=dataclasses.replace(settings.embed, provider="none"))
    with pytest.raises(ConfigError, match=r"'none'"):
        connote.open(root, wrong)
    with pytest.raises(ConfigError, match=r"no folder"):
        connote.open(root / "a.py", settings)


def test_values_go_over_the_wire_unharmed() -> None:
    odd = os.fsdecode(b"caf\xe9.py") + " \n\x00 \u2028 \U0001f600"
    hit = connote.Hit(
        odd, odd, 1, 2, 0.5, None, None, None, ("A", "b"), 1, 1, odd, True, (connote.Signal("words", 0.5),)
    )
    settings = connote.Settings(walk=WalkOptions(include=("*.x",)), embed=EmbedOptions(api_key="k"))
    values = [
        connote.Answer((hit,), complete=False, relaxed=True, message=odd),
        connote.Report(1, 2, 3, 4, 5, 6, (connote.Problem(odd, odd),), cancelled=True),
        connote.Status(odd, "ready", 1, 2, 3, 4, {"binary": 1}, {"python": 2}, {}, last_sync=None),
        connote.Query(odd, include=("a", "b"), min_score=0.1),
        News("progress", connote.Progress(1, 2, odd)),
        News("changed"),
    ]

    for value in values:
        assert value == wire.unpack(type(value), json.loads(wire.dumps(wire.pack(value))))
    assert settings == wire.unpack_settings(json.loads(wire.dumps(wire.pack_settings(settings))))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("v"), TypeError("t"), ConfigError("c"), StoreError("s"), EmbedError("e", 3.0), ListingError("l"),
        Cancelled(""), connote.ChunkingError("k"), OSError(28, "No space left on device", "file"),
    ],
)  # fmt: skip
def test_errors_go_over_the_wire_as_what_they_are(error: Exception) -> None:
    packed = wire.pack_error(error)
    assert packed is not None
    back = wire.unpack_error(json.loads(wire.dumps(packed)))

    assert (type(error), str(error)) == (type(back), str(back))
    assert getattr(error, "retry_after", None) == getattr(back, "retry_after", None)


def test_a_fault_of_ours_is_no_error_for_a_client() -> None:
    assert wire.pack_error(KeyError("x")) is None


# R028
def test_indexes_of_other_meaning_live_side_by_side_in_one_host(
    root: Path, settings: connote.Settings, note: Callable[[], Note]
) -> None:
    other = dataclasses.replace(settings, chunk=connote.ChunkOptions(max_size=50))
    with connote.open(root, settings) as one, connote.open(root, other) as two:
        assert 2 == one.sync().added == two.sync().added
        assert one.status().path != two.status().path
        host = note().pid
        (root / "b.py").unlink()
        one.update("b.py")

        assert (["a.py"], ["a.py", "b.py"]) == (one.files(), two.files())
        assert host == note().pid


def test_a_second_sync_waits_for_the_first_and_reports_its_progress(
    tree: Callable[..., Path], root: Path, settings: connote.Settings, until: Until
) -> None:
    tree(many(200))
    seen: list[connote.Progress] = []
    with connote.open(root, settings) as one, connote.open(root, settings) as two:
        begun = threading.Event()
        reports: list[connote.Report] = []
        running = threading.Thread(target=lambda: reports.append(one.sync(lambda _: begun.set())))
        running.start()
        assert begun.wait(60)
        report = two.sync(seen.append)
        running.join()

    assert [202] == [report.added for report in reports]
    assert (0, 202) == (report.added, report.unchanged)
    assert any(progress.total == 202 for progress in seen)


def test_a_cancelled_sync_stops_and_says_what_it_did(
    tree: Callable[..., Path], root: Path, settings: connote.Settings
) -> None:
    tree(many(400))
    cancel = threading.Event()
    with connote.open(root, settings) as index:
        report = index.sync(lambda _: cancel.set(), cancel=cancel)

        assert report.cancelled
        assert 0 < report.added == len(index.files()) < 402
        assert "degraded" == index.status().state
        with pytest.raises(Cancelled):
            index.answer(QUESTION, cancel=cancel)


# R066: work goes on for a client that is gone.
def test_a_sync_stops_when_its_client_is_killed(
    tree: Callable[..., Path], root: Path, settings: connote.Settings, python: Run, until: Until
) -> None:
    tree(many(600))
    code = "connote.open(sys.argv[1], settings).sync(lambda progress: print(progress.done, flush=True))"
    client = python(code, root)
    assert client.stdout.readline()
    client.kill()
    with connote.open(root, settings) as index:
        until(lambda: index.status().state != "indexing")

        assert 0 < len(index.files()) < 602


def test_who_follows_an_index_hears_what_others_do(
    root: Path, settings: connote.Settings, python: Run, until: Until
) -> None:
    news: list[News] = []
    with connote.open(root, settings) as index:
        index.follow(news.append)
        code = "connote.open(sys.argv[1], settings).sync()"
        until(lambda: news or not python(code, root).communicate()[1])
        until(lambda: [one for one in news if one.kind == "changed"])

    assert {"changed", "progress"} >= {one.kind for one in news}


def test_who_follows_an_index_hears_of_changes_that_nobody_reports(
    root: Path, settings: connote.Settings, until: Until
) -> None:
    heard = threading.Event()
    with connote.open(root, settings) as index:
        index.sync()
        index.follow(lambda news: heard.set() if news.kind == "changed" else None)

        def is_watched() -> bool:
            # Until the root is watched, no event tells of what is written.
            (root / "c.py").write_text(f"def zebra_{os.urandom(2).hex()}():\n    return 1\n", encoding="utf-8")
            return heard.wait(0.2)

        until(is_watched)
        until(lambda: "c.py" in index.files())


def test_who_follows_an_index_that_another_clears_goes_on_to_hear(
    root: Path, settings: connote.Settings, until: Until
) -> None:
    news: list[News] = []
    with connote.open(root, settings) as index, connote.open(root, settings) as other:
        index.sync()
        index.follow(news.append)
        until(lambda: other.sync() and news)
        assert clear(root, settings)
        news.clear()

        until(lambda: other.update("a.py") and [one for one in news if one.kind == "changed"])


def test_a_host_that_was_stopped_is_started_again_by_the_next_call(
    root: Path, settings: connote.Settings, note: Callable[[], Note], folder: Path
) -> None:
    with connote.open(root, settings) as index:
        index.sync()
        host = note().pid
        assert "stopped" == stop(root, settings)
        assert None is stop(root, settings)
        assert not (folder / "host.json").exists()

        assert "a.py" == paths(index)[0]
        assert host != note().pid
    assert [(root, "stopped")] == stop_all(settings)
    assert [] == stop_all(settings)


def test_clearing_removes_what_other_clients_use_and_they_go_on_with_an_empty_index(
    root: Path, settings: connote.Settings, folder: Path, until: Until
) -> None:
    with connote.open(root, settings) as index:
        index.sync()
        assert clear(root, settings)
        assert [] == index.files()
        assert 2 == index.sync().added
    assert clear(root, settings)
    # Without another client the host ends, and leaves nothing behind.
    until(lambda: not folder.exists())
    assert not clear(root, settings)


def test_a_process_that_asks_a_host_loads_no_stage(root: Path, python: Run) -> None:
    code = (
        "with connote.open(sys.argv[1], settings) as index:\n"
        "    index.sync()\n"
        "    index.search('wait')\n"
        "names = 'numpy chromadb tree_sitter pathspec starlette uvicorn http.client asyncio ssl'.split()\n"
        "print([name for name in names if name in sys.modules])\n"
    )

    assert ("[]\n", "") == python(code, root).communicate()


def test_without_hosts_by_setting_the_process_does_the_work(
    root: Path, settings: connote.Settings, folder: Path
) -> None:
    alone = dataclasses.replace(settings, server=dataclasses.replace(settings.server, host="off"))
    with connote.open(root, alone) as index:
        index.sync()

        assert isinstance(index, LocalIndex)
        assert ("ready", None) == (index.status().state, index.status().message)
    assert not (folder / "host.json").exists()


def test_where_no_host_can_be_the_process_does_the_work_and_says_so(
    root: Path, settings: connote.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(root / "no-python"))
    with connote.open(root, settings) as index:
        index.sync()

        assert "a.py" == paths(index)[0]
        assert "ready" == index.status().state
        assert "for want of a host" in (index.status().message or "")
        assert "could not be started" in (index.status().message or "")
