"""The search for memories in one statement: words (BM25), vectors, graph, a thread's neighbours, and what goes with a hit.

What a query costs is bounded however large the tenant is. Words: the postings of its rarest terms, POSTINGS in all; the
frequent ones only weigh what the other routes and terms have found. Vectors: every row of the scope up to EXACT_UP_TO
of them, above it the tenant's own HNSW index, with the exact scan again where the index gave fewer than were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import memory_routes
from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.memory_sizes import EXACT_UP_TO, POSTINGS, Size

EF_SEARCH = 120  # candidates that HNSW keeps; 200 cost 1.5 ms more and found up to 0.01 more of the nearest ten
CHAIN = 8  # replacements followed from a hit to what holds now

NO_FILTER: Mapping[str, Any] = {
    "states": ["active"], "kinds": None, "type": None, "workspace": None, "source": None, "tags": None, "since": None,
    "until": None, "at": None, "user_id": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Raw:
    """What each route measured of one memory. vector: cosine, None where it has no vector of this model; words: BM25
    ≥ 0; covered: share in [0, 1] of the weight of the query's words that it holds; graph: how many of the named entities
    it mentions; hit: found by a route, not only as a neighbour of one; against: the memories that contradict it; whole:
    BM25 ≥ 0 of the thread it belongs to, read as one text; terms: the query's terms that it holds, each with how often and
    the term's weight; size: its length in terms; the rest is its place in a conversation."""

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
    whole: float = 0.0
    terms: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    size: int = 0


def scope_size(session: Session, tenant: str, filters: Mapping[str, Any], most: int = EXACT_UP_TO + 1) -> int:
    """How many memories the filters leave; counting stops at `most`."""
    scope, now = memory_routes.scope(_given(filters)), session.execute(memory_routes.CLOCK).scalar_one()
    counted = session.execute(
        text(f"select count(*) from (select 1 from bio.memories m where {scope} limit :most) x"),  # noqa: S608
        {**NO_FILTER, **filters, "now": now, "tenant": tenant, "most": most},
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
    now: datetime | None = None,
) -> dict[str, Raw]:
    """The routes of recall, with every measure of every candidate.

    frequencies: in how many memories each term occurs, for a tenant whose common terms are not to be read in full; None
    reads all and weighs by the rows that the filters leave. narrow: the filters leave at most EXACT_UP_TO memories.
    most: best of each route taken; reach: how many neighbours of a conversation's turn come with it.
    now: the database's clock where the caller has read it. Every route is limited to the tenant's own rows before
    anything is ranked, so a small tenant always gets its own.
    """
    asked, given = list(dict.fromkeys(terms)), _given(filters)
    plan = to_read(frequencies, asked) if frequencies is not None else {}
    params: dict[str, Any] = {**NO_FILTER, **filters} | {
        "now": now or session.execute(memory_routes.CLOCK).scalar_one(), "tenant": tenant, "model": model, "most": most,
        "reach": reach, "chain": CHAIN, "k1": k1, "b": b, "terms": asked,
        "entities": [f"entity:{e}" for e in entities], "vector": vector_text(vector) if vector is not None else None,
        "total": size.total, "mean": size.mean,
        # A term that is read whole is weighed by what was read, a cut one by how often it really occurs.
        "frequencies": [None if frequencies is None or plan[t] == frequencies.get(t, 0) else frequencies[t] for t in asked],
        "caps": [None if frequencies is None else plan[t] for t in asked],
    }  # fmt: skip
    few = frequencies is not None or not asked  # without words to look for, the scope is not read for them
    if vector is not None and size.indexed and size.large and not narrow:
        plain = all(memory_routes.PLAIN.fullmatch(name) for name in (tenant, model))
        own = {"tenant": tenant, "model": model} if plain else {}
        ef, plans = str(max(EF_SEARCH, most)), "force_generic_plan" if plain else "force_custom_plan"
        session.execute(memory_routes.BY_INDEX, {"ef": ef, "plans": plans})
        by_index = memory_routes.statement(given, few=few, vector=True, dimensions=len(vector), **own)
        rows = session.execute(by_index, params).all()
        if sum(r.nearest for r in rows) >= most:
            return _read(rows)
        session.execute(memory_routes.AS_BEFORE)
    exact = memory_routes.statement(given, few=few, vector=vector is not None)
    return _read(session.execute(exact, params).all())


def _given(filters: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, value in filters.items() if value is not None)


def _read(rows: Sequence[Any]) -> dict[str, Raw]:
    """Rows taken apart in the statement's own order: asking each one for its columns by name takes thrice as long."""
    return {
        memory: Raw(
            None if vector is None else float(vector), float(words), float(covered), int(graph), hit, lang, thread, position,
            superseded_by, tuple(against), float(whole),
            {t: (f, float(w)) for t, f, w in zip(terms or (), frequencies or (), weights or (), strict=True)}, size,
        )
        for memory, vector, words, covered, terms, frequencies, weights, size, graph, whole, hit, _, lang, thread, position,
            superseded_by, against in rows
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wish:
    """A preference as it is kept. near: cosine to what is asked, None without a vector. importance: 1 to 10."""

    id: str
    kind: str
    content: str
    importance: int
    occurred_at: datetime
    near: float | None


def preferences(
    session: Session, tenant: str, *, workspace: str, user: str, vector: Sequence[float] | None, model: str, most: int
) -> list[Wish]:
    """The preferences that hold for this user in this workspace, in the user's own words (nobody untrusted's, no agent's and
    no tool's), the most important and the newest first. A preference of a named user is that user's alone."""
    rows = session.execute(
        text(
            f"""
            select m.id, m.kind, m.content, m.importance, m.occurred_at, 1 - ({memory_routes.DISTANCE}) as near
            from bio.memories m
            where {memory_routes.scope(frozenset({"kinds", "workspace", "user_id"}))} and m.superseded_by is null
                and m.provenance <> 'untrusted' and m.meta ->> 'speaker' = 'user'
            order by m.importance desc, m.occurred_at desc, m.id limit :most
            """  # noqa: S608
        ),
        {"states": NO_FILTER["states"], "now": session.execute(memory_routes.CLOCK).scalar_one(), "kinds": ["preference"],
         "workspace": workspace, "user_id": user, "tenant": tenant, "model": model,
         "vector": vector_text(vector) if vector is not None else None, "most": most},
    )  # fmt: skip
    return [Wish(r.id, r.kind, r.content, r.importance, r.occurred_at, r.near) for r in rows]


def alike(
    session: Session, tenant: str, pairs: Sequence[tuple[str, str]], model: str, at_least: float
) -> list[tuple[str, str]]:
    """Those of the pairs of memories whose vectors are at least that near (cosine)."""
    rows = session.execute(
        text(
            """
            select a.id, b.id from unnest(cast(:firsts as text[]), cast(:seconds as text[])) as q (first, second)
            join bio.memories a on a.tenant = :t and a.id = q.first and a.embedding_model = :m
            join bio.memories b on b.tenant = :t and b.id = q.second and b.embedding_model = :m
            where 1 - (a.embedding <=> b.embedding) >= :least
            """
        ),
        {"t": tenant, "firsts": [a for a, _ in pairs], "seconds": [b for _, b in pairs], "m": model, "least": at_least},
    )
    return [(r[0], r[1]) for r in rows]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as recall tells it. speaker: "user" where these are the user's own words. episodes: ids of those it came
    from; gone: since when something that it was derived from is gone, None while all of it stands; the rest as in the table."""

    id: str
    content: str
    kind: str
    type: str
    workspace: str
    tags: list[str]
    source: str
    provenance: str
    importance: int
    severity: float
    origin: str
    stress_band: str
    thread: str
    position: int
    recheck: bool
    confirmations: int
    confirmed_at: datetime
    occurred_at: datetime
    created_at: datetime
    valid_to: datetime | None
    superseded_by: str | None
    speaker: str
    episodes: list[str]
    gone: datetime | None


_OF_TABLE = ", ".join(f"m.{f.name}" for f in fields(Remembered) if f.name not in ("speaker", "episodes", "gone"))
# Gone is what was replaced, erased or deleted. A deleted ground has left no time of its own; the time its tombstone or the
# audit has, else when the derived memory last changed.
_REMEMBERED = text(
    f"""
    select {_OF_TABLE}, coalesce(m.meta ->> 'speaker', '') as speaker,
        array(select s.episode_id from bio.memory_sources s where s.tenant = :t and s.memory_id = m.id) as episodes,
        (select min(case
             when g.id is null then coalesce(
                 (select min(x.at) from bio.tombstones x where x.tenant = :t and x.subject = e.target),
                 (select max(x.at) from bio.audit x where x.tenant = :t and x.subject = e.target and x.act like '%deleted'),
                 m.updated_at)
             when g.state = 'erased' then g.updated_at else coalesce(g.valid_to, g.updated_at) end)
         from bio.edges e left join bio.memories g on g.tenant = :t and g.id = substr(e.target, 8)
         where e.tenant = :t and e.source = 'memory:' || m.id and e.relation = 'derived_from'
             and starts_with(e.target, 'memory:')
             and (g.id is null or g.state = 'erased' or (g.superseded_by is not null and g.state <> 'merged'
                  and g.superseded_by <> m.id))) as gone
    from bio.memories m where m.tenant = :t and m.id = any(:ids)
    """  # noqa: S608 - the names are those of the fields above
)


def rows_of(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, Remembered]:
    """The memories with what recall tells of them, in one question and without their vectors."""
    rows = session.execute(_REMEMBERED, {"t": tenant, "ids": list(ids)})
    return {row.id: Remembered(*row) for row in rows}
