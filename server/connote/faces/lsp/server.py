"""The language server: its state, its beginning and its end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

import connote

from . import documents, messages, requests
from .buffers import Buffers
from .folders import Folder, Folders
from .indexing import Indexer
from .parent import watch_parent
from .protocol import Protocol

logger = logging.getLogger(__name__)

T = TypeVar("T")

SEARCHES = 4
"""Searches that run at the same time; more wait, and cancelled ones never begin."""

REPLY = 5.0
"""Seconds that a client may take to tell its settings."""


class ConnoteServer(LanguageServer):
    """What one client sees. All of its state belongs to the event loop."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("connote", connote.__version__, protocol_cls=Protocol, converter_factory=messages.converter)
        self.folders = Folders()
        self.buffers = Buffers()
        self.indexer: Indexer | None = None
        """None before `initialized`."""
        self.parent: int | None = None
        """The process to end with, as given on the command line."""
        self._searches = ThreadPoolExecutor(SEARCHES, "connote-search")
        self._options: dict[str, Any] = {}
        self._settings: dict[str, dict[str, Any]] = {}
        self._told: set[str] = set()
        _register(self)

    @property
    def encoding(self) -> str:
        """How the client counts columns: `utf-8`, `utf-16` or `utf-32`."""
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Speaks with the client until it ends the server or its end of the pipe; does not return."""
        try:
            asyncio.run(self._serve(stdin, stdout))
        except KeyboardInterrupt:
            _exit(130)
        finally:
            self.end()

    def end(self) -> None:
        """Ends the process at once, whatever runs: an index can be left at any moment."""
        self.stop_work()
        _exit(self.protocol.end_code())

    def stop_work(self) -> None:
        """Tells the running syncs to stop, and does not wait for them."""
        if self.indexer is not None:
            self.indexer.stop()

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Logs what went wrong outside of a request; a traceback is nothing for an editor."""
        if isinstance(error, json.JSONDecodeError):
            self.protocol.refuse_unparsable(error)
        else:
            # pygls keeps where it happened as text, in the data that it would send.
            data = getattr(error, "data", None)
            trace = data.get("traceback", ()) if isinstance(data, dict) else ()
            logger.error("%s: %s\n%s", source.__name__, error, "".join(trace))

    async def search_thread(self, work: Callable[[threading.Event], T], folder: Folder | None = None) -> T:
        """Runs `work` in a thread for searches; the event it is given is set when the request is cancelled."""
        cancel = threading.Event()
        future = asyncio.get_running_loop().run_in_executor(self._searches, work, cancel)
        if folder is not None:
            folder.users.add(future)
            future.add_done_callback(folder.users.discard)
        try:
            return await future
        except asyncio.CancelledError:
            cancel.set()
            raise

    def client_settings(self, folder: Folder) -> dict[str, Any]:
        """What the client set for a folder."""
        return _merged(self._options, self._settings.get(folder.uri, {}))

    def tell_once(self, message: str) -> None:
        """Shows the user a warning, the first time only."""
        logger.warning("%s", message)
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    def send_status(self, folder: Folder, state: str, files: int, pending: int, message: str | None) -> None:
        """Notifies the client of a folder's state."""
        self.protocol.notify(
            messages.STATUS_CHANGED, messages.StatusChangedParams(folder.uri, state, files, pending, message)
        )

    async def read_settings(self, pushed: Mapping[str, Any] | None = None) -> None:
        """Asks the client for its settings; one that cannot be asked has `pushed` them."""
        workspace = self.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            if pushed is not None:
                self._options = _merged(self._options, _section(pushed))
            return
        folders = list(self.folders)
        items = [types.ConfigurationItem(scope_uri=folder.uri, section="connote") for folder in folders]
        if not items:
            return
        asked = self.workspace_configuration_async(types.ConfigurationParams(items))
        try:
            answers = await asyncio.wait_for(asyncio.shield(asked), REPLY)
        except (JsonRpcException, asyncio.TimeoutError) as error:
            logger.warning("The client did not tell its settings: %r", error)
            return
        for folder, answer in zip(folders, answers or (), strict=False):
            self._settings[folder.uri] = dict(answer) if isinstance(answer, Mapping) else {}

    async def _serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        # A thread of its own reads: in pygls's pool, work could keep it from being read.
        reader = StdinAsyncReader(stdin, ThreadPoolExecutor(1, "connote-stdin"))
        self.protocol.set_writer(StdoutWriter(stdout))
        if self.parent is not None:
            watch_parent(self.parent, self.end)
        try:
            await run_async(threading.Event(), reader, self.protocol, logger, self.report_server_error)
        except BrokenPipeError:
            logger.info("The client is gone")
        # Not by returning: asyncio would wait for what runs.
        self.end()


async def initialize(ls: ConnoteServer, params: types.InitializeParams) -> None:
    """Notes what the client is and has; the answer waits for nothing."""
    if isinstance(params.initialization_options, Mapping):
        ls._options = _section(params.initialization_options)  # noqa: SLF001  # the server's own handler
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if params.workspace_folders is None:
        root = params.root_uri or (_as_uri(params.root_path) if params.root_path else None)
        uris = [root] if root else []
    for uri in uris:
        ls.folders.add(uri)
    if params.process_id is not None and ls.parent is None:
        watch_parent(params.process_id, ls.end)


async def initialized(ls: ConnoteServer, _: types.InitializedParams) -> None:
    """Begins to index, with the client's settings."""
    ls.indexer = Indexer(ls)
    ls.indexer.start()
    ls.indexer.spawn(_register_capabilities(ls))
    await ls.read_settings()
    for folder in ls.folders:
        await ls.indexer.open(folder)


def _register(server: ConnoteServer) -> None:
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    requests.register(server)
    documents.register(server)


async def _register_capabilities(ls: ConnoteServer) -> None:
    """Asks for events of the file system and of settings, from clients that want to be asked."""
    workspace = ls.client_capabilities.workspace
    wanted = []
    if workspace and (watch := workspace.did_change_watched_files) and watch.dynamic_registration:
        watchers = [types.FileSystemWatcher(glob_pattern="**/*")]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        wanted.append(types.Registration("connote-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if workspace and (change := workspace.did_change_configuration) and change.dynamic_registration:
        settings = types.DidChangeConfigurationRegistrationOptions(section="connote")
        wanted.append(types.Registration("connote-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, settings))
    if wanted:
        try:
            await ls.client_register_capability_async(types.RegistrationParams(wanted))
        except JsonRpcException as error:
            logger.warning("The client registers no events: %s", error)


def _section(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in what a client sends, with or without the section's name around them."""
    inner = options.get("connote", options)
    return dict(inner) if isinstance(inner, Mapping) else {}


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        result[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def _as_uri(path: str) -> str | None:
    from pathlib import Path  # noqa: PLC0415

    return Path(path).as_uri() if Path(path).is_absolute() else None


def _exit(code: int) -> None:
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)
