"""The notifications: what happened to documents, folders and settings. They note it, the indexer does the work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types
from lsprotocol.types import FileOperationFilter, FileOperationPattern, FileOperationPatternKind

from . import convert
from .folders import Folder

if TYPE_CHECKING:
    from .server import ConnoteServer

FILE_OPERATIONS = types.FileOperationRegistrationOptions(
    [
        FileOperationFilter(FileOperationPattern("**/*", matches=FileOperationPatternKind.File), scheme="file"),
        FileOperationFilter(FileOperationPattern("**", matches=FileOperationPatternKind.Folder), scheme="file"),
    ]
)
"""A folder that is moved is one event: it needs a filter of its own."""

_NOISE = (".git", ".hg", ".svn", ".jj")
"""Folders whose files change at every turn, and are never indexed."""

_PROJECT_FILES = ("connote.toml", "pyproject.toml")


def register(server: ConnoteServer) -> None:
    """Makes the server act on the notifications of this module."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.feature(types.WORKSPACE_DID_CREATE_FILES, FILE_OPERATIONS)(did_create_files)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, FILE_OPERATIONS)(did_rename_files)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, FILE_OPERATIONS)(did_delete_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


async def did_open(ls: ConnoteServer, params: types.DidOpenTextDocumentParams) -> None:
    """Follows the document from here on, and checks that its file is indexed as it is."""
    path = convert.to_path(params.text_document.uri)
    if path is not None:
        ls.buffers.open(params.text_document.uri, path, params.text_document.text)
        _note(ls, [path])


async def did_change(ls: ConnoteServer, params: types.DidChangeTextDocumentParams) -> None:
    """Applies the edits to the buffer; the index is of what is saved."""
    buffer = ls.buffers.get(params.text_document.uri)
    if buffer is not None:
        buffer.change(params.content_changes, ls.encoding)


async def did_save(ls: ConnoteServer, params: types.DidSaveTextDocumentParams) -> None:
    """Indexes the saved text."""
    buffer = ls.buffers.get(params.text_document.uri)
    if buffer is not None:
        buffer.saved()
    path = convert.to_path(params.text_document.uri)
    if path is not None:
        _note(ls, [path])


async def did_close(ls: ConnoteServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forgets the buffer: from here on the file counts."""
    ls.buffers.close(params.text_document.uri)


async def did_create_files(ls: ConnoteServer, params: types.CreateFilesParams) -> None:
    """Indexes new files and folders."""
    _note(ls, _paths(item.uri for item in params.files))


async def did_delete_files(ls: ConnoteServer, params: types.DeleteFilesParams) -> None:
    """Removes files and folders from the index."""
    _note(ls, _paths(item.uri for item in params.files))


async def did_rename_files(ls: ConnoteServer, params: types.RenameFilesParams) -> None:
    """Moves files and folders in the index, or from one index to another."""
    for item in params.files:
        old, new = convert.to_path(item.old_uri), convert.to_path(item.new_uri)
        if old is None or new is None:
            _note(ls, _paths([item.old_uri, item.new_uri]))
            continue
        before = dict(ls.folders.containing(old))
        after = dict(ls.folders.containing(new))
        for folder in before.keys() & after.keys():
            if ls.indexer is not None and before[folder] and after[folder]:
                ls.indexer.note(folder, [("rename", before[folder], after[folder])])
        _note(ls, [old], before.keys() - after.keys())
        _note(ls, [new], after.keys() - before.keys())


async def did_change_watched_files(ls: ConnoteServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Brings what changed outside of the editor to the index."""
    _note(ls, _paths(item.uri for item in params.changes))


async def did_change_workspace_folders(ls: ConnoteServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Indexes new folders, and lets go of those that were removed."""
    gone = [ls.folders.remove(item.uri) for item in params.event.removed]
    fresh = [ls.folders.add(item.uri) for item in params.event.added]
    if ls.indexer is None:
        return  # `initialized` opens what is there
    if any(fresh):
        await ls.read_settings()
    for folder in gone:
        if folder is not None:
            ls.indexer.spawn(ls.indexer.close(folder))
    for folder in fresh:
        if folder is not None:
            await ls.indexer.open(folder)


async def did_change_configuration(ls: ConnoteServer, params: types.DidChangeConfigurationParams) -> None:
    """Reads the settings again, and opens anew the indexes for which they are others."""
    await ls.read_settings(params.settings if isinstance(params.settings, dict) else None)
    if ls.indexer is not None:
        for folder in ls.folders:
            await ls.indexer.refresh(folder)


def _note(ls: ConnoteServer, paths: Iterable[str], folders: Iterable[Folder] | None = None) -> None:
    """Notes files and folders that may have changed, appeared or gone, in each folder (of these) that holds them."""
    if ls.indexer is None:
        return  # the first sync reads everything
    wanted = None if folders is None else set(folders)
    changes: dict[Folder, list[tuple[str, ...]]] = {}
    for path in paths:
        for folder, relative in ls.folders.containing(path):
            if (wanted is None or folder in wanted) and relative and not _is_noise(relative):
                changes.setdefault(folder, []).append(("update", relative))
    for folder, noted in changes.items():
        ls.indexer.note(folder, noted)
        if any(path in _PROJECT_FILES for _, path in noted):
            ls.indexer.spawn(ls.indexer.refresh(folder))


def _paths(uris: Iterable[str]) -> list[str]:
    return [path for path in map(convert.to_path, uris) if path is not None]


def _is_noise(relative: str) -> bool:
    return any(part in _NOISE for part in relative.split("/"))
