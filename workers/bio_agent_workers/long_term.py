"""Writing to long-term memory: a memory with its terms, the edges to what it names, and what it takes the place of."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlmodel import Session

from bio_agent_schema import graph, memories, memory_sizes
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind, Provenance, Relation
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.sameness import differ
from bio_agent_workers.brain.retrieval import freshness, predicates, search_terms
from bio_agent_workers.brain.retrieval.likeness import NOMINATE_AT, SAME_MATTER_AT, TWIN_AT
from bio_agent_workers.brain.retrieval.wishes import wording

ENTITY_CHARS = 80
_AROUND = " \t\r\n.!。！"  # of two texts that differ in these alone the words are the same
WISH_CHARS = 160  # of a preference that are compared; a long turn speaks of other things too
# Accounts of what was done, and what was drawn from several of them: a newer one does not make an older one untrue.
TOLD_TOGETHER = ("procedure", "skill", "summary")


def twin_of(session: Session, row: MemoryRow, kept: Collection[str] = ()) -> MemoryRow | None:
    """The active memory that already says what `row` would: in the same words, whatever kind of statement each was taken
    for; else as near as a twin, of the same kind, with the same numbers and names, and not the opposite. kept: ids of
    memories of the very words that `row` was read from, which may be of another kind."""
    if row.embedding is None:
        return None
    kinds = freshness.REPLACEABLE if row.kind in freshness.REPLACEABLE else (row.kind,)
    found = memories.alike(
        session, row.tenant, row.embedding, row.embedding_model, workspace=row.workspace, kinds=kinds, at_least=TWIN_AT
    )
    verbatim = next((m for m, _ in found if same_words(m.content, row.content)), None)
    if verbatim is not None:
        return verbatim
    for m in memories.by_ids(session, row.tenant, list(kept)) if kept else ():
        if m.state == "active" and m.superseded_by is None and _within(m.content, row.content):
            return m
    near = next((m for m, _ in found if m.kind == row.kind or m.id in kept), None)
    if near is None:
        return None
    same = not differ(near.content, row.content) and set(near.entities) == set(row.entities)
    return near if same and not _contradict(near, row) else None


def same_words(a: str, b: str) -> bool:
    return _bare(a) == _bare(b)


def _within(a: str, b: str) -> bool:
    return _bare(a) in _bare(b) or _bare(b) in _bare(a)


def _bare(said: str) -> str:
    return said.casefold().strip(_AROUND)


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
    candidates = memories.alike(
        session, row.tenant, row.embedding, row.embedding_model, workspace=row.workspace, kinds=freshness.REPLACEABLE,
        before=row.occurred_at, at_least=NOMINATE_AT if predicates.reads(row.content) else SAME_MATTER_AT,
    )  # fmt: skip
    return [
        (m, near)
        for m, near in candidates
        if m.id != row.id and m.user_id == row.user_id
        and (near >= SAME_MATTER_AT or predicates.other_value(row.content, m.content))
    ]  # fmt: skip


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

    fit = [(m, near) for m, near in _vouched(row, candidates) if freshness.replaces(_said(row), _said(m), near, weight)]
    return [m for m, near in fit if near >= fit[0][1] - freshness.RUNNER_UP]


def _vouched(row: MemoryRow, candidates: Sequence[tuple[MemoryRow, float]]) -> list[tuple[MemoryRow, float]]:
    """Those that the row may take the place of: what nobody vouches for takes none of what somebody does."""
    alien = row.provenance == Provenance.UNTRUSTED
    return [(m, near) for m, near in candidates if not alien or m.provenance == Provenance.UNTRUSTED]


def _said(row: MemoryRow) -> str:
    """What of a memory another one may take the place of: of a long turn that holds a wish, the wish."""
    return wording(row.content, WISH_CHARS) if row.kind == MemoryKind.PREFERENCE else row.content
