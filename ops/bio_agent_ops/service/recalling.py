"""Recall: the right memories for a query, with the reason each came."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_client.observation import clean_text
from bio_agent_client.redact import redact
from bio_agent_ops.requests import Recall
from bio_agent_ops.service import recalling_order
from bio_agent_ops.service.context import Context
from bio_agent_ops.service.remembering import named
from bio_agent_schema import beliefs, memory_search, memory_sizes, vectors
from bio_agent_schema.memory_search import Raw, Remembered, Wish
from bio_agent_schema.types import MemoryKind, Provenance
from bio_agent_workers import long_term, reembedding
from bio_agent_workers.batching import scope_stress
from bio_agent_workers.brain import attention
from bio_agent_workers.brain.block import token_count
from bio_agent_workers.brain.retrieval import (
    freshness,
    likeness,
    query_time,
    retention,
    retrieval_voice,
    rule_frames,
    search_terms,
    wishes,
)
from bio_agent_workers.brain.retrieval import recall as scoring
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.dreaming import zone
from bio_agent_workers.models import reranking
from bio_agent_workers.models.protocol import ModelError

log = logging.getLogger("bio.recall")

# Floors on raw evidence. The first decide whether the query is about anything that is known: unrelated queries reach a
# cosine of 0.42 with the nearest of 400 memories of their language, so a vector alone must be beyond, or have words
# beside it; across languages there can be no words, and unrelated texts lie lower. The second decide which memories
# then come along: a vector alone carries one only where it fits at least FITS as well as the best, or any memory with a
# tone in common with the query would fill the answer up.
OPENS = ({"vector": 0.45}, {"across": 0.29}, {"words": 0.3}, {"vector": 0.28, "words": 0.1}, {"graph": 1.0})
FLOORS = {"vector": likeness.FLOOR, "words": 0.25, "graph": 1.0}
NAMED = {route: FLOORS[route] for route in ("words", "graph")}
FITS = 0.3  # of the best one's relevance
MOST_TERMS = 48
EMBEDDED = 600  # characters of a query that are embedded: 0.3 s of a processor; 2,000 take five times as long
ENDS = 250  # of these, from the end of a longer query, where long prompts tend to ask
STANDS = 3  # words with which a query stands for itself
TURN = (
    300  # characters of a turn before the query that are read, its last ones: they help the query, and do not drown it
)
WISHES = 200  # preferences looked at for a context; the least important of more are not
WISH_FITS = 0.28  # cosine from which a preference fits what is asked without a word in common
RERANKED = 50  # candidates that a reranker reads
ANSWERING_STAYS_S = 2.0  # which model answers changes once in a change of the embedder
# Kinds that state what is so: these are withheld once their ground is gone. What happened, and what was drawn from several
# grounds, stays told with the mark.
UNKNOWN = frozenset(freshness.REPLACEABLE)


@dataclass(frozen=True, slots=True)
class _Query:
    """What is asked, as the routes need it. vector: None where its model does not answer; then `without` says why."""

    text: str
    lang: str
    terms: list[str]
    entities: list[str]
    model: str
    vector: list[float] | None
    without: str = ""


def recall(ctx: Context, tenant: str, ask: Recall) -> dict[str, Any]:
    """Returns {query, memories: [{id, content, kind, …, score, why}]}, best first; empty when nothing fits.

    Beside these: `sessions`, the conversations (threads) that the candidates are from with a score, best first, where
    there are any; `tokens` and `left_out` with a token budget, `reranked` with a reranker, `without` when a route could not
    be used. A memory may carry `conflicts_with` (ids of memories in this answer that say otherwise, both hold) and
    `unknown_since` (what it was derived from is gone since: its content is then withheld).
    """
    query = _read(ctx, tenant, ask)
    filters: dict[str, Any] = {
        "kinds": ask.kind, "type": ask.type, "workspace": ask.workspace, "source": ask.source, "tags": ask.tags,
        "since": ask.since, "until": ask.until, "at": ask.at, "user_id": ask.user,
    }  # fmt: skip
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        found = _found(session, tenant, query, filters, ask.limit, now)
        while True:  # what turns out to be about something else measures nothing: the rest is weighed again without it
            measured = _measured(found, max(1, len(query.entities)))
            relevance = scoring.relevance(measured, query.lang)
            kept = fitting(found, query.lang, relevance)
            rows = memory_search.rows_of(session, tenant, list(kept))
            kept = {i: raw for i, raw in kept.items() if i in rows}
            if not (alien := hollow({i: found[i] for i in kept}, {i: rows[i].content for i in kept})):
                break
            found = {i: raw for i, raw in found.items() if i not in alien}
        stress = scope_stress(session, tenant, ask.workspace or "default", ask.agent or "default", now)
        asked = query_time.span(ask.query, now)
        if asked is not None:  # it names a time: that is meant on the tenant's own clock
            local = now.astimezone(zone(beliefs.tenant_row(session, tenant).time_zone))
            asked = query_time.span(ask.query, local)
    reranked = _reranked(ctx, query, rows, relevance, kept)
    state = scoring.AgentState(
        mode=ask.mode, workspace=ask.workspace or "", band=attention.stress_band(stress.s),
        failed_just_now=stress.failure_streak > 0,
    )  # fmt: skip
    voices = _voices(rows.values(), retrieval_voice.asks_what_the_agent_said(ask.query))
    scored = {i: _score(rows[i], (reranked or relevance)[i], state, now, asked, voices[i]) for i in kept}
    order = scoring.spread({i: s.total for i, s in scored.items()}, {i: _whose(rows[i]) for i in scored})
    told = recalling_order.Told(rows, scored, {i for i in kept if not recalling_order.holds(rows[i], ask.at)})
    order = recalling_order.settled(ctx, tenant, told, order, asked=ask.query, terms=query.terms, model=query.model)
    answer: dict[str, Any] = {"query": ask.query}
    holding = {i for i in order if i not in told.gone}
    conflicts = {i: [j for j in found[i].against if j in holding] for i in holding}
    comparable = {i: [j for j in others if told.comparable(j, i)] for i, others in conflicts.items()}
    order = scoring.together(order, comparable)[: ask.limit]
    views = [_view(rows[i], scored[i], kept[i], ask.at, told) for i in order]
    if ask.token_budget is not None:
        views, answer["tokens"], answer["left_out"] = _within(views, ask.token_budget)
    shown = {v["id"] for v in views}
    for view in views:
        if beside := [i for i in conflicts.get(view["id"], ()) if i in shown]:
            view["conflicts_with"] = beside
    answer["memories"] = views
    ranked = scoring.sessions({i: s.total for i, s in scored.items()}, measured)
    if ranked:
        answer["sessions"] = [{"thread": thread, "score": round(fit, 4)} for thread, fit in ranked[: ask.limit]]
    if reranking.configured(ctx.settings) is not None:
        answer["reranked"] = reranked is not None
    if query.without:
        answer["without"] = query.without
    return answer


def standing_wishes(
    ctx: Context, tenant: str, query: str, workspace: str, user: str, without: Collection[str] = ()
) -> tuple[list[Wish], list[Wish]]:
    """What the user wants whenever it fits, but for those `without`: (the preferences that hold from now on whatever is
    asked, or that fit the query, those about something else), each with the most wanted first. query "": all fit."""
    read = _read(ctx, tenant, Recall(query=query, limit=1)) if query else _Query("", "", [], [], "", None)
    with ctx.db.tenant(tenant) as session:
        held = [
            w
            for w in memory_search.preferences(
                session, tenant, workspace=workspace, user=user, vector=read.vector, model=read.model, most=WISHES
            )
            if w.id not in without
        ]
    terms = set(read.terms)
    measured = {
        w.id: scoring.Measured(w.near, float(len(terms.intersection(search_terms.terms(w.content)))), 0.0, read.lang)
        for w in held
    }
    fit = scoring.relevance(measured, read.lang)
    order = sorted(held, key=lambda w: (-scoring.wish_score(fit[w.id], w.importance), w.id))
    sure = [
        w for w in order
        if not query or wishes.stands(w.content) or measured[w.id].words or (w.near or 0.0) >= WISH_FITS
    ]  # fmt: skip
    return sure, [w for w in order if w not in sure]


def _read(ctx: Context, tenant: str, ask: Recall) -> _Query:
    own = redact(clean_text(ask.query))
    before = redact(clean_text("\n".join(turn[-TURN:] for turn in ask.turns[-3:])))
    # A question that stands for itself is measured by its own words; "and on Sunday?" needs those before it.
    stands = len(search_terms.terms(own)) >= STANDS
    said = "\n".join(filter(None, ("" if stands else before, own)))
    model = _answering(ctx, tenant)
    embedder = reembedding.embedder_of(model, ctx.embedder, ctx.settings)
    vector, without = None, ""
    try:
        vector = embedder.query(to_embed(said)) if embedder is not None else None
    except ModelError as error:
        log.warning("recall without vectors: %s", error)
        if model != ctx.embedder.model_id:
            reembedding.failed(model)
    if vector is None:
        without = f"vectors: the model that made them, {model}, does not answer"
    terms = list({**search_terms.terms(own), **search_terms.terms(said)})[:MOST_TERMS]
    return _Query(said, detect_lang(said), terms, named(said), model, vector, without)


def to_embed(said: str) -> str:
    """What is embedded of a long query: its end, where it tends to ask, and what else fits from its beginning."""
    if len(said) <= EMBEDDED:
        return said
    return f"{said[: EMBEDDED - ENDS - 1]}\n{said[-ENDS:]}"


_answers: dict[tuple[int, str], tuple[float, str]] = {}


def _answering(ctx: Context, tenant: str) -> str:
    at, known = _answers.get((id(ctx.db), tenant), (0.0, ""))
    if not known or time.monotonic() - at > ANSWERING_STAYS_S:
        with ctx.db.tenant(tenant) as session:
            known = vectors.answering(session, tenant, ctx.embedder.model_id)
        _answers[id(ctx.db), tenant] = (time.monotonic(), known)
    return known


def _found(
    session: Session, tenant: str, query: _Query, filters: Mapping[str, Any], limit: int, now: datetime
) -> dict[str, Raw]:
    """The candidates among the active memories, and among the cold ones too where these are fewer than asked for."""
    size = memory_sizes.known_size(session, tenant, query.model)
    frequencies = memory_sizes.known_frequencies(session, tenant, query.terms) if size.large else None
    found: dict[str, Raw] = {}
    for states in (["active"], ["active", "cold"]):
        within = {**filters, "states": states}
        narrow = (
            size.indexed and any(v is not None for v in filters.values())
            and memory_search.scope_size(session, tenant, within) <= memory_sizes.EXACT_UP_TO
        )  # fmt: skip
        found = memory_search.routes(
            session, tenant, vector=query.vector, model=query.model, terms=query.terms, entities=query.entities,
            filters=within, size=size, frequencies=frequencies, narrow=narrow, k1=search_terms.K1, b=search_terms.B,
            most=max(50, limit * 3), now=now,
        )  # fmt: skip
        if len(found) >= limit:
            break
    return found


def _measured(found: Mapping[str, Raw], entities: int) -> dict[str, scoring.Measured]:
    return {
        i: scoring.Measured(
            raw.vector, raw.words, raw.graph / entities, raw.lang, raw.thread, raw.position, raw.whole, raw.terms, raw.size,
        )
        for i, raw in found.items()
    }  # fmt: skip


def hollow(found: Mapping[str, Raw], contents: Mapping[str, str]) -> set[str]:
    """Ids of the learned rules that share with the question little but the tone of their template: neither words nor names
    of what fills it, nor a nearness, by which an answer could be opened."""
    evidence = {i: {"vector": r.vector or 0.0, "words": r.covered, "graph": float(r.graph)} for i, r in found.items()}
    return {
        i for i, raw in evidence.items()
        if rule_frames.slots(contents[i]) is not None
        and not any(all(raw.get(route, 0.0) >= least for route, least in way.items()) for way in OPENS)
    }  # fmt: skip


def fitting(found: Mapping[str, Raw], lang: str, relevance: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Memory id → its raw measures, for those with evidence of their own, the turns beside one of these, what replaced
    one of these, and what contradicts one of these. An answer is not filled up with what fits far worse than its best."""
    raw = {
        i: {"vector": r.vector or 0.0, "words": r.covered, "graph": float(r.graph),
            "across": (r.vector or 0.0) if r.lang != lang else 0.0}
        for i, r in found.items()
    }  # fmt: skip
    if not any(all(r[route] >= least for route, least in way.items()) for r in raw.values() for way in OPENS):
        return {}
    floors = {i: FLOORS if relevance[i] >= FITS else NAMED for i in raw}
    sure = {i for i, r in raw.items() if found[i].hit and scoring.above_floor(r, floors[i])}
    places = {(found[i].thread, found[i].position) for i in sure if found[i].thread}
    beside = {
        i for i, r in found.items()
        if r.thread and any((r.thread, r.position + step) in places for step in (-2, -1, 1, 2))
    }  # fmt: skip
    newer: set[str] = set()
    for i in sure:
        by = found[i].superseded_by
        while by is not None and by in found and by not in newer:
            newer.add(by)
            by = found[by].superseded_by
    against = {i for i, r in found.items() if sure.intersection(r.against)}
    return {i: r for i, r in raw.items() if i in sure or i in beside or i in newer or i in against}


def _reranked(
    ctx: Context, query: _Query, rows: Mapping[str, Remembered], relevance: Mapping[str, float], kept: Mapping[str, Any]
) -> dict[str, float] | None:
    """Relevance by the reranker, for the best candidates; the others stay below them. None without one."""
    reranker = reranking.configured(ctx.settings)
    if reranker is None:
        return None
    order = sorted(kept, key=lambda i: (-relevance[i], i))
    fits = reranking.fit(reranker, query.text, {i: rows[i].content for i in order[:RERANKED]})
    if fits is None:
        return None
    # The worst of what was read has half, so that what was not read ranks below by its own relevance, halved.
    return {i: 0.5 + fits[i] / 2 if i in fits else relevance[i] / 2 for i in kept}


def _voices(rows: Iterable[Remembered], agents_asked: bool) -> dict[str, float]:
    """Memory id → its factor by who spoke it, where the user and the agent both speak in its conversation."""
    told = list(rows)
    users = {m.thread for m in told if m.speaker == "user"}
    both = users.intersection(m.thread for m in told if m.speaker != "user") - {""}
    return {m.id: scoring.voice(m.thread in both, m.speaker == "user", agents_asked) for m in told}


def _score(
    m: Remembered, relevance: float, state: scoring.AgentState, now: datetime, asked: query_time.Span | None,
    voice: float,
) -> scoring.Score:  # fmt: skip
    kind = MemoryKind(m.kind)
    encoded = scoring.Encoded(kind=kind, severity=m.severity, workspace=m.workspace, band=m.stress_band)
    trust = scoring.UNVOUCHED if m.provenance == Provenance.UNTRUSTED else 1.0
    return scoring.score(
        relevance=relevance,
        importance=(m.importance - 1) / 9,
        retention=retention.retention(kind, m.confirmed_at, m.confirmations, now),
        at=m.confirmed_at,
        now=now,
        boost=trust * voice * scoring.state_boost(encoded, state) * scoring.time_boost(m.occurred_at, asked),
    )


def _whose(m: Remembered) -> tuple[str, ...] | None:
    """The message that a memory is a part of; where nobody vouches for it, the origin, since one page must not fill a list."""
    if m.provenance == Provenance.UNTRUSTED and m.origin:
        return ("origin", m.origin)
    return ("message", m.thread, str(m.position)) if m.thread else None


def _within(views: list[dict[str, Any]], budget: int) -> tuple[list[dict[str, Any]], int, int]:
    """(the best that fit into the budget, their tokens, how many were left out); a long one is passed over."""
    kept, spent = [], 0
    for view in views:
        size = token_count(view["content"])
        if spent + size <= budget:
            kept.append(view)
            spent += size
    return kept, spent, len(views) - len(kept)


def _view(
    m: Remembered,
    score: scoring.Score,
    raw: dict[str, float],
    at: datetime | None,
    told: recalling_order.Told,
) -> dict[str, Any]:
    unknown = m.gone if m.gone is not None and (at is None or m.gone <= at) else None
    content = m.content
    if unknown is not None and m.kind in UNKNOWN and m.type not in long_term.TOLD_TOGETHER:
        content = f"Unknown since {unknown:%Y-%m-%d}: what this was derived from was replaced or deleted."
    place = {"thread": m.thread, "position": m.position} if m.thread else {}
    view = {
        "id": m.id, "content": content, "kind": m.kind, "type": m.type or m.kind, "workspace": m.workspace,
        "tags": m.tags, "source": m.source, "provenance": m.provenance, "importance": m.importance,
        "origin": m.origin, "occurred_at": m.occurred_at, "created_at": m.created_at,
        "superseded_by": m.superseded_by if m.id in told.gone else None, "recheck": m.recheck, "episodes": m.episodes,
        "score": round(score.total, 4),
        "why": {"routes": {k: round(v, 4) for k, v in raw.items()}, **{k: round(v, 4) for k, v in asdict(score).items()}},
        **place,
    }  # fmt: skip
    if (partly := told.partly.get(m.id)) is not None:
        view["partly_replaced"] = list(partly.replaced)
    return view if unknown is None else {**view, "unknown_since": unknown}
