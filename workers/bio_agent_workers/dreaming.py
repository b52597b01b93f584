"""The dream: once a night and tenant, in its own time zone. Each step is a transaction; a killed dream goes on where it
stood, a second one at the same moment finds nothing to do, and nothing is ever hard-deleted.

Steps: advance beliefs that time alone moves, archive what is old, merge twin memories, cool what nobody confirmed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_schema import beliefs
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, MemoryRow
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain import retention
from bio_agent_workers.brain.likeness import TWIN_AT
from bio_agent_workers.brain.quantities import values
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages.reconcile import advance

log = logging.getLogger("bio.dream")

LEASE = timedelta(minutes=2)  # renewed at every step; a dead dreamer's place is free after this
HOUR = 3  # local hour from which a tenant may dream
CHANGE_FLOOR, CHANGE_SHARE = 50, 0.05  # of the tenant's memories a night; beyond it the dream stops and asks
PAGE = 500


class AlreadyDreaming(Exception):
    """A dream of this tenant is running."""


def dream_due(rt: Runtime) -> int:
    """Dream for every tenant whose night it is and who has not dreamt this night yet. Returns how many did."""
    dreamt = 0
    for tenant in rt.db.tenants():
        with rt.db.tenant(tenant) as session:
            now = beliefs.now(session)
            local = now.astimezone(zone(beliefs.tenant_row(session, tenant).time_zone))
            slot = local.date().isoformat()
            done = session.execute(
                text("select state from bio.dream_runs where tenant = :t and slot = :s"), {"t": tenant, "s": slot}
            ).scalar()
        if local.hour >= HOUR and done != "done":
            try:
                dream(rt, tenant, slot)
                dreamt += 1
            except AlreadyDreaming:
                continue
    return dreamt


def zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError):
        return ZoneInfo("UTC")


def dream(rt: Runtime, tenant: str, slot: str = "") -> dict[str, Any]:
    """Run the dream of `slot` (a local date; "" makes one for a run on request). Raises AlreadyDreaming."""
    slot = slot or f"request-{uuid7()}"
    with rt.db.tenant(tenant) as session:
        fence = _begin(session, tenant, slot)
    changed = 0
    for name, step in STEPS.items():
        with rt.db.tenant(tenant) as session:
            done = _hold(session, tenant, slot, fence)
            if name in done:
                continue
            allowed = max(CHANGE_FLOOR, int(CHANGE_SHARE * _memories(session, tenant))) - changed
            journal = step(session, tenant, beliefs.now(session), max(allowed, 0))
            changed += sum(j.get("count", 1) for j in journal)
            _write(session, tenant, slot, fence, name, journal)
    with rt.db.tenant(tenant) as session:
        row = session.execute(
            text(
                "update bio.dream_runs set state = 'done', finished_at = bio.now() where tenant = :t and slot = :s and fence = :f"
                " returning journal"
            ),
            {"t": tenant, "s": slot, "f": fence},
        ).first()
        journal = [j for part in (row[0] if row else []) for j in part["did"]]
        audit(session, tenant, [Entry("dreamt", subject=f"dream:{slot}", data={"changes": len(journal)})])
        if journal:
            beliefs.touch_epoch(session, tenant)
    log.info("%s dreamt: %d changes", tenant, len(journal))
    return {"slot": slot, "changes": len(journal), "journal": journal}


def _begin(session: Session, tenant: str, slot: str) -> int:
    """Take the tenant's dream: one at a time, whatever the slot. Returns the fence."""
    session.execute(text("select pg_advisory_xact_lock(hashtext('bio.dream:' || :t))"), {"t": tenant})
    running = session.execute(
        text("select slot from bio.dream_runs where tenant = :t and state = 'running' and lease_until > bio.now()"),
        {"t": tenant},
    ).scalar()
    if running is not None:
        raise AlreadyDreaming(f"the dream {running} of this tenant is running; wait for its end")
    session.execute(
        text("update bio.dream_runs set state = 'left' where tenant = :t and state = 'running' and slot <> :s"),
        {"t": tenant, "s": slot},
    )
    fence: int | None = session.execute(
        text(
            """
            insert into bio.dream_runs as d (tenant, slot, state, lease_until) values (:t, :s, 'running', bio.now() + :lease)
            on conflict (tenant, slot) do update set fence = d.fence + 1, state = 'running', lease_until = bio.now() + :lease
            where d.state <> 'done' returning fence
            """
        ),
        {"t": tenant, "s": slot, "lease": LEASE},
    ).scalar()
    if fence is None:
        raise AlreadyDreaming(f"the dream {slot} of this tenant is over")
    return fence


def _hold(session: Session, tenant: str, slot: str, fence: int) -> list[str]:
    row = session.execute(
        text(
            "update bio.dream_runs set lease_until = bio.now() + :lease where tenant = :t and slot = :s and fence = :f"
            " and state = 'running' returning journal"
        ),
        {"t": tenant, "s": slot, "f": fence, "lease": LEASE},
    ).first()
    if row is None:
        raise AlreadyDreaming(f"the dream {slot} was taken over by another instance")
    return [part["step"] for part in row[0]]


def _write(session: Session, tenant: str, slot: str, fence: int, name: str, journal: list[dict[str, Any]]) -> None:
    part = [{"step": name, "did": journal}]
    session.execute(
        text(
            "update bio.dream_runs set step = :n, journal = journal || cast(:j as jsonb)"
            " where tenant = :t and slot = :s and fence = :f"
        ),
        {"t": tenant, "s": slot, "f": fence, "n": name, "j": json.dumps(part, default=str)},
    )


def _memories(session: Session, tenant: str) -> int:
    return int(session.execute(text("select count(*) from bio.memories where tenant = :t"), {"t": tenant}).scalar_one())


# --------------------------------------------------------------------------------------------------------------- steps


def advance_beliefs(session: Session, tenant: str, now: datetime, allowed: int) -> list[dict[str, Any]]:
    """What time alone moves: an undisputed rule becomes stable, an old one is archived."""
    journal: list[dict[str, Any]] = []
    review_mode = beliefs.tenant_row(session, tenant).review_mode
    rows = session.exec(
        select(BeliefRow).where(
            BeliefRow.tenant == tenant,
            col(BeliefRow.state).in_(["proposed", "reinforced", "deprecated"]),
            BeliefRow.layer != "core",
        )
    )
    for row in rows:
        if len(journal) >= allowed:
            break
        for change in advance(session, row, now, review_mode):
            journal.append(
                {
                    "did": f"{change.before} → {change.after}",
                    "why": change.cause,
                    "belief": row.id,
                    "text": row.content[:200],
                }
            )
    return journal


def merge_twins(session: Session, tenant: str, now: datetime, allowed: int) -> list[dict[str, Any]]:
    """Memories that say the same merge: the older keeps its place and takes over sources, the newer is superseded."""
    pairs = session.execute(
        text(
            """
            select a.id, b.id from bio.memories b
            cross join lateral (
                select id from bio.memories a where a.tenant = :t and a.workspace = b.workspace and a.kind = b.kind
                  and a.user_id = b.user_id and a.state = 'active' and a.superseded_by is null and a.id < b.id
                  and a.embedding_model = b.embedding_model and (a.embedding <=> b.embedding) + 0 <= :near
                order by (a.embedding <=> b.embedding) + 0 limit 1) a
            where b.tenant = :t and b.state = 'active' and b.superseded_by is null and b.created_at > :since
            order by b.id limit :page
            """
        ),
        {"t": tenant, "near": 1 - TWIN_AT, "page": PAGE, "since": now - timedelta(days=2)},
    ).all()
    journal: list[dict[str, Any]] = []
    for kept_id, gone_id in pairs:
        if len(journal) >= allowed:
            break
        kept, gone = session.get(MemoryRow, (tenant, kept_id)), session.get(MemoryRow, (tenant, gone_id))
        if kept is None or gone is None or values(kept.content) != values(gone.content) or kept.superseded_by:
            continue
        session.execute(
            text(
                "insert into bio.memory_sources (tenant, memory_id, episode_id) select tenant, :k, episode_id"
                " from bio.memory_sources where tenant = :t and memory_id = :g on conflict do nothing"
            ),
            {"t": tenant, "k": kept_id, "g": gone_id},
        )
        gone.superseded_by, gone.state, gone.updated_at = kept_id, "merged", now
        kept.confirmations, kept.confirmed_at = kept.confirmations + 1, now
        session.add_all([kept, gone])
        audit(session, tenant, [Entry("memory_merged", subject=f"memory:{gone_id}", cause="twin", after=kept_id)])
        journal.append(
            {"did": "merged", "why": "says the same", "memory": gone_id, "into": kept_id, "text": gone.content[:200]}
        )
    session.flush()
    return journal


def cool(session: Session, tenant: str, now: datetime, allowed: int) -> list[dict[str, Any]]:
    """Memories whose retention fell below 0.1 go to the cold tier; they are searched when the active one gives too few."""
    rows = session.exec(
        select(MemoryRow).where(
            MemoryRow.tenant == tenant, MemoryRow.state == "active", MemoryRow.confirmed_at < now - timedelta(days=90)
        )
    )
    journal: list[dict[str, Any]] = []
    for m in rows:
        if len(journal) >= allowed:
            break
        if retention.is_cold(retention.retention(MemoryKind(m.kind), m.confirmed_at, m.confirmations, now)):
            m.state, m.updated_at = "cold", now
            session.add(m)
            audit(session, tenant, [Entry("memory_cooled", subject=f"memory:{m.id}", cause="retention")])
            journal.append({"did": "cooled", "why": "not confirmed for long", "memory": m.id, "text": m.content[:200]})
    session.flush()
    return journal


STEPS: Mapping[str, Callable[[Session, str, datetime, int], list[dict[str, Any]]]] = {
    "advance_beliefs": advance_beliefs,
    "merge_twins": merge_twins,
    "cool": cool,
}
