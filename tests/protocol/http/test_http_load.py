"""Many clients at once: no error, and how long they wait."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

Server = Any
CLIENTS = 50
SECONDS = 30.0 if os.environ.get("CONNOTE_TEST_FULL") else 5.0
QUESTIONS = ("retry a failed upload", "check_quota", "parse a colour", "rotate a matrix", "what is retried three times")


def test_fifty_clients_at_once_meet_no_error(server: Server) -> None:
    took: list[float] = []
    wrong: list[object] = []
    end = time.monotonic() + SECONDS

    def ask(number: int) -> None:
        count = number
        while time.monotonic() < end:
            began = time.perf_counter()
            try:
                reply = server.ask("GET", "/search", query=QUESTIONS[count % len(QUESTIONS)], limit=5)
            except OSError as error:
                wrong.append(error)
                return
            took.append(time.perf_counter() - began)
            if reply.status != 200 or not reply.json["hits"] or not reply.json["complete"]:
                wrong.append(reply)
            count += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    took.sort()
    p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
    print(f"{CLIENTS} clients, {SECONDS:g} s: {len(took)} searches, p50 {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms")
    assert [] == wrong
    assert len(took) >= CLIENTS
