"""Bytes to text: by byte order mark, else UTF-8, else Windows-1252 where that is clearly what it is."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    # UTF-32's little-endian mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_HIGH = re.compile(rb"[\x80-\xff]+")
_UTF8_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}",
)
# Letters, in runs as short as Western languages have them, that touch an ASCII letter: `caf\xe9`, `gr\xf6\xdfe`.
_WESTERN = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xfd\xdf]{1,3}|[\xc0-\xd6\xd8-\xf6\xf8-\xfd]{1,3}(?=[A-Za-z])"
)
_NOT_WESTERN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that Windows-1252 does not define."""


def decode(data: bytes) -> str | None:
    """Decode a file's bytes; None when they are not text.

    UTF-16 and UTF-32 are known by their byte order mark, which is dropped; that of UTF-8 stays, as U+FEFF, so that
    places in `text.encode()` are places on disk. Other bytes are UTF-8, where what is not valid becomes U+FFFD: no
    guess at all is better than a wrong one. The exception is Windows-1252 (and with it Latin-1), when nearly all
    bytes above ASCII stand in words as letters of Western languages do.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            # Any ASCII at all, be it a line break, has a NUL byte there; without one it is not what the mark says.
            if body and b"\0" not in body:
                break
            text = body.decode(encoding, errors="replace")
            return text if _reads_as_text(text) else None
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if _is_western(data):
        return data.decode("cp1252")
    text = data.decode("utf-8", errors="replace")
    # A script of another encoding would be all replacement characters, and find nothing.
    return None if text.count("\ufffd") * 10 > len(text) * 3 else text


def _reads_as_text(text: str) -> bool:
    """Return whether decoding by a mark gave text: all of it valid, or nearly, and some of it ASCII."""
    ascii_characters = len(text.encode("ascii", errors="ignore"))
    return "\0" not in text and text.count("\ufffd") * 10 <= len(text) <= ascii_characters * 200


def _is_western(data: bytes) -> bool:
    if _NOT_WESTERN.search(data):
        return False
    high = sum(len(run) for run in _HIGH.findall(data))
    if sum(len(character) for character in _UTF8_CHARACTER.findall(data)) * 2 > high:
        return False  # UTF-8 with a few bytes damaged
    letters = sum(len(run) for run in _WESTERN.findall(data))
    return letters * 5 >= high * 4
