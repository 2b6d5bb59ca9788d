"""MCP on standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from connote.faces.serving.service import Service

OK, INTERRUPTED = 0, 130


def serve_stdio(server: Server[Any], service: Service) -> int:
    """Serve until the client closes its end, or a signal comes; return the exit code."""

    def end(number: int, _frame: object) -> None:
        # The thread that reads standard input cannot be interrupted, so there is no other way out than this.
        service.close()
        os._exit(INTERRUPTED if number == signal.SIGINT else OK)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        asyncio.run(_serve(server, service))
    finally:
        service.close()
    return OK


async def _serve(server: Server[Any], service: Service) -> None:
    service.check()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
