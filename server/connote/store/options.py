"""The store's settings, and the place that they name for an index's vectors."""

from __future__ import annotations

import base64
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

_CLOUD = "https://api.trychroma.com"
_HEADERS = {"bearer": "Authorization", "basic": "Authorization", "x-chroma-token": "X-Chroma-Token"}


@dataclass(frozen=True)
class StoreOptions:
    """Where vectors are kept."""

    kind: str = field(default="persistent", metadata={"choices": ("persistent", "server", "cloud"), "user_only": True})
    """`persistent` is a Chroma folder beside the catalog, `server` a Chroma server of yours, `cloud` Chroma Cloud."""
    url: str = field(default="", metadata={"user_only": True})
    """The Chroma server, such as `https://chroma.example:8000`; for `cloud` empty means Chroma's own."""
    auth: str = field(default="bearer", metadata={"choices": tuple(_HEADERS), "user_only": True})
    """How a server is told `store.credentials`: `Authorization: Bearer`, `Basic`, or the header `X-Chroma-Token`."""
    credentials: str = field(default="", repr=False, metadata={"user_only": True, "secret": True})
    """The server's token, `user:password` for `basic`, or Chroma Cloud's API key; empty sends none."""
    tenant: str = field(default="", metadata={"user_only": True})
    """The server's tenant; empty is the server's default, or for `cloud` the one that the key belongs to."""
    database: str = field(default="", metadata={"user_only": True})
    """The server's database; empty is the default one, or for `cloud` the one that the key belongs to."""
    keep_days: int = field(default=14, metadata={"minimum": 1, "maximum": 3650})
    """Days after which an index that nobody used is dropped."""
    cache_bytes: int = field(default=500_000_000, metadata={"minimum": 0, "maximum": 1 << 40, "user_only": True})
    """Size of the vectors that all roots share, so that a text is embedded once; 0 keeps none."""

    def __post_init__(self) -> None:
        if self.kind == "server" and not self.url:
            raise ValueError("store.kind is 'server', and store.url does not say where it is")
        if self.kind == "cloud" and not self.credentials:
            raise ValueError("store.kind is 'cloud', and store.credentials holds no API key")
        if self.url:
            parts = urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
                raise ValueError(
                    "store.url is no address such as https://chroma.example:8000 (credentials go to store.credentials)"
                )
        if self.auth == "basic" and self.credentials and ":" not in self.credentials:
            raise ValueError("store.auth is 'basic', and store.credentials is not user:password")

    def where(self) -> str:
        """What tells vectors kept elsewhere apart; empty for a folder beside the catalog. Holds no secret."""
        if self.kind == "persistent":
            return ""
        return f"{self.kind} {self.url} {self.tenant} {self.database}"


@dataclass(frozen=True)
class Place:
    """One Chroma collection: in a folder, or on a server."""

    name: str
    """The collection's."""
    folder: str = ""
    """Absolute; empty for a server."""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    tenant: str | None = None
    database: str | None = None
    cloud: bool = False

    @property
    def shown(self) -> str:
        """How messages name it."""
        return self.folder or f"{self.url} ({self.name})"

    def message(self) -> dict[str, object]:
        """Its fields, as `Place(**fields)` takes them."""
        return asdict(self)


def place_of(options: StoreOptions, folder: Path, collection: str) -> Place:
    """Where the vectors of an index lie: below `folder`, or in `collection` of a server."""
    if options.kind == "persistent":
        # Two spellings of one folder would be two unconnected systems in one process.
        return Place("chunks", folder=str(folder.resolve()))
    cloud = options.kind == "cloud"
    headers = {}
    if options.credentials:
        auth = "x-chroma-token" if cloud else options.auth
        value = options.credentials
        if auth == "basic":
            value = "Basic " + base64.b64encode(value.encode()).decode()
        elif auth == "bearer":
            value = f"Bearer {value}"
        headers[_HEADERS[auth]] = value
    return Place(
        collection,
        url=options.url or _CLOUD,
        headers=headers,
        tenant=options.tenant or None,
        database=options.database or None,
        cloud=cloud,
    )
