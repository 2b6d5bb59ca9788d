"""The command line: `main` runs one command and returns its exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from connote.errors import ConnoteError
from connote.faces.cli.commands import program
from connote.faces.cli.parsing import WIDTH
from connote.faces.cli.servers import Start
from connote.faces.cli.terminal import discard_output, is_broken_pipe, say

OK, TROUBLE, INTERRUPTED = 0, 2, 130


def main(argv: Sequence[str], start: Start | None = None) -> int:
    """Run the command that the arguments (without the program's name) say, and return its exit code.

    `start` runs the faces that are servers; without it, their commands are none.
    Trouble is told on standard error as `connote: what happened; what to do`, and is 2. Ctrl-C is 130.
    """
    try:
        return _run(argv, start)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        error.show()
        return TROUBLE
    except ConnoteError as error:
        say(str(error))
        return TROUBLE
    except OSError as error:
        if is_broken_pipe(error):
            discard_output()
            return OK
        say(f"{error.strerror or error}: {error.filename}" if error.filename else str(error.strerror or error))
        return TROUBLE
    except (KeyboardInterrupt, click.Abort):
        say("stopped")
        return INTERRUPTED


def _run(argv: Sequence[str], start: Start | None) -> int:
    if "_CONNOTE_COMPLETE" in os.environ:
        from connote.faces.cli import completing  # noqa: PLC0415 - only a shell that completes needs it

        return completing.answer(program)
    if not argv:
        # Not success: a script whose question is empty must not take help for hits.
        with click.Context(program, info_name="connote", max_content_width=WIDTH) as context:
            click.echo(program.get_help(context), err=True)
        return TROUBLE
    # Not `program.main()`, which ends the process and has its own mind about broken pipes.
    with program.make_context("connote", program.words(argv), obj=start) as context:
        code = program.invoke(context)
    return code if isinstance(code, int) else OK
