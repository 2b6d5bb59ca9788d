"""Starts the comparison: `python tests/quality/agent`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

# Started by its folder's path, it is no member of its package yet.
sys.path[0] = str(Path(__file__).resolve().parents[1])

if __name__ == "__main__":
    sys.exit(import_module("agent.command").main())
