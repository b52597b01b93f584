"""What keeps the search for secrets linear: budgets for hostile text, and places of words by substring search."""

from __future__ import annotations

from typing import Final

Span = tuple[int, int, str]

COARSE: Final = "coarse"
"""Kind of a span that a finder yields where its budget ended: what follows is to be treated by the coarse rule."""
MAX_PEM = 1_000  # BEGIN and END lines looked at in one text
MAX_COMMANDS = 1_000  # program names looked at in one text
MAX_SPOKEN = 800  # words such as "password" whose sentence is read in one text; each costs up to 50 µs
MAX_CELLS = 10_000  # table lines read in one text
MAX_PLACES = 20_000  # places of one word in one text
LARGE_CHARS = 256 * 1024
MAX_SEEDS = 100  # mentions of a seed phrase followed up in one text


def budget(base: int, text: str) -> int:
    """A budget for a text of that length: a third in a large one, where the plain passes already take their time."""
    return base if len(text) <= LARGE_CHARS else base // 3


def word_places(text: str, words: tuple[str, ...]) -> tuple[list[int], int]:
    """(where any of `words` begins, in order; the first place that was not looked at, len(text) when all were).

    A substring search for each word is several times faster than one alternation in `re`.
    """
    places, unseen = [], len(text)
    for word in words:
        at, number = text.find(word), 0
        while at >= 0:
            number += 1
            if number > MAX_PLACES:
                unseen = min(unseen, at)
                break
            places.append(at)
            at = text.find(word, at + 1)
    places.sort()
    return ([place for place in places if place < unseen] if unseen < len(text) else places), unseen
