"""Scripts and styles inside of markup: which language each is written in, and one tree over all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from connote.chunk.region import Budget, Grafted, Grafts, Reading, absorb, read_region
from connote.languages import LANGUAGES, detect_language

if TYPE_CHECKING:
    import tree_sitter

    from connote.chunk.cut import Node
    from connote.chunk.imports import Import
    from connote.chunk.source import Source


def embed(source: Source, language: str | None, outer: Reading, budget: Budget) -> tuple[Node, list[Import]]:
    """Read the scripts and styles of a document; give what to cut it along, and the imports of all scripts.

    What they define is added to the outline of `outer`.
    """
    pairs: list[tuple[tree_sitter.Node, tree_sitter.Node]] = []
    readings: list[Reading] = []
    for node in outer.embedded:
        text = next((child for child in node.named_children if child.type in _TEXTS), None)
        if text is None:
            continue
        word = _language_of(source, node, text, language)
        reading = read_region(source, word, budget, (text.start_byte, text.end_byte))
        if reading is None:
            continue
        readings.append(reading)
        # What is garbled is cut as text; what it holds that is whole is still worth a name.
        if not reading.is_garbled:
            pairs.append((node, reading.root))
    absorb(outer.outline, [reading.outline for reading in readings])
    imports = [item for reading in readings for item in reading.imports]
    return Grafted(outer.root, Grafts(pairs)), imports


def language_of_word(word: str) -> str | None:
    """The language that a word means on a fence or in a `lang` attribute, or None: its name, an alias or an extension.

    `js`, `python3`, `C++` and `Dockerfile` are words; a comma, brace or space ends one.
    """
    match = _WORD.match(word.strip().lower())
    if match is None:
        return None
    word = match.group().rstrip(".:")
    word = _ALIASES.get(word, word)
    return word if word in LANGUAGES else detect_language(f"x.{word}") or detect_language(word)


_TEXTS = frozenset({"raw_text", "frontmatter_js_block"})
_WORD = re.compile(r"[\w+#.:-]+")
_ALIASES = {
    "babel": "javascript", "c#": "csharp", "cplusplus": "cpp", "docker": "dockerfile", "ecmascript": "javascript",
    "f#": "fsharp", "golang": "go", "js": "javascript", "makefile": "make", "mysql": "sql", "node": "javascript",
    "obj-c": "objc", "objective-c": "objc", "objectivec": "objc", "postcss": "css", "postgres": "sql",
    "postgresql": "sql", "ps": "powershell", "py3": "python", "python3": "python", "shell": "bash", "sqlite": "sql",
    "ts": "typescript",
}  # fmt: skip

_ATTRIBUTE = re.compile(rb"""\s(lang|type)\s*=\s*["']?([^\s"'>]+)""", re.IGNORECASE)
_SCRIPTS = re.compile(r"(?:module$|(?:text|application)/(?:x-)?(java|ecma|type|jsx|babel))")


def _language_of(source: Source, node: tree_sitter.Node, text: tree_sitter.Node, language: str | None) -> str | None:
    if text.type == "frontmatter_js_block":
        return "typescript"
    tag = source.data[node.start_byte : text.start_byte]
    attributes = {key.lower(): value.decode("utf-8", "replace").lower() for key, value in _ATTRIBUTE.findall(tag)}
    if b"lang" in attributes:
        return language_of_word(attributes[b"lang"])
    if node.type == "style_element":
        return "css"
    kind = attributes.get(b"type", "module")
    match = _SCRIPTS.match(kind)
    if match is None:
        return None  # A template, or data.
    return "typescript" if match.group(1) == "type" or language == "astro" else "javascript"
