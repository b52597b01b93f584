"""The kitchen: `cookingworld` of textworld-express, with what a host can tell of each step without knowing the game.

What failed is read off the world's own signals (an action it does not take, or an end without success), and what was
gained off its score; no message of the game is interpreted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

PARAMETERS = "numLocations=4,numIngredients=3,numDistractorItems=4,includeDoors=0,limitInventorySize=0"
STEPS = 80  # of an episode at most
TASK = "cook the meal of the cookbook and eat it"

_PLACE = re.compile(r"^You are in the ([a-z ]+)\.")
_EXIT = re.compile(r"To the (North|South|East|West) you see the ([a-z ]+)\.")
_THING = re.compile(r"\b(?:a|an|some) ([a-z][a-z ]*?)(?= that |,|\.| and | on it)")
_TAKEN = re.compile(r"^You take the ([a-z ]+)\.")


class Missing(RuntimeError):
    """textworld-express or Java is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What an action came to. failed: not taken, or it ended the episode without success. gained: the score rose."""

    action: str
    text: str
    valid: tuple[str, ...]
    failed: bool
    gained: bool
    over: bool
    success: bool


class World:
    """One game, reset by seed: the same seed is the same house, things and recipe."""

    def __init__(self) -> None:
        try:
            from textworld_express import TextWorldExpressEnv
        except ImportError:
            raise Missing("the bench needs textworld-express: pip install 'bio-agent-os[kitchen]' (and Java)") from None
        try:
            self._env: Any = TextWorldExpressEnv(envStepLimit=STEPS)
        except Exception as error:  # py4j raises what the operating system said
            raise Missing(f"the game did not start ({type(error).__name__}: {error}); it needs Java") from error
        self._env.load(gameName="cookingworld", gameParams=PARAMETERS)
        self._score = 0.0

    def reset(self, seed: int) -> Step:
        text, info = self._env.reset(seed=seed, gameFold="train", generateGoldPath=False)
        self._score = 0.0
        return Step("", str(text).strip(), tuple(sorted(info["validActions"])), False, False, False, False)

    def step(self, action: str, valid: tuple[str, ...]) -> Step:
        text, _, done, info = self._env.step(action)
        score, before = float(info["score"]), self._score
        self._score = score
        success, lost = bool(info["tasksuccess"]), bool(info["taskfailure"])
        return Step(
            action, str(text).strip(), tuple(sorted(info["validActions"])), lost or action not in valid,
            score > before + 1e-9, bool(done) or lost or success, success,
        )  # fmt: skip

    def close(self) -> None:
        self._env.close()


def snapshot(step: Step) -> dict[str, Any] | None:
    """What a step shows of the surroundings: {place, exits, objects}, or things found or taken; None when nothing."""
    if place := _PLACE.match(step.text):
        exits = {way.lower(): where for way, where in _EXIT.findall(step.text)}
        return {"place": place[1], "exits": exits, "objects": _THING.findall(step.text.split("\nTo the")[0])}
    if taken := _TAKEN.match(step.text):
        return {"objects": {taken[1]: {"place": ""}}}
    if step.action.startswith("open ") and (found := _THING.findall(step.text)):
        return {"objects": found}
    return None
