"""How texts are put together for one request, and taken apart again where one is refused. Computes, and no more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from connote.embed import about_tokens

if TYPE_CHECKING:
    from connote.embed import EmbedOptions
    from connote.embed.facts import Facts

_CAPS = (1024, 512, 256, 128, 100, 96, 64, 50, 32, 25, 20, 16, 10, 8, 4, 2, 1)
"""How many texts services take at once, as they document it, and some numbers between."""
_SHORTEST = 200
"""Characters. A model that refuses so short a text refuses it for another reason than its length."""
_MARGIN = 1.3
"""By how much the tokens of a text may be more than they seem."""


def portion(lengths: Sequence[int], facts: Facts, options: EmbedOptions) -> int:
    """How many of the next texts, of these lengths in characters, go into one request; at least 1.

    One that is as long as another which was too long goes alone, so that it holds up no other.
    """
    most = min(options.batch_size, facts.most or options.batch_size)
    tokens = count = 0
    for length in lengths[:most]:
        tokens += about_tokens(length)
        doubtful = bool(facts.longest) and length >= facts.longest
        if count and (doubtful or tokens > options.batch_tokens):
            break
        count += 1
        if doubtful:
            break
    return max(1, count)


def divided(
    places: Sequence[int], lengths: Mapping[int, int], *, too_long: bool = False, tokens: int = 0
) -> list[list[int]]:
    """At least two groups of the texts at `places`, which were refused together.

    Where one of them was `too_long` for a model, perhaps of so many `tokens`, the long ones are apart from the others.
    """
    if not too_long:
        size = next((cap for cap in _CAPS if cap < len(places)), 1)
        return [list(places[start : start + size]) for start in range(0, len(places), size)]
    if tokens:
        doubtful = [place for place in places if about_tokens(lengths[place]) * _MARGIN > tokens]
        others = [place for place in places if place not in set(doubtful)]
        if doubtful and others:
            return [others, *([place] for place in doubtful)]
    by_length = sorted(places, key=lengths.__getitem__)
    middle = len(by_length) // 2
    return [by_length[:middle], by_length[middle:]]


def pieces(text: str, tokens: int = 0) -> list[str]:
    """A text in at least two pieces, cut at line ends or spaces where there are some, in as many as a model needs
    that takes so many `tokens`; none for a text that is too short to be too long."""
    if len(text) <= _SHORTEST:
        return []
    count = max(2, math.ceil(about_tokens(len(text)) * _MARGIN / tokens) if tokens else 2)
    found, start = [], 0
    for number in range(1, count):
        aim = len(text) * number // count
        end = _border(text, start, aim)
        if end > start:
            found.append(text[start:end])
            start = end
    found.append(text[start:])
    return [piece for piece in found if piece.strip()]


def _border(text: str, start: int, aim: int) -> int:
    """Just past the line end, or else the space, that is nearest before a place and not far from it."""
    nearest = max(start + 1, aim - (aim - start) // 4)
    for mark in ("\n", " "):
        found = text.rfind(mark, nearest, aim)
        if found >= 0:
            return found + 1
    return aim
