"""Memory and CPU of all processes that have to do with a run."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path


class Memory:
    """The peak of the proportional sizes of this process, of all that know the folder of the run, and of what these
    have started, in MB."""

    def __init__(self, folder: Path) -> None:
        self.peak = 0.0
        self._cpu: dict[str, float] = {}
        self.processes = 0
        self._mark = os.fsencode(folder)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        if sys.platform == "linux":
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def cpu(self) -> float:
        """Seconds of CPU of these processes until now, but for the last moment of those that ended."""
        return sum(self._cpu.values())

    def _watch(self) -> None:
        while not self._done.wait(0.25):
            sizes = [size for size in map(self._size, self._mine()) if size]
            if sum(sizes) > self.peak:
                self.peak, self.processes = sum(sizes), len(sizes)

    def _mine(self) -> set[Path]:
        """This process, those that know the folder, and whatever these have started."""
        parents: dict[Path, str] = {}
        found = {Path("/proc", str(os.getpid()))}
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
        return found

    def _size(self, process: Path) -> float:
        try:
            used = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
            self._cpu[process.name] = sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) / 1000
        except OSError:
            pass
        return 0
