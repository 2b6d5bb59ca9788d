"""What users of comparable tools reported about ranking: each report's number, its case, and that it cannot happen."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import connote
from connote.config import load
from connote.engine import clear

Tree = Callable[..., Path]
Open = Callable[..., connote.Index]

WORDS = ("order", "invoice", "parse", "render", "queue", "socket", "cache", "token", "user", "page", "limit", "retry")
LEDGER = "def xq_reconcile_ledger(first, second):\n    return first.total - second.total\n"
SETTLE = (
    "def settle_accounts(book):\n    '''Settle the accounts of a book.'''\n"
    "    for account in book:\n        account.settle()\n"
)


def functions(count: int) -> dict[str, str]:
    """Files of one small function each, about nothing much; the same ones every time."""
    chosen = random.Random(7)
    files = {}
    for number in range(count):
        verb, noun, thing = chosen.sample(WORDS, 3)
        files[f"src/m{number:04}.py"] = (
            f"def {verb}_{noun}_{number}({thing}):\n    '''Return the {noun} of the {thing}.'''\n"
            f"    return {thing}.{verb}({number})\n"
        )
    return files


def settlers(count: int) -> dict[str, str]:
    """Files that say something near `SETTLE`, in other words each."""
    return {
        f"src/other{number}.py": f"def settle_{word}(account):\n    '''Settle one account of a {word}.'''\n"
        f"    return account.{word}()\n"
        for number, word in enumerate(WORDS[:count])
    }


@pytest.fixture
def indexed(tree: Tree, opened: Open) -> Callable[[dict[str, str]], connote.Index]:
    """A function that writes files, indexes them and returns the index."""

    def make(files: dict[str, str]) -> connote.Index:
        index = opened(tree(files))
        index.sync()
        return index

    return make


Indexed = Callable[[dict[str, str]], connote.Index]


def damage(index: connote.Index, statement: str) -> None:
    with index._store.catalog._write() as db:
        db.execute(statement)


def paths(index: connote.Index, query: str, **changes: object) -> list[str]:
    return [hit.path for hit in index.search(query, **changes)]


# R080: in hybrid mode a weak semantic match beats the only exact keyword match.
def test_one_name_among_two_thousand_files_is_first(indexed: Indexed) -> None:
    index = indexed({**functions(2000), "src/books.py": LEDGER})

    assert "src/books.py" == paths(index, "xq_reconcile_ledger")[0]
    assert "src/books.py" == paths(index, "xqReconcileLedger")[0]
    for sentence in (
        "where do we call xq_reconcile_ledger to compare two books",
        "how does xqReconcileLedger deal with order invoice parse render queue socket",
    ):
        assert "src/books.py" in paths(index, sentence, limit=3)


# R081: words inside identifiers are not split.
def test_words_of_identifiers_are_found_one_by_one(indexed: Indexed) -> None:
    index = indexed(
        {
            "src/componentEmits.ts": "export function optionsOf(instance) {\n  return instance.options;\n}\n",
            "src/errors.py": "class HTTPServerError(Exception):\n    code = 500\n",
            "src/names.py": "def snake_case_name(text):\n    return text.lower()\n",
            "src/shell.sh": "print-kebab-name() {\n  echo 1\n}\n",
            "src/text.js": "export function utf8Decode2(bytes) {\n  return bytes;\n}\n",
            "src/plain.py": "def other(number):\n    return number + 1\n",
        }
    )
    expected = {
        "component emit": "src/componentEmits.ts",
        "component emits": "src/componentEmits.ts",
        "http server error": "src/errors.py",
        "server errors": "src/errors.py",
        "snake case": "src/names.py",
        "case snake": "src/names.py",
        "kebab": "src/shell.sh",
        "print kebab name": "src/shell.sh",
        "utf 8 decode": "src/text.js",
        "utf8 decode 2": "src/text.js",
        "decode utf": "src/text.js",
    }

    assert expected == {query: paths(index, query, mode="lexical")[0] for query in expected}


# R082: test scripts, generated bundles and dependencies outrank the real source.
@pytest.mark.parametrize("tracked", [True, False])
def test_source_is_before_tests_bundles_and_prose(tree: Tree, opened: Open, tracked: bool) -> None:
    function = (
        "function serverEntryPoint{0}(server) {{\n  // server entry point\n  return server.entry.point({0});\n}}\n"
    )
    root = tree(
        {
            "src/server.py": "def main():\n    '''Entry point of the server: binds the port and serves.'''\n"
            "    server = Server(port())\n    server.serve_forever()\n\n\nclass Server:\n"
            "    def serve_forever(self):\n        while True:\n            self.handle(self.accept())\n",
            "tests/test_server.py": "from src.server import Server, main\n\n\ndef test_server_entry_point():\n"
            "    '''The entry point of the server serves.'''\n    assert Server(0).entry_point == main\n",
            "dist/app.bundle.js": "".join(function.format(number) for number in range(60)),
            "docs/server.md": "# Server\n\nThe server's entry point is `main`. Start the entry point by its name.\n",
        }
    )
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "add", "." if tracked else "src"], cwd=root, check=True)
    index = opened(root)
    index.sync()

    assert "src/server.py" == paths(index, "server entry point")[0]
    assert "tests/test_server.py" == paths(index, "tests for server")[0]
    bundle = "dist/app.bundle.js"
    found = paths(index, "server entry point", limit=200, min_score=0)
    assert {"src/server.py", "tests/test_server.py", "docs/server.md", *([bundle] if tracked else [])} == set(found)
    # What git does not track there is build output, and said to be left out.
    left_out = {item.path.rstrip("/"): item.reason for item in index.skipped()}
    assert (None if tracked else "default folder") == left_out.get("dist", left_out.get(bundle))


# R083: overlapping chunks of one file fill the result list.
@pytest.mark.parametrize("overlap", [0, 5, 50])
def test_chunks_of_a_long_function_leave_room_for_others(tree: Tree, opened: Open, overlap: int) -> None:
    body = "".join(
        f"    account_{number} = book.account({number})\n    book.settle(account_{number}, balance={number})\n"
        for number in range(200)
    )
    long = f"def settle_accounts(book):\n    '''Settle the accounts of a book.'''\n{body}"
    root = tree({"src/books.py": long, **settlers(12)})
    settings = load(root)[0]
    index = connote.open(
        root,
        replace(settings, index_dir=root.parent / "overlapping", chunk=replace(settings.chunk, overlap_lines=overlap)),
    )
    with index:
        index.sync()
        hits = index.search("settle the accounts of a book", limit=10, min_score=0)

    assert "src/books.py" == hits[0].path
    assert len({hit.path for hit in hits}) >= 5
    # An overlap is context for the vectors: what is shown never overlaps.
    lines = Counter(line for hit in hits if hit.path == "src/books.py" for line in range(hit.start_line, hit.end_line))
    assert {1} == set(lines.values())


# R083: copies of one text fill the result list.
def test_copies_of_a_text_leave_room_for_others(indexed: Indexed) -> None:
    others = {
        f"src/{word}.py": f"def settle_{word}_accounts(book, {word}):\n"
        f"    '''Settle the accounts of a book of {word}s.'''\n    return book.settle({word})\n"
        for word in WORDS[:4]
    }
    index = indexed({**{f"{folder}/books.py": SETTLE for folder in "abcde"}, **others})

    hits = index.search("settle the accounts of a book", limit=10, min_score=0, why=True)

    assert "a/books.py" == hits[0].path
    assert set(others) <= {hit.path for hit in hits[:6]}
    copies = [hit for hit in hits if hit.symbol == "settle_accounts"]
    lost = [sum(signal.amount for signal in hit.signals if signal.name == "same text") for hit in copies]
    kept = [hit.score / (hit.score - amount) for hit, amount in zip(copies, lost, strict=True)]
    assert [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16] == pytest.approx(kept)


def test_copies_are_all_shown_where_they_are_what_was_asked_for(indexed: Indexed) -> None:
    copies = {f"{folder}/books.py": SETTLE for folder in "abcde"}
    index = indexed({**copies, **settlers(12)})

    assert set(copies) == set(paths(index, "settle_accounts")[:5])
    assert set(copies) == set(paths(index, "settleAccounts", definitions=True)[:5])
    assert set(copies) - {"a/books.py"} == {hit.path for hit in index.similar("a/books.py", line=1)[:4]}
    assert set(copies) <= set(paths(index, "settle the accounts of a book", limit=200, min_score=0))


# R083: licence headers are found instead of the code below them.
def test_licence_headers_do_not_answer_for_the_code(indexed: Indexed) -> None:
    licence = (
        '/*\n * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file\n'
        " * except in compliance with the License. Unless required by law or agreed to in writing, software\n"
        " * is distributed on an AS IS BASIS, WITHOUT WARRANTIES OF ANY KIND.\n */\npackage a;\n\n"
    )
    things = {
        f"src/Thing{number}.java": f"{licence}public class Thing{number} {{\n"
        f"  public int {word}() {{ return {number}; }}\n}}\n"
        for number, word in enumerate(WORDS[:20])
    }
    check = (
        f"{licence}/** Checks that a license key is valid. */\npublic class LicenseCheck {{\n"
        "  public boolean valid(String key) { return key.length() == 12; }\n}\n"
    )
    index = indexed({**things, "src/LicenseCheck.java": check})

    assert "src/LicenseCheck.java" == paths(index, "check a license key")[0]


# R084: one extra word in the query makes an exact match disappear.
@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_a_word_too_much_hides_no_exact_match(indexed: Indexed, mode: str) -> None:
    chosen = random.Random(7)
    noise = {
        f"src/m{number:03}.c": f"int {chosen.choice(WORDS)}_{number}(int {chosen.choice(WORDS)}) {{\n"
        f'  log("where is {chosen.choice(WORDS)} logged");\n  return {number};\n}}\n'
        for number in range(200)
    }
    snmp = (
        "int check(struct packet *packet) {\n  if (!packet->allowed) {\n"
        '    zlog("unauthorized SNMP community from %s", packet->from);\n    return -1;\n  }\n  return 0;\n}\n'
    )
    index = indexed({**noise, "src/snmp.c": snmp})

    assert "src/snmp.c" in paths(index, "where is unauthorized SNMP community logged nsa", limit=3, mode=mode)


# R085: the index says "ready", yet each search gives no result.
def test_an_index_that_is_ready_finds_every_chunk_by_its_own_text(indexed: Indexed) -> None:
    index = indexed(functions(20))
    index.flush()
    index.warm()

    assert "ready" == index.status().state
    for path in index.files():
        text = (index.root / path).read_text(encoding="utf-8")
        for mode in ("hybrid", "semantic", "lexical"):
            assert path == paths(index, text, mode=mode, limit=1)[0]


# R085: an empty answer does not say why it is empty.
@pytest.mark.parametrize(
    ("files", "query", "changes", "reason"),
    [
        ({}, "settle accounts", {}, "The index is empty"),
        ({"a.bin": "\0"}, "settle accounts", {}, "The index is empty"),
        ({"a.py": SETTLE}, "settle accounts", {"include": ["*.go"]}, "No indexed file passes the filters"),
        ({"a.py": SETTLE}, "settle accounts", {"languages": ["go"]}, "Nothing that passes the filters"),
        ({"a.py": SETTLE}, "settle accounts", {"kinds": ["class"]}, "Nothing that passes the filters"),
        ({"a.py": SETTLE}, "zebra giraffe", {"mode": "lexical"}, "Nothing in the index has any of these words"),
        ({"a.py": SETTLE}, "zebra giraffe", {"min_score": 1, "relax": False}, "below 1.00"),
    ],
)
def test_an_empty_answer_has_its_reason(
    indexed: Indexed, files: dict[str, str], query: str, changes: dict[str, object], reason: str
) -> None:
    answer = indexed(files).answer(query, **changes)  # type: ignore[arg-type]

    assert () == answer.hits
    assert reason in (answer.message or "")


# R085: a store that lost its content goes on answering nothing.
@pytest.mark.parametrize("lost", ["vectors", "the vectors in Chroma"])
def test_words_answer_where_vectors_are_lost(indexed: Indexed, lost: str) -> None:
    index = indexed(functions(20))
    index.flush()
    index.warm()
    path = index.files()[0]
    text = (index.root / path).read_text(encoding="utf-8")
    if lost == "vectors":
        damage(index, "DELETE FROM vectors")
    else:
        chroma = index._store.chroma._vectors
        assert chroma is not None
        chroma.delete(list(chroma.digests()))

    assert path == paths(index, text, limit=1)[0]


# R085: a store that lost its content goes on answering nothing.
@pytest.mark.parametrize(("lost", "reason"), [("words", "has lost its words"), ("chunks", "The index is empty")])
def test_an_index_that_lost_its_content_says_how_to_mend_it(
    indexed: Indexed, opened: Open, lost: str, reason: str
) -> None:
    index = indexed(functions(20))
    damage(index, f"DELETE FROM {lost}")

    answer = index.answer("xq", mode="hybrid", min_score=0)

    assert () == answer.hits
    assert reason in (answer.message or "")
    assert "`connote clear`" in (answer.message or "")
    index.close()
    assert clear(index.root, index.settings)
    again = opened(index.root)
    again.sync()
    assert 20 == len(again.search("return the page", limit=200, min_score=0))


# R086: k=0 or k above the collection's size raises.
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_limit_above_the_size_of_the_index_is_no_trouble(indexed: Indexed, count: int) -> None:
    index = indexed(functions(count))
    index.flush()
    index.warm()

    for query in ("", "settle", "the of and", "🎉", "settle " * 3000, "x" * 20_000):
        for mode in ("hybrid", "semantic", "lexical"):
            answer = index.answer(query, limit=200, min_score=0, mode=mode)

            assert len(answer.hits) <= count
            assert answer.hits or answer.message or not query


# R086: a limit that no search can have must be refused in words.
@pytest.mark.parametrize("limit", [0, -1, 201, 10_000])
def test_limits_out_of_range_are_refused_in_words(indexed: Indexed, limit: int) -> None:
    with pytest.raises(ValueError, match=f"limit is {limit}; it can be 1 to 200"):
        indexed({}).search("settle accounts", limit=limit)
