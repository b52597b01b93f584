"""How the name of an expectation is read: what it asks about, how that is compared, and whether it is denied.

`beliefs_at_most`, `max_beliefs`, `no_beliefs`, `belief_count_lte`, `exactly_one_belief` are readings of one fact. The value can
say the comparison instead: `{"min": 1, "max": 3}`, `">= 2"`, `"1-3"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval.case_lexicon import Meant

#: comparison: how names and values say it. "" is equality.
COMPARISONS: dict[str, str] = {
    said: comparison
    for comparison, phrases in {
        "_max": "max maximum at_most most le lte upto up_to not_more_than no_more_than within capped_at not_above not_over"
                " not_exceeding limit cap <=",
        "_min": "min minimum at_least least ge gte not_less_than no_less_than no_fewer_than not_below >=",
        "_below": "below under lt less_than fewer_than smaller_than <",
        "_above": "above over gt more_than greater_than larger_than exceeds exceeding >",
        "_is": "is eq equals equal equal_to equals_to exactly exact just == =",
        "_range": "range between",
        "_in": "in one_of any_of either_of among",
        "_not_in": "not_in not_one_of none_of not_any_of",
        "_not": "not is_not isnt ne neq differs_from not_equal not_equals other_than !=",
        "_not_contains_concat": "not_contains_concat",
        "_not_contains": "not_contain not_contains not_containing excludes exclude excluding must_not_contain does_not_contain lacks"
                         " lack without not_include not_includes not_has never_contains contains_no contains_none"
                         " has_no have_no holds_no",
        "_absent": "absent not_mention not_mentions must_not_mention does_not_mention never_mentions not_present",
        "_contains_any": "contains_any contains_any_of contains_one_of contain_any includes_any mentions_any has_any",
        "_contains": "contains contain containing includes include including must_contain has have with contains_all contains_all_of",
        "_present": "present mentions mention must_mention mentioning names naming named",
        "_equals": "equals_list exactly_equals set_equals",
        "_matches": "matches match regex matching like pattern",
        "_empty": "empty is_empty",
        "_nonempty": "nonempty not_empty non_empty is_not_empty",
        "_count": "count",
        "_is_number": "is_number is_numeric is_a_number is_float is_finite",
        "_starts": "starts_with startswith begins_with prefix beginning_with",
        "_ends": "ends_with endswith suffix",
    }.items()
    for said in phrases.split()
}  # fmt: skip
BEFORE = ("_max", "_min", "_below", "_above", "_is")  # comparisons that also stand before what they compare: max_rules
_LONGEST = 4  # words of a comparison
_SIGNED = re.compile(r"\s*(<=|>=|==|!=|<|>|=|[a-z][a-z ]*?)?\s*(-?\d+(?:\.\d+)?)\s*(?:%|[a-z]+)?\s*", re.IGNORECASE)
_SPAN = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:\.\.+|-|–|to)\s*(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Reading:
    """about: what is asked about. comparison: "" for equality. number: one that the name itself says ("stored_once")."""

    about: Meant
    comparison: str
    number: int | None = None


def readings(name: str) -> Iterator[Reading]:
    """What a name may mean, the likeliest first: as a whole, then with a comparison after or before what it compares."""
    words = lexicon.split(name)
    yield from _reading(words, "")
    for length in range(min(_LONGEST, len(words) - 1), 0, -1):
        if (after := COMPARISONS.get("_".join(words[-length:]))) is not None:
            yield from _reading(words[:-length], after)
        for at in range(len(words) - length):  # max_rules, wait_min_s
            if (within := COMPARISONS.get("_".join(words[at : at + length]))) in BEFORE and within is not None:
                yield from _reading(words[:at] + words[at + length :], within)


def _reading(words: tuple[str, ...], comparison: str) -> Iterator[Reading]:
    bare = tuple(w for w in words if w not in lexicon.COUNTING)
    if bare:
        yield Reading(lexicon.meant(bare), comparison)
    numbers = [w for w in bare if w in lexicon.NUMBERS]
    if len(numbers) == 1 and len(bare) > 1:
        rest = tuple(w for w in bare if w not in lexicon.NUMBERS and w not in ("only", "exactly"))
        if rest:
            yield Reading(lexicon.meant(rest), comparison, lexicon.NUMBERS[numbers[0]])


def compared(value: Any) -> list[tuple[str, Any]] | None:
    """A value that says its own comparison, as (comparison, value) pairs that must all hold; None for a plain value."""
    if isinstance(value, dict):
        pairs = [(COMPARISONS.get("_".join(lexicon.split(str(k))) or str(k)), v) for k, v in value.items()]
        return (
            [(how, v) for how, v in pairs if how is not None]
            if pairs and all(how is not None for how, _ in pairs)
            else None
        )
    if isinstance(value, str):
        if span := _SPAN.fullmatch(value):
            return [("_range", [float(span[1]), float(span[2])])]
        signed = _SIGNED.fullmatch(value)
        if signed and signed[1]:
            how = COMPARISONS.get("_".join(signed[1].casefold().split()))
            return None if how is None else [(how, float(signed[2]))]
    return None
