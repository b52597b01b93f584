"""Memories that say the same become one: the better founded, else the older, keeps its place and takes over the sources of
the other, which stays below it as merged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import Provenance
from bio_agent_workers.brain.relations.sameness import restates
from bio_agent_workers.brain.retrieval.likeness import SAME_MATTER_AT
from bio_agent_workers.brain.text import fold
from bio_agent_workers.dreaming.base import PAGE, Batch, Line, Night, Step

OVERLAP = timedelta(days=2)  # looked at again: a row may commit after a later one
NEAREST = 5

Rows = Sequence[tuple[str, list[str]]]


def load(session: Session, night: Night, cursor: str) -> Rows:
    """Memories written since the last dream, each with the nearest older ones that may say the same."""
    since = night.since - OVERLAP if night.since is not None else None
    rows = session.execute(
        text(
            """
            select b.id, array(
                select a.id from bio.memories a
                where a.tenant = b.tenant and a.workspace = b.workspace and a.kind = b.kind and a.type = b.type
                  and a.user_id = b.user_id and a.recheck = b.recheck and a.state = 'active' and a.superseded_by is null
                  and a.id < b.id and a.thread = '' and a.embedding_model = b.embedding_model and a.embedding is not null
                  and (a.embedding <=> b.embedding) + 0 <= :near
                order by (a.embedding <=> b.embedding) + 0, a.id limit :nearest)
            from bio.memories b
            where b.tenant = :t and b.id > :cursor and b.state = 'active' and b.superseded_by is null and b.thread = ''
              and b.embedding is not null and (cast(:since as timestamptz) is null or b.created_at > :since)
            order by b.id limit :page
            """
        ),
        {
            "t": night.tenant,
            "near": 1 - SAME_MATTER_AT,
            "page": PAGE,
            "since": since,
            "cursor": cursor,
            "nearest": NEAREST,
        },
    ).all()
    return [(r[0], list(r[1])) for r in rows]


def say_the_same(a: MemoryRow, b: MemoryRow) -> bool:
    """Whether two memories of one matter may be one: the same values and names in the same places, nothing that one says
    alone, not one against the other."""
    if fold(a.content) == fold(b.content):
        return True
    return set(a.entities) == set(b.entities) and restates(a.content, b.content)


def save(session: Session, night: Night, rows: Rows, allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    for own, older in rows:
        for other in older:
            b, a = session.get(MemoryRow, (night.tenant, own)), session.get(MemoryRow, (night.tenant, other))
            if not (a and b) or a.state != "active" or b.state != "active" or not say_the_same(a, b):
                continue
            if len(lines) >= allowed:
                left += 1
                break
            kept, gone = (b, a) if _trust(b) < _trust(a) else (a, b)
            _merge(session, night, kept, gone)
            lines.append(Line("merged", "says the same", f"memory:{gone.id}", f"memory:{kept.id}"))
            if gone is b:
                break
    session.flush()
    return Batch(lines, rows[-1][0] if len(rows) == PAGE else None, left)


def _trust(m: MemoryRow) -> int:
    """Place in the order of trust, the best first: untrusted words never take an owner's place."""
    return list(Provenance).index(Provenance(m.provenance))


def _merge(session: Session, night: Night, kept: MemoryRow, gone: MemoryRow) -> None:
    ids = {"t": night.tenant, "k": kept.id, "g": gone.id}
    session.execute(
        text(
            "insert into bio.memory_sources (tenant, memory_id, episode_id) select tenant, :k, episode_id"
            " from bio.memory_sources where tenant = :t and memory_id = :g on conflict do nothing"
        ),
        ids,
    )
    session.execute(
        text(
            "insert into bio.edges (tenant, source, relation, target, weight, props)"
            " select tenant, 'memory:' || :k, relation, target, weight, props from bio.edges"
            " where tenant = :t and source = 'memory:' || :g and relation in ('mentions', 'derived_from')"
            " and target <> 'memory:' || :k on conflict do nothing"
        ),
        ids,
    )
    gone.superseded_by, gone.state, gone.updated_at = kept.id, "merged", night.now
    kept.confirmations += 1
    kept.confirmed_at = max(kept.confirmed_at, gone.confirmed_at)
    kept.importance, kept.updated_at = max(kept.importance, gone.importance), night.now
    session.add_all([kept, gone])
    audit(session, night.tenant, [Entry("memory_merged", subject=f"memory:{gone.id}", cause="twin", after=kept.id)])


STEP = Step("merge_twins", "memories that say the same", load, save)
