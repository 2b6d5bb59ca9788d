"""What hits look like as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from connote.faces import render
from connote.model import Answer, Hit, Signal

CODE = [f"line {number}" for number in range(1, 101)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "src" / "limits.py"
    path.parent.mkdir()
    path.write_text("\n".join(CODE) + "\n", encoding="utf-8")
    return path


def hit(file: Path, start: int, end: int, score: float = 0.5, **changes: object) -> Hit:
    fields: dict[str, object] = {
        "path": f"src/{file.name}",
        "file": str(file),
        "start_line": start,
        "end_line": end,
        "score": score,
        "language": "python",
        "symbol": None,
        "kind": None,
        "scope": (),
        "line": start,
        "column": 1,
        "text": "\n".join(CODE[start - 1 : end]),
    }
    return Hit(**{**fields, **changes})  # type: ignore[arg-type]


def text(pieces: object) -> str:
    return "".join(pieces)  # type: ignore[arg-type]


def test_grep_prints_every_line_of_a_hit_with_path_and_number(file: Path) -> None:
    layout = render.Layout(here=file.parent.parent)

    assert "src/limits.py:3:line 3\nsrc/limits.py:4:line 4\n" == text(render.grep([hit(file, 3, 4)], layout)).replace(
        "\\", "/"
    )


def test_grep_marks_context_with_dashes_and_separates_blocks(file: Path) -> None:
    layout = render.Layout(here=file.parent, before=1, after=2)

    assert (
        "limits.py-49-line 49\nlimits.py:50:line 50\nlimits.py-51-line 51\nlimits.py-52-line 52\n"
        "--\n"
        "limits.py:1:line 1\nlimits.py-2-line 2\nlimits.py-3-line 3\n"
    ) == text(render.grep([hit(file, 50, 50), hit(file, 1, 1)], layout))


def test_grep_without_context_has_no_separators(file: Path) -> None:
    assert "--" not in text(render.grep([hit(file, 50, 50), hit(file, 1, 1)], render.Layout()))


def test_hits_whose_context_meets_are_one_block(file: Path) -> None:
    layout = render.Layout(here=file.parent, before=1, after=1)

    printed = text(render.grep([hit(file, 10, 10), hit(file, 13, 13)], layout))

    assert [9, 10, 11, 12, 13, 14] == [int(row.replace(":", "-").split("-")[1]) for row in printed.splitlines()]
    assert "limits.py-11-" in printed
    assert "limits.py:13:" in printed


def test_overlapping_hits_become_one_passage(file: Path) -> None:
    # Hits 1-40 and 33-72 of one file: one passage 1-72.
    passages = render.merge([hit(file, 33, 72, 0.9), hit(file, 1, 40, 0.4)])

    assert [(1, 72)] == [(passage.start_line, passage.end_line) for passage in passages]
    assert [0.9, 0.4] == [one.score for one in passages[0].hits]
    assert CODE[:72] == [passages[0].lines[number] for number in range(1, 73)]


def test_touching_hits_merge_and_others_do_not(file: Path) -> None:
    passages = render.merge([hit(file, 30, 40), hit(file, 10, 12), hit(file, 5, 9), hit(file, 14, 20)])

    assert [(30, 40), (5, 12), (14, 20)] == [(passage.start_line, passage.end_line) for passage in passages]


def test_a_hit_inside_another_does_not_cut_what_follows(file: Path) -> None:
    passages = render.merge([hit(file, 1, 50), hit(file, 5, 6), hit(file, 40, 60)])

    assert [(1, 60)] == [(passage.start_line, passage.end_line) for passage in passages]


def test_hits_of_different_files_never_merge(file: Path) -> None:
    other = file.with_name("other.py")

    assert 2 == len(render.merge([hit(file, 1, 2), hit(other, 2, 3)]))


def test_vimgrep_points_at_the_name_and_counts_bytes(file: Path) -> None:
    found = hit(file, 7, 8, line=8, column=5, text="# x\né = naïve")

    assert [f"{file}:8:6:é = naïve\n"] == list(render.vimgrep([found], render.Layout()))


def test_vimgrep_keeps_touching_hits_apart(file: Path) -> None:
    assert 2 == len(list(render.vimgrep([hit(file, 1, 2), hit(file, 3, 4)], render.Layout())))


def test_summary_names_symbol_and_score(file: Path) -> None:
    found = hit(file, 10, 42, 0.834, symbol="check_quota", kind="method", scope=("Limiter",))

    assert ["limits.py:10-42: method Limiter.check_quota (0.83)\n"] == list(
        render.summary([found], render.Layout(here=file.parent))
    )


def test_summary_without_symbol_shows_the_first_line_with_text(file: Path) -> None:
    found = hit(file, 10, 12, line=11, text="\n   words here\n")

    assert ["limits.py:10-12: words here (0.50)\n"] == list(render.summary([found], render.Layout(here=file.parent)))


def test_summary_adds_signals_when_asked(file: Path) -> None:
    found = hit(file, 1, 1, signals=(Signal("semantic", 0.3), Signal("words", 0.2)))

    assert "[semantic 0.30, words 0.20]" in text(render.summary([found], render.Layout(why=True)))
    assert "semantic" not in text(render.summary([found], render.Layout()))


def test_paths_and_counts_name_each_file_once_in_order_of_its_best_hit(file: Path) -> None:
    other = file.with_name("a b\n.py")
    hits = [hit(other, 1, 1), hit(file, 1, 1), hit(other, 9, 9)]
    here = render.Layout(here=file.parent)

    assert ["a b\n.py\n", "limits.py\n"] == list(render.paths(hits, here))
    assert ["a b\n.py:2\n", "limits.py:1\n"] == list(render.counts(hits, here))


def test_null_takes_the_place_of_what_follows_a_path(file: Path) -> None:
    layout = render.Layout(here=file.parent, null=True, after=1)
    hits = [hit(file, 1, 1)]

    assert ["limits.py\0"] == list(render.paths(hits, layout))
    assert ["limits.py\x001\n"] == list(render.counts(hits, layout))
    assert "limits.py\x001:line 1\nlimits.py\x002-line 2\n" == text(render.grep(hits, layout))
    assert ["limits.py\x001:1:line 1\n"] == list(render.vimgrep(hits, layout))
    assert ["limits.py\x001-1: line 1 (0.50)\n"] == list(render.summary(hits, layout))


def test_paths_outside_the_folder_are_absolute(file: Path, tmp_path: Path) -> None:
    assert str(file) == render.show_path(str(file), tmp_path / "elsewhere")
    assert str(Path("src", "limits.py")) == render.show_path(str(file), tmp_path)


def test_context_of_a_file_that_is_gone_is_left_out(file: Path) -> None:
    found = hit(file, 3, 3)
    file.unlink()

    assert [f"{file}:3:line 3\n"] == list(render.grep([found], render.Layout(before=2, after=2)))


def test_context_ends_where_the_file_ends(file: Path) -> None:
    rows = text(render.grep([hit(file, 99, 99)], render.Layout(here=file.parent, after=9))).splitlines()

    assert ["limits.py:99:line 99", "limits.py-100-line 100"] == rows


def test_only_line_feeds_end_lines(file: Path) -> None:
    odd = "a\x0cb\u2028c\x85d\r\nlast\r\n"

    assert {4: "a\x0cb\u2028c\x85d", 5: "last"} == render.hit_lines(hit(file, 4, 5, text=odd))


def test_context_from_a_file_with_carriage_returns_and_byte_order_mark(file: Path) -> None:
    file.write_bytes("\ufeffone\r\ntwo\x0cstill two\r\nthree\r\n".encode())

    assert "two\x0cstill two\nthree" == render.widen(hit(file, 3, 3, text="three"), 1, 1).text


def test_widen_moves_the_range_and_the_text_together(file: Path) -> None:
    wide = render.widen(hit(file, 2, 3), 5, 1)

    assert (1, 4, "line 1\nline 2\nline 3\nline 4") == (wide.start_line, wide.end_line, wide.text)


def test_pretty_shows_place_name_score_and_numbered_lines(file: Path) -> None:
    found = hit(file, 9, 10, 0.83, symbol="check_quota", kind="function")

    assert "limits.py:9-10  function check_quota  0.83\n 9  line 9\n10  line 10\n" == text(
        render.pretty([found], render.Layout(here=file.parent))
    )


def test_pretty_shortens_long_hits_and_says_by_how_much(file: Path) -> None:
    rows = text(render.pretty([hit(file, 1, 40)], render.Layout())).splitlines()

    assert 1 + render.SHOWN_LINES + 1 == len(rows)
    assert "    ... 28 more lines" == rows[-1]


def test_pretty_skips_a_long_comment_rather_than_the_definition(file: Path) -> None:
    rows = text(render.pretty([hit(file, 1, 60, line=30)], render.Layout())).splitlines()

    assert "    ... 29 more lines" == rows[1]
    assert "30  line 30" == rows[2]
    assert "    ... 19 more lines" == rows[-1]


def test_pretty_shows_the_end_of_a_hit_whose_name_is_near_its_end(file: Path) -> None:
    rows = text(render.pretty([hit(file, 1, 60, line=59)], render.Layout())).splitlines()

    assert "59  line 59" in rows
    assert "60  line 60" == rows[-1]


def test_pretty_says_what_the_score_is_made_of(file: Path) -> None:
    found = hit(file, 1, 1, 0.5, signals=(Signal("semantic", 0.3), Signal("words", 0.2)))

    assert "semantic 0.30 + words 0.20 = 0.50" in text(render.pretty([found], render.Layout(why=True)))


def test_pretty_does_not_let_code_move_the_cursor_or_turn_the_text(file: Path) -> None:
    found = hit(file, 1, 1, text="a\x1b[2Jb\u202ec\td")

    printed = text(render.pretty([found], render.Layout()))

    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "a\\x1b[2Jb\\u202ec" in printed


def test_pretty_cuts_lines_to_the_width(file: Path) -> None:
    rows = text(render.pretty([hit(file, 1, 1, text="x" * 500)], render.Layout(width=60))).splitlines()

    assert 60 == len(rows[1])
    assert rows[1].endswith("...")


def test_pretty_marks_a_stale_hit(file: Path) -> None:
    assert "changed since it was indexed" in text(render.pretty([hit(file, 1, 1, stale=True)], render.Layout()))


def test_colour_is_there_only_when_asked_for(file: Path) -> None:
    hits = [hit(file, 1, 30)]

    for form in (render.pretty, render.grep):
        assert "\x1b" not in text(form(hits, render.Layout(after=1)))
        assert "\x1b" in text(form(hits, render.Layout(after=1, color=True)))


def test_json_of_a_hit_has_exactly_the_promised_fields(file: Path) -> None:
    found = hit(file, 1, 1, signals=(Signal("semantic", 0.5),))
    names = "path file start_line end_line score language symbol kind scope line column text stale"

    assert names.split() == list(render.hit_fields(found))
    assert [{"name": "semantic", "amount": 0.5}] == render.hit_fields(found, why=True)["signals"]


def test_json_of_an_answer_has_exactly_the_promised_fields(file: Path) -> None:
    fields = render.answer_fields("/r", "q", Answer(hits=(hit(file, 1, 1),), relaxed=True), 7)

    assert ["root", "query", "hits", "complete", "relaxed", "message", "elapsed_ms"] == list(fields)
    assert fields == json.loads(render.to_json(fields))


def test_json_survives_undecodable_file_names() -> None:
    value = {"path": "caf\udce9/é"}

    assert '{"path": "caf\\udce9/é"}' == render.to_json(value)
    assert render.to_json(value, ascii_only=True).isascii()
    assert value == json.loads(render.to_json(value, ascii_only=True)) == json.loads(render.to_json(value))
