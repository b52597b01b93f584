"""What time alone moves: an undisputed rule becomes stable, a deprecated or never supported one is archived."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import StateChange
from bio_agent_workers.dreaming.base import PAGE, Batch, Line, Night, Step
from bio_agent_workers.stages.reconcile import advance

MOVED_BY_TIME = ("proposed", "reinforced", "deprecated")


def load(session: Session, night: Night, cursor: str) -> Sequence[str]:
    return list(session.exec(
        select(BeliefRow.id).where(
            BeliefRow.tenant == night.tenant, BeliefRow.id > cursor, col(BeliefRow.state).in_(MOVED_BY_TIME),
            BeliefRow.layer != "core",
        ).order_by(col(BeliefRow.id)).limit(PAGE)
    ))  # fmt: skip


def save(session: Session, night: Night, ids: Sequence[str], allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    for belief_id in ids:
        made = within(session, night, belief_id, allowed - len(lines))
        if made is None:
            left += 1
            continue
        lines += [moved(belief_id, change) for change in made]
    return Batch(lines, ids[-1] if len(ids) == PAGE else None, left)


def within(session: Session, night: Night, belief_id: str, allowed: int) -> list[StateChange] | None:
    """Let a belief move; None, and nothing changed, when that takes more changes than allowed."""
    row = session.get(BeliefRow, (night.tenant, belief_id), with_for_update=True)
    if row is None or row.state not in MOVED_BY_TIME:
        return []
    trial = session.begin_nested()
    made = advance(session, row, night.now, night.review_mode)
    if len(made) > allowed:
        trial.rollback()
        session.expire_all()
        return None
    trial.commit()
    return made


def moved(belief_id: str, change: StateChange) -> Line:
    return Line(f"{change.before} → {change.after}", change.cause, f"belief:{belief_id}")


STEP = Step("archive", "rules that time moves: stable, or archived", load, save)
