"""What a file's content says about it, and its text."""

from __future__ import annotations

import base64
import os
import random
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from connote.model import Document, Problem, Skipped, SourceFile
from connote.walk import WalkOptions, read, walk

Tree = Callable[..., Path]


@pytest.fixture
def reading(tree: Tree) -> Callable[..., Document | Skipped | Problem]:
    """A function that writes a file and reads it through the walk."""

    def read_one(path: str, content: str | bytes, options: WalkOptions | None = None) -> Document | Skipped | Problem:
        options = options or WalkOptions()
        root = tree({path: content})
        (file,) = walk(root, options, [path])
        assert isinstance(file, SourceFile), file
        return read(root, file, options)

    return read_one


Reading = Callable[..., "Document | Skipped | Problem"]


def _text(answer: Document | Skipped | Problem) -> str:
    assert isinstance(answer, Document), answer
    return answer.text


def _reason(answer: Document | Skipped | Problem) -> str | None:
    assert not isinstance(answer, Problem), answer
    return answer.reason if isinstance(answer, Skipped) else None


def test_a_document_has_the_text_as_it_is_and_a_digest_of_the_bytes(reading: Reading, tmp_path: Path) -> None:
    data = "a = 'é🎉'\r\nb = 1\rc\x0c\u2028d\n".encode()
    document = reading("a.py", data)

    assert isinstance(document, Document)
    assert ("a.py", data.decode()) == (document.path, document.text)
    assert (blake2b(data, digest_size=16).digest(), len(data)) == (document.digest, document.size)
    assert (tmp_path / "root/a.py").stat().st_mtime_ns == document.mtime_ns


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfx = 1\n", "\ufeffx = 1\n"),
        ("é = 'x'\n".encode("utf-16"), "é = 'x'\n"),
        (b"\xfe\xff" + "é = '🎉'\n".encode("utf-16-be"), "é = '🎉'\n"),
        ("é = 'x'\n".encode("utf-32"), "é = 'x'\n"),
        (b"\xff\xfe", ""),
        # R026, edge case 44: Latin-1, and what only Windows-1252 has
        ("// Café für Ästhetik\n".encode("latin-1"), "// Café für Ästhetik\n"),
        ("# naïve façade, déjà vu: 5 €\n".encode("cp1252"), "# naïve façade, déjà vu: 5 €\n"),
        # R027
        (b"a = 1\n# \xff\xfe\x81\nb = 2\n", "a = 1\n# \ufffd\ufffd\ufffd\nb = 2\n"),
        (b"\xff\xfe a = 1\nb = 22\n", "\ufffd\ufffd a = 1\nb = 22\n"),
        (b"x = '\xff'\n", "x = '\ufffd'\n"),
        # UTF-8 of which one byte is damaged stays UTF-8
        ("größe = 'ünï'\n".encode() + b"# caf\xe9\n", "größe = 'ünï'\n# caf\ufffd\n"),
    ],
)
def test_bytes_become_text(reading: Reading, data: bytes, expected: str) -> None:
    assert expected == _text(reading("a.py", data))


def test_a_script_in_another_encoding_keeps_its_code_and_lines(reading: Reading) -> None:
    # R026
    code = "def sum(a, b):\n    # 合計を返す\n    return a + b\n\n\ndef product(a, b):\n    return a * b\n"
    text = _text(reading("a.py", code.encode("shift_jis")))

    assert code.splitlines()[2:] == text.splitlines()[2:]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",  # R024: a picture called logo.py
        b"x = 1\n" * 1500 + b"\0",  # R024: the NUL is at byte 9000
        "x = 1\n".encode("utf-16-le"),  # no mark
        bytes(range(1, 32)) * 20,
        b"\xff\xfe" + bytes(range(256)) * 8,
        "漢字かな交じり文".encode("euc-jp") * 30,  # nothing of it could be found
        random.Random(1).randbytes(5000),
    ],
)
def test_what_is_not_text_is_binary(reading: Reading, data: bytes) -> None:
    assert "binary" == _reason(reading("logo.py", data))


def test_terminal_colours_and_form_feeds_are_text(reading: Reading) -> None:
    assert _reason(reading("a.txt", "\x1b[31mred\x1b[0m\n\x0cnext page\n")) is None


BUNDLE = "function a(b){return b.c?d(b.c,{e:1}):f[b]}var g=function(h){for(var i=0;i<h.j;i++)k(h[i])};" * 600
BASE64 = base64.b64encode(random.Random(2).randbytes(40_000)).decode()
PROSE = "The quick brown fox jumps over the lazy dog, and then it sleeps for the rest of the day. " * 30


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("app.js", BUNDLE, "minified"),  # edge case 47
        ("app.js", "/*! licence\n * of the bundle\n */\n" + BUNDLE + "\n//# sourceMappingURL=a\n", "minified"),
        ("app.js", "\n".join(BUNDLE[i : i + 500] for i in range(0, len(BUNDLE), 500)), "minified"),
        ("app.js", (BUNDLE[:20000] + "\nmore;\n" * 7) * 4, "minified"),
        ("data.json", "[" + "1.5,2.5,3.5," * 1000 + "0]", "minified"),
        ("app.js", BUNDLE[:3000], None),
        ("README.md", PROSE, None),  # edge case 47
        ("README", PROSE * 10, None),
        ("README.md", BUNDLE, None),
        ("page.html", "<p>" + "吾輩は猫である。名前はまだ無い。" * 500 + "</p>", None),
        ("keys.py", f'KEY = "{BASE64[:900]}"\n' + "def needle_fn():\n    return KEY\n" * 14, None),  # R002
        ("keys.py", f'KEY = "{BASE64}"\n' + "def needle_fn():\n    return KEY\n" * 14, None),  # R002
        ("a.py", "def f():\n    return 1\n" * 3000, None),
    ],
)
def test_minified_is_what_nobody_could_read(reading: Reading, path: str, text: str, expected: str | None) -> None:
    assert expected == _reason(reading(path, text))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "// Code generated by mockgen. DO NOT EDIT.\n\npackage a\n", "generated"),
        ("a.py", "#!/usr/bin/env python\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", "generated"),
        ("a.rs", "// @generated by tool\nfn a() {}\n", "generated"),
        ("a.js", "/**\n * @generated SignedSource<<x>>\n */\n", "generated"),
        ("a.cs", "// <auto-generated>\n//     changes will be lost\n// </auto-generated>\n", "generated"),
        ("a.ts", "/* eslint-disable */\n/* This file was automatically generated by x. */\n", "generated"),
        ("a.c", "\ufeff/* Autogenerated by x, do not modify */\n", "generated"),
        ("a.sql", "-- AUTO-GENERATED FILE\n", "generated"),
        ("a.md", "<!-- DO NOT EDIT: made by x -->\n# A\n", "generated"),
        ("a.md", "# DO NOT EDIT files by hand\n\nUse the tool.\n", None),
        ("a.py", '"""Finds files that say @generated or DO NOT EDIT."""\n', None),
        ("a.py", 'MARK = "@generated"\n', None),
        ("a.py", "# Skips what has the mark `@generated` or is code generated by tools.\n", None),
        ("a.py", "# Parses automatically generated code.\n", None),
        ("a.py", "# The report is generated from the template below.\n", None),
        ("a.py", "x = 1\n" * 40 + "# DO NOT EDIT\n", None),
        ("a.php", "<?php\n\n// This file was generated by x\n", "generated"),
        ("a.py", 'import a\nimport b\nimport c\n\nHEAD = """\n# This file is auto-generated\n"""\n', None),
        ("0001.py", "# Generated by Django 4.2 on 2023-05-01 10:00\n", None),
    ],
)
def test_generated_is_what_says_so_in_its_first_comments(
    reading: Reading, path: str, text: str, expected: str | None
) -> None:
    # edge case 48
    assert expected == _reason(reading(path, text))


BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n", "secret"),
        (f"key: |\n  -----BEGIN RSA PRIVATE KEY-----\n  {BODY}\n  {BODY}\n", "secret"),
        (f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0\n\n{BODY}\n", "secret"),
        (f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{BODY}\\n"}}', "secret"),
        (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n", "secret"),
        (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n", "secret"),
        ('if line == "-----BEGIN RSA PRIVATE KEY-----":\n    read_key()\n', None),
        ("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n" + BODY, None),
        (f"-----BEGIN PUBLIC KEY-----\n{BODY}\n", None),
        (f"-----BEGIN CERTIFICATE-----\n{BODY}\n", None),
        ("password = 'hunter2'  # AKIAIOSFODNN7EXAMPLE\n", None),
    ],
)
def test_a_private_key_is_a_secret_and_talk_of_one_is_not(reading: Reading, text: str, expected: str | None) -> None:
    assert expected == _reason(reading("a.txt", text))


def test_include_overrides_what_the_content_says_but_not_secrets(reading: Reading) -> None:
    everything = WalkOptions(include=("*",))

    assert _reason(reading("app.js", BUNDLE, everything)) is None
    assert _reason(reading("a.go", "// Code generated by x. DO NOT EDIT.\n", everything)) is None
    assert "secret" == _reason(reading("a.txt", f"-----BEGIN PRIVATE KEY-----\n{BODY}\n", everything))
    assert _reason(reading("a.txt", f"-----BEGIN PRIVATE KEY-----\n{BODY}\n", WalkOptions(secrets=("a.txt",)))) is None
    assert "binary" == _reason(reading("a.csv", b"a\0b", everything))


def test_a_skip_has_size_and_time_of_what_was_read(reading: Reading, tmp_path: Path) -> None:
    answer = reading("a.py", b"a\0b")

    assert Skipped("a.py", "binary", 3, (tmp_path / "root/a.py").stat().st_mtime_ns) == answer


def _read(root: Path, path: str, options: WalkOptions | None = None) -> Document | Skipped | Problem:
    """Read as if the walk had seen a file a moment ago."""
    return read(root, SourceFile(path, 1, 1), options or WalkOptions())


def test_a_file_that_is_gone_is_skipped(tree: Tree) -> None:
    # R028, edge case 57
    root = tree({"a.py": ""})

    assert ["vanished", "vanished"] == [_reason(_read(root, path)) for path in ("b.py", "a.py/b.py")]


def test_a_file_that_a_folder_or_a_pipe_replaced_is_not_opened(tree: Tree) -> None:
    # R028, edge case 57
    root = tree({"folder.py/x.py": ""})

    assert "not a file" == _reason(_read(root, "folder.py"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "pipe.py")
        assert "not a file" == _reason(_read(root, "pipe.py"))


def test_a_pipe_that_takes_the_place_at_the_last_moment_is_not_waited_for(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    # R028
    root = tree({"a.py": "x"})
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes: not shown that none is waited for")
    opens = os.open

    def swap(path: Path, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return opens(path, flags)

    monkeypatch.setattr(os, "open", swap)

    assert "not a file" == _reason(_read(root, "a.py"))


def test_a_link_that_took_the_place_of_a_file_or_folder_is_not_followed(tree: Tree, tmp_path: Path) -> None:
    # R022
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("secret")
    root = tree({"b.py": ""})
    (root / "a.py").symlink_to(tmp_path / "outside/a.py")
    (root / "folder").symlink_to(tmp_path / "outside", target_is_directory=True)

    assert ["link", "link"] == [_reason(_read(root, path)) for path in ("a.py", "folder/a.py")]


def test_a_path_that_leads_out_of_the_root_is_not_read(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("secret")

    assert ["not a file"] * 2 == [_reason(_read(tree(), path)) for path in ("../a.py", str(tmp_path / "a.py"))]


def test_a_file_that_grew_since_the_walk_is_too_large(tree: Tree) -> None:
    root = tree({"a.py": "x" * 101, "b.py": "x" * 100})
    options = WalkOptions(max_bytes=100)

    assert ["too large", None] == [_reason(_read(root, path, options)) for path in ("a.py", "b.py")]


def test_a_file_that_cannot_be_read_is_a_problem(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    # R028: as root may read everything, the refusal is made here
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    root = tree({"a.py": ""})
    monkeypatch.setattr(os, "open", refuse)

    assert Problem("a.py", "It could not be read: Permission denied.") == _read(root, "a.py")
