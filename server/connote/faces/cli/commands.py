"""The program and the declarations of its commands other than the two that search."""

from __future__ import annotations

from typing import Any

import click

from connote import __version__
from connote.faces.cli.parsing import ANY_PATH, HELP, WIDTH, Command, Commands, index_dir_option, option
from connote.faces.cli.questions import search, similar
from connote.faces.cli.servers import mcp, serve

SHELLS = ("bash", "zsh", "fish")


@click.group(
    cls=Commands,
    context_settings={"help_option_names": list(HELP), "max_content_width": WIDTH},
    epilog="""\b
Examples:
  connote "where do we retry failed uploads"
  connote "parse the config file" src -t python --no-tests
  connote similar src/limits.py:12

`connote COMMAND --help` says more about a command, `connote search --help` about the options of a question.""",
)
@click.version_option(__version__, "--version", prog_name="connote", message="%(prog)s %(version)s")
def program() -> None:
    """Search code by meaning: ask in your own words, get the places in the code that do it."""


program.add_command(search)
program.add_command(similar)


@program.command("index", cls=Command, short_help="Bring the index up to date, and say what was done.")
@click.argument("path", metavar="[PATH]", default=".", type=ANY_PATH)
@option("--rebuild", is_flag=True, help="Start afresh instead of keeping what is known.")
@option(
    "--dry-run", is_flag=True, help="Say what there is to do, in files, chunks and tokens; change and send nothing."
)
@option("--watch", is_flag=True, help="Stay, and index what changes, until Ctrl-C.")
@option("--format", "format_", type=click.Choice(("pretty", "json")), default="pretty", metavar="FORMAT",
        help="pretty (default) or json.")  # fmt: skip
@index_dir_option
def index(path: str, **typed: Any) -> int:
    """Bring the index of PATH's root up to date.

    PATH is the current folder unless named; its root is the nearest folder at or above it with connote.toml or .git.
    Files that could not be indexed are named on standard error; they are no reason to fail.
    """
    # What does the work is loaded with it, here and below, so that --help answers at once.
    from connote.faces.cli import indexing  # noqa: PLC0415 - see the comment above

    if typed["dry_run"] and (typed["rebuild"] or typed["watch"]):
        raise click.UsageError("--dry-run changes nothing; it does not go with --rebuild or --watch.")
    return indexing.index(path, indexing.Wishes(**typed))


@program.command("status", cls=Command, short_help="Say what is indexed, and how well.")
@click.argument("path", metavar="[PATH]", default=".", type=ANY_PATH)
@option("--format", "format_", type=click.Choice(("pretty", "json")), default="pretty", metavar="FORMAT",
        help="pretty (default) or json.")  # fmt: skip
@option("--files", is_flag=True, help="List the indexed files instead, one relative path a line.")
@option("--skipped", is_flag=True, help="List the files left out instead: path, tab, reason.")
@option("-0", "--null", is_flag=True, help="End the lines of a list with NUL instead of a line end.")
@index_dir_option
def status(path: str, **typed: Any) -> int:
    """Show the state of the index of PATH's root, as it is: nothing is indexed for it."""
    from connote.faces.cli import inspecting  # noqa: PLC0415 - as for index

    if typed["files"] and typed["skipped"]:
        raise click.UsageError("--files and --skipped exclude each other.")
    return inspecting.status(path, inspecting.Wishes(**typed))


@program.command("chunk", cls=Command, short_help="Show the chunks of one file, and the text embedded for each.")
@click.argument("file", metavar="FILE", type=ANY_PATH)
@option("--format", "format_", type=click.Choice(("pretty", "json")), default="pretty", metavar="FORMAT",
        help="pretty (default) or json.")  # fmt: skip
def chunk(file: str, format_: str) -> int:
    """Show how FILE is cut into chunks, and the text that is embedded for each of them."""
    from connote.faces.cli import chunking  # noqa: PLC0415 - as for index

    return chunking.chunk(file, format_)


@program.command("clear", cls=Command, short_help="Remove an index.")
@click.argument("path", metavar="[PATH]", required=False, type=ANY_PATH)
@option("--all", "all_", is_flag=True, help="Remove the indexes of all roots, and the vectors they share.")
@option("--stale", is_flag=True, help="Remove the indexes of roots that are gone.")
@index_dir_option
def clear(path: str | None, **typed: Any) -> int:
    """Remove the index of PATH's root; no file of yours is touched, and the next search indexes anew."""
    from connote.faces.cli import indexing  # noqa: PLC0415 - as for index

    if (path is not None) + typed["all_"] + typed["stale"] > 1:
        raise click.UsageError("PATH, --all and --stale exclude each other.")
    return indexing.clear(path, typed["all_"], typed["stale"], typed["index_dir"])


@program.command("stop", cls=Command, short_help="End the process that serves an index.")
@click.argument("path", metavar="[PATH]", required=False, type=ANY_PATH)
@option("--all", "all_", is_flag=True, help="End the hosts of all roots.")
@index_dir_option
def stop(path: str | None, **typed: Any) -> int:
    """End the host of PATH's root: the process that owns its index and serves it to editors and commands.

    Nothing is lost. It ends by itself when it has no client for a while, and the next command starts it again.
    """
    from connote.faces.cli import indexing  # noqa: PLC0415 - as for index

    if path is not None and typed["all_"]:
        raise click.UsageError("PATH and --all exclude each other.")
    return indexing.stop(path, typed["all_"], typed["index_dir"])


@program.command("doctor", cls=Command, short_help="Check that everything that connote needs works.")
@option("--format", "format_", type=click.Choice(("pretty", "json")), default="pretty", metavar="FORMAT",
        help="pretty (default) or json.")  # fmt: skip
@index_dir_option
def doctor(**typed: Any) -> int:
    """Check grammars, model, store, write access and endpoint. Exit code: 0 when all is well, else 1."""
    from connote.faces.cli import inspecting  # noqa: PLC0415 - as for index

    return inspecting.doctor(typed["format_"], typed["index_dir"])


@program.command(
    "completions",
    cls=Command,
    short_help="Print the completion script of a shell.",
    epilog="""\b
To install:
  bash  connote completions bash > ~/.local/share/bash-completion/completions/connote
  zsh   connote completions zsh > "${fpath[1]}/_connote"
  fish  connote completions fish > ~/.config/fish/completions/connote.fish""",
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def completions(shell: str) -> int:
    """Print the script that lets a shell complete commands and options."""
    from connote.faces.cli import completing  # noqa: PLC0415 - as for index

    return completing.script(program, shell)


@program.command("lsp", cls=Command, short_help="Run the language server on standard input and output.")
def lsp() -> int:
    """Run the language server for an editor, on standard input and output."""
    # The dispatcher starts the server when this is the first word; here it is only listed among the commands.
    raise click.UsageError("`lsp` must be the first word.")


program.add_command(serve)
program.add_command(mcp)
