"""What the faces for other programs share: what is served, to whom, and how questions are put."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from connote.config import Settings


@dataclass(frozen=True, slots=True)
class Served:
    """What clients may ask about."""

    root: Path
    """Resolved."""
    prefix: str | None
    """The part of the root that is served, relative to it, with `/`; None is all of it."""
    settings: Settings


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens, and who may talk to it."""

    host: str
    port: int
    """0 is any that is free."""
    token_file: str | None = None
    """Holds the token; None has connote make one."""
    no_token: bool = False


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone. A name is not looked up: only `localhost` is known."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
