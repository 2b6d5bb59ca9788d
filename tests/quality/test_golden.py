"""The golden questions, list by list: the right file is among the first three hits, end to end through the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import connote

OF = 25


def test_the_right_file_is_among_the_first_three(golden_set: dict[str, Any], golden_tree: Path) -> None:
    found = []
    with connote.open(golden_tree) as index:
        index.sync()
        for question in golden_set["question"]:
            first = [hit.path for hit in index.search(question["query"], limit=3)]
            right = {answer["path"] for answer in question["answers"]}
            found.append(bool(right & set(first)))
            print("found " if found[-1] else "MISSED", question["query"], "->", first)

    assert OF == len(found)
    assert sum(found) >= golden_set["wanted"]
