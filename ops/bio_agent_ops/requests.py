"""The bodies of requests, with limits; a field that is too long or of the wrong kind is refused with its name."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, model_validator

Name = Annotated[str, StringConstraints(max_length=256)]
Line = Annotated[str, StringConstraints(max_length=2_000)]
Text = Annotated[str, StringConstraints(max_length=100_000)]
Rule = Annotated[str, StringConstraints(min_length=3, max_length=1_000, strip_whitespace=True)]

NOTE = 32_000  # characters of what is kept at once: each of its facts is embedded, a hundred of them take some 10 s
MAX_DEPTH = 64  # nesting of a free-form field


def unstorable(value: Any, depth: int = 0) -> str | None:
    """Why a JSON value cannot be stored or sent back (None: it can): NUL, half of a character, no number, too deep."""
    if depth > MAX_DEPTH:
        return f"is nested deeper than {MAX_DEPTH} levels"
    if isinstance(value, str):
        if "\x00" in value:
            return "holds a NUL character; take it out"
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            return "holds half of a surrogate pair, which is no character; take it out"
    elif isinstance(value, float) and not math.isfinite(value):
        return "holds NaN or Infinity, which JSON does not have"
    elif isinstance(value, dict):
        return next((why for k, v in value.items() for x in (k, v) if (why := unstorable(x, depth + 1))), None)
    elif isinstance(value, list):
        return next((why for v in value if (why := unstorable(v, depth + 1))), None)
    return None


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _can_be_stored(cls, given: Any) -> Any:
        for name, value in given.items() if isinstance(given, dict) else ():
            if why := unstorable(name) or unstorable(value):
                raise ValueError(f"{ascii(name)[1:-1][:80]} {why}")
        return given


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


class LiteralAct(_Body):
    """Whether the guard goes by a rule's own words alone, without what a model read in it."""

    literal: bool = True
    why: Line = ""


class NewException(_Body):
    """An exception to a belief. `bounds`: equal values, or `max_…` / `min_…` limits on the call's parameters.
    `expires_at` may also be called `valid_to`.

    It comes into force when a person grants it: at once when a person sends it, else it waits."""

    belief_id: Name
    text: Rule
    policy: Name = ""
    bounds: dict[str, Any] = Field(default_factory=dict)
    valid_from: datetime | None = None
    expires_at: Annotated[datetime | None, Field(validation_alias=AliasChoices("expires_at", "valid_to"))] = None
    why: Line = ""


class Decision(_Body):
    """`why` goes to the audit."""

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
    token_budget: Annotated[int, Field(ge=20, le=200_000)] | None = None  # of the memories' texts together


class Remember(_Body):
    """Something to keep. `speaker`: whose words these are, a user's if absent (an agent's through MCP); a standing
    directive becomes a rule only in an owner's.

    A turn of a conversation gives its `thread` (a session's name) and `position` in it: recall then brings what was said
    beside it. `origin`: the message, document or URL it came from; `occurred_at`: when it was said, now if absent."""

    content: Annotated[str, StringConstraints(min_length=1, max_length=NOTE)]
    type: Name = ""
    tags: list[Name] = Field(default_factory=list, max_length=32)
    source: Name = ""
    importance: Annotated[int, Field(ge=1, le=10)] | None = None
    workspace: Name = "default"
    agent: Name = ""
    user: Name = ""
    speaker: Literal["user", "agent"] | None = None
    origin: Name = ""
    thread: Name = ""
    position: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    occurred_at: datetime | None = None


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


class DreamTimes(_Body):
    """When a tenant dreams; what is left out stays as it is. `blackouts`: windows in which no dream starts or goes on."""

    time_zone: Name | None = None
    blackouts: list[dict[str, Any]] | None = Field(default=None, max_length=32)


Limit = Annotated[int, Field(ge=0, le=10**15)] | None


class Quotas(_Body):
    """Limits of the tenant's own; what is left out stays, null takes one back, 0 lifts it."""

    observations_a_day: Limit = None
    tokens_a_day: Limit = None
    tokens_a_month: Limit = None
    rules: Limit = None


class EraseVerdicts(_Body):
    """Which cached verdicts: those of a pair (`belief_id`, `other_id`), of one rule, or of the tenant, of one model."""

    belief_id: Name = ""
    other_id: Name = ""
    model_id: Name = ""
