"""MCP over streamable HTTP, behind the guard of all servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from connote.faces.serving import Address
from connote.faces.serving.guard import MOST_BODY, Receive, Scope, Send
from connote.faces.serving.guarded import serve_guarded
from connote.faces.serving.service import Service

PATH = "/mcp"


def serve_http(server: Server[Any], service: Service, address: Address, say: Callable[[str], None]) -> int:
    """Serve until a signal ends it, and return the exit code. Raises ConfigError."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY,
        # The guard has looked at Host and Origin, by the same rules as for the HTTP face.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    async def indexing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            service.check()
        await app(scope, receive, send)

    try:
        return serve_guarded(lambda _url, _needs_token: indexing, service.served, address, say, path=PATH)
    finally:
        service.close()
