"""What the scores of two rules' relation are made of: what they share, where they part, and what marks an exception.

Two groups: of the pair (the same for (a, b) and (b, a)), and of a special case against a general rule (of an order).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Literal

from bio_agent_workers.brain.relations import clashes, vocabulary
from bio_agent_workers.brain.relations.rule_pairs import Pair, Stretch, own_names, people_apart, replaced
from bio_agent_workers.brain.relations.slots import Mention, Slots


def _own(mine: Slots, yours: Slots, kind: str) -> float:
    """Weight of one side's words of a kind, those that fill a slot in dispute apart."""
    other = {m.name for m in yours.mentions}
    disputed = clashes.exclusive(mine.values, yours.values)

    def value(m: Mention) -> bool:
        found = vocabulary.members(m.surface, mine.lang, "values", m.name, m.pole)
        return bool(disputed) and any(n in disputed for n, _ in found)

    own = {m.name: m.weight for m in mine.mentions if m.name not in other and m.kind == kind and not value(m)}
    return sum(own.values())


def _common(mine: Slots, yours: Slots, kind: str) -> float:
    other = {m.name for m in yours.mentions}
    return sum({m.name: m.weight for m in mine.mentions if m.name in other and m.kind == kind}.values())


def _kind_share(a: Slots, b: Slots, kind: str) -> float:
    """Share of the smaller side's words of a kind that both have, in [0, 1]."""
    common = _common(a, b, kind)
    low = common + min(_own(a, b, kind), _own(b, a, kind))
    return common / low if low else 0.0


def _soft(x: float, half: float = 1.0) -> float:
    """x in [0, ∞) to [0, 1): half of it at `half`."""
    return x / (x + half)


_CLOSE = 0.75  # jaccard from which two rules are the same but for what they dispute
_CUE_GROUPS = ("approval", "emergency", "policy", "limited", "control", "special", "other", "general")
KINDS = (
    "act",
    "quality",
    "polarity",
    "refused",
    "anyone",
    "value",
    "order",
    "quantity",
    "time",
    "day",
    "threshold",
    "facing",
)
VALUED = ("value", "quantity", "time", "day", "quality", "threshold", "facing", "order")


def of_pair(pair: Pair) -> dict[str, float]:
    """Features that do not mind the order."""
    a, b, over, parted = pair.left, pair.right, pair.over, pair.parted
    left, right = a.slots, b.slots
    same = left.lang == right.lang
    alike, parts = replaced(a.keys, b.keys) if same else (0.0, [])
    worded = sum(1 for x, y in parts if _worded(x) and _worded(y))
    places = worded + sum(1 for x, y in parts if _valued(x) and _valued(y))
    names_a, names_b = own_names(a, b), own_names(b, a)
    both_named = float(min(names_a, names_b) > 0)
    things = _soft(min(_own(left, right, "thing"), _own(right, left, "thing")))
    acts = _soft(min(_own(left, right, "act"), _own(right, left, "act")))
    qualities = _soft(min(_own(left, right, "quality"), _own(right, left, "quality")))
    share = over.share
    out = {
        "share": share,
        "jaccard": over.jaccard,
        "common": _soft(over.common, 2.0),
        "things common": _soft(_common(left, right, "thing")),
        "acts common": _soft(_common(left, right, "act")),
        "qualities common": _soft(_common(left, right, "quality")),
        "things share": _kind_share(left, right, "thing"),
        "acts share": _kind_share(left, right, "act"),
        "nothing common": float(over.common < 0.6),
        "own less": _soft(min(over.own_a, over.own_b)),
        "own more": _soft(max(over.own_a, over.own_b), 3.0),
        "own things both": things,
        "own acts both": acts,
        "own qualities both": qualities,
        "names both": both_named,
        "names one": float(min(names_a, names_b) == 0 and max(names_a, names_b) > 0),
        "names shared": float(bool(a.names & b.names)),
        "alike": alike,
        "alike, one place": alike * float(places == 1),
        "alike, one place, words": alike * float(places == 1 and worded == 1),
        "alike, two places": alike * float(places >= 2),
        "two places": float(places >= 2),
        "differences": min(len(parted) + (things > 0.3) + both_named, 3) / 3,
        "substituted": float(over.substituted),
        "one language": float(same),
    }
    for kind in KINDS:
        out[kind] = float(kind in parted)
        out[f"{kind} shared"] = float(kind in parted) * share
    valued = [k for k in VALUED if k in parted]
    out["two valued"] = float(len(valued) > 1)
    opposed = clashes.conflicted(left, right)
    anchors = {m.name: m.weight for m in left.mentions if m.name not in opposed and m.kind != "act"}
    anchor = sum(w for n, w in anchors.items() if n in {m.name for m in right.mentions})
    out["anchor"] = _soft(anchor)
    out["no anchor"] = float(anchor < 0.5)
    out["parted, no anchor"] = float(bool(parted) and anchor < 0.5)
    out["valued"] = float(bool(valued))
    out["valued shared"] = float(bool(valued)) * share
    out["valued, own things"] = float(bool(valued)) * things
    out["valued, named"] = float(bool(valued)) * both_named
    out["several"] = float(len(parted) > 1)
    out["quality and value"] = float("quality" in parted and len(valued) > 1)
    out["act and polarity"] = float("polarity" in parted and bool({"act", "quality"} & parted.keys()))
    out["act and time"] = float("act" in parted and "time" in parted)
    out["parted"] = float(bool(parted))
    out["parted shared"] = float(bool(parted)) * share
    out["parted, jaccard"] = float(bool(parted)) * over.jaccard
    out["polarity, jaccard"] = float("polarity" in parted) * over.jaccard
    out["valued, jaccard"] = out["valued"] * over.jaccard
    out["nothing parted, jaccard"] = float(not parted) * over.jaccard
    out["parted, named"] = float(bool(parted)) * both_named
    out["parted, own things"] = float(bool(parted)) * things
    acts_share = _kind_share(left, right, "act")
    out["polarity, acts"] = float("polarity" in parted) * acts_share
    out["polarity, own things"] = float("polarity" in parted) * things
    out["polarity, named"] = float("polarity" in parted) * both_named
    out["negated"] = _soft(over.negated)
    out["antonym"] = _soft(over.antonym)
    out["cancelled"] = _soft(over.cancelled)
    nots = ("not" in left.moods) + ("not" in right.moods)
    out["one forbids"] = float(nots == 1)
    out["both forbid"] = float(nots == 2)
    out["forbids more"] = float(over.forbids_more)
    mays = bool(left.moods & {"may", "exempt"}) + bool(right.moods & {"may", "exempt"})
    out["one permits"] = float(mays == 1)
    out["both permit"] = float(mays == 2)
    out["cancelled quality"] = float(
        any(
            m.kind == "quality" and n.name == m.name and n.pole != m.pole and n.sign != m.sign
            for m in left.mentions
            for n in right.mentions
        )
    )
    marks = [_marks(x, y) for x, y in ((left, right), (right, left))]
    out["marked once"] = float((marks[0] > 0) != (marks[1] > 0))
    out["marks"] = _soft(abs(marks[0] - marks[1]), 1.5)
    out["parted, marked"] = float(bool(parted)) * out["marks"]
    out["polarity, marked"] = float("polarity" in parted) * out["marks"]
    close = over.jaccard >= _CLOSE and not out["marked once"] and not both_named and over.cancelled == 0
    out["plain denial"] = float(close and set(parted) == {"polarity"})
    out["unmarked"] = float(max(marks) <= 0)
    out["plain opposite"] = float(close and len(parted) == 1 and not parted.keys() & {"polarity", "anyone", "refused"})
    out["people apart"] = float(people_apart(left, right))
    out["other circumstance"] = float(not clashes.same_circumstance(left, right))
    numbers_a = {(q.dimension, q.value) for q in left.quantities} | {(str(w.start), str(w.end)) for w in left.windows}
    numbers_b = {(q.dimension, q.value) for q in right.quantities} | {(str(w.start), str(w.end)) for w in right.windows}
    out["same numbers"] = float(bool(numbers_a) and numbers_a == numbers_b)
    out["other numbers"] = float(bool(numbers_a) and bool(numbers_b) and not numbers_a & numbers_b)
    out["number on one"] = float(bool(numbers_a) != bool(numbers_b))
    out["shuts out"] = float(shuts_out(a.text) or shuts_out(b.text))
    out["at will"] = float(_at_will(a.text) != _at_will(b.text))
    out["conditions"] = float(any(m.conditional for m in left.mentions)) + float(
        any(m.conditional for m in right.mentions)
    )
    return out


def _marks(read: Slots, other: Slots) -> float:
    """How much marks a rule as a special case: cues, a threshold, a condition that the other has not."""
    threshold = any(q.role in ("over", "under") for q in read.quantities)
    theirs = any(q.role in ("over", "under") for q in other.quantities)
    condition = any(m.conditional for m in read.mentions) and not any(m.conditional for m in other.mentions)
    return read.cue(other) - read.own_cue + 1.5 * (threshold and not theirs) + 0.75 * condition


def _worded(keys: Stretch) -> bool:
    return any(k[0] not in "=!" for k in keys)


def _valued(keys: Stretch) -> bool:
    return any(k[0] == "=" for k in keys)


def of_order(pair: Pair, which: Literal["a", "b"]) -> dict[str, float]:
    """Features of one side as an exception of the other."""
    over, parted, first = pair.over, pair.parted, which == "a"
    special, general = (pair.left, pair.right) if first else (pair.right, pair.left)
    s, g = special.slots, general.slots
    own_s, own_g = (over.own_a, over.own_b) if first else (over.own_b, over.own_a)
    total_g = over.common + own_g
    thresholds_s = any(q.role in ("over", "under") for q in s.quantities)
    thresholds_g = any(q.role in ("over", "under") for q in g.quantities)
    permits = "may" in s.moods
    exempts = "exempt" in s.moods
    restricts = bool(g.moods & {"not", "only", "must"})
    conditional_s = any(m.conditional for m in s.mentions)
    conditional_g = any(m.conditional for m in g.mentions)
    shared = {word for _, word in g.cues}
    groups = {group for group, word in s.cues if word not in shared}
    shared_s = {word for _, word in s.cues}
    groups_g = {group for group, word in g.cues if word not in shared_s}
    return {
        **{f"cue {name}": float(name in groups) for name in _CUE_GROUPS},
        "cues": float(len(groups - {"general"})),
        "general has cue": float(bool(groups_g - {"general"})),
        "general marked": float("general" in groups_g),
        "permits": float(permits),
        "exempts": float(exempts),
        "permits against restriction": float((permits or exempts) and restricts and not g.moods & {"may", "exempt"}),
        "general permits": float(bool(g.moods & {"may", "exempt"})),
        "general restricts": float(restricts),
        "general denies": float("not" in g.moods),
        "general for any": float("any" in g.moods or "only" in g.moods),
        "special denies": float("not" in s.moods),
        "threshold": float(thresholds_s and not thresholds_g),
        "general threshold": float(thresholds_g and not thresholds_s),
        "condition": float(conditional_s and not conditional_g),
        "general condition": float(conditional_g and not conditional_s),
        "longer": math.log((len(special.keys) + 3) / (len(general.keys) + 3)),
        "own": _soft(own_s, 2.0),
        "general own": _soft(own_g, 1.0),
        "general covered": over.common / total_g if total_g else 0.0,
        "parted": float(bool(parted)),
        "special for any": float("any" in s.moods),
        "special at will": float(_at_will(special.text)),
        "special shuts out": float(shuts_out(special.text)),
        "general shuts out": float(shuts_out(general.text)),
        "one scale": float(_one_scale(s, g)),
        "special must": float("must" in s.moods and not (permits or exempts)),
    }


_SHUTS_OUT = re.compile(
    r"\b(?:no exceptions?|without exception|no matter (?:how|what|who|when)|under no circumstances|not even|whatsoever"
    r"|including|just like for everyone|regardless|whether or not|full stop|even (?:if|when|though|after|before|while|the))\b"
    r"|没有例外|无一例外|无论|不管|不论|哪怕|即使|即便|就算|也好|连[^，。]{1,8}也|(?<!谁)也不(?:行|得|能)|任何情况|一概|全部都"
    r"|\b(?:không ngoại lệ|bất kể|dù|cho dù|kể cả|ngay cả|trong mọi trường hợp)\b",
    re.IGNORECASE,
)
_AT_WILL = re.compile(
    r"\b(?:freely|at will|as (?:they|you) (?:like|please|wish)|whenever (?:they|you) (?:like|want|please)|at any time|any time"
    r"|no need to ask|just (?:do|go)|anyone|everyone|anybody|everybody)\b|随便|随意|任意|随时|尽管|都可以|都行|谁都|人人|直接就行"
    r"|\b(?:thoải mái|tùy ý|tùy thích|tự do|bất cứ (?:ai|lúc nào|khi nào)|ai cũng|lúc nào cũng|cứ việc)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def shuts_out(text: str) -> bool:
    """Whether a rule says of itself that it knows no exception, or that it holds against a circumstance."""
    return bool(_SHUTS_OUT.search(text))


@lru_cache(maxsize=4096)
def _at_will(text: str) -> bool:
    return bool(_AT_WILL.search(text))


def _one_scale(s: Slots, g: Slots) -> bool:
    """Whether both name a value or a limit of one kind and neither a threshold: two limits, no exception."""
    mine = {q.dimension for q in s.quantities if q.role not in ("over", "under")}
    return bool(mine & {q.dimension for q in g.quantities if q.role not in ("over", "under")})
