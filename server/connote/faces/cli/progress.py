"""The progress bar of a sync, on standard error and only where a person can see it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from connote.faces.cli.terminal import is_terminal
from connote.faces.render import printable
from connote.model import Progress


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """Yield what a sync reports its progress to; None when standard error is no terminal. Leaves no trace."""
    if not is_terminal(sys.stderr):
        yield None
        return
    # Loaded here because it takes a tenth of a second, for which a pipe need not wait.
    from rich import progress as bars  # noqa: PLC0415 - see the comment above
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Column  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    class Remaining(bars.TimeRemainingColumn):
        """The time that is left; empty until it can be guessed, for dashes tell nothing."""

        def render(self, task: bars.Task) -> Text:
            return super().render(task) if task.time_remaining is not None else Text("")

    bar = bars.Progress(
        bars.SpinnerColumn("line"),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=30),
        bars.TextColumn("{task.fields[count]}"),
        Remaining(compact=True),
        bars.TextColumn(
            "{task.fields[path]}",
            style="dim",
            markup=False,
            table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
        ),
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )
    task = bar.add_task("Looking for changes", total=None, count="", path="")

    def advance(progress: Progress) -> None:
        # Paths may hold what a terminal cannot show.
        path = printable(progress.path).encode("utf-8", "backslashreplace").decode("utf-8")
        count = f"{progress.done:,}/{progress.total:,}"
        bar.update(task, description="Indexing", completed=progress.done, total=progress.total, count=count, path=path)

    with bar:
        yield advance
