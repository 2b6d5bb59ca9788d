"""The dispatcher: the first word picks a face, and only that face is loaded."""

from __future__ import annotations

import importlib
import sys
from typing import Any

FACES = {"lsp": "connote.faces.lsp"}
"""Words that stand for a face of their own; all else is for the command line."""
SERVERS = {"serve": "connote.faces.http", "mcp": "connote.faces.mcp"}
"""Faces that the command line starts, once it has read what was typed; it does not know them itself."""


def main() -> int:
    """Run what the process was called with, and return its exit code."""
    argv = sys.argv[1:]
    face = FACES.get(argv[0]) if argv else None
    try:
        if face:
            return int(importlib.import_module(face).main(argv[1:]))
        return int(importlib.import_module("connote.faces.cli").main(argv, start))
    except KeyboardInterrupt:
        # Faces end in their own way; this is Ctrl-C while one is still being loaded.
        return 130


def start(word: str, *arguments: Any) -> int:
    """Load the face of a server, run it, and return its exit code."""
    code: int = importlib.import_module(SERVERS[word]).run(*arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
