"""The MCP face: `connote mcp`."""

from __future__ import annotations

from collections.abc import Callable

from connote.faces.serving import Address, Served


def run(served: Served, address: Address | None, say: Callable[[str], None]) -> int:
    """Serve on standard input and output, or over streamable HTTP at an address, and return the exit code.

    `say` tells the user where, and how to get in. Raises ConfigError for an address or a token that cannot be used.
    """
    # Not at the top, so that who only wants to know about this face pays nothing.
    from connote.faces.mcp.server import build  # noqa: PLC0415
    from connote.faces.serving.service import Service  # noqa: PLC0415

    service = Service(served, rest=0.0)
    if address is None:
        from connote.faces.mcp.stdio import serve_stdio  # noqa: PLC0415

        return serve_stdio(build(service), service)
    from connote.faces.mcp.over_http import serve_http  # noqa: PLC0415

    return serve_http(build(service), service, address, say)
