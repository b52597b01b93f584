"""L2 memories: written by promote and by `remember`, read by recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import MemoryRow

EXACT_SCAN_ROWS = 5_000  # rows of one tenant's scope up to which an exact scan beats an index (to be re-measured)


def insert(session: Session, row: MemoryRow, sources: Sequence[str] = (), *, actor: str = "system") -> MemoryRow:
    session.add(row)
    session.flush()
    if sources:
        add_sources(session, row.tenant, row.id, sources)
    audit(session, row.tenant, [
        Entry("memory_created", subject=f"memory:{row.id}", actor=actor, cycle_id=row.cycle_id or "", cause=row.kind,
              data={"importance": row.importance, "episodes": list(sources)}),
    ])  # fmt: skip
    return row


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
    tenant = :tenant
    and state = any(:states)
    and not recheck
    and (cast(:kinds as text[]) is null or kind = any(:kinds))
    and (cast(:type as text) is null or type = :type)
    and (cast(:workspace as text) is null or workspace in (:workspace, ''))
    and (cast(:source as text) is null or source = :source)
    and (cast(:tags as text[]) is null or tags @> :tags)
    and (cast(:since as timestamptz) is null or created_at >= :since)
    and (cast(:until as timestamptz) is null or created_at < :until)
    and (cast(:user_id as text) is null or user_id in ('', :user_id))
    and valid_from <= coalesce(:at, bio.now())
    and (valid_to is null or valid_to > coalesce(:at, bio.now()) or superseded_by is not null and cast(:at as timestamptz) is null)
"""


def routes(
    session: Session,
    tenant: str,
    *,
    vector: Sequence[float] | None,
    model: str,
    words: Sequence[str],
    entities: Sequence[str],
    filters: Mapping[str, Any],
    most: int = 50,
) -> dict[str, list[tuple[str, float]]]:
    """The routes of recall in one round trip: vector, full text and graph, each a list of (memory id, raw score).

    vector: cosine similarity; text: ts_rank_cd over any of the words; graph: number of named entities it mentions.
    Every route is limited to the tenant's own rows before anything is ranked, so a small tenant always gets its own.
    """
    params: dict[str, Any] = {
        "states": ["active"], "kinds": None, "type": None, "workspace": None, "source": None, "tags": None,
        "since": None, "until": None, "at": None, "user_id": None,
    } | dict(filters)  # fmt: skip
    params |= {
        "tenant": tenant, "model": model, "most": most, "words": " | ".join(quoted(w) for w in words) or None,
        "entities": list(entities), "vector": vector_text(vector) if vector is not None else None,
    }  # fmt: skip
    rows = session.execute(
        text(
            f"""
            with mine as materialized (select id, embedding, embedding_model, search, entities from bio.memories where {_FILTERS}),
            v as (select 'vector' as route, id, 1 - ((embedding <=> cast(:vector as halfvec)) + 0) as score from mine
                  where cast(:vector as text) is not null and embedding_model = :model and embedding is not null
                  order by 3 desc limit :most),
            t as (select 'text' as route, id, ts_rank_cd(to_tsvector('simple', search), to_tsquery('simple', :words), 1) as score
                  from mine where cast(:words as text) is not null
                  and to_tsvector('simple', search) @@ to_tsquery('simple', :words) order by 3 desc limit :most),
            g as (select 'graph' as route, id, cardinality(array(select unnest(entities) intersect select unnest(cast(:entities as text[])))) as score
                  from mine where entities && cast(:entities as text[]) order by 3 desc limit :most)
            select * from v union all select * from t union all select * from g
            """  # noqa: S608 - built from this module's constant
        ),
        params,
    )
    found: dict[str, list[tuple[str, float]]] = {"vector": [], "text": [], "graph": []}
    for route, memory_id, score in rows:
        found[route].append((memory_id, float(score)))
    return found


def quoted(word: str) -> str:
    """A word as a tsquery lexeme, whatever characters it holds."""
    return "'" + word.replace("\\", "").replace("'", "''") + "'"
