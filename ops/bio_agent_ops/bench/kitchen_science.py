"""The second world: five tasks of ScienceWorld that are about finding the right thing, and the agent that looks for it.

The world's own list of valid actions takes up to a second to compute, so the actions on offer are made here from what
the world shows: its doors, the plain things that it lists and its containers, put into the world's action templates.
"""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_ops.bench.kitchen_agent import Choice, Seen, Told, newest_goals, read, way_to
from bio_agent_ops.bench.kitchen_world import Step, missing

TASKS = (
    "lifespan-longest-lived",
    "lifespan-shortest-lived",
    "lifespan-longest-lived-then-shortest-lived",
    "find-animal",
    "find-living-thing",
)
STEPS = 40
GUESS_IN, GUESS_IN_KNOWING = 3, 8  # one in so many looks at things that may be what is wanted
RULE = (
    "it reads its task by the action `task`; the task's sentences are its goals, in their order; a goal that names a place is"
    " for that place. Which thing is meant by a description it does not know: unless the context tells what such an act came"
    f" to, it guesses among the plain things in sight (where the goal names no place: at one look in {GUESS_IN}, in"
    f" {GUESS_IN_KNOWING} when something is known that would do), and goes through doors meanwhile, those to places it has not"
    " seen first. What it has to move is what it last focused on or holds; it takes it, goes there and puts it in"
)
FOCUS = "focus on "

_PLACE = re.compile(r"is called the ([a-z ]+)\.")
_DOOR = re.compile(r"^A door to the ([a-z ]+) \(that is (open|closed)\)")
_THING = re.compile(r"^an? ((?!substance\b)[a-z][a-z -]*)$")
_CONTAINER = re.compile(r"^an? ([a-z][a-z ]*) \(containing")
_FIND = re.compile(r"find a(?:\(n\)|n)? ([a-z -]+?)\.")
_WHERE = re.compile(r"are in the '([a-z ]+)' location")
_SENTENCE = re.compile(r"(?:First, |Then, )?((?:focus on|move) [^.]*)\.", re.IGNORECASE)


class Science:
    """One house, reset by seed: the seed chooses task and variation, none twice among as many seeds as there are games."""

    tool = "scienceworld"
    task = "do what the action `task` tells"
    parameters = ", ".join(TASKS)
    rule = RULE
    steps = STEPS
    interrupted_at = 4

    def __init__(self) -> None:
        try:
            package: Any = importlib.import_module("scienceworld")
        except ImportError:
            raise missing("scienceworld") from None
        try:
            self._env: Any = package.ScienceWorldEnv("", envStepLimit=STEPS + 1)
        except Exception as error:  # py4j raises what the operating system said
            raise missing("scienceworld", error) from error
        self._env.get_valid_action_object_combinations = list  # not asked for: see above
        self._games = [(t, v) for t in TASKS for v in range(self._env.get_max_variations(t))]
        random.Random(0).shuffle(self._games)  # noqa: S311 - the order of the episodes, no secret
        self._game, self._score = self._games[0], 0.0
        self._valid: tuple[str, ...] = ()

    def reset(self, seed: int) -> Step:
        self._game = self._games[seed % len(self._games)]
        self._env.load(*self._game, "noElectricalAction")
        _, info = self._env.reset()
        self._score = float(info["score"])
        self._valid = offered(info["look"], info["inv"])
        return Step("", str(info["look"]).strip(), self._valid)

    def step(self, action: str) -> Step:
        taken = action in self._valid
        text, _, done, info = self._env.step(action)
        if text.startswith("Ambiguous request"):  # which of several of one name: the first
            text, _, done, info = self._env.step("0")
        if action.startswith("go to "):
            text = f"{text}\n{info['look']}"
        score, before = float(info["score"]), self._score
        self._score, self._valid = score, offered(info["look"], info["inv"])
        success, lost = score >= 100, score < 0
        return Step(
            action,
            str(text).strip(),
            self._valid,
            lost or not taken,
            score > before,
            bool(done) or lost or success,
            success,
        )

    def game(self) -> str:
        return f"{self._game[0]} {self._game[1]}"

    def snapshot(self, step: Step) -> Mapping[str, Any] | None:
        return surroundings(step)

    def goals(self, text: str) -> list[str]:
        return task_goals(text)

    def to_find_out(self, goal: str) -> bool:
        return goal.startswith(FOCUS)

    def choose(self, context: str, window: Sequence[Seen], valid: Sequence[str], rng: random.Random) -> Choice:
        return choose(context, window, valid, rng)

    def idle(self, valid: Sequence[str], rng: random.Random) -> str:
        return rng.choice([a for a in valid if a.startswith("look at ")] or ["look around"])

    def close(self) -> None:
        self._env.close()


def surroundings(step: Step) -> dict[str, Any] | None:
    """What a step shows of the house: a place with all that is there, or a thing that was taken; None when nothing."""
    if place := _PLACE.search(step.text):
        lines = _lines(step.text)
        doors = [door[1] for line in lines if (door := _DOOR.match(line))]
        return {"place": place[1], "exits": {d: d for d in doors}, "objects": things(lines), "only": True}
    if step.action.startswith("pick up ") and not step.failed:
        return {"objects": {step.action.removeprefix("pick up "): {"place": ""}}}
    return None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def things(lines: Sequence[str]) -> list[str]:
    """The plain things among the lines of a look: countable, no fixture, no substance, nothing with parts or contents."""
    return [thing[1] for line in lines if (thing := _THING.match(line))]


def offered(look: str, inventory: str) -> tuple[str, ...]:
    """The actions on offer, sorted: from a look around and the list of what is held."""
    lines = _lines(look)
    seen, held = things(lines), things(_lines(inventory))
    into = [box[1] for line in lines if (box := _CONTAINER.match(line))]
    out = {"task", "look around"}
    for line in lines:
        if door := _DOOR.match(line):
            out.add(f"go to {door[1]}" if door[2] == "open" else f"open door to {door[1]}")
    for thing in seen:
        out |= {FOCUS + thing, f"pick up {thing}", f"look at {thing}"}
    out |= {f"put down {thing}" for thing in held}
    out |= {f"move {thing} to {box}" for thing in (*seen, *held) for box in into}
    return tuple(sorted(out))


def task_goals(text: str) -> list[str]:
    """The goals of a task that a text holds, "it" and "the thing" put into words, the place that it names added."""
    if "Your task is to find" not in text:
        return []
    found, where = _FIND.search(text), _WHERE.search(text)
    what = found[1] if found else ""
    out = []
    for said in _SENTENCE.findall(text.partition("Your task is to find")[2]):
        goal = said[0].lower() + said[1:]
        if what:
            goal = goal.replace("the thing", what).replace("move it", f"move {what}")
        out.append(f"{goal} in the {where[1]}" if where else goal)
    return out


def choose(context: str, window: Sequence[Seen], valid: Sequence[str], rng: random.Random) -> Choice:
    """The next action. valid: what the world offers now, never empty."""
    told = read(context)
    goals = told.goals or newest_goals(window, task_goals)
    if not goals:
        return Choice("task")
    if not told.goals:  # the window shows which of them are behind
        goals = goals[sum(s.gained and s.action.startswith(FOCUS) for s in window) :] or goals[-1:]
    goal = told.in_hand if told.in_hand in goals else goals[0]
    place = goal.rpartition(" in the ")[2] if " in the " in goal else ""
    if goal.startswith("move "):
        return _move(told, window, valid, goal, place, rng)
    here = told.here or next((p[1] for s in reversed(window) if (p := _PLACE.search(s.text))), "")
    for act in told.worked:
        if act in valid:
            return Choice(act, goal, aims=True)
    if place and here != place:
        return Choice(_explore(told, window, valid, rng, place=place), goal)
    able = [a for a in valid if a.startswith(FOCUS) and a not in told.avoid]
    if able and (place or not rng.randrange(GUESS_IN_KNOWING if told.worked else GUESS_IN)):
        return Choice(rng.choice(able), goal, aims=True, guessed=True)
    if place:  # here, and all in sight is known to fail: what fails least is not told, so any
        return Choice(rng.choice([a for a in valid if a.startswith(FOCUS)] or ["look around"]), goal, True, True)
    wanted = [act.removeprefix(FOCUS) for act in told.worked if act.startswith(FOCUS)]
    return Choice(_explore(told, window, valid, rng, wanted=wanted), goal)


def _move(
    told: Told, window: Sequence[Seen], valid: Sequence[str], goal: str, place: str, rng: random.Random
) -> Choice:
    """Take what was focused on, go to the place, put it in what the goal names."""
    focused = [s.action for s in window if s.gained and s.action.startswith(FOCUS)]
    focused += [a for a in reversed(told.done) if a.startswith(FOCUS)]
    held = [a.removeprefix("put down ") for a in valid if a.startswith("put down ")]
    thing = focused[0].removeprefix(FOCUS) if focused else ""
    if not thing:
        thing = told.held[-1] if told.held and told.held[-1] in held else rng.choice(held) if held else ""
    puts = [a for a in valid if a.startswith(f"move {thing} to ") and a.removeprefix(f"move {thing} to ") in goal]
    if thing and puts:
        return Choice(puts[0], goal, aims=True)
    if f"pick up {thing}" in valid and thing not in held:
        return Choice(f"pick up {thing}", goal)
    return Choice(_explore(told, window, valid, rng, place=place), goal)


def _explore(
    told: Told, window: Sequence[Seen], valid: Sequence[str], rng: random.Random, *, place: str = "",
    wanted: Sequence[str] = (),
) -> str:  # fmt: skip
    """Through a door: towards the place or a thing wanted where a way is known, else to a place not seen yet, else any."""
    if way := way_to(told, place, named=True) if place else next((w for t in wanted if (w := way_to(told, t))), ""):
        for action in (f"go to {way}", f"open door to {way}"):
            if action in valid:
                return action
    doors = [a for a in valid if a.startswith(("go to ", "open door to "))]
    direct = [a for a in doors if place and a.endswith(f" to {place}")]
    opened = [
        a for s in window[-1:] if s.action.startswith("open door to ") and (a := f"go to {s.action[13:]}") in doors
    ]
    new = [a for a in doors if told.here and a.rpartition(" to ")[2] not in told.things]
    return rng.choice(direct or opened or new or doors or ["look around"])
