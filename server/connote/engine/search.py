"""From a query to hits: candidates from words and vectors, ranked, filtered and read for showing."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from connote import words
from connote.config import Settings
from connote.embed import Embedder
from connote.engine.api import Cancelled
from connote.engine.reading import split_lines
from connote.errors import EmbedError
from connote.model import Answer, Candidate, Document, Hit, Query, Signal, SourceFile, Symbol
from connote.rank import Facts, Question, Ranked, is_test, rank, read_question
from connote.store import ChunkRow, Filter, Store
from connote.store.kept import KnownFile
from connote.store.rows import batched
from connote.store.terms import word_hash
from connote.walk import glob_filter, read

_WORDS, _VECTORS, _NAMES = 300, 200, 50
_RELAX = 0.5
_DEFINING = 40
"""Chunks whose symbols are read at once."""


class Searcher:
    """Answers queries over one store. Any number of threads may use it, also while the store changes."""

    def __init__(self, root: Path, store: Store, settings: Settings) -> None:
        self._root = root
        self._store = store
        self._lookup = store.lookup
        self._settings = settings
        self._passed: tuple[object, Mapping[str, KnownFile], frozenset[int]] = (None, {}, frozenset())

    def answer(self, query: Query, embedder: Embedder, cancel: threading.Event | None = None) -> Answer:
        """Hits for a checked query, best first; `complete` is left to the caller. Raises Cancelled and StoreError."""
        if not query.query.strip():
            return Answer()
        vector, message = None, None
        if query.mode != "lexical":
            try:
                vector = embedder.embed_query(query.query)
            except EmbedError as error:
                message = f"{error} Words alone were searched."
        _stop(cancel)
        # One state of the catalog from the first candidate to the last line: a file that is written meanwhile is found
        # as it was, and not between its old chunks and its new ones.
        with self._store.catalog.snapshot():
            return self._answer(query, vector, message, cancel)

    def _answer(
        self, query: Query, vector: NDArray[np.float32] | None, message: str | None, cancel: threading.Event | None
    ) -> Answer:
        allowed = self._filter(query)
        if allowed is None:
            return Answer(message="No indexed file passes the filters.")
        question = read_question(query.query)
        ranked = self._ranked(question, vector, query, allowed, cancel)
        least = self._settings.rank.min_score if query.min_score is None else query.min_score
        strong = [one for one in ranked if one.score >= least]
        relaxed = False
        if not strong and query.relax:
            strong = [one for one in ranked if one.score >= least * _RELAX]
            relaxed = bool(strong)
        if not strong and ranked and message is None:
            best = f"The best place scores {ranked[0].score:.2f}, below {least:.2f}"
            message = f"{best}: ask in other words, or lower the minimum."
        elif not strong and message is None:
            message = self._why_nothing(allowed)
        hits = (
            self._definitions(strong, query, question)
            if query.definitions
            else self._hits(strong[: query.limit], query)
        )
        return Answer(tuple(hits), relaxed=relaxed, message=message)

    def similar(self, path: str, line: int, limit: int) -> Answer:
        """Chunks alike to the one at a line, by vectors and words; never that chunk itself."""
        with self._store.catalog.snapshot():
            return self._similar(path, line, limit)

    def _similar(self, path: str, line: int, limit: int) -> Answer:
        chunk = self._lookup.at(path, line)
        if chunk is None:
            return Answer(message=f"{path} is not indexed, or has no code at line {line}.")
        vector = self._lookup.vector(chunk)
        row = self._lookup.rows([chunk])[chunk]
        question = read_question(row.text)
        question = replace(question, symbols=(), alone=False, about_tests=True, copies=True)
        query = Query(query=row.text, limit=limit)
        ranked = self._ranked(
            question, vector, query, Filter(), None, mode="semantic" if vector is not None else "lexical"
        )
        others = [one for one in ranked if one.candidate.id != chunk][:limit]
        return Answer(tuple(self._hits(others, query)))

    def outline(self, limit: int) -> list[Hit]:
        """Some symbols of the index: cheap."""
        found = self._lookup.outline(limit)
        rows = self._lookup.rows(list({chunk for chunk, _ in found}))
        return [self._symbol_hit(rows[chunk], symbol, 0.0, ()) for chunk, symbol in found if chunk in rows]

    def candidates(
        self,
        question: Question,
        vector: NDArray[np.float32] | None,
        allowed: Filter,
        mode: str = "hybrid",
        cancel: threading.Event | None = None,
    ) -> tuple[list[Candidate], Facts]:
        """What is ranked, in no order, and what ranking needs to know beside. Raises Cancelled and StoreError."""
        chunks: list[int] = []
        if mode != "semantic" and question.terms:
            chunks += self._lookup.matching(question.terms, _WORDS, allowed)
        _stop(cancel)
        if vector is not None and mode != "lexical":
            chunks += self._store.nearest(vector, _VECTORS, allowed)
        _stop(cancel)
        if question.symbols and mode != "semantic":
            chunks += self._lookup.defining(question.symbols, _NAMES, allowed)
        candidates = self._lookup.candidates(chunks, vector)
        _stop(cancel)
        count, mean = self._lookup.averages()
        sample = self._lookup.sample()
        facts = Facts(
            chunks=count,
            mean_length=mean,
            frequency=self._lookup.frequencies(question.terms) if question.terms else {},
            sample=sample @ vector
            if vector is not None and sample.shape[1:] == vector.shape
            else np.empty(0, np.float32),
            tallies=self._tallies(question, sorted({candidate.file for candidate in candidates})),
        )
        return candidates, facts

    def _ranked(
        self,
        question: Question,
        vector: NDArray[np.float32] | None,
        query: Query,
        allowed: Filter,
        cancel: threading.Event | None,
        mode: str | None = None,
    ) -> list[Ranked]:
        mode = mode or query.mode
        candidates, facts = self.candidates(question, vector, allowed, mode, cancel)
        return rank(question, candidates, facts, self._settings.rank, mode)

    def _tallies(self, question: Question, files: Sequence[int]) -> dict[int, dict[str, int]]:
        terms = list(dict.fromkeys(question.terms))
        hashes = np.array([word_hash(term) for term in terms], np.uint32)
        found: dict[int, dict[str, int]] = {}
        for file, tally in self._lookup.tallies(files).items():
            words_there, counts = tally["word"], tally["count"]
            places = np.searchsorted(words_there, hashes)
            places[places == len(tally)] = 0
            here = np.flatnonzero(words_there[places] == hashes) if len(tally) else ()
            found[file] = {terms[place]: int(counts[places[place]]) for place in here}
            found[file][""] = int(counts.sum())
        return found

    def _why_nothing(self, allowed: Filter) -> str:
        if not self._lookup.averages()[0]:
            return (
                "The index is empty: `connote status --skipped` says which files are left out, "
                "`connote clear` and a new search build it again."
            )
        if self._is_damaged():
            return "The index has lost its words: `connote clear` removes it, the next search builds it again."
        where = "Nothing in the index" if allowed == Filter() else "Nothing that passes the filters"
        return f"{where} has any of these words or is near them in meaning."

    def _is_damaged(self) -> bool:
        # Only asked when nothing was found: what one chunk lacks shows that no search can find anything.
        chunks = (self._lookup.at(path, sys.maxsize) for path in self._lookup.files())
        chunk = next((chunk for chunk in chunks if chunk is not None), None)
        return chunk is not None and not self._lookup.candidates([chunk], None)

    def _filter(self, query: Query) -> Filter | None:
        """What the query lets through; None when that is nothing."""
        files = None
        if query.include or query.exclude or query.prefix or not query.tests or query.exclude_languages:
            files = self._passing(query)
            if not files:
                return None
        # What cannot be a name is none, and SQLite refuses some of it.
        languages = tuple(name for name in query.languages if name.isprintable())
        return Filter(files, query.kinds, languages) if languages or not query.languages else None

    def _passing(self, query: Query) -> frozenset[int]:
        """The files that the query lets through; kept, for who types asks with one filter again and again."""
        files = self._lookup.files()
        asked = (
            query.include, query.exclude, query.ignore_case, query.prefix, query.tests, query.exclude_languages
        )  # fmt: skip
        before, of_files, passing = self._passed
        if before == asked and of_files is files:
            return passing
        passes = glob_filter(query.include, query.exclude, ignore_case=query.ignore_case)
        prefix = (query.prefix or "").replace("\\", "/").strip("/")
        if prefix == ".":
            prefix = ""
        passing = frozenset(
            file.id
            for path, file in files.items()
            if (not prefix or path == prefix or path.startswith(prefix + "/"))
            and passes(path)
            and (query.tests or not is_test(path))
            and (file.language or "text") not in query.exclude_languages
        )
        self._passed = asked, files, passing
        return passing

    # Showing

    def _hits(self, ranked: Sequence[Ranked], query: Query) -> list[Hit]:
        ids = [one.candidate.id for one in ranked]
        rows = self._lookup.rows(ids)
        symbols = self._lookup.symbols(ids) if query.kinds else {}
        hits = []
        for one in ranked:
            row = rows.get(one.candidate.id)
            if row is None:
                continue
            hit = self._hit(row, one, query)
            wanted = [symbol for symbol in symbols.get(row.id, ()) if symbol.kind in query.kinds]
            if wanted and hit.kind not in query.kinds:
                first = wanted[0]
                hit = replace(
                    hit, symbol=first.name, kind=first.kind, scope=first.scope, line=first.line, column=first.column
                )
            hits.append(hit)
        return hits

    def _hit(self, row: ChunkRow, one: Ranked, query: Query) -> Hit:
        file = self._root / row.path
        start, end, text = row.start_line, row.end_line, row.text
        if query.context:
            start, end, text = self._widened(row, query.context)
        return Hit(
            path=row.path,
            file=str(file),
            start_line=start,
            end_line=end,
            score=one.score,
            language=row.language,
            symbol=row.symbol,
            kind=row.kind,
            scope=tuple(json.loads(row.scope)),
            line=row.line,
            column=row.column,
            text=text,
            stale=_is_stale(file, row),
            signals=one.signals if query.why else (),
        )

    def _widened(self, row: ChunkRow, context: int) -> tuple[int, int, str]:
        # Read as for the index: what has become a link or a secret since then is not shown either.
        document = read(self._root, SourceFile(row.path, row.size, row.mtime_ns), self._settings.walk)
        if not isinstance(document, Document):
            return row.start_line, row.end_line, row.text
        lines = split_lines(document.text)
        start = max(1, row.start_line - context)
        end = min(max(len(lines), row.end_line), row.end_line + context)
        return start, end, "".join(lines[start - 1 : end])

    def _definitions(self, ranked: Sequence[Ranked], query: Query, question: Question) -> list[Hit]:
        """The symbols of the ranked chunks, each once: chunk by chunk, inside one the best match first."""
        terms, keys = set(question.terms), set(question.symbols)
        seen: set[tuple[str, int, int]] = set()
        hits: list[Hit] = []
        for part in batched(ranked, _DEFINING):
            if len(hits) >= query.limit and hits[query.limit - 1].score >= part[0].score:
                break  # no symbol scores more than its chunk, and chunks come best first
            ids = [one.candidate.id for one in part]
            rows, symbols = self._lookup.rows(ids), self._lookup.symbols(ids)
            for one in part:
                row = rows.get(one.candidate.id)
                if row is None:
                    continue
                inside = [symbol for symbol in symbols[row.id] if not query.kinds or symbol.kind in query.kinds]
                inside.sort(key=lambda symbol: -_likeness(symbol, terms, keys))
                for place, symbol in enumerate(inside):
                    key = (row.path, symbol.line, symbol.column)
                    if key in seen:
                        continue
                    seen.add(key)
                    # A chunk of many small symbols answers through its best one; the others follow at a discount.
                    share = 1.0 if place == 0 else 0.5
                    signals = (
                        tuple(Signal(signal.name, signal.amount * share) for signal in one.signals) if query.why else ()
                    )
                    hits.append(self._symbol_hit(row, symbol, one.score * share, signals))
            hits.sort(key=lambda hit: -hit.score)
        return hits[: query.limit]

    def _symbol_hit(self, row: ChunkRow, symbol: Symbol, score: float, signals: tuple[Signal, ...]) -> Hit:
        file = self._root / row.path
        return Hit(
            path=row.path,
            file=str(file),
            start_line=symbol.start_line,
            end_line=symbol.end_line,
            score=score,
            language=row.language,
            symbol=symbol.name,
            kind=symbol.kind,
            scope=symbol.scope,
            line=symbol.line,
            column=symbol.column,
            text=_own_lines(row, symbol),
            stale=_is_stale(file, row),
            signals=signals,
        )


def _own_lines(row: ChunkRow, symbol: Symbol) -> str:
    """What the chunk has of a symbol: a chunk may hold others too, and of a large one only a part."""
    lines = split_lines(row.text)
    first, last = max(symbol.start_line - row.start_line, 0), symbol.end_line - row.start_line
    return "".join(lines[first : last + 1]).rstrip("\r\n") or row.text


def _likeness(symbol: Symbol, terms: set[str], keys: set[str]) -> float:
    if words.joined(symbol.name) in keys:
        return 100.0
    name = set(words.split(symbol.name)) & terms
    rest = set(words.split(f"{symbol.signature} {symbol.doc}")) & terms
    return 2.0 * len(name) + len(rest)


def _is_stale(file: Path, row: ChunkRow) -> bool:
    try:
        now = file.stat()
    except OSError:
        return True
    # A time of -1 stands for a file that was still being written when it was read; its size alone is known.
    return now.st_size != row.size or row.mtime_ns not in {-1, now.st_mtime_ns}


def _stop(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled


def relative(root: Path, path: str) -> str:
    """A path inside the root, relative to it, with `/`. Raises ValueError for one outside."""
    pure = Path(path)
    whole = pure if pure.is_absolute() else root / pure
    # The parent is resolved and the last part is not: a link is known by its own name, not by what it points to.
    place = whole.parent.resolve() / whole.name if whole.name not in {"", ".."} else whole.resolve()
    if place == root:
        return ""
    try:
        return PurePosixPath(place.relative_to(root).as_posix()).as_posix()
    except ValueError:
        raise ValueError(f"{path} is outside {root}") from None
