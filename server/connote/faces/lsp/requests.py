"""The requests: search, similar code, workspace symbols, status, and the commands."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from connote.errors import ConnoteError
from connote.languages import language_named
from connote.model import Answer, Hit, Query, Report

from . import convert, messages
from .folders import Folder, escape_glob, nested, owns

if TYPE_CHECKING:
    from .server import ConnoteServer

logger = logging.getLogger(__name__)

ParamsT = TypeVar("ParamsT")
ResultT = TypeVar("ResultT")

SYMBOLS = 100
"""How many symbols `workspace/symbol` answers at most: more is for nobody to read."""

REQUEST_FAILED = types.LSPErrorCodes.RequestFailed.value

NO_FOLDER = "No folder is open: connote searches the folders of the workspace."


def register(server: ConnoteServer) -> None:
    """Makes the server answer the requests of this module."""
    server.feature(messages.SEMANTIC_SEARCH)(_answering(messages.SemanticSearchParams, semantic_search))
    server.feature(messages.SIMILAR_CODE)(_answering(messages.SimilarCodeParams, similar_code))
    server.feature(messages.STATUS)(_answering(messages.StatusParams, status))
    server.feature(types.WORKSPACE_SYMBOL)(_answering(messages.SymbolParams, workspace_symbol))
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(_answering(None, execute_command))
    for name in _COMMANDS:
        # Registered for the capabilities; `execute_command` calls them.
        server.command(name)(_COMMANDS[name][1])


async def semantic_search(ls: ConnoteServer, params: messages.SemanticSearchParams) -> messages.SemanticSearchResult:
    """Searches the folders, and merges their hits by score."""
    folders = _chosen(ls, params.folders)
    query = Query(
        query=params.query,
        limit=params.limit,
        mode=params.mode,
        include=params.include,
        exclude=params.exclude,
        languages=tuple(map(language_named, params.languages)),
        kinds=params.kinds,
        definitions=params.definitions_only,
        min_score=params.min_score,
        relax=params.relax,
        why=params.why,
    )
    return await _results(ls, await _search(ls, folders, query, wait=params.wait))


async def similar_code(ls: ConnoteServer, params: messages.SimilarCodeParams) -> messages.SemanticSearchResult:
    """Finds code alike to that at a place, in the same folder."""
    path = convert.to_path(params.text_document.uri)
    found = ls.folders.containing(path) if path is not None else []
    if path is None or not found:
        return messages.SemanticSearchResult(
            (), complete=True, message="This document is in no folder that is indexed."
        )
    folder, relative = found[0]
    await _ready(ls, folder)
    index = folder.index
    if index is None:
        return await _results(ls, _merge([(folder, _unopened(folder))], params.limit))
    buffer = ls.buffers.get(params.text_document.uri)
    line = buffer.origin(params.line) if buffer is not None else params.line
    answer = await ls.search_thread(lambda _: index.similar_answer(relative, line + 1, params.limit), folder)
    return await _results(ls, _merge([(folder, answer)], params.limit))


async def workspace_symbol(ls: ConnoteServer, params: messages.SymbolParams) -> list[types.SymbolInformation]:
    """Searches definitions, best first; an empty query lists some of them."""
    folders = list(ls.folders)
    if params.query.strip():
        merged = await _search(ls, folders, Query(params.query, limit=SYMBOLS, definitions=True))
    else:
        merged = await _outline(ls, folders)
    lines = await _texts(ls, merged.hits)
    result = []
    for folder, hit in merged.hits:
        uri, place = _place(ls, folder, hit, lines)
        result.append(convert.symbol_information(hit, uri, place, ls.encoding))
    return result


async def status(ls: ConnoteServer, _: messages.StatusParams) -> messages.StatusResult:
    """The state of all folders."""
    folders = []
    for folder in ls.folders:
        state = await ls.indexer.status(folder) if ls.indexer is not None else folder.status()
        fields = {item.name: getattr(state, item.name) for item in dataclasses.fields(state)}
        fields["message"] = state.message or folder.message
        folders.append({"folder": folder.uri, **fields})
    return messages.StatusResult(tuple(folders), None if folders else NO_FOLDER)


async def reindex(ls: ConnoteServer, params: messages.ReindexParams) -> list[dict[str, Any]]:
    """Brings folders up to date, and answers what was done, folder by folder; a cancelled request stops it."""
    results = []
    for folder in _chosen(ls, params.folders):
        if ls.indexer is None or folder.refused is not None:
            continue
        await ls.indexer.caught_up(folder)
        await ls.indexer.retry(folder)
        running = ls.indexer.request_sync(folder, rebuild=params.rebuild)
        try:
            report = await asyncio.shield(running)
        except asyncio.CancelledError:
            ls.indexer.withdraw(folder, running)
            raise
        results.append({"folder": folder.uri, **_report(report), "message": folder.message})
    return results


async def clear(ls: ConnoteServer, params: messages.ClearParams) -> None:
    """Removes the indexes of folders; they are built again when asked for, or by the next start."""
    for folder in _chosen(ls, params.folders):
        if ls.indexer is not None and folder.refused is None:
            await ls.indexer.clear(folder)


def _answering(
    params_type: type[ParamsT] | None, handler: Callable[[ConnoteServer, Any], Awaitable[ResultT]]
) -> Callable[[ConnoteServer, Any], Awaitable[ResultT]]:
    """A handler whose parameters are parsed, and whose errors are what an editor can show."""

    @functools.wraps(handler)
    async def answer(ls: ConnoteServer, params: Any) -> ResultT:
        try:
            return await handler(ls, params if params_type is None else messages.parse(params_type, params))
        except JsonRpcException:
            raise
        except ConnoteError as error:
            raise JsonRpcException(str(error), REQUEST_FAILED) from error
        except Exception as error:
            logger.exception("%s failed", handler.__name__)
            raise JsonRpcInternalError(
                "This failed by a fault of connote; the server's log has the details."
            ) from error

    return answer


async def _status_command(ls: ConnoteServer, params: messages.StatusParams) -> messages.StatusResult:
    return await status(ls, params)


_COMMANDS: dict[str, tuple[type[Any], Callable[[ConnoteServer, Any], Awaitable[Any]]]] = {
    messages.COMMAND_REINDEX: (messages.ReindexParams, reindex),
    messages.COMMAND_CLEAR: (messages.ClearParams, clear),
    messages.COMMAND_STATUS: (messages.StatusParams, _status_command),
}


async def execute_command(ls: ConnoteServer, params: types.ExecuteCommandParams) -> Any:
    """Runs a command; its one argument is an object, or the URI of a folder, or left out."""
    if params.command not in _COMMANDS:
        raise JsonRpcInvalidParams(f"There is no command {params.command}")
    params_type, command = _COMMANDS[params.command]
    argument = params.arguments[0] if params.arguments else None
    if isinstance(argument, str):
        argument = {"folders": [argument]}
    return await command(ls, messages.parse(params_type, argument))


@dataclass(frozen=True)
class _Merged:
    """The answers of several folders as one."""

    hits: tuple[tuple[Folder, Hit], ...]
    complete: bool
    relaxed: bool
    message: str | None


def _chosen(ls: ConnoteServer, uris: Sequence[str] | None) -> list[Folder]:
    if uris is None:
        return list(ls.folders)
    found = {uri: ls.folders.get(uri) for uri in uris}
    if unknown := [uri for uri, folder in found.items() if folder is None]:
        raise JsonRpcInvalidParams(f"folders: {unknown[0]} is no folder of this workspace")
    return list(dict.fromkeys(folder for folder in found.values() if folder is not None))


async def _ready(ls: ConnoteServer, folder: Folder) -> None:
    if ls.indexer is not None:
        await ls.indexer.caught_up(folder)


async def _search(ls: ConnoteServer, folders: Sequence[Folder], query: Query, *, wait: bool = False) -> _Merged:
    """Searches folders at the same time; a folder inside another one answers for its own files."""

    async def search(folder: Folder) -> tuple[Folder, Answer]:
        if wait:
            await folder.settled.wait()
        if not query.query.strip():
            state = await ls.indexer.status(folder) if ls.indexer is not None else folder.status()
            return folder, Answer(complete=state.state != "indexing")
        await _ready(ls, folder)
        index = folder.index
        if index is None:
            return folder, _unopened(folder)
        inner = nested(folder, folders)
        globs = tuple(glob for glob in map(escape_glob, inner) if glob is not None)
        asked = dataclasses.replace(query, exclude=query.exclude + globs)
        try:
            answer = await ls.search_thread(lambda cancel: index.answer(asked, cancel=cancel), folder)
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        except ConnoteError as error:
            # The other folders have answers.
            return folder, Answer(complete=False, message=str(error))
        return folder, dataclasses.replace(answer, hits=tuple(hit for hit in answer.hits if owns(hit.path, inner)))

    if not folders:
        return _Merged((), complete=True, relaxed=False, message=NO_FOLDER)
    return _merge(await asyncio.gather(*map(search, folders)), query.limit)


async def _outline(ls: ConnoteServer, folders: Sequence[Folder]) -> _Merged:
    answers = []
    for folder in folders:
        index = folder.index
        if index is not None:
            inner = nested(folder, folders)
            hits = await ls.search_thread(lambda _, index=index: index.outline(SYMBOLS), folder)  # type: ignore[misc]  # mypy infers no default of a lambda
            answers.append((folder, Answer(tuple(hit for hit in hits if owns(hit.path, inner)))))
    return _merge(answers, SYMBOLS)


def _merge(answers: Iterable[tuple[Folder, Answer]], limit: int) -> _Merged:
    answers = list(answers)
    full = [(folder, answer) for folder, answer in answers if answer.hits and not answer.relaxed]
    # Hits of half the wanted score are for the case that nothing has the whole.
    counted = full or [(folder, answer) for folder, answer in answers if answer.hits]
    hits = [(folder, hit) for folder, answer in counted for hit in answer.hits]
    hits.sort(key=lambda item: -item[1].score)
    texts = dict.fromkeys(answer.message for _, answer in (counted or answers) if answer.message)
    return _Merged(
        hits=tuple(hits[:limit]),
        complete=all(answer.complete for _, answer in answers),
        relaxed=bool(hits) and not full,
        message=" ".join(texts) or None,
    )


def _unopened(folder: Folder) -> Answer:
    # A refused folder will never be indexed: nobody should wait for it.
    return Answer(complete=folder.refused is not None, message=folder.status().message)


async def _results(ls: ConnoteServer, merged: _Merged) -> messages.SemanticSearchResult:
    lines = await _texts(ls, merged.hits)
    hits = []
    for folder, hit in merged.hits:
        uri, place = _place(ls, folder, hit, lines)
        hits.append(convert.semantic_hit(hit, folder.uri, uri, place, ls.encoding))
    return messages.SemanticSearchResult(tuple(hits), merged.complete, merged.relaxed, merged.message)


async def _texts(ls: ConnoteServer, hits: Iterable[tuple[Folder, Hit]]) -> dict[str, list[str]]:
    """The lines of the files with hits that are not open in the editor, by path."""
    files = {hit.file for _, hit in hits}
    texts: dict[str, list[str]] = {}
    # While files are read, others may be closed in the editor, and then are to be read as well.
    while missing := {file for file in files if file not in texts and ls.buffers.at(file) is None}:
        texts |= await ls.search_thread(functools.partial(_read_all, missing))
    return texts


def _place(ls: ConnoteServer, folder: Folder, hit: Hit, texts: dict[str, list[str]]) -> tuple[str, convert.Place]:
    buffer = ls.buffers.at(hit.file)
    if buffer is not None:
        moved = buffer.moved(hit.start_line - 1, hit.end_line - 1)
        return buffer.uri, convert.locate(hit, buffer.lines, moved)
    return convert.to_uri(folder.uri, hit.path), convert.locate(hit, texts.get(hit.file) or [""])


def _read_all(paths: Iterable[str], _: threading.Event) -> dict[str, list[str]]:
    return {path: _read(path) for path in paths}


def _read(path: str) -> list[str]:
    try:
        return convert.split_lines(convert.decode(Path(path).read_bytes()))
    except OSError:
        return [""]  # gone since it was found: its hits are stale


def _report(report: Report | None) -> dict[str, Any]:
    if report is None:
        return {}
    fields = {item.name: getattr(report, item.name) for item in dataclasses.fields(report)}
    fields["problems"] = [{"path": problem.path, "reason": problem.reason} for problem in report.problems]
    return fields
