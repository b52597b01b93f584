"""Canonicalize: one form for what a candidate says, so that two wordings of one rule meet and two rules stay apart."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlmodel import Session

from bio_agent_schema import episodes
from bio_agent_schema.tables import CycleRow
from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.directives.speakers_wish import about_speaker
from bio_agent_workers.brain.relations.canonical import canonicalize, generalise
from bio_agent_workers.brain.remedies.sanitize import carries_out
from bio_agent_workers.brain.text import content_tokens
from bio_agent_workers.runner import Runtime

OUTSIDE = "outside"  # begins the key of what only text from outside asks for


@dataclass(frozen=True, slots=True)
class Loaded:
    evidence: dict[str, Episode]


def load(session: Session, cycle: CycleRow, rt: Runtime) -> Loaded:
    cited = {i for c in cycle.outputs.get("candidates", []) for i in c["cites"]}
    return Loaded({e.id: e for e in episodes.by_ids(session, cycle.tenant, cited)})


def think(loaded: Loaded, cycle: CycleRow, rt: Runtime) -> list[dict[str, Any]]:
    out = []
    for candidate in cycle.outputs.get("candidates", []):
        evidence = [loaded.evidence[i] for i in candidate["cites"] if i in loaded.evidence]
        if evidence:
            out.append(canonical_candidate(candidate, evidence, rt.settings.min_confidence))
    return out


def canonical_candidate(candidate: dict[str, Any], evidence: list[Episode], min_confidence: float) -> dict[str, Any]:
    """The candidate with canonical form, key, scope and search terms; a rule that is none stays a memory."""
    c = dict(candidate)
    if c["is_rule"] and not c["pair"] and not c["directive"]:
        general, one_literal_only = generalise(c["text"])
        c["text"] = general
        c["is_rule"] = not one_literal_only and c["confidence"] >= min_confidence
    if c["is_rule"]:
        c["canonical"], c["key"] = _form(c)
        inferred = not c["pair"] and not c["directive"]
        c["quarantine"] = bool(c.get("quarantine")) or (inferred and carries_out(candidate["text"]))
        if c["quarantine"]:
            c["key"] = f"{OUTSIDE}\x1f{c['key']}"  # never one with a rule that somebody may be right to make
    c |= scope_of(evidence, c)
    c["search"] = " ".join(content_tokens(f"{c['text']} {' '.join(c['entities'])}", c["lang"]))
    told_of_acts = not c["is_rule"] and all(e.kind is Kind.TOOL for e in evidence)
    trust = pair_trust(evidence) if c["pair"] else least_trust(evidence) if told_of_acts else best_trust(evidence)
    c["trust"] = (Provenance.UNTRUSTED if c.get("untrusted_step") else trust).value
    c["severity"] = max(e.severity for e in evidence)
    c["mode"] = evidence[-1].mode
    c["source"] = evidence[0].source
    c["origin"] = evidence[0].origin
    c["tags"] = list(c.get("tags", []))
    return c


def _form(c: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Canonical form and key. What acts teach is keyed by its slots, whatever words were found for it."""
    if c["pair"]:
        acts = c["acts"]
        steps = [a["form"] for a in acts["between"]] if acts["kind"] == "prepare" else [acts["fixed"]["form"]]
        token = acts["error_token"] if acts["kind"] == "prepare" else ""
        return {"slots": acts["kind"]}, "\x1f".join(["acts", acts["kind"], acts["failed"]["form"], token, *steps])
    form = canonicalize(c["text"], c["lang"])
    return asdict(form), form.key


def scope_of(evidence: list[Episode], c: dict[str, Any]) -> dict[str, Any]:
    """Born on the narrowest path that all the evidence shares; limited to its user is what a non-owner said, and a wish of
    one named person about how that person is to be treated."""
    paths = [scopes.of_workspace(e.workspace).path for e in evidence]
    path = scopes.narrowest_common(paths)
    said = [e for e in evidence if e.kind is Kind.USER]
    limited = bool(said) and all(e.provenance is not Provenance.OWNER for e in said)
    one_persons = len(said) == len(evidence) and len({e.user for e in said}) == 1
    return {
        "scope_path": scopes.format_path(path),
        "scope_user": said[0].user if limited or (one_persons and about_speaker(c["text"])) else "",
        "workspace": evidence[0].workspace,
        "agent": evidence[0].agent,
        "user": evidence[0].user,
    }


def trust_of(episode: Episode) -> Provenance:
    """The trust of what an episode says as evidence: an act is the host's word, its output is untrusted.

    A person's turn carries its own provenance; an event its system's; a tool result without a known act is only output.
    """
    if episode.kind is Kind.TOOL and not episode.command and episode.tool_input is None:
        return Provenance.UNTRUSTED
    if episode.kind is Kind.ASSISTANT or episode.recalled:
        return Provenance.UNTRUSTED
    if episode.kind is Kind.TOOL and episode.provenance is Provenance.OWNER:
        return Provenance.AGENT
    return episode.provenance


def best_trust(evidence: list[Episode]) -> Provenance:
    """The highest trust among the evidence; at least one episode."""
    return min((trust_of(e) for e in evidence), key=list(Provenance).index)


def least_trust(evidence: list[Episode]) -> Provenance:
    """The lowest trust among the evidence: what is told of several acts as one story is worth no more than any of them."""
    return max((trust_of(e) for e in evidence), key=list(Provenance).index)


def pair_trust(evidence: list[Episode]) -> Provenance:
    """What a failure and its fix are worth as evidence: acts, but untrusted where either half has no better witness, since
    whoever can send the fix to somebody else's failure would otherwise lend from its trust."""
    halves = [[e for e in evidence if e.is_failure is failed] for failed in (True, False)]
    known = [best_trust(half) is not Provenance.UNTRUSTED for half in halves if half]
    return Provenance.AGENT if all(known) else Provenance.UNTRUSTED


def save(
    session: Session, cycle: CycleRow, candidates: list[dict[str, Any]], rt: Runtime
) -> tuple[dict[str, Any], dict[str, int]]:
    return {"candidates": candidates}, {"rules": sum(c["is_rule"] for c in candidates)}
