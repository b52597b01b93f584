"""How two rules relate, without a model: contradiction, governed exception and its direction, equivalent, or left open.

First what settles a pair whatever it says: one canonical form, periods that do not meet, other scopes, names or times, no
word in common. Then the scores of `relation_scores`. Precision before recall: what no score carries over its threshold
stays neutral with `decided` False, for NLI or a person. Swapping the texts swaps `exception_of` only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations import (
    canonical,
    distinctions,
    interchange,
    relation_scores,
    rule_pairs,
    validity,
)
from bio_agent_workers.brain.relations.relation_features import of_order, of_pair
from bio_agent_workers.brain.relations.rule_pairs import Pair
from bio_agent_workers.brain.text import fold

OVERLAP_THRESHOLD = 0.6  # HEURISTIC_OVERLAP_THRESHOLD at which CONTRADICTION_AT holds as it stands
_SAME_BUT = 0.9  # jaccard from which two rules are one but for the thing they dispute
_PLAIN_KINDS = frozenset({"time", "quantity", "value", "act", "quality", "order"})
_SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")
LONGEST_RULE = 2_000  # characters
# Least probability of each relation. That of a contradiction is the operating point of the curve that
# `bio-agent eval contradictions` prints: the lowest at which, cross-validated, 85 of 100 that were called so were; an
# equivalence merges two rules into one, so it must pass `interchange` too.
CONTRADICTION_AT = 0.8
EXCEPTION_AT = 0.45
_PLAINLY = 0.95  # confidence of a contradiction that is nothing but a denial
_UNSEEN_AT = 0.85  # of a contradiction in which no word is seen to oppose another
EQUIVALENT_AT = 0.5
# What a threshold of the overlap that is 1.0 higher adds to the log-odds asked of a contradiction.
_STRICTER = 2.0


@dataclass(frozen=True, slots=True)
class RelationReading:
    """relation, and for a governed exception which side is the general rule. decided: False when the words left it
    open. why: one short phrase for the audit. confidence: probability of a contradiction, or of the relation when it is
    another that was decided, in [0, 1]. contradiction: probability of a contradiction in any case."""

    relation: Relation
    exception_of: Literal["a", "b"] | None
    decided: bool
    why: str
    confidence: float = 0.0
    contradiction: float = 0.0


def _undecided(why: str, contradiction: float = 0.0) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, False, why, 1.0 - contradiction, contradiction)


def _neutral(why: str) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, True, why, 1.0)


def least_probability(threshold: float | None) -> float:
    """What is asked of a contradiction at a threshold of the overlap, in (0, 1); CONTRADICTION_AT when None."""
    if threshold is None:
        return CONTRADICTION_AT
    odds = math.log(CONTRADICTION_AT / (1 - CONTRADICTION_AT)) + _STRICTER * (threshold - OVERLAP_THRESHOLD)
    return 1 / (1 + math.exp(-odds))


def relate(a: str, b: str, *, threshold: float | None = None) -> RelationReading:
    """The relation of two rule texts; validity periods named in the texts are minded, scopes are the caller's.

    threshold: HEURISTIC_OVERLAP_THRESHOLD in [0, 1]; the higher, the more a contradiction must show. A text of more than
    LONGEST_RULE characters is no single rule and is left open.
    """
    if a > b:  # one order, so that swapping the texts changes nothing but the side
        found = relate(b, a, threshold=threshold)
        return replace(found, exception_of="b" if found.exception_of == "a" else "a") if found.exception_of else found
    if max(len(a), len(b)) > LONGEST_RULE:
        same = fold(a) == fold(b)
        return (
            RelationReading(Relation.EQUIVALENT, None, True, "the same text", 1.0) if same else _undecided("too long")
        )
    apart = distinctions.distinct(a, b)
    if not apart and canonical.canonicalize(a).key == canonical.canonicalize(b).key:
        return RelationReading(Relation.EQUIVALENT, None, True, "one canonical form", 1.0)
    if validity.disjoint(a, b):
        return _neutral("disjoint periods")
    if distinctions.named_apart(a, b):
        return _neutral("numbers that name other things")
    pair = rule_pairs.read_pair(a, b)
    if why := rule_pairs.apart(pair):
        return _neutral(why) if why == "different scopes" else _undecided(why)
    found = _scored(pair, least_probability(threshold))
    return _undecided("alike but apart") if apart and found.relation is Relation.EQUIVALENT else found


def general_side(a: str, b: str) -> Literal["a", "b"]:
    """Which of two rules is the general one, given that one is an exception of the other; of equals the shorter, or "a"."""
    left, right = (t[:LONGEST_RULE] for t in (a, b))
    pair = rule_pairs.read_pair(left, right)
    by = relation_scores.weights().order
    a_special, b_special = (relation_scores.total(of_order(pair, side), by) for side in _SIDES)
    if a_special == b_special:
        return "b" if len(a) > len(b) else "a"
    return "b" if a_special > b_special else "a"


def _plain(pair: Pair, features: Mapping[str, float]) -> bool:
    """Whether the two are the same rule but for one thing in which they are opposed: no score is needed."""
    kinds = pair.parted.keys()
    if features["plain denial"]:
        return True
    if "anyone" in kinds:
        return pair.over.share >= OVERLAP_THRESHOLD and bool(features["acts share"])
    asked = not features["both forbid"] and bool(features["unmarked"])
    return bool(features["plain opposite"] and asked and kinds & _PLAIN_KINDS and pair.over.jaccard >= _SAME_BUT)


def _scored(pair: Pair, least: float) -> RelationReading:
    if interchange.one_meaning(pair):
        return RelationReading(Relation.EQUIVALENT, None, True, "one meaning in slots", 1.0)
    features = of_pair(pair)
    if _plain(pair, features):
        why = "; ".join(pair.parted.values())
        return RelationReading(Relation.CONTRADICTION, None, True, why, _PLAINLY, _PLAINLY)
    a_special, b_special = of_order(pair, "a"), of_order(pair, "b")
    _, contradiction, equivalent, b_general, a_general = relation_scores.probabilities(features, a_special, b_special)
    by = relation_scores.weights()
    exception = max(a_general, b_general)
    least = least if pair.parted else max(least, _UNSEEN_AT)
    if contradiction >= least and contradiction > max(exception, equivalent):
        why = "; ".join(pair.parted.values()) or relation_scores.reasons(features, by.contradiction)
        return RelationReading(Relation.CONTRADICTION, None, True, why, contradiction, contradiction)
    if exception >= EXCEPTION_AT and exception > max(contradiction, equivalent) and a_general != b_general:
        general: Literal["a", "b"] = "b" if b_general > a_general else "a"
        marks = relation_scores.reasons(a_special if general == "b" else b_special, by.order)
        why = f"a special case of the other: {marks}"
        return RelationReading(Relation.GOVERNED_EXCEPTION, general, True, why, exception, contradiction)
    if equivalent >= EQUIVALENT_AT and interchange.interchangeable(pair):
        return RelationReading(Relation.EQUIVALENT, None, True, "one meaning in slots", equivalent, contradiction)
    why = "; ".join(pair.parted.values()) or "nothing opposed"
    return _undecided(f"{why}, p {contradiction:.2f}", contradiction)
