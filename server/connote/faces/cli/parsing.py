"""How commands are declared: options in sections, and a question as the command that needs no name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from connote.faces.cli.terminal import is_terminal, say

WIDTH = 100
"""Columns of `--help` on a wide terminal."""
LAST = "Options"
"""The section of an option that names none."""
HELP = ("-h", "--help")

_AS_OPTIONS = {"help": "--help", "version": "--version"}
"""What is a command in other programs, and an option here."""

ANY_PATH = click.Path(readable=False)
"""Any text; shells complete it as a path. Whether it exists is for the command to say."""


class Option(click.Option):
    """An option that `--help` lists under the heading `section`."""

    def __init__(self, *args: Any, section: str = LAST, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose `--help` groups its options by section, in the order in which they are declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section of options; the usage line has shown the arguments."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                # The help text alone: where a range matters, it says so in words.
                row = (record[0], parameter.help or record[1])
                sections.setdefault(getattr(parameter, "section", LAST), []).append(row)
        # click's own --help has no section, and belongs to the end.
        for title in sorted(sections, key=lambda title: title == LAST):
            with formatter.section(title):
                formatter.write_dl(sections[title])


class Commands(click.Group):
    """A group in which words that name no command are a question for `search`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of their declaration, which is the order of their use."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command and its arguments, or `search` and all of them."""
        if args and args[0] not in self.commands:
            _tell_of_likeness(args[0], self.commands)
            return "search", self.commands["search"], args
        return super().resolve_command(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both ways to call the program."""
        formatter.write_usage(ctx.command_path, "QUESTION [PATH] [OPTIONS]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGUMENTS] [OPTIONS]", prefix="       ")

    def words(self, arguments: Sequence[str]) -> list[str]:
        """Return the arguments with `search` before them when they begin with an option of `search`."""
        own = {name for parameter in self.params for name in parameter.opts} | set(HELP)
        is_question = bool(arguments) and arguments[0].startswith("-") and arguments[0] not in own
        return ["search", *arguments] if is_question else list(arguments)


def option(*names: str, section: str = LAST, **attributes: Any) -> Callable[[Any], Any]:
    """Declare an option of a command in a section of its `--help`."""
    return click.option(*names, cls=Option, section=section, **attributes)


def _tell_of_likeness(word: str, commands: Iterable[str]) -> None:
    """Tell a person, whose question is one word much like a command's name, that it is taken for a question."""
    if word.isalpha() and len(word) < 15 and is_terminal(sys.stderr):
        import difflib  # noqa: PLC0415 - scripts and longer questions need not wait for it

        for name in difflib.get_close_matches(word, [*commands, *_AS_OPTIONS], n=1, cutoff=0.8):
            say(f"searching for {word!r}, which is no command; did you mean `connote {_AS_OPTIONS.get(name, name)}`?")


def index_dir_option(command: Any) -> Any:
    """Declare `--index-dir`, which every command that opens an index has."""
    return option(
        "--index-dir",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Keep indexes in DIR instead of the user's cache folder.",
    )(command)
