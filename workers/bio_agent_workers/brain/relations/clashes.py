"""What two rules in slots share, and what they cannot both have: a sign, a value, a quantity, a time of day."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from bio_agent_workers.brain.relations import measures, vocabulary
from bio_agent_workers.brain.relations.measures import Quantity
from bio_agent_workers.brain.relations.slots import Mention, Slots

# Weight of a slot that both sides name only by its value: "EUR" names a currency.
_SLOT_WEIGHT = 0.7
_LEAST_WEIGHT = 0.6  # a word lighter than this parts no two subjects
_NAMED_WEIGHT = 0.5  # of a word that a refusal can be about
_PLACED_WEIGHT = 0.5  # of a word that can stand in another's place
_SAME_CIRCUMSTANCE = 0.6  # share of the words of two conditions from which they are one
_INFINITY = Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Weights of what two texts share and of what only one names.

    negated: common, and asked on one side, not on the other. antonym: opposed by the word itself. cancelled: opposed in
    both ways, so agreeing. substituted: each side has another word in one place, so that they speak of different things.
    extra: one side names a thing or a quality that the other does not.
    forbids_more: what one forbids has a thing of its own ("feed the dog chocolate"), so that the rest may be asked.
    """

    common: float
    negated: float
    antonym: float
    cancelled: float
    own_a: float
    own_b: float
    substituted: bool
    extra: bool
    forbids_more: bool

    @property
    def total_a(self) -> float:
        return self.common + self.own_a

    @property
    def total_b(self) -> float:
        return self.common + self.own_b

    @property
    def share(self) -> float:
        """Of the smaller side, in [0, 1]."""
        low = min(self.total_a, self.total_b)
        return self.common / low if low else 0.0

    @property
    def jaccard(self) -> float:
        union = self.common + self.own_a + self.own_b
        return self.common / union if union else 0.0


def overlap(a: Slots, b: Slots, ignored: frozenset[int] = frozenset()) -> Overlap:
    """ignored: numbers of value sets whose members fill the slot in dispute and so name no subject."""
    wa, wb = _weights(a, ignored), _weights(b, ignored)
    anchors: set[str] = set()
    common = negated = antonym = cancelled = 0.0
    for name in wa.keys() & wb.keys():
        weight = min(wa[name], wb[name])
        common += weight
        kind = _difference(a.of(name), b.of(name))
        negated += weight * (kind == "negated")
        antonym += weight * (kind == "antonym")
        cancelled += weight * (kind == "cancelled")
        if kind != "antonym":
            anchors.add(name)
    own_a, own_b = wa.keys() - wb.keys(), wb.keys() - wa.keys()
    return Overlap(
        common, negated, antonym, cancelled, sum(wa[n] for n in own_a), sum(wb[n] for n in own_b),
        _substituted(a, b, frozenset(own_a), frozenset(own_b), anchors), _extra(a, own_a) or _extra(b, own_b),
        _forbids_more(a, own_a, b) or _forbids_more(b, own_b, a),
    )  # fmt: skip


def _extra(side: Slots, own: Set[str]) -> bool:
    return any(m.name in own and m.kind != "act" and m.weight >= _NAMED_WEIGHT for m in side.mentions)


def _weights(side: Slots, ignored: frozenset[int]) -> dict[str, float]:
    found = side.weights()
    for number in ignored:
        for m in side.mentions:
            if any(n == number for n, _ in vocabulary.members(m.surface, side.lang, "values", m.name, m.pole)):
                found.pop(m.name, None)
        slot = vocabulary.vocabulary().slot_of_set[number]
        if slot:
            found[slot] = max(found.get(slot, 0.0), _SLOT_WEIGHT)
    return found


def _difference(mine: list[Mention], yours: list[Mention]) -> str:
    """How one concept differs between two texts: "", "negated", "antonym" or "cancelled"."""
    mine = [m for m in mine if not m.conditional] or mine
    yours = [m for m in yours if not m.conditional] or yours
    if len({m.sign * m.pole for m in mine}) > 1 or len({m.sign * m.pole for m in yours}) > 1 or not mine or not yours:
        return ""
    x, y = mine[0], yours[0]
    if x.pole != y.pole:
        if x.conditional != y.conditional:
            return "antonym" if x.kind == "act" else ""
        return "cancelled" if x.sign != y.sign else "antonym"
    if x.sign == y.sign or x.conditional or y.conditional:
        return ""
    return "negated"


def _substituted(a: Slots, b: Slots, own_a: frozenset[str], own_b: frozenset[str], common: set[str]) -> bool:
    """Whether an own thing of each side stands beside the same common word on the same side of it."""

    def places(side: Slots, own: frozenset[str]) -> set[tuple[str, str]]:
        found: set[tuple[str, str]] = set()
        row = side.mentions
        for i, m in enumerate(row):
            verb = m.kind == "act" and side.lang == "en"
            if m.name not in own or m.weight < _PLACED_WEIGHT or verb or m.name.startswith("value:"):
                continue
            if i and row[i - 1].name in common and row[i - 1].part == m.part:
                found.add(("after", row[i - 1].name))
            if i + 1 < len(row) and row[i + 1].name in common and row[i + 1].part == m.part:
                found.add(("before", row[i + 1].name))
        return found

    return bool(places(a, own_a) & places(b, own_b))


def conflicted(a: Slots, b: Slots) -> frozenset[str]:
    """The common concepts in which the two are opposed, by the word or by its negation."""
    shared = {m.name for m in a.mentions} & {m.name for m in b.mentions}
    return frozenset(n for n in shared if _difference(a.of(n), b.of(n)) in ("antonym", "negated"))


def differences(a: Slots, b: Slots, over: Overlap) -> dict[str, str]:
    """Every way in which the two part, each with one phrase: "act" and "quality" (opposite words), "polarity", "refused",
    "anyone", "value", "order" (before, after), "quantity", "time", "day"."""
    found: dict[str, str] = {}
    if refused := _refused(a, b) or _refused(b, a):
        found["refused"] = refused
    if _anyone(a, b) or _anyone(b, a):
        found["anyone"] = "only some against anyone"
    opposed: set[str] = set()
    if over.antonym:
        acts = {m.name for m in (*a.mentions, *b.mentions) if m.kind == "act"}
        for name in {m.name for m in a.mentions} & {m.name for m in b.mentions}:
            if _difference(a.of(name), b.of(name)) == "antonym":
                opposed.add(name)
                found["act" if name in acts else "quality"] = f"opposite words ({name})"
    if over.negated:
        found["polarity"] = "opposite polarity"
    sets = exclusive(a.values, b.values)
    time = _times(a, b)
    sets = {n for n in sets - _order_sets() if not _told_already(a, n, opposed, bool(time))}
    if sets and not (a.values & b.refused or b.values & a.refused):
        found["value"] = "one slot, two values"
    if _order_turned(a, b):
        found["order"] = "before against after"
    if why := _quantities(a, b):
        found["quantity"] = why
    if time:
        found["time"] = time
    elif _thresholds(a, b):
        found["threshold"] = "two thresholds"
    for unit in ("weekday", "date"):
        mine, yours = ({value for value, u in s.dates if u == unit} for s in (a, b))
        if mine and yours and not mine & yours:
            found["day"] = "two days"
    if exclusive(a.facing, b.facing) and not found:
        found["facing"] = "small words that face each other"
    return found


def _told_already(side: Slots, number: int, opposed: set[str], timed: bool) -> bool:
    """Whether a set of values is in dispute by a word whose opposite is, or that is a time of day: one difference, not two."""
    filling = [
        m
        for m in side.mentions
        if any(n == number for n, _ in vocabulary.members(m.surface, side.lang, "values", m.name, m.pole))
    ]
    return any(m.name in opposed or (timed and measures.time_of_day(m.surface)) for m in filling)


def _thresholds(a: Slots, b: Slots) -> bool:
    """Whether both speak from a threshold of one kind on, and not the same one."""
    mine, yours = ({(q.dimension, q.value) for q in s.quantities if q.role in ("over", "under")} for s in (a, b))
    return bool({d for d, _ in mine} & {d for d, _ in yours}) and not mine & yours


def _order_turned(a: Slots, b: Slots) -> bool:
    """ "Tests before the code" against "the code before the tests", or "before the code" against "after the code"."""
    first, then = (vocabulary.named_member(word) for word in ("before", "after"))
    shared = {m.name for m in a.mentions} & {m.name for m in b.mentions}
    mine, yours = ({w: names & shared for w, names in s.steps if w != "way" and names & shared} for s in (a, b))
    same = any(not mine[w] & yours[w] for w in mine.keys() & yours.keys())
    other = any(mine.get(w, frozenset()) & yours.get(v, frozenset()) for w, v in ((first, then), (then, first)))
    return same or other


@cache
def _order_sets() -> frozenset[int]:
    """The numbers of the sets of values that hold "before"."""
    return frozenset(n for n, _ in vocabulary.groups_of("before", "en", vocabulary.vocabulary().values))


def exclusive(a: frozenset[tuple[int, int]], b: frozenset[tuple[int, int]]) -> set[int]:
    """Sets in which the two sides name different members and none in common."""
    return {
        number
        for number in {n for n, _ in a} & {n for n, _ in b}
        if not {m for n, m in a if n == number} & {m for n, m in b if n == number}
    }


def _forbids_more(side: Slots, own: Set[str], other: Slots) -> bool:
    forbidden = [m for m in side.mentions if m.sign < 0 and not m.conditional and m.name in own and m.kind != "act"]
    return "not" not in other.moods and sum({m.name: m.weight for m in forbidden}.values()) >= _LEAST_WEIGHT


def same_circumstance(a: Slots, b: Slots) -> bool:
    """Whether two rules that both name a circumstance ("when it rains", "after the rain") name the same one."""
    mine, yours = _circumstance(a), _circumstance(b)
    if not mine or not yours:
        return True
    return mine.keys() & yours.keys() != set() and all(
        len(mine[way] & yours[way]) >= _SAME_CIRCUMSTANCE * len(mine[way] | yours[way])
        for way in mine.keys() & yours.keys()
    )


def _circumstance(side: Slots) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for way, names in side.steps:
        if way != "way" and names:
            found.setdefault(way, set()).update(names)
    governed = {name for names in found.values() for name in names}
    under = {m.name for m in side.mentions if m.conditional and not m.name.startswith("value:")} - governed
    if under:
        found["when"] = under
    return found


def _anyone(a: Slots, b: Slots) -> bool:
    """ "Only team leads may close it" against "any engineer can close it"."""
    return "only" in a.moods and {"any", "may"} <= b.moods and "not" not in b.moods


def _refused(a: Slots, b: Slots) -> str:
    """ "X, not Y" against a text that asks for Y: what stands in the refusing clause and nowhere else in the text."""
    asking = [m for m in a.mentions if m.sign * m.pole > 0 and not m.conditional]
    positive = {m.name for m in asking}
    asked = {m.name for m in b.mentions if m.sign * m.pole > 0 and not m.conditional}
    refused_there = {m.name for m in b.mentions if m.sign < 0}
    for part in {m.part for m in a.mentions if m.sign < 0 and not m.conditional}:
        if not any(m.part != part for m in asking):
            continue  # nothing is asked beside the refusal
        told = [m for m in a.mentions if m.part == part and m.sign < 0 and m.name not in positive]
        for least in (_LEAST_WEIGHT, _NAMED_WEIGHT):
            named = [m for m in told if m.weight >= least]
            named = [m for m in named if m.kind != "act"] or named  # "…, class components are not accepted"
            if named:
                if all(m.pole > 0 and m.name in asked and m.name not in refused_there for m in named):
                    return "what one refuses the other asks"
                break
    return ""


# ---------------------------------------------------------------------------------------------------------- quantities

Interval = tuple[Decimal, Decimal]


def _interval(found: list[Quantity]) -> tuple[Interval, str] | None:
    """(lowest, highest), and the roles joined; None when the side names no value or several."""
    numbers = {(q.number, q.role) for q in found}
    if any(n is None for n, _ in numbers):
        return None
    if len(numbers) == 1:
        value, role = next(iter(numbers))
        assert value is not None
        if role == "exact":
            return (value, value), role
        if role == "max":
            return (-_INFINITY, value), role
        return ((value, _INFINITY), role) if role == "min" else None
    if len(numbers) == 2 and {r for _, r in numbers} == {"low", "high"}:
        low, high = sorted(n for n, _ in numbers if n is not None)
        return (low, high), "range"
    return None


def _quantities(a: Slots, b: Slots) -> str:
    for dimension in sorted({q.dimension for q in a.quantities} | {q.dimension for q in b.quantities}):
        mine = [q for q in a.quantities if q.dimension == dimension]
        yours = [q for q in b.quantities if q.dimension == dimension]
        if dimension == "" and not (mine and yours):
            mine, yours = mine or _bare(a), yours or _bare(b)
        if mine and yours and _apart(mine, yours):
            return f"one slot, two values ({dimension or 'number'})"
    return ""


def _bare(side: Slots) -> list[Quantity]:
    """The only number of a side that belongs to a name; it may answer one without a unit."""
    found = [q for q in side.quantities if not q.scaled]
    return found if len(found) == 1 else []


def _apart(mine: list[Quantity], yours: list[Quantity]) -> bool:
    if any(q.dimension in ("version", "ratio") for q in (*mine, *yours)):
        return len(mine) == len(yours) == 1 and mine[0].value != yours[0].value
    left, right = _interval(mine), _interval(yours)
    if left is None or right is None:
        return False
    (x, role_x), (y, role_y) = left, right
    if x == y:
        return False
    if x[1] < y[0] or y[1] < x[0]:
        return True
    return role_x == role_y  # two limits, two minima, two ranges: one slot holds one of them


# ----------------------------------------------------------------------------------------------------------- the clock


def _times(a: Slots, b: Slots) -> str:
    if len(a.windows) != 1 or len(b.windows) != 1:
        return ""
    x, y = a.windows[0], b.windows[0]
    if x.start == x.end and y.start == y.end:
        return "two times of day" if x.start != y.start else ""
    if x.start == x.end or y.start == y.end:
        point, window = (x, y) if x.start == x.end else (y, x)
        return "" if window.start <= point.start <= window.end else "a time outside the window"
    if x.end <= y.start or y.end <= x.start:
        return "two windows of the day"
    if not (x.named or y.named) and x != y and (x.start == y.start == 0 or x.end == y.end == 1440):
        return "two bounds of one window"
    return ""


def windows_apart(a: Slots, b: Slots) -> bool:
    """Whether each side names one time of day and the two never meet."""
    if len(a.windows) != 1 or len(b.windows) != 1:
        return False
    x, y = a.windows[0], b.windows[0]
    return (
        max(x.start, y.start) >= min(x.end, y.end)
        and (x.start, x.end) != (y.start, y.end)
        and not ((x.start == x.end and y.start <= x.start < y.end) or (y.start == y.end and x.start <= y.start < x.end))
    )
