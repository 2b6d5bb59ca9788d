"""The wire: pygls's protocol, with an answer to every request and an end that waits for nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from . import messages

if TYPE_CHECKING:
    from .server import ConnoteServer

logger = logging.getLogger(__name__)

_UNREADABLE = types.ErrorCodes.ParseError.value

_PARSED = (messages.SEMANTIC_SEARCH, messages.SIMILAR_CODE, messages.STATUS, types.WORKSPACE_SYMBOL)
"""Requests whose handlers parse the parameters themselves."""

_REPLACED = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
)
"""What pygls would handle before us.

Its documents end lines where editors do not (form feed, U+2028) and its commands cannot be cancelled.
"""


@dataclass(frozen=True)
class _Unreadable:
    """A message whose structure is wrong, and what to answer."""

    data: Mapping[str, Any]
    error: JsonRpcException

    @property
    def is_response(self) -> bool:
        """Whether it answers a request of ours."""
        return "method" not in self.data and ("result" in self.data or "error" in self.data)


class Protocol(LanguageServerProtocol):
    """LSP over JSON-RPC."""

    _server: ConnoteServer

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]  # pygls does not type it
        for method in _REPLACED:
            self.fm.builtin_features.pop(method, None)

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]  # pygls's has a cache
        """The class of a message."""
        return messages.Request if method in _PARSED else super().get_message_type(method)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message in `data`; one that has the wrong structure is kept, to be answered."""
        if "jsonrpc" not in data:
            return data
        if "method" in data and self.get_message_type(str(data["method"])) is None:
            data.setdefault("params", None)
        try:
            return super().structure_message(data)
        except JsonRpcException:
            return _Unreadable(data, JsonRpcInvalidParams(f"The parameters of {data.get('method')} cannot be read"))

    def handle_message(self, message: Any) -> None:
        """Hands a message to its handler, or refuses what comes at the wrong time; every request has an answer."""
        message_id, method = _field(message, "id"), _field(message, "method")
        if isinstance(message, _Unreadable) and message.is_response:
            if isinstance(message_id, (int, str)):
                self._handle_response(message_id, error=types.ResponseError(_UNREADABLE, "The reply cannot be read"))
        elif (error := self._refusal(message)) is not None:
            if message_id is not None or not method:
                self._refuse(message_id, error)
        elif method in (types.INITIALIZE, types.EXIT) or (self._workspace is not None and not self._shutdown):
            super().handle_message(message)
        # Else it came too early or too late, and is nothing that has an answer.

    def refuse_unparsable(self, error: json.JSONDecodeError) -> None:
        """Answers a body that is no JSON."""
        self._refuse(None, JsonRpcParseError(str(error)))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answers with the capabilities; all work waits for `initialized`."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = messages.PROVIDER
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]  # pygls's may wait for a handler, ours never
        """Cancels all requests, and tells the work to stop without waiting for it."""
        self._shutdown = True
        for message_id, future in list(self._request_futures.items()):
            if message_id != self.msg_id and not future.done():
                future.cancel()
        self._server.stop_work()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]  # pygls's may wait for a handler, ours never
        """Ends the process."""
        self._server.end()

    def end_code(self) -> int:
        """The exit code: 0 after `shutdown`, else 1."""
        return 0 if self._shutdown else 1

    def _refusal(self, message: Any) -> JsonRpcException | None:
        if isinstance(message, _Unreadable):
            known = message.data.get("method")
            if not isinstance(known, str):
                return JsonRpcInvalidRequest("A message has no method and is no response")
            if known not in self.fm.features and known not in self.fm.builtin_features:
                return JsonRpcMethodNotFound(f"There is no method {known}")
            return self._untimely(known) or message.error
        if _field(message, "jsonrpc") != self.VERSION:
            return JsonRpcInvalidRequest(f"A message is not JSON-RPC {self.VERSION}")
        method = _field(message, "method")
        if method is None or _field(message, "id") is None:
            return None
        return self._untimely(method)

    def _refuse(self, message_id: object, error: JsonRpcException) -> None:
        # Not by lsprotocol's class: it leaves out an id of null, which JSON-RPC wants.
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": message_id, "error": answer})

    def _untimely(self, method: str) -> JsonRpcException | None:
        if self._shutdown:
            return JsonRpcInvalidRequest("The server is shutting down")
        if self._workspace is None and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("The server waits for initialize")
        if self._workspace is not None and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The server is initialized already")
        return None

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        # pygls forgets the futures of requests alone: those of notifications would pile up.
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            # An answer, no fault of ours: pygls would log a traceback.
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
            return
        super()._send_handler_result(future, msg_id=msg_id)

    def _handle_response(self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None) -> None:
        self._result_types.pop(msg_id, None)
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():
            # We gave up waiting for this reply: pygls would raise InvalidStateError.
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)


def _field(message: Any, name: str) -> Any:
    if isinstance(message, _Unreadable):
        message = message.data
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
