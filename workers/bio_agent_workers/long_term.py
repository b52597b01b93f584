"""Writing to long-term memory: a memory with its terms, the edges to what it names, and what it takes the place of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from bio_agent_schema import graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import MemoryRow
from bio_agent_workers.brain import freshness, search_terms
from bio_agent_workers.brain.likeness import SAME_MATTER_AT, TWIN_AT
from bio_agent_workers.brain.quantities import values

ENTITY_CHARS = 80


def twin_of(session: Session, row: MemoryRow) -> MemoryRow | None:
    """The active memory that already says what `row` would: as near as a twin, with the same numbers and names."""
    near = memories.twin(session, row.tenant, row.embedding, row.embedding_model, row.workspace, row.kind, TWIN_AT)
    if near is None or near.content == row.content:
        return near
    same = values(near.content) == values(row.content) and set(near.entities) == set(row.entities)
    return near if same else None


def store(session: Session, row: MemoryRow, sources: Sequence[str] = (), *, actor: str = "system") -> MemoryRow:
    """Write the memory; an older fact on the same matter that it changes is superseded by it."""
    terms = search_terms.terms(f"{row.content} {' '.join(row.tags)}")
    memories.insert(session, row, terms, sources, actor=actor)
    graph.add(session, row.tenant, [
        Edge(f"memory:{row.id}", "mentions", f"entity:{e[:ENTITY_CHARS]}") for e in row.entities
    ])  # fmt: skip
    for older in _replaced(session, row):
        memories.supersede(session, row.tenant, older.id, row.id, cause="newer fact on the same matter", actor=actor)
        graph.add(session, row.tenant, [Edge(f"memory:{older.id}", "superseded_by", f"memory:{row.id}")])
    return row


def _replaced(session: Session, row: MemoryRow) -> list[MemoryRow]:
    if row.kind not in freshness.REPLACEABLE or row.embedding is None:
        return []
    candidates = memories.older_alike(
        session, row.tenant, row.embedding, row.embedding_model, workspace=row.workspace, kinds=freshness.REPLACEABLE,
        before=row.occurred_at, at_least=SAME_MATTER_AT,
    )  # fmt: skip
    candidates = [(m, near) for m, near in candidates if m.id != row.id and m.user_id == row.user_id]
    if not candidates:
        return []
    words = sorted({t for m, _ in candidates for t in search_terms.terms(m.content)})
    matching, total = memories.matching(session, row.tenant, words), memories.size(session, row.tenant).total
    own_name = search_terms.terms(row.workspace)

    def weight(term: str) -> float:
        return 0.0 if term in own_name else search_terms.idf(matching.get(term, 0), total)

    fit = [(m, near) for m, near in candidates if freshness.replaces(row.content, m.content, near, weight)]
    return [m for m, near in fit if near >= fit[0][1] - freshness.RUNNER_UP]
