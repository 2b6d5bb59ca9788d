"""The HTTP face: `connote serve`."""

from __future__ import annotations

from collections.abc import Callable

from connote.faces.serving import Address, Served


def run(served: Served, address: Address, say: Callable[[str], None]) -> int:
    """Serve until a signal ends it, and return the exit code; `say` tells the user where, and how to get in.

    Raises ConfigError for an address or a token that cannot be used.
    """
    # Not at the top, so that who only wants to know about this face pays nothing.
    from connote.faces.http.app import application  # noqa: PLC0415
    from connote.faces.serving.guarded import serve_guarded  # noqa: PLC0415
    from connote.faces.serving.service import Service  # noqa: PLC0415

    service = Service(served, rest=10.0)
    try:
        return serve_guarded(
            lambda url, needs_token: application(service, url, needs_token=needs_token),
            served,
            address,
            say,
            open_paths=frozenset({"/health"}),
        )
    finally:
        service.close()
