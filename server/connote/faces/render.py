"""Hits as text and as JSON, the same for every face that prints them.

The text formats are kept stable, because scripts and editors read them:

- `grep`: every line of a hit as `PATH:LINE:TEXT`. Hits of a file that overlap or touch are one block, blocks come best
  first, lines of a block in order. Context lines are `PATH-LINE-TEXT`; when they are asked for, `--` stands between
  blocks, as grep does it.
- `vimgrep`: one line a hit, `PATH:LINE:COLUMN:TEXT`, at the symbol's name or else at the first line with text.
  COLUMN counts bytes of UTF-8 from 1, because that is what Vim's `%c` reads. Never merged, never with context.
- `summary`: one line a hit, `PATH:START-END: KIND NAME (SCORE)`; without a symbol, the first line with text stands in
  place of `KIND NAME`. Merged as in `grep`. With signals, ` [NAME AMOUNT, …]` of the best hit is added.
- `pretty`: for people; it may change, it shortens long hits, and it shows control characters as escapes.
- paths alone: one path a line, in the order of each file's best hit; counts: `PATH:COUNT`.

With `null`, a NUL takes the place of what follows the path: `:` or `-`, or the line end where a line is only a path.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from connote.model import Answer, Hit

Highlighter = Callable[[list[str], "str | None"], list[str]]
"""Takes lines of code and their language, returns as many lines with colours."""

SHOWN_LINES = 12
"""How much of one hit `pretty` shows: about a third of a screen, so that the best hits are seen together."""
SHOWN_WINDOWS = 3
"""How many of the hits merged into one passage `pretty` shows lines of."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How hits are to be printed."""

    before: int = 0
    after: int = 0
    """Lines of context, read from disk."""
    here: Path | None = None
    """The folder that paths are shown relative to; paths outside it, and all paths without it, are absolute."""
    why: bool = False
    """Whether signals are shown, where the format has a place for them."""
    null: bool = False
    color: bool = False
    width: int | None = None
    """Columns after which `pretty` cuts lines; None never cuts."""
    highlight: Highlighter | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Hits of one file that overlap or touch, shown as one."""

    hits: tuple[Hit, ...]
    """Best first."""
    start_line: int
    end_line: int
    lines: dict[int, str] = field(default_factory=dict)
    """The text of every line of its hits, without line ends."""


def pretty(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield one block of text a passage: a heading, then numbered lines of code."""
    paint = _Paint(layout.color)
    for count, passage in enumerate(merge(hits, layout.before + layout.after)):
        best = passage.hits[0]
        place = f"{printable(show_path(best.file, layout.here))}:{passage.start_line}-{passage.end_line}"
        heading = [paint("1;35", place), paint("36", printable(_names(passage))), paint("2", f"{best.score:.2f}")]
        if best.stale:
            heading.append(paint("33", "(changed since it was indexed)"))
        rows = ["" if count else None, "  ".join(part for part in heading if part)]
        if layout.why and best.signals:
            rows.append(paint("2", f"  {signals_text(best)}"))
        rows.extend(_code_rows(passage, layout, paint))
        yield "".join(f"{row}\n" for row in rows if row is not None)


def grep(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield one block of lines a passage; the module says how they look."""
    paint = _Paint(layout.color)
    wants_context = layout.before + layout.after > 0
    for count, passage in enumerate(merge(hits, layout.before + layout.after)):
        if count and wants_context:
            yield paint("36", "--") + "\n"
        path = paint("35", show_path(passage.hits[0].file, layout.here))
        context = _context(passage, layout)
        rows = []
        for number in sorted({*passage.lines, *context}):
            mark = ":" if number in passage.lines else "-"
            text = passage.lines[number] if number in passage.lines else context[number]
            separator = "\0" if layout.null else paint("36", mark)
            rows.append(f"{path}{separator}{paint('32', str(number))}{paint('36', mark)}{text}\n")
        yield "".join(rows)


def vimgrep(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield one line a hit; the module says how it looks."""
    for hit in hits:
        text = hit_lines(hit).get(hit.line, "")
        column = len(text[: hit.column - 1].encode("utf-8", "surrogatepass")) + 1
        yield f"{show_path(hit.file, layout.here)}{_after_path(layout)}{hit.line}:{column}:{text}\n"


def summary(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield one line a passage; the module says how it looks."""
    for passage in merge(hits):
        best = passage.hits[0]
        what = _names(passage) or passage.lines.get(best.line, "").strip()
        row = f"{show_path(best.file, layout.here)}{_after_path(layout)}{passage.start_line}-{passage.end_line}: {what}"
        row += f" ({best.score:.2f})"
        if layout.why and best.signals:
            row += f" [{', '.join(f'{signal.name} {signal.amount:.2f}' for signal in best.signals)}]"
        yield f"{row}\n"


def paths(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield each file once, in the order of its best hit, each with its line end (or NUL)."""
    end = "\0" if layout.null else "\n"
    for file in dict.fromkeys(hit.file for hit in hits):
        yield f"{show_path(file, layout.here)}{end}"


def counts(hits: Sequence[Hit], layout: Layout) -> Iterator[str]:
    """Yield each file once, in the order of its best hit, with its number of hits."""
    numbers: dict[str, int] = {}
    for hit in hits:
        numbers[hit.file] = numbers.get(hit.file, 0) + 1
    for file, number in numbers.items():
        yield f"{show_path(file, layout.here)}{_after_path(layout)}{number}\n"


def hit_fields(hit: Hit, *, why: bool = False) -> dict[str, Any]:
    """Return a hit as the JSON object that all faces share; `signals` is there only with `why`."""
    fields: dict[str, Any] = {
        "path": hit.path,
        "file": hit.file,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "language": hit.language,
        "symbol": hit.symbol,
        "kind": hit.kind,
        "scope": list(hit.scope),
        "line": hit.line,
        "column": hit.column,
        "text": hit.text,
        "stale": hit.stale,
    }
    if why:
        fields["signals"] = [{"name": signal.name, "amount": signal.amount} for signal in hit.signals]
    return fields


def answer_fields(root: str, query: str, answer: Answer, elapsed_ms: int, *, why: bool = False) -> dict[str, Any]:
    """Return an answer as the JSON object that all faces share."""
    return {
        "root": root,
        "query": query,
        "hits": [hit_fields(hit, why=why) for hit in answer.hits],
        "complete": answer.complete,
        "relaxed": answer.relaxed,
        "message": answer.message,
        "elapsed_ms": elapsed_ms,
    }


def to_json(value: object, *, ascii_only: bool = False, indent: int | None = None) -> str:
    """Return JSON that any UTF-8 stream can carry, or any stream at all with `ascii_only`.

    Half surrogates, which stand for undecodable bytes in file names, are escaped.
    """
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    return text if ascii_only else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def merge(hits: Iterable[Hit], gap: int = 0) -> list[Passage]:
    """Join the hits of each file that overlap, touch, or have at most `gap` lines between them.

    Passages come in the order of their best hits.
    """
    ranked = list(enumerate(hits))
    by_file: dict[str, list[tuple[int, Hit]]] = {}
    for rank, hit in ranked:
        by_file.setdefault(hit.file, []).append((rank, hit))
    groups: list[list[tuple[int, Hit]]] = []
    for members in by_file.values():
        members.sort(key=lambda member: (member[1].start_line, member[0]))
        end = 0
        for number, member in enumerate(members):
            if number and member[1].start_line <= end + 1 + gap:
                groups[-1].append(member)
            else:
                groups.append([member])
                end = 0
            end = max(end, member[1].end_line)
    for group in groups:
        group.sort(key=lambda member: member[0])
    groups.sort(key=lambda group: group[0][0])
    return [_passage([hit for _, hit in group]) for group in groups]


def widen(hit: Hit, before: int, after: int) -> Hit:
    """Return the hit with lines from disk around it; as it is when there are none."""
    around = _context(_passage([hit]), Layout(before=before, after=after))
    if not around:
        return hit
    above = [text for number, text in sorted(around.items()) if number < hit.start_line]
    below = [text for number, text in sorted(around.items()) if number > hit.end_line]
    middle = [text for _, text in sorted(hit_lines(hit).items())]
    return replace(
        hit,
        start_line=hit.start_line - len(above),
        end_line=hit.end_line + len(below),
        text="\n".join([*above, *middle, *below]),
    )


def hit_lines(hit: Hit) -> dict[int, str]:
    """Return the lines of a hit by their number, without line ends; only line feeds end lines."""
    texts = hit.text.split("\n")[: hit.end_line - hit.start_line + 1]
    return {hit.start_line + offset: text.removesuffix("\r") for offset, text in enumerate(texts)}


def show_path(file: str, here: Path | None) -> str:
    """Return an absolute path relative to the folder `here` when it lies below it."""
    if here is None:
        return file
    try:
        return str(Path(file).relative_to(here))
    except ValueError:
        return file


def symbol_name(symbol: str | None, kind: str | None, scope: Sequence[str]) -> str:
    """Return `Outer.name` as people read it; headings of documents are joined by `>`, for they are phrases."""
    return (" > " if kind == "section" else ".").join([*scope, symbol or ""]) if symbol else ""


def signals_text(hit: Hit) -> str:
    """Return the signals of a hit as a sum."""
    return " + ".join(f"{signal.name} {signal.amount:.2f}" for signal in hit.signals) + f" = {hit.score:.2f}"


def printable(text: str) -> str:
    """Return one line that a terminal shows as it is: code must not move the cursor or turn the reading direction."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text.expandtabs(4))


_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DIM = "2"


class _Paint:
    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._color and text else text


def _after_path(layout: Layout) -> str:
    return "\0" if layout.null else ":"


def _passage(hits: Sequence[Hit]) -> Passage:
    lines: dict[int, str] = {}
    for hit in hits:
        for number, text in hit_lines(hit).items():
            # Two hits can share a line of which each has one part; the longer part shows more of it.
            if len(text) >= len(lines.get(number, "")):
                lines[number] = text
    return Passage(
        hits=tuple(hits),
        start_line=min(hit.start_line for hit in hits),
        end_line=max(hit.end_line for hit in hits),
        lines=lines,
    )


def _context(passage: Passage, layout: Layout) -> dict[int, str]:
    wanted: set[int] = set()
    for hit in passage.hits:
        wanted.update(range(hit.start_line - layout.before, hit.start_line))
        wanted.update(range(hit.end_line + 1, hit.end_line + layout.after + 1))
    wanted.difference_update(passage.lines)
    if not wanted:
        return {}
    on_disk = _disk_lines(passage.hits[0].file)
    return {number: on_disk[number - 1] for number in wanted if 1 <= number <= len(on_disk)}


def _disk_lines(file: str) -> list[str]:
    try:
        data = Path(file).read_bytes()
    except OSError:
        return []  # It went away since it was found: then there is no context, but still the hit.
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    lines = data.decode(encoding, "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _names(passage: Passage) -> str:
    names = []
    for hit in passage.hits:
        name = symbol_name(hit.symbol, hit.kind, hit.scope)
        if name and (text := f"{hit.kind} {name}") not in names:
            names.append(text)
    more = len(names) - SHOWN_WINDOWS
    return ", ".join(names[:SHOWN_WINDOWS]) + (f" and {more} more" if more > 0 else "")


def _code_rows(passage: Passage, layout: Layout, paint: _Paint) -> Iterator[str]:
    context = _context(passage, layout)
    shown = sorted({*_shown(passage), *context})
    digits = len(str(max([*shown, passage.end_line])))
    texts = [_cut(printable(passage.lines.get(number, context.get(number, ""))), layout, digits) for number in shown]
    colored = texts
    if layout.color and layout.highlight is not None:
        colored = layout.highlight(texts, passage.hits[0].language)
    previous = min([*shown, passage.start_line]) - 1
    for number, text, color_text in zip(shown, texts, colored, strict=True):
        yield from _gap(previous, number, digits, paint)
        previous = number
        if number in context:
            yield paint(_DIM, f"{number:>{digits}}  {text}".rstrip())
        else:
            yield f"{paint(_DIM, f'{number:>{digits}}')}  {color_text}".rstrip()
    yield from _gap(previous, passage.end_line + 1, digits, paint)


def _gap(previous: int, number: int, digits: int, paint: _Paint) -> Iterator[str]:
    missing = number - previous - 1
    if missing > 0:
        yield paint(_DIM, f"{'':>{digits}}  ... {missing} more line{'s' if missing > 1 else ''}")


def _shown(passage: Passage) -> set[int]:
    shown: set[int] = set()
    for hit in passage.hits[:SHOWN_WINDOWS]:
        first, last = hit.start_line, hit.end_line
        # Two lines more cost no more than the row that says they are left out.
        if last - first + 1 > SHOWN_LINES + 2:
            # A long comment above a definition must not push the definition out of sight.
            if hit.line >= first + SHOWN_LINES * 2 // 3:
                first = min(hit.line, last - SHOWN_LINES + 1)
            last = first + SHOWN_LINES - 1
            while last > first and not passage.lines.get(last, "").strip():
                last -= 1
        shown.update(number for number in range(first, last + 1) if number in passage.lines)
    return shown


def _cut(text: str, layout: Layout, digits: int) -> str:
    room = None if layout.width is None else max(layout.width - digits - 2, 20)
    return text if room is None or len(text) <= room else f"{text[: room - 3]}..."
