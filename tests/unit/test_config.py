"""Settings: where they come from, which source wins, and what the user is told about wrong ones."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from connote import config


def user_file(text: str) -> None:
    folder = Path(platformdirs.user_config_dir("connote", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "connote.toml").write_text(text, encoding="utf-8")


def test_later_sources_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limit(**sources: dict[str, object]) -> int:
        settings, problems = config.load(tmp_path, **sources)  # type: ignore[arg-type]

        assert [] == problems
        return settings.walk.max_bytes

    assert 1_000_000 == limit()
    (tmp_path / "connote.toml").write_text("[walk]\nmax_bytes = 1\n", encoding="utf-8")
    assert 1 == limit()
    assert 2 == limit(workspace={"walk": {"max_bytes": 2}})
    user_file("[walk]\nmax_bytes = 3\n")
    assert 3 == limit()
    monkeypatch.setenv("CONNOTE_WALK_MAX_BYTES", "4")
    assert 4 == limit()
    assert 5 == limit(client={"walk.max_bytes": 5})
    assert 6 == limit(client={"walk.max_bytes": 5}, flags={"walk.max_bytes": 6})


def test_pyproject_counts_as_a_project_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.connote.rank]\nmin_score = 0.3\n", encoding="utf-8")

    settings, problems = config.load(tmp_path)

    assert (0.3, []) == (settings.rank.min_score, problems)


@pytest.mark.parametrize(
    "line",
    [
        "embed.base_url = 'http://evil'",
        "embed.api_key = 'x'",
        "embed.api_key_command = 'x'",
        "embed.headers = ['X-A: b']",
        "embed.proxy = 'http://evil'",
        "embed.ca_file = 'x'",
        "embed.model = 'm'",
        "embed.provider = 'openai'",
        "store.kind = 'persistent'",
        "walk.secrets = ['.env']",
        "index_dir = '/x'",
    ],
)
def test_a_project_cannot_say_where_data_goes(tmp_path: Path, line: str) -> None:
    (tmp_path / "connote.toml").write_text(line + "\n", encoding="utf-8")

    settings, problems = config.load(tmp_path)

    assert config.load(None)[0] == settings
    assert ["only you may set it" in problem for problem in problems] == [True]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[walk]\nmax_byte = 1", "did you mean walk.max_bytes?"),
        ("[walk]\nmax_bytes = 'many'", "which is no number"),
        ("[walk]\nmax_bytes = 1.5", "which is no whole number"),
        ("[rank]\nmin_score = 7", "not in 0.0..1.0"),
        ("[rank]\npenalties = 3", "neither true nor false"),
        ("[chunk]\nmax_size = 0", "defaults of this group are used"),
        ("walk = 3", "walk"),
        ("not toml", "cannot be read"),
        ("\udcff", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named_and_the_rest_stands(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "connote.toml").write_bytes(text.encode("utf-8", "surrogateescape"))

    settings, problems = config.load(tmp_path)

    assert config.load(None)[0] == settings
    assert 1 == len(problems)
    assert told in problems[0]


def test_a_value_that_is_no_choice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNOTE_EMBED_PROVIDER", "statc")

    settings, problems = config.load(None)

    assert "static" == settings.embed.provider
    assert ["embed.provider is 'statc'; it can be static, openai, onnx, in the environment; it is ignored."] == problems


def test_an_unknown_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNOTE_WALK_MAXBYTES", "4")

    assert [
        "CONNOTE_WALK_MAXBYTES in the environment is no setting of connote; did you mean CONNOTE_WALK_MAX_BYTES?"
    ] == config.load(None)[1]


def test_keys_are_not_shown_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNOTE_EMBED_API_KEY", "canary-key")

    settings = config.load(None)[0]

    assert "canary-key" == settings.embed.api_key
    assert "canary-key" not in repr(settings)


def test_every_setting_has_a_name_and_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in config.names():
        default = config.load(None)[0]
        value = (
            default.index_dir
            if name == "index_dir"
            else getattr(getattr(default, name.split(".")[0]), name.split(".")[1])
        )
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        monkeypatch.setenv("CONNOTE_" + name.upper().replace(".", "_"), text or " ")

        problems = [problem for problem in config.load(None)[1] if text]

        assert [] == problems, name
        monkeypatch.delenv("CONNOTE_" + name.upper().replace(".", "_"))
