"""An edit changes few embedded texts: measured over the standard library of the running interpreter."""

from __future__ import annotations

import os
import random
import sysconfig
from collections import Counter
from pathlib import Path

from connote.chunk import chunk, contextualize

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
EVERY = 1 if os.environ.get("CONNOTE_TEST_FULL") else 4


def embedded(text: str) -> tuple[Counter[str], bool]:
    """The embedded texts, and whether the parser could not read something."""
    chunks = chunk("a.py", text)
    return Counter(contextualize(one) for one in chunks), any(one.error for one in chunks)


def test_three_lines_change_at_most_two_chunks_on_average_and_never_more_than_six() -> None:
    """Left out is the one edit in some hundred after which the parser misreads what it had read before."""
    chance = random.Random(1)
    changed, at_the_top, misread = [], [], 0
    for file in sorted(LIBRARY.glob("*.py"))[::EVERY]:
        text = file.read_text(encoding="utf-8", errors="replace")
        before, had_error = embedded(text)
        if before.total() < 6:
            continue
        lines = text.split("\n")
        for _ in range(3):
            place = chance.randrange(len(lines))
            edited = [*lines[:place], "# one more line", "# and another", "# and a third", *lines[place:]]
            after, has_error = embedded("\n".join(edited))
            if has_error > had_error:
                misread += 1
            else:
                changed.append((after - before).total())
        at_the_top.append((embedded("\n" + text)[0] - before).total())
    print(
        f"{len(changed)} edits: {sum(changed) / len(changed):.2f} chunks on average, {max(changed)} at most; "
        f"{misread} more were misread"
    )

    assert len(changed) > 60
    assert sum(changed) / len(changed) <= 2
    assert max(changed) <= 6
    assert misread <= len(changed) / 50
    assert max(at_the_top) == 0
