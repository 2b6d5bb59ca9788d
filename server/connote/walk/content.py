"""Reading a file: what its content says about it, and its text."""

from __future__ import annotations

import os
import re
import stat
from hashlib import blake2b
from pathlib import Path

from connote.languages import detect_language
from connote.model import Document, Problem, Skipped, SourceFile

from . import reasons, tables
from .encoding import decode
from .names import name_rules
from .options import WalkOptions
from .scope import is_link, unreadable
from .tokens import without_tokens

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    # A pipe that takes a file's place between looking and opening must neither be waited for nor followed.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)

_CONTROLS = bytes((*range(9), 0x0E, 0x0F, *range(0x10, 0x1B), 0x1C, 0x1D, 0x1E, 0x1F, 0x7F))
_HEAD = 8192
"""How much of a file is looked at for control characters."""

_LONG_LINE = 400
"""Characters. Minifiers that break lines at all do it after 500; people do not come near, but for data."""
_BUNDLED = 1000
"""Characters in overlong lines for each line of ordinary code: above it the ordinary lines are a bundle's remains."""
_DATA_LINES = 3
"""So many overlong lines may be data among code."""
_LONG_RUN = re.compile(rf"[^\n]{{{_LONG_LINE}}}")
_SMALL = 5000
"""Characters: below this a file without line breaks is a snippet, which does no harm."""

_COMMENT = re.compile(r"\s*(#|//|/\*|\*|--|;|<!--|%|\{-|\(\*|'|rem\b|@rem\b|dnl\b)", re.IGNORECASE)
_HIDDEN = re.compile(r"\s*(<!--|\.\. |//|%)")
"""A comment in prose: a heading that begins with `#` may well be about generated files."""
_GENERATED = re.compile(
    r"(?<![\w\"'`])@generated\b(?![\"'`])"
    r"|\bDO[ _-]NOT[ _-](EDIT|MODIFY|CHANGE)\b"
    r"|(?i:\bgenerated\b.*\bdo not (edit|modify|change)\b)"
    r"|(?i:<auto-?generated)"
    r"|(?i:^\W*(this file |file |code )?(is |was )?(auto(matically)?[ -]?)generated\b)"
    r"|(?i:\bthis (file|header|source) (is|was|has been) (auto(matically)?[ -]?)?generated\b)"
)
_HEAD_LINES = 20
"""Where generators put their mark."""
_HEAD_CODE = 3

_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(rb"[A-Za-z0-9+/]{40}")


def read(root: Path, file: SourceFile, options: WalkOptions) -> Document | Skipped | Problem:
    """Read a file that the walk has listed.

    Skipped when its content says that it is not for the index, or when it is gone or no regular file any more;
    a problem when it cannot be read. Tokens of known services in its text are `*`, character for character.
    The digest is of the bytes on disk, and size and time are those of what was read. Never raises for what a file is
    or does, and opens nothing but regular files below the root.
    """
    full = root.joinpath(*file.path.split("/"))
    try:
        replaced = _replaced(root, file.path)
        if replaced is not None:
            return Skipped(file.path, replaced)
        handle = os.open(full, _FLAGS)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return Skipped(file.path, reasons.NOT_A_FILE)
            if status.st_size > options.max_bytes:
                return Skipped(file.path, reasons.TOO_LARGE, status.st_size, status.st_mtime_ns)
            data = _read_up_to(handle, options.max_bytes + 1)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return Skipped(file.path, reasons.VANISHED)
    except OSError as error:
        return unreadable(file.path, error)

    if len(data) > options.max_bytes:  # it grows, or is of a kind that has no size
        return Skipped(file.path, reasons.TOO_LARGE, len(data), status.st_mtime_ns)
    judged = _judge(file.path, data, options)
    if isinstance(judged, Skipped):
        return Skipped(file.path, judged.reason, len(data), status.st_mtime_ns)
    digest = blake2b(data, digest_size=16).digest()
    return Document(file.path, judged, digest, len(data), status.st_mtime_ns)


def _replaced(root: Path, path: str) -> str | None:
    """Return why the path is no longer what the walk saw: a link has taken its place, or that of a folder around it."""
    status = None
    full = os.fspath(root)
    for name in path.split("/"):
        if name in {"", ".", ".."}:
            return reasons.NOT_A_FILE
        full = f"{full}{os.sep}{name}"
        status = os.lstat(full)
        if is_link(status):
            return reasons.LINK
    return None if status is not None and stat.S_ISREG(status.st_mode) else reasons.NOT_A_FILE


def _read_up_to(handle: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _judge(path: str, data: bytes, options: WalkOptions) -> str | Skipped:
    """Return the text, or the skip with its reason alone."""
    rules = name_rules(options)
    text = decode(data)
    if text is None or _is_binary(text):
        return Skipped(path, reasons.BINARY)
    if b"PRIVATE KEY" in data and _holds_private_key(data) and not rules.is_allowed_secret(path):
        return Skipped(path, reasons.SECRET)
    if not rules.is_allowed_secret(path):
        masked = without_tokens(text)
        # A file of settings with a token in it is where the token lives; code with one is code all the same.
        if masked != text and detect_language(path) in tables.SETTINGS_LANGUAGES:
            return Skipped(path, reasons.SECRET)
        text = masked
    if rules.brings_in(path):
        return text
    is_prose = path[path.rfind(".") + 1 :].lower() in tables.PROSE_EXTENSIONS
    if _is_generated(text, _HIDDEN if is_prose else _COMMENT):
        return Skipped(path, reasons.GENERATED)
    if not is_prose and _is_minified(text):
        return Skipped(path, reasons.MINIFIED)
    return text


def _is_binary(text: str) -> bool:
    head = text[:_HEAD].encode("utf-8", errors="replace")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls * 10 > len(head)


def _holds_private_key(data: bytes) -> bool:
    """Return whether there is a private key, and not just talk of one: code that reads keys knows their first line."""
    for begin in _KEY.finditer(data):
        body = data[begin.end() : begin.end() + 600].partition(b"-----")[0]
        if _KEY_BODY.search(body):
            return True
    return False


def _is_generated(text: str, comment: re.Pattern[str]) -> bool:
    """Return whether a comment in the first lines says that a program wrote the file.

    A few lines of code may come before it, such as `<?php`; after more it is the template of what the code generates.
    """
    code = 0
    for line in text.removeprefix("\ufeff")[:_HEAD].split("\n", _HEAD_LINES)[:_HEAD_LINES]:
        begin = comment.match(line)
        if begin is not None and _GENERATED.search(line[begin.end() :]):
            return True
        code += begin is None and bool(line.strip())
        if code > _HEAD_CODE:
            return False
    return False


def _is_minified(text: str) -> bool:
    """Return whether nearly all of the text is in overlong lines that are neither prose nor some lines among others."""
    if len(text) < _SMALL or _LONG_RUN.search(text) is None:
        return False
    lines = text.split("\n")
    long_lines = [line for line in lines if len(line) >= _LONG_LINE]
    length = sum(map(len, long_lines))
    if length * 5 < len(text) * 4:
        return False
    # Code that has the shape of code may have one line of data that outweighs it; a licence above a bundle is no code.
    short = sum(1 for line in lines if len(line) < _LONG_LINE and line.strip() and not _COMMENT.match(line))
    bundled = len(long_lines) > _DATA_LINES and length >= _BUNDLED * short
    if short > max(4, len(long_lines)) and not bundled:
        return False
    sample = "".join(long_lines)[:100_000]
    spaces = sum(map(sample.count, " \t"))
    foreign = 0 if sample.isascii() else sum(1 for char in sample if ord(char) > 0x2E80)
    # Prose has a space after each word, about one character in six; scripts without spaces are far above ASCII.
    return spaces * 10 < len(sample) and foreign * 4 < len(sample)
