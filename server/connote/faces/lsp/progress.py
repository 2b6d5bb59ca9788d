"""Work-done progress that the editor shows, from its beginning to its end in every case."""

from __future__ import annotations

import asyncio
import threading
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from connote.model import Progress

if TYPE_CHECKING:
    from .server import ConnoteServer


class WorkDone:
    """One piece of work in the editor's progress area; nothing where the client shows none.

    `stop` is set when the user cancels it.
    """

    def __init__(self, server: ConnoteServer, title: str, stop: threading.Event) -> None:
        self._server = server
        self._title = title
        self._stop = stop
        self._token = str(uuid.uuid4())
        self._creating: asyncio.Task[None] | None = None
        self._shown = False
        self._last: str | None = None

    def begin(self) -> None:
        """Asks the client for a place to show it; the work need not wait for the answer."""
        window = self._server.client_capabilities.window
        if window is not None and window.work_done_progress:
            self._creating = asyncio.ensure_future(self._create())

    def report(self, progress: Progress) -> None:
        """Shows how far it is."""
        if self._shown and self._last is None:
            percentage = min(100 * progress.done // progress.total, 100) if progress.total else 0
            message = f"{progress.done}/{progress.total} files"
            self._server.work_done_progress.report(
                self._token, types.WorkDoneProgressReport(message=message, percentage=percentage)
            )

    def end(self, message: str) -> None:
        """Ends it, shown or not."""
        self._last = message
        if self._shown:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message))
            # pygls keeps tokens for ever.
            self._server.work_done_progress.tokens.pop(self._token, None)

    async def _create(self) -> None:
        progress = self._server.work_done_progress
        try:
            await progress.create_async(self._token)
        except JsonRpcException:
            return  # the client can, but will not
        progress.tokens[self._token].add_done_callback(lambda _: self._stop.set())
        begin = types.WorkDoneProgressBegin(title=self._title, percentage=0, cancellable=True)
        progress.begin(self._token, begin)
        self._shown = True
        if self._last is not None:
            self.end(self._last)
