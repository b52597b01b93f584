"""A small world in which the acts of a case happen: tenants by name, the rules and memories made so far, what was refused.

Every act goes through the same service as the faces' requests; what they refuse becomes a status and a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from bio_agent_client.observation import Refused
from bio_agent_ops.auth import Caller, Denied
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_held import held, rules_and_states
from bio_agent_ops.eval.house import House
from bio_agent_ops.ingest import Busy
from bio_agent_ops.service.context import BadRequest, Conflict, NotFound, Unprocessable

PEOPLE = ("owner", "person", "user", "human", "admin")


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


PLACES = frozenset(
    {"postgres", "database", "embedding", "vector_index", "index", "prompt", "cache", "audit", "export", "recall"}
)


def found_checks(seeds: Sequence[str], order: Sequence[str]) -> dict[str, Callable[[Any], bool]]:
    """Expectations of what was found, by the numbers of the memories that were kept first."""
    places = [seeds.index(i) if i in seeds else -1 for i in order]
    return {
        "must_include": lambda v: all(i in places for i in v), "must_exclude": lambda v: not any(i in places for i in v),
        "rank_before": lambda v: v[0] in places and (v[1] not in places or places.index(v[0]) < places.index(v[1])),
    }  # fmt: skip


@dataclass(slots=True)
class World:
    house: House
    tenants: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)  # ids of beliefs, in order of making
    memories: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)  # texts of the last recall, best first
    found_ids: list[str] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)  # texts of what was erased
    refused: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)  # of every refusal
    status: int = 0  # of the last refusal, 0 when nothing was refused
    values: dict[str, Any] = field(default_factory=dict)
    supports: int | None = None  # support of all rules together when it was first asked for
    begun: datetime | None = None
    exported: str = ""
    dreamt: list[int] = field(default_factory=list)  # changes of each dream
    failed: list[str] = field(default_factory=list)  # expectations of single steps that did not hold

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
            self.statuses.append(status)
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

    def _own(self, tenant: str) -> set[str]:
        return {r[0] for r in self.house.rows("select id from bio.memories where tenant = :t", t=tenant)}

    def others(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """What the tenants hold that an act does not name."""
        acting = self.tenant(given)
        return {
            t: self.house.rows("select id, content, state from bio.memories where tenant = :t order by id", t=t)
            + self.house.rows("select id, content, state from bio.beliefs where tenant = :t order by id", t=t)
            for t in self.tenants.values() if t != acting
        }  # fmt: skip

    def facts(self, given: Mapping[str, Any] | None = None) -> Facts:
        """Everything that the tenant holds which an act names, else the first, and what was refused."""
        house, tenant = self.house, self.tenant(given)
        facts = held(house, tenant)
        beliefs = rules_and_states(house, tenant)
        last = next((b for b in beliefs if self.rules and b["id"] == self.rules[-1]), beliefs[-1] if beliefs else None)
        support = self.support()
        facts.values |= {
            "no_error": not self.refused, "no_5xx": self.status < 500, "refusals": len(self.refused),
            "status": self.status or 200, "ingest": "accepted" if not self.refused else f"rejected: {self.refused[0]}",
            "accepted": not self.refused, "rejected": bool(self.refused), "stored": facts.values["memories"],
            "wrong_tenant_reads": len(set(self.found_ids) - self._own(tenant)),
            "support_unchanged": support == (self.supports or support),
        }  # fmt: skip
        facts.texts |= {
            "states": [b["state"] for b in beliefs], "refused": self.refused, "found": self.found, "export": [self.exported],
            "reason": [*self.refused, str(self.values.get("reason", ""))],
        }  # fmt: skip
        if last is not None:
            facts.values |= {"state": last["state"], "layer": last["layer"], "confidence": last["confidence"],
                             "content": last["content"], "lang": last["lang"]}  # fmt: skip
        facts.values |= self.values
        facts.alternatives |= {
            "rejected": bool(self.refused), "refused": bool(self.refused), "accepted": not self.refused,
            f"status={self.status}": True, str(self.status): True,
        }  # fmt: skip
        prompt = facts.texts["prompt"][0]
        facts.checks |= {
            "injected": lambda v: ((str(last["content"]) in prompt) if last else False) is v,
            **found_checks(self.memories, self.found_ids),
            "everywhere": lambda places: set(places) <= PLACES and not any(e in t for e in self.erased for t in facts.texts["stored"]),
            "first": lambda v: bool(self.found) and str(v).casefold() in self.found[0].casefold(),
        }  # fmt: skip
        facts.failed = list(self.failed)
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
