"""The declarations of `search` and `similar`: what can be typed, and what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from connote.faces.cli.parsing import ANY_PATH, Command, index_dir_option, option
from connote.model import MOST_HITS, SYMBOL_KINDS

FORMATS = ("pretty", "grep", "vimgrep", "summary", "json", "jsonl")
MODES = ("hybrid", "semantic", "lexical")

_FIND = "What to find"
_SHOW = "What to print"


def _output_options(command: Any) -> Any:
    for declare in reversed(
        (
            option(
                "-A",
                "--after-context",
                "after",
                type=click.IntRange(0),
                metavar="NUM",
                section=_SHOW,
                help="NUM lines of the file after each hit.",
            ),
            option(
                "-B",
                "--before-context",
                "before",
                type=click.IntRange(0),
                metavar="NUM",
                section=_SHOW,
                help="NUM lines of the file before each hit.",
            ),
            option(
                "-C",
                "--context",
                "context",
                type=click.IntRange(0),
                metavar="NUM",
                section=_SHOW,
                help="NUM lines of the file around each hit.",
            ),
            option(
                "--format",
                "format_",
                type=click.Choice(FORMATS),
                metavar="FORMAT",
                section=_SHOW,
                help="pretty (default on a terminal), grep (default elsewhere: PATH:LINE:TEXT), "
                "vimgrep (PATH:LINE:COLUMN:TEXT), summary (a line a hit), json, or jsonl (a hit a line).",
            ),
            option("-l", "--files-only", is_flag=True, section=_SHOW, help="Print only the paths of files with hits."),
            option("-c", "--count", is_flag=True, section=_SHOW, help="Print the number of hits in each file."),
            option("--unique-files", is_flag=True, section=_SHOW, help="Print only the best hit of each file."),
            option("-0", "--null", is_flag=True, section=_SHOW, help="End paths with a NUL; for xargs -0."),
            option(
                "--color",
                type=click.Choice(("auto", "always", "never")),
                default="auto",
                metavar="WHEN",
                section=_SHOW,
                help="auto (default: on a terminal, unless NO_COLOR is set), always or never.",
            ),
            option("--why", is_flag=True, section=_SHOW, help="Say what each score is the sum of."),
            option(
                "--no-sync",
                is_flag=True,
                help="Search the index as it is, without bringing it up to date first.",
            ),
            index_dir_option,
        )
    ):
        command = declare(command)
    return command


def _limit_option(command: Any) -> Any:
    return option(
        "-n",
        "--limit",
        type=click.IntRange(1, MOST_HITS),
        default=10,
        metavar="NUM",
        section=_FIND,
        help=f"At most NUM hits: 1 to {MOST_HITS}, default 10.",
    )(command)


def _repeatable(*names: str, metavar: str, help: str, **attributes: Any) -> Callable[[Any], Any]:  # noqa: A002 - click's word
    return option(*names, multiple=True, metavar=metavar, section=_FIND, help=help, **attributes)


@click.command(
    "search",
    cls=Command,
    short_help="Search code by meaning.",
    epilog="""\b
Examples:
  connote search "where do we retry failed uploads"
  connote search "parse the config file" src -t python --no-tests
  connote search "rate limit" -g '*.go' -g '!*_test.go' -C 3
  connote search "open the database" -l -0 | xargs -0 grep -n connect

\b
Exit code: 0 when there are hits, 1 when there are none, 2 after an error.""",
)
@click.argument("words", nargs=-1, metavar="QUERY [PATH]", type=ANY_PATH)
@_limit_option
@_repeatable("-g", "--glob", metavar="GLOB", help="Only files that match; !GLOB leaves out. Knows ** and {a,b}.")
@_repeatable("--iglob", metavar="GLOB", help="As --glob; upper and lower case are the same in all globs.")
@_repeatable("-t", "--type", "languages", metavar="LANG", help="Only files in this language, such as python or py.")
@_repeatable("-T", "--type-not", "exclude_languages", metavar="LANG", help="No files in this language.")
@option("--in", "prefix", metavar="PREFIX", section=_FIND, help="Only this folder or file; relative to the root.")
@_repeatable(
    "--kind",
    "kinds",
    metavar="KIND",
    type=click.Choice(SYMBOL_KINDS),
    help="Only definitions of this kind: function, method, class, ...",
)
@option("--no-tests", is_flag=True, section=_FIND, help="No files of tests.")
@option(
    "--mode",
    type=click.Choice(MODES),
    default="hybrid",
    metavar="MODE",
    section=_FIND,
    help="hybrid (default), semantic (meaning alone) or lexical (words alone).",
)
@option(
    "--min-score",
    type=click.FloatRange(0, 1),
    metavar="X",
    section=_FIND,
    help="Only hits that score at least X, 0 to 1; default: the setting rank.min_score.",
)
@option("--no-relax", is_flag=True, section=_FIND, help="When nothing scores enough, do not try again with half of it.")
@_output_options
def search(**typed: Any) -> int:
    """Search PATH, a folder or one file, for code that does what QUERY says.

    PATH is the current folder unless named.
    The index is brought up to date first; the first time may take a while.
    A QUERY of - is read from standard input; one that begins with a dash is written after --.
    """
    words = typed.pop("words")
    if not words:
        raise click.UsageError("What is to be searched for is missing.")
    if len(words) > 2:
        raise click.UsageError(f'A question of several words needs quotes around it: connote "{" ".join(words)}"')
    # The engine is loaded with the work, so that --help answers at once.
    from connote.faces.cli import searching, wishes  # noqa: PLC0415 - see the comment above

    return searching.search(words[0], words[1] if len(words) > 1 else ".", wishes.Wishes(**_normal(typed)))


@click.command(
    "similar",
    cls=Command,
    short_help="Find code that is like the code at a place.",
    epilog="""\b
Examples:
  connote similar src/limits.py:12
  connote similar src/limits.py:12 src --format summary

\b
Exit code: 0 when there are hits, 1 when there are none, 2 after an error.""",
)
@click.argument("place", metavar="FILE:LINE", type=ANY_PATH)
@click.argument("path", metavar="[PATH]", required=False, type=ANY_PATH)
@_limit_option
@_output_options
def similar(place: str, path: str | None, **typed: Any) -> int:
    """Find code like the chunk at LINE of FILE, in PATH or else in all of FILE's root."""
    from connote.faces.cli import searching, wishes  # noqa: PLC0415 - as for search

    return searching.similar(place, path, wishes.Wishes(**_normal(typed)))


def _normal(typed: dict[str, Any]) -> dict[str, Any]:
    around = typed.pop("context") or 0
    typed["before"] = around if typed["before"] is None else typed["before"]
    typed["after"] = around if typed["after"] is None else typed["after"]
    if typed["files_only"] and typed["count"]:
        raise click.UsageError("-l and -c exclude each other.")
    if (typed["files_only"] or typed["count"]) and typed["format_"] in ("json", "jsonl"):
        raise click.UsageError(f"-l and -c print paths; they do not go with --format {typed['format_']}.")
    return typed
