"""Whether recall brings the right memories: the corpus remembered at its own times, then the service's recall, beside
plain vector search, BM25 and their fusion over the same memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.bm25 import searches
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row
from bio_agent_ops.eval.scoring import Score
from bio_agent_workers.brain.lessons.failures import severity_of

LIMIT = 20  # memories asked for; a stale one below the twentieth place disturbs nobody

CORPUS = Form("a recall corpus", {"id": form.ID, "content": form.TEXT, "ts": (form.moment, "a time with its offset")})
QUERIES = Form(
    "recall queries",
    {"id": form.ID, "query": form.TEXT},
    {"relevant": (form.texts, "a list of ids of the corpus"), "stale": (form.texts, "a list of ids of the corpus")},
)


def run(corpus: Sequence[Row], queries: Sequence[Row], result: Result, house: House) -> None:
    tenant = house.tenant()
    refused: list[dict[str, str]] = []
    known = load(house, tenant, corpus, refused)
    if refused:
        result.extra["memories the service would not keep"] = refused
    house.set_clock(max(datetime.fromisoformat(m["ts"]) for m in corpus) if corpus else None)
    rivals = _rivals(house, corpus)
    scores: dict[str, Score] = {name: Score() for name in rivals}
    by_id = {m["id"]: m for m in corpus}
    for q in queries:
        ids = ask(house, tenant, q, known)
        result.items.append({"id": q["id"], "ids": ids})
        if "relevant" not in q:
            continue
        _score(q, ids, by_id, result.score)
        for name, search in rivals.items():
            _score(q, search(q), by_id, scores[name])
        _causes(q, ids, by_id, result.score)
    if result.score.all:
        result.extra["beside it"] = [_line("bio-agent recall", result.score), *(_line(n, s) for n, s in scores.items())]
        result.extra["rivals"] = {n: {"totals": s.totals(), "by": s.groups()} for n, s in scores.items()}
    house.set_clock(None)


def load(house: House, tenant: str, corpus: Sequence[Row], refused: list[dict[str, str]]) -> dict[str, list[str]]:
    """Remember the corpus through the service, each memory at its own time. Returns memory id → corpus ids, newest
    first: what was merged stands for all it took in. What the service refuses to keep goes to `refused`."""
    house.ctx.embedder.passages([m["content"] for m in corpus])  # at once: many texts cost less than each by itself
    known: dict[str, list[str]] = {}
    for m in sorted(corpus, key=lambda m: datetime.fromisoformat(m["ts"])):
        house.set_clock(datetime.fromisoformat(m["ts"]))
        try:
            kept = house.remember(
                tenant, m["content"], type=str(m.get("type") or ""), workspace=str(m.get("workspace") or "default"),
                source=str(m.get("source") or ""), tags=list(m.get("tags") or ()),
            )  # fmt: skip
        except ValueError as error:
            refused.append({"id": m["id"], "reason": str(error)[:200]})
            continue
        known.setdefault(kept, []).insert(0, m["id"])
        severity = severity_of(m.get("severity"))
        if severity is not None:  # what a memory of an episode would carry; `remember` has no field for it
            house.execute(
                "update bio.memories set severity = greatest(severity, :s) where tenant = :t and id = :i",
                s=severity, t=tenant, i=kept,
            )  # fmt: skip
    return known


def ask(house: House, tenant: str, q: Row, known: Mapping[str, list[str]]) -> list[str]:
    """Ids of the corpus as the service's recall ranks them, best first."""
    found = house.recall(
        tenant, q["query"], workspace=q.get("workspace") or None, mode=str(q.get("mode") or "normal"), limit=LIMIT
    )
    return [i for memory_id in found for i in known.get(memory_id, ())]


def _rivals(house: House, corpus: Sequence[Row]) -> dict[str, Callable[[Row], list[str]]]:
    """Plain searches over the same memories, each within the query's workspace as recall is."""
    places = {m["id"]: m.get("workspace") or "default" for m in corpus}
    plain = searches(house.ctx.embedder, list(places), [m["content"] for m in corpus])

    def within(q: Row, order: Sequence[str]) -> list[str]:
        return [i for i in order if not q.get("workspace") or places[i] == q["workspace"]]

    return {n: lambda q, search=search: within(q, search(q["query"]))[:LIMIT] for n, search in plain.items()}  # type: ignore[misc]


RECALL_AT_5 = "recall@5 (relevant memories in the first 5)"
RANK_1 = "rank 1 (first one is relevant)"
BEST_FIRST = "best first (first one is the best)"
STALE = "stale above fresh"
SAME_LANGUAGE = "recall@5, memory in the query's language"
ACROSS_LANGUAGES = "recall@5, memory in another language"


def _score(q: Row, ids: Sequence[str], corpus: Mapping[str, Row], score: Score) -> None:
    relevant = list(q["relevant"])
    pair = f"{q.get('lang', '')}→{corpus[relevant[0]].get('lang', '') if relevant and relevant[0] in corpus else ''}"
    groups = {"languages": pair, "mode": str(q.get("mode", ""))}
    if not relevant:
        score.add("nothing fits, nothing said", not ids, **groups)
        return
    for i in relevant[:5]:
        score.add(RECALL_AT_5, i in ids[:5], **groups)
        langs = q.get("lang"), corpus[i].get("lang") if i in corpus else None
        if all(langs):
            score.add(SAME_LANGUAGE if langs[0] == langs[1] else ACROSS_LANGUAGES, i in ids[:5])
    score.add(RANK_1, bool(ids) and ids[0] in relevant, **groups)
    score.add(BEST_FIRST, bool(ids) and ids[0] == relevant[0], **groups)
    if q.get("stale"):
        score.add(STALE, stale_above(q, ids), **groups)


def stale_above(q: Row, ids: Sequence[str]) -> bool:
    """Whether a stale memory stands before the first relevant one."""
    for i in ids:
        if i in q["relevant"]:
            return False
        if i in q["stale"]:
            return True
    return False


def _causes(q: Row, ids: Sequence[str], corpus: Mapping[str, Row], score: Score) -> None:
    kind = f"{q.get('lang', '')} query"
    for i in q["relevant"][:5]:
        if i not in ids[:5]:
            lang = corpus[i].get("lang", "") if i in corpus else "unknown"
            where = f"place {ids.index(i) + 1}" if i in ids else f"not in the first {LIMIT}"
            score.miss(kind, f"{lang} memory: {where}")
    if q.get("stale") and stale_above(q, ids):
        score.miss(kind, "a stale memory before the fresh one")


def _line(name: str, score: Score) -> dict[str, Any]:
    shown = {"search": f"{name:<30}"}
    for label, measure in (
        ("recall@5", RECALL_AT_5),
        ("rank 1", RANK_1),
        ("best first", BEST_FIRST),
        ("stale above", STALE),
        ("same language", SAME_LANGUAGE),
        ("across languages", ACROSS_LANGUAGES),
    ):
        share = score.all.get(measure)
        if share is not None:
            shown[label] = f"{share.k}/{share.n} = {share.k / share.n:.3f}"
    same, across = score.all.get(SAME_LANGUAGE), score.all.get(ACROSS_LANGUAGES)
    if same is not None and across is not None and same.k:
        shown["across/same"] = f"{across.k / across.n / (same.k / same.n):.3f}"
    return shown
