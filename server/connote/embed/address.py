"""Where an endpoint is: whatever form of its address a user has at hand."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from connote.errors import EmbedError

OPENAI = "https://api.openai.com/v1"
_PATH = "/embeddings"
_AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_AZURE_PATH = "/openai/deployments/"


@dataclass(frozen=True)
class Address:
    """An endpoint. `url` plus `/embeddings` plus `query` is what is asked."""

    url: str
    """Without a trailing slash, a query or a user's name."""
    query: tuple[tuple[str, str], ...] = ()
    azure: bool = False
    """Whether the key goes into the header `api-key`."""
    login: tuple[str, str] | None = None
    """User and password, where the address held them."""


def address_of(base_url: str, model: str) -> Address:
    """The endpoint that a user means by `base_url`; empty is OpenAI's own. Raises EmbedError for what is no address.

    A host alone gets `/v1`, as most servers have it; a path is taken as it is, without a trailing `/embeddings`.
    """
    text = base_url.strip() or OPENAI
    try:
        parts = urlsplit(text if "://" in text else f"{_scheme(text)}://{text}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise EmbedError(f"embed.base_url is no address ({error}); it looks like http://localhost:11434/v1.") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise EmbedError("embed.base_url is no address; it looks like http://localhost:11434/v1.")
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    azure = host.endswith(_AZURE_HOSTS) or _AZURE_PATH in parts.path
    path = parts.path.rstrip("/").removesuffix(_PATH)
    if azure and path in {"", "/openai"}:
        path = f"{_AZURE_PATH}{quote(model, safe='')}" if query else "/openai/v1"
    where = f"[{host}]" if ":" in host else host
    url = f"{parts.scheme}://{where}{f':{port}' if port else ''}{path or '/v1'}"
    return Address(url, query, azure, _login(parts))


def shown(url: str) -> str:
    """An address without what may be secret in it: its scheme, host and path."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "an address that is none"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}" if host else parts.path


def _login(parts: SplitResult) -> tuple[str, str] | None:
    return (parts.username or "", parts.password or "") if parts.username or parts.password else None


def _scheme(text: str) -> str:
    """What is meant by a host without one: its own machine and network speak plainly, all others over TLS."""
    host = urlsplit(f"//{text}").hostname or ""
    try:
        near = ip_address(host).is_private
    except ValueError:
        near = "." not in host or host.endswith((".local", ".localhost", ".internal"))
    return "http" if near else "https"
