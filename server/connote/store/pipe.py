"""Messages between an index's owner and the process that holds Chroma: a JSON head and raw buffers, over a pipe.

A message is the length of its head (4 bytes, big-endian), the head, and the buffers whose sizes the head names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

_DIGEST = 16
_LONGEST_HEAD = 1 << 24


def send(stream: BinaryIO, head: Mapping[str, object], *buffers: bytes) -> None:
    """Write one message."""
    text = json.dumps({**head, "sizes": [len(buffer) for buffer in buffers]}).encode()
    stream.write(len(text).to_bytes(4, "big") + text)
    stream.writelines(buffers)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]]:
    """Read one message. Raises EOFError when the other side is gone, ValueError for what is no message."""
    size = int.from_bytes(_exactly(stream, 4), "big")
    if size > _LONGEST_HEAD:
        raise ValueError("the other end of the pipe does not speak this language")
    head = json.loads(_exactly(stream, size))
    return head, [_exactly(stream, size) for size in head["sizes"]]


def digests_of(buffer: bytes) -> list[bytes]:
    """The digests that a buffer holds one after the other: 16 bytes each."""
    return [buffer[at : at + _DIGEST] for at in range(0, len(buffer), _DIGEST)]


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
