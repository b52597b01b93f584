"""A person's words as a rule: cleaned, read into the canonical form, and told anew wherever the old words were kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_client.observation import clean_text, uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.service.context import BadRequest, Context
from bio_agent_schema import derived, graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, MemoryRow
from bio_agent_schema.types import Act, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.guarding.act_forms import act_from
from bio_agent_workers.brain.guarding.matching import condemns, read_rule, speaks_against
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.retrieval import facts, search_terms
from bio_agent_workers.brain.text import content_tokens, detect_lang

#: Mark on a belief's acts: a person gave the rule other words since, which count besides.
REWORDED = "reworded"


@dataclass(frozen=True, slots=True)
class Worded:
    """A rule's text as everything that finds or matches it needs it."""

    text: str
    lang: str
    search: str
    key: str
    canonical: dict[str, Any]
    vector: Sequence[float]
    model: str


def rule_text(raw: str) -> str:
    said = " ".join(redact(clean_text(raw)).split())
    if len(re.sub(r"\W", "", said)) < 2:
        raise BadRequest("content holds no words once control characters are taken out")
    return said


def worded(ctx: Context, said: str) -> Worded:
    """Asks the embedder: call it with no transaction open."""
    lang = detect_lang(said)
    form = canonicalize(said, lang)
    vector = ctx.embedder.passages([facts.to_embed(said)])[0]
    search = " ".join(content_tokens(said, lang))
    return Worded(said, lang, search, form.key, asdict(form), vector, ctx.embedder.model_id)


def reword(session: Session, row: BeliefRow, new: Worded) -> bool:
    """Give a belief a person's text. Returns whether it now means something else.

    The acts it was learned from stay as long as the new text still names what failed and recommends nothing else; what
    the text says counts besides.
    """
    changed = new.key != row.canonical_key
    acts = {**row.acts, REWORDED: True} if row.acts and still_names(new.text, row.acts) else {}
    row.content = row.rendering = new.text
    row.lang, row.search = new.lang, new.search
    row.canonical_key, row.canonical, row.acts = new.key, new.canonical, acts
    row.embedding, row.embedding_model = list(new.vector), new.model
    session.add(row)
    return changed


def still_names(said: str, acts: Mapping[str, Any]) -> bool:
    """Whether a text speaks against the act that failed, and recommends none but what worked. acts: as a belief holds them."""
    reading = read_rule(said)
    failed, fixed = act_from(acts["failed"]), act_from(acts["fixed"])
    condemned = [act for command in reading.condemned for act in shell.parse_pattern(command)[-1:]]
    advised = [act for command in reading.recommends for act in shell.parse_pattern(command)[-1:]]
    if reading.spares != (acts["kind"] == "prepare"):
        return False
    named = any(_names(act, failed) for act in condemned) and speaks_against(said)
    return named and (acts["kind"] == "prepare" or all(_names(act, fixed) for act in advised))


def _names(said: Act, known: Act) -> bool:
    """Whether a command in a text is the known form: the same, or a part of it ("docker-compose" of "docker-compose up")."""
    return condemns(said, known) or condemns(known, said)


def retell(session: Session, row: BeliefRow, vector: Sequence[float], model: str, now: datetime, actor: str) -> None:
    """The memories that tell the belief say its present text: one that says so already is taken up again, else one is
    written; the others are superseded by it, so that the old words are not recalled and yet are kept."""
    told = derived.memories_of(session, row.tenant, row.id)
    shown = [m for m in told if m.superseded_by is None]
    if not shown:
        return
    again = next((m for m in told if m.content == row.content), None)
    gone = [m for m in shown if m is not again]
    if again is None:
        again = _told_anew(session, row, shown[0], vector, model, actor)
    elif again.superseded_by is not None:
        undone = again.superseded_by
        for m in told:  # what was superseded together comes back together
            if m is again or m.superseded_by == undone:
                m.superseded_by, m.valid_to, m.state, m.updated_at = None, None, "active", now
                session.add(m)
    for m in gone:
        m.superseded_by, m.valid_to, m.state, m.updated_at = again.id, now, "superseded", now
        session.add(m)
    session.flush()
    audit(session, row.tenant, [
        Entry("memory_retold", subject=f"memory:{m.id}", actor=actor, cause="edit", after=again.id, data={"belief": row.id})
        for m in gone
    ])  # fmt: skip


def _told_anew(
    session: Session, row: BeliefRow, like: MemoryRow, vector: Sequence[float], model: str, actor: str
) -> MemoryRow:
    fresh = MemoryRow(
        **like.model_dump(include={
            "tenant", "kind", "type", "workspace", "agent", "user_id", "source", "origin", "tags", "importance",
            "confidence", "severity", "mode", "stress_band", "recheck",
        }),
        id=uuid7(), content=row.content, lang=row.lang, embedding=list(vector), embedding_model=model,
        provenance=Provenance.OWNER.value, meta={"speaker": "user"},
        entities=[w.casefold() for w in content_tokens(row.content, row.lang) if any(c.isdigit() or c in "._-/" for c in w)][:12],
    )  # fmt: skip
    sources = memories.sources_of(session, row.tenant, [like.id]).get(like.id, [])
    memories.insert(session, fresh, search_terms.terms(fresh.content), sources, actor=actor)
    graph.add(session, row.tenant, [
        Edge(f"memory:{fresh.id}", "derived_from", f"belief:{row.id}"),
        Edge(f"memory:{like.id}", "superseded_by", f"memory:{fresh.id}"),
        *(Edge(f"memory:{fresh.id}", "mentions", f"entity:{e[:80]}") for e in fresh.entities),
    ])  # fmt: skip
    return fresh
