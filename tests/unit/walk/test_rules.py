"""What the walk leaves out by name, with which reason, and what brings it back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from connote.model import Skipped
from connote.walk import WalkOptions, reasons, walk
from connote.walk.names import name_rules

Tree = Callable[..., Path]
Git = Callable[..., str]
Said = Callable[..., list[str]]


def _reason(path: str, **options: tuple[str, ...]) -> str | None:
    return name_rules(WalkOptions(**options)).file(path, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        ".env", "x/.env.local", "prod.env", ".envrc", "id_rsa", "id_ed25519", "id_rsa.old", "server.pem", "a/B.KEY",
        "k.p12", ".npmrc", ".pypirc", ".netrc", "_netrc", ".Renviron", "terraform.tfstate", "terraform.tfstate.backup",
        "prod.tfvars", ".git-credentials", ".htpasswd", ".pgpass", "kubeconfig", "credentials", "credentials.json",
        "secrets.yaml", "secret.yml", "client_secret_1.json", "service-account.json", ".aws/config", "x/.kube/config",
        ".docker/config.json", ".ssh/config", "x/.gnupg/trustdb", "example.key", ".vault_pass", "local.settings.json",
    ],
)  # fmt: skip
def test_what_looks_like_credentials_is_left_out(path: str) -> None:
    # R099
    assert reasons.SECRET == _reason(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".env.sample", "x/.env.template", ".env.local.example", "example.env", "secrets.example.yaml",
        "secrets.py", "credentials.py", "env.py", "environment.ts", "key.py", "keys.json", ".envoy/x.py", "config.json",
        "tokenizer.json", "password_reset.html", "id_map.py", "src/aws/config", "credentials/store.go",
    ],
)  # fmt: skip
def test_what_only_sounds_like_credentials_stays(path: str) -> None:
    # R099
    assert _reason(path) is None


def test_only_the_setting_for_secrets_brings_them_in(tree: Tree, said: Said) -> None:
    root = tree({".env": "A=1", ".ssh/config": "", ".ssh/id_rsa": "", "a.py": ""})

    assert [".env (secret)", ".ssh/ (secret)", "a.py"] == said(root, WalkOptions(include=("**", ".env", ".ssh/**")))
    assert [".env", ".ssh/config (secret)", ".ssh/id_rsa (secret)", "a.py"] == said(
        root, WalkOptions(secrets=(".env",))
    )
    assert [".env (secret)", ".ssh/config", ".ssh/id_rsa (secret)", "a.py"] == said(
        root, WalkOptions(secrets=(".ssh/config",))
    )


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("logo.PNG", reasons.BINARY),
        ("a.tar.gz", reasons.BINARY),
        ("a.wasm", reasons.BINARY),
        ("Cargo.lock", reasons.LOCK_FILE),
        ("x/package-lock.json", reasons.LOCK_FILE),
        ("pnpm-lock.yaml", reasons.LOCK_FILE),
        ("go.sum", reasons.LOCK_FILE),
        ("uv.lock", reasons.LOCK_FILE),
        ("a.min.js", reasons.MINIFIED),
        ("a-min.css", reasons.MINIFIED),
        ("a.js.map", reasons.GENERATED),
        ("x_pb2.py", reasons.GENERATED),
        ("x_pb2_grpc.pyi", reasons.GENERATED),
        ("x.pb.go", reasons.GENERATED),
        ("x.g.dart", reasons.GENERATED),
        ("Form1.Designer.cs", reasons.GENERATED),
        ("a.svg", reasons.DATA),
        ("a.csv", reasons.DATA),
        ("min.js", None),
        ("admin.js", None),
        ("lock.py", None),
        ("maps.py", None),
        ("package.json", None),
        ("Makefile", None),
        ("a.sql", None),
        ("notebook.ipynb", None),
        ("a.d.ts", None),
        ("module.mo", None),
    ],
)
def test_names_have_their_reasons(path: str, reason: str | None) -> None:
    # R030, edge case 48
    assert reason == _reason(path)


def test_include_overrides_the_reasons_of_names() -> None:
    options = {"include": ("*.lock", "gen/**", "*.csv")}

    assert [None, None, None, None] == [
        _reason(p, **options) for p in ("uv.lock", "gen/x_pb2.py", "gen/a.svg", "a.csv")
    ]
    assert reasons.GENERATED == _reason("x_pb2.py", **options)


def test_exclude_leaves_out_files_and_whole_folders(tree: Tree, said: Said) -> None:
    root = tree({"docs/a.md": "", "docs/b/c.md": "", "src/d.py": "", "src/e.sql": "", "old/f.py": "", "old/g.txt": ""})
    options = WalkOptions(exclude=("docs/**", "*.sql", "old/*.py"), include=("*.sql",))

    assert ["docs/ (excluded)", "old/f.py (excluded)", "old/g.txt", "src/d.py", "src/e.sql (excluded)"] == said(
        root, options
    )


DEFAULT = {
    "node_modules/x/index.js": "",
    "src/__pycache__/a.py": "",
    ".next/server.js": "",
    "dist/app.js": "",
    "target/x.rs": "",
    "vendor/lib.go": "",
    "mine/CACHEDIR.TAG": "",
    "mine/x.py": "",
    "env/pyvenv.cfg": "",
    "env/lib/x.py": "",
    "conda/conda-meta/x.json": "",
    "net/bin/x.cs": "",
    "net/obj/x.cs": "",
    "bin/run.sh": "",
    "environment/a.py": "",
    "src/a.py": "",
}
SKIPPED = [
    ".next/ (default folder)", "bin/run.sh", "conda/ (default folder)", "dist/ (default folder)",
    "env/ (default folder)", "environment/a.py", "mine/ (default folder)", "net/bin/ (default folder)",
    "net/obj/ (default folder)", "node_modules/ (default folder)", "src/__pycache__/ (default folder)", "src/a.py",
    "target/ (default folder)", "vendor/ (default folder)",
]  # fmt: skip


def test_folders_of_dependencies_and_output_are_left_out_without_a_repository(tree: Tree, said: Said) -> None:
    # R025
    assert SKIPPED == said(tree(DEFAULT))


def test_they_are_left_out_of_what_git_does_not_track(tree: Tree, git: Git, said: Said) -> None:
    # R025
    root = tree(DEFAULT)
    git(root, "init")

    assert SKIPPED == said(root)


def test_what_git_tracks_is_the_projects_own_whatever_its_folder_is_called(tree: Tree, git: Git, said: Said) -> None:
    root = tree(DEFAULT)
    git(root, "init")
    git(root, "add", "dist/app.js", "vendor")
    (root / "dist/later.js").write_text("")

    assert ["dist/app.js", "dist/ (default folder)", "vendor/lib.go"] == said(root, only=["dist", "vendor"])


def test_without_git_a_repositorys_ignore_files_are_trusted_to_name_the_output(
    tree: Tree, git: Git, said: Said, without_git: None
) -> None:
    root = tree(DEFAULT)
    git(root, "init")
    lines = said(root)

    assert ["dist/app.js", "target/x.rs", "vendor/lib.go"] == [x for x in lines if x[:4] in {"dist", "targ", "vend"}]
    assert "node_modules/ (default folder)" in lines


def test_a_root_that_is_called_so_is_walked(tree: Tree, said: Said) -> None:
    root = tree({"build/a.py": "", "build/CACHEDIR.TAG": "", "build/build/b.py": ""})

    assert ["CACHEDIR.TAG", "a.py", "build/ (default folder)"] == said(root / "build")


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("in_repository", [True, False])
def test_include_brings_in_the_folders_that_it_names(tree: Tree, git: Git, said: Said, in_repository: bool) -> None:
    files = {".next/a.js": "", ".next/b.css": "", ".next/node_modules/c.js": "", "node_modules/x/d.js": "", "e.js": ""}
    root = tree(files)
    if in_repository:
        git(root, "init")

    assert [".next/ (default folder)", "e.js", "node_modules/ (default folder)"] == said(
        root, WalkOptions(include=("*.js", "**/*.js"))
    )
    assert [".next/a.js", ".next/b.css", "e.js", "node_modules/ (default folder)"] == [
        line
        for line in said(root, WalkOptions(include=(".next/**",)))
        if line[:9] != ".next/nod" and line != ".next/ (default folder)"
    ]
    assert "node_modules/x/d.js" in said(root, WalkOptions(include=("node_modules/x",)))


def test_another_projects_repository_may_be_called_like_an_output_folder(tree: Tree, git: Git, said: Said) -> None:
    root = tree({"target/a.py": "", "node_modules/b.js": ""})
    git(root / "target", "init")
    git(root / "node_modules", "init")

    assert ["node_modules/ (default folder)", "target/a.py"] == said(root)


def test_bare_repositories_are_left_out(tree: Tree, git: Git, said: Said) -> None:
    root = tree({"a.py": ""})
    git(root, "init", "--bare", "mirror.git")

    assert ["a.py", "mirror.git/ (version control)"] == said(root)


def test_every_reason_of_a_walk_is_a_documented_word(tree: Tree) -> None:
    root = tree({**DEFAULT, ".env": "", "a.png": "", "b.lock": "", "c.csv": ""})

    assert {o.reason for o in walk(root, WalkOptions()) if isinstance(o, Skipped)} <= set(reasons.ALL)


@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_that_lets_nothing_through_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="max_bytes must be at least 1"):
        WalkOptions(max_bytes=value)


def test_a_glob_that_is_too_wide_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="alternatives"):
        WalkOptions(exclude=("{a,b}" * 30,))
