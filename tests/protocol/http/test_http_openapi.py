"""The OpenAPI document and the server keep to each other: schemathesis asks what the document allows and forbids."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

Server = Any
EXAMPLES = "200" if os.environ.get("CONNOTE_TEST_FULL") else "15"


def test_schemathesis_finds_no_fault(server: Server, tmp_path: Path) -> None:
    """All of its checks: no 5xx, documented statuses, types and bodies, bad data refused and good data taken."""
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{server.port}/openapi.json",
            "--header", f"Authorization: Bearer {server.token}", "--max-examples", EXAMPLES,
            "--phases", "examples,coverage,fuzzing", "--seed", "20260728", "--request-timeout", "60",
            # A path is refused for where it leads, which no schema can say.
            "--exclude-checks", "positive_data_acceptance", "--no-color",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    print(done.stdout[-6000:])

    assert 0 == done.returncode, done.stderr[-2000:]
    assert "Tested: 7" in done.stdout
