"""The dispatcher: the first word picks a face, and only that face is loaded."""

from __future__ import annotations

import importlib
import sys

FACES = {"lsp": "connote.faces.lsp"}
"""Words that stand for a face of their own; all else is for the command line."""


def main() -> int:
    """Run what the process was called with, and return its exit code."""
    argv = sys.argv[1:]
    # A question for help is answered by the command line, for it must load nothing slow.
    asks_for_help = any(word in ("-h", "--help") for word in argv[1:])
    name = "connote.faces.cli" if asks_for_help or not argv else FACES.get(argv[0], "connote.faces.cli")
    code: int = importlib.import_module(name).main(argv if name == "connote.faces.cli" else argv[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
