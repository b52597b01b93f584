"""L2 memories: written by promote and by `remember`, read by recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.ledger import Entry, audit
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


def twin(
    session: Session, tenant: str, vector: Sequence[float], model: str, workspace: str, kind: str, at_least: float
) -> MemoryRow | None:
    """The nearest active memory of that kind and workspace, if it is at least that near (cosine)."""
    row = session.execute(
        text(
            """
            select id from (
                select id, (embedding <=> cast(:v as halfvec)) + 0 as distance from bio.memories
                where tenant = :t and workspace = :w and kind = :k and state = 'active' and embedding_model = :m
                  and embedding is not null and superseded_by is null
                order by 2 limit 1) n
            where 1 - distance >= :floor
            """
        ),
        {"t": tenant, "v": vector_text(vector), "m": model, "w": workspace, "k": kind, "floor": at_least},
    ).first()
    return session.get(MemoryRow, (tenant, row[0])) if row else None


def confirm(session: Session, tenant: str, memory_id: str) -> None:
    """New evidence for what is known: the half-life doubles (the caller's formula), the memory counts as fresh."""
    session.execute(
        text(
            "update bio.memories set confirmations = confirmations + 1, confirmed_at = bio.now(), updated_at = bio.now()"
            " where tenant = :t and id = :i"
        ),
        {"t": tenant, "i": memory_id},
    )


_FILTERS = """
    m.tenant = :tenant
    and m.state = any(:states)
    and not m.recheck
    and (cast(:kinds as text[]) is null or m.kind = any(:kinds))
    and (cast(:type as text) is null or m.type = :type)
    and (cast(:workspace as text) is null or m.workspace in (:workspace, ''))
    and (cast(:source as text) is null or m.source = :source)
    and (cast(:tags as text[]) is null or m.tags @> :tags)
    and (cast(:since as timestamptz) is null or m.occurred_at >= :since)
    and (cast(:until as timestamptz) is null or m.occurred_at < :until)
    and (cast(:user_id as text) is null or m.user_id in ('', :user_id))
    and m.valid_from <= coalesce(:at, bio.now())
    and (m.valid_to is null or m.valid_to > coalesce(:at, bio.now())
         or m.superseded_by is not null and cast(:at as timestamptz) is null)
"""
# The routes in one statement. `p` holds the postings of the query's terms among the memories asked for, so that a term's
# weight comes from the same rows that are searched; `near` brings the neighbours of a thread and what replaced a hit.
_ROUTES = f"""
    with p as (
        select t.memory_id, t.term, t.frequency, m.term_count
        from bio.memory_terms t join bio.memories m on m.tenant = t.tenant and m.id = t.memory_id
        where t.tenant = :tenant and t.term = any(:terms) and {_FILTERS}),
    n as (
        select q.term, ln(1 + (greatest(:total - count(p.term), 0) + 0.5) / (count(p.term) + 0.5)) as weight
        from unnest(cast(:terms as text[])) as q (term) left join p on p.term = q.term group by q.term),
    s as (
        select p.memory_id as id, sum(n.weight) as covered,
               sum(n.weight * p.frequency * (:k1 + 1) / (p.frequency + :k1 * (1 - :b + :b * p.term_count / :mean))) as score
        from p join n on n.term = p.term group by p.memory_id),
    v as (
        select m.id, (m.embedding <=> cast(:vector as halfvec)) + 0 as distance from bio.memories m
        where cast(:vector as text) is not null and m.embedding_model = :model and m.embedding is not null and {_FILTERS}
        order by 2 limit :most),
    g as (
        select m.id, count(*) as score from bio.edges e join bio.memories m on m.tenant = e.tenant and 'memory:' || m.id = e.source
        where e.tenant = :tenant and e.relation = 'mentions' and e.target = any(:entities) and {_FILTERS}
        group by m.id order by 2 desc limit :most),
    hit as (
        select id from v union (select id from s order by score desc limit :most) union select id from g),
    near as (
        select b.id from hit join bio.memories a on a.tenant = :tenant and a.id = hit.id
        join bio.memories b on b.tenant = :tenant and b.thread = a.thread and b.position between a.position - :reach and a.position + :reach
        where a.thread <> ''
        union select a.superseded_by from hit join bio.memories a on a.tenant = :tenant and a.id = hit.id
        where a.superseded_by is not null),
    c as (select id from hit union select id from near)
    select m.id,
           case when m.embedding_model = :model then 1 - (m.embedding <=> cast(:vector as halfvec)) end as vector,
           coalesce(s.score, 0) as words, coalesce(s.covered / (select sum(weight) from n), 0) as covered,
           coalesce(g.score, 0) as graph, hit.id is not null as hit
    from c join bio.memories m on m.id = c.id left join s on s.id = c.id left join g on g.id = c.id left join hit on hit.id = c.id
    where {_FILTERS}
"""  # noqa: S608 - built from this module's constant


@dataclass(frozen=True, slots=True)
class Raw:
    """What each route measured of one memory. vector: cosine, None where it has no vector of this model; words: BM25
    ≥ 0; covered: share in [0, 1] of the weight of the query's words that it holds; graph: how many of the named entities
    it mentions; hit: found by a route, not only as a neighbour of one."""

    vector: float | None
    words: float
    covered: float
    graph: int
    hit: bool


@dataclass(frozen=True, slots=True)
class Size:
    """How many memories the words' weights are reckoned over, and their mean length in terms."""

    total: int
    mean: float


def size(session: Session, tenant: str) -> Size:
    row = session.execute(
        text("select count(*), coalesce(avg(term_count), 0) from bio.memories where tenant = :t and state <> 'erased'"),
        {"t": tenant},
    ).one()
    return Size(int(row[0]), max(1.0, float(row[1])))


def matching(session: Session, tenant: str, terms: Sequence[str]) -> dict[str, int]:
    """Term → in how many memories of the tenant it occurs."""
    rows = session.execute(
        text("select term, count(*) from bio.memory_terms where tenant = :t and term = any(:terms) group by term"),
        {"t": tenant, "terms": list(terms)},
    )
    return {term: int(n) for term, n in rows}


def routes(
    session: Session,
    tenant: str,
    *,
    vector: Sequence[float] | None,
    model: str,
    terms: Sequence[str],
    entities: Sequence[str],
    filters: Mapping[str, Any],
    size: Size,
    k1: float,
    b: float,
    most: int = 50,
    reach: int = 2,
) -> dict[str, Raw]:
    """The routes of recall in one round trip: vector, words (BM25) and graph, with every measure of every candidate.

    most: best of each route taken; reach: how many neighbours of a conversation's turn come with it. Every route is
    limited to the tenant's own rows before anything is ranked, so a small tenant always gets its own.
    """
    params: dict[str, Any] = {
        "states": ["active"], "kinds": None, "type": None, "workspace": None, "source": None, "tags": None,
        "since": None, "until": None, "at": None, "user_id": None,
    } | dict(filters)  # fmt: skip
    params |= {
        "tenant": tenant, "model": model, "most": most, "reach": reach, "terms": list(terms), "k1": k1, "b": b,
        "entities": [f"entity:{e}" for e in entities], "vector": vector_text(vector) if vector is not None else None,
        "total": size.total, "mean": size.mean,
    }  # fmt: skip
    rows = session.execute(text(_ROUTES), params)
    return {
        memory_id: Raw(None if cosine is None else float(cosine), float(words), float(covered), int(graph), hit)
        for memory_id, cosine, words, covered, graph, hit in rows
    }


def older_alike(
    session: Session, tenant: str, vector: Sequence[float], model: str, *, workspace: str, kinds: Sequence[str],
    before: datetime, at_least: float, most: int = 5,
) -> list[tuple[MemoryRow, float]]:  # fmt: skip
    """The memories of a workspace that a newer one may replace: not replaced yet, older, nearest first with cosine."""
    rows = session.execute(
        text(
            """
            select id, 1 - distance from (
                select id, (embedding <=> cast(:v as halfvec)) + 0 as distance from bio.memories
                where tenant = :t and workspace = :w and kind = any(:k) and state = 'active' and embedding_model = :m
                  and embedding is not null and superseded_by is null and occurred_at < :before
                order by 2 limit :most) n
            where 1 - distance >= :floor
            """
        ),
        {"t": tenant, "v": vector_text(vector), "w": workspace, "k": list(kinds), "m": model, "before": before,
         "most": most, "floor": at_least},
    ).all()  # fmt: skip
    found = {m.id: m for m in by_ids(session, tenant, [r[0] for r in rows])}
    return [(found[r[0]], float(r[1])) for r in rows]


def supersede(
    session: Session, tenant: str, older_id: str, newer_id: str, *, cause: str, actor: str = "system"
) -> None:
    """The newer fact takes the older one's place: the older stays, below it, with the time it ended."""
    session.execute(
        text(
            "update bio.memories set superseded_by = :n, valid_to = bio.now(), updated_at = bio.now()"
            " where tenant = :t and id = :o and superseded_by is null"
        ),
        {"t": tenant, "o": older_id, "n": newer_id},
    )
    audit(session, tenant, [
        Entry("memory_superseded", subject=f"memory:{older_id}", actor=actor, cause=cause, data={"by": newer_id}),
    ])  # fmt: skip
