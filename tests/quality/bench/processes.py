"""Memory and CPU of all processes that have to do with a run."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from pathlib import Path

ROLES = {b"connote.engine.host": "host", b"connote.sync.worker": "worker", b"connote lsp": "editor"}


class Memory:
    """The peak of the proportional sizes of all processes that know the folder of a run, and of what these have
    started, in MB. This process, which measures, is none of them.
    """

    def __init__(self, folder: Path) -> None:
        self.peak: dict[str, float] = {}
        """By what the processes are."""
        self._cpu: dict[str, float] = {}
        self._mark = os.fsencode(folder)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        if sys.platform == "linux":
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {size:.0f}" for name, size in sorted(self.peak.items()))
        return f"{sum(self.peak.values()):.0f} MB ({parts})"

    def cpu(self) -> float:
        """Seconds of CPU of these processes until now, but for the last moment of those that ended."""
        return sum(self._cpu.values())

    def _watch(self) -> None:
        while not self._done.wait(0.25):
            sizes: Counter[str] = Counter()
            for process in self._theirs():
                self._measure(process, sizes)
            if sizes.total() > sum(self.peak.values()):
                self.peak = dict(sizes)

    def _theirs(self) -> set[Path]:
        parents: dict[Path, str] = {}
        found = set()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                parents[process] = (process / "stat").read_text().rpartition(")")[2].split()[1]
                about = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
                if self._mark in about + os.fsencode((process / "cwd").readlink()):
                    found.add(process)
            except OSError:
                continue  # it ended, or is another user's
        while more := {one for one, parent in parents.items() if Path("/proc", parent) in found} - found:
            found |= more
        return found - {Path("/proc", str(os.getpid()))}

    def _measure(self, process: Path, sizes: Counter[str]) -> None:
        try:
            used = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
            self._cpu[process.name] = sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
            role = next((role for mark, role in ROLES.items() if mark in command), "Chroma")
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    sizes[role] += int(line.split()[1]) / 1000
        except OSError:
            pass
