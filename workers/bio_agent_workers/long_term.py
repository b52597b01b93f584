"""Writing to long-term memory: a memory with its terms, the edges to what it names, and what it takes the place of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from bio_agent_schema import graph, memories, memory_sizes
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind, Relation
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.sameness import differ
from bio_agent_workers.brain.retrieval import freshness, search_terms
from bio_agent_workers.brain.retrieval.likeness import SAME_MATTER_AT, TWIN_AT
from bio_agent_workers.brain.retrieval.wishes import wording

ENTITY_CHARS = 80
WISH_CHARS = 160  # of a preference that are compared; a long turn speaks of other things too
# Accounts of what was done, and what was drawn from several of them: a newer one does not make an older one untrue.
TOLD_TOGETHER = ("procedure", "skill", "summary")


def twin_of(session: Session, row: MemoryRow) -> MemoryRow | None:
    """The active memory that already says what `row` would: as near as a twin, with the same numbers and names,
    and not the opposite."""
    near = memories.twin(session, row.tenant, row.embedding, row.embedding_model, row.workspace, row.kind, TWIN_AT)
    if near is None or near.content == row.content:
        return near
    same = not differ(near.content, row.content) and set(near.entities) == set(row.entities)
    return near if same and not _contradict(near, row) else None


def _contradict(a: MemoryRow, b: MemoryRow) -> bool:
    return relate(_said(a), _said(b)).relation is Relation.CONTRADICTION


def store(session: Session, row: MemoryRow, sources: Sequence[str] = (), *, actor: str = "system") -> MemoryRow:
    """Write the memory; an older fact on the same matter that it changes is superseded by it. One that it contradicts
    without changing it goes on holding, and both say so."""
    terms = search_terms.terms(f"{row.content} {' '.join(row.tags)}")
    memories.insert(session, row, terms, sources, actor=actor)
    edges = [Edge(f"memory:{row.id}", "mentions", f"entity:{e[:ENTITY_CHARS]}") for e in row.entities]
    near = _about_the_same(session, row)
    replaced = _replaced(session, row, near)
    for older in replaced:
        memories.supersede(session, row.tenant, older.id, row.id, cause="newer fact on the same matter", actor=actor)
        edges.append(Edge(f"memory:{older.id}", "superseded_by", f"memory:{row.id}"))
    gone = {m.id for m in replaced}
    for older, _ in near:
        if older.id not in gone and _contradict(row, older):
            edges += [
                Edge(f"memory:{row.id}", "conflicts_with", f"memory:{older.id}"),
                Edge(f"memory:{older.id}", "conflicts_with", f"memory:{row.id}"),
            ]
    graph.add(session, row.tenant, edges)
    return row


def _about_the_same(session: Session, row: MemoryRow) -> list[tuple[MemoryRow, float]]:
    """Older memories of the same workspace and user that may be about the same matter, nearest first with cosine."""
    if row.kind not in freshness.REPLACEABLE or row.embedding is None:
        return []
    candidates = memories.older_alike(
        session, row.tenant, row.embedding, row.embedding_model, workspace=row.workspace, kinds=freshness.REPLACEABLE,
        before=row.occurred_at, at_least=SAME_MATTER_AT,
    )  # fmt: skip
    return [(m, near) for m, near in candidates if m.id != row.id and m.user_id == row.user_id]


def _replaced(session: Session, row: MemoryRow, candidates: Sequence[tuple[MemoryRow, float]]) -> list[MemoryRow]:
    if not candidates:
        return []
    words = sorted({t for m, _ in candidates for t in search_terms.terms(m.content)})
    size = memory_sizes.known_size(session, row.tenant, row.embedding_model)
    count = memory_sizes.known_frequencies if size.large else memory_sizes.matching
    matching = count(session, row.tenant, words)
    own_name = search_terms.terms(row.workspace)

    def weight(term: str) -> float:
        return (
            0.0 if term in own_name else search_terms.idf(matching.get(term, 0), max(size.total, matching.get(term, 0)))
        )

    fit = [(m, near) for m, near in candidates if freshness.replaces(_said(row), _said(m), near, weight)]
    return [m for m, near in fit if near >= fit[0][1] - freshness.RUNNER_UP]


def _said(row: MemoryRow) -> str:
    """What of a memory another one may take the place of: of a long turn that holds a wish, the wish."""
    return wording(row.content, WISH_CHARS) if row.kind == MemoryKind.PREFERENCE else row.content
