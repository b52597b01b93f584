"""Whether one of two rules may stand for the other: no value, name, order, mood or thing that only one of them has.

A wrong "equivalent" merges two rules into one, so each check here can refuse and none can be outvoted.
"""

from __future__ import annotations

from bio_agent_workers.brain.relations import vocabulary
from bio_agent_workers.brain.relations.clashes import Overlap
from bio_agent_workers.brain.relations.rule_pairs import Pair, people, same_names
from bio_agent_workers.brain.relations.slots import Slots

_EQUIVALENT_JACCARD = 0.75
_NO_SUBJECT = 0.6  # weight below which a leftover word says nothing about the subject
_SAME_WORDS = 0.99  # jaccard of two texts that only arrange their words otherwise
_ONE_FRAME = 0.8  # likeness from which two texts are one sentence with a word put in, left out or changed


def interchangeable(pair: Pair) -> bool:
    """Whether nothing forbids to read the two as one."""
    left, right = pair.left.slots, pair.right.slots
    return (
        not pair.parted
        and not pair.facing
        and _agreeing_values(left, right)
        and left.dates == right.dates
        and same_names(pair)
        and _mood(left) == _mood(right)
        and _told_alike(left, right, pair.over)
        and not (pair.over.extra and pair.likeness >= _ONE_FRAME)
    )


def one_meaning(pair: Pair) -> bool:
    """Whether the slots of the two are the same, so that no score is needed."""
    left, right, over = pair.left.slots, pair.right.slots, pair.over
    return (
        over.jaccard >= _EQUIVALENT_JACCARD
        and not over.substituted
        and not over.extra
        and not pair.facing
        and not pair.parted.keys() - {"polarity", "act", "quality"}
        and min(over.own_a, over.own_b) < _NO_SUBJECT
        and (_normal(left, right) == _normal(right, left) or _plainly(left, right))
        and _told_alike(left, right, over)
        and _same_values(left, right)
        and same_names(pair)
        and _mood(left) == _mood(right)
        and left.values == right.values
    )


def _told_alike(left: Slots, right: Slots, over: Overlap) -> bool:
    """Whether both tell the same steps in the same order, and neither fills a slot that the other leaves open."""
    return (
        _same_steps(left, right)
        and _same_order(left, right, over)
        and not _filled_alone(left, right)
        and not _filled_alone(right, left)
        and (bool(left.steps) == bool(right.steps) or len(_acts(left) & _acts(right)) < 2)
    )


def _acts(side: Slots) -> set[str]:
    return {m.name for m in side.mentions if m.kind == "act"}


def _filled_alone(side: Slots, other: Slots) -> bool:
    """Whether one side names a value of a slot ("monthly") in a word that the other has not."""
    shared = {m.name for m in other.mentions}
    return any(
        m.name not in shared and vocabulary.groups_of(m.surface, side.lang, vocabulary.vocabulary().values)
        for m in side.mentions
    )


def _agreeing_values(left: Slots, right: Slots) -> bool:
    """Whether both name the same values and times, none as a limit from above on one side and from below on the other."""
    mine, yours = ({(q.dimension, q.value) for q in s.quantities} for s in (left, right))
    times = [{(w.start, w.end) for w in s.windows} for s in (left, right)]
    ways = [{_WAY.get(q.role, "") for q in s.quantities} - {""} for s in (left, right)]
    return mine == yours and times[0] == times[1] and not (ways[0] and ways[1] and ways[0] != ways[1])


_WAY = {"max": "down", "under": "down", "min": "up", "over": "up"}


def _same_steps(left: Slots, right: Slots) -> bool:
    """Whether what both sides name stands under the same "before", "after" or "into"."""
    shared = {m.name for m in left.mentions} & {m.name for m in right.mentions}
    mine, yours = ({(w, kept) for w, names in side.steps if (kept := names & shared)} for side in (left, right))
    markers = {w for w, _ in mine} & {w for w, _ in yours}
    return {s for s in mine if s[0] in markers} == {s for s in yours if s[0] in markers}


def _normal(side: Slots, other: Slots) -> dict[str, int]:
    """Sign of each common act and quality, a prohibition under a condition read as the duty it is: "no A when B" asks for
    A only without B. What a side says in two ways has no entry."""
    shared = {m.name for m in other.mentions}
    denies = "not" in side.moods and any(m.conditional for m in side.mentions)
    found: dict[str, set[int]] = {}
    for m in side.mentions:
        if m.name in shared and (m.kind != "thing" or not m.conditional):
            turned = denies and (m.conditional or m.sign < 0)
            found.setdefault(m.name, set()).add(m.sign * m.pole * (-1 if turned else 1))
    return {name: signs.pop() for name, signs in found.items() if len(signs) == 1}


def _plainly(left: Slots, right: Slots) -> bool:
    """Whether both ask, or both forbid, one thing in words of the same poles; an attribute's sign ("a closed period") is
    not that of the prohibition it stands in."""
    mine, yours = _plain(left, right), _plain(right, left)
    return mine is not None and mine == yours


def _plain(side: Slots, other: Slots) -> tuple[int, frozenset[tuple[str, int]]] | None:
    rule = {m.sign for m in side.mentions if not m.conditional}
    if len(rule) != 1:
        return None
    shared = {m.name for m in other.mentions}
    poles = {(m.name, m.pole * (m.sign if m.conditional else 1)) for m in side.mentions if m.name in shared}
    return rule.pop(), frozenset(poles)


def _same_order(left: Slots, right: Slots, over: Overlap) -> bool:
    """Whether who does what to whom is told alike: names in one order where the words are the same or are people."""
    mine, yours = _things(left, right), _things(right, left)
    if over.jaccard < _SAME_WORDS:
        mine, yours = ([n for n in names if n in people()] for names in (mine, yours))
    return mine == yours


def _things(side: Slots, other: Slots) -> list[str]:
    """Common things in the order of the text, those under a "before" or "into" apart: who does what to whom."""
    governed = {name for _, names in side.steps | other.steps for name in names}
    shared = {m.name for m in other.mentions}
    names = [m.name for m in side.mentions if m.kind == "thing" and m.name in shared and m.name not in governed]
    return list(dict.fromkeys(names))


def _mood(side: Slots) -> str:
    return "may" if "may" in side.moods and "not" not in side.moods else "exempt" if "exempt" in side.moods else "rule"


def _same_values(left: Slots, right: Slots) -> bool:
    return (
        frozenset(left.quantities) == frozenset(right.quantities)
        and left.windows == right.windows
        and left.dates == right.dates
    )
