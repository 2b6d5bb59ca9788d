"""From a PATH on the command line to a root, its settings and its index, up to date."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from connote import config, engine
from connote.errors import ConnoteError, EmbedError
from connote.faces.cli.progress import progress_bar
from connote.faces.cli.terminal import is_terminal, say, stop_on_interrupt, tell_warnings
from connote.faces.parts import holds_home
from connote.model import Report


@dataclass(frozen=True, slots=True)
class Place:
    """What a PATH means: a root, and a part of it."""

    root: Path
    prefix: str | None
    """PATH relative to the root, with `/`; None when it is the root itself."""
    is_file: bool


def locate(path: str, *, after_question: bool = False) -> Place:
    """Find the root of an existing folder or file; ConnoteError when there is no such thing.

    `after_question` says that the path may be the second word of a question without quotes.
    """
    given = Path(path)
    if "\0" in path or not given.exists():
        may_be_word = after_question and given.name == path
        advice = "a question of several words needs quotes around it" if may_be_word else "name another"
        raise ConnoteError(f"there is no file or folder {path!r}; {advice}")
    whole = given.resolve()
    root = engine.find_root(whole).resolve()
    prefix = whole.relative_to(root).as_posix()
    return Place(root=root, prefix=None if prefix == "." else prefix, is_file=whole.is_file())


def locate_project(path: str, *, after_question: bool = False) -> Place:
    """Find the root of an existing folder or file that is to be indexed, as `locate` does.

    ConnoteError also when that is the user's home or holds it, which is more than anybody wants to search by mistake;
    a `connote.toml` there says that it is meant.
    """
    place = locate(path, after_question=after_question)
    if holds_home(place.root) and not (place.root / "connote.toml").exists():
        if place.prefix is None:
            what, advice = str(place.root), "name the folder of a project, or put"
        else:
            what = f"{Path(path).resolve()} belongs to {place.root} by the .git there, which"
            advice = "put an empty connote.toml into the project's folder, or"
        raise ConnoteError(
            f"{what} holds everything you have, and is not indexed unasked; {advice} "
            f"an empty connote.toml into {place.root} if you mean all of it"
        )
    return place


def settings_for(root: Path | None, index_dir: str | None) -> config.Settings:
    """Return the settings of a root; what is wrong in them is said, and does not stop anything."""
    tell_warnings()
    flags: dict[str, object] = {} if index_dir is None else {"index_dir": Path(index_dir).absolute()}
    settings, problems = config.load(root, flags=flags)
    for problem in problems:
        say(problem)
    return settings


def bring_up_to_date(index: engine.Index, *, rebuild: bool = False) -> Report:
    """Sync an index with a progress bar; the first Ctrl-C ends it where what is done is kept."""
    with stop_on_interrupt() as stop, progress_bar() as on_progress:
        return index.sync(on_progress, cancel=stop, rebuild=rebuild)


def refresh(index: engine.Index) -> None:
    """Sync an index before a search, which goes on with what is there when texts cannot be embedded."""
    try:
        report = bring_up_to_date(index)
    except EmbedError as error:
        say(f"the index could not be brought up to date, searching what is there: {error}")
        return
    # In a terminal only: a script that searches again and again would hear of it each time.
    if report.problems and is_terminal(sys.stderr):
        count = len(report.problems)
        say(f"{count} file{'s' if count > 1 else ''} could not be indexed; `connote status` names them")
