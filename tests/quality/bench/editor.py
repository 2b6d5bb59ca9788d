"""A language client, as small as can be."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any


class Editor:
    """A server, and what is asked of it."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "connote", "lsp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._others: set[int] = set()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities = {"window": {"workDoneProgress": False}}
        self.ask("initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": capabilities,
                                "workspaceFolders": [folder]})  # fmt: skip
        self.tell("initialized", {})

    def ask(self, method: str, params: object) -> Any:
        number = self.begin(method, params)
        while True:
            answer = self._answers.get(timeout=3600)
            if answer.get("id") == number:
                return answer["result"]
            self._others.add(answer["id"])

    def begin(self, method: str, params: object) -> int:
        """Ask, and do not wait: `is_answered` tells when the answer of this number is there."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def is_answered(self, number: int) -> bool:
        return number in self._others

    def tell(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def end(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._server.wait(60)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def _read(self) -> None:
        assert self._server.stdout is not None
        while line := self._server.stdout.readline():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
                while self._server.stdout.readline().strip():
                    pass
                message = json.loads(self._server.stdout.read(size))
                if "method" in message and "id" in message:
                    self._send({"id": message["id"], "result": None})
                elif "id" in message:
                    self._answers.put(message)
