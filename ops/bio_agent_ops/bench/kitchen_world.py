"""What the bench needs of a world that others wrote, and the worlds that it knows."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bio_agent_ops.bench.kitchen_agent import Choice, Seen


class Missing(RuntimeError):
    """The world's package or Java is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What an action came to. failed: not taken, or it ended the episode without success. gained: the score rose."""

    action: str
    text: str
    valid: tuple[str, ...]
    failed: bool = False
    gained: bool = False
    over: bool = False
    success: bool = False


class World(Protocol):
    """A world and the agent that plays in it. What failed and what was gained is read off the world's own signals (its
    score, its list of actions, an end without success); no message of the game is interpreted for the memory."""

    tool: str  # name of the tool that the host observes
    task: str  # what the agent is told to do, in every episode
    parameters: str
    rule: str  # all that the agent brings along
    steps: int  # of an episode at most
    interrupted_at: int  # step before which an interruption comes

    def reset(self, seed: int) -> Step: ...
    def step(self, action: str) -> Step: ...
    def game(self) -> str:
        """What tells the game in hand from every other; the agent never sees it."""

    def snapshot(self, step: Step) -> Mapping[str, Any] | None:
        """What a host can tell of the surroundings after a step: {place, exits, objects, …}; None when nothing."""

    def goals(self, text: str) -> list[str]:
        """The goals that a text sets, in its order."""

    def to_find_out(self, goal: str) -> bool:
        """Whether the agent has to find out which act reaches a goal."""

    def choose(self, context: str, window: Sequence[Seen], valid: Sequence[str], rng: random.Random) -> Choice: ...
    def idle(self, valid: Sequence[str], rng: random.Random) -> str:
        """An action of the errand that interrupts: it looks at something."""

    def close(self) -> None: ...


def cooking() -> World:
    from bio_agent_ops.bench.kitchen_cooking import Cooking

    return Cooking()


def science() -> World:
    from bio_agent_ops.bench.kitchen_science import Science

    return Science()


WORLDS: Mapping[str, Callable[[], World]] = {"cookingworld": cooking, "scienceworld": science}
EPISODES: Mapping[str, int] = {"cookingworld": 200, "scienceworld": 120}


def missing(package: str, error: BaseException | None = None) -> Missing:
    if error is None:
        return Missing(f"the bench needs {package}: pip install 'bio-agent-os[kitchen]' (and Java 8 or newer)")
    return Missing(f"{package} did not start ({type(error).__name__}: {error}); it needs Java 8 or newer on the PATH")
