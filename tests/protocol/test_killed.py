"""kill -9 of the host, of a face, and of both, at moments that nobody chose: no editor ends, and nothing is lost.

R048, R051, R057, through real processes: an editor that lives on, and one that is killed.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import connote
from connote.engine import places, stop
from connote.engine.host.rendezvous import read_note
from connote.engine.local import LocalIndex

pytestmark = [
    pytest.mark.usefixtures("hosted"),
    pytest.mark.skipif(
        sys.platform == "win32",
        reason="Windows has no SIGKILL: that kills at any moment lose nothing is not shown there",
    ),
]

Contents = Callable[[connote.Index], dict[str, Any]]
Vectors = Callable[[connote.Index], dict[str, set[str]]]

FULL = bool(os.environ.get("CONNOTE_TEST_FULL"))
FILES = 100
VICTIMS, MOMENTS = ("host", "face", "both"), ("indexing", "saving", "compacting")
TRIALS = (
    [(victim, moment, trial) for victim in VICTIMS for moment in MOMENTS for trial in range(20)]
    if FULL
    else [(victim, moment, 0) for victim, moment in zip(VICTIMS, ("saving", "indexing", "compacting"), strict=True)]
)

# A collection is made anew when thousands of its vectors are gone; here when thirty are, and it says when it begins.
HASTY = """
import sys
if "connote.engine.host" in " ".join(sys.orig_argv):
    from pathlib import Path
    from connote.store import follower
    follower._LEAST_DEAD, follower._DEAD_SHARE = 30, 0.1
    begin_anew = follower.Follower._replace
    def replace_and_tell(self):
        Path({compacting!r}).touch()
        begin_anew(self)
    follower.Follower._replace = replace_and_tell
"""


class Scene:
    """Two editors on one root, of which one lives on, and what the other one has been promised."""

    def __init__(self, root: Path, settings: connote.Settings, survivor: Any, face: Any, compacting: Path) -> None:
        self.root = root
        self.settings = settings
        self.survivor = survivor
        self.face = face
        self.compacting = compacting
        self.begun: Awaitable[object]
        """The start of the editor that lives on."""
        self.acknowledged: dict[str, str] = {}
        """A function of each file that was saved and found."""

    def write(self, generation: int, *numbers: int) -> None:
        for number in numbers:
            step = f"def step_{generation}_{number}_{{n}}(request):\n    return request.weight * {number} + {{n}}\n\n\n"
            (self.root / f"m{number}.py").write_text("".join(step.format(n=n) for n in range(8)), encoding="utf-8")

    async def save(self, generation: int, *numbers: int) -> None:
        """Save files in the editor that will be killed, each until that finds what is new in it."""
        for number in numbers:
            self.write(generation, number)
            path, name = f"m{number}.py", f"step_{generation}_{number}_0"
            self.face.notify("textDocument/didSave", {"textDocument": {"uri": (self.root / path).as_uri()}})
            assert path in await self.face.search(name, minScore=0, limit=5)
            self.acknowledged[path] = name

    async def finds_all(self, editor: Any) -> bool:
        found = [path in await editor.search(name, minScore=0, limit=5) for path, name in self.acknowledged.items()]
        return all(found)

    async def kill(self, victim: str) -> None:
        if victim != "face":
            folder = places.root_folder(self.root, self.settings)
            # There is none for a moment while an editor starts it.
            await self.survivor.until_true(lambda: read_note(folder) is not None)
            with suppress(ProcessLookupError):
                os.kill(read_note(folder).pid, signal.SIGKILL)
        if victim != "host":
            self.face.process.kill()

    async def reach(self, moment: str, chance: random.Random) -> Awaitable[object]:
        """Come to a moment of which nobody knows when it is; what is still under way there."""
        self.begun = asyncio.ensure_future(self.survivor.initialize(self.root))
        beginning = asyncio.ensure_future(self.face.initialize(self.root))
        if moment == "indexing":
            await asyncio.sleep(chance.uniform(0.2, 2))
            return beginning
        await asyncio.gather(self.begun, beginning)
        await self.survivor.until(lambda: self.survivor.state_of(self.root)["state"] == "ready")
        if moment == "saving":
            saving = asyncio.ensure_future(self.save(1, *chance.sample(range(FILES), FILES)))
            await asyncio.sleep(chance.uniform(0.1, 2))
            return saving
        await self.save(1, *range(5))
        self.compacting.unlink(missing_ok=True)
        self.write(2, *range(5, FILES))
        looking = asyncio.ensure_future(self.face.ask("workspace/executeCommand", {"command": "connote.reindex"}))
        await self.survivor.until_true(self.compacting.exists)
        await asyncio.sleep(chance.uniform(0, 0.3))
        return looking


@pytest.fixture
async def scene(start: Any, tree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    compacting = tmp_path / "compacting"
    (tmp_path / "hasty").mkdir()
    (tmp_path / "hasty" / "sitecustomize.py").write_text(HASTY.format(compacting=str(compacting)), encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path / "hasty"), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    settings = connote.Settings(index_dir=Path(os.environ["CONNOTE_INDEX_DIR"]))
    scene = Scene(tree().resolve(), settings, await start(), await start(), compacting)
    scene.write(0, *range(FILES))
    return scene


@pytest.mark.parametrize(("victim", "moment", "trial"), TRIALS)
async def test_a_kill_loses_nothing_and_ends_no_other_editor(
    scene: Scene, start: Any, tmp_path: Path, contents: Contents, vectors: Vectors, victim: str, moment: str, trial: int
) -> None:
    under_way = await scene.reach(moment, random.Random(f"{victim} {moment} {trial}"))
    await scene.kill(victim)
    try:
        await under_way
    except EOFError:
        assert victim != "host", "who was not killed notices"
    await scene.begun

    # The editor that lives on answers, finds all that was acknowledged, and says how it stands.
    survivor = scene.survivor
    assert survivor.process.returncode is None
    assert await scene.finds_all(survivor)
    await survivor.ask("workspace/executeCommand", {"command": "connote.reindex"})
    (folder,) = (await survivor.ask("connote/status"))["folders"]
    assert ("ready", FILES, 0) == (folder["state"], folder["files"], folder["failed"])
    assert b"Traceback" not in survivor.log
    assert [] == [note for note in survivor.noted("window/showMessage") if note["type"] <= 2]
    # So does the one that is started again.
    if victim != "host":
        again = await start()
        await again.initialize(scene.root)
        assert await scene.finds_all(again)
    stop(scene.root, scene.settings)
    fresh = LocalIndex(scene.root, connote.Settings(index_dir=tmp_path / "fresh"))
    fresh.sync()
    with LocalIndex(scene.root, scene.settings) as index:
        report = index.sync()
        assert (0, 0, 0, 0) == (report.added, report.changed, report.removed, report.embedded)
        assert contents(fresh) == contents(index)
        found = vectors(index)
        assert found["wanted"] == found["stored"] == found["chroma"]
    fresh.close()
