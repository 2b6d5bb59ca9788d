"""The dispatcher: the first word picks a face, and only that face is loaded."""

from __future__ import annotations

import importlib
import sys

FACES = {"lsp": "connote.faces.lsp"}
"""Words that stand for a face of their own; all else is for the command line."""


def main() -> int:
    """Run what the process was called with, and return its exit code."""
    argv = sys.argv[1:]
    face = FACES.get(argv[0]) if argv else None
    try:
        code: int = importlib.import_module(face or "connote.faces.cli").main(argv[1:] if face else argv)
    except KeyboardInterrupt:
        # Faces end in their own way; this is Ctrl-C while one is still being loaded.
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
