"""The command line: let the agents work on the questions, and say what they read."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import connote
from agent import report
from agent.context import FAR, MOST_BYTES, Context, Sources
from agent.with_connote import FORMS, ConnoteAgent, connected, described
from agent.with_ripgrep import RipgrepAgent, RipgrepMissingError, find_ripgrep, version
from benchmark.packages import PackageError, obtain
from benchmark.questions import Question, Subject, digests, read_half

FOLDER = Path(__file__).resolve().parent
THIRTY = ("beets", "kombu")
"""The packages of the thirty questions; see PROCEDURE.md."""
_ROW = re.compile(r"\[[^\[\]{}]+\]")


def main() -> int:
    """Do what the command line asks for, and return the exit code: 0 done, 2 something is missing."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="connote-agent-", ignore_cleanup_errors=True) as temporary:
        work = options.work.resolve() if options.work else Path(temporary)
        try:
            rg = find_ripgrep(options.rg)
            found = asyncio.run(_measured(options, rg, work))
        except (PackageError, RipgrepMissingError) as error:
            print(error, file=sys.stderr)
            return 2
    print(report.markdown(found))
    if options.write:
        text = _ROW.sub(lambda row: " ".join(row.group().split()), json.dumps(found, indent=1))
        (FOLDER / "figures.json").write_text(text + "\n", encoding="utf-8", newline="\n")
        (FOLDER / "figures.md").write_text(report.markdown(found), encoding="utf-8", newline="\n")
    return 0


def thirty(subject: Subject) -> tuple[Question, ...]:
    """Those of a package's questions that are of the thirty."""
    if subject.name not in THIRTY:
        return ()
    return tuple(question for number, question in enumerate(subject.questions, 1) if number % 4)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/quality/agent",
        description="Count what an agent reads until it has seen the right lines, with connote and with ripgrep.",
    )
    parser.add_argument("--all", action="store_true", help="all questions to develop on, beside the thirty")
    parser.add_argument("--rg", metavar="PROGRAM", help="ripgrep (default: rg)")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where packages are unpacked and kept")
    parser.add_argument("--archives", type=Path, metavar="DIR", help="archives that are there already")
    parser.add_argument("--write", action="store_true", help="rewrite agent/figures.json and figures.md")
    return parser.parse_args()


async def _measured(options: argparse.Namespace, rg: str, work: Path) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    tools = 0
    for subject in read_half("dev"):
        if subject.package is None or not (options.all or thirty(subject)):
            continue
        archives = options.archives or Path(os.environ.get("CONNOTE_TEST_CACHE") or work / "archives")
        root = obtain(subject.package, work, archives.resolve())
        with tempfile.TemporaryDirectory(dir=work, prefix="index-", ignore_cleanup_errors=True) as index_dir:
            async with connected(root, Path(index_dir)) as client:
                tools = await described(client)
                for question in subject.questions if options.all else thirty(subject):
                    outcomes = await asked(question, Sources(root), root, rg, client)
                    of_thirty = question in thirty(subject)
                    rows.append({"package": subject.name, "thirty": of_thirty, "query": question.query, **outcomes})
        print(f"{subject.name} done", file=sys.stderr)
    return {
        "connote": connote.__version__,
        "commit": _commit(),
        "ripgrep": version(rg),
        "described": tools,
        "files": digests("dev"),
        "rows": rows,
    }


async def asked(question: Question, sources: Sources, root: Path, rg: str, client: Any) -> dict[str, list[Any]]:
    """What each agent reads for a question: solved, bytes, calls; then solved and bytes if it may go on far longer."""
    found: dict[str, list[Any]] = {}
    for most in (MOST_BYTES, FAR):
        for form in FORMS:
            context = Context(question, sources, most)
            await ConnoteAgent(client, sources, form).read(question.query, context)
            found.setdefault(f"connote, as {form}", []).append(context.outcome)
        for way in ("files", "windows"):
            context = Context(question, sources, most)
            RipgrepAgent(rg, root, sources, windows=way == "windows").read(question.query, context)
            found.setdefault(f"ripgrep, {way}", []).append(context.outcome)
    return {name: [near.solved, near.bytes, near.calls, far.solved, far.bytes] for name, (near, far) in found.items()}


def _commit() -> str:
    def git(*command: str) -> str:
        done = subprocess.run(["git", *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", ":/server/connote")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")
