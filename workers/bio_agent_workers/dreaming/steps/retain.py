"""Retention: what nobody confirmed for long goes to the cold tier, what was confirmed since comes back. Recall searches the
cold tier when the active one gives too few."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import Session, col, select

from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain.retrieval import retention
from bio_agent_workers.dreaming.base import PAGE, Batch, Line, Night, Step

# No kind fades to a tenth sooner: log2(10) half-lives of the shortest.
YOUNGEST_COLD = timedelta(days=3 * min(retention.HALF_LIFE_DAYS.values()))


def load(session: Session, night: Night, cursor: str) -> Sequence[MemoryRow]:
    old = (col(MemoryRow.state) == "active") & (col(MemoryRow.confirmed_at) < night.now - YOUNGEST_COLD)
    back = (col(MemoryRow.state) == "cold") & (
        col(MemoryRow.confirmed_at) > col(MemoryRow.updated_at) - timedelta(seconds=1)
    )
    return list(session.exec(
        select(MemoryRow).where(MemoryRow.tenant == night.tenant, MemoryRow.id > cursor, old | back)
        .order_by(col(MemoryRow.id)).limit(PAGE)
    ))  # fmt: skip


def save(session: Session, night: Night, rows: Sequence[MemoryRow], allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    for loaded in rows:
        m = session.get(MemoryRow, (night.tenant, loaded.id), with_for_update=True)
        if m is None or m.state not in ("active", "cold"):
            continue
        retained = retention.retention(MemoryKind(m.kind), m.confirmed_at, m.confirmations, night.now)
        cold = retention.is_cold(retained)
        if cold == (m.state == "cold"):
            continue
        if len(lines) >= allowed:
            left += 1
            continue
        m.state, m.updated_at = ("cold" if cold else "active"), night.now
        session.add(m)
        did = "cooled" if cold else "warmed"
        audit(session, night.tenant, [Entry(f"memory_{did}", subject=f"memory:{m.id}", cause="retention", after=m.state,
                                            data={"retention": round(retained, 4)})])  # fmt: skip
        why = "not confirmed for long" if cold else "confirmed again"
        lines.append(Line(did, why, f"memory:{m.id}", more={"retention": round(retained, 4)}))
    session.flush()
    return Batch(lines, rows[-1].id if len(rows) == PAGE else None, left)


STEP = Step("apply_retention", "memories that fade", load, save)
