"""What is said in the months of `bench forgetting`: facts that hold, facts that change, events, and states that pass.

No two sentences are alike and many have one form, so that finding the right one is no matter of course.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

FACTS, CHANGES, HAPPENED, PASSING = "fact", "change", "event", "state"
HOLD, EVENTS, STATES = 2, 3, 1  # of a round; a fact of every second round is given a new value later
CHANGES_AFTER = 3  # rounds until the fact that changes does

_PLACES = ("Harbour Street", "Mill Road", "the north hall", "the airport depot", "Canal Square", "the old dairy")
_THINGS = ("label printer", "forklift", "cold store", "packing line", "scale", "gate", "charger", "scanner")
_GOODS = (
    "oat flour", "steel hinges", "blue paint", "paper bags", "olive oil", "cedar boards", "copper wire", "jam jars",
)  # fmt: skip
_TROUBLE = ("came two hours late", "was short by one pallet", "had a torn seal", "was signed for by the night guard")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing to keep, and the question that asks for it. round: when it was said. outdates: the sentence that it takes
    the place of; outdated: whether another took its place."""

    content: str
    query: str
    kind: str
    round: int
    what: str
    outdates: str = ""
    outdated: bool = False


def stream(rounds: int, seed: int) -> list[list[Said]]:
    """What is said in each round."""
    rng = random.Random(seed)  # noqa: S311 - material of a bench
    places = [(t, p) for t in _THINGS for p in _PLACES]
    events = [(g, p, x) for g in _GOODS for p in _PLACES for x in _TROUBLE]
    rng.shuffle(places)
    rng.shuffle(events)
    out: list[list[Said]] = [[] for _ in range(rounds)]
    for n in range(rounds):
        for _ in range(HOLD):
            out[n].append(_fact(*places.pop(), rng, n))
        if n % 2 == 0 and n + CHANGES_AFTER < rounds:
            thing, place = places.pop()
            first = replace(_fact(thing, place, rng, n), what=CHANGES, outdated=True)
            then = replace(_fact(thing, place, rng, n + CHANGES_AFTER), what=CHANGES, outdates=first.content)
            out[n].append(first)
            out[n + CHANGES_AFTER].append(then)
        for _ in range(EVENTS):
            goods, place, trouble = events.pop()
            out[n].append(Said(f"The delivery of {goods} to {place} {trouble}.",
                               f"which delivery of {goods} to {place} {trouble}?", "episodic", n, HAPPENED))  # fmt: skip
        for _ in range(STATES):
            thing, place = places.pop()
            out[n].append(Said(f"The {thing} at {place} is out of order today.",
                               f"is the {thing} at {place} out of order?", "episodic", n, PASSING))  # fmt: skip
    return out


def directive(n: int) -> str:
    """What the owner orders in a round: a rule of its own each time."""
    return f"From now on never store {_GOODS[n % len(_GOODS)]} outside."


def _fact(thing: str, place: str, rng: random.Random, n: int) -> Said:
    code = f"{rng.choice('ABCDEFGH')}-{rng.randrange(100, 999)}"
    return Said(f"The {thing} at {place} has the service code {code}.", f"service code of the {thing} at {place}",
                "semantic", n, FACTS)  # fmt: skip
