"""What a chunk carries besides its text, and what is embedded for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import connote.chunk
from connote.chunk import CHUNKER_VERSION, Chunker, ChunkOptions, chunk, chunk_stream, contextualize, fingerprint
from connote.model import Chunk

Checked = Callable[..., list[Chunk]]

CODE = """\
import os
import sys as system
from a.b import c as d, e

class Limiter:
    def first(self):
        return os.path

    def second(self):
        return d

    def third(self):
        return system

    def fourth(self): pass

    def fifth(self): pass
"""


def embedded(text: str, **options: object) -> list[str]:
    return [contextualize(piece) for piece in chunk("a.py", text, ChunkOptions(**options))]  # type: ignore[arg-type]


def small(checked: Checked, symbol: str, **options: object) -> Chunk:
    return next(piece for piece in checked("a.py", CODE, max_size=40, min_size=1, **options) if piece.symbol == symbol)


def test_scope_and_symbol_are_embedded_before_the_text(checked: Checked) -> None:
    assert "Limiter > second\n    def second(self):\n        return d" == contextualize(small(checked, "second"))


def test_none_embeds_the_text_alone(checked: Checked) -> None:
    piece = small(checked, "second", context="none")

    assert piece.text == contextualize(piece)
    assert ("second", ("Limiter",), (), ()) == (piece.symbol, piece.scope, piece.siblings, piece.imports)


def test_minimal_leaves_signature_and_doc_out() -> None:
    text = "def f(a, b):\n    'Doc.'\n" + "    a += b\n" * 900

    assert embedded(text)[1].startswith("f\ndef f(a, b)\nDoc.\n    a += b")
    assert embedded(text, context="minimal")[1].startswith("f\n    a += b")
    assert embedded(text, context="none")[1].startswith("    a += b")


def test_siblings_are_the_nearest_of_the_same_level(checked: Checked) -> None:
    assert ("first", "second", "fourth", "fifth") == small(checked, "third").siblings
    signatures = small(checked, "third", siblings="signatures").siblings

    assert ("def first(self)", "def second(self)", "def fourth(self)", "def fifth(self)") == signatures
    assert () == small(checked, "third", siblings="none").siblings


def test_imports_are_those_whose_names_are_used(checked: Checked) -> None:
    assert ("import os",) == small(checked, "first").imports
    assert ("from a.b import c as d, e",) == small(checked, "second").imports
    assert ("import sys as system",) == small(checked, "third").imports
    assert () == small(checked, "fourth").imports


def test_a_path_a_move_and_an_edit_elsewhere_change_no_embedded_text() -> None:
    filler = "".join(f"    a.call({i})\n" for i in range(90))
    text = f"import os\n\n\ndef f(a):\n{filler}\n\ndef g(a):\n{filler}\n\ndef h(a):\n    return os\n"
    before = embedded(text)
    moved = [contextualize(piece) for piece in chunk("other/b.py", "\n" + text)]
    edited = embedded(text.replace("import os", "import os, sys").replace("a.call(7)", "a.call(70)", 1))

    assert before == moved
    assert len(before) == len(edited)
    # The import is too small to be a chunk of its own, and stands with the part of f that was edited.
    assert 1 == sum(one != other for one, other in zip(before, edited, strict=True))


def test_overlap_is_embedded_and_never_in_the_text(checked: Checked) -> None:
    text = "".join(f"word{i} more\n" for i in range(200))
    plain, overlapping = (checked("a.txt", text, max_size=200, overlap_lines=lines) for lines in (0, 2))

    assert [piece.text for piece in plain] == [piece.text for piece in overlapping]
    assert contextualize(overlapping[0]) == overlapping[0].text
    expected = "\n".join([*overlapping[0].text.split("\n")[-2:], overlapping[1].text])
    assert expected == contextualize(overlapping[1])


def test_overlap_is_never_more_than_a_quarter(checked: Checked) -> None:
    chunks = checked("a.txt", "a line of words\n" * 200, max_size=100, overlap_lines=1000)

    assert all(len("".join(piece.context.split())) <= 25 for piece in chunks)


def test_the_stream_and_the_chunker_give_the_same_chunks(snippets: dict[str, str]) -> None:
    chunker = Chunker(ChunkOptions(max_size=100))
    for path, text in snippets.items():
        expected = chunk(path, text, ChunkOptions(max_size=100))

        assert expected == list(chunk_stream(path, text, ChunkOptions(max_size=100)))
        assert expected == chunker.chunk(path, text)
        assert expected == list(chunker.stream(path, text))


def test_the_fingerprint_names_version_and_grammars() -> None:
    assert f"chunker-{CHUNKER_VERSION} " in fingerprint()
    assert "grammars-0." in fingerprint()


def test_the_package_is_callable_under_the_name_of_the_function() -> None:
    assert chunk("a.py", "x = 1\n") == connote.chunk("a.py", "x = 1\n")


def test_importing_the_chunker_and_the_worker_stays_light() -> None:
    program = (
        "import sys, connote.chunk, connote.chunk.worker, connote.chunk.pool;"
        "heavy = ('tree_sitter', 'numpy', 'chromadb', 'pygls', 'openai', 'multiprocessing');"
        "print([m for m in heavy if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "[]" == out.stdout.strip()
