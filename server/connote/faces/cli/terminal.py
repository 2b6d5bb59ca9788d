"""The streams of a command: output that outlives its reader, messages, colour, and Ctrl-C."""

from __future__ import annotations

import codecs
import contextlib
import errno
import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

import click

from connote.errors import ConnoteError


class Output:
    """Standard output: a reader that goes away early is no error, and no character makes it fail."""

    def __init__(self, *, color: bool = False) -> None:
        self._stream: TextIO | None = sys.stdout  # None where a process is started without one
        self._color = color
        if self._stream is not None and hasattr(self._stream, "reconfigure"):
            self._stream.reconfigure(errors=_ERRORS)

    @property
    def unicode(self) -> bool:
        """Whether any character can be written."""
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        return codecs.lookup(encoding).name.startswith("utf")

    def write(self, text: str) -> None:
        """Write and flush; once the reader is gone, do nothing."""
        if self._stream is None or not text:
            return
        try:
            click.echo(text, file=self._stream, nl=False, color=self._color)
        except OSError as error:
            _discard(self._stream)
            self._stream = None
            if not is_broken_pipe(error):
                raise


def is_broken_pipe(error: OSError) -> bool:
    """Whether an error says that nobody reads any more; Windows calls it an invalid argument."""
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == errno.EINVAL)


def discard_output() -> None:
    """Let what is still buffered for standard output go nowhere, so that the exit of the process does not fail."""
    if sys.stdout is not None:
        _discard(sys.stdout)


def say(message: str) -> None:
    """Tell the user something on standard error, as `connote: message`."""
    with contextlib.suppress(OSError):  # A message that nobody can read is no reason to fail.
        click.echo(f"connote: {message}", err=True)


def tell_warnings() -> None:
    """Tell the user what the engine warns about, each message once; what other packages log is kept from them."""
    logger = logging.getLogger("connote")
    if not any(isinstance(handler, _Teller) for handler in logger.handlers):
        logger.addHandler(_Teller(logging.WARNING))
        logger.propagate = False
        # Without any handler Python itself would print their warnings.
        logging.getLogger().addHandler(logging.NullHandler())


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is there and is a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Whether to colour a stream: `always`, `never`, or `auto` (a terminal, unless `NO_COLOR` says no)."""
    if choice != "auto":
        return choice == "always"
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int | None:
    """Return the width of the terminal on standard output; None when it is not one."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


@contextlib.contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C inside into a set event, and raise KeyboardInterrupt at the end of the block.

    So work that looks at the event ends where it is safe to end. The second Ctrl-C interrupts at once.
    """
    stop = threading.Event()
    # Another handler, or a parent that had it ignored (nohup), is left alone.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stop
        return

    def handle(_signal: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    except ConnoteError:
        # Work that is stopped may end by an error of its own, which tells the user nothing.
        if not stop.is_set():
            raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if stop.is_set():
        raise KeyboardInterrupt


class _Teller(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._told:
            self._told.add(message)
            say(message)


_ERRORS = "connote-output"


def _escape(error: UnicodeError) -> tuple[str | bytes, int]:
    # The bytes of a file name that is not valid text go out as they came in, so that other programs find the file;
    # all else that the terminal's encoding lacks is written as an escape.
    if not isinstance(error, UnicodeEncodeError):
        raise error
    data = b"".join(
        bytes([ord(character) - 0xDC00])
        if 0xDC80 <= ord(character) <= 0xDCFF
        else character.encode("ascii", "backslashreplace")
        for character in error.object[error.start : error.end]
    )
    return data, error.end


codecs.register_error(_ERRORS, _escape)


def _discard(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):  # A stream without a descriptor has nothing that fails at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
