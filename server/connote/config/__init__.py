"""Settings: the stages' options in one place, read from files, environment, editor and flags."""

from __future__ import annotations

import dataclasses
import difflib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from connote.chunk import ChunkOptions
from connote.embed import EmbedOptions
from connote.rank import RankOptions
from connote.store import StoreOptions
from connote.walk import WalkOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed where it is needed

_PREFIX = "CONNOTE_"
_OPENAI_KEY = "OPENAI_API_KEY"
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_PROJECT_FILES = ("connote.toml", "pyproject.toml")


@dataclass(frozen=True)
class ServerOptions:
    """How the processes behave that serve an index: its host, and the servers of editors and programs."""

    resync_seconds: int = field(default=180, metadata={"minimum": 0, "maximum": 86_400})
    """Seconds between checks of every file's size and time, for changes that nobody reported; 0 turns them off."""
    host: str = field(default="auto", metadata={"choices": ("auto", "off"), "user_only": True})
    """`auto`: one host process owns a root's index, and every editor and command asks it; it is started when there is
    none. `off`: each process works on the index itself, which is slower and takes more memory."""
    idle_minutes: float = field(default=10.0, metadata={"minimum": 0.0, "maximum": 100_000.0})
    """Minutes without a client after which a host ends itself."""
    watch: str = field(default="auto", metadata={"choices": ("auto", "on", "off")})
    """Whether a host watches the folders of an index that an editor or server has open: `auto` and `on` do, `off` never
    does. Where watching fails, the regular check finds what changed."""
    client_seconds: int = field(default=10, metadata={"minimum": 1, "maximum": 3600})
    """Seconds that a client of `connote serve` or `connote mcp --http` has to send a request; then it is cut off."""


@dataclass(frozen=True)
class Settings:
    """All settings. A group's fields are documented where the group is defined."""

    walk: WalkOptions = field(default_factory=WalkOptions)
    chunk: ChunkOptions = field(default_factory=ChunkOptions)
    embed: EmbedOptions = field(default_factory=EmbedOptions)
    store: StoreOptions = field(default_factory=StoreOptions)
    rank: RankOptions = field(default_factory=RankOptions)
    server: ServerOptions = field(default_factory=ServerOptions)
    index_dir: Path = field(default_factory=lambda: Path(platformdirs.user_cache_dir("connote", appauthor=False)))
    """The folder below which the indexes of all roots lie."""


def load(
    root: Path | None,
    *,
    client: Mapping[str, object] | None = None,
    workspace: Mapping[str, object] | None = None,
    flags: Mapping[str, object] | None = None,
) -> tuple[Settings, list[str]]:
    """The settings for a root, and what is wrong with them, in sentences. Never raises.

    Later sources win: defaults, the root's project file and the editor's `workspace` settings, the user's file,
    the environment, the editor's user settings (`client`), `flags`. Mappings nest by group
    (`{"walk": {"max_bytes": 1}}`) or use dotted names (`{"walk.max_bytes": 1}`).
    What only the user may set is refused in the project's.
    """
    problems: list[str] = []
    values: dict[str, Any] = {}
    project = _project(root, problems) if root else {}
    _merge(values, project, "the project's file", problems, trusted=False)
    _merge(values, workspace or {}, "the workspace's settings", problems, trusted=False)
    user_file = Path(platformdirs.user_config_dir("connote", appauthor=False)) / "connote.toml"
    _merge(values, _toml(user_file, problems), str(user_file), problems, trusted=True)
    _merge(values, _environment(os.environ, problems), "the environment", problems, trusted=True)
    _merge(values, client or {}, "the editor's settings", problems, trusted=True)
    _merge(values, flags or {}, "the command line", problems, trusted=True)
    return _build(values, problems), problems


def names() -> Iterator[str]:
    """Every setting's dotted name, in the order of its definition."""
    yield from _fields()


def default_of(group: dataclasses.Field[Any]) -> Any:
    """The default of a field of Settings: a group's options, or the index folder."""
    if group.default_factory is dataclasses.MISSING:
        raise TypeError(f"{group.name} has no default")
    return group.default_factory()


def _fields() -> dict[str, tuple[dataclasses.Field[Any], Any]]:
    found: dict[str, tuple[dataclasses.Field[Any], Any]] = {}
    for group in dataclasses.fields(Settings):
        options = default_of(group)
        if group.name == "index_dir":
            found[group.name] = (group, options)
        else:
            found.update(
                {f"{group.name}.{one.name}": (one, getattr(options, one.name)) for one in dataclasses.fields(options)}
            )
    return found


def _project(root: Path, problems: list[str]) -> Mapping[str, object]:
    for name in _PROJECT_FILES:
        table = _toml(root / name, problems)
        if name == "pyproject.toml":
            tool = table.get("tool")
            table = tool.get("connote", {}) if isinstance(tool, dict) else {}
        if table:
            return table
    return {}


def _toml(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        table: dict[str, Any] = tomllib.loads(path.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        problems.append(f"{path} cannot be read and is ignored: {error}")
        return {}
    return table


def _environment(environment: Mapping[str, str], problems: list[str]) -> dict[str, str]:
    by_variable = {_PREFIX + name.upper().replace(".", "_"): name for name in names()}
    found: dict[str, str] = {}
    for variable, value in environment.items():
        name = variable.upper()
        if name in by_variable:
            found[by_variable[name]] = value
        elif name.startswith(_PREFIX) and not name.startswith((_PREFIX + "TEST_", _PREFIX + "HOST_")):
            problems.append(_unknown(variable, by_variable, "the environment"))
    return found


def _merge(
    values: dict[str, Any], source: Mapping[str, object], where: str, problems: list[str], *, trusted: bool
) -> None:
    known = _fields()
    for name, value in _flat(source):
        if name not in known:
            problems.append(_unknown(name, known, where))
            continue
        setting, default = known[name]
        if not trusted and (setting.metadata.get("user_only") or name == "index_dir"):
            problems.append(
                f"{name} in {where} is ignored: only you may set it, in your own settings or the environment."
            )
            continue
        try:
            values[name] = _value(name, setting, default, value)
        except ValueError as error:
            problems.append(f"{error}, in {where}; it is ignored.")


def _flat(source: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    groups = {group.name for group in dataclasses.fields(Settings)}
    for name, value in source.items():
        if name in groups and isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", setting) for inner, setting in value.items())
        else:
            yield name, value


def _unknown(name: str, known: Mapping[str, object], where: str) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"{name} in {where} is no setting of connote" + (f"; did you mean {near[0]}?" if near else ".")


def _value(name: str, setting: dataclasses.Field[Any], default: Any, value: object) -> Any:  # noqa: C901 - one branch a type
    if isinstance(default, bool):
        text = str(value).lower()
        if text not in _TRUE + _FALSE:
            raise ValueError(f"{name} is {value!r}, which is neither true nor false")
        return text in _TRUE
    if isinstance(default, tuple):
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
            raise ValueError(f"{name} is {value!r}, which is no list of texts")
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(default, Path):
        if not isinstance(value, (str, Path)) or not str(value):
            raise ValueError(f"{name} is {value!r}, which is no folder")
        return Path(value).expanduser()
    if isinstance(default, (int, float)):
        number = _number(name, type(default), value)
        low, high = setting.metadata.get("minimum"), setting.metadata.get("maximum")
        if (low is not None and number < low) or (high is not None and number > high):
            raise ValueError(f"{name} is {number}, which is not in {low}..{high}")
        return number
    if default is None and value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}, which is no text")
    choices = setting.metadata.get("choices")
    if choices and value not in choices:
        raise ValueError(f"{name} is {value!r}; it can be {', '.join(choices)}")
    return value


def _number(name: str, kind: type[int] | type[float], value: object) -> int | float:
    try:
        number = float(str(value))
    except ValueError:
        raise ValueError(f"{name} is {value!r}, which is no number") from None
    if kind is int and number != int(number):
        raise ValueError(f"{name} is {value!r}, which is no whole number")
    return kind(number)


def _build(values: dict[str, Any], problems: list[str]) -> Settings:
    groups: dict[str, Any] = {}
    if values.get("embed.provider") == "openai" and not any(
        values.get(f"embed.{name}") for name in ("base_url", "api_key", "api_key_command")
    ):
        # OpenAI's own variable is for OpenAI's own endpoint, and for no other.
        values["embed.api_key"] = os.environ.get(_OPENAI_KEY, "")
    for group in dataclasses.fields(Settings):
        if group.name == "index_dir":
            groups["index_dir"] = values.get("index_dir", default_of(group))
            continue
        options = default_of(group)
        mine = {name.split(".", 1)[1]: value for name, value in values.items() if name.startswith(group.name + ".")}
        try:
            groups[group.name] = dataclasses.replace(options, **mine)
        except ValueError as error:
            # The stage itself refuses a combination: its defaults are used, and the user is told.
            problems.append(f"{group.name}: {error}; the defaults of this group are used.")
            groups[group.name] = options
    return Settings(**groups)
