"""The rank stage: candidates to ranked hits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from connote.rank.options import RankOptions

if TYPE_CHECKING:
    from connote.rank.facts import Facts
    from connote.rank.paths import is_test
    from connote.rank.question import Question, read_question
    from connote.rank.ranking import Ranked, rank

__all__ = ["Facts", "Question", "RankOptions", "Ranked", "is_test", "rank", "read_question"]

_HOMES = {
    "Facts": "facts", "Ranked": "ranking", "rank": "ranking",
    "Question": "question", "read_question": "question", "is_test": "paths",
}  # fmt: skip


def __getattr__(name: str) -> object:
    # A face needs the options alone, for its settings; numpy is loaded where hits are ranked.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
