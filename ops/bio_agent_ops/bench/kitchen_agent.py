"""The scripted agent of the kitchen: the same in every arm. It acts on the context's text, the newest WINDOW
observations and the actions that the world offers, and on nothing else.

What it brings along: a recipe's lines are its goals, a knife is for cutting, and handling a thing (HANDLING) does not
cook it. Which device does what a recipe asks for, it does not know: it guesses among the actions on the goal's thing,
unless the context tells what such an act came to.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

WINDOW = 5  # observations it sees
HANDLING = frozenset(("take", "put", "drop", "examine", "eat", "drink", "open", "close", "read", "look", "move"))
CUTTING = frozenset(("slice", "dice", "chop"))
LAST = "eat meal"  # what a recipe leaves unsaid

_ACT = re.compile(r"`([^`]*)`")
_ARTICLE = re.compile(r"\b(?:a|an|the|some) ")


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation of the window."""

    action: str
    text: str


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


@dataclass(frozen=True, slots=True)
class Choice:
    """An action and the goal it serves, "" when it only looks around. guessed: nothing said that it would do."""

    action: str
    goal: str = ""
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
        elif head == "Here" or head.startswith("Seen before"):
            place = rest.split(". ")[0]
            if head == "Here":
                told.here = place
            told.things[place] = rest.partition("Things: ")[2].partition(". Exits: ")[0]
            ways = (way.partition(" to ") for way in rest.partition("Exits: ")[2].split("; ") if way)
            told.exits[place] = {way: where for way, _, where in ways}
    return told


def recipe(text: str) -> list[str]:
    """The goals of a recipe that a text holds: take each ingredient, follow each direction, eat."""
    _, found, rest = text.partition("Ingredients:")
    if not found:
        return []
    ingredients, _, directions = rest.partition("Directions:")
    takes = [f"take {i.strip()}" for i in ingredients.splitlines() if i.strip()]
    return [*takes, *(d.strip() for d in directions.splitlines() if d.strip()), LAST]


def plain(goal: str) -> str:
    return " ".join(_ARTICLE.sub("", goal).split())


def choose(context: str, window: Sequence[Seen], valid: Sequence[str], rng: random.Random) -> Choice:
    """The next action. valid: what the world offers now, never empty."""
    told = read(context)
    goals = told.goals or next((g for s in reversed(window) if (g := recipe(s.text))), [])
    if not goals:
        for action in ("read cookbook", "take cookbook"):
            if action in valid:
                return Choice(action)
        return Choice(_explore(told, window, valid, "cookbook", rng))
    for goal in goals:
        if plain(goal) in valid:
            return Choice(plain(goal), goal)
    goals = [g for g in goals if not _done_by_sight(plain(g), valid)] or goals
    if told.in_hand in goals:  # what the context tells of acts, it tells of this one
        goals = [told.in_hand]
    for goal in goals:
        verb, _, thing = plain(goal).partition(" ")
        if verb == "take" or verb in CUTTING:
            return Choice(_explore(told, window, valid, thing if verb == "take" else "knife", rng), goal)
        for act in told.worked:
            if act in valid:
                return Choice(act, goal)
        if told.worked:  # it is known what would do, and it cannot be done here: go where it can
            return Choice(_explore(told, window, valid, _needed(told, told.worked[0], thing), rng), goal)
        able = [a for a in valid if thing in a and a.split(" ")[0] not in HANDLING | CUTTING and a not in told.avoid]
        if able:
            return Choice(rng.choice(able), goal, guessed=True)
    return Choice(_explore(told, window, valid, plain(goals[0]).partition(" ")[2], rng), goals[0])


def _done_by_sight(goal: str, valid: Sequence[str]) -> bool:
    """Whether the actions on offer show that a goal is behind: the thing is in hand, or cannot be cut any more."""
    verb, _, thing = goal.partition(" ")
    held = f"drop {thing}" in valid or any(a.startswith(f"put {thing} ") for a in valid)
    if verb == "take":
        return held
    armed = "drop knife" in valid or any(a.startswith("put knife ") for a in valid)
    return verb in CUTTING and held and armed and not any(a.split(" ")[0] in CUTTING and thing in a for a in valid)


def _needed(told: Told, act: str, thing: str) -> str:
    """What an act names beside the goal's thing, among what was seen; its last word when nothing of it was."""
    seen = (t for line in told.things.values() for t in line.split("; "))
    named = [t for t in seen if t and t in act and t not in thing and thing not in t]
    return max(named, key=len, default=act.rsplit(" ", maxsplit=1)[-1])


def _explore(told: Told, window: Sequence[Seen], valid: Sequence[str], wanted: str, rng: random.Random) -> str:
    """Towards what is wanted where the context tells where it is; else take the knife, open what is closed, go on."""
    if "take knife" in valid:
        return "take knife"
    moves = [a for a in valid if a.startswith("move ")]
    if way := _way(told, wanted):
        if f"move {way}" in moves:
            return f"move {way}"
    closed = [a for a in valid if a.startswith("open ")]
    if closed:
        return rng.choice(closed)
    new = [m for m in moves if (where := told.exits.get(told.here, {}).get(m[5:])) and where not in told.things]
    if new or moves:
        back = {"north": "south", "south": "north", "east": "west", "west": "east"}
        came = next((s.action[5:] for s in reversed(window) if s.action.startswith("move ")), "")
        on = [m for m in moves if m[5:] != back.get(came)]
        return rng.choice(new or on or moves)
    return rng.choice(sorted(valid))


def _way(told: Told, wanted: str) -> str:
    """First step of the shortest known way to a place whose line names what is wanted; "" when none is known."""
    queue, known = deque([(told.here, "")]), {told.here}
    while queue:
        place, first = queue.popleft()
        if first and wanted in told.things.get(place, ""):
            return first
        for way, where in told.exits.get(place, {}).items():
            if where and where not in known:
                known.add(where)
                queue.append((where, first or way))
    return ""
