"""The pool: worker processes, their order, their budget and their end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from connote.chunk import ChunkOptions, ChunkPool, chunk, chunk_batch
from connote.chunk.worker import READY, receive, send
from connote.errors import ChunkingError, UnsupportedLanguageError
from connote.model import Progress

FILES = [(f"src/f{i}.py", f"def f{i}(a):\n    return a + {i}\n\n\n" * (1 + i * 7 % 40)) for i in range(60)]


def test_results_come_in_the_order_of_the_input() -> None:
    with ChunkPool(2) as pool:
        results = list(pool.map(FILES))

    assert [(path, chunk(path, text)) for path, text in FILES] == results


def test_a_pool_is_used_again_and_the_input_is_consumed_as_results_are_taken() -> None:
    taken: list[str] = []

    def lazily() -> Iterator[tuple[str, str]]:
        for path, text in FILES:
            taken.append(path)
            yield path, text

    with ChunkPool(2, window=2) as pool:
        results = pool.map(lazily())
        next(results)
        assert len(taken) <= 6
        results.close()  # type: ignore[attr-defined]
        assert [path for path, _ in FILES] == [path for path, _ in pool.map(FILES)]


def test_a_worker_that_hangs_is_replaced_and_its_file_cut_as_text() -> None:
    with ChunkPool(1, budget_seconds=1e-6) as pool:
        (_, chunks), (_, again) = pool.map([FILES[0], FILES[0]])

    assert isinstance(chunks, list)
    assert isinstance(again, list)
    assert "took longer than 1e-06 s; cut as text" == chunks[0].error
    assert "the chunker failed on this text before; cut as text" == again[0].error
    assert FILES[0][1].rstrip() == chunks[0].text
    assert ("python", None) == (chunks[0].language, chunks[0].symbol)


def test_a_worker_that_dies_is_replaced_and_its_file_cut_as_text() -> None:
    with ChunkPool(1, window=2) as pool:
        results = pool.map(_killing(pool))
        found = dict(results)

    assert chunk(*FILES[0]) == found[FILES[0][0]]
    assert chunk(*FILES[3]) == found[FILES[3][0]]
    assert "crashed the chunker; cut as text" in {pieces[0].error for pieces in found.values()}  # type: ignore[index]


def _killing(pool: ChunkPool) -> Iterator[tuple[str, str]]:
    yield FILES[0]
    yield FILES[1]
    # With one worker and two documents in flight, the first is done when a third is asked for.
    for worker in list(pool._all):
        worker.kill()
        worker._process.wait()
    yield from FILES[2:6]


def test_errors_are_results_of_their_file() -> None:
    options = ChunkOptions(strict=True)
    files = [("a.py", "x = 1\n"), ("a.unknownext", "x\n"), ("b.py", "y = 1\n")]
    with ChunkPool(1, options) as pool:
        results = [result for _, result in pool.map(files)]

    assert isinstance(results[1], ChunkingError)
    assert "a.unknownext: there is no grammar" in str(results[1])
    assert [chunk(*files[0]), chunk(*files[2])] == [results[0], results[2]]


def test_a_closed_pool_says_so() -> None:
    pool = ChunkPool(1)
    pool.close()
    pool.close()
    with pytest.raises(ChunkingError, match="closed"):
        next(pool.map(FILES))


@pytest.mark.parametrize("arguments", [{"workers": 0}, {"workers": 1, "budget_seconds": 0}])
def test_sizes_out_of_range_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        ChunkPool(**arguments)


def test_closing_ends_the_workers() -> None:
    pool = ChunkPool(2)
    list(pool.map(FILES[:8]))
    processes = [worker._process for worker in pool._all]
    pool.close()

    assert processes
    assert all(process.returncode is not None for process in processes)


def test_a_worker_ends_with_its_input_and_keeps_its_output_clean() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "connote.chunk.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    with worker.stdout, worker.stdin:
        assert READY == receive(worker.stdout)
        send(worker.stdin, ("cut", "a.py", "x = 1\n", ChunkOptions()))
        assert ("done", chunk("a.py", "x = 1\n")) == receive(worker.stdout)
        worker.stdin.close()

        assert 0 == worker.wait(60)
        assert b"" == worker.stdout.read()


def test_workers_run_the_installed_package_wherever_the_user_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is searched is not trusted: modules in it are never imported."""
    for name in ("pickle.py", "connote.py", "signal.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the current folder')\n")
    monkeypatch.chdir(tmp_path)
    with ChunkPool(1) as pool:
        ((_, chunks),) = pool.map(FILES[:1])

    assert chunk(*FILES[0]) == chunks


def test_a_user_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import connote.chunk as c\n"
        "files = [(f'{i}.py', f'def f{i}(): pass\\n') for i in range(80)]\n"
        "print(sum(len(r) for r in c.chunk_batch(files, concurrency=2)))\n"
    )
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, env=os.environ)

    assert "80" == out.stdout.strip()


@pytest.mark.parametrize("concurrency", [None, 1, 2])
def test_a_batch_keeps_order_and_reports_progress(concurrency: int | None) -> None:
    files = [*FILES[:4], ("a.unknownext", "x\n"), *FILES[4:8]]
    seen: list[Progress] = []
    results = chunk_batch(files, ChunkOptions(strict=True), concurrency=concurrency, on_progress=seen.append)

    assert [Progress(i + 1, 9, path) for i, (path, _) in enumerate(files)] == seen
    assert isinstance(results[4], UnsupportedLanguageError if concurrency != 2 else ChunkingError)
    assert [chunk(*file) for file in FILES[:8]] == [*results[:4], *results[5:]]
    assert [] == chunk_batch([])
    with pytest.raises(ValueError, match="concurrency"):
        chunk_batch([], concurrency=0)
