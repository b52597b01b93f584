"""How two rules relate, by their slots alone: polarity, values, conditions, scope. Precision before recall.

What the slots do not settle stays neutral with `decided` False, for NLI or a person. The relation is symmetric: swapping
the texts swaps `exception_of` only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bio_agent_schema.types import Relation
from bio_agent_workers.brain import canonical, clashes, slots, validity
from bio_agent_workers.brain.clashes import Conflict, Overlap
from bio_agent_workers.brain.slots import THRESHOLD_CUE, Slots
from bio_agent_workers.brain.text import fold
from bio_agent_workers.brain.wordlists import word_list

# Share of the smaller side's subject that must be common (HEURISTIC_OVERLAP_THRESHOLD).
OVERLAP_THRESHOLD = 0.6
LONGEST_RULE = 2_000  # characters
# An exception needs cues of this weight on one side (approval, emergency, permission, a threshold …), and this much more
# than the other side has; the general rule's subject must be covered to this share.
_CUE_LEAST = 1.75
_CUE_AHEAD = 1.0
_NARROWER_CUE = 1.0
_CUE_STRONG = 2.5
_CUE_STRONGEST = 3.0
_GENERAL_COVERED = 0.5
_COVERED_BY_STRONG = 0.33
_SAME_WORDS = 0.99  # jaccard of two texts that only arrange their words otherwise
_PEOPLE = frozenset(
    word_list(
        "manager director employee customer user supplier driver patient nurse doctor pupil parent teacher player lawyer"
        " assistant relative head_office branch_office"
    )
)
_LIFTED_COMMON = 1.5  # weight in common where nothing but a permission speaks for an exception
_CLAUSE_LEAST = 1.5  # weight from which a clause is a subject of its own
# Conflicts that name what the other side asks: who and what they are about is said by the conflict itself.
_DIRECT = frozenset({"refused", "anyone"})
_REFUSED_EASE = 0.2
# With words of its own on both sides a contradiction needs this share in common, an equivalence that.
_BOTH_OWN_OVERLAP = 0.74
_EQUIVALENT_JACCARD = 0.75
# Weight below which a leftover word says nothing about the subject.
_NO_SUBJECT = 0.6

_SHUTS_OUT = re.compile(
    r"\b(?:no exceptions?|without exception|no matter (?:how|what|who)|under no circumstances|not even"
    r"|including|just like for everyone|whatsoever|regardless)\b"
    r"|没有例外|无一例外|无论|不管|哪怕|即使|(?<!谁)也不(?:行|得|能)|任何情况"
    r"|\b(?:không ngoại lệ|bất kể|dù|kể cả|trong mọi trường hợp)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class RelationReading:
    """relation, and for a governed exception which side is the general rule. decided: False when the words left it
    open. why: one short phrase for the audit."""

    relation: Relation
    exception_of: Literal["a", "b"] | None
    decided: bool
    why: str


def _undecided(why: str) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, False, why)


def _neutral(why: str) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, True, why)


def _contradiction(why: str) -> RelationReading:
    return RelationReading(Relation.CONTRADICTION, None, True, why)


@lru_cache(maxsize=4096)
def _shuts_out(text: str) -> bool:
    return bool(_SHUTS_OUT.search(text))


def relate(a: str, b: str, *, threshold: float | None = None) -> RelationReading:
    """The relation of two rule texts; validity periods named in the texts are minded, scopes are the caller's.

    threshold: least share of the smaller side's subject in common, in [0, 1]; OVERLAP_THRESHOLD when None. A text of more
    than LONGEST_RULE characters is no single rule and is left open.
    """
    if max(len(a), len(b)) > LONGEST_RULE:
        same = fold(a) == fold(b)
        return RelationReading(Relation.EQUIVALENT, None, True, "the same text") if same else _undecided("too long")
    threshold = OVERLAP_THRESHOLD if threshold is None else threshold
    if canonical.canonicalize(a).key == canonical.canonicalize(b).key:
        return RelationReading(Relation.EQUIVALENT, None, True, "one canonical form")
    if validity.disjoint(a, b):
        return _neutral("disjoint periods")
    left, right = slots.read(a), slots.read(b)
    over = clashes.overlap(left, right)
    if clashes.exclusive(left.scopes, right.scopes):
        return _neutral("different scopes")
    if left.weekdays and right.weekdays and not left.weekdays & right.weekdays:
        return _undecided("different days")
    conflict = clashes.find(left, right, over)
    if conflict and conflict.sets:
        over = clashes.overlap(left, right, conflict.sets)
    if not over.common:
        return _undecided("nothing in common")
    special = _special(left, right, over, conflict)
    if special is not None:
        if _shuts_out(b if special == "a" else a):
            return _contradiction("the general rule shuts the exception out")
        why = f"a condition against a general rule: {conflict.why if conflict else 'permission'}"
        return RelationReading(Relation.GOVERNED_EXCEPTION, "b" if special == "a" else "a", True, why)
    if conflict:
        if conflict.kind not in _DIRECT and not clashes.same_circumstance(left, right):
            return _undecided("different circumstances")
        return _conflicting(over, conflict, threshold)
    return _agreeing(left, right, over)


def _special(left: Slots, right: Slots, over: Overlap, conflict: Conflict | None) -> Literal["a", "b"] | None:
    """Which side is the special case of a governed exception, or None."""
    cue_a = left.cue(right) + _narrower(left, right, over.own_a, over.own_b, conflict)
    cue_b = right.cue(left) + _narrower(right, left, over.own_b, over.own_a, conflict)
    if cue_a == cue_b or (conflict and conflict.kind == "anyone"):
        return None
    special, general, side = (left, right, "a") if cue_a > cue_b else (right, left, "b")
    strength = max(cue_a, cue_b) - THRESHOLD_CUE * _on_one_scale(special, general)
    if strength < _CUE_LEAST or strength - min(cue_a, cue_b) < _CUE_AHEAD:
        return None
    permits = "may" in special.moods and bool(general.moods & {"not", "only", "must"})
    exempts = "exempt" in special.moods and not general.moods & {"may", "exempt"}
    lifts = (permits or exempts) and strength >= _CUE_STRONG
    if not (conflict or (lifts and over.common >= _LIFTED_COMMON)):
        return None
    least = _COVERED_BY_STRONG if lifts and strength >= _CUE_STRONGEST else _GENERAL_COVERED
    if _covered(general, special, over, side) < least:
        return None
    named = (conflict and conflict.kind == "refused") or {"any", "not"} <= general.moods
    if over.substituted and not lifts and strength < _CUE_STRONG and not named:
        return None
    return "a" if side == "a" else "b"


def _narrower(side: Slots, other: Slots, own: float, others: float, conflict: Conflict | None) -> float:
    """A permission for a narrower subject than the one that is forbidden is a cue of its own."""
    denied = "not" in other.moods or (conflict is not None and conflict.kind == "antonym")
    permits = "may" in side.moods and "any" not in side.moods and denied
    named = conflict is not None and conflict.kind == "refused"
    return _NARROWER_CUE if permits and own >= 1.0 and (others < _NO_SUBJECT or named) else 0.0


def _on_one_scale(special: Slots, general: Slots) -> bool:
    """Whether the threshold of the special case is measured on a scale of the general rule: two limits, no exception."""
    scales = {q.dimension for q in special.quantities if q.role in ("over", "under")}
    return bool(scales & {q.dimension for q in general.quantities})


def _covered(general: Slots, special: Slots, over: Overlap, side: str) -> float:
    """Share of the general rule's subject, or of the best covered of its clauses, that the special case names."""
    total = over.total_b if side == "a" else over.total_a
    best = over.common / total if total else 0.0
    named = special.weights()
    for part in {m.part for m in general.mentions if not m.conditional}:
        weights = {m.name: m.weight for m in general.mentions if m.part == part}
        whole = sum(weights.values())
        if whole >= _CLAUSE_LEAST:
            best = max(best, sum(w for n, w in weights.items() if n in named) / whole)
    return best


def _conflicting(over: Overlap, conflict: Conflict, threshold: float) -> RelationReading:
    if over.forbids_more and conflict.kind == "polarity":
        return _undecided("one forbids a part of what the other asks")
    if over.substituted and conflict.kind not in _DIRECT:
        return _undecided("different objects")
    if over.share < threshold - (_REFUSED_EASE if conflict.kind in _DIRECT else 0.0):
        return _undecided(f"{conflict.why}, overlap {over.share:.2f}")
    values = conflict.kind in ("value", "quantity", "time")  # of one slot, whatever verb stands by it
    both = (over.own_things if values else min(over.own_a, over.own_b)) >= _NO_SUBJECT
    if both and over.share < _BOTH_OWN_OVERLAP and conflict.kind not in _DIRECT:
        return _undecided("each side has words of its own")
    return _contradiction(conflict.why)


def _agreeing(left: Slots, right: Slots, over: Overlap) -> RelationReading:
    alike = (
        over.jaccard >= _EQUIVALENT_JACCARD
        and not over.substituted
        and not over.extra
        and not clashes.exclusive(left.facing, right.facing)
        and min(over.own_a, over.own_b) < _NO_SUBJECT
        and (_normal(left, right) == _normal(right, left) or _plainly(left, right))
        and _same_steps(left, right)
        and _same_order(left, right, over)
    )
    if alike and _same_values(left, right) and _mood(left) == _mood(right) and left.values == right.values:
        return RelationReading(Relation.EQUIVALENT, None, True, "one meaning in slots")
    return _undecided("nothing opposed")


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
        mine, yours = ([n for n in names if n in _PEOPLE] for names in (mine, yours))
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
