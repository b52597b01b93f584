"""The text of recall's statement: words (BM25), vectors, graph, a thread's neighbours, and what goes with a hit.

The statement is put together for what a query needs, since the server plans it anew for each tenant: a condition that is
not there costs nothing, and every memory of a candidate is read once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlalchemy import TextClause, text

from bio_agent_schema.memory_sizes import POSTINGS

TURNS = 2_000  # of a thread are counted for its length; a longer one is not told apart from one of that length
BESIDE = 200  # memories of the turns beside one; a long turn is several

# One condition for each filter that is given: what is not asked costs neither planning nor a test of each row. `now` is a
# parameter: bio.now() as a function of each row costs more than comparing the vectors.
_CONDITIONS = {
    "kinds": "m.kind = any(:kinds)",
    "type": "m.type = :type",
    "workspace": "m.workspace in (:workspace, '')",
    "source": "m.source = :source",
    "tags": "m.tags @> :tags",
    "since": "m.occurred_at >= :since",
    "until": "m.occurred_at < :until",
    "user_id": "m.user_id in ('', :user_id)",
}
_NOW = "m.valid_from <= :now and (m.valid_to is null or m.valid_to > :now or m.superseded_by is not null)"
_AT = "m.valid_from <= :at and (m.valid_to is null or m.valid_to > :at)"

# A vector of the model that answers: a memory's own, or the one that waits beside it while the embedder changes.
_VECTOR = "case when m.embedding_model = :model then m.embedding when m.next_model = :model then m.next_embedding end"
DISTANCE = f"({_VECTOR}) <=> cast(:vector as halfvec)"
_NO_DISTANCE = "cast(null as float8)"

# The nearest: compared one by one, as part of the scan that the words need anyway, by the tenant's index, or none.
_ALONE = """
    select m.id, ({distance}) + 0 as distance from bio.memories m
    where (m.embedding_model = :model or m.next_model = :model) and {filters} order by 2 limit :most
"""
_OF_SCOPE = "select m.id, m.distance from scope m where m.distance is not null order by 2 limit :most"
_INDEXED = """
    select m.id, (m.embedding::halfvec({dimensions})) <=> cast(:vector as halfvec({dimensions})) as distance
    from bio.memories m where m.embedding_model = {model} and m.tenant = {tenant} and {filters}
    order by (m.embedding::halfvec({dimensions})) <=> cast(:vector as halfvec({dimensions})) limit :most
"""
_NONE = "select cast(null as text) as id, cast(null as float8) as distance where false"

_BM25 = "n.weight * {f} * (:k1 + 1) / ({f} + :k1 * (1 - :b + :b * {size} / :mean))"
_THREAD_IDF = "ln(cast(1 + (k.total - f.df + 0.5) / (f.df + 0.5) as float8))"

# Postings in a large tenant: so many of each term, and their memories by key, all at once, which the index does in one
# walk. In a small one: all postings, and all memories of the scope, which are read once for words and vectors.
_FEW = """
    posting as materialized (
        select t.memory_id, q.term, t.frequency from asked q cross join lateral (
            select t.memory_id, t.frequency from bio.memory_terms t where t.tenant = :tenant and t.term = q.term
            order by t.memory_id desc limit q.cap) t),
    scope as materialized (
        select m.id, m.term_count, m.thread from bio.memories m
        where m.id = any(array(select posting.memory_id from posting)) and {filters}),
"""
_ALL = """
    posting as (select t.* from bio.memory_terms t where t.tenant = :tenant and t.term = any(:terms)),
    scope as materialized (
        select m.id, m.term_count, m.thread, {distance} as distance from bio.memories m where {filters}),
"""

# No planner can tell how many postings there are: a full join is hashed whatever it believes, and num_nulls leaves of it
# what an inner join gives.
_ROW = "m.id, m.term_count, m.lang, m.thread, m.position, m.superseded_by, {distance} as distance"
_ROUTES = f"""
    with recursive asked as (
        select * from unnest(cast(:terms as text[]), cast(:frequencies as bigint[]), cast(:caps as bigint[])) as q (term, df, cap)),
    {{postings}}
    p as (
        select t.memory_id, t.term, t.frequency, m.term_count, m.thread
        from posting t full join scope m on m.id = t.memory_id where num_nulls(t.memory_id, m.id) = 0),
    n as (
        select d.term, ln(cast(1 + (greatest(:total - d.df, 0) + 0.5) / (d.df + 0.5) as float8)) as weight
        from (select q.term, coalesce(q.df, count(p.term)) as df from asked q left join p on p.term = q.term group by q.term, q.df) d),
    d as (
        select p.memory_id as id, sum({_BM25.format(f="p.frequency", size="p.term_count")}) as score
        from p join n on n.term = p.term group by p.memory_id),
    v as materialized ({{vector}}),
    g as (
        select m.id, count(*) as score from (
            select e.source from bio.edges e where e.tenant = :tenant and e.relation = 'mentions' and e.target = any(:entities)
                and starts_with(e.source, 'memory:') limit {POSTINGS}) e
        cross join lateral (select m.id from bio.memories m where m.id = substr(e.source, 8) and {{filters}} limit 1) m
        group by m.id order by 2 desc limit :most),
    hit as (
        select u.id, bool_or(u.nearest) as nearest from (
            select v.id, true as nearest from v
            union all (select d.id, false from d order by d.score desc limit :most)
            union all select g.id, false from g) u
        group by u.id),
    h as materialized (
        select {{row}}, hit.nearest, true as hit from hit join bio.memories m on m.tenant = :tenant and m.id = hit.id),
    chain as (
        select h.superseded_by as id, 1 as step from h where h.superseded_by is not null
        union
        select a.superseded_by, chain.step + 1 from chain join bio.memories a on a.tenant = :tenant and a.id = chain.id
        where a.superseded_by is not null and chain.step < :chain),
    near as (
        select b.id from h cross join lateral (
            select b.id from bio.memories b where b.tenant = :tenant and b.thread <> '' and b.thread = h.thread
                and b.position between h.position - :reach and h.position + :reach limit {BESIDE}) b
        union select chain.id from chain
        union select substr(e.target, 8) from h join bio.edges e on e.tenant = :tenant and e.source = 'memory:' || h.id
            and e.relation = 'conflicts_with'),
    x as materialized (
        select h.* from h
        union all
        select {{row}}, false, false from (select near.id from near except select h.id from h) o
        join bio.memories m on m.id = o.id and {{filters}}),
    w as (
        select x.id, sum(n.weight) as covered, sum({_BM25.format(f="t.frequency", size="x.term_count")}) as score,
               array_agg(n.term) as terms, array_agg(t.frequency) as frequencies, array_agg(n.weight) as weights
        from x cross join lateral (
            select t.term, t.frequency from bio.memory_terms t where t.tenant = :tenant and t.memory_id = x.id
                and t.term = any(:terms) limit cardinality(cast(:terms as text[]))) t
        join n on n.term = t.term group by x.id),
    r as materialized (
        select d.thread, (select count(*) from (
            select 1 from bio.memories a where a.tenant = :tenant and a.thread <> '' and a.thread = d.thread limit {TURNS}) x) as turns
        from (select distinct x.thread from x where x.thread <> '') d),
    f as (
        select p.thread, p.term, sum(p.frequency) as frequency, count(*) over (partition by p.term) as df
        from p where p.thread <> '' group by p.thread, p.term),
    k as (
        select (select avg(turns) from r) as mean,
               greatest(:total / nullif((select avg(turns) from r), 0), (select max(df) from f)) as total),
    o as (
        select r.thread, sum({_BM25.format(f="f.frequency", size="r.turns").replace(":mean", "k.mean").replace("n.weight", _THREAD_IDF)}) as score
        from r join f on f.thread = r.thread cross join k group by r.thread)
    select x.id, 1 - x.distance as vector,
           coalesce(w.score, 0) as words, coalesce(w.covered / (select sum(weight) from n), 0) as covered,
           w.terms, w.frequencies, w.weights, x.term_count as size,
           coalesce(g.score, 0) as graph, coalesce(o.score, 0) as whole, x.hit, x.nearest,
           x.lang, x.thread, x.position, x.superseded_by,
           array(select substr(e.target, 8) from bio.edges e where e.tenant = :tenant and e.source = 'memory:' || x.id
                 and e.relation = 'conflicts_with') as against
    from x left join w on w.id = x.id left join g on g.id = x.id left join o on o.thread = x.thread
"""  # noqa: S608 - built from this module's constants, as all here
# Text that may stand in a statement as it is; a tenant's name always is such, nearly every model's too.
PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")


CLOCK = text("select bio.now()")
# A statement with the tenant written out keeps its plan: planning it takes longer than a search by the index.
BY_INDEX = text(
    "select set_config('hnsw.ef_search', :ef, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),"
    " set_config('plan_cache_mode', :plans, true)"
)
AS_BEFORE = text("select set_config('plan_cache_mode', 'force_custom_plan', true)")


def scope(given: frozenset[str]) -> str:
    """The conditions for memories of the scope: of the tenant, in one of `states`, and of the filters that are given."""
    asked = [condition for name, condition in _CONDITIONS.items() if name in given]
    held = _AT if "at" in given else _NOW
    return " and ".join(["m.tenant = :tenant", "m.state = any(:states)", "not m.recheck", held, *asked])


@lru_cache(maxsize=512)
def statement(
    given: frozenset[str], *, few: bool, vector: bool, dimensions: int = 0, tenant: str = "", model: str = ""
) -> TextClause:
    """few: see _FEW; vector: whether one is asked for; dimensions: of the tenant's index, 0 to compare every vector of
    the scope; tenant, model: written out for an index of these alone, "" as parameters."""
    filters, distance = scope(given), DISTANCE if vector else _NO_DISTANCE
    if not vector:
        nearest = _NONE
    elif dimensions:
        nearest = _INDEXED.format(
            dimensions=dimensions, filters=filters, tenant=f"'{tenant}'" if tenant else ":tenant",
            model=f"'{model}'" if model else ":model",
        )  # fmt: skip
    else:
        nearest = _ALONE.format(distance=distance, filters=filters) if few else _OF_SCOPE
    beside = distance if vector and not dimensions else _NO_DISTANCE
    return text(
        _ROUTES.format(
            postings=_FEW.format(filters=filters) if few else _ALL.format(filters=filters, distance=beside),
            vector=nearest, filters=filters, row=_ROW.format(distance=distance),
        )
    )  # fmt: skip
