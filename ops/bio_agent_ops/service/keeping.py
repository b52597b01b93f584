"""Verbs of what is kept and for whom: quotas of a tenant, erasing a memory, erasing cached verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sqlmodel import select

from bio_agent_ops.auth import Caller
from bio_agent_ops.ids import CANDIDATES, several
from bio_agent_ops.requests import EraseVerdicts, Quotas
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound
from bio_agent_ops.service.reading import belief_of
from bio_agent_schema import beliefs, memories, memory_erasing, quotas
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, MemoryRow
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.stages import verdicts

STATES = ("active", "cold", "merged", "erased")
_PART_OF_ID = re.compile(r"[0-9a-f-]{4,36}")


def show_quotas(ctx: Context, tenant: str) -> dict[str, Any]:
    """Each limit with what is used of it, what waits because of it, and this month's tokens by stage and model."""
    with ctx.db.tenant(tenant) as session:
        return quotas.view(session, tenant, ctx.settings.limits())


def set_quotas(ctx: Context, caller: Caller, ask: Quotas) -> dict[str, Any]:
    """A person gives the tenant limits of its own; null takes one back, 0 lifts it. What waited is taken up at once."""
    given = ask.model_dump(exclude_unset=True)
    if not given:
        raise BadRequest(f"name a limit: one of {', '.join(quotas.Limits.names())}")
    with ctx.db.tenant(caller.tenant) as session:
        quotas.set_limits(session, caller.tenant, given, actor=caller.actor)
    return show_quotas(ctx, caller.tenant)


def show_memory(ctx: Context, tenant: str, memory_id: str) -> dict[str, Any]:
    """The memory of that id, or the one whose id holds it (4 characters or more). Raises NotFound; Conflict for several."""
    wanted = memory_id.strip().lower()
    with ctx.db.tenant(tenant) as session:
        found = memories.by_ids(session, tenant, [wanted])
        if not found and _PART_OF_ID.fullmatch(wanted):
            found = memories.holding(session, tenant, wanted, most=CANDIDATES + 1)
        if len(found) > 1:
            raise Conflict(several(memory_id, "memory", ((m.id, m.content) for m in found)))
        if not found:
            raise NotFound(f"there is no memory {memory_id[:80]!r}; give its id, or 4 characters or more of it")
        return _view(found[0])


def list_memories(
    ctx: Context, tenant: str, *, kind: str = "", workspace: str = "", state: str = "", holds: str = "", limit: int = 200,
    after: str = "",
) -> list[dict[str, Any]]:  # fmt: skip
    """What is held, the oldest first, paged by id. kind, state: one, or several separated by commas; erased ones only where
    the state asks for them. holds: part of the words. Raises BadRequest."""
    kinds, states = _each("kind", kind, MemoryKind), _each("state", state, STATES)
    with ctx.db.tenant(tenant) as session:
        found = memories.listed(
            session, tenant, kinds=kinds, states=states or [s for s in STATES if s != "erased"], workspace=workspace,
            holds=" ".join(holds.split()), limit=min(max(limit, 1), 1000), after=after,
        )  # fmt: skip
        return [_view(m) for m in found]


def _each(name: str, given: str, known: Iterable[str]) -> list[str]:
    wanted = [one for one in given.split(",") if one]
    if unknown := [one for one in wanted if one not in set(known)]:
        raise BadRequest(f"{name} {unknown[0]!r} is not one of {', '.join(known)}")
    return wanted


def _view(m: MemoryRow) -> dict[str, Any]:
    return {
        "id": m.id, "content": m.content, "kind": m.kind, "type": m.type, "workspace": m.workspace, "user": m.user_id,
        "state": m.state, "superseded_by": m.superseded_by, "recheck": m.recheck, "occurred_at": m.occurred_at,
        "created_at": m.created_at,
    }  # fmt: skip


def erase_memory(ctx: Context, caller: Caller, memory_id: str) -> dict[str, Any]:
    """A person erases a memory, with all that repeats it. Raises NotFound."""
    with ctx.db.tenant(caller.tenant) as session:
        done = memory_erasing.erase(session, caller.tenant, memory_id, actor=caller.actor)
        if done is None:
            raise NotFound(f"there is no memory {memory_id[:80]!r}")
        beliefs.touch_epoch(session, caller.tenant)
        return done


def erase_verdicts(ctx: Context, caller: Caller, ask: EraseVerdicts) -> dict[str, Any]:
    """A person erases cached verdicts on pairs of rules: of one pair, of one rule against all, or of the tenant; of one
    model where it is named. The pairs are judged anew when they come up. Raises NotFound, BadRequest."""
    if ask.other_id and not ask.belief_id:
        raise BadRequest("other_id: name the other rule of the pair too, as belief_id")
    if ask.belief_id and ask.model_id:
        raise BadRequest("model_id: erases a tenant's verdicts of one model; leave it out for a rule or a pair")
    with ctx.db.tenant(caller.tenant) as session:
        subject = f"tenant:{caller.tenant}"
        if ask.belief_id:
            rule = belief_of(session, caller.tenant, ask.belief_id)
            others = (
                [belief_of(session, caller.tenant, ask.other_id).content]
                if ask.other_id
                else list(session.exec(select(BeliefRow.content).where(BeliefRow.tenant == caller.tenant)))
            )
            subject, count = f"belief:{rule.id}", verdicts.erase_pairs(session, caller.tenant, rule.content, others)
        else:
            count = verdicts.erase(session, caller.tenant, model_id=ask.model_id)
        audit(session, caller.tenant, [
            Entry("verdicts_erased", subject=subject, actor=caller.actor, cause="person",
                  data={"count": count, "other": ask.other_id, "model": ask.model_id}),
        ])  # fmt: skip
        return {"erased": count}
