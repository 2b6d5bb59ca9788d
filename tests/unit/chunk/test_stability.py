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


def embedded(text: str) -> Counter[str]:
    return Counter(contextualize(one) for one in chunk("a.py", text))


def test_three_lines_change_at_most_two_chunks_on_average_and_hardly_ever_more_than_six() -> None:
    """A run of small definitions of equal size moves its borders until a larger one stops it: hence "hardly ever"."""
    chance = random.Random(1)
    changed, at_the_top = [], []
    for file in sorted(LIBRARY.glob("*.py"))[::EVERY]:
        text = file.read_text(encoding="utf-8", errors="replace")
        before = embedded(text)
        if before.total() < 6:
            continue
        lines = text.split("\n")
        for _ in range(3):
            place = chance.randrange(len(lines))
            edited = [*lines[:place], "# one more line", "# and another", "# and a third", *lines[place:]]
            changed.append((embedded("\n".join(edited)) - before).total())
        at_the_top.append((embedded("\n" + text) - before).total())
    print(
        f"{len(changed)} edits: {sum(changed) / len(changed):.2f} chunks on average, {max(changed)} at most, "
        f"{sum(count > 6 for count in changed)} times over 6"
    )

    assert len(changed) > 60
    assert sum(changed) / len(changed) <= 2
    assert sum(count > 6 for count in changed) <= len(changed) / 100
    assert max(at_the_top) == 0
