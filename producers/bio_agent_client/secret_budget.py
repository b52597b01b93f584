"""What keeps the search for secrets linear: budgets for hostile text, and places of words by substring search."""

from __future__ import annotations

import re
from typing import Final

Span = tuple[int, int, str]

COARSE: Final = "coarse"
"""Kind of a span that a finder yields where its budget ended: what follows is to be treated by the coarse rule."""
MAX_PEM = 1_000  # BEGIN and END lines looked at in one text
MAX_COMMANDS = 1_000  # program names looked at in one text
MAX_FLAGS = 3_000  # flags with a telling name judged in one text
MAX_SPOKEN = 800  # words such as "password" whose sentence is read in one text; each costs up to 50 µs
MAX_CELLS = 10_000  # table lines read in one text
MAX_PLACES = 20_000  # places of one word in one text
LARGE_CHARS = 256 * 1024
MAX_SEEDS = 100  # mentions of a seed phrase followed up in one text


def budget(base: int, text: str) -> int:
    """A budget for a text of that length: a third in a large one, where the plain passes already take their time."""
    return base if len(text) <= LARGE_CHARS else base // 3


SHORT_CHARS = 1_000  # up to here one pass of `re` beats a substring search for each word


def any_of(words: tuple[str, ...]) -> str:
    """A pattern for any of `words`, as a tree by first characters: one pass decides, several times faster than `in`."""
    if "" in words:
        return ""  # one of them is complete here; what the longer ones add decides nothing
    heads = dict.fromkeys(word[0] for word in words)
    parts = [re.escape(head) + any_of(tuple(word[1:] for word in words if word[0] == head)) for head in heads]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


class Words:
    """Words that open a closer look, and where they begin in a text."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self._tree = re.compile(any_of(words))

    def within(self, text: str) -> bool:
        return self._tree.search(text) is not None

    def places(self, text: str) -> tuple[list[int], int]:
        """(where any of the words begins, in order; the first place that was not looked at, len(text) when all were).

        In a long text a substring search for each word is several times faster than one alternation in `re`, in a
        short one it is the other way round. Where two words begin, a place may stand twice.
        """
        if len(text) > SHORT_CHARS:
            return self._one_by_one(text)
        places, search = [], self._tree.search
        found = search(text)
        while found:
            at = found.start()
            places.append(at)
            found = search(text, at + 1)
        return places, len(text)

    def _one_by_one(self, text: str) -> tuple[list[int], int]:
        places, unseen = [], len(text)
        for word in self._words:
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
