"""The language server's face: `connote lsp`."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

USAGE = """\
Usage: connote lsp [--stdio] [--clientProcessId=N]

The language server: speaks LSP on its standard streams. Editors start it.

Options:
  --stdio              Accepted and ignored: there is no other way.
  --clientProcessId=N  End when this process does.
  --help               Show this and exit."""


def main(argv: list[str]) -> int:
    """Runs the language server until its client ends it; returns only for `--help` and for bad arguments."""
    parent: int | None = None
    for argument in argv:
        if argument in ("-h", "--help"):
            print(USAGE)  # noqa: T201  # help for a person; no client is there
            return 0
        if argument == "--stdio":
            continue
        name, _, value = argument.partition("=")
        if name != "--clientProcessId" or not value.isdecimal():
            print(f"connote lsp: unknown argument {argument}\n\n{USAGE}", file=sys.stderr)  # noqa: T201  # likewise
            return 2
        parent = int(value)
    stdin, stdout = _private_streams()
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    # Below WARNING it logs every message with its body.
    logging.getLogger("pygls.protocol").setLevel(logging.WARNING)

    # Not at the top: `--help` needs no pygls.
    from .server import ConnoteServer  # noqa: PLC0415

    server = ConnoteServer()
    server.parent = parent
    server.serve(stdin, stdout)
    return 0


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the client, for the protocol alone.

    Whatever else reads or prints, a library or a child process, would take or break messages:
    it reads nothing, and prints to the log.
    """
    _ensure_log()
    stdin, stdout = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  # Windows alone has it

        for stream in (stdin, stdout):
            msvcrt.setmode(stream, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(stdin, "rb"), os.fdopen(stdout, "wb")


def _ensure_log() -> None:
    """Some editors give no standard error: its number must not become that of another file."""
    try:
        os.fstat(2)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        if nothing != 2:
            os.dup2(nothing, 2)
            os.close(nothing)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
