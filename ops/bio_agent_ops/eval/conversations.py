"""How well recall finds what was said in long conversations; no language model is needed, the sets name the evidence.

Every turn is remembered at its own time in a tenant of its conversation, then each question is asked through the
service's recall, beside plain vector search with the same embedder, plain BM25 and their reciprocal-rank fusion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from bio_agent_ops.eval.bm25 import searches
from bio_agent_ops.eval.conversation_sets import Conversation, Question, Turn
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import contexts, recalling, remembering
from bio_agent_ops.service.context import BadRequest
from bio_agent_workers.brain.block import token_count
from bio_agent_workers.brain.retrieval.facts import split, to_embed

K = 10
DEEP = 30  # memories asked for: a message may be several memories, a session several messages
CONTEXT_TOKENS = 700


@dataclass(slots=True)
class Mean:
    total: float = 0.0
    n: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.n += 1

    def __str__(self) -> str:
        return f"{self.total / self.n:.4f} (n={self.n})" if self.n else "–"


@dataclass(frozen=True, slots=True)
class Found:
    """What a search answers. turns, sessions: ids, best first; shown: ids of the turns that a context of CONTEXT_TOKENS
    holds, asked for only where the question needs it."""

    turns: list[str]
    sessions: list[str]
    shown: set[str]


Search = Callable[[Question], Found]
Means = dict[str, dict[str, Mean]]  # search → measure → mean


def run(
    conversations: Iterable[Conversation], result: Result, house: House, told: Callable[[str], None] = lambda _: None
) -> None:
    """items: one per question, {id, kind, ids: [turns, best first]}. told: hears how far it is; embedding takes its time."""
    means: Means = {}
    kinds: Means = {}
    count = 0
    refused: Counter[str] = Counter()
    for conversation in conversations:
        tenant = house.tenant()
        told(f"{conversation.id}: remembering {len(conversation.turns)} turns")
        refused += load(house, tenant, conversation)
        told(f"{conversation.id}: asking {len(conversation.questions)} questions")
        house.set_clock(max(t.at for t in conversation.turns))
        session_of = {t.id: t.session for t in conversation.turns}
        asked = {"bio-agent recall": _asker(house, tenant, conversation), **_rivals(house, conversation.turns)}
        for number, q in enumerate(conversation.questions):
            for name, search in asked.items():
                answer = search(q)
                found = _measures(q, answer, session_of)
                for measure, value in found.items():
                    means.setdefault(name, {}).setdefault(measure, Mean()).add(value)
                    if name == "bio-agent recall":
                        kinds.setdefault(q.kind, {}).setdefault(measure, Mean()).add(value)
                if name == "bio-agent recall":
                    count += 1
                    result.items.append(
                        {"id": f"{conversation.id}:{number}", "kind": q.kind, "ids": answer.turns[:K], **found}
                    )
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
    # One pass over what all turns hold: `remember` finds it in the embedder's cache.
    house.ctx.embedder.passages(list(dict.fromkeys(to_embed(fact) for text in said for fact in split(text))))
    for turn, text in zip(conversation.turns, said, strict=True):
        try:
            remembering.remember(house.ctx, caller, Remember(
                content=text, type="turn", thread=_thread(conversation, turn.session), position=turn.position,
                origin=turn.id, occurred_at=turn.at, speaker="user" if turn.speaker != "assistant" else "agent",
            ))  # fmt: skip
        except BadRequest as refusal:
            refused[str(refusal)] += 1
        except ValidationError as error:  # such as a turn longer than a memory may be
            refused[error.errors()[0]["msg"]] += 1
    return refused


def _thread(conversation: Conversation, session: str) -> str:
    return f"{conversation.id}/{session}"


def _said(turn: Turn) -> str:
    return f"{turn.speaker}: {turn.text}" if turn.speaker not in ("", "user", "assistant") else turn.text


def _asker(house: House, tenant: str, conversation: Conversation) -> Search:
    sessions = {_thread(conversation, t.session): t.session for t in conversation.turns}
    origin = {
        r[0]: r[1] for r in house.rows("select id, origin from bio.memories where tenant = :t", t=tenant)
    }  # a context names its memories by id

    def ask(q: Question) -> Found:
        answer = recalling.recall(house.ctx, tenant, Recall(query=q.text, limit=DEEP))
        shown: set[str] = set()
        if q.present:
            context = contexts.context(
                house.ctx, tenant, session_id="", workspace="", agent="", user="", query=q.text, budget=CONTEXT_TOKENS
            )
            shown = {origin[m["id"]] for m in context["memories"]}
        return Found(
            list(dict.fromkeys(m["origin"] for m in answer["memories"])),
            [sessions[s["thread"]] for s in answer.get("sessions", ())], shown,
        )  # fmt: skip

    return ask


def _rivals(house: House, turns: Sequence[Turn]) -> Mapping[str, Search]:
    facts = [(t, fact) for t in turns for fact in split(_said(t))]
    by_id = {f"fact {n}": entry for n, entry in enumerate(facts)}
    texts = [fact for _, fact in facts]
    plain = searches(house.ctx.embedder, list(by_id), texts, [to_embed(t) for t in texts])

    def shown(search: Callable[[str], list[str]]) -> Search:
        def ask(q: Question) -> Found:
            order = [by_id[i] for i in search(q.text)]  # to its end, however many memories a message is
            turns, sessions = ([t.id for t, _ in order], [t.session for t, _ in order])
            kept = _fitting((t.id, fact) for t, fact in order)
            return Found(list(dict.fromkeys(turns)), list(dict.fromkeys(sessions)), kept)

        return ask

    return {name: shown(search) for name, search in plain.items()}


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


def _measures(q: Question, found: Found, session_of: Mapping[str, str]) -> dict[str, float]:
    out: dict[str, float] = {}
    gold, ids = set(q.relevant), found.turns
    if gold:
        hits = [i in gold for i in ids[:K]]
        out["recall@10"] = sum(hits) / len(gold)
        ideal = sum(1 / math.log2(i + 2) for i in range(min(K, len(gold))))
        out["NDCG@10"] = sum(h / math.log2(i + 2) for i, h in enumerate(hits)) / ideal
    if q.sessions:
        out["session hit@1"] = float(bool(found.sessions) and found.sessions[0] in q.sessions)
        out["session recall@5"] = len(set(found.sessions[:5]) & set(q.sessions)) / len(q.sessions)
        place = {s: n for n, s in enumerate(found.sessions[:5])}
        ideal = sum(1 / math.log2(i + 2) for i in range(min(5, len(q.sessions))))
        out["session NDCG@5"] = sum(1 / math.log2(place[s] + 2) for s in q.sessions if s in place) / ideal
    if q.newer and q.older:
        place = {i: n for n, i in enumerate(ids)}
        newer, older = (
            min((place.get(i, DEEP * 10) for i in which), default=DEEP * 10) for which in (q.newer, q.older)
        )
        out["current above outdated"] = float(newer < older)
    if q.sides:
        out["both sides in the first 10"] = float(all(set(side) & set(ids[:K]) for side in q.sides))
    if q.present:
        out["standing wish in the context"] = float(bool(gold & found.shown))
    return out
