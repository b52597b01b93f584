"""The graph's edges between typed nodes: `belief:…`, `memory:…`, `episode:…`, `entity:…`, `exception:…`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

RELATIONS = frozenset({
    "supports", "conflicts_with", "governed_exception_for", "approved_by_policy", "requires_human_approval",
    "expires_override_at", "superseded_by", "derived_from", "mentions", "led_to", "related_to",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    relation: str
    target: str
    weight: float = 1.0
    props: Mapping[str, Any] = field(default_factory=dict)


def add(session: Session, tenant: str, edges: Iterable[Edge]) -> None:
    """Draw edges; one that is there already keeps its first properties and takes the greater weight."""
    rows = []
    for e in edges:
        if e.relation not in RELATIONS:
            raise ValueError(f"edge relation {e.relation!r} is not one of {', '.join(sorted(RELATIONS))}")
        rows.append(
            {"source": e.source, "relation": e.relation, "target": e.target, "weight": e.weight, "props": dict(e.props)}
        )
    if rows:
        session.execute(
            text(
                """
                insert into bio.edges as g (tenant, source, relation, target, weight, props)
                select distinct on (source, relation, target) :tenant, source, relation, target, weight, props
                from jsonb_to_recordset(cast(:rows as jsonb))
                    as e(source text, relation text, target text, weight float, props jsonb)
                on conflict (tenant, source, relation, target) do update set weight = greatest(g.weight, excluded.weight)
                """
            ),
            {"tenant": tenant, "rows": json.dumps(rows, default=str)},
        )


def around(session: Session, tenant: str, node: str, most: int = 200, at: datetime | None = None) -> list[Edge]:
    """Edges at the node, the oldest first; with `at` only those drawn by then."""
    rows = session.execute(
        text(
            "select source, relation, target, weight, props from bio.edges"
            " where tenant = :t and (source = :n or target = :n)"
            " and (cast(:at as timestamptz) is null or created_at <= :at) order by created_at limit :m"
        ),
        {"t": tenant, "n": node, "m": most, "at": at},
    )
    return [Edge(*r) for r in rows]


def cut(session: Session, tenant: str, source: str, relation: str) -> None:
    """Take away what no longer holds; the audit keeps that it did."""
    session.execute(
        text("delete from bio.edges where tenant = :t and source = :s and relation = :r"),
        {"t": tenant, "s": source, "r": relation},
    )


def whole(session: Session, tenant: str, most: int = 2000) -> list[Edge]:
    rows = session.execute(
        text(
            "select source, relation, target, weight, props from bio.edges where tenant = :t order by created_at desc limit :m"
        ),
        {"t": tenant, "m": most},
    )
    return [Edge(*r) for r in rows]
