"""What the scripted agents of `bench kitchen` share: they are the same in every arm and act on the context's text, the
newest WINDOW observations and the actions that the world offers, and on nothing else. What each world's agent brings along
beside that stands in its RULE, which the report prints.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

WINDOW = 5  # observations it sees

_ACT = re.compile(r"`([^`]*)`")
_DEED = re.compile(r"`([^`]*)` (ok|failed)")


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation of the window. gained: the score rose by it."""

    action: str
    text: str
    gained: bool = False


@dataclass(slots=True)
class Told:
    """What the context's text says, read off its lines."""

    goals: list[str] = field(default_factory=list)
    in_hand: str = ""
    worked: list[str] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    here: str = ""
    things: dict[str, str] = field(default_factory=dict)  # place → what its line says
    exits: dict[str, dict[str, str]] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)  # acts of this session that ended well, newest last


@dataclass(frozen=True, slots=True)
class Choice:
    """An action and the goal it serves, "" when it only looks around. aims: it is to reach the goal itself, not a place
    from which it can be reached. guessed: nothing said that it would do."""

    action: str
    goal: str = ""
    aims: bool = False
    guessed: bool = False


def read(context: str) -> Told:
    told = Told()
    for line in context.splitlines():
        head, _, rest = line.removeprefix("- ").partition(": ")
        if head == "Goal in hand":
            told.in_hand = rest
        elif head == "Open goals":
            told.goals = rest.split("; ")
        elif head == "For this goal, worked before":
            told.worked = _ACT.findall(rest)
        elif head in ("For this goal, failed before", "For this goal, led nowhere"):
            told.avoid |= set(_ACT.findall(rest))
        elif head == "In hand":
            told.held = rest.split("; ")
        elif head.startswith("Done here"):
            told.done = [act for act, end in _DEED.findall(rest) if end == "ok"]
        elif head == "Here" or head.startswith("Seen before"):
            place = rest.split(". ")[0]
            if head == "Here":
                told.here = place
            told.things[place] = rest.partition("Things: ")[2].partition(". Exits: ")[0]
            ways = (way.partition(" to ") for way in rest.partition("Exits: ")[2].split("; ") if way)
            told.exits[place] = {way: where for way, _, where in ways}
    return told


def way_to(told: Told, wanted: str, *, named: bool = False) -> str:
    """First exit of the shortest known way to a place whose line names what is wanted, or, with `named`, to the place of
    that name; "" when none is known."""
    queue, known = deque([(told.here, "")]), {told.here}
    while queue:
        place, first = queue.popleft()
        if first and (place == wanted if named else wanted in told.things.get(place, "")):
            return first
        exits: Mapping[str, str] = told.exits.get(place, {})
        for way, where in exits.items():
            if where and where not in known:
                known.add(where)
                queue.append((where, first or way))
    return ""


def newest_goals(window: Sequence[Seen], goals_in: Callable[[str], list[str]]) -> list[str]:
    """The goals of the newest text of the window that sets any."""
    return next((found for s in reversed(window) if (found := goals_in(s.text))), [])
