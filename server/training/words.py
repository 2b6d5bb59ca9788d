"""The words of a text as the embedded model sees them."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+").findall


def split_words(text: str) -> list[str]:
    """Lower-case words, identifiers split. The same rule as in connote.embed.static, which is private there."""
    return [word.lower() for word in _WORDS(text)]
