"""How well recall finds what was said in long conversations; no language model is needed, the sets name the evidence.

Every turn is remembered at its own time in a tenant of its conversation, then each question is asked through the
service's recall, beside plain vector search with the same embedder, plain BM25 and their reciprocal-rank fusion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bio_agent_ops.eval.bm25 import BM25, ranked
from bio_agent_ops.eval.conversation_sets import Conversation, Question, Turn
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import recalling, remembering
from bio_agent_ops.service.context import BadRequest
from bio_agent_workers.brain.block import token_count
from bio_agent_workers.brain.facts import split
from bio_agent_workers.brain.text import detect_lang, tokens

K = 10
DEEP = 30  # memories asked for: a message may be several memories, a session several messages
CONTEXT_TOKENS = 700
RRF_K = 60  # of Cormack, Clarke and Büttcher (2009)


@dataclass(slots=True)
class Mean:
    total: float = 0.0
    n: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.n += 1

    def __str__(self) -> str:
        return f"{self.total / self.n:.4f} (n={self.n})" if self.n else "–"


Means = dict[str, dict[str, Mean]]  # search → measure → mean


def run(conversations: Iterable[Conversation], result: Result, house: House) -> None:
    """items: one per question, {id, kind, ids: [turns, best first]}."""
    means: Means = {}
    kinds: Means = {}
    count = 0
    refused: Counter[str] = Counter()
    for conversation in conversations:
        tenant = house.tenant()
        refused += load(house, tenant, conversation)
        house.set_clock(max(t.at for t in conversation.turns))
        session_of = {t.id: t.session for t in conversation.turns}
        searches = {"bio-agent recall": _asker(house, tenant), **_rivals(house, conversation.turns)}
        for number, q in enumerate(conversation.questions):
            for name, search in searches.items():
                ids, context = search(q.text)
                found = _measures(q, ids, context, session_of)
                for measure, value in found.items():
                    means.setdefault(name, {}).setdefault(measure, Mean()).add(value)
                    if name == "bio-agent recall":
                        kinds.setdefault(q.kind, {}).setdefault(measure, Mean()).add(value)
                if name == "bio-agent recall":
                    count += 1
                    result.items.append({"id": f"{conversation.id}:{number}", "kind": q.kind, "ids": ids[:K], **found})
        house.set_clock(None)
    if refused:
        result.extra["turns the service would not keep"] = [{"reason": r, "turns": n} for r, n in refused.items()]
    result.extra["searches"] = [{"search": n, **{m: str(v) for m, v in ms.items()}} for n, ms in means.items()]
    result.extra["by kind"] = [{"kind": k, **{m: str(v) for m, v in ms.items()}} for k, ms in sorted(kinds.items())]


def load(house: House, tenant: str, conversation: Conversation) -> Counter[str]:
    """Remember each turn through the service at its own time; its text names who spoke. Returns what it refused, by
    reason."""
    refused: Counter[str] = Counter()
    caller = house.person(tenant)
    house.set_clock(max(t.at for t in conversation.turns))  # nothing is said in the future
    said = [_said(t) for t in conversation.turns]
    house.ctx.embedder.passages(
        [fact for text in said for fact in split(text)]
    )  # one pass; `remember` finds them cached
    for turn, text in zip(conversation.turns, said, strict=True):
        try:
            remembering.remember(house.ctx, caller, Remember(
                content=text, type="turn", thread=f"{conversation.id}/{turn.session}", position=turn.position,
                origin=turn.id, occurred_at=turn.at, speaker="user" if turn.speaker != "assistant" else "agent",
            ))  # fmt: skip
        except BadRequest as refusal:
            refused[str(refusal)] += 1
    return refused


def _said(turn: Turn) -> str:
    return f"{turn.speaker}: {turn.text}" if turn.speaker not in ("", "user", "assistant") else turn.text


Search = Callable[[str], tuple[list[str], set[str]]]  # question → turn ids best first, and those that fit the context


def _asker(house: House, tenant: str) -> Search:
    def ask(question: str) -> tuple[list[str], set[str]]:
        found = recalling.recall(house.ctx, tenant, Recall(query=question, limit=DEEP))["memories"]
        return list(dict.fromkeys(m["origin"] for m in found)), _fitting((m["origin"], m["content"]) for m in found)

    return ask


def _fitting(said: Iterable[tuple[str, str]]) -> set[str]:
    """Ids of the turns whose texts fit the context's budget, best first."""
    kept: set[str] = set()
    used = 0
    for turn, text in said:
        used += token_count(text)
        if used > CONTEXT_TOKENS:
            break
        kept.add(turn)
    return kept


def _rivals(house: House, turns: Sequence[Turn]) -> Mapping[str, Search]:
    embedder = house.ctx.embedder
    facts = [(t.id, fact) for t in turns for fact in split(_said(t))]
    ids = [f"fact {n}" for n in range(len(facts))]
    turn_of = dict(zip(ids, (turn for turn, _ in facts), strict=True))
    text_of = dict(zip(ids, (fact for _, fact in facts), strict=True))
    vectors = embedder.passages([f for _, f in facts])
    words = BM25([tokens(f, detect_lang(f)) for _, f in facts])

    def vector(question: str) -> list[str]:
        asked = embedder.query(question)
        return ranked([sum(x * y for x, y in zip(asked, v, strict=True)) for v in vectors], ids, above=-2.0)

    def text(question: str) -> list[str]:
        return ranked(words.scores(tokens(question, detect_lang(question))), ids)

    def fused(question: str) -> list[str]:
        gained: dict[str, float] = {}
        for order in (vector(question), text(question)):
            for place, i in enumerate(order, 1):
                gained[i] = gained.get(i, 0.0) + 1 / (RRF_K + place)
        return sorted(gained, key=lambda i: -gained[i])

    def shown(search: Callable[[str], list[str]]) -> Search:
        def ask(question: str) -> tuple[list[str], set[str]]:
            order = search(question)[:DEEP]
            return list(dict.fromkeys(turn_of[i] for i in order)), _fitting((turn_of[i], text_of[i]) for i in order)

        return ask

    return {
        "vector search, same embedder": shown(vector), "BM25": shown(text), "their reciprocal-rank fusion": shown(fused),
    }  # fmt: skip


def _measures(q: Question, ids: Sequence[str], context: set[str], session_of: Mapping[str, str]) -> dict[str, float]:
    out: dict[str, float] = {}
    gold = set(q.relevant)
    if gold:
        hits = [i in gold for i in ids[:K]]
        out["recall@10"] = sum(hits) / len(gold)
        ideal = sum(1 / math.log2(i + 2) for i in range(min(K, len(gold))))
        out["NDCG@10"] = sum(h / math.log2(i + 2) for i, h in enumerate(hits)) / ideal
    if q.sessions:
        order = list(dict.fromkeys(session_of[i] for i in ids if i in session_of))
        out["session hit@1"] = float(bool(order) and order[0] in q.sessions)
        out["session recall@5"] = len(set(order[:5]) & set(q.sessions)) / len(q.sessions)
    if q.newer and q.older:
        place = {i: n for n, i in enumerate(ids)}
        newer, older = (
            min((place.get(i, DEEP * 10) for i in which), default=DEEP * 10) for which in (q.newer, q.older)
        )
        out["current above outdated"] = float(newer < older)
    if q.present:
        out["standing wish in the context"] = float(bool(gold & context))
    return out
