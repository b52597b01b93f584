"""A small world in which the acts of a case happen: tenants by name, the rules and memories made so far, what was refused.

Every act goes through the same service as the faces' requests; what they refuse becomes a status and a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from bio_agent_client.observation import Refused
from bio_agent_ops.auth import Caller, Denied
from bio_agent_ops.eval.case_facts import Facts, NotSupported, at_most_layer
from bio_agent_ops.eval.house import House, strings
from bio_agent_ops.ingest import Busy
from bio_agent_ops.service import reading, speaking
from bio_agent_ops.service.context import BadRequest, Conflict, NotFound, Unprocessable
from bio_agent_schema.types import BeliefState

OUT_OF_FORCE = (BeliefState.QUARANTINED, BeliefState.REJECTED, BeliefState.DEPRECATED, BeliefState.ARCHIVED)
AGED = (BeliefState.ARCHIVED, BeliefState.DEPRECATED)
PEOPLE = ("owner", "person", "user", "human", "admin")
_LINE = "- "


def rules_and_states(house: House, tenant: str) -> list[dict[str, Any]]:
    """Every belief of the tenant, whatever its state."""
    found: list[dict[str, Any]] = []
    while page := reading.list_beliefs(house.ctx, tenant, limit=1000, after=found[-1]["id"] if found else ""):
        found += page
    return found


def status_of(error: Exception) -> int | None:
    """The HTTP status that the service gives for a refusal, None for what is no refusal but a fault."""
    if isinstance(error, Busy):
        return error.status
    kinds: tuple[tuple[type[Exception], int], ...] = (
        (Denied, 403), (NotFound, 404), (Conflict, 409), (Unprocessable, 422), (BadRequest, 400), (Refused, 422),
        (ValidationError, 422),
    )  # fmt: skip
    return next((status for kind, status in kinds if isinstance(error, kind)), None)


def refusal(error: Exception, status: int) -> Facts:
    """What there is to say of an act that was refused."""
    why = str(error)[:300]
    return Facts(
        values={"status": status, "ingest": f"rejected: {why}", "accepted": False, "rejected": True, "no_error": False,
                "no_crash": True, "no_5xx": status < 500, "refusals": 1},
        texts={"refused": [why], "reason": [why]},
        alternatives={"rejected": True, "refused": True, "accepted": False, str(status): True},
    )  # fmt: skip


@dataclass(slots=True)
class World:
    house: House
    tenants: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)  # ids of beliefs, in order of making
    memories: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)  # texts of the last recall, best first
    refused: list[str] = field(default_factory=list)
    status: int = 0  # of the last refusal, 0 when nothing was refused
    values: dict[str, Any] = field(default_factory=dict)
    supports: int | None = None  # support of all rules together when it was first asked for
    begun: datetime | None = None
    exported: str = ""

    def tenant(self, given: Mapping[str, Any] | None = None) -> str:
        """The tenant that an act names; the first one where it names none."""
        name = str((given or {}).get("tenant") or "")
        if not name and self.tenants:
            return next(iter(self.tenants.values()))
        return self.tenants.setdefault(name, "") or self._made(name)

    def _made(self, name: str) -> str:
        self.tenants[name] = self.house.tenant()
        return self.tenants[name]

    def caller(self, given: Mapping[str, Any]) -> Caller:
        """Who acts: a person unless the case says that it is an agent or a program."""
        by = str(given.get("by") or given.get("actor") or given.get("as") or "owner").casefold()
        tenant = self.tenant(given)
        return self.house.person(tenant) if by in PEOPLE else self.house.program(tenant)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """A refusal is an answer: its status and reason are kept."""
        try:
            yield
        except Exception as error:
            status = status_of(error)
            if status is None:
                raise
            self.status = status
            self.refused.append(str(error)[:300])

    def now(self) -> datetime:
        at: datetime = self.house.rows("select bio.now()")[0][0]
        self.begun = self.begun or at
        return at

    def pass_time(self, by: timedelta) -> None:
        self.house.set_clock(self.now() + by)

    def at_day(self, day: float) -> None:
        """Day 0 is the day of the world's first act."""
        begun = self.begun or self.now()
        self.house.set_clock(begun + timedelta(days=day))

    def support(self) -> int:
        total: int = sum(b["support_count"] for t in self.tenants.values() for b in rules_and_states(self.house, t))
        self.supports = total if self.supports is None else self.supports
        return total

    def facts(self) -> Facts:
        """Everything that the first tenant holds, and what was refused."""
        house, tenant = self.house, self.tenant()
        beliefs = rules_and_states(house, tenant)
        in_force = [b for b in beliefs if b["state"] not in OUT_OF_FORCE]
        made = [b for b in beliefs if self.rules and b["id"] == self.rules[-1]] or beliefs[-1:]
        last = made[0] if made else None
        kept = house.rows("select content, state from bio.memories where tenant = :t order by id", t=tenant)
        prompt = speaking.persona(house.ctx, tenant, workspace="default", agent="", user="")["block"]
        acts = house.rows("select distinct act from bio.audit where tenant = :t", t=tenant)
        support = self.support()
        letters = house.rows("select count(*) from bio.dead_letters where tenant = :t", t=tenant)[0][0]
        facts = Facts(
            values={
                "rules": len(in_force), "memories": sum(m[1] == "active" for m in kept), "beliefs": len(beliefs),
                "no_error": not self.refused, "no_crash": True, "no_5xx": self.status < 500, "refusals": len(self.refused),
                "status": self.status or 200, "ingest": "accepted" if not self.refused else f"rejected: {self.refused[0]}",
                "accepted": not self.refused, "rejected": bool(self.refused), "dead_letter": letters,
                "support_count": max((b["support_count"] for b in in_force), default=0),
                "support_unchanged": support == (self.supports or support),
                "aged": sum(b["state"] in AGED for b in beliefs) + sum(m[1] == "cold" for m in kept),
                "quarantined": any(b["state"] == "quarantined" for b in beliefs), "stored": len(kept),
                "prompt_rule_lines": sum(line.startswith(_LINE) for line in prompt.splitlines()), **self.values,
            },
            texts={
                "rules": [b["content"] for b in in_force], "states": [b["state"] for b in beliefs],
                "memories": [m[0] for m in kept if m[1] == "active"], "prompt": [prompt], "refused": self.refused,
                "reason": [*self.refused, str(self.values.get("reason", ""))], "found": self.found,
                "stored": [t for row in house.stored(tenant) for t in strings(row)], "audit": [a[0] for a in acts],
                "export": [self.exported],
                "scope": [b["scope"] for b in in_force],
            },
        )  # fmt: skip
        if last is not None:
            facts.values |= {"state": last["state"], "layer": last["layer"], "confidence": last["confidence"],
                             "content": last["content"], "lang": last["lang"]} | self.values  # fmt: skip
        facts.alternatives = {
            "rejected": bool(self.refused), "refused": bool(self.refused), "accepted": not self.refused,
            "quarantined": bool(facts.values["quarantined"]), "stored_as_data_only": bool(kept) and not in_force,
            **{f"status={self.status}": True, str(self.status): True},
        }  # fmt: skip
        facts.checks = {
            "rule_state": lambda v: bool(in_force) and all(b["state"] == v for b in in_force),
            "rule_language": lambda v: bool(in_force) and all(b["lang"] == v for b in in_force),
            "tier_max": lambda v: at_most_layer([b["layer"] for b in in_force], v),
            "injected": lambda v: ((str(last["content"]) in prompt) if last else False) is v,
            "first": lambda v: bool(self.found) and str(v).casefold() in self.found[0].casefold(),
        }  # fmt: skip
        return facts


Deed = Callable[[World, Mapping[str, Any]], None]


def said(given: Mapping[str, Any], *names: str) -> str:
    """The text that an act is about, under any of its names."""
    for name in (*names, "text", "content", "rule", "said"):
        value = given.get(name)
        if isinstance(value, Mapping):
            value = value.get("text")
        if isinstance(value, str):
            return value
    raise NotSupported(f"an act without {names[0] if names else 'text'!r}")
