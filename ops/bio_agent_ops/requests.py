"""The bodies of requests, with limits; a field that is too long or of the wrong kind is refused with its name."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(max_length=256)]
Line = Annotated[str, StringConstraints(max_length=2_000)]
Text = Annotated[str, StringConstraints(max_length=100_000)]
Rule = Annotated[str, StringConstraints(min_length=3, max_length=1_000, strip_whitespace=True)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewBelief(_Body):
    """A core rule. `scope`: a path such as `workspace:web`, empty for the whole tenant."""

    content: Rule
    scope: Name = ""
    agent: Name = ""
    user: Name = ""
    why: Line = ""


class PersonAct(_Body):
    """`why` goes to the audit; `content` is the new text of an edit; `expected_version` refuses a lost race."""

    why: Line = ""
    content: Rule | None = None
    expected_version: int | None = None


class NewException(_Body):
    """An exception to a belief. `bounds`: equal values, or `max_…` / `min_…` limits on the call's parameters.

    It comes into force when a person grants it: at once when a person sends it, else it waits."""

    belief_id: Name
    text: Rule
    policy: Name = ""
    bounds: dict[str, Any] = Field(default_factory=dict)
    valid_from: datetime | None = None
    expires_at: datetime | None = None
    why: Line = ""


class Recall(_Body):
    query: Annotated[str, StringConstraints(min_length=1, max_length=8_000)]
    turns: list[Text] = Field(default_factory=list, max_length=20)
    limit: int = Field(8, ge=1, le=100)
    kind: list[Literal["episodic", "semantic", "procedural", "exception", "goal", "preference"]] | None = None
    type: Name | None = None
    workspace: Name | None = None
    agent: Name | None = None
    user: Name | None = None
    session: Name | None = None
    tags: list[Name] | None = None
    source: Name | None = None
    since: datetime | None = None
    until: datetime | None = None
    at: datetime | None = None
    mode: Name = "normal"


class Remember(_Body):
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    type: Name = ""
    tags: list[Name] = Field(default_factory=list, max_length=32)
    source: Name = ""
    importance: int | None = Field(None, ge=1, le=10)
    workspace: Name = "default"
    agent: Name = ""
    user: Name = ""


class Check(_Body):
    """A tool call about to be made."""

    tool: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    tool_input: Any = None
    workspace: Name = "default"
    agent: Name = ""
    user: Name = ""
    session: Name = ""
    mode: Name = "normal"
    can_ask: bool | None = None


class Feedback(_Body):
    """Whether a rule helped or hurt in a session; counted at most once a rule and session."""

    rule_id: Name
    outcome: Literal["helped", "hurt"]
    session: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    why: Line = ""
