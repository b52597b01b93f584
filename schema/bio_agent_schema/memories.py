"""L2 memories: written by promote and by `remember`, read by recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.memory_sizes import is_indexed
from bio_agent_schema.tables import MemoryRow


def insert(
    session: Session, row: MemoryRow, terms: Mapping[str, int], sources: Sequence[str] = (), *, actor: str = "system"
) -> MemoryRow:
    """terms: what the memory is found under by words, term → how often."""
    row.term_count = sum(terms.values())
    session.add(row)
    session.flush()
    set_terms(session, row.tenant, row.id, terms)
    if sources:
        add_sources(session, row.tenant, row.id, sources)
    audit(session, row.tenant, [
        Entry("memory_created", subject=f"memory:{row.id}", actor=actor, cycle_id=row.cycle_id or "", cause=row.kind,
              data={"importance": row.importance, "episodes": list(sources)}),
    ])  # fmt: skip
    return row


def set_terms(session: Session, tenant: str, memory_id: str, terms: Mapping[str, int]) -> None:
    session.execute(
        text("delete from bio.memory_terms where tenant = :t and memory_id = :m"), {"t": tenant, "m": memory_id}
    )
    session.execute(
        text(
            "insert into bio.memory_terms (tenant, term, memory_id, frequency)"
            " select :t, term, :m, frequency from unnest(cast(:terms as text[]), cast(:counts as smallint[])) as u (term, frequency)"
        ),
        {"t": tenant, "m": memory_id, "terms": list(terms), "counts": [min(c, 32_767) for c in terms.values()]},
    )


def by_ids(session: Session, tenant: str, ids: Sequence[str]) -> list[MemoryRow]:
    return list(session.exec(select(MemoryRow).where(MemoryRow.tenant == tenant, col(MemoryRow.id).in_(ids))))


def holding(session: Session, tenant: str, part: str, most: int) -> list[MemoryRow]:
    """Memories that are not erased and whose id holds the part, in the order of their ids."""
    here = (MemoryRow.tenant == tenant, MemoryRow.state != "erased", col(MemoryRow.id).contains(part, autoescape=True))
    return list(session.exec(select(MemoryRow).where(*here).order_by(col(MemoryRow.id)).limit(most)))


def listed(
    session: Session, tenant: str, *, kinds: Sequence[str] = (), states: Sequence[str] = (), workspace: str = "",
    holds: str = "", limit: int = 200, after: str = "",
) -> list[MemoryRow]:  # fmt: skip
    """Memories, the oldest first, paged by id (ids are time-ordered). holds: part of the words, in any case."""
    query = select(MemoryRow).where(MemoryRow.tenant == tenant, MemoryRow.id > after)
    if kinds:
        query = query.where(col(MemoryRow.kind).in_(list(kinds)))
    if states:
        query = query.where(col(MemoryRow.state).in_(list(states)))
    if workspace:
        query = query.where(MemoryRow.workspace == workspace)
    if holds:
        query = query.where(col(MemoryRow.content).icontains(holds, autoescape=True))
    vectors = (defer(MemoryRow.embedding), defer(MemoryRow.next_embedding))
    return list(session.exec(query.options(*vectors).order_by(col(MemoryRow.id)).limit(limit)))


def sources_of(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = session.execute(
        text("select memory_id, episode_id from bio.memory_sources where tenant = :t and memory_id = any(:ids)"),
        {"t": tenant, "ids": list(ids)},
    )
    for memory_id, episode_id in rows:
        found.setdefault(memory_id, []).append(episode_id)
    return found


def add_sources(session: Session, tenant: str, memory_id: str, episode_ids: Sequence[str]) -> None:
    session.execute(
        text(
            "insert into bio.memory_sources (tenant, memory_id, episode_id)"
            " select :t, :m, unnest(cast(:e as text[])) on conflict do nothing"
        ),
        {"t": tenant, "m": memory_id, "e": list(episode_ids)},
    )


# Of the memories that one may be compared with: those of its workspace and kinds that hold, by one model's vectors.
_ALIKE = """
    m.tenant = :t and m.workspace = :w and m.kind = any(:k) and m.state = 'active' and m.embedding_model = :m
    and m.embedding is not null and m.superseded_by is null
    and (cast(:before as timestamptz) is null or m.occurred_at < :before)
"""


def _alike(
    session: Session, tenant: str, vector: Sequence[float], model: str, *, workspace: str, kinds: Sequence[str],
    before: datetime | None, at_least: float, most: int,
) -> list[tuple[str, float]]:  # fmt: skip
    """(id, cosine) of the nearest, best first. In a large tenant its vector index nominates."""
    indexed = is_indexed(session, tenant, model)
    size = len(vector)
    near = (
        f"(m.embedding::halfvec({size})) <=> cast(:v as halfvec({size}))"
        if indexed
        else "m.embedding <=> cast(:v as halfvec)"
    )
    order = near if indexed else "2"  # an expression of its own keeps the planner to the exact scan
    if indexed:
        session.execute(text("select set_config('hnsw.iterative_scan', 'relaxed_order', true)"))
    rows = session.execute(
        text(
            f"""
            select id, 1 - distance from (
                select m.id, ({near}) + 0 as distance from bio.memories m where {_ALIKE} order by {order} limit :most) n
            where 1 - distance >= :floor order by 2 desc
            """  # noqa: S608 - built from this module's constants and a number
        ),
        {"t": tenant, "v": vector_text(vector), "w": workspace, "k": list(kinds), "m": model, "before": before,
         "most": most, "floor": at_least},
    ).all()  # fmt: skip
    return [(r[0], float(r[1])) for r in rows]


def taking_turns(session: Session, tenant: str) -> None:
    """Until the transaction ends nobody else of the tenant looks for a twin: what several tell at once is kept once."""
    session.execute(text("select pg_advisory_xact_lock(hashtext('bio.remember:' || :t))"), {"t": tenant})


def confirm(session: Session, tenant: str, memory_id: str) -> None:
    """New evidence for what is known: the half-life doubles (the caller's formula), the memory counts as fresh."""
    session.execute(
        text(
            "update bio.memories set confirmations = confirmations + 1, confirmed_at = bio.now(), updated_at = bio.now()"
            " where tenant = :t and id = :i"
        ),
        {"t": tenant, "i": memory_id},
    )


def alike(
    session: Session, tenant: str, vector: Sequence[float], model: str, *, workspace: str, kinds: Sequence[str],
    at_least: float, before: datetime | None = None, most: int = 5,
) -> list[tuple[MemoryRow, float]]:  # fmt: skip
    """Memories of a workspace and of these kinds that hold and were not replaced, nearest first with cosine; only those
    older than `before` where it is given."""
    near = _alike(
        session, tenant, vector, model, workspace=workspace, kinds=kinds, before=before, at_least=at_least, most=most
    )
    found = {m.id: m for m in by_ids(session, tenant, [i for i, _ in near])}
    return [(found[i], cosine) for i, cosine in near]


def supersede(
    session: Session, tenant: str, older_id: str, newer_id: str, *, cause: str, actor: str = "system"
) -> None:
    """The newer fact takes the older one's place: the older stays, below it, with the time it ended, which is when the
    newer began to hold."""
    session.execute(
        text(
            """
            update bio.memories o set superseded_by = :n, updated_at = bio.now(), valid_to = greatest(o.valid_from, coalesce(
                (select n.valid_from from bio.memories n where n.tenant = :t and n.id = :n), bio.now()))
            where o.tenant = :t and o.id = :o and o.superseded_by is null
            """
        ),
        {"t": tenant, "o": older_id, "n": newer_id},
    )
    audit(session, tenant, [
        Entry("memory_superseded", subject=f"memory:{older_id}", actor=actor, cause=cause, data={"by": newer_id}),
    ])  # fmt: skip


def open_accounts(
    session: Session, tenant: str, failures: Sequence[str], *, closed: bool = False
) -> dict[str, list[str]]:
    """Memories that tell of nothing but failures, and of one of these → the failures they cite. closed: only those of
    whose failures each is resolved by now."""
    rows = session.execute(
        text(
            """
            select m.id, array_agg(e.id order by e.id)
            from (select distinct memory_id from bio.memory_sources where tenant = :t and episode_id = any(:f)) n
            join bio.memories m on m.tenant = :t and m.id = n.memory_id and m.kind = 'exception'
              and m.superseded_by is null and m.state in ('active', 'cold')
            join bio.memory_sources s on s.tenant = :t and s.memory_id = m.id
            join bio.episodes e on e.tenant = :t and e.id = s.episode_id
            group by m.id
            having bool_and(e.is_failure) and (not :closed or bool_and(e.resolved_by is not null))
            order by m.id
            """
        ),
        {"t": tenant, "f": list(failures), "closed": closed},
    )
    return {r[0]: list(r[1]) for r in rows}
