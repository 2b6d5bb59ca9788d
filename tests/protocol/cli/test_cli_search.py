"""`connote search` and `connote similar`, as a user or a script meets them: the real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Batch = Callable[..., "list[tuple[int, str, str]]"]
Printed = Callable[..., "list[str]"]

UPLOAD = "retry a failed upload"


@pytest.fixture(scope="module")
def files(sample: dict[str, str]) -> dict[str, str]:
    """The files of a small project, by path."""
    return {
        **sample,
        "src/deep/colors.go": """package deep

// ParseColor reads a hexadecimal colour such as #ff8800.
func ParseColor(text string) (int, error) {
	return strconv.ParseInt(text[1:], 16, 32)
}
""",
        "odd names/with space.py": "def rotate_matrix(matrix):\n    return [list(row) for row in zip(*matrix[::-1])]\n",
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], write: Callable[..., Path]) -> Path:
    """A small project; indexed by the first search of the module."""
    root = write(tmp_path_factory.mktemp("cli") / "project", files)
    if os.name != "nt":
        (root / "odd names" / "line\nbreak.py").write_text("def invert_matrix(matrix):\n    return matrix ** -1\n")
    return root


@pytest.fixture(scope="module")
def run(connote: Run, tree: Path) -> Run:
    """Run connote in the project (or `cwd`); the index is there already, so most runs need no sync."""

    def start(*arguments: str, cwd: Path = tree, **extra: str) -> subprocess.CompletedProcess[str]:
        return connote(*arguments, cwd=cwd, **extra)

    first = start("index")
    assert 0 == first.returncode, first.stderr
    return start


@pytest.fixture(scope="module")
def together(batch: Batch, run: Run, tree: Path) -> Batch:
    """Run many command lines in the project, in one process."""
    return lambda commands: batch(commands, tree)


@pytest.fixture(scope="module")
def printed(together: Batch) -> Printed:
    """Search without a sync, several times in one process; returns what each prints, and all must find something."""

    def start(*searches: list[str]) -> list[str]:
        done = together([["search", "--no-sync", *words] for words in searches])
        assert [0] * len(searches) == [code for code, _, _ in done], done
        return [output for _, output, _ in done]

    return start


def test_a_bare_question_searches_and_prints_grep_lines_into_a_pipe(run: Run, files: dict[str, str]) -> None:
    done = run(UPLOAD)

    assert 0 == done.returncode, done.stderr
    path, line, text = done.stdout.splitlines()[0].split(":", 2)
    assert path in (str(Path("src/uploads.py")), str(Path("docs/guide.md")), str(Path("tests/test_uploads.py")))
    assert files[Path(path).as_posix()].split("\n")[int(line) - 1] == text
    assert "\x1b" not in done.stdout
    assert "" == done.stderr


def test_json_has_the_promised_shape(printed: Printed, tree: Path, files: dict[str, str]) -> None:
    (output,) = printed(["check_quota", "--why", "-n", "1", "--format", "json"])
    answer = json.loads(output)
    (hit,) = answer["hits"]

    assert ["root", "query", "hits", "complete", "relaxed", "message", "elapsed_ms"] == list(answer)
    assert (str(tree), "check_quota", True) == (answer["root"], answer["query"], answer["complete"])
    assert "src/limits.py" == hit["path"]
    assert str(tree / "src" / "limits.py") == hit["file"]
    assert files["src/limits.py"].split("\n")[hit["start_line"] - 1] == hit["text"].split("\n")[0]
    assert hit["score"] == pytest.approx(sum(signal["amount"] for signal in hit["signals"]))


def test_jsonl_is_one_hit_a_line_without_signals(run: Run) -> None:
    done = run("search", UPLOAD, "--format", "jsonl", "--no-sync")
    hits = [json.loads(line) for line in done.stdout.splitlines()]

    assert hits
    assert all("signals" not in hit for hit in hits)
    assert sorted((hit["score"] for hit in hits), reverse=True) == [hit["score"] for hit in hits]


FILTERS = (
    (["-g", "*.md"], {"docs/guide.md"}),
    (["-g", "!*.md", "-g", "!tests/**"], {"src/uploads.py"}),
    (["--iglob", "SRC/UPLOADS.PY"], {"src/uploads.py"}),
    (["-g", "*.{md,rst}"], {"docs/guide.md"}),
    (["-t", "markdown"], {"docs/guide.md"}),
    (["-t", "md"], {"docs/guide.md"}),
    (["-T", "markdown", "--no-tests"], {"src/uploads.py"}),
    (["--in", "docs"], {"docs/guide.md"}),
    (["--in", "docs/", "docs/guide.md"], {"docs/guide.md"}),
    (["--kind", "function", "--no-tests"], {"src/uploads.py"}),
    (["src"], {"src/uploads.py"}),
    (["src/uploads.py"], {"src/uploads.py"}),
)
NOTHING = (["-g", "*.cobol"], ["-t", "fortran"], ["--in", "nowhere"], ["src", "--in", "docs"])
JSON = ["--format", "json", "--no-sync"]


def test_filters_leave_only_what_they_name(together: Batch) -> None:
    results = together([["search", UPLOAD, *JSON, *options] for options, _ in FILTERS])

    # Which of the other files is near enough is the ranking's affair: here only these three count.
    about_uploads = {"src/uploads.py", "docs/guide.md", "tests/test_uploads.py"}
    found = [{hit["path"] for hit in json.loads(output)["hits"]} & about_uploads for _, output, _ in results]
    assert [expected for _, expected in FILTERS] == found
    assert {0} == {code for code, _, _ in results}


def test_a_filter_that_matches_no_file_is_no_hit_and_no_error(together: Batch) -> None:
    results = together([["search", UPLOAD, *JSON, *options] for options in NOTHING])

    assert {1} == {code for code, _, _ in results}
    for _, output, messages in results:
        answer = json.loads(output)
        assert [] == answer["hits"]
        assert f"connote: {answer['message']}\n" == messages
    assert "no indexed file is in fortran; there is go, markdown, python, toml" == json.loads(results[1][1])["message"]


def test_limit_and_modes(together: Batch) -> None:
    modes = ("hybrid", "semantic", "lexical")
    results = together([["search", UPLOAD, *JSON, "-n", "3", "--min-score", "0", "--mode", mode] for mode in modes])

    for _, output, _ in results:
        hits = json.loads(output)["hits"]
        assert 1 <= len(hits) <= 3
        assert "src/uploads.py" in {hit["path"] for hit in hits}


def test_from_a_subfolder_the_root_above_is_used_and_hits_stay_below(run: Run, tree: Path) -> None:
    # R091
    done = run("search", "parse a hexadecimal colour", "-l", "--no-sync", "--min-score", "0", cwd=tree / "src" / "deep")

    assert "colors.go\n" == done.stdout
    assert not list((tree / "src" / "deep").glob(".*"))


def test_paths_outside_the_current_folder_are_absolute(run: Run, tree: Path, tmp_path: Path) -> None:
    done = run("search", UPLOAD, str(tree / "src" / "uploads.py"), "-l", "--no-sync", cwd=tmp_path)

    assert f"{tree / 'src' / 'uploads.py'}\n" == done.stdout


def test_a_path_that_is_not_there_is_an_error_and_never_other_data(run: Run, tree: Path) -> None:
    # R089
    done = run("search", UPLOAD, "nosuch")

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("connote: there is no file or folder 'nosuch'; ")
    assert "Traceback" not in done.stderr


def test_a_mistyped_command_at_home_indexes_nothing_unasked(batch: Batch, tmp_path: Path) -> None:
    below = tmp_path / "downloads"
    below.mkdir()
    (below / "a.py").write_text("def unpack_archive(file):\n    return file\n", encoding="utf-8")
    homes = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "CONNOTE_INDEX_DIR": str(tmp_path / "indexes")}
    commands = [["serach"], ["index"], ["search", "x", str(Path(tmp_path.anchor))], ["similar", "downloads/a.py:1"],
                ["index", "--dry-run"]]  # fmt: skip
    refused = batch([*commands[:3], commands[4]], tmp_path, **homes)
    (tmp_path / ".git").mkdir()
    refused += batch([["unpack_archive", "downloads"], commands[3]], tmp_path, **homes)

    assert {(2, "")} == {(code, output) for code, output, _ in refused}
    assert all("holds everything you have" in messages for *_, messages in refused)
    assert not (tmp_path / "indexes").exists()
    (tmp_path / "connote.toml").touch()
    ((code, output, _),) = batch([["unpack_archive", "downloads", "-l"]], tmp_path, **homes)
    assert (0, f"{Path('downloads/a.py')}\n") == (code, output)


def test_trouble_with_json_is_json_too(run: Run) -> None:
    # R087
    done = run("search", UPLOAD, "nosuch", "--format", "json")

    assert 2 == done.returncode
    assert [] == json.loads(done.stdout)["hits"]
    assert "nosuch" in json.loads(done.stdout)["message"]


def test_no_hits_says_why_on_standard_error(run: Run) -> None:
    done = run("search", UPLOAD, "--min-score", "1", "--no-relax", "--no-sync")

    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("connote: ")


def test_a_relaxed_search_says_so(together: Batch, printed: Printed) -> None:
    (best,) = printed([UPLOAD, "-n", "1", "--format", "json"])
    least = str(round(min(json.loads(best)["hits"][0]["score"] * 1.5, 1), 3))

    (code, output, messages), (strict, *_) = together(
        [["search", UPLOAD, *JSON, "--min-score", least], ["search", UPLOAD, *JSON, "--min-score", least, "--no-relax"]]
    )

    assert (0, True) == (code, json.loads(output)["relaxed"])
    assert "--no-relax" in messages
    assert 1 == strict


def test_any_text_is_a_query(together: Batch) -> None:
    # R090
    queries = ["", "   ", "\N{PARTY POPPER}", "-Wall flag handling", "--help text", "index", "two\nlines", "a" * 20_000]

    results = together([["search", *JSON, "--", query] for query in queries])

    assert queries == [json.loads(output)["query"] for _, output, _ in results]
    assert {code for code, _, _ in results} <= {0, 1}
    assert [1, 1] == [code for code, _, _ in results[:2]]


def test_a_question_from_standard_input(run: Run) -> None:
    done = run("search", "-", "-l", "--no-sync", "-n", "1", stdin="check_quota\n")

    assert f"{Path('src/limits.py')}\n" == done.stdout


BAD = (
    (["search", "--formt", "json", "x"], "--format"),
    (["search", "-n", "0", "x"], "1<=x<=200"),
    (["search", "-n", "201", "x"], "1<=x<=200"),
    (["search", "--min-score", "2", "x"], "0<=x<=1"),
    (["search", "--mode", "magic", "x"], "lexical"),
    (["search", "--kind", "gadget", "x"], "function"),
    (["search", "--color", "maybe", "x"], "always"),
    (["search"], "missing"),
    (["where", "do", "we", "retry"], 'quotes around it: connote "where do we retry"'),
    (["search", "x", "-l", "-c"], "exclude each other"),
    (["search", "x", "-l", "--format", "json"], "json"),
    (["similar", "src/limits.py"], "file and a line"),
    (["similar", "src:1"], "is a folder"),
    (["similar", "src/limits.py:99999"], "and none of number 99999"),
    (["index", "nosuch"], "'nosuch'; name another"),
    (["index", "--dry-run", "--watch"], "--dry-run"),
    (["status", "--files", "--skipped"], "exclude each other"),
    (["clear", "--all", "--stale"], "exclude each other"),
    (["lsp"], "first word"),
)


def test_bad_options_are_an_error_with_a_hint(together: Batch) -> None:
    results = together([arguments for arguments, _ in BAD])

    assert {(2, "")} == {(code, output) for code, output, _ in results}
    assert [] == [
        (hint, messages) for (_, hint), (_, _, messages) in zip(BAD, results, strict=True) if hint not in messages
    ]


def test_vimgrep_and_summary(printed: Printed, files: dict[str, str]) -> None:
    vimgrep, summary = printed(
        ["check_quota", "-n", "1", "--format", "vimgrep"],
        ["retry_upload", "src", "-n", "1", "--format", "summary"],
    )

    path, line, column, text = vimgrep.rstrip("\n").split(":", 3)
    assert str(Path("src/limits.py")) == path
    assert files["src/limits.py"].split("\n")[int(line) - 1] == text
    assert int(column) >= 1
    assert summary.startswith(f"{Path('src/uploads.py')}:")
    assert "function retry_upload (" in summary


def test_context_lines_come_from_disk_with_dashes(printed: Printed, files: dict[str, str]) -> None:
    question = ["parse a hexadecimal colour", "-n", "1", "-t", "go", "--min-score", "0"]
    bare, with_context, wide = printed(question, [*question, "-B", "99"], [*question, "-C", "99", "--format", "json"])

    path, lines = str(Path("src/deep/colors.go")), files["src/deep/colors.go"].split("\n")
    first = int(bare.split(":")[1])
    assert "".join(f"{path}-{n}-{lines[n - 1]}\n" for n in range(1, first)) + bare == with_context
    (hit,) = json.loads(wide)["hits"]
    assert (1, files["src/deep/colors.go"].rstrip("\n")) == (hit["start_line"], hit["text"])


def test_a_hit_in_a_file_that_changed_since_is_marked(batch: Batch, tmp_path: Path) -> None:
    file = tmp_path / "bread.py"
    file.write_text("# one\n\n\ndef bake_bread(flour):\n    return flour\n", encoding="utf-8")
    # A host would follow the change.
    search = ["search", "bake_bread", "--no-sync", "--min-score", "0"]
    alone = {"CONNOTE_SERVER_HOST": "off"}
    batch([["index"]], tmp_path, **alone)
    file.write_text("# two\n\n\ndef bake_bread(flour):\n    return flour\n\n# more\n", encoding="utf-8")

    done = batch([[*search, "--format", "json"], [*search, "--format", "pretty"]], tmp_path, **alone)

    assert [0, 0] == [code for code, _, _ in done]
    assert {True} == {hit["stale"] for hit in json.loads(done[0][1])["hits"]}
    assert "(changed since it was indexed)" in done[1][1]


def test_files_counts_and_unique_files(printed: Printed) -> None:
    lines, files, counts, unique = printed(
        [UPLOAD, "--format", "jsonl"],
        [UPLOAD, "-l"],
        [UPLOAD, "-c"],
        [UPLOAD, "--unique-files", "--format", "vimgrep"],
    )

    paths = [json.loads(line)["path"] for line in lines.splitlines()]
    native = [str(Path(path)) for path in dict.fromkeys(paths)]
    assert native == files.splitlines()
    assert [f"{Path(path)}:{paths.count(path)}" for path in dict.fromkeys(paths)] == counts.splitlines()
    best = [line.split(":")[0] for line in unique.splitlines()]
    assert native == best[: len(native)]
    assert len(best) == len(set(best))


def test_colour_is_for_terminals_or_on_demand(printed: Printed) -> None:
    base = [UPLOAD, "-n", "2", "--format"]
    pretty, grep, plain, auto = printed(
        [*base, "pretty", "--color", "always"],
        [*base, "grep", "--color", "always"],
        [*base, "pretty", "--color", "never"],
        [*base, "pretty"],
    )

    assert "\x1b[" in pretty
    assert "\x1b[" in grep
    assert "\x1b[" not in plain
    assert plain == auto


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names with line breaks: not shown that -0 keeps them")
def test_names_with_spaces_and_line_breaks_survive_with_null(run: Run) -> None:
    done = run("search", "matrix", "-l", "-0", "--in", "odd names", "--no-sync", "--min-score", "0")

    assert {"odd names/with space.py", "odd names/line\nbreak.py"} == set(done.stdout.rstrip("\0").split("\0"))


def test_similar_finds_others_and_never_the_place_itself(run: Run) -> None:
    done = run("similar", "src/uploads.py:5", "--format", "json", "-n", "5")
    answer = json.loads(done.stdout)

    assert 0 == done.returncode, done.stderr
    assert answer["hits"]
    assert not [
        hit for hit in answer["hits"] if hit["path"] == "src/uploads.py" and hit["start_line"] <= 5 <= hit["end_line"]
    ]
    within = run("similar", "src/uploads.py:5:9", "docs", "-l", "--no-sync")
    assert f"{Path('docs/guide.md')}\n" == within.stdout


def test_a_search_finds_what_was_just_written(run: Run, tree: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "a.py").write_text("def bake_bread(flour):\n    return flour\n", encoding="utf-8")

    assert "a.py\n" == run("search", "bake_bread", "-l", cwd=fresh).stdout
    (fresh / "a.py").rename(fresh / "b.py")
    assert "a.py\n" == run("search", "bake_bread", "-l", "--no-sync", cwd=fresh).stdout.replace("b.py", "a.py")
    assert "b.py\n" == run("search", "bake_bread", "-l", cwd=fresh).stdout


def test_a_single_file_that_is_not_indexed_says_why(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 20)

    done = run("search", UPLOAD, "data.bin", cwd=tmp_path)

    assert 1 == done.returncode
    assert "data.bin is not indexed" in done.stderr


def test_a_reader_that_stops_early_is_no_error(run: Run, tree: Path, environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "connote", "search", UPLOAD, "-n", "200", "--min-score", "0", "--no-sync"],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()  # type: ignore[union-attr]
        stderr = process.stderr.read()  # type: ignore[union-attr]

    assert (0, "") == (process.returncode, stderr)


def test_an_output_that_knows_only_ascii_does_not_fail(run: Run, tmp_path: Path) -> None:
    (tmp_path / "n.py").write_text('def naïve_greeting():\n    return "\N{PARTY POPPER}"\n', encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii"}

    text = run("search", "naïve_greeting", cwd=tmp_path, **ascii_only)
    data = run("search", "naïve_greeting", "--format", "json", "--no-sync", cwd=tmp_path, **ascii_only)

    assert (0, 0) == (text.returncode, data.returncode), text.stderr
    assert "\\U0001f389" in text.stdout
    assert "\N{PARTY POPPER}" in json.loads(data.stdout)["hits"][0]["text"]


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux takes names that are no text: not shown that they are printed"
)
def test_a_file_name_that_is_not_valid_text_is_printed_as_it_is(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "menu.py").write_text("def espresso_price():\n    return 2\n", encoding="utf-8")

    listed = run("search", "espresso_price", "-l", cwd=tmp_path)

    # Either it is indexed, and its bytes come out as they are, or it is left out; it never breaks the search.
    assert (0, "caf\udce9/menu.py\n") == (listed.returncode, listed.stdout) or 1 == listed.returncode
    assert "Traceback" not in listed.stderr
