"""A walk of some paths says about them exactly what the walk of everything says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from connote.model import SourceFile
from connote.walk import WalkOptions, walk

Tree = Callable[..., Path]
Git = Callable[..., str]
Said = Callable[..., list[str]]

pytestmark = pytest.mark.usefixtures("either_way")

FILES = {
    ".gitignore": "ignored/\n*.tmp\nbuild/*\n!build/gen.py\n",
    ".connoteignore": "hidden/\n",
    "a.py": "",
    "a.tmp": "",
    "src/b.py": "",
    "src/deep/c.py": "",
    "src/deep/logo.png": "",
    "src/.env": "",
    "src-2/d.py": "",
    "ignored/e.py": "",
    "hidden/f.py": "",
    "node_modules/x/index.js": "",
    "build/gen.py": "",
    "build/other.py": "",
    "inner/g.py": "",
    "inner/h.tmp": "",
    "inner/.gitignore": "g.out\n",
    "inner/g.out": "",
    "inner/deep/i.py": "",
}


@pytest.mark.parametrize("in_repository", [True, False])
def test_each_path_alone_is_answered_as_in_the_whole(tree: Tree, git: Git, in_repository: bool) -> None:
    root = tree(FILES)
    if in_repository:
        git(root, "init")
        git(root, "add", "src/b.py")
    git(root / "inner", "init")
    (root / "link").symlink_to("src", target_is_directory=True)
    everything = list(walk(root, WalkOptions()))
    folders = {str(Path(file).parent) for file in FILES}
    paths = [*FILES, *sorted(folders - {"."}), "link", "link/b.py", "inner/.git", "inner/.git/config"]

    for path in paths:
        below = [o for o in everything if o.path.rstrip("/") == path or o.path.startswith(f"{path}/")]
        around = [o for o in everything if path.startswith(o.path.rstrip("/") + "/") and not isinstance(o, SourceFile)]

        assert (below or around) == list(walk(root, WalkOptions(), [path])), path
    assert everything == list(walk(root, WalkOptions(), ["."])) == list(walk(root, WalkOptions(), [*paths, ""]))


def test_several_paths_are_answered_together_and_in_order(tree: Tree, git: Git, said: Said) -> None:
    root = tree(FILES)
    git(root, "init")

    assert ["a.py", "src/b.py", "src/deep/c.py", "src/deep/logo.png (binary)"] == said(
        root, only=["src/deep", "a.py", "src/deep/c.py", "./src//b.py", "gone.py", "ignored/e.py"]
    )


def test_more_paths_than_a_command_line_holds(tree: Tree, git: Git, said: Said) -> None:
    names = [f"folder/a_rather_long_name_for_a_file_{i:05}.py" for i in range(1500)]
    root = tree(dict.fromkeys(names, ""))
    git(root, "init")

    assert names[:1400] == said(root, only=names[:1400])


def test_nothing_wanted_is_nothing_said(tree: Tree, said: Said) -> None:
    assert [] == said(tree({"a.py": ""}), only=[])
