"""How two rules relate, by words alone: polarity, shared core words, values, conditions. Precision before recall.

What the words do not settle stays neutral with `decided` False, for NLI or a person. The relation is symmetric:
swapping the texts swaps `exception_of` only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bio_agent_schema.types import Relation
from bio_agent_workers.brain import canonical, quantities
from bio_agent_workers.brain import rule_words as words
from bio_agent_workers.brain.text import STOP_WORDS, tokens
from bio_agent_workers.brain.wordlists import word_list

# Share of the smaller side's core words that must be common (HEURISTIC_OVERLAP_THRESHOLD).
OVERLAP_THRESHOLD = 0.6
# Words only one side has, beyond which the two may well speak of different things; of a short rule, none.
_MOST_EXTRA = 1
_SHORT_CORE = 4

_SCALE_UNITS = frozenset({"date", "weekday"})
_CARVE_OUT = re.compile(
    r"\b(?:only (?:if|when|after|with)|unless|except|with (?:\w+['’]?s? ){0,4}(?:approval|consent|permission"
    r"|sign-off|go-ahead)|approv(?:al|ed by)|(?:during|in) an? (?:\w+ )?(?:hotfix|incident|outage|emergency"
    r"|migration|sev-?\d)"
    r"|emergenc(?:y|ies)|hotfix|outage|incident|sev-?\d|audited|audit (?:record|trail|entry)"
    r"|under (?:\w+ )?policy|as long as|provided that|until \d|up to|in case of)\b"
    r"|同意|批准|审批通过|经[^，。]{1,12}(?:可以|可)|紧急|突发|抢修|热修|应急|凭|特批|期间|除非|只有"
    r"|\b(?:khi có|được (?:\w+ ){0,3}(?:duyệt|đồng ý)|khẩn cấp|sự cố|có chữ ký|có giấy|trừ khi|ngoại lệ|miễn là"
    r"|chỉ khi)\b",
    re.I,
)
_SHUTS_OUT = re.compile(
    r"\b(?:no exceptions?|without exception|no matter (?:how|what|who)[^,.;]*|under no circumstances|not even"
    r"|ever|at all|including|just like for everyone|whatsoever|regardless)\b"
    r"|没有例外|无一例外|无论|不管|哪怕|即使|也不(?:行|得|能)|谁也不|任何情况"
    r"|\b(?:không ngoại lệ|bất kể|dù|kể cả|trong mọi trường hợp)\b",
    re.I,
)
_FROM_DATE = re.compile(r"(?:\b(?:from|starting|since|as of|after|beginning)\b|自|从|\b(?:từ|kể từ)\b)\W*(?:\w+ )?$")
_TO_DATE = re.compile(
    r"(?:\b(?:until|till|up to(?: and including)?|through|before|by|to)\b|至|到|截至|\b(?:đến|tới"
    r"|trước)\b(?: hết)?)\W*(?:\w+ )?$"
)
_MEASURE_WORDS = frozenset(
    word_list("more most much many less least fewer at up as exceed exceeds maximum minimum max min limit nobody no")
)
_STEP_WORDS = frozenset({"before", "after", "first", "then", "trước", "sau", "前", "后", "先", "再"})


@dataclass(frozen=True, slots=True)
class RelationReading:
    """relation, and for a governed exception which side is the general rule. decided: False when the words left it
    open. why: one short phrase for the audit."""

    relation: Relation
    exception_of: Literal["a", "b"] | None
    decided: bool
    why: str


@dataclass(frozen=True, slots=True)
class _Side:
    reading: canonical.Reading
    core: frozenset[str]
    values: dict[str, frozenset[str]]
    carve_out: bool
    shuts_out: bool
    since: str
    until: str


@lru_cache(maxsize=2048)
def _side(text: str) -> _Side:
    reading = canonical.read(_SHUTS_OUT.sub(" ", text) if _SHUTS_OUT.search(text) else text)
    main = " ".join(
        (*reading.action, *reading.object, *(t for c in (*reading.condition, *reading.exception) for t in c))
    )
    lang = reading.lang
    core: set[str] = set()
    known = {f"{v}{u}" for v, u in reading.values}
    for term in main.split():
        if term in known:
            continue
        for token in tokens(term, lang) if lang == "zh" else (term,):
            bare = words.stem(token) if token.isascii() else token
            if (
                token not in STOP_WORDS[lang]
                and token not in words.ORDER_WORDS
                and token not in _MEASURE_WORDS
                and not token.isdigit()
            ):
                core.add(bare)
    values: dict[str, set[str]] = {}
    for value, unit in reading.values:
        values.setdefault(unit, set()).add(value)
    since = until = ""
    folded = quantities.folded(text)
    for start, _, value, unit in quantities.spans(text):
        if unit == "date":
            if _TO_DATE.search(folded[:start]):
                until = value
            elif _FROM_DATE.search(folded[:start]):
                since = value
    return _Side(
        reading,
        frozenset(core),
        {u: frozenset(v) for u, v in values.items()},
        bool(_CARVE_OUT.search(text)) or bool(reading.condition) or bool(reading.exception),
        bool(_SHUTS_OUT.search(text)),
        since,
        until,
    )


def _undecided(why: str) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, False, why)


def _neutral(why: str) -> RelationReading:
    return RelationReading(Relation.NEUTRAL, None, True, why)


def _disjoint(a: _Side, b: _Side) -> bool:
    return bool((a.until and b.since and a.until[:7] < b.since) or (b.until and a.since and b.until[:7] < a.since))


def _opposite(a: _Side, b: _Side) -> bool:
    moods = {a.reading.mood, b.reading.mood}
    return moods in ({"do", "not"}, {"may", "not"}, {"do", "exempt"})


def _alternatives(only_a: frozenset[str], only_b: frozenset[str]) -> tuple[str, str] | None:
    for group in words.ALTERNATIVES:
        left, right = only_a & group, only_b & group
        if len(left) == 1 and len(right) == 1:
            return next(iter(left)), next(iter(right))
    return None


def _clashing_unit(a: _Side, b: _Side) -> str | None:
    """A unit in which each side names exactly one value and the two differ."""
    for unit in a.values.keys() & b.values.keys():
        if len(a.values[unit]) == len(b.values[unit]) == 1 and a.values[unit] != b.values[unit]:
            return unit
    return None


def relate(a: str, b: str) -> RelationReading:
    """The relation of two rule texts; validity periods named in the texts are minded, scopes are the caller's."""
    left, right = _side(a), _side(b)
    if canonical.canonicalize(a).key == canonical.canonicalize(b).key:
        return RelationReading(Relation.EQUIVALENT, None, True, "one canonical form")
    if _disjoint(left, right):
        return _neutral("disjoint periods")
    if not left.core or not right.core:
        return _undecided("no core words")
    if left.reading.lang != right.reading.lang:
        return _undecided("two languages")
    common = left.core & right.core
    only_a, only_b = left.core - right.core, right.core - left.core
    overlap = len(common) / min(len(left.core), len(right.core))
    if not common:
        return _undecided("no common words")
    pair = _alternatives(only_a, only_b)
    if pair:
        # The two words that exclude each other fill the slot; what is around it must agree.
        overlap = len(common) / max(1, min(len(left.core), len(right.core)) - 1)
    if overlap < OVERLAP_THRESHOLD:
        return _undecided(f"overlap {overlap:.2f}")
    if _opposite(left, right):
        return _opposed(left, right, only_a, only_b)
    return _agreeing(left, right, only_a, only_b, common)


def _extra_allowed(side: _Side) -> int:
    return _MOST_EXTRA if len(side.core) > _SHORT_CORE else 0


def _opposed(left: _Side, right: _Side, only_a: frozenset[str], only_b: frozenset[str]) -> RelationReading:
    """Opposite polarity on shared core words: exception, contradiction, or different objects."""
    if only_a and only_b and left.carve_out == right.carve_out:
        # Each names something of its own: "private key" / "public key", "quotations" / "sales orders".
        return _undecided("each side has words of its own")
    if left.carve_out != right.carve_out:
        general, special, side = (right, left, "b") if left.carve_out else (left, right, "a")
        extra = general.core - special.core
        if len(extra) > _extra_allowed(general):
            return _undecided("the general rule has words of its own")
        if general.shuts_out:
            return RelationReading(Relation.CONTRADICTION, None, True, "the general rule shuts the exception out")
        return RelationReading(
            Relation.GOVERNED_EXCEPTION, "a" if side == "a" else "b", True, "a condition against a general rule"
        )
    if left.reading.condition != right.reading.condition and left.reading.condition and right.reading.condition:
        return _undecided("different conditions")
    if len(only_a) > _extra_allowed(left) or len(only_b) > _extra_allowed(right):
        return _undecided("one side is narrower")
    return RelationReading(Relation.CONTRADICTION, None, True, "opposite polarity on the same words")


def _agreeing(
    left: _Side, right: _Side, only_a: frozenset[str], only_b: frozenset[str], common: frozenset[str]
) -> RelationReading:
    """Same polarity: one slot with two values, the same thing said twice, or a step in another place."""
    pair = _alternatives(only_a, only_b)
    if pair and not (only_a - {pair[0]}) and not (only_b - {pair[1]}):
        return RelationReading(Relation.CONTRADICTION, None, True, " against ".join(sorted(pair)))
    unit = _clashing_unit(left, right)
    if unit is not None and unit not in _SCALE_UNITS and len(common) >= 2 and not (only_a and only_b):
        if left.carve_out == right.carve_out and max(len(only_a), len(only_b)) <= 1 + _MOST_EXTRA:
            return RelationReading(Relation.CONTRADICTION, None, True, f"one slot, two values ({unit or 'number'})")
        return _undecided("different values under a condition")
    same_values = left.values == right.values
    ordered = (left.core | right.core) & _STEP_WORDS or any(
        w in (*s.reading.action, *s.reading.object) for s in (left, right) for w in words.ORDER_WORDS
    )
    same_form = (left.reading.mood, left.reading.condition, left.reading.exception) == (
        right.reading.mood,
        right.reading.condition,
        right.reading.exception,
    )
    if not only_a and not only_b and same_values and same_form and not ordered:
        return RelationReading(Relation.EQUIVALENT, None, True, "same words, values and polarity")
    if only_a and only_b:
        return _undecided("each side has words of its own")
    return _undecided("one side says more")
