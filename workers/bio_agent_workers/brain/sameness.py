"""Whether two facts that read alike are about different things: each names something that the other does not."""

from __future__ import annotations

from bio_agent_workers.brain import slots
from bio_agent_workers.brain.quantities import values


def _named(text: str) -> frozenset[str]:
    return frozenset(m.name for m in slots.read(text).mentions if not m.name.startswith("value:"))


def differ(a: str, b: str) -> bool:
    """Whether the facts differ in a value, or each has a word or concept of its own ("Beijing's stock", "Shanghai's
    stock"). A text that only adds words, or says the same by synonyms of the vocabulary, does not differ."""
    if a == b:
        return False
    if values(a) != values(b):
        return True
    ours, theirs = _named(a), _named(b)
    return bool(ours - theirs) and bool(theirs - ours)
