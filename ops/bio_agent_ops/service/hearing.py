"""A standing directive that comes through `remember`, or one that is taken back there: heard as in a session.

It goes onto the stream as an observation of the user, so that the one reading of directives (grammar, quotes, pasted text,
hypotheticals; English, Chinese, Vietnamese) decides, and the rule has its episode, its scope and its undo.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bio_agent_client.observation import uuid7
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Remember
from bio_agent_ops.service.context import Context
from bio_agent_ops.service.remembering import remember
from bio_agent_schema import graph
from bio_agent_schema.derived import REMEMBERED
from bio_agent_schema.graph import Edge
from bio_agent_schema.types import MemoryKind, Provenance
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.directives import retractions, voices

SESSION = "remember"  # one session for all that is remembered: saying it often here is no independent support
REST_WORDS = 2  # word characters in a row count as one; less beside a directive is a mark or a particle of it
_PAUSES = " \t\r\n,;:.!，；：。！"
_WORDS = re.compile(r"[\u3400-\u9fff]|[^\W_]{2,}")


def keep(ctx: Context, caller: Caller, ask: Remember) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Keep something said. Returns what `remember` returns, and the observation to take in when an owner gives a standing
    directive in it or takes one back (else None)."""
    if directives.asks_to_keep_secret(ask.content) or not _heard(caller, ask):
        return remember(ctx, caller, ask), None
    rules, rest = _apart(ask.content)
    typed = (
        {} if ask.type else {"type": MemoryKind.PROCEDURAL.value}
    )  # as the rule's own memory is, so that they are one
    parts = [remember(ctx, caller, ask.model_copy(update={"content": said, **typed})) for said in rules]
    episode = f"{REMEMBERED}{uuid7()}"
    if parts:
        _link(ctx, caller.tenant, episode, [i for p in parts for i in p["ids"]])
    parts += [remember(ctx, caller, ask.model_copy(update={"content": rest}))] if rest else []
    kept = {
        "id": parts[0]["id"], "ids": [i for p in parts for i in p["ids"]], "merged": all(p["merged"] for p in parts),
        "facts": sum(p["facts"] for p in parts), "directive": bool(rules), "episode_id": episode,
    }  # fmt: skip
    return kept, {
        "id": episode, "kind": "user", "content": ask.content, "workspace": ask.workspace or "default",
        "agent": ask.agent or "default", "user": ask.user, "session": SESSION,
        # Whatever place an owner's credential vouches for, it was through this door that the words came in.
        "source": ask.source if ask.source and not voices.from_elsewhere(ask.source, "") else SESSION,
    }  # fmt: skip


def _apart(content: str) -> tuple[list[str], str]:
    """The directives, and what else the text says: it must not fall silent with a rule that a person takes back."""
    rules, others, at = [], [], 0
    for found in sorted(directives.find(content), key=lambda d: d.start):
        if found.start >= at:
            rules.append(content[found.start : found.end].strip())
            others.append(content[at : found.start])
            at = found.end
    others.append(content[at:])
    rest = " ".join(
        " ".join(part.lstrip(_PAUSES) for part in others).split()
    )  # what parted it from a rule is no word of it
    if rules and len(_WORDS.findall(rest)) < REST_WORDS:
        return ([content] if len(rules) == 1 else rules), ""
    return rules, rest


def _heard(caller: Caller, ask: Remember) -> bool:
    """Without a credential on loopback what a user says is the owner's, here as in an observation; an agent that keeps
    notes of its own says so with `speaker`. A note that names where it came from is that place's word, nobody's rule."""
    owner = caller.ceiling in (None, Provenance.OWNER.value)
    said = ask.speaker in (None, "user") and not _from_elsewhere(caller, ask)
    return owner and said and bool(directives.find(ask.content) or retractions.find(ask.content))


def _from_elsewhere(caller: Caller, ask: Remember) -> bool:
    """Whether the note came from a message, a document, a page or an agent, as its `origin` or `source` tells."""
    vouched = caller.ceiling == Provenance.OWNER.value and ask.speaker == "user"
    return voices.from_elsewhere(ask.source, ask.origin, vouched=vouched)


def _link(ctx: Context, tenant: str, episode: str, ids: Sequence[str]) -> None:
    """What was kept of the directives is derived from where they were heard, and falls with the rule."""
    with ctx.db.tenant(tenant) as session:
        graph.add(
            session, tenant, [Edge(f"memory:{i}", "derived_from", f"episode:{episode}") for i in sorted(set(ids))]
        )
