"""A summary made of a conversation's own sentences: the turns that hold most of what the others speak of, each for another
part of it, in their order.

Extractive, so that nothing is in it that was not said. Greedy coverage of weighted words (after Nenkova and Vanderwende's
SumBasic, 2005): a word weighs by how often the conversation uses it, and counts less once a chosen turn has said it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bio_agent_workers.brain.retrieval.search_terms import terms

MAX_TURNS = 6  # turns in a summary; more is a transcript
MAX_CHARS = 900
SAID_SHARE = 0.3  # of a word's weight that is left once a chosen turn holds it
_SHORT = 3  # distinct terms below which a turn ("ok, thanks") says nothing of its own


def extract(turns: Sequence[str], most: int = MAX_TURNS, chars: int = MAX_CHARS) -> list[int]:
    """Positions of the chosen turns, ascending; together at most `chars` characters. Empty when no turn says anything."""
    held = [set(terms(t)) for t in turns]
    used = Counter(term for said in held for term in said)
    total = sum(used.values()) or 1
    weight = {term: n / total for term, n in used.items()}
    chosen: list[int] = []
    room = chars
    while len(chosen) < most:
        best, best_score = -1, 0.0
        for i, said in enumerate(held):
            if i in chosen or len(said) < _SHORT or len(turns[i]) > room:
                continue
            score = sum(weight[t] for t in said) / len(said) ** 0.5
            if score > best_score + 1e-12:
                best, best_score = i, score
        if best < 0:
            break
        chosen.append(best)
        room -= len(turns[best])
        for term in held[best]:
            weight[term] *= SAID_SHARE
    return sorted(chosen)
