"""Which files a walk names: ignore rules, other checkouts, links and names that are hard to handle."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from connote.model import Problem, Skipped, SourceFile
from connote.walk import ListingError, WalkOptions, walk

Tree = Callable[..., Path]
Git = Callable[..., str]
Said = Callable[..., list[str]]

pytestmark = pytest.mark.usefixtures("either_way")


def test_files_come_sorted_by_path_with_size_and_time(tree: Tree, git: Git) -> None:
    root = tree({"b.py": "12345", "a/z.py": "", "a.py": "1", "a/b/c.py": ""})
    git(root, "init")
    files = [outcome for outcome in walk(root, WalkOptions()) if isinstance(outcome, SourceFile)]

    assert ["a.py", "a/b/c.py", "a/z.py", "b.py"] == [file.path for file in files]
    assert [1, 0, 0, 5] == [file.size for file in files]
    assert [(root / file.path).stat().st_mtime_ns for file in files] == [file.mtime_ns for file in files]


def test_anchored_and_folder_patterns_are_gits(tree: Tree, git: Git, said: Said) -> None:
    # R015
    root = tree({".gitignore": "/Library/\nonly/\n", "Library/a.py": "", "src/Library/b.py": "", "x/only": ""})
    git(root, "init")

    assert [".gitignore", "src/Library/b.py", "x/only"] == said(root)


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ("build/*\n!build/gen.py\n", ["build/gen.py"]),
        ("build/\n!build/gen.py\n", []),
        ("build\n*.txt\n!keep.txt\n", ["keep.txt"]),
    ],
)
def test_negated_patterns_take_back_what_git_takes_back(
    tree: Tree, git: Git, said: Said, rules: str, kept: list[str]
) -> None:
    # R016
    root = tree({".gitignore": rules, "build/gen.py": "", "build/other.py": "", "keep.txt": "", "drop.txt": ""})
    git(root, "init")
    others = [] if "*.txt" in rules else ["drop.txt", "keep.txt"]

    assert sorted([".gitignore", *kept, *others]) == said(root)


def test_nested_ignore_files_apply(tree: Tree, git: Git, said: Said) -> None:
    # R017, R098
    root = tree(
        {
            "webapp/.gitignore": ".output\n",
            "webapp/.output/bundle.js": "",
            "webapp/app.js": "",
            "cfg/.gitignore": "*.json\r\n",
            "cfg/settings.json": '{"key": "AKIAIOSFODNN7EXAMPLE"}',
        }
    )
    git(root, "init")

    assert ["cfg/.gitignore", "webapp/.gitignore", "webapp/app.js"] == said(root)


def test_the_users_and_the_repositorys_own_excludes_apply(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    # R018
    root = tree({"scratch/a.py": "", "b.private.md": "", "c.py": ""})
    git(root, "init")
    (root / ".git/info/exclude").write_text("scratch/\n")
    (tmp_path / "mine").write_text("*.private.md\n")
    git(root, "config", "--global", "core.excludesFile", str(tmp_path / "mine"))

    assert ["c.py"] == said(root)


def test_the_users_default_ignore_file_applies(tree: Tree, git: Git, said: Said) -> None:
    # R018
    root = tree({"a.private.md": "", "c.py": ""})
    git(root, "init")
    settings = Path(os.environ["XDG_CONFIG_HOME"]) / "git"
    settings.mkdir(parents=True)
    (settings / "ignore").write_text("*.private.md\n")

    assert ["c.py"] == said(root)


def test_a_linked_worktree_obeys_the_excludes_of_the_common_folder(
    tree: Tree, git: Git, said: Said, tmp_path: Path
) -> None:
    # R018
    root = tree({"a.py": ""})
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "x")
    git(root, "worktree", "add", str(tmp_path / "tree"))
    (root / ".git/info/exclude").write_text("scratch/\n")
    (tmp_path / "tree/scratch").mkdir()
    (tmp_path / "tree/scratch/b.py").write_text("")

    assert ["a.py"] == said(tmp_path / "tree")


def test_ignore_rules_are_read_anew_each_time(tree: Tree, git: Git, said: Said) -> None:
    # R019
    root = tree({".gitignore": "*.tmp\n", "docs/a.md": "", "b.py": "", "c.tmp": ""})
    git(root, "init")
    before = said(root)

    assert [".gitignore", "b.py", "docs/a.md"] == before == said(root)

    (root / ".gitignore").write_text("*.tmp\ndocs/\n")
    assert [".gitignore", "b.py"] == said(root)

    (root / ".gitignore").write_text("*.tmp\n")
    assert before == said(root)


def _with_submodule(tree: Tree, git: Git, tmp_path: Path) -> Path:
    lib = tmp_path / "lib"
    lib.mkdir()
    git(lib, "init")
    (lib / "l.py").write_text("")
    (lib / ".gitignore").write_text("*.gen.txt\n")
    git(lib, "add", ".")
    git(lib, "commit", "-m", "x")
    root = tree({"a.py": ""})
    git(root, "init")
    git(root, "submodule", "add", str(lib), "vendor/lib")
    (root / "vendor/lib/x.gen.txt").write_text("")
    return root


def test_a_submodule_is_walked_by_its_own_rules(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    # R020, second case
    root = _with_submodule(tree, git, tmp_path)
    (root / ".gitignore").write_text("l.py\n")

    assert [".gitignore", ".gitmodules", "a.py", "vendor/lib/.gitignore", "vendor/lib/l.py"] == said(root)


def test_a_submodule_that_the_outer_rules_ignore_is_left_out(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    # R020, first case
    root = _with_submodule(tree, git, tmp_path)
    (root / ".gitignore").write_text("vendor/\n")

    assert [".gitignore", ".gitmodules", "a.py"] == said(root)


def test_submodules_can_be_left_out_by_setting(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    # R020
    root = _with_submodule(tree, git, tmp_path)

    assert [".gitmodules", "a.py", "vendor/lib/ (submodule)"] == said(root, WalkOptions(submodules=False))


def test_a_submodule_that_is_not_checked_out_is_nothing(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    root = _with_submodule(tree, git, tmp_path)
    git(root, "submodule", "deinit", "--force", "vendor/lib")

    assert [".gitmodules", "a.py"] == said(root)


def test_paths_outside_the_root_are_nothing(tree: Tree, said: Said, tmp_path: Path) -> None:
    # R021
    root = tree({"a.py": ""})
    (tmp_path / "b").mkdir()
    (tmp_path / "b/x.py").write_text("")

    assert [] == said(root, only=["../b/x.py", str(tmp_path / "b/x.py"), "..", "/etc/passwd", "a\0b"])
    assert ["a.py"] == said(root, only=["x/../a.py"])


def test_links_are_not_followed_wherever_they_lead(tree: Tree, git: Git, said: Said, tmp_path: Path) -> None:
    # R022, R023
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text("")
    root = tree({"model/m.py": "", "web/w.py": "", "roles/docker/t.py": ""})
    (root / "roles/docker/up").symlink_to("../../..", target_is_directory=True)
    (root / "self").symlink_to(".", target_is_directory=True)
    (root / "slash").symlink_to("/", target_is_directory=True)
    (root / "web/model").symlink_to("../model", target_is_directory=True)
    (root / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    (root / "out.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "broken").symlink_to("nowhere")
    git(root, "init")

    assert [
        "broken (link)", "model/m.py", "out (link)", "out.py (link)", "roles/docker/t.py", "roles/docker/up (link)",
        "self (link)", "slash (link)", "web/model (link)", "web/w.py",
    ] == said(root)  # fmt: skip


def test_a_link_in_the_place_of_a_tracked_folder_is_not_entered(
    tree: Tree, git: Git, said: Said, tmp_path: Path
) -> None:
    # R022
    root = tree({"lib/a.py": "", "b.py": ""})
    git(root, "init")
    git(root, "add", ".")
    (root / "lib").rename(tmp_path / "elsewhere")
    (root / "lib").symlink_to(tmp_path / "elsewhere", target_is_directory=True)

    assert ["b.py", "lib (link)"] == said(root)


def test_version_control_and_binary_files_are_left_out_with_their_reasons(tree: Tree, git: Git) -> None:
    # R024
    root = tree({"logo.png": "", "a.pyc": "", "data.sqlite": "", ".hg/store": "", "a.py": ""})
    git(root, "init")

    assert {
        ".git/": "version control", ".hg/": "version control", "a.pyc": "binary", "data.sqlite": "binary",
        "logo.png": "binary",
    } == {o.path: o.reason for o in walk(root, WalkOptions()) if isinstance(o, Skipped)}  # fmt: skip


def test_a_root_above_the_repositories_obeys_each_of_them(tree: Tree, git: Git, said: Said) -> None:
    # R025
    root = tree(
        {
            "app1/.gitignore": "out1/\n",
            "app1/out1/server.js": "",
            "app1/a.js": "",
            "app2/.gitignore": ".next/\n",
            "app2/.next/server.js": "",
            "app2/.venv/pyvenv.cfg": "",
            "app2/.venv/lib/x.py": "",
            "app2/b.py": "",
            "app3/env/pyvenv.cfg": "",
            "app3/node_modules/x/x.js": "",
        }
    )
    git(root / "app1", "init")

    assert [
        "app1/.gitignore", "app1/a.js", "app2/.gitignore", "app2/.venv/ (default folder)", "app2/b.py",
        "app3/env/ (default folder)", "app3/node_modules/ (default folder)",
    ] == said(root)  # fmt: skip


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="this system has no named pipes: not shown that they are no files"
)
def test_pipes_and_sockets_are_no_files(tree: Tree, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    # R028
    root = tree({"a.py": ""})
    os.mkfifo(root / "pipe.py")
    monkeypatch.chdir(root)  # a socket's address is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.sock")
        lines = said(root)

    assert ["a.py", "pipe.py (not a file)", "s.sock (not a file)"] == lines


def test_hard_names_are_just_names(tree: Tree, git: Git, said: Said) -> None:
    # R029
    names = ['we ird:::na"me.py', "-rf.py", "a\nb.py", "[x].py", "100%.py", ":(top)x.py", "*.py", "é/ü ß.py", " .py"]
    root = tree(dict.fromkeys(names, ""))
    git(root, "init")
    git(root, "add", "[x].py")
    git(root, "commit", "-m", "a ::: b")

    assert sorted(names) == said(root)
    assert [[name] for name in names] == [said(root, only=[name]) for name in names]


def test_a_name_that_is_no_text_is_a_problem_that_can_be_shown(tree: Tree, git: Git) -> None:
    root = tree({"a.py": ""})
    try:
        (root / os.fsdecode(b"caf\xe9.py")).write_text("")
        (root / os.fsdecode(b"d\xff")).mkdir()
        (root / os.fsdecode(b"d\xff/x.py")).write_text("")
        (root / os.fsdecode(b"d\xff/y.py")).write_text("")
    except OSError:
        pytest.skip("this file system takes only names in UTF-8: not shown what becomes of others")
    git(root, "init")
    outcomes = list(walk(root, WalkOptions()))

    assert ["caf\\xe9.py", "d\\xff/"] == sorted(o.path for o in outcomes if isinstance(o, Problem))
    assert ["a.py"] == [o.path for o in outcomes if isinstance(o, SourceFile)]


def test_data_files_are_left_out_by_name_and_size(tree: Tree, git: Git, said: Said) -> None:
    # R030
    root = tree({"package-lock.json": "", "a.min.js": "", "b.map": "", "c.svg": "", "small.json": "{}", "d_pb2.py": ""})
    for name, size in (("dump.sql", 200_000_000), ("data.json", 40_000_000), ("just.sql", 1_000_000)):
        with (root / name).open("wb") as file:
            file.truncate(size)
    git(root, "init")

    assert [
        "a.min.js (minified)", "b.map (generated)", "c.svg (data)", "d_pb2.py (generated)", "data.json (too large)",
        "dump.sql (too large)", "just.sql", "package-lock.json (lock file)", "small.json",
    ] == said(root)  # fmt: skip
    assert "just.sql (too large)" in said(root, WalkOptions(max_bytes=999_999))


def test_a_root_with_spaces_and_other_scripts_in_its_path_has_a_worktree(git: Git, said: Said, tmp_path: Path) -> None:
    # R031
    root = tmp_path / "目录A" / "ünï code (1)"
    root.mkdir(parents=True)
    (root / "a.py").write_text("")
    (root / ".gitignore").write_text("tmp/\n")
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "x")
    git(root, "worktree", "add", "--detach", str(root.parent / "wörk tree"))
    git(root, "worktree", "add", "--detach", str(root / "inside"))

    assert [".gitignore", "a.py", "inside/ (worktree)"] == said(root)
    assert [".gitignore", "a.py"] == said(root.parent / "wörk tree")


def test_a_worktree_stands_in_where_the_main_checkout_is_not_in_the_root(git: Git, said: Said, tmp_path: Path) -> None:
    git(tmp_path, "init", "--bare", "p/.bare")
    root = tmp_path / "p"
    (root / ".git").write_text("gitdir: ./.bare\n")
    git(tmp_path, "clone", "p/.bare", "seed")
    (tmp_path / "seed/a.py").write_text("")
    git(tmp_path / "seed", "add", ".")
    git(tmp_path / "seed", "commit", "-m", "x")
    git(tmp_path / "seed", "push", "origin", "HEAD:one", "HEAD:two")
    git(root, "worktree", "add", "one", "one")
    git(root, "worktree", "add", "two", "two")

    assert [".bare/ (version control)", "one/a.py", "two/ (worktree)"] == said(root)
    assert ["two/ (worktree)"] == said(root, only=["two/a.py"])


def test_a_root_inside_a_repository_obeys_the_rules_above_it(tree: Tree, git: Git, said: Said) -> None:
    root = tree(
        {".gitignore": "*.tmp\n/sub/x/\n", "sub/.gitignore": "b.py\n", "sub/a.py": "", "sub/b.py": "", "sub/c.tmp": "",
         "sub/x/d.py": "", ".connoteignore": "sub/e.py\n", "sub/e.py": "", "sub/deep/f.tmp": ""}
    )  # fmt: skip
    git(root, "init")

    assert [".gitignore", "a.py"] == said(root / "sub")
    assert [] == said(root / "sub/deep")


def test_a_root_that_the_repository_around_it_ignores_is_walked_by_its_own_rules(
    tree: Tree, git: Git, said: Said
) -> None:
    root = tree(
        {".gitignore": "sub/\n*.md\n", ".connoteignore": "*.txt\n", "sub/.gitignore": "b.py\n", "sub/a.py": "",
         "sub/b.py": "", "sub/c.md": "", "sub/d.txt": "", "sub/deep/e.py": "", "sub/deep/f.md": ""}
    )  # fmt: skip
    git(root, "init")

    assert [".gitignore", "a.py", "c.md", "d.txt", "deep/e.py", "deep/f.md"] == said(root / "sub")
    assert ["e.py", "f.md"] == said(root / "sub/deep")


def test_own_ignore_files_add_to_gits(tree: Tree, git: Git, said: Said) -> None:
    root = tree(
        {".gitignore": "a.py\n", ".connoteignore": "!a.py\ndocs/\n*.sql\n", "a.py": "", "docs/b.md": "", "c.sql": "",
         "keep/.connoteignore": "!c.sql\n/d.py\n", "keep/c.sql": "", "keep/d.py": "", "keep/e/d.py": ""}
    )  # fmt: skip
    expected = [".connoteignore", ".gitignore", "keep/.connoteignore", "keep/c.sql", "keep/e/d.py"]
    without_repository = said(root)
    git(root, "init")

    assert expected == without_repository
    assert expected == said(root)


def test_tracked_files_that_are_gone_say_nothing(tree: Tree, git: Git, said: Said) -> None:
    root = tree({"a.py": "", "b/c.py": "", "d.py": "", "e.py": ""})
    git(root, "init")
    git(root, "add", ".")
    (root / "a.py").unlink()
    (root / "b/c.py").unlink()
    (root / "b").rmdir()
    (root / "d.py").unlink()
    (root / "d.py").mkdir()
    (root / "d.py/inner.py").write_text("")

    assert ["d.py/inner.py", "e.py"] == said(root)


def test_an_empty_root_and_empty_folders_say_nothing(tree: Tree, said: Said) -> None:
    root = tree()
    assert [] == said(root)

    (root / "empty/deeper").mkdir(parents=True)
    assert [] == said(root)


def test_a_root_that_cannot_be_listed_is_an_error_and_no_empty_answer(tree: Tree) -> None:
    root = tree({"a.py": ""})

    with pytest.raises(ListingError, match=r"gone cannot be listed: No such file"):
        list(walk(root / "gone", WalkOptions()))
    with pytest.raises(ListingError, match=r"a\.py cannot be listed: Not a directory"):
        list(walk(root / "a.py", WalkOptions()))


def test_a_cancelled_walk_does_not_end_as_if_it_were_complete(tree: Tree) -> None:
    root = tree({"a.py": "", "b.py": ""})
    cancel = threading.Event()
    outcomes = walk(root, WalkOptions(), cancel=cancel)
    next(outcomes)
    cancel.set()

    with pytest.raises(ListingError, match="cancelled"):
        list(outcomes)


def test_a_folder_that_cannot_be_read_is_a_problem_and_the_rest_is_walked(
    tree: Tree, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    # R028: as root may read everything, the refusal is made here
    root = tree({"a.py": "", "closed/b.py": "", "d/c.py": ""})
    scandir = os.scandir

    def refuse(path: object) -> object:
        if str(path).rstrip("/").endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refuse)
    outcomes = list(walk(root, WalkOptions()))

    assert [Problem("closed/", "It could not be read: Permission denied.")] == [
        o for o in outcomes if isinstance(o, Problem)
    ]
    assert ["a.py", "d/c.py"] == [o.path for o in outcomes if isinstance(o, SourceFile)]


def test_a_very_deep_tree_does_not_exhaust_the_stack(tree: Tree, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree()
    monkeypatch.chdir(root)
    for _ in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.py").write_text("")
    lines = said(root)
    Path("a.py").unlink()
    for _ in range(1200):  # pytest's own clean-up cannot go so deep
        os.chdir("..")
        Path("d").rmdir()

    assert ["d/" * 1200 + "a.py"] == lines
