"""What a step of the dream is, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_workers.runner import Runtime

CALLS_A_NIGHT = 40  # model calls of one tenant's dream
TOKENS_A_NIGHT = 200_000  # of these calls, input and output
PAGE = 200  # rows looked at in one transaction: a lease outlives a page


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the journal: ids and numbers only, so that what is erased later does not live on in it.

    did: a verb. why: a phrase. subject: what was changed, a typed id such as `memory:…`. into: what took its place.
    count: changes it stands for. more: numbers and names a person may want beside it.
    """

    did: str
    why: str
    subject: str = ""
    into: str = ""
    count: int = 1
    more: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        kept = {"did": self.did, "why": self.why, "subject": self.subject, "into": self.into, "more": self.more}
        return {k: v for k, v in kept.items() if v} | {"count": self.count}


@dataclass(frozen=True, slots=True)
class Batch:
    """What one page of a step came to. cursor: where the next page begins, None when the step is through. left: changes
    that were due and not made, because the night's allowance was spent."""

    lines: list[Line]
    cursor: str | None = None
    left: int = 0


@dataclass(slots=True)
class Night:
    """The running dream as its steps see it. now: the database's clock. since: when the last finished dream began, None
    when there is none. calls / tokens: spent on models so far."""

    tenant: str
    slot: str
    now: datetime
    review_mode: bool
    since: datetime | None
    calls: int = 0
    tokens: int = 0

    @property
    def source(self) -> str:
        """How the dream names itself where a cycle would stand."""
        return f"dream:{self.slot}"

    def may_ask(self, tokens: int) -> bool:
        """Whether the night's budget holds one more call of about that many tokens."""
        return self.calls < CALLS_A_NIGHT and self.tokens + tokens <= TOKENS_A_NIGHT


def _as_loaded(rt: Runtime, night: Night, loaded: Any) -> Any:
    return loaded


@dataclass(frozen=True, slots=True)
class Step:
    """Load a page in a short transaction, think with none open, save in a short one. `save` is given how many changes it
    may still make. Run again at the same `now`, a step changes nothing."""

    name: str
    title: str
    load: Callable[[Session, Night, str], Any]
    save: Callable[[Session, Night, Any, int], Batch]
    think: Callable[[Runtime, Night, Any], Any] = _as_loaded
