"""The graph's edges to nodes that are not there, or no longer speak, are taken away; what they joined stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema.ledger import Entry, audit
from bio_agent_workers.dreaming.base import PAGE, Batch, Line, Night, Step


def _gone(node: str) -> str:
    """SQL: a typed node whose row does not exist, or was erased. Entities have no row."""
    return f"""(
        starts_with({node}, 'memory:') and not exists (
            select 1 from bio.memories m where m.tenant = :t and m.id = substr({node}, 8) and m.state <> 'erased')
        or starts_with({node}, 'belief:') and not exists (
            select 1 from bio.beliefs b where b.tenant = :t and b.id = substr({node}, 8))
        or starts_with({node}, 'episode:') and not exists (
            select 1 from bio.episodes p where p.tenant = :t and p.id = substr({node}, 9))
        or starts_with({node}, 'exception:') and not exists (
            select 1 from bio.exceptions x where x.tenant = :t and x.id = substr({node}, 11)))"""  # noqa: S608 - a constant's name


# Of a merged memory the one that took its place mentions the same.
_DANGLING = f"""
    select e.source, e.relation, e.target, case when {_gone("e.source")} then e.source
        when {_gone("e.target")} then e.target else e.source end as node
    from bio.edges e where e.tenant = :t and ({_gone("e.source")} or {_gone("e.target")}
        or e.relation = 'mentions' and exists (
            select 1 from bio.memories m where m.tenant = :t and 'memory:' || m.id = e.source and m.state = 'merged'))
    order by 4, 1, 2, 3 limit :page
"""  # noqa: S608 - built from this module's constants


def load(session: Session, night: Night, cursor: str) -> Sequence[Any]:
    return session.execute(text(_DANGLING), {"t": night.tenant, "page": PAGE}).all()


def save(session: Session, night: Night, edges: Sequence[Any], allowed: int) -> Batch:
    """One change for each node that edges hung on, however many there were."""
    by_node: dict[str, list[Any]] = {}
    for edge in edges:
        by_node.setdefault(edge.node, []).append(edge)
    nodes = list(by_node)
    lines = [_cut(session, night, node, by_node[node]) for node in nodes[:allowed]]
    left = len(nodes[allowed:])
    return Batch(lines, "on" if len(edges) == PAGE and not left else None, left)


def _cut(session: Session, night: Night, node: str, edges: Sequence[Any]) -> Line:
    session.execute(
        text("delete from bio.edges where tenant = :t and source = :s and relation = :r and target = :g"),
        [{"t": night.tenant, "s": e.source, "r": e.relation, "g": e.target} for e in edges],
    )
    relations = sorted({e.relation for e in edges})
    audit(
        session,
        night.tenant,
        [Entry("edges_pruned", subject=node, cause="dangling", data={"edges": len(edges), "relations": relations})],
    )
    return Line("pruned", "edges to what is not there", node, more={"edges": len(edges), "relations": relations})


STEP = Step("prune_graph", "edges that lead nowhere", load, save)
