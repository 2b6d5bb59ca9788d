"""The host's life: it takes the lock, listens, serves, and ends when asked to or when nobody asks any more."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import faulthandler
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from connote.engine import places
from connote.engine.host.app import Host
from connote.engine.host.indexes import Indexes
from connote.engine.host.lock import HostLock
from connote.engine.host.rendezvous import VERSION, Note, forget, listen, remove_note, write_note
from connote.engine.places import LOCK, LOG, START
from connote.errors import StoreError

_LOCK_SECONDS = 5.0
_GRACE_SECONDS = 5
"""How long the calls that run may take to stop, once the host shall end."""
_LONGEST_LOOK = 1.0
_SWITCH_SECONDS = 0.0005
_FOR_EVER = 10**8
_log = logging.getLogger(__name__)


def serve(folder: str, root: str, listens: Callable[[], None]) -> int:
    """Be the host of a root, whose indexes are in `folder`; returns the exit code at the end of its life.

    `listens` is called when clients can come.
    """
    os.umask(0o077)
    faulthandler.enable()
    # While all is indexed, a search gets its turn after so long, and it takes some dozen turns.
    sys.setswitchinterval(_SWITCH_SECONDS)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    place = Path(folder)
    lock = HostLock(place / LOCK)
    if not lock.acquire(_LOCK_SECONDS):
        _log.error("another host has the indexes in %s", place)
        return 1
    remove_note(place)
    note = Note(os.getpid(), VERSION, os.urandom(8).hex(), token=os.urandom(32).hex())
    try:
        listening, address = listen(place)
    except (StoreError, OSError) as error:
        _log.error("no client could come: %s", error)
        lock.remove()
        return 1
    indexes = Indexes(Path(root), place)
    try:
        asyncio.run(_Server(indexes, dataclasses.replace(note, address=address), place, listens).live(listening))
    finally:
        # Nothing of the host may be found any more before the next one is allowed to begin.
        remove_note(place)
        forget(address)
        indexes.close()
        _leave(place, lock)
        logging.shutdown()
        sys.stderr.flush()
        # Not by returning: Python would wait for threads whose work nobody waits for any more.
        os._exit(0)


class _Server(uvicorn.Server):
    def __init__(self, indexes: Indexes, note: Note, folder: Path, listens: Callable[[], None]) -> None:
        self._host = Host(indexes, str(note.token), self._stop, lambda: len(self.server_state.connections))
        self._note = note
        self._folder = folder
        self._listens = listens
        config = uvicorn.Config(
            self._host.app,
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            # Clients keep their connections: they show that they live.
            timeout_keep_alive=_FOR_EVER,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)

    async def live(self, listening: socket.socket) -> None:
        """Serve until the end."""
        loop = asyncio.get_running_loop()
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self._stop)
        watching = asyncio.ensure_future(self._end_when_idle())
        try:
            await self.serve([listening])
        finally:
            watching.cancel()
            self._host.join(_GRACE_SECONDS)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and tell it."""
        await super().startup(sockets)
        write_note(self._folder, self._note)
        self._listens()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `live`: uvicorn would end the process by them in the end, before it is cleaned up."""
        yield

    def _stop(self) -> None:
        # Nobody shall come any more; those who are here repeat their calls with the next host.
        remove_note(self._folder)
        self._host.end()
        self.should_exit = True

    async def _end_when_idle(self) -> None:
        last = time.monotonic()
        while not self.should_exit:
            seconds = self._host.idle_minutes * 60
            await asyncio.sleep(min(_LONGEST_LOOK, max(seconds / 4, 0.05)))
            if self.server_state.connections:
                last = time.monotonic()
            elif time.monotonic() - last >= seconds:
                self._stop()


def _leave(folder: Path, lock: HostLock) -> None:
    """Let the next host begin; a folder without any index is removed, if nobody is about to start one there."""
    starting = HostLock(folder / START)
    if places.has_index(folder) or not starting.acquire():
        lock.remove()
        return
    (folder / LOG).unlink(missing_ok=True)
    lock.remove()
    starting.remove()
    with contextlib.suppress(OSError):
        folder.rmdir()
