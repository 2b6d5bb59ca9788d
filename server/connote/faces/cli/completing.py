"""Completion for shells: the script, and the answers that the script asks for."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class, shell_complete

from connote.faces.cli.terminal import Output

VARIABLE = "_CONNOTE_COMPLETE"
"""The environment variable through which the script asks for completions."""


def script(program: click.Command, shell: str) -> int:
    """Print the completion script for a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not known.")
    completion = kind(program, {}, "connote", VARIABLE)
    # Not `source()`: for bash that starts a shell to ask for its version, and warns where there is none.
    Output().write(completion.source_template % completion.source_vars())
    return 0


def answer(program: click.Command) -> int:
    """Answer the script's question, which is in the environment."""
    return shell_complete(program, {}, "connote", VARIABLE, os.environ[VARIABLE])
