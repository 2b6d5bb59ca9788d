"""The chunker: a document's text in, chunks with their symbols out; a syntax tree decides where to cut."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from connote.chunk.options import CHUNKER_VERSION, ChunkOptions
from connote.errors import ChunkingError
from connote.languages import detect_language
from connote.model import Chunk, Progress

if TYPE_CHECKING:
    from connote.chunk.pool import ChunkPool

__all__ = [
    "CHUNKER_VERSION", "ChunkOptions", "ChunkPool", "Chunker", "chunk", "chunk_batch", "chunk_stream", "contextualize",
    "detect_language", "fingerprint",
]  # fmt: skip


def chunk(path: str, text: str, options: ChunkOptions | None = None) -> list[Chunk]:
    """Cut a document into chunks: sorted, disjoint, none over the limit, every non-blank character in exactly one.

    The same input gives the same chunks. Whatever the text is, only `strict` makes this raise
    (`UnsupportedLanguageError`); what a grammar cannot read is cut as text, with the reason in `Chunk.error`.
    """
    from connote.chunk.document import cut_document  # noqa: PLC0415 - importing connote.chunk stays light

    return cut_document(path, text, options or _DEFAULT)


def chunk_stream(path: str, text: str, options: ChunkOptions | None = None) -> Iterator[Chunk]:
    """Yield the chunks that `chunk` returns."""
    yield from chunk(path, text, options)


def chunk_batch(
    files: Iterable[tuple[str, str]],
    options: ChunkOptions | None = None,
    *,
    concurrency: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> list[list[Chunk] | ChunkingError]:
    """Cut many documents, given as pairs of path and text; one result or error a file, in the order of the input.

    `concurrency` is the number of worker processes, by default one for each processor and none for few files.
    `on_progress` is called after each file.
    """
    listed = list(files)
    if concurrency is not None and concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    workers = concurrency or (min(os.cpu_count() or 1, 8) if _is_many(listed) else 1)
    results: list[list[Chunk] | ChunkingError] = []

    def add(path: str, result: list[Chunk] | ChunkingError) -> None:
        results.append(result)
        if on_progress is not None:
            on_progress(Progress(len(results), len(listed), path))

    if workers == 1:
        for path, text in listed:
            add(path, _chunk_or_error(path, text, options))
    else:
        from connote.chunk.pool import ChunkPool  # noqa: PLC0415 - importing connote.chunk stays light

        with ChunkPool(workers, options) as pool:
            for path, result in pool.map(listed):
                add(path, result)
    return results


class Chunker:
    """`chunk`, `chunk_stream` and `chunk_batch` with the same options each time. Threads may share one."""

    def __init__(self, options: ChunkOptions | None = None) -> None:
        self.options = options or _DEFAULT

    def chunk(self, path: str, text: str) -> list[Chunk]:
        """Cut a document as `connote.chunk.chunk` does."""
        return chunk(path, text, self.options)

    def stream(self, path: str, text: str) -> Iterator[Chunk]:
        """Yield the chunks of a document."""
        return chunk_stream(path, text, self.options)

    def batch(
        self,
        files: Iterable[tuple[str, str]],
        *,
        concurrency: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> list[list[Chunk] | ChunkingError]:
        """Cut many documents as `connote.chunk.chunk_batch` does."""
        return chunk_batch(files, self.options, concurrency=concurrency, on_progress=on_progress)


def contextualize(chunk: Chunk) -> str:
    """Give the text that is embedded for a chunk: its context, then its text, with \\n as the only line end.

    The context is what `ChunkOptions.context` says: names around it, and for later parts the signature and doc.
    It holds no path, no line numbers, no neighbours and no imports, so that a chunk's vector outlives a rename,
    a move, and edits elsewhere in its file.
    The text of a notebook is given without JSON's quotes and escapes.
    """
    text = chunk.text
    if chunk.language == "jupyter":
        from connote.chunk.cells import plain  # noqa: PLC0415 - importing connote.chunk stays light

        text = plain(text)
    text = f"{chunk.context}\n{text}" if chunk.context else text
    return _LINE_END.sub("\n", text.replace("\ufeff", ""))


def fingerprint() -> str:
    """Name what chunks depend on besides text and options: it changes when the same input may give other chunks."""
    from connote.chunk.grammar import fingerprint  # noqa: PLC0415 - importing connote.chunk stays light

    return fingerprint()


_DEFAULT = ChunkOptions()
_LINE_END = re.compile(r"\r\n?")
# Starting processes costs about as much as cutting this much text.
_MANY_FILES, _MANY_CHARACTERS = 64, 1_000_000


def _is_many(files: list[tuple[str, str]]) -> bool:
    return len(files) >= _MANY_FILES or (len(files) > 1 and sum(len(text) for _, text in files) >= _MANY_CHARACTERS)


def _chunk_or_error(path: str, text: str, options: ChunkOptions | None) -> list[Chunk] | ChunkingError:
    try:
        return chunk(path, text, options)
    except ChunkingError as error:
        return error


def __getattr__(name: str) -> object:
    if name == "ChunkPool":
        from connote.chunk.pool import ChunkPool  # noqa: PLC0415 - importing connote.chunk stays light

        return ChunkPool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _CallableModule(ModuleType):
    """Importing this package binds `connote.chunk` to it; calling it is calling the function of that name."""

    def __call__(self, path: str, text: str, options: ChunkOptions | None = None) -> list[Chunk]:
        return chunk(path, text, options)


sys.modules[__name__].__class__ = _CallableModule
