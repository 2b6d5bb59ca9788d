"""MCP over streamable HTTP, behind the guard of all servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from connote.faces.serving import Address
from connote.faces.serving.guard import MOST_BODY, Guard, Receive, Rules, Scope, Send
from connote.faces.serving.listening import bind, serve, url_of
from connote.faces.serving.service import Service
from connote.faces.serving.tokens import token_for

PATH = "/mcp"


def serve_http(server: Server[Any], service: Service, address: Address, say: Callable[[str], None]) -> int:
    """Serve until a signal ends it, and return the exit code. Raises ConfigError."""
    token, file = token_for(address, service.served)
    seconds = float(service.served.settings.server.client_seconds)
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

    with bind(address) as listener:
        url = url_of(listener)

        def announce() -> None:
            part = f" (only {service.served.prefix})" if service.served.prefix else ""
            say(f"serving {service.served.root}{part} on {url}{PATH}")
            say(f"the token is in {file}")

        try:
            guarded = Guard(indexing, Rules(token=token, host=address.host, seconds=seconds))
            return serve(guarded, listener, seconds=seconds, announce=announce)
        finally:
            service.close()
