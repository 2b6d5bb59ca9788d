"""Searching: filters, modes, limits, state and explanations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import connote

FILES = {
    "src/limits.py": (
        "class Limiter:\n"
        "    '''Keeps clients from asking too often.'''\n\n"
        "    def check_quota(self, client):\n"
        "        '''Refuse a client that asked too often in the last minute.'''\n"
        "        if self.count(client) > 60:\n"
        "            raise TooMany(client)\n"
    ),
    "src/retry.ts": (
        "/** Waits longer after each failure. */\nexport function tryAgain(request: Request): Response {\n"
        "  return backoff(request, 2);\n}\n"
    ),
    "src/ledger.go": (
        "package ledger\n\n// Reconcile brings two books in line.\n"
        "func xqReconcileLedger(a, b Book) error {\n\treturn nil\n}\n"
    ),
    "tests/test_limits.py": (
        "def test_quota():\n    '''A client that asks too often is refused.'''\n    assert Limiter().check_quota(1)\n"
    ),
    "docs/guide.md": "# Guide\n\n## Quotas\n\nA client that asks too often is refused.\n",
}


@pytest.fixture
def index(tree: Callable[..., Path], opened: Callable[..., connote.Index]) -> connote.Index:
    index = opened(tree(FILES))
    index.sync()
    return index


def found(index: connote.Index, query: str = "client asks too often", **changes: object) -> list[str]:
    return [hit.path for hit in index.search(query, **{"min_score": 0, **changes})]


def test_a_hit_says_where_it_is_and_what(index: connote.Index) -> None:
    hit = index.search("refuse a client that asks too often", exclude=["tests", "docs"])[0]

    assert ("src/limits.py", 1, 7, "python", "Limiter", "class") == (
        hit.path,
        hit.start_line,
        hit.end_line,
        hit.language,
        hit.symbol,
        hit.kind,
    )
    assert ((), 1, 7) == (hit.scope, hit.line, hit.column)
    assert FILES["src/limits.py"].strip() == hit.text.strip()
    assert str(index.root / "src/limits.py") == hit.file
    assert 0 < hit.score <= 1
    assert not hit.stale


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"include": ["*.ts"]}, {"src/retry.ts"}),
        ({"include": ["src/**"], "exclude": ["*.go", "*.ts"]}, {"src/limits.py"}),
        ({"include": ["!src/**", "!docs/**"]}, {"tests/test_limits.py"}),
        ({"include": ["*.{go,ts}"]}, {"src/ledger.go", "src/retry.ts"}),
        ({"include": ["*.TS"]}, set()),
        ({"include": ["*.TS"], "ignore_case": True}, {"src/retry.ts"}),
        ({"prefix": "src/limits.py"}, {"src/limits.py"}),
        ({"prefix": "sr"}, set()),
        ({"languages": ["go"]}, {"src/ledger.go"}),
        ({"exclude_languages": ["python", "typescript", "go"]}, {"docs/guide.md"}),
        ({"kinds": ["method"]}, {"src/limits.py"}),
        ({"kinds": ["class", "function"], "tests": False}, {"src/limits.py", "src/ledger.go", "src/retry.ts"}),
        ({"tests": False, "exclude": ["docs"]}, {"src/limits.py", "src/ledger.go", "src/retry.ts"}),
    ],
)
def test_filters_let_through_what_they_say(
    index: connote.Index, changes: dict[str, object], expected: set[str]
) -> None:
    assert expected == set(found(index, **changes))


def test_filters_that_fit_nothing_say_so(index: connote.Index) -> None:
    answer = index.answer("client", include=["*.nothing"])

    assert ((), "No indexed file passes the filters.") == (answer.hits, answer.message)


# R080: in hybrid mode a weak semantic match beats the only exact one.
@pytest.mark.parametrize(
    "query", ["xq_reconcile_ledger", "xqReconcileLedger", "where is xq_reconcile_ledger called from"]
)
def test_a_name_is_found_in_every_spelling(index: connote.Index, query: str) -> None:
    assert "src/ledger.go" == found(index, query)[0]


# R084: one word too much makes an exact match disappear.
def test_one_word_too_much_hides_nothing(index: connote.Index) -> None:
    assert "src/ledger.go" in found(index, "brings two books in line zzzqqq")[:3]


# R082: tests outrank the source.
def test_tests_rank_below_the_source_unless_asked_for(index: connote.Index) -> None:
    assert "src/limits.py" == found(index, "refuse a client that asked too often")[0]
    assert "tests/test_limits.py" == found(index, "test that a client that asks too often is refused")[0]


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
@pytest.mark.parametrize("query", ["client asks too often", "xqReconcileLedger", "Limiter.check_quota"])
def test_signals_sum_to_the_score(index: connote.Index, mode: str, query: str) -> None:
    hits = index.search(query, mode=mode, why=True, min_score=0)

    assert hits
    for hit in hits:
        assert hit.score == pytest.approx(sum(signal.amount for signal in hit.signals))
        assert 0 <= hit.score <= 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert not index.search(query)[0].signals


def test_modes_search_what_they_say(index: connote.Index) -> None:
    assert [] == found(index, "zzzqqq", mode="lexical")
    assert "src/retry.ts" in found(index, "client", mode="semantic")
    assert "src/retry.ts" not in found(index, "client", mode="lexical")


# R086 and edge case 62: limits at the edge, empty and huge questions.
@pytest.mark.parametrize(
    "query", ["", "  \n", "🎉", "the of and", "x" * 100_000, "client " * 20_000, "(((", '"', "a OR NOT b*", "\x00"]
)
def test_any_text_is_a_question(index: connote.Index, query: str) -> None:
    answer = index.answer(query, limit=200)

    assert answer.complete
    assert answer.hits or answer.message or not query.strip()


@pytest.mark.parametrize(
    "changes",
    [
        {"limit": 0},
        {"limit": 201},
        {"limit": -1},
        {"mode": "fuzzy"},
        {"min_score": 2},
        {"kinds": ["klass"]},
        {"context": -1},
    ],
)
def test_what_no_query_can_be_is_refused(index: connote.Index, changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes)).rstrip("s")):
        index.search("client", **changes)


def test_an_unknown_field_is_named(index: connote.Index) -> None:
    with pytest.raises(TypeError, match="a query has no 'limmit'"):
        index.search("client", limmit=3)


def test_a_weak_answer_is_retried_once_and_says_so(index: connote.Index) -> None:
    best = index.search("client asks too often", min_score=0)[0].score
    least = min(1.0, best * 1.5)

    relaxed = index.answer("client asks too often", min_score=least)
    strict = index.answer("client asks too often", min_score=least, relax=False)

    assert relaxed.relaxed
    assert relaxed.hits
    assert (False, ()) == (strict.relaxed, strict.hits)
    assert "below" in (strict.message or "")


def test_an_index_that_was_never_made_says_so(tree: Callable[..., Path], opened: Callable[..., connote.Index]) -> None:
    index = opened(tree(FILES))

    answer = index.answer("client")

    assert ((), False) == (answer.hits, answer.complete)
    assert "not complete" in (answer.message or "")
    assert "degraded" == index.status().state


def test_a_changed_file_makes_its_hits_stale(index: connote.Index) -> None:
    (index.root / "src/limits.py").write_text("x = 1\n", encoding="utf-8")

    hits = index.search("client asks too often", min_score=0)

    assert {"src/limits.py"} == {hit.path for hit in hits if hit.stale}


def test_context_widens_a_hit_by_lines_from_disk(index: connote.Index) -> None:
    (index.root / "src/many.py").write_text(
        "\n".join([*(f"import m{n}" for n in range(400)), FILES["src/limits.py"]]), encoding="utf-8"
    )
    index.update("src/many.py")
    plain = index.search("refuse a client that asked too often", include=["many.py"])[0]

    wide = index.search("refuse a client that asked too often", include=["many.py"], context=2)[0]

    assert (plain.start_line - 2, plain.end_line) == (wide.start_line, wide.end_line)
    assert wide.text.endswith(plain.text.rstrip("\n")) or plain.text in wide.text


def test_definitions_are_symbols_each_once(index: connote.Index) -> None:
    hits = index.search("refuse a client that asked too often", definitions=True, min_score=0)

    names = [(hit.path, hit.symbol) for hit in hits]
    assert ("src/limits.py", "check_quota") == names[0]
    assert len(set(names)) == len(names)
    assert (4, 7) == (hits[0].start_line, hits[0].end_line)


def test_similar_finds_the_clone_and_never_the_place_itself(index: connote.Index) -> None:
    clone = FILES["src/limits.py"].replace("Limiter", "Throttle").replace("client", "caller")
    (index.root / "src/throttle.py").write_text(clone, encoding="utf-8")
    index.update("src/throttle.py")

    hits = index.similar("src/limits.py", line=4)

    assert "src/throttle.py" == hits[0].path
    assert "src/limits.py" not in {hit.path for hit in hits}


def test_the_status_counts_what_is_there(index: connote.Index) -> None:
    (index.root / "a.bin").write_bytes(b"\0")
    index.sync()
    status = index.status()

    assert ("ready", 5, 0, 0, {"binary": 1}) == (
        status.state,
        status.files,
        status.pending,
        status.failed,
        dict(status.skipped),
    )
    assert {"python": 2, "typescript": 1, "go": 1, "markdown": 1} == dict(status.languages)
    assert ("static", 256, "persistent") == (status.model, status.dimensions, status.store)
    assert status.bytes > 0
    assert status.last_sync
    assert [("a.bin", "binary")] == [(item.path, item.reason) for item in index.skipped()]
