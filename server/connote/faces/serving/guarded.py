"""Serving behind the guard: the one way in which a face gets on the network."""

from __future__ import annotations

from collections.abc import Callable

from connote.faces.serving import Address, Served
from connote.faces.serving.guard import App, Guard, Rules
from connote.faces.serving.listening import bind, serve, url_of
from connote.faces.serving.tokens import token_for


def serve_guarded(
    application: Callable[[str, bool], App],
    served: Served,
    address: Address,
    say: Callable[[str], None],
    *,
    path: str = "",
    open_paths: frozenset[str] = frozenset(),
) -> int:
    """Serve an application until a signal ends it, and return the exit code.

    It is made from the URL that it is reached by and whether clients need a token, which all but `open_paths` ask
    for. `say` tells the user where it is, by its `path`, and how to get in.
    Raises ConfigError for an address or a token that cannot be used.
    """
    token, file = token_for(address, served)
    seconds = served.settings.server.client_seconds
    rules = Rules(token=token, host=address.host, open_paths=open_paths, seconds=seconds)
    with bind(address) as listener:
        url = url_of(listener)

        def announce() -> None:
            part = f" (only {served.prefix})" if served.prefix else ""
            say(f"serving {served.root}{part} on {url}{path}")
            say(
                f"the token is in {file}" if file else "no token is asked for: every program of this machine may search"
            )

        return serve(Guard(application(url, token is not None), rules), listener, seconds=seconds, announce=announce)
