"""The progress bar of a sync, on standard error and only where a person can see it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from connote.faces.cli.terminal import is_terminal
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

    bar = bars.Progress(
        bars.SpinnerColumn("line"),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=30),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(compact=True),
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
    task = bar.add_task("Looking for changes", total=None, path="")

    def advance(progress: Progress) -> None:
        # Paths may hold what a terminal cannot show.
        path = progress.path.encode("utf-8", "backslashreplace").decode("utf-8")
        bar.update(task, description="Indexing", completed=progress.done, total=progress.total, path=path)

    with bar:
        yield advance
