"""Recall and remember: the right memories for a query, with the reason each came; and what is asked to be kept."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from bio_agent_client.observation import clean_text, uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service.context import BadRequest, Context
from bio_agent_schema import beliefs, graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind, Provenance
from bio_agent_workers.batching import scope_stress
from bio_agent_workers.brain import attention, retention
from bio_agent_workers.brain import recall as scoring
from bio_agent_workers.brain.directives import asks_to_keep_secret
from bio_agent_workers.brain.quantities import values
from bio_agent_workers.brain.text import content_tokens, detect_lang

# Floors on raw evidence: below all of them nothing comes back. The embedder's unrelated pairs lie around 0.75, so a
# vector alone must be well above; words and entities count from the first one that is shared.
FLOORS = {"vector": 0.80, "text": 0.01, "graph": 1.0}
DUPLICATE_AT = 0.95
ROUTE_WEIGHTS = {"vector": 1.0, "text": 1.0, "graph": 0.5}


def recall(ctx: Context, tenant: str, ask: Recall) -> dict[str, Any]:
    """Returns {query, memories: [{id, content, kind, …, score, why}]}, best first; empty when nothing fits."""
    said = "\n".join([*ask.turns[-3:], ask.query])
    query = redact(clean_text(said))
    embedder = ctx.embedder
    vector = embedder.query(query)
    words = content_tokens(query, detect_lang(query))[:40]
    filters: dict[str, Any] = {
        "kinds": ask.kind, "type": ask.type, "workspace": ask.workspace, "source": ask.source, "tags": ask.tags,
        "since": ask.since, "until": ask.until, "at": ask.at, "user_id": ask.user,
    }  # fmt: skip
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        found = memories.routes(
            session, tenant, vector=vector, model=embedder.model_id, words=words, entities=[w.casefold() for w in words],
            filters=filters, most=max(50, ask.limit * 3),
        )  # fmt: skip
        stress = scope_stress(session, tenant, ask.workspace or "default", ask.agent or "default", now)
        raw: dict[str, dict[str, float]] = {}
        for route, hits in found.items():
            for memory_id, score in hits:
                raw.setdefault(memory_id, {})[route] = score
        kept = {i: r for i, r in raw.items() if scoring.above_floor(r, FLOORS)}
        fused = scoring.fuse_ranks(
            {route: [i for i, _ in hits if i in kept] for route, hits in found.items()}, ROUTE_WEIGHTS
        )
        rows = {m.id: m for m in memories.by_ids(session, tenant, list(kept))}
        state = scoring.AgentState(
            mode=ask.mode, workspace=ask.workspace or "", band=attention.stress_band(stress.s),
            failed_just_now=stress.failure_streak > 0,
        )  # fmt: skip
        scored = {i: _score(m, fused.get(i, 0.0), state, now) for i, m in rows.items()}
        order = sorted(scored, key=lambda i: (-scored[i].total, i))
        order = scoring.replacements_first(order, {i: m.superseded_by for i, m in rows.items() if m.superseded_by})
        sources = memories.sources_of(session, tenant, order[: ask.limit])
        return {
            "query": ask.query,
            "memories": [_view(rows[i], scored[i], kept[i], sources.get(i, [])) for i in order[: ask.limit]],
        }


def _score(m: MemoryRow, relevance: float, state: scoring.AgentState, now: datetime) -> scoring.Score:
    kind = MemoryKind(m.kind)
    encoded = scoring.Encoded(kind=kind, severity=m.severity, workspace=m.workspace, band=m.stress_band)
    return scoring.score(
        relevance=relevance,
        importance=(m.importance - 1) / 9,
        retention=retention.retention(kind, m.confirmed_at, m.confirmations, now),
        at=m.confirmed_at,
        now=now,
        boost=scoring.state_boost(encoded, state),
    )


def _view(m: MemoryRow, score: scoring.Score, raw: dict[str, float], sources: list[str]) -> dict[str, Any]:
    return {
        "id": m.id, "content": m.content, "kind": m.kind, "type": m.type or m.kind, "workspace": m.workspace,
        "tags": m.tags, "source": m.source, "provenance": m.provenance, "importance": m.importance,
        "created_at": m.created_at, "superseded_by": m.superseded_by, "recheck": m.recheck, "episodes": sources,
        "score": round(score.total, 4),
        "why": {"routes": {k: round(v, 4) for k, v in raw.items()}, **{k: round(v, 4) for k, v in asdict(score).items()}},
    }  # fmt: skip


def remember(ctx: Context, caller: Caller, ask: Remember) -> dict[str, Any]:
    """Keep something said. A near-duplicate with the same values confirms what is there. Returns {id, merged}."""
    content = redact(clean_text(ask.content)).strip()
    if asks_to_keep_secret(ask.content):
        raise BadRequest("this hands over a secret (a password or key); secrets are not kept, put it into a vault")
    if not content:
        raise BadRequest("content is empty once control characters are taken out")
    vector = ctx.embedder.passages([content])[0]
    model = ctx.embedder.model_id
    lang = detect_lang(content)
    kind = ask.type if ask.type in set(MemoryKind) else MemoryKind.SEMANTIC.value
    trust = caller.ceiling or Provenance.AGENT.value
    entities = [w.casefold() for w in content_tokens(content, lang) if any(c.isdigit() or c in "._-/" for c in w)][:12]
    with ctx.db.tenant(caller.tenant) as session:
        same = memories.twin(session, caller.tenant, vector, model, ask.workspace, kind, DUPLICATE_AT)
        if same is not None and values(same.content) == values(content):
            memories.confirm(session, caller.tenant, same.id)
            return {"id": same.id, "merged": True}
        row = memories.insert(session, MemoryRow(
            tenant=caller.tenant, id=uuid7(), kind=kind, type=ask.type or kind, content=content,
            search=" ".join(content_tokens(content, lang)), workspace=ask.workspace, agent=ask.agent, user_id=ask.user,
            source=ask.source, provenance=trust, tags=ask.tags, entities=entities, importance=ask.importance or 6,
            confidence=0.8, lang=lang, embedding=vector, embedding_model=model,
        ), actor=caller.actor)  # fmt: skip
        graph.add(session, caller.tenant, [Edge(f"memory:{row.id}", "mentions", f"entity:{e[:80]}") for e in entities])
        return {"id": row.id, "merged": False}
