"""One request to an OpenAI-compatible endpoint: the only user of the openai package."""

from __future__ import annotations

import base64
import binascii
import re
import ssl
import threading
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from connote.embed.address import Address, address_of, shown
from connote.embed.facts import Facts
from connote.embed.keys import Key
from connote.errors import EmbedError

if TYPE_CHECKING:
    import openai

    from connote.embed import EmbedOptions

Row = NDArray[np.float32]
_REFUSED = frozenset((400, 413, 422))
"""What an endpoint answers to texts that it cannot take: too many, too long, or one that it does not like."""
_OWN_HEADERS = frozenset(("host", "accept", "accept-encoding", "connection", "content-type", "content-length"))
_TOO_LONG = re.compile(
    r"context.?length|too long|max\w* (?:context|input|sequence)|input length|physical batch size"
    r"|\btokens?\b.*(?:limit|maximum|exceed|too (?:large|many))"
    r"|(?:limit|maximum|exceed\w*|(?:less|fewer|more) than)\b.*\btokens?\b",
    re.IGNORECASE | re.DOTALL,
)
_FEWEST_TOKENS, _MOST_TOKENS = 32, 1_000_000
"""Between them a number in a complaint about length is taken for the model's limit."""


class BusyError(EmbedError):
    """The endpoint gives no answer now; it may a moment later."""

    def __init__(self, message: str, retry_after: float | None = None, *, limited: bool = False) -> None:
        """`retry_after` is what the endpoint asked for; `limited` says that it is well and asks for patience."""
        super().__init__(message, retry_after)
        self.limited = limited


class TextsError(EmbedError):
    """The endpoint refuses these texts; perhaps only one of them, or that many."""

    def __init__(self, message: str, *, too_long: bool, tokens: int) -> None:
        """`tokens` is the model's limit, where the endpoint named one, else 0."""
        super().__init__(message)
        self.too_long = too_long
        self.tokens = tokens


class Endpoint:
    """Sends one request after the other, each when it is told to. Any number of threads may use it.

    It sends what the options say and nothing else: no header that the environment holds for another endpoint, and
    nothing to where the endpoint redirects. What the endpoint writes is never told, for it may repeat the key.
    """

    def __init__(self, options: EmbedOptions) -> None:
        self._options = options
        self._key = Key(options.api_key, options.api_key_command)
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None
        self._address: Address | None = None

    @property
    def shown(self) -> str:
        """The endpoint's address for messages."""
        return shown(self._where().url)

    def _where(self) -> Address:
        if self._address is None:
            self._address = address_of(self._options.base_url, self._options.model)
        return self._address

    def ask(self, texts: Sequence[str], facts: Facts, seconds: float) -> list[Row]:
        """A row for each text, of whatever length and values the endpoint sends.

        Raises BusyError, TextsError, and EmbedError for what neither time nor other texts can change.
        """
        key = self._key.get()
        try:
            return self._ask(texts, facts, seconds, key)
        except _KeyRefusedError as error:
            try:
                if self._key.renew(key):
                    return self._ask(texts, facts, seconds, self._key.get())
            except _KeyRefusedError:
                pass
            raise EmbedError(str(error)) from error

    def close(self) -> None:
        """Close its connections. The next request opens others."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    # Private

    def _ask(self, texts: Sequence[str], facts: Facts, seconds: float, key: str) -> list[Row]:
        import openai  # noqa: PLC0415 - importing it costs a second that only its users should pay

        body: dict[str, Any] = {"input": list(texts), "model": self._options.model}
        if facts.form:
            body["encoding_format"] = facts.form
        if self._options.dimensions and facts.sends_dimensions:
            body["dimensions"] = self._options.dimensions
        # Headers are ours from the first to the last: see `_finish`.
        options: Any = {"timeout": seconds, "headers": self._headers(key)}
        try:
            answer = self._open().post("/embeddings", cast_to=object, body=body, options=options)
            return _rows(answer, len(texts))
        except openai.APIStatusError as error:
            raise self._problem(error) from None
        except openai.APITimeoutError:
            raise BusyError(f"The endpoint does not answer in {seconds:g} s ({self.shown}).") from None
        except openai.APIConnectionError:
            raise BusyError(f"The endpoint cannot be reached: check embed.base_url ({self.shown}).") from None
        except (openai.APIError, ValueError, TypeError, KeyError, AttributeError, binascii.Error):
            # It says yes and sends what is no list of vectors: an error page, or another kind of service.
            raise BusyError(f"The endpoint's answer is not readable: check embed.base_url ({self.shown}).") from None

    def _open(self) -> openai.OpenAI:
        import openai  # noqa: PLC0415 - as above

        with self._lock:
            if self._client is None:
                address, options = self._where(), self._options
                try:
                    http = openai.DefaultHttpxClient(
                        follow_redirects=False,
                        proxy=options.proxy or None,
                        verify=ssl.create_default_context(cafile=options.ca_file) if options.ca_file else True,
                        event_hooks={"request": [_finish]},
                    )
                except (OSError, ValueError, ImportError) as error:
                    what = "embed.ca_file" if options.ca_file else "the proxy"
                    kind = type(error).__name__
                    raise EmbedError(f"The endpoint cannot be asked: {what} is of no use ({kind}).") from None
                self._client = openai.OpenAI(
                    api_key="none",
                    base_url=address.url,
                    default_query=dict(address.query),
                    max_retries=0,
                    http_client=http,
                )
            return self._client

    def _headers(self, key: str) -> dict[str, str]:
        address = self._where()
        headers = {}
        if key and address.azure:
            headers["api-key"] = key
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        elif address.login is not None:
            headers["Authorization"] = f"Basic {base64.b64encode(':'.join(address.login).encode()).decode()}"
        for line in self._options.headers:
            name, colon, value = line.partition(":")
            if not colon or not name.strip() or not line.isprintable() or not line.isascii():
                raise EmbedError(f"embed.headers: a header is 'Name: value', and {name.strip()!r} is none.")
            headers[name.strip()] = value.strip()
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise EmbedError("embed.api_key holds what no key can hold.")
        return {f"{_MARK}{name}": value for name, value in headers.items()}

    def _problem(self, error: openai.APIStatusError) -> EmbedError:
        status, where = error.status_code, self.shown
        if status in _REFUSED:
            text = str(error.body)[:5000]
            too_long = status == 413 or bool(_TOO_LONG.search(text))
            sizes = [int(number) for number in re.findall(r"\d{2,7}", text)] if too_long else []
            limit = min((size for size in sizes if _FEWEST_TOKENS <= size <= _MOST_TOKENS), default=0)
            message = f"The endpoint answered {status}: check embed.model, .dimensions and .api_key ({where})."
            return TextsError(message, too_long=too_long, tokens=limit)
        if status in {401, 403}:
            return _KeyRefusedError(f"The endpoint refuses the key ({status}): check embed.api_key ({where}).")
        if status in {404, 405}:
            return EmbedError(
                f"The endpoint has no such model, or nothing at that address ({status}): check embed.model and "
                f"embed.base_url ({where}), which mostly ends in /v1."
            )
        if 300 <= status < 400:
            to = shown(error.response.headers.get("location", ""))
            return EmbedError(
                f"The endpoint redirects to {to}, and nothing is sent there on its word: if that is yours, "
                f"set embed.base_url to it ({status} at {where})."
            )
        after = _retry_after(error.response.headers)
        if status == 429 and error.code == "insufficient_quota":
            return EmbedError("The endpoint's account has nothing left (429): see its billing.")
        if status == 429 or (status == 503 and after is not None):
            return BusyError("The endpoint refuses more requests for now.", after, limited=True)
        if status >= 500 or status in {408, 409, 425}:
            return BusyError(f"The endpoint fails ({status}, {where}).", after)
        return EmbedError(f"The endpoint answered {status}: check embed.model and embed.base_url ({where}).")


class _KeyRefusedError(EmbedError):
    """The key is not good, or not good any more."""


_MARK = "x-connote-"


def _finish(request: Any) -> None:
    """Leave of a request's headers those that carry it and those that the options name.

    The package adds others from the environment, such as an organisation or custom headers meant for OpenAI.
    """
    for name, value in list(request.headers.items()):
        if name in _OWN_HEADERS:
            continue
        del request.headers[name]
        if name.startswith(_MARK):
            request.headers[name[len(_MARK) :]] = value
    request.headers["user-agent"] = "connote"


def _rows(answer: Any, count: int) -> list[Row]:
    """The vectors in the order of the texts. Raises ValueError and the like for what is no answer."""
    rows: dict[int, Row] = {}
    for place, item in enumerate(answer["data"]):
        value = item["embedding"]
        index = item.get("index")
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32)
        else:
            row = np.array(value, np.float32)
        if row.ndim != 1 or not len(row):
            raise ValueError("an embedding is no row of numbers")
        rows[index if isinstance(index, int) else place] = row
    if sorted(rows) != list(range(count)):
        raise ValueError("the answer has other texts' vectors")
    return [rows[place] for place in range(count)]


def _retry_after(headers: Any) -> float | None:
    """Seconds that the endpoint asks to wait."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if not text:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - time.time()
            except (ValueError, TypeError):
                continue
        if seconds == seconds and seconds < float("inf"):  # noqa: PLR0124 - NaN is not equal to itself
            return max(0.0, seconds)
    return None
