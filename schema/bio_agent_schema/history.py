"""How things stood before: beliefs by the rows their trigger leaves, exceptions by the audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema.tables import BeliefRow, ExceptionRow

_TIMES = ("valid_from", "valid_to", "created_at", "updated_at")


def belief_from(tenant: str, snapshot: Mapping[str, Any]) -> BeliefRow:
    """A belief as it stood, without its vector: to be read only, no session takes it. (The mapped constructor would do
    the same fifteen times slower.)"""
    values = {k: v for k, v in snapshot.items() if k in BeliefRow.model_fields}
    for name in _TIMES:
        if isinstance(values.get(name), str):
            values[name] = datetime.fromisoformat(values[name])
    return BeliefRow.model_construct(tenant=tenant, embedding=None, **values)


def latest(session: Session, tenant: str, belief_id: str) -> int:
    """Number of the row that says how the belief stands now; 0 when there is none."""
    found = session.execute(
        text("select max(seq) from bio.belief_history where tenant = :t and belief_id = :b"),
        {"t": tenant, "b": belief_id},
    ).scalar()
    return int(found or 0)


def stood(session: Session, tenant: str, belief_id: str, seq: int) -> BeliefRow | None:
    """The belief as the row of that number has it."""
    found = session.execute(
        text("select snapshot from bio.belief_history where tenant = :t and belief_id = :b and seq = :s"),
        {"t": tenant, "b": belief_id, "s": seq},
    ).scalar()
    return belief_from(tenant, found) if found else None


def beliefs_at(
    session: Session,
    tenant: str,
    at: datetime,
    *,
    ids: Sequence[str] | None = None,
    states: Sequence[str] = (),
    scope_path: str = "",
    limit: int | None = None,
    after: str = "",
) -> list[BeliefRow]:
    """Beliefs as they stood at `at`, the oldest first; one that was born later is not among them."""
    rows = session.execute(
        text(
            """
            select snapshot from (
                select distinct on (belief_id) belief_id, snapshot from bio.belief_history
                where tenant = :t and at <= :at and belief_id > :after
                  and (cast(:ids as text[]) is null or belief_id = any(:ids))
                order by belief_id, seq desc) past
            where (cardinality(cast(:states as text[])) = 0 or snapshot ->> 'state' = any(:states))
              and (:scope = '' or snapshot ->> 'scope_path' = :scope)
            order by belief_id limit :limit
            """
        ),
        {
            "t": tenant, "at": at, "after": after, "ids": None if ids is None else list(ids), "states": list(states),
            "scope": scope_path, "limit": limit,
        },
    ).scalars()  # fmt: skip
    return [belief_from(tenant, s) for s in rows]


def known_support(session: Session, tenant: str, belief_id: str, at: datetime) -> set[str]:
    """Episodes that had been counted for the belief by then, whenever they happened."""
    rows = session.execute(
        text(
            "select distinct jsonb_array_elements_text(data -> 'episodes') from bio.audit"
            " where tenant = :t and subject = 'belief:' || :b and act = 'belief_supported' and at <= :at"
        ),
        {"t": tenant, "b": belief_id, "at": at},
    ).scalars()
    return set(rows)


def exceptions_at(session: Session, tenant: str, belief_ids: Iterable[str], at: datetime) -> list[ExceptionRow]:
    """Exceptions that were there at `at`, each in the state it had then; rows of no session."""
    rows = list(
        session.exec(
            select(ExceptionRow).where(
                ExceptionRow.tenant == tenant, col(ExceptionRow.belief_id).in_(list(belief_ids)), ExceptionRow.created_at <= at
            )
        )
    )  # fmt: skip
    moved = session.execute(
        text(
            """
            select distinct on (subject) subject, after, actor from bio.audit
            where tenant = :t and subject = any(:s) and act like 'exception\\_%' and at <= :at order by subject, seq desc
            """
        ),
        {"t": tenant, "s": [f"exception:{x.id}" for x in rows], "at": at},
    )
    then = {subject: (after, actor) for subject, after, actor in moved}
    out = []
    for x in rows:
        state, actor = then.get(f"exception:{x.id}", ("proposed", ""))
        approved_by = {"approved": actor, "proposed": "", "rejected": ""}.get(state, x.approved_by)
        out.append(ExceptionRow(**x.model_dump(exclude={"state", "approved_by"}), state=state, approved_by=approved_by))
    return sorted(out, key=lambda x: x.id)
