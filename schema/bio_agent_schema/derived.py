"""What was derived from a belief: marked for re-check when the belief falls, free again when nothing it rests on has fallen.

Derived is what a `derived_from` edge says, through any number of steps, and the memory of words that a person asked to keep
and that became the rule (both rest on one observation, whose id begins with `remember:`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import MemoryRow

REMEMBERED = "remember:"  # begins the id of an observation that came from `remember`


def _resting_on(node: str) -> str:
    """SQL for the nodes derived from `node` in one step."""
    return f"""
        select source from bio.edges where tenant = :t and relation = 'derived_from' and target = {node}
        union all
        select e.source from bio.evidence v
        join bio.edges e on e.tenant = v.tenant and e.target = 'episode:' || v.episode_id and e.relation = 'derived_from'
        where v.tenant = :t and starts_with({node}, 'belief:') and v.belief_id = substr({node}, 8)
          and v.supports and v.retracted_at is null and starts_with(v.episode_id, '{REMEMBERED}')
          and starts_with(e.source, 'memory:')
    """  # noqa: S608 - built from this module's constants


_OF_BELIEF = _resting_on("'belief:' || :b")
_DOWN = f"""
    with recursive down(node) as (
        select source from ({_OF_BELIEF}) first
        union
        select l.source from down d join lateral ({_resting_on("d.node")}) l on true
    )
"""  # noqa: S608
# What rests on a belief that is fallen still, through what waits itself; one that was looked at again carries no doubt on.
_DOUBT = f"""
    doubt(node) as (
        select l.source from bio.beliefs p join lateral ({_resting_on("'belief:' || p.id")}) l on true
        where p.tenant = :t and p.state in ('deprecated', 'archived', 'rejected', 'quarantined')
        union
        select l.source from doubt d join lateral ({_resting_on("d.node")}) l on true
        where exists (select 1 from bio.beliefs w where w.tenant = :t and w.recheck and w.id = substr(d.node, 8))
           or exists (select 1 from bio.memories w where w.tenant = :t and w.recheck and w.id = substr(d.node, 8))
    )
"""  # noqa: S608


def cascade(session: Session, tenant: str, belief_id: str) -> int:
    """Mark what was derived from a fallen belief for re-check; it is not injected until it was. Returns how many."""
    marked = session.execute(
        text(
            f"""
            {_DOWN},
            m as (update bio.memories set recheck = true, updated_at = bio.now()
                  where tenant = :t and not recheck and id in (select substr(node, 8) from down where starts_with(node, 'memory:'))
                  returning 1),
            r as (update bio.beliefs set recheck = true, updated_at = bio.now()
                  where tenant = :t and not recheck and id <> :b
                    and id in (select substr(node, 8) from down where starts_with(node, 'belief:'))
                  returning 1)
            select (select count(*) from m) + (select count(*) from r)
            """  # noqa: S608
        ),
        {"t": tenant, "b": belief_id},
    ).scalar_one()
    if marked:
        audit(session, tenant, [Entry("cascade", subject=f"belief:{belief_id}", cause="fell", data={"marked": marked})])
    return int(marked)


def uncascade(session: Session, tenant: str, belief_id: str) -> int:
    """A belief that stands again: what was derived from it is free, unless it rests on another that is fallen. Returns how
    many were freed."""
    freed = session.execute(
        text(
            f"""
            {_DOWN}, {_DOUBT},
            free as (select node from down except select node from doubt),
            m as (update bio.memories set recheck = false, updated_at = bio.now()
                  where tenant = :t and recheck and id in (select substr(node, 8) from free where starts_with(node, 'memory:'))
                  returning 1),
            r as (update bio.beliefs set recheck = false, updated_at = bio.now()
                  where tenant = :t and recheck and id in (select substr(node, 8) from free where starts_with(node, 'belief:'))
                  returning 1)
            select (select count(*) from m) + (select count(*) from r)
            """  # noqa: S608
        ),
        {"t": tenant, "b": belief_id},
    ).scalar_one()
    if freed:
        audit(
            session, tenant, [Entry("rechecked", subject=f"belief:{belief_id}", cause="stands", data={"freed": freed})]
        )
    return int(freed)


def of_belief(session: Session, tenant: str, belief_id: str) -> list[dict[str, Any]]:
    """What was derived from a belief: {node, recheck}, each once."""
    rows = session.execute(
        text(
            f"""
            {_DOWN}
            select node, coalesce(m.recheck, b.recheck) as recheck from down
            left join bio.memories m on m.tenant = :t and node = 'memory:' || m.id
            left join bio.beliefs b on b.tenant = :t and node = 'belief:' || b.id
            where m.id is not null or b.id is not null order by node limit 200
            """  # noqa: S608
        ),
        {"t": tenant, "b": belief_id},
    ).mappings()
    return [dict(r) for r in rows]


def memories_of(session: Session, tenant: str, belief_id: str) -> list[MemoryRow]:
    """Memories that tell the belief itself, in whatever words; locked, the oldest first."""
    ids = session.execute(
        text(
            f"select distinct substr(source, 8) from ({_OF_BELIEF}) l where starts_with(source, 'memory:')"  # noqa: S608
        ),
        {"t": tenant, "b": belief_id},
    ).scalars()
    query = select(MemoryRow).where(MemoryRow.tenant == tenant, col(MemoryRow.id).in_(list(ids)))
    return list(session.exec(query.order_by(col(MemoryRow.id)).with_for_update()))


def kept_of(session: Session, tenant: str, episode_ids: Sequence[str]) -> frozenset[str]:
    """The memories of words that a person asked to keep, of those of these observations that came from `remember`."""
    heard = [f"episode:{i}" for i in episode_ids if i.startswith(REMEMBERED)]
    if not heard:
        return frozenset()
    rows = session.execute(
        text(
            "select substr(source, 8) from bio.edges where tenant = :t and relation = 'derived_from' and target = any(:h)"
            " and starts_with(source, 'memory:')"
        ),
        {"t": tenant, "h": heard},
    )
    return frozenset(rows.scalars())


def telling(session: Session, tenant: str, belief_ids: Sequence[str]) -> frozenset[str]:
    """The memories derived from one of these beliefs that say what it says, in the same words."""
    node = "'belief:' || b.id"
    rows = session.execute(
        text(
            f"""
            select m.id from bio.beliefs b join lateral ({_resting_on(node)}) l on true
            join bio.memories m on m.tenant = :t and l.source = 'memory:' || m.id
            where b.tenant = :t and b.id = any(:b) and lower(m.content) in (lower(b.content), lower(b.rendering))
            """  # noqa: S608 - built from this module's constants
        ),
        {"t": tenant, "b": list(belief_ids)},
    )
    return frozenset(r[0] for r in rows)
