"""Beliefs: rows, evidence, exceptions, reviews; every change of state leaves an audit entry in its transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_schema import derived
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, EvidenceRow, ExceptionRow, InjectionRow, ReviewRow, TenantRow
from bio_agent_schema.types import BeliefState, Provenance

cascade, uncascade = derived.cascade, derived.uncascade

ACTIVE = (BeliefState.PROPOSED, BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED)
FALLEN = (BeliefState.DEPRECATED, BeliefState.ARCHIVED, BeliefState.REJECTED, BeliefState.QUARANTINED)


def now(session: Session) -> datetime:
    """The database's clock, the only one that rules, leases and expiry know."""
    value: datetime = session.execute(text("select bio.now()")).scalar_one()
    return value


def get(session: Session, tenant: str, belief_id: str) -> BeliefRow | None:
    return session.get(BeliefRow, (tenant, belief_id))


def holding(session: Session, tenant: str, part: str, most: int) -> list[BeliefRow]:
    """Beliefs whose id holds the part, the oldest first."""
    query = select(BeliefRow).where(BeliefRow.tenant == tenant, col(BeliefRow.id).contains(part, autoescape=True))
    return list(session.exec(query.order_by(col(BeliefRow.id)).limit(most)))


def by_ids(session: Session, tenant: str, ids: Iterable[str]) -> list[BeliefRow]:
    return list(session.exec(select(BeliefRow).where(BeliefRow.tenant == tenant, col(BeliefRow.id).in_(list(ids)))))


def by_key(session: Session, tenant: str, canonical_keys: Iterable[str]) -> list[BeliefRow]:
    """Every belief with one of these keys, whatever its state: a rejected one must be known too."""
    return list(
        session.exec(
            select(BeliefRow).where(BeliefRow.tenant == tenant, col(BeliefRow.canonical_key).in_(list(canonical_keys)))
        )
    )


def nearest(
    session: Session, tenant: str, vector: Sequence[float], model: str, *, most: int = 8, at_least: float = 0.0
) -> list[tuple[BeliefRow, float]]:
    """Active beliefs nearest to the vector with their cosine similarity, best first; exact within the tenant."""
    rows = session.execute(
        text(
            """
            select id, 1 - distance as similarity from (
                select id, (embedding <=> cast(:v as halfvec)) + 0 as distance from bio.beliefs
                where tenant = :t and embedding_model = :m and embedding is not null
                  and state in ('proposed', 'reinforced', 'stable', 'challenged')
                order by 2 limit :most) n
            where 1 - distance >= :floor order by 2 desc
            """
        ),
        {"t": tenant, "v": vector_text(vector), "m": model, "most": most, "floor": at_least},
    ).all()
    found = {b.id: b for b in by_ids(session, tenant, [r[0] for r in rows])}
    return [(found[r[0]], float(r[1])) for r in rows if r[0] in found]


def vector_text(vector: Sequence[float]) -> str:
    return "[" + ",".join(f"{x:.6g}" for x in vector) + "]"


def evidence_of(session: Session, tenant: str, belief_ids: Iterable[str]) -> dict[str, list[EvidenceRow]]:
    found: dict[str, list[EvidenceRow]] = {}
    rows = session.exec(
        select(EvidenceRow)
        .where(EvidenceRow.tenant == tenant, col(EvidenceRow.belief_id).in_(list(belief_ids)))
        .where(col(EvidenceRow.retracted_at).is_(None))
    )
    for row in rows:
        found.setdefault(row.belief_id, []).append(row)
    return found


def add_evidence(session: Session, rows: Sequence[EvidenceRow]) -> int:
    """Add evidence; an episode already counted for its belief changes nothing. Returns how many rows are new.

    New support that is not untrusted text is a re-check of a belief that waits for one; the owner's ends a dispute.
    """
    added: list[EvidenceRow] = []
    for row in rows:
        values = row.model_dump()
        result = session.execute(
            text(
                """
                insert into bio.evidence (tenant, belief_id, episode_id, supports, trust, speaker, origin, session, pair,
                    cycle_id, at)
                values (:tenant, :belief_id, :episode_id, :supports, :trust, :speaker, :origin, :session, :pair,
                    :cycle_id, :at)
                on conflict do nothing returning 1
                """
            ),
            values,
        )
        if result.all():
            added.append(row)
    support = [r for r in added if r.supports and r.trust != Provenance.UNTRUSTED]
    for tenant, belief_id in sorted({(r.tenant, r.belief_id) for r in support}):
        owner = any(r.trust == Provenance.OWNER for r in support if r.belief_id == belief_id)
        _spoken_for(session, tenant, belief_id, owner=owner)
    return len(added)


def _spoken_for(session: Session, tenant: str, belief_id: str, *, owner: bool) -> None:
    belief = session.get(BeliefRow, (tenant, belief_id))
    if belief is None or belief.state not in ACTIVE:
        return
    if belief.recheck:
        rechecked(session, belief, cause="new_support")
    if owner and belief.disputed:
        belief.disputed = False
        session.add(belief)
        audit(session, tenant, [Entry("belief_reaffirmed", subject=f"belief:{belief_id}", cause="owner")])


def rechecked(session: Session, belief: BeliefRow, *, cause: str, actor: str = "system") -> None:
    """A belief that was looked at again and holds: it may speak, and so may what was derived from it."""
    belief.recheck = False
    session.add(belief)
    session.flush()
    audit(session, belief.tenant, [Entry("rechecked", subject=f"belief:{belief.id}", actor=actor, cause=cause)])
    derived.uncascade(session, belief.tenant, belief.id)


def insert(session: Session, row: BeliefRow, *, actor: str = "system") -> BeliefRow:
    """Insert a belief, or return the active one of the same scope and canonical key that is there already."""
    existing = session.exec(
        select(BeliefRow).where(
            BeliefRow.tenant == row.tenant, BeliefRow.scope_path == row.scope_path,
            BeliefRow.scope_agent == row.scope_agent, BeliefRow.scope_user == row.scope_user,
            BeliefRow.canonical_key == row.canonical_key, col(BeliefRow.state).in_([*ACTIVE, "quarantined"]),
        ).with_for_update()
    ).first()  # fmt: skip
    if existing is not None:
        return existing
    session.add(row)
    session.flush()
    audit(session, row.tenant, [
        Entry("belief_created", subject=f"belief:{row.id}", actor=actor, cycle_id=row.cycle_id or "", cause=row.cause,
              after=row.state, data={"confidence": round(row.confidence, 4), "scope": row.scope_path, "layer": row.layer}),
    ])  # fmt: skip
    return row


def move(
    session: Session,
    belief: BeliefRow,
    after: str,
    *,
    cause: str,
    actor: str = "system",
    cycle_id: str = "",
    why: str = "",
) -> None:
    """Change a belief's state with its cause in the audit. Legality is the caller's (brain.lifecycle) to know.

    What was derived from it waits for a re-check when it falls, and is free when it stands again. An owner's rule that is
    challenged is disputed until the owner says it again, a person decides, or it is out of dispute by another move.
    """
    before, belief.state, belief.cause = belief.state, after, cause
    if after != before:
        belief.disputed = after == BeliefState.CHALLENGED and (belief.disputed or belief.rank == Provenance.OWNER)
    belief.updated_at = now(session)
    belief.version += 1
    session.add(belief)
    session.flush()
    data: dict[str, Any] = {"confidence": round(belief.confidence, 4), "support": belief.support_count}
    audit(session, belief.tenant, [
        Entry("belief_moved", subject=f"belief:{belief.id}", actor=actor, cycle_id=cycle_id, cause=cause,
              before=before, after=after, data=data | ({"why_length": len(why)} if why else {})),
    ])  # fmt: skip
    if after in FALLEN and before not in FALLEN and cause != "aged_out":
        derived.cascade(session, belief.tenant, belief.id)
    elif before in FALLEN and after not in FALLEN:
        derived.uncascade(session, belief.tenant, belief.id)


def touch_epoch(session: Session, tenant: str) -> None:
    """What may be injected has changed: the next reading of the prompt block renders it anew."""
    session.execute(text("update bio.tenants set persona_epoch = persona_epoch + 1 where tenant = :t"), {"t": tenant})


def tenant_row(session: Session, tenant: str) -> TenantRow:
    return session.get_one(TenantRow, tenant)


def listed(
    session: Session,
    tenant: str,
    *,
    states: Sequence[str] = (),
    scope_path: str = "",
    limit: int = 200,
    after: str = "",
) -> list[BeliefRow]:
    """Beliefs, the oldest first, paged by id (ids are time-ordered)."""
    query = select(BeliefRow).where(BeliefRow.tenant == tenant)
    if states:
        query = query.where(col(BeliefRow.state).in_(list(states)))
    if scope_path:
        query = query.where(BeliefRow.scope_path == scope_path)
    if after:
        query = query.where(BeliefRow.id > after)
    return list(session.exec(query.order_by(col(BeliefRow.id)).limit(limit)))


@dataclass(frozen=True, slots=True)
class Speaking:
    """What a scope's block may say. rules: the first `most` in the block's order, and the first `most` not yet shown to
    anyone; begins: when the next rule of this scope that waits for its time begins, None without one; in_force: how many
    these were chosen from."""

    rules: list[Any]
    begins: datetime | None
    in_force: int


#: The rules that may speak to a caller at `now`, of which a block holds the first that fit. The conditions and the order
#: are those of the block's `may_be_injected` and `order_key`; the first three lines are those of the index
#: `beliefs_speaking`, which has the order too, so that the first are read from its front and counted without the table.
_SPEAKING = """
    b.tenant = :t and b.state in ('proposed', 'reinforced', 'stable', 'challenged') and not b.recheck and b.rendering <> ''
    and (b.layer = 'core' or b.rank <> 'untrusted' and (b.state = 'stable' or b.state = 'reinforced'
         or b.state = 'challenged' and b.rank = 'owner'))
    and (b.layer = 'core' or b.state <> 'reinforced' or b.confidence >= :least)
    and (b.valid_to is null or b.valid_to > :now)
"""
_ORDER = """
    {0}.layer <> 'core', {0}.rank <> 'owner', {0}.hurt - {0}.helped, {0}.created_at, {0}.id collate "C" limit :most
"""
_FIRST = f"""
    select f.* from place p cross join lateral (
        select b.id, b.rendering, b.layer, b.state, b.confidence, b.rank, b.scope_path, b.scope_agent, b.scope_user, b.helped,
               b.hurt, b.injected, b.created_at, b.disputed, b.valid_to
        from bio.beliefs b where b.scope_path = p.path and b.scope_agent = p.of_agent and b.scope_user = p.of_user
            and b.valid_from <= :now and {_SPEAKING} {{more}}
        order by {_ORDER.format("b")}) f order by {_ORDER.format("f")}
"""  # noqa: S608 - built from this module's constants, as what follows
_SPOKEN = text(
    f"""
    with place as (
        select distinct path, of_agent, of_user from unnest(cast(:paths as text[])) path,
            unnest(array['', :agent]) of_agent, unnest(array['', :user]) of_user),
    first as (({_FIRST.format(more="")}) union ({_FIRST.format(more="and b.injected = 0")}))
    select first.*, c.begins, c.in_force from (
        select min(b.valid_from) filter (where b.valid_from > :now) as begins,
               count(*) filter (where b.valid_from <= :now) as in_force
        from bio.beliefs b where b.scope_path = any(:paths) and b.scope_agent in ('', :agent) and b.scope_user in ('', :user)
            and {_SPEAKING}) c
    left join first on true
    """  # noqa: S608
)


def speaking(
    session: Session, tenant: str, *, paths: Sequence[str], agent: str, user: str, least: float, most: int, now: datetime,
) -> Speaking:  # fmt: skip
    """Rules in force whose scope is one of `paths` and whose limits the caller meets; only what a block can hold is read.

    least: confidence from which a reinforced rule is in force. now: the database's clock.
    """
    rows = session.execute(
        _SPOKEN,
        {"t": tenant, "paths": list(paths), "agent": agent, "user": user, "least": least, "most": most, "now": now},
    ).all()
    return Speaking([r for r in rows if r.id is not None], rows[0].begins, rows[0].in_force)


def live_exceptions(session: Session, tenant: str, belief_ids: Sequence[str]) -> list[ExceptionRow]:
    """Exceptions in force by the database's clock: approved, begun, not expired, not revoked."""
    return list(
        session.exec(
            select(ExceptionRow).where(
                ExceptionRow.tenant == tenant, col(ExceptionRow.belief_id).in_(list(belief_ids)),
                ExceptionRow.state == "approved",
                text("valid_from <= bio.now() and (expires_at is null or expires_at > bio.now())"),
            )
        )
    )  # fmt: skip


def exceptions_of(session: Session, tenant: str, belief_ids: Sequence[str]) -> list[ExceptionRow]:
    """Oldest first."""
    return list(
        session.exec(
            select(ExceptionRow)
            .where(ExceptionRow.tenant == tenant, text("belief_id = any(:ids)").bindparams(ids=list(belief_ids)))
            .order_by(col(ExceptionRow.created_at), col(ExceptionRow.id))
        )
    )


def open_review(
    session: Session, tenant: str, kind: str, belief_id: str, other_id: str = "", question: str = ""
) -> str:
    """Ask a person; one open review of a kind for a pair, however often the question comes up."""
    pair = sorted((belief_id, other_id)) if other_id else [belief_id, ""]
    existing = session.exec(
        select(ReviewRow).where(
            ReviewRow.tenant == tenant, ReviewRow.kind == kind, ReviewRow.state == "open",
            ReviewRow.belief_id == pair[0], ReviewRow.other_id == pair[1],
        )
    ).first()  # fmt: skip
    if existing:
        return existing.id
    row = ReviewRow(tenant=tenant, id=uuid7(), kind=kind, belief_id=pair[0], other_id=pair[1], question=question)
    session.add(row)
    session.flush()
    audit(session, tenant, [Entry("review_opened", subject=f"review:{row.id}", cause=kind,
                                  data={"belief": belief_id, "other": other_id})])  # fmt: skip
    return row.id


def reviews(session: Session, tenant: str, belief_id: str = "", state: str = "open") -> list[ReviewRow]:
    """Questions to a person, the oldest first; `state` "" for those that were decided too."""
    query = select(ReviewRow).where(ReviewRow.tenant == tenant)
    if state:
        query = query.where(ReviewRow.state == state)
    if belief_id:
        query = query.where((ReviewRow.belief_id == belief_id) | (ReviewRow.other_id == belief_id))
    return list(session.exec(query.order_by(col(ReviewRow.id))))


def injected_texts(session: Session, tenant: str, session_id: str) -> list[str]:
    """Normalised texts of the rules a session was given, so that their echo is not taken for evidence."""
    rows = session.execute(
        text(
            """
            select distinct coalesce(nullif(b.rendering, ''), b.content) from bio.injections i
            join bio.beliefs b on b.tenant = i.tenant and b.id = i.rule_id
            where i.tenant = :t and i.session = :s
            """
        ),
        {"t": tenant, "s": session_id},
    )
    return [" ".join(r[0].split()).casefold() for r in rows]


def credits_of(session: Session, tenant: str, belief_id: str) -> list[InjectionRow]:
    """Sessions in which the rule was found to have helped or hurt."""
    return list(
        session.exec(
            select(InjectionRow).where(
                InjectionRow.tenant == tenant, InjectionRow.rule_id == belief_id, InjectionRow.credited != ""
            )
        )
    )


def state_since(session: Session, belief: BeliefRow) -> datetime:
    """When the belief entered its state, by the audit."""
    at = session.execute(
        text(
            "select max(at) from bio.audit where tenant = :t and subject = 'belief:' || :b"
            " and act in ('belief_moved', 'belief_created') and after = :s"
        ),
        {"t": belief.tenant, "b": belief.id, "s": belief.state},
    ).scalar()
    return at or belief.created_at
