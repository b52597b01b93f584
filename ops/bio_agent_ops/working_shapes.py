"""The bodies of requests about a session's working state, with limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from bio_agent_ops.requests import Name, _Body
from bio_agent_workers.brain.working import LINE_CHARS, MOST_THINGS

Said = Annotated[str, StringConstraints(min_length=1, max_length=LINE_CHARS, strip_whitespace=True)]
Code = Annotated[str, StringConstraints(max_length=50, pattern=r"^[A-Za-z0-9 ._()-]*$")]


class PushTask(_Body):
    """A task that begins: as a part of the one in hand (push), or in its way (interrupt)."""

    workspace: Name = "default"
    task: Said


class PopTask(_Body):
    """The task in hand ended. `outcome`: how; `task`: which it should be (another is left where it is)."""

    workspace: Name = "default"
    task: Annotated[str, StringConstraints(max_length=LINE_CHARS)] = ""
    outcome: Literal["done", "failed", "dropped"] = "done"


class ResumeTask(_Body):
    """Back to what was interrupted. `outcome`: how what had interrupted it ended."""

    workspace: Name = "default"
    outcome: Literal["done", "failed", "dropped"] = "done"


class SetGoal(_Body):
    """A temporary goal of the session; `state` ends it or opens it again."""

    workspace: Name = "default"
    goal: Said
    state: Literal["open", "done", "failed", "dropped"] = "open"


class Snapshot(_Body):
    """What is seen. `objects`: names, or name → properties (`place` among them: "" is in hand); `exits`: ways, or way →
    where it leads; `gone`: names that are no more; `only`: nothing else is at `place`."""

    workspace: Name = "default"
    place: Annotated[str, StringConstraints(max_length=LINE_CHARS)] = ""
    exits: dict[Name, Name] | list[Name] | None = None
    objects: dict[Name, Any] | list[Name] | None = Field(None, max_length=MOST_THINGS)
    gone: list[Name] = Field(default_factory=list, max_length=MOST_THINGS)
    only: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Snapshot:
        if not (self.place or self.objects or self.gone):
            raise ValueError("a snapshot names a place, objects, or what is gone")
        if self.only and not self.place:
            raise ValueError("`only` says that nothing else is at `place`: name it")
        return self


class Acted(_Body):
    """An act and how it ended. `id`: of the observation that tells the same, so that it counts once. `error`: a code."""

    workspace: Name = "default"
    tool: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    tool_input: Any = None
    failed: bool = False
    error: Code = ""
    goal: Annotated[str, StringConstraints(max_length=LINE_CHARS)] = ""
    id: Annotated[str, StringConstraints(max_length=128)] = ""
