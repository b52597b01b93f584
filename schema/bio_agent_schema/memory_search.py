"""The search for memories in one statement: words (BM25), vectors, graph, a thread's neighbours, and what goes with a hit.

What a query costs is bounded however large the tenant is. Words: the postings of its rarest terms, POSTINGS in all; the
frequent ones only weigh what the other routes and terms have found. Vectors: every row of the scope up to EXACT_UP_TO
of them, above it the tenant's own HNSW index, with the exact scan again where the index gave fewer than were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.memory_sizes import EXACT_UP_TO, POSTINGS, Size
from bio_agent_schema.tables import MemoryRow

EF_SEARCH = 200  # candidates that HNSW keeps; 100 gave 0.01 to 0.03 less recall for a third of a millisecond
CHAIN = 8  # replacements followed from a hit to what holds now

# The clock is read once a statement, in a sub-select: as a function of each row it costs more than comparing the vectors.
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
    and m.valid_from <= (select coalesce(cast(:at as timestamptz), bio.now()))
    and (m.valid_to is null or m.valid_to > (select coalesce(cast(:at as timestamptz), bio.now()))
         or m.superseded_by is not null and cast(:at as timestamptz) is null)
"""
NO_FILTER: Mapping[str, Any] = {
    "states": ["active"], "kinds": None, "type": None, "workspace": None, "source": None, "tags": None, "since": None,
    "until": None, "at": None, "user_id": None,
}  # fmt: skip

# A vector of the model that answers: a memory's own, or the one that waits beside it while the embedder changes.
_VECTOR = "case when m.embedding_model = :model then m.embedding when m.next_model = :model then m.next_embedding end"
_EXACT = f"""
    select m.id, (({_VECTOR}) <=> cast(:vector as halfvec)) + 0 as distance from bio.memories m
    where cast(:vector as text) is not null and (m.embedding_model = :model or m.next_model = :model) and {_FILTERS}
    order by 2 limit :most
"""  # noqa: S608 - built from this module's constants, as all below
_INDEXED = f"""
    select m.id, (m.embedding::halfvec({{dimensions}})) <=> cast(:vector as halfvec({{dimensions}})) as distance
    from bio.memories m where m.embedding_model = :model and {_FILTERS}
    order by (m.embedding::halfvec({{dimensions}})) <=> cast(:vector as halfvec({{dimensions}})) limit :most
"""  # noqa: S608
# How postings find their memories: a few by their key, many by whatever the planner finds cheapest.
_FEW = f"cross join lateral (select m.term_count from bio.memories m where m.id = t.memory_id and {_FILTERS} limit 1) m"  # noqa: S608
_MANY = f"join bio.memories m on m.id = t.memory_id and {_FILTERS}"
_BM25 = "n.weight * {f} * (:k1 + 1) / ({f} + :k1 * (1 - :b + :b * {size} / :mean))"

_ROUTES = f"""
    with recursive asked as (
        select * from unnest(cast(:terms as text[]), cast(:frequencies as bigint[]), cast(:caps as bigint[])) as q (term, df, cap)),
    p as (
        select t.memory_id, q.term, t.frequency, m.term_count
        from asked q cross join lateral (
            select t.memory_id, t.frequency from bio.memory_terms t where t.tenant = :tenant and t.term = q.term
            order by t.memory_id desc limit q.cap) t
        {{join}}),
    n as (
        select d.term, ln(cast(1 + (greatest(:total - d.df, 0) + 0.5) / (d.df + 0.5) as float8)) as weight
        from (select q.term, coalesce(q.df, count(p.term)) as df from asked q left join p on p.term = q.term group by q.term, q.df) d),
    s as (
        select p.memory_id as id, sum({_BM25.format(f="p.frequency", size="p.term_count")}) as score
        from p join n on n.term = p.term group by p.memory_id order by 2 desc limit :most),
    v as materialized ({{vector}}),
    g as (
        select m.id, count(*) as score from (
            select e.source from bio.edges e where e.tenant = :tenant and e.relation = 'mentions' and e.target = any(:entities)
                and starts_with(e.source, 'memory:') limit {POSTINGS}) e
        cross join lateral (select m.id from bio.memories m where m.id = substr(e.source, 8) and {_FILTERS} limit 1) m
        group by m.id order by 2 desc limit :most),
    hit as (select id from v union select id from s union select id from g),
    chain as (
        select a.superseded_by as id, 1 as step from hit join bio.memories a on a.tenant = :tenant and a.id = hit.id
        where a.superseded_by is not null
        union
        select a.superseded_by, chain.step + 1 from chain join bio.memories a on a.tenant = :tenant and a.id = chain.id
        where a.superseded_by is not null and chain.step < :chain),
    near as (
        select b.id from hit cross join lateral (
            select a.thread, a.position from bio.memories a where a.tenant = :tenant and a.id = hit.id and a.thread <> '' limit 1) a
        join bio.memories b on b.tenant = :tenant and b.thread <> '' and b.thread = a.thread
            and b.position between a.position - :reach and a.position + :reach
        union select id from chain
        union select substr(e.target, 8) from hit join bio.edges e on e.tenant = :tenant and e.source = 'memory:' || hit.id
            and e.relation = 'conflicts_with'),
    c as (select id from hit union select id from near),
    w as (
        select c.id, sum(n.weight) as covered, sum({_BM25.format(f="t.frequency", size="m.term_count")}) as score
        from c cross join lateral (
            select m.term_count from bio.memories m where m.tenant = :tenant and m.id = c.id limit 1) m
        cross join n cross join lateral (
            select t.frequency from bio.memory_terms t where t.tenant = :tenant and t.term = n.term and t.memory_id = c.id limit 1) t
        group by c.id)
    select m.id, 1 - (({_VECTOR}) <=> cast(:vector as halfvec)) as vector,
           coalesce(w.score, 0) as words, coalesce(w.covered / (select sum(weight) from n), 0) as covered,
           coalesce(g.score, 0) as graph, hit.id is not null as hit, v.id is not null as nearest,
           m.lang, m.thread, m.position, m.superseded_by,
           array(select substr(e.target, 8) from bio.edges e where e.tenant = :tenant and e.source = 'memory:' || m.id
                 and e.relation = 'conflicts_with') as against
    from c join bio.memories m on m.id = c.id left join w on w.id = c.id left join g on g.id = c.id left join hit on hit.id = c.id
         left join v on v.id = c.id
    where {_FILTERS}
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Raw:
    """What each route measured of one memory. vector: cosine, None where it has no vector of this model; words: BM25
    ≥ 0; covered: share in [0, 1] of the weight of the query's words that it holds; graph: how many of the named entities
    it mentions; hit: found by a route, not only as a neighbour of one; against: the memories that contradict it; the rest
    is its place in a conversation."""

    vector: float | None
    words: float
    covered: float
    graph: int
    hit: bool
    lang: str
    thread: str
    position: int
    superseded_by: str | None
    against: tuple[str, ...] = ()


def scope_size(session: Session, tenant: str, filters: Mapping[str, Any], most: int = EXACT_UP_TO + 1) -> int:
    """How many memories the filters leave; counting stops at `most`."""
    counted = session.execute(
        text(f"select count(*) from (select 1 from bio.memories m where {_FILTERS} limit :most) x"),  # noqa: S608
        {**NO_FILTER, **filters, "tenant": tenant, "most": most},
    ).scalar_one()
    return int(counted)


def to_read(frequencies: Mapping[str, int], terms: Sequence[str], budget: int = POSTINGS) -> dict[str, int]:
    """Term → how many of its postings to read, 0 to `budget` in all: the rarest whole, as many as fit. Where not even
    the rarest fits, its newest ones are read."""
    plan = dict.fromkeys(terms, 0)
    left = budget
    for term in sorted(plan, key=lambda t: (frequencies.get(t, 0), t)):
        count = frequencies.get(term, 0)
        if count > left:
            if left == budget:
                plan[term] = budget
            break
        plan[term] = count
        left -= count
    return plan


@cache
def _statement(few: bool, dimensions: int) -> TextClause:
    """dimensions: of the tenant's index, 0 to compare every vector of the scope."""
    vector = _INDEXED.format(dimensions=dimensions) if dimensions else _EXACT
    return text(_ROUTES.format(join=_FEW if few else _MANY, vector=vector))


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
    frequencies: Mapping[str, int] | None = None,
    narrow: bool = False,
    most: int = 50,
    reach: int = 2,
) -> dict[str, Raw]:
    """The routes of recall, with every measure of every candidate.

    frequencies: in how many memories each term occurs, for a tenant whose common terms are not to be read in full; None
    reads all and weighs by the rows that the filters leave. narrow: the filters leave at most EXACT_UP_TO memories.
    most: best of each route taken; reach: how many neighbours of a conversation's turn come with it. Every route is
    limited to the tenant's own rows before anything is ranked, so a small tenant always gets its own.
    """
    asked = list(dict.fromkeys(terms))
    plan = to_read(frequencies, asked) if frequencies is not None else {}
    params: dict[str, Any] = {**NO_FILTER, **filters} | {
        "tenant": tenant, "model": model, "most": most, "reach": reach, "chain": CHAIN, "k1": k1, "b": b, "terms": asked,
        "entities": [f"entity:{e}" for e in entities], "vector": vector_text(vector) if vector is not None else None,
        "total": size.total, "mean": size.mean,
        # A term that is read whole is weighed by what was read, a cut one by how often it really occurs.
        "frequencies": [None if frequencies is None or plan[t] == frequencies.get(t, 0) else frequencies[t] for t in asked],
        "caps": [None if frequencies is None else plan[t] for t in asked],
    }  # fmt: skip
    few = frequencies is not None
    if vector is not None and size.indexed and size.large and not narrow:
        session.execute(
            text("select set_config('hnsw.ef_search', :ef, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"),
            {"ef": str(max(EF_SEARCH, most))},
        )  # fmt: skip
        rows = session.execute(_statement(few, len(vector)), params).all()
        if sum(r.nearest for r in rows) >= most:
            return _read(rows)
    return _read(session.execute(_statement(few, 0), params).all())


def _read(rows: Sequence[Any]) -> dict[str, Raw]:
    return {
        r.id: Raw(
            None if r.vector is None else float(r.vector), float(r.words), float(r.covered), int(r.graph), r.hit,
            r.lang, r.thread, r.position, r.superseded_by, tuple(r.against),
        )
        for r in rows
    }  # fmt: skip


def rows_of(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, MemoryRow]:
    """The memories without their vectors, which cost more to read than all the rest."""
    query = select(MemoryRow).where(MemoryRow.tenant == tenant, col(MemoryRow.id).in_(ids))
    light = query.options(defer(MemoryRow.embedding), defer(MemoryRow.next_embedding))
    return {m.id: m for m in session.exec(light)}


def grounds_gone(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, Any]:
    """Memory → since when something that it was derived from is gone: replaced, erased or deleted. A deleted ground has
    left no time of its own; the time its tombstone or the audit has, else when the derived memory last changed."""
    rows = session.execute(
        text(
            """
            select d.id, min(case
                when g.id is null then coalesce(
                    (select min(x.at) from bio.tombstones x where x.tenant = :t and x.subject = e.target),
                    (select max(x.at) from bio.audit x where x.tenant = :t and x.subject = e.target and x.act like '%deleted'),
                    d.updated_at)
                when g.state = 'erased' then g.updated_at else coalesce(g.valid_to, g.updated_at) end)
            from unnest(cast(:ids as text[])) as q (id) join bio.memories d on d.tenant = :t and d.id = q.id
            join bio.edges e on e.tenant = :t and e.source = 'memory:' || d.id and e.relation = 'derived_from'
                 and starts_with(e.target, 'memory:')
            left join bio.memories g on g.tenant = :t and g.id = substr(e.target, 8)
            where g.id is null or g.state = 'erased' or (g.superseded_by is not null and g.state <> 'merged'
                  and g.superseded_by <> d.id)
            group by d.id
            """
        ),
        {"t": tenant, "ids": list(ids)},
    )
    return {r[0]: r[1] for r in rows}
