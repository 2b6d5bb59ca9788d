"""What every index is, whoever does the work: this process, or the host that owns the root's index."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import TracebackType

from connote.config import Settings
from connote.model import MOST_HITS, SYMBOL_KINDS, Answer, Hit, Problem, Progress, Query, Report, Skipped, Status

MODES = ("hybrid", "semantic", "lexical")


class Cancelled(Exception):  # noqa: N818 - it is no error: the caller asked for it
    """A search was cancelled by its caller."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the next sync has to do."""

    files: int
    """Files that are new or whose content changed."""
    chunks: int
    """Chunks of these files."""
    texts: int
    """Different texts among them that have no vector yet."""
    tokens: int
    """About how many tokens these texts have."""
    cost: float | None = None
    """What the endpoint takes for them, in the currency of `embed.price`; None where no price is set."""


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened to an index, whoever caused it."""

    kind: str
    """`progress`: a sync of the whole root is under way; `changed`: the index or its state is another one now."""
    progress: Progress | None = None
    """How far the sync is; with `progress` alone."""


class Index(ABC):
    """All that is stored for one root. Any number of threads and processes may use it at once.

    A search never waits for a sync: it answers from what is indexed. When `update`, `remove` or `rename` returns,
    the next search of every process shows it.
    """

    root: Path
    """Absolute, without links."""
    settings: Settings
    setting_problems: list[str]
    """What is wrong with the settings, in sentences; empty where the caller gave them."""

    # Keeping it true

    @abstractmethod
    def sync(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        cancel: threading.Event | None = None,
        rebuild: bool = False,
    ) -> Report:
        """Bring the whole index up to date: what is unchanged by size and time is not read, what is unchanged by
        content is not cut, a text that is known is not embedded.

        One sync runs at a time; a second one waits for its turn and meanwhile reports the first one's progress.
        `cancel` stops it between files and keeps what is done. `rebuild` reads, cuts and embeds everything again.
        `on_progress` is called from this thread. Raises StoreError, and ListingError when the root cannot be listed.
        """

    @abstractmethod
    def update(self, *paths: str | os.PathLike[str], cancel: threading.Event | None = None) -> Report:
        """Bring files, or all files below folders, up to date; a path that is gone is removed.

        Paths are absolute or relative to the root. Raises ValueError for one outside it.
        """

    @abstractmethod
    def remove(self, *paths: str | os.PathLike[str]) -> Report:
        """Forget files, or all files below folders, whether or not they are still there."""

    @abstractmethod
    def rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Report:
        """Follow the rename of a file or folder that has already happened on disk. No text is embedded for it.

        The new path is written before the old one goes, so a search meanwhile finds the code at one of them.
        """

    @abstractmethod
    def flush(self) -> None:
        """Bring Chroma up to date now, where this index owns it."""

    @abstractmethod
    def warm(self) -> None:
        """Load the model and open Chroma, so that the first search does not wait for them."""

    @abstractmethod
    def estimate(self, cancel: threading.Event | None = None) -> Estimate:
        """Read and cut what the next sync would, and count it. Nothing is written and nothing is sent anywhere.

        `cancel` ends it early, with what is counted so far. Raises ListingError when the root cannot be listed.
        """

    # Asking

    @abstractmethod
    def answer(self, query: str | Query, *, cancel: threading.Event | None = None, **changes: object) -> Answer:
        """Ranked hits, best first, with the state of the index they came from.

        `changes` are fields of Query, lists allowed for tuples. A blank query has no hits. Raises ValueError for what
        no query can be, Cancelled when `cancel` was set, StoreError.
        """

    @abstractmethod
    def similar_answer(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> Answer:
        """Chunks alike to the one at a line (from 1) of a file, never that place itself."""

    @abstractmethod
    def outline(self, limit: int = 100) -> list[Hit]:
        """Some symbols of the index: cheap, for a client that asks for symbols before anything is typed."""

    def search(self, query: str | Query, **changes: object) -> list[Hit]:
        """The hits of `answer`."""
        return list(self.answer(query, **changes).hits)  # type: ignore[arg-type]  # `cancel` may be among them

    def similar(self, path: str | os.PathLike[str], line: int, limit: int = 10) -> list[Hit]:
        """The hits of `similar_answer`."""
        return list(self.similar_answer(path, line, limit).hits)

    # State

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether all of the root was indexed once and no sync of the whole root is under way."""

    @abstractmethod
    def status(self) -> Status:
        """The state of the index, at any moment."""

    @abstractmethod
    def files(self) -> list[str]:
        """The paths of all indexed files, sorted."""

    @abstractmethod
    def skipped(self) -> list[Skipped]:
        """The files left out on purpose, sorted by path."""

    @abstractmethod
    def problems(self) -> list[Problem]:
        """The files that could not be indexed, sorted by path."""

    @abstractmethod
    def follow(self, on_news: Callable[[News], None]) -> None:
        """Hear, until the index is closed, of what happens to it by whomever; called from a thread of its own.

        An index that is followed counts as in use: its host does not end for want of clients.
        Without a host there is news of what this process does alone.
        """

    # Ending

    @abstractmethod
    def close(self) -> None:
        """Let go of the index. A second call does nothing."""

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def make_query(query: str | Query, changes: dict[str, object]) -> Query:
    """A checked query with changed fields. Raises TypeError for a field that there is not, and as `check_query`."""
    asked = query if isinstance(query, Query) else Query(query)
    known = {one.name for one in fields(Query)}
    unknown = set(changes) - known
    if unknown:
        raise TypeError(f"a query has no {min(unknown)!r}; it has {', '.join(sorted(known))}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    asked = replace(asked, **values)  # type: ignore[arg-type]  # checked by name above, by value below
    check_query(asked)
    return asked


def check_query(query: Query) -> None:
    """Raise ValueError, in a sentence, for what a query must not be."""
    if not 1 <= query.limit <= MOST_HITS:
        raise ValueError(f"limit is {query.limit}; it can be 1 to {MOST_HITS}")
    if query.mode not in MODES:
        raise ValueError(f"mode is {query.mode!r}; it can be {', '.join(MODES)}")
    if query.min_score is not None and not 0 <= query.min_score <= 1:
        raise ValueError(f"min_score is {query.min_score}; it can be 0 to 1")
    if query.context < 0:
        raise ValueError(f"context is {query.context}; it can be 0 or more")
    unknown = [kind for kind in query.kinds if kind not in SYMBOL_KINDS]
    if unknown:
        raise ValueError(f"kind {unknown[0]!r} is not known; kinds are {', '.join(SYMBOL_KINDS)}")
