"""Recall: the right memories for a query, with the reason each came."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_client.observation import clean_text
from bio_agent_client.redact import redact
from bio_agent_ops.requests import Recall
from bio_agent_ops.service.context import Context
from bio_agent_ops.service.remembering import named
from bio_agent_schema import beliefs, memories
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.batching import scope_stress
from bio_agent_workers.brain import attention, freshness, likeness, query_time, retention, search_terms
from bio_agent_workers.brain import recall as scoring
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.dreaming import zone

# Floors on raw evidence. The first decide whether the query is about anything that is known: unrelated queries reach a
# cosine of 0.42 with the nearest of 400 memories of their language, so a vector alone must be beyond, or have words
# beside it; across languages there can be no words, and unrelated texts lie lower. The second decide which memories
# then come along.
OPENS = ({"vector": 0.45}, {"across": 0.29}, {"words": 0.3}, {"vector": 0.28, "words": 0.1}, {"graph": 1.0})
FLOORS = {"vector": likeness.FLOOR, "words": 0.25, "graph": 1.0}
MOST_TERMS = 48
SIZE_STAYS_S, SMALL = 60.0, 5_000  # the words' weights move slowly; a small tenant is counted anew each time


def recall(ctx: Context, tenant: str, ask: Recall) -> dict[str, Any]:
    """Returns {query, memories: [{id, content, kind, …, score, why}]}, best first; empty when nothing fits."""
    said = "\n".join([*ask.turns[-3:], ask.query])
    query = redact(clean_text(said))
    embedder = ctx.embedder
    vector = embedder.query(query)
    lang = detect_lang(query)
    terms = list(search_terms.terms(query))[:MOST_TERMS]
    filters: dict[str, Any] = {
        "kinds": ask.kind, "type": ask.type, "workspace": ask.workspace, "source": ask.source, "tags": ask.tags,
        "since": ask.since, "until": ask.until, "at": ask.at, "user_id": ask.user,
    }  # fmt: skip
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        found: dict[str, memories.Raw] = {}
        for states in (["active"], ["active", "cold"]):
            found = memories.routes(
                session, tenant, vector=vector, model=embedder.model_id, terms=terms, entities=named(query),
                filters={**filters, "states": states}, size=_size(ctx, session, tenant), k1=search_terms.K1, b=search_terms.B,
                most=max(50, ask.limit * 3),
            )  # fmt: skip
            if len(found) >= ask.limit:
                break
        rows = {m.id: m for m in memories.by_ids(session, tenant, list(found))}
        entities = max(1, len(named(query)))
        relevance = scoring.relevance({
            i: scoring.Measured(raw.vector, raw.words, raw.graph / entities, rows[i].lang, rows[i].thread, rows[i].position)
            for i, raw in found.items()
        }, lang)  # fmt: skip
        kept = _fitting(found, rows, lang)
        stress = scope_stress(session, tenant, ask.workspace or "default", ask.agent or "default", now)
        state = scoring.AgentState(
            mode=ask.mode, workspace=ask.workspace or "", band=attention.stress_band(stress.s),
            failed_just_now=stress.failure_streak > 0,
        )  # fmt: skip
        asked = query_time.span(ask.query, now.astimezone(zone(beliefs.tenant_row(session, tenant).time_zone)))
        scored = {i: _score(rows[i], relevance[i], state, now, asked) for i in kept}
        order = sorted(scored, key=lambda i: (-scored[i].total, i))
        if not freshness.asks_for_history(ask.query):
            order = scoring.replacements_first(order, {i: by for i in kept if (by := rows[i].superseded_by)})
        sources = memories.sources_of(session, tenant, order[: ask.limit])
        return {
            "query": ask.query,
            "memories": [_view(rows[i], scored[i], kept[i], sources.get(i, [])) for i in order[: ask.limit]],
        }


def _fitting(
    found: Mapping[str, memories.Raw], rows: Mapping[str, MemoryRow], lang: str
) -> dict[str, dict[str, float]]:
    """Memory id → its raw measures, for those with evidence of their own, the turns beside one of these, and what
    replaced one of these."""
    raw = {
        i: {"vector": r.vector or 0.0, "words": r.covered, "graph": float(r.graph),
            "across": (r.vector or 0.0) if rows[i].lang != lang else 0.0}
        for i, r in found.items()
    }  # fmt: skip
    if not any(all(r[route] >= least for route, least in way.items()) for r in raw.values() for way in OPENS):
        return {}
    sure = {i for i, r in raw.items() if found[i].hit and scoring.above_floor(r, FLOORS)}
    places = {(rows[i].thread, rows[i].position) for i in sure if rows[i].thread}
    beside = {
        i for i, m in rows.items()
        if m.thread and any((m.thread, m.position + step) in places for step in (-2, -1, 1, 2))
    }  # fmt: skip
    newer = {by for i in sure if (by := rows[i].superseded_by) in rows}
    return {i: r for i, r in raw.items() if i in sure or i in beside or i in newer}


_sizes: dict[tuple[int, str], tuple[float, memories.Size]] = {}


def _size(ctx: Context, session: Session, tenant: str) -> memories.Size:
    at, known = _sizes.get((id(ctx.db), tenant), (0.0, None))
    if known is None or known.total < SMALL or time.monotonic() - at > SIZE_STAYS_S:
        known = memories.size(session, tenant)
        _sizes[id(ctx.db), tenant] = (time.monotonic(), known)
    return known


def _score(
    m: MemoryRow, relevance: float, state: scoring.AgentState, now: datetime, asked: query_time.Span | None
) -> scoring.Score:
    kind = MemoryKind(m.kind)
    encoded = scoring.Encoded(kind=kind, severity=m.severity, workspace=m.workspace, band=m.stress_band)
    return scoring.score(
        relevance=relevance,
        importance=(m.importance - 1) / 9,
        retention=retention.retention(kind, m.confirmed_at, m.confirmations, now),
        at=m.confirmed_at,
        now=now,
        boost=scoring.state_boost(encoded, state) * scoring.time_boost(m.occurred_at, asked),
    )


def _view(m: MemoryRow, score: scoring.Score, raw: dict[str, float], sources: list[str]) -> dict[str, Any]:
    return {
        "id": m.id, "content": m.content, "kind": m.kind, "type": m.type or m.kind, "workspace": m.workspace,
        "tags": m.tags, "source": m.source, "provenance": m.provenance, "importance": m.importance,
        "origin": m.origin, "occurred_at": m.occurred_at, "created_at": m.created_at, "superseded_by": m.superseded_by,
        "recheck": m.recheck, "episodes": sources,
        "score": round(score.total, 4),
        "why": {"routes": {k: round(v, 4) for k, v in raw.items()}, **{k: round(v, 4) for k, v in asdict(score).items()}},
    }  # fmt: skip
