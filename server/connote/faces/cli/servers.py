"""The declarations of `serve` and `mcp`: what can be typed, and what the faces are started with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from connote.faces.cli.parsing import ANY_PATH, Command, index_dir_option, option

Start = Callable[..., int]
"""Runs a face by its word: called with the word, what is served, where, and what tells the user something."""

_HERE = "127.0.0.1"
_HTTP_PORT, _MCP_PORT = 7700, 7701
_LISTEN = "Where to listen"


def _listening(port: int) -> Callable[[Any], Any]:
    def declare(command: Any) -> Any:
        for decorate in reversed(
            (
                option("--host", metavar="ADDRESS", section=_LISTEN,
                       help=f"The address to listen on; default {_HERE}, which no other machine reaches."),
                option("--port", type=click.IntRange(0, 65535), metavar="PORT", section=_LISTEN,
                       help=f"The port; default {port}. 0 is any that is free."),
                option("--token-file", metavar="FILE", type=click.Path(dir_okay=False), section=_LISTEN,
                       help="The file with the token that clients must show; without it, connote makes one."),
            )
        ):  # fmt: skip
            command = decorate(command)
        return command

    return declare


@click.command(
    "serve",
    cls=Command,
    short_help="Serve searches over HTTP.",
    epilog="""\b
Example:
  connote serve ~/src/project &
  curl -H "Authorization: Bearer $(cat TOKEN_FILE)" 'http://127.0.0.1:7700/search?query=rate+limit'

/openapi.json describes the rest.""",
)
@click.argument("path", metavar="[PATH]", default=".", type=ANY_PATH)
@_listening(_HTTP_PORT)
@option("--no-token", is_flag=True, section=_LISTEN, help="Ask for no token; only where no other machine can connect.")
@index_dir_option
@click.pass_obj
def serve(start: Start | None, /, path: str, **typed: Any) -> int:
    """Serve searches in PATH, the current folder unless named, over HTTP.

    It indexes from its start on, and answers from what is indexed so far.
    A token in a file that only you can read lets clients in; its place is printed. Ctrl-C ends the server.
    """
    if typed["no_token"] and typed["token_file"] is not None:
        raise click.UsageError("--no-token and --token-file exclude each other.")
    return _start(start, "serve", path, typed, _HTTP_PORT)


@click.command(
    "mcp",
    cls=Command,
    short_help="Serve searches to an agent, over MCP.",
    epilog="""\b
In the settings of most agents:
  {"mcpServers": {"connote": {"command": "connote", "args": ["mcp", "/path/to/project"]}}}""",
)
@click.argument("path", metavar="[PATH]", default=".", type=ANY_PATH)
@option("--http", is_flag=True, help="Listen for streamable HTTP at /mcp, instead of standard input and output.")
@_listening(_MCP_PORT)
@index_dir_option
@click.pass_obj
def mcp(start: Start | None, /, path: str, **typed: Any) -> int:
    """Serve searches in PATH, the current folder unless named, to an agent.

    Tools, resources and prompts of the Model Context Protocol, on standard input and output unless --http is given.
    Files can be read too: only those that would be indexed, and never outside PATH's root.
    """
    if not typed["http"] and any(typed[name] is not None for name in ("host", "port", "token_file")):
        raise click.UsageError("--host, --port and --token-file go with --http.")
    return _start(start, "mcp", path, typed, _MCP_PORT)


def _start(start: Start | None, word: str, path: str, typed: dict[str, Any], port: int) -> int:
    # Loaded with the work, so that --help answers at once.
    from connote.faces.cli.place import locate_project, settings_for  # noqa: PLC0415 - see the comment above
    from connote.faces.cli.terminal import say  # noqa: PLC0415 - as above
    from connote.faces.serving import Address, Served  # noqa: PLC0415 - as above

    if start is None:
        raise click.UsageError(f"`{word}` cannot be started from here.")
    place = locate_project(path)
    served = Served(place.root, place.prefix, settings_for(place.root, typed["index_dir"]))
    address = Address(
        host=typed["host"] or _HERE,
        port=port if typed["port"] is None else typed["port"],
        token_file=typed["token_file"],
        no_token=typed.get("no_token", False),
    )
    if word == "mcp" and not typed["http"]:
        return start(word, served, None, say)
    return start(word, served, address, say)
