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
    from connote.faces.serving.guard import Guard, Rules  # noqa: PLC0415
    from connote.faces.serving.listening import bind, serve, url_of  # noqa: PLC0415
    from connote.faces.serving.service import Service  # noqa: PLC0415
    from connote.faces.serving.tokens import token_for  # noqa: PLC0415

    token, file = token_for(address, served)
    seconds = float(served.settings.server.client_seconds)
    rules = Rules(token=token, host=address.host, open_paths=frozenset({"/health"}), seconds=seconds)
    with bind(address) as listener:
        service = Service(served, rest=10.0)
        url = url_of(listener)
        app = Guard(application(service, url, needs_token=token is not None), rules)

        def announce() -> None:
            part = f" (only {served.prefix})" if served.prefix else ""
            say(f"serving {served.root}{part} on {url}")
            say(
                f"the token is in {file}" if file else "no token is asked for: every program of this machine may search"
            )

        try:
            return serve(app, listener, seconds=seconds, announce=announce)
        finally:
            service.close()
