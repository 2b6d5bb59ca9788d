"""What `chunk` does: show how a file is cut, and what is embedded for each chunk."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence

import click

import connote
from connote.errors import ConnoteError
from connote.faces import render
from connote.faces.cli.place import locate, settings_for
from connote.faces.cli.terminal import Output, wants_color
from connote.model import Chunk


def chunk(file: str, format_: str) -> int:
    """Print the chunks of one file; return the exit code."""
    place = locate(file)
    if not place.is_file or place.prefix is None:
        raise ConnoteError(f"{file} is a folder; name one file")
    data = (place.root / place.prefix).read_bytes()
    if b"\0" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConnoteError(f"{file} is not text; name a file of code or prose")
    text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
    chunks = connote.chunk(place.prefix, text, settings_for(place.root, None).chunk)
    color = wants_color("auto", sys.stdout)
    output = Output(color=color)
    if format_ == "json":
        rows = [{**dataclasses.asdict(chunk), "embedded": connote.contextualize(chunk)} for chunk in chunks]
        value = {"path": place.prefix, "language": connote.detect_language(place.prefix), "chunks": rows}
        output.write(render.to_json(value, ascii_only=not output.unicode, indent=2) + "\n")
    else:
        for piece in _pretty(chunks, color):
            output.write(piece)
    return 0


def _pretty(chunks: Sequence[Chunk], color: bool) -> Iterator[str]:
    for number, chunk in enumerate(chunks, 1):
        name = render.symbol_name(chunk.symbol, chunk.kind, chunk.scope)
        what = f"{chunk.kind} {name}" if name else f"in {'.'.join(chunk.scope)}" if chunk.scope else "no symbol"
        size = sum(not character.isspace() for character in chunk.text)
        place = f"{render.printable(chunk.path)}:{chunk.start_line}-{chunk.end_line}"
        part = f"  part {chunk.part} of {chunk.parts}" if chunk.parts > 1 else ""
        heading = f"{number}/{len(chunks)}  {place}  {what}{part}  {size:,} characters"
        error = f"  ({chunk.error})" if chunk.error else ""
        rows = [click.style(heading, fg="magenta", bold=True) if color else heading]
        rows[0] += click.style(error, fg="yellow") if color and error else error
        rows += [f"    {render.printable(line)}".rstrip() for line in connote.contextualize(chunk).split("\n")]
        yield "".join(f"{row}\n" for row in [*([""] if number > 1 else []), *rows])
