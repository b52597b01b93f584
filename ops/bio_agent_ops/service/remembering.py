"""Remember: what is asked to be kept, cut into facts, each merged with what says the same or written anew."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_client.observation import clean_text, uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Remember
from bio_agent_ops.service.cleaning import cleaned
from bio_agent_ops.service.context import BadRequest, Context
from bio_agent_ops.service.moments import checked
from bio_agent_schema import beliefs, memories
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import MemoryKind, Provenance
from bio_agent_workers import long_term
from bio_agent_workers.brain.directives.reader import asks_to_keep_secret
from bio_agent_workers.brain.retrieval import facts, wishes
from bio_agent_workers.brain.text import content_tokens, detect_lang

DEFAULT_IMPORTANCE = 6
REDACTED = "[redacted"  # how the redaction's marks begin
# The free-text types that producers use, by a word in them; the first that fits gives the kind.
_KIND_OF_TYPE = (
    ("preference", MemoryKind.PREFERENCE), ("goal", MemoryKind.GOAL), ("exception", MemoryKind.EXCEPTION),
    ("procedur", MemoryKind.PROCEDURAL), ("skill", MemoryKind.PROCEDURAL), ("how", MemoryKind.PROCEDURAL),
    ("episod", MemoryKind.EPISODIC), ("event", MemoryKind.EPISODIC), ("conversation", MemoryKind.EPISODIC),
    ("message", MemoryKind.EPISODIC), ("turn", MemoryKind.EPISODIC),
)  # fmt: skip


def remember(ctx: Context, caller: Caller, ask: Remember) -> dict[str, Any]:
    """Keep something said. A fact that is known already, with the same values, is confirmed instead of doubled.

    Returns {id, ids, merged, facts}: the first fact's memory, all of them in order, whether nothing new was written,
    and how many facts the text held.
    """
    said_at = checked("occurred_at", ask.occurred_at)
    ask = cleaned(ask)
    content = facts.without_trigger(redact(clean_text(ask.content)).strip())
    if not content:
        raise BadRequest("content is empty once control characters are taken out")
    said = facts.split(content)
    if not said:
        raise BadRequest("content holds no word, only marks and white space; say what is to be remembered")
    if asks_to_keep_secret(ask.content):  # what else a long text says is kept
        said = (
            [fact for fact in said if REDACTED not in fact and not asks_to_keep_secret(fact)] if len(said) > 1 else []
        )
        if not said:
            raise BadRequest("this hands over a secret (a password or key); secrets are not kept, put it into a vault")
    vectors = ctx.embedder.passages([facts.to_embed(fact) for fact in said])
    thread = ask.thread or (uuid7() if len(said) > 1 else "")
    ids: list[str] = []
    written = 0
    with ctx.db.tenant(caller.tenant) as session:
        memories.taking_turns(session, caller.tenant)
        now = beliefs.now(session)
        at = min(said_at, now) if said_at is not None else now
        for place, (fact, vector) in enumerate(zip(said, vectors, strict=True)):
            row = _row(ask, caller, fact, vector, ctx.embedder.model_id, at)
            row.thread, row.position = thread, ask.position if ask.thread else place
            same = None if ask.thread else long_term.twin_of(session, row)
            if same is not None and row.meta and not same.meta.get("speaker"):
                # What an agent noted gives a person's words no shape: they are kept as they were said.
                same = _said_by_the_user(session, same, row)
            if same is not None:
                memories.confirm(session, caller.tenant, same.id)
                ids.append(same.id)
                continue
            ids.append(long_term.store(session, row, actor=caller.actor).id)
            written += 1
    return {"id": ids[0], "ids": ids, "merged": written == 0, "facts": len(said)}


def _said_by_the_user(session: Session, noted: MemoryRow, row: MemoryRow) -> MemoryRow | None:
    """An agent's own note that a person now says word for word is that person's; None for one in other words, or from
    elsewhere."""
    if noted.origin or not long_term.same_words(noted.content, row.content):
        return None
    noted.meta, noted.provenance, noted.source = noted.meta | row.meta, row.provenance, row.source
    session.add(noted)
    session.flush()
    return noted


def _row(ask: Remember, caller: Caller, fact: str, vector: list[float], model: str, at: datetime) -> MemoryRow:
    said = fact if ask.speaker == "user" else ""
    kind = kind_of(ask.type, said)
    usual = wishes.STANDING_IMPORTANCE if kind is MemoryKind.PREFERENCE and wishes.stands(said) else DEFAULT_IMPORTANCE
    return MemoryRow(
        tenant=caller.tenant, id=uuid7(), kind=kind.value, type=ask.type or kind.value, content=fact,
        workspace=ask.workspace, agent=ask.agent, user_id=ask.user, source=ask.source, origin=ask.origin,
        provenance=caller.ceiling or Provenance.AGENT.value, tags=ask.tags, entities=sorted(set(named(fact))),
        importance=ask.importance or usual, confidence=0.8, lang=detect_lang(fact), embedding=vector,
        embedding_model=model, occurred_at=at, valid_from=at, confirmed_at=at,
        meta={"speaker": "user"} if _users_own(caller, ask) else {},
    )  # fmt: skip


def _users_own(caller: Caller, ask: Remember) -> bool:
    """Whether the words are the user's: neither an agent's, as `speaker`, `source` or the key's ceiling tells, nor a page's.
    Without a credential on loopback the caller may speak for the user, as in an observation."""
    if ask.speaker == "agent" or ask.source.strip().casefold() == "mcp" or "://" in ask.origin:
        return False
    vouched = caller.ceiling in (None, Provenance.OWNER.value)
    return vouched and (ask.speaker == "user" or not ask.origin.strip())


def kind_of(given: str, said: str) -> MemoryKind:
    """The kind of a memory: the type given where it is one or names one, else what a person's words show ("" for what is
    not a person's). In a conversation a standing wish or liking is a preference, the rest is episodic."""
    if given in set(MemoryKind):
        return MemoryKind(given)
    named_kind = next((kind for part, kind in _KIND_OF_TYPE if part in given.casefold()), None)
    if named_kind in (None, MemoryKind.EPISODIC) and said and wishes.is_wish(said):
        return MemoryKind.PREFERENCE
    return named_kind or MemoryKind.SEMANTIC


def named(text: str) -> list[str]:
    """What a text names rather than describes: identifiers, codes, paths, numbers with letters; folded, at most 12."""
    return [
        w.casefold() for w in content_tokens(text, detect_lang(text)) if any(c.isdigit() or c in "._-/" for c in w)
    ][:12]
