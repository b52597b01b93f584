"""What a model's memory may say: citations that exist and may be evidence, words that rest on them, a clamped confidence.

What only text from outside asks for stays visible for a person, in quarantine: it is never injected, recalled or supported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.remedies import grounding
from bio_agent_workers.brain.text import content_tokens, detect_lang
from bio_agent_workers.models.offline_items import suspicious

CONFIDENCE_RANGE = (0.3, 0.6)  # what a model may claim for what it inferred
OPEN_CONFIDENCE = 0.45  # and for what it makes of a failure that nobody fixed
DIRECTIVE_CONFIDENCE = 0.8
CONDUCT = ("procedural", "preference", "goal")  # kinds that tell an agent what to do
OWNER_SHARE = 0.25  # of a rule's words that an owner must have said before the owner's turn counts as its evidence
STEM = 5  # characters from which two words are one: apply, applying
SHORTEST = 8  # characters of a memory; fewer say nothing that stands alone
INPUT_CHARS = 2_000  # of a tool's input that a memory may rest on
READ_CHARS = 8_000  # of an episode's text that is searched for orders


def shared(text: str, said: str) -> float:
    """Share of the text's content words that were said, in [0, 1]; inflected forms count by their stem."""
    words = {w[:STEM] for w in content_tokens(text)}
    heard = {w[:STEM] for w in content_tokens(said)}
    return len(words & heard) / len(words) if words else 0.0


def _evidence(given: Mapping[str, Any], cited: Sequence[Episode], said_before: Mapping[str, str]) -> list[Episode]:
    """What may stand for a model's memory: nothing recalled, no assistant's claim; no text that gives agents orders where
    the memory is about conduct; and an owner's turn only where the words are the owner's, so that a request nearby does
    not lend its rank to what a page asked for."""
    evidence = [e for e in cited if not e.recalled and e.kind is not Kind.ASSISTANT]
    if given["is_rule"] or given["kind"] in CONDUCT:
        evidence = [e for e in evidence if not gives_orders(e)]
    owners = [e for e in evidence if e.kind is Kind.USER and e.provenance is Provenance.OWNER]
    heard = "\n".join(f"{said_before.get(e.id, '')}\n{e.content}" for e in owners)
    if owners and shared(given["text"], heard) < OWNER_SHARE:
        return [e for e in evidence if e not in owners]
    return evidence


def gives_orders(episode: Episode) -> bool:
    """Text from outside that speaks to agents as if it had a say."""
    return episode.kind is not Kind.USER and suspicious({"kind": "tool", "text": episode.content})


def only_asks(episode: Episode) -> bool:
    """Whether an episode is no more than somebody's wish from outside: it was sent as untrusted, gives agents orders, or
    is a tool's output that reads like a standing instruction."""
    if episode.kind is Kind.USER or episode.recalled:
        return False
    if gives_orders(episode) or episode.provenance is Provenance.UNTRUSTED:
        return True
    output = episode.kind is Kind.TOOL and not episode.is_failure
    return output and bool(directives.find(episode.content[:READ_CHARS], own=False))


def _told(episode: Episode) -> str:
    given = json.dumps(episode.tool_input, ensure_ascii=False, default=str)[:INPUT_CHARS] if episode.tool_input else ""
    return "\n".join((episode.command, given, episode.content, episode.last_content, episode.error_token))


def read(
    given: Mapping[str, Any],
    by_number: Mapping[int, Episode],
    said_before: Mapping[str, str],
    importance: Mapping[str, int],
) -> dict[str, Any] | None:
    """The candidate that a model's memory becomes, None where nothing may stand for it or where it is made up."""
    cited = [by_number[n] for n in dict.fromkeys(given["cites"]) if n in by_number]
    text = " ".join(given["text"].split())
    evidence = _evidence(given, cited, said_before)
    wishes = [e for e in cited if only_asks(e)]
    if not evidence and given["is_rule"]:
        evidence = wishes
    if not evidence or len(text) < SHORTEST:
        return None
    sources = "\n".join(f"{said_before.get(e.id, '')}\n{_told(e)}" for e in evidence)
    shown = "\n".join([*map(_told, by_number.values()), *said_before.values()])
    spoken = any(e.kind is Kind.USER for e in evidence)
    if grounding.fault(text, sources, shown, rule=given["is_rule"], spoken=spoken):
        return None
    low, high = CONFIDENCE_RANGE
    owner_said = any(e.kind is Kind.USER and e.provenance is Provenance.OWNER for e in evidence)
    open_failure = all(e.is_failure and not e.resolved_by for e in evidence)
    is_rule = given["is_rule"] and given["kind"] not in ("episodic", "exception")
    most = DIRECTIVE_CONFIDENCE if owner_said else OPEN_CONFIDENCE if open_failure else high
    return {
        "kind": given["kind"], "text": text, "confidence": min(max(given["confidence"], low), most),
        "cites": [e.id for e in evidence], "is_rule": is_rule, "quarantine": is_rule and all(e in wishes for e in evidence),
        "directive": False, "pair": False, "rendering": "", "model_text": text, "acts": {}, "needs_person": True,
        "importance": given.get("importance") or max((importance.get(e.id, 5) for e in evidence), default=5),
        "entities": given.get("entities", []), "lang": detect_lang(text),
    }  # fmt: skip
