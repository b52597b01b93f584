"""The first world: `cookingworld` of textworld-express, and the agent that cooks in it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_ops.bench.kitchen_agent import Choice, Seen, Told, newest_goals, read, way_to
from bio_agent_ops.bench.kitchen_world import Step, missing

PARAMETERS = "numLocations=4,numIngredients=3,numDistractorItems=4,includeDoors=0,limitInventorySize=0"
STEPS = 80
RULE = (
    "it looks for the cookbook; a recipe's lines are its goals, in any order that the actions on offer allow; a knife is for"
    " cutting and is taken where it is seen; take, put, open and the like do not cook. Which device does what a recipe asks"
    " for, it does not know: it guesses among the actions on the goal's thing unless the context tells what such an act came"
    " to"
)
HANDLING = frozenset(("take", "put", "drop", "examine", "eat", "drink", "open", "close", "read", "look", "move"))
CUTTING = frozenset(("slice", "dice", "chop"))
LAST = "eat meal"  # what a recipe leaves unsaid

_ARTICLE = re.compile(r"\b(?:a|an|the|some) ")
_PLACE = re.compile(r"^You are in the ([a-z ]+)\.")
_EXIT = re.compile(r"To the (North|South|East|West) you see the ([a-z ]+)\.")
_THING = re.compile(r"\b(?:a|an|some) ([a-z][a-z ]*?)(?= that |,|\.| and | on it)")
_TAKEN = re.compile(r"^You take the ([a-z ]+)\.")


class Cooking:
    """One kitchen, reset by seed: the same seed is the same house, things and recipe."""

    tool = "cookingworld"
    task = "cook the meal of the cookbook and eat it"
    parameters = PARAMETERS
    rule = RULE
    steps = STEPS
    interrupted_at = 14

    def __init__(self) -> None:
        try:
            from textworld_express import TextWorldExpressEnv
        except ImportError:
            raise missing("textworld-express") from None
        try:
            self._env: Any = TextWorldExpressEnv(envStepLimit=STEPS)
        except Exception as error:  # py4j raises what the operating system said
            raise missing("textworld-express", error) from error
        self._env.load(gameName="cookingworld", gameParams=PARAMETERS)
        self._score, self._valid, self._game = 0.0, frozenset[str](), ""

    def reset(self, seed: int) -> Step:
        text, info = self._env.reset(seed=seed, gameFold="train", generateGoldPath=True)
        self._score, self._valid = 0.0, frozenset(info["validActions"])
        self._game = "|".join([str(text).strip(), *self._env.getGoldActionSequence()])
        return Step("", str(text).strip(), tuple(sorted(self._valid)))

    def step(self, action: str) -> Step:
        taken = action in self._valid
        text, _, done, info = self._env.step(action)
        score, before = float(info["score"]), self._score
        self._score, self._valid = score, frozenset(info["validActions"])
        success, lost = bool(info["tasksuccess"]), bool(info["taskfailure"])
        return Step(
            action, str(text).strip(), tuple(sorted(self._valid)), lost or not taken, score > before + 1e-9,
            bool(done) or lost or success, success,
        )  # fmt: skip

    def game(self) -> str:
        return self._game

    def snapshot(self, step: Step) -> Mapping[str, Any] | None:
        return surroundings(step)

    def goals(self, text: str) -> list[str]:
        return recipe(text)

    def to_find_out(self, goal: str) -> bool:
        return plain(goal).split(" ")[0] not in HANDLING | CUTTING | {"prepare"}

    def choose(self, context: str, window: Sequence[Seen], valid: Sequence[str], rng: random.Random) -> Choice:
        return choose(context, window, valid, rng)

    def idle(self, valid: Sequence[str], rng: random.Random) -> str:
        return rng.choice([a for a in valid if a.startswith("examine ")] or ["look around"])

    def close(self) -> None:
        self._env.close()
        self._env.close = lambda: None  # it closes itself once more when it is collected, and complains


def surroundings(step: Step) -> dict[str, Any] | None:
    """What a step shows of the house: {place, exits, objects}, or things found or taken; None when nothing."""
    if place := _PLACE.match(step.text):
        exits = {way.lower(): where for way, where in _EXIT.findall(step.text)}
        return {"place": place[1], "exits": exits, "objects": _THING.findall(step.text.split("\nTo the")[0])}
    if taken := _TAKEN.match(step.text):
        return {"objects": {taken[1]: {"place": ""}}}
    if step.action.startswith("open ") and (found := _THING.findall(step.text)):
        return {"objects": found}
    return None


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
    goals = told.goals or newest_goals(window, recipe)
    if not goals:
        for action in ("read cookbook", "take cookbook"):
            if action in valid:
                return Choice(action)
        return Choice(_explore(told, window, valid, "cookbook", rng))
    for goal in goals:
        if plain(goal) in valid:
            return Choice(plain(goal), goal, aims=True)
    goals = [g for g in goals if not _done_by_sight(plain(g), valid)] or goals
    if told.in_hand in goals:  # what the context tells of acts, it tells of this one
        goals = [told.in_hand]
    for goal in goals:
        verb, _, thing = plain(goal).partition(" ")
        if verb == "take" or verb in CUTTING:
            return Choice(_explore(told, window, valid, thing if verb == "take" else "knife", rng), goal)
        for act in told.worked:
            if act in valid:
                return Choice(act, goal, aims=True)
        if told.worked:  # it is known what would do, and it cannot be done here: go where it can
            return Choice(_explore(told, window, valid, _needed(told, told.worked[0], thing), rng), goal)
        able = [a for a in valid if thing in a and a.split(" ")[0] not in HANDLING | CUTTING and a not in told.avoid]
        if able:
            return Choice(rng.choice(able), goal, aims=True, guessed=True)
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
    if way := way_to(told, wanted):
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
