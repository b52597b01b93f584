"""Promote: canonical candidates become memories and beliefs. Equivalent → support, new → proposed.

Beliefs that may say the same come from the canonical key and the indexes of `candidates`, never from a scan; numbers, units,
dates, polarity, names and the order of things keep rules apart however near their vectors are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from bio_agent_client.observation import uuid7
from bio_agent_schema import beliefs, derived, episodes, graph, ledger, memories, quotas
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import BeliefRow, CycleRow, EvidenceRow, MemoryRow
from bio_agent_schema.types import BeliefState, Episode, Layer, Provenance, Relation
from bio_agent_workers import long_term
from bio_agent_workers.brain import attention
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.distinctions import distinct
from bio_agent_workers.brain.relations.sameness import narrows, opposed
from bio_agent_workers.brain.retrieval import facts
from bio_agent_workers.models.embedding import passages
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages import candidates, closing
from bio_agent_workers.stages.canonicalize import trust_of


@dataclass(frozen=True, slots=True)
class Thought:
    candidates: list[dict[str, Any]]
    vectors: list[list[float]]
    model: str


def load(session: Session, cycle: CycleRow, rt: Runtime) -> list[dict[str, Any]]:
    return list(cycle.outputs.get("candidates", []))


def think(candidates: list[dict[str, Any]], cycle: CycleRow, rt: Runtime) -> Thought:
    embedder = rt.models.embedder
    vectors = passages(embedder, [facts.to_embed(c["text"]) for c in candidates])
    return Thought(candidates, vectors, embedder.model_id)


def save(session: Session, cycle: CycleRow, thought: Thought, rt: Runtime) -> tuple[dict[str, Any], dict[str, int]]:
    cited = {i for c in thought.candidates for i in c["cites"]}
    evidence = {e.id: e for e in episodes.by_ids(session, cycle.tenant, cited)}
    band = attention.stress_band(_stress(session, cycle))
    touched: dict[str, str] = {}
    limits = quotas.limits_of(session, cycle.tenant, rt.settings.limits())
    stored = held = 0
    for candidate, vector in zip(thought.candidates, thought.vectors, strict=True):
        shown = [evidence[i] for i in candidate["cites"] if i in evidence]
        if not shown:
            continue
        belief_id = ""
        if candidate["is_rule"]:
            new = _new_belief(cycle, candidate, vector, thought.model, beliefs.now(session))
            known = _equivalent(session, candidate, new, rt.settings.heuristic_overlap)
            if known is None and not candidate["directive"] and quotas.over(session, cycle.tenant, limits, "rules"):
                held += 1  # an owner's word is never held back; what was learned stays a memory
                ledger.audit(session, cycle.tenant, [
                    Entry("rule_held_back", subject=f"tenant:{cycle.tenant}", cycle_id=cycle.id, cause="rules",
                          data={"episodes": [e.id for e in shown], "limit": limits.rules}),
                ])  # fmt: skip
                if not _quarantined(candidate):
                    stored += _remember(session, cycle, candidate, vector, thought.model, shown, band, "")
                continue
            belief_id, how = _believe(session, cycle, candidate, new, shown, known)
            if touched.get(belief_id) != "new":
                touched[belief_id] = how
        if not _quarantined(candidate):  # what is not believed is not recalled either
            stored += _remember(session, cycle, candidate, vector, thought.model, shown, band, belief_id)
    episodes.mark_cited(session, cycle.tenant, sorted(cited))
    counts = {
        "memories": stored,
        "proposed": sum(h == "new" for h in touched.values()),
        "supported": sum(h == "support" for h in touched.values()),
        "held_back": held,
    }
    return {"touched": touched, "cited": sorted(cited), "candidates": []}, counts


def _stress(session: Session, cycle: CycleRow) -> float:
    outcomes = [
        attention.Outcome(o["severity"], o["is_failure"], o["unresolved"], o["received_at"], o["folded"])
        for o in reversed(episodes.newest_outcomes(session, cycle.tenant, cycle.workspace, cycle.agent))
    ]
    return attention.stress(outcomes, beliefs.now(session)).s


# ---------------------------------------------------------------------------------------------------------- beliefs


def _believe(
    session: Session,
    cycle: CycleRow,
    c: Mapping[str, Any],
    new: BeliefRow,
    shown: Sequence[Episode],
    existing: BeliefRow | None,
) -> tuple[str, str]:
    """Support the belief this is equivalent to, or propose a new one. Returns (belief id, "new" or "support")."""
    if existing is None:
        row = beliefs.insert(session, new)
        how = "new" if row.cycle_id == cycle.id else "support"
    else:
        row, how = existing, "support"
        if c["directive"] and not row.directive and not c["needs_person"]:
            row.directive, row.rendering, row.needs_person = True, c["rendering"], False
            session.add(row)
    added = beliefs.add_evidence(session, [_evidence(cycle, row.id, e, c) for e in shown])
    if added:
        graph.add(session, cycle.tenant, [Edge(f"episode:{e.id}", "supports", f"belief:{row.id}") for e in shown])
        ledger.audit(session, cycle.tenant, [
            Entry("belief_supported", subject=f"belief:{row.id}", cycle_id=cycle.id, cause=how,
                  data={"episodes": [e.id for e in shown], "added": added}),
        ])  # fmt: skip
    return row.id, how


def _equivalent(session: Session, c: Mapping[str, Any], new: BeliefRow, threshold: float) -> BeliefRow | None:
    """The belief of the same place that says what `new` would."""

    def same_place(row: BeliefRow) -> bool:
        return row.scope_path == new.scope_path and row.scope_user == new.scope_user

    known = (*beliefs.ACTIVE, BeliefState.QUARANTINED, BeliefState.REJECTED)
    for row in beliefs.by_key(session, new.tenant, [new.canonical_key]):
        if row.state in known and same_place(row) and not distinct(row.content, new.content):
            return row
    if new.pair or _quarantined(c):
        return None  # what acts teach is the same only when its slots are; what is in quarantine, only by its key
    for row in candidates.nominate(session, new):
        if same_place(row) and not row.pair and not _apart(row.content, new.content):
            reading = relate(row.content, new.content, threshold=threshold)
            if reading.decided and reading.relation is Relation.EQUIVALENT:
                return row
    return None


def _apart(a: str, b: str) -> bool:
    """What keeps two rules apart whatever a reading of their meaning says: support must not go to another rule."""
    return distinct(a, b) or opposed(a, b) or narrows(a, b)


def _new_belief(cycle: CycleRow, c: Mapping[str, Any], vector: Sequence[float], model: str, now: Any) -> BeliefRow:
    confidence = float(c["confidence"])
    return BeliefRow(
        tenant=cycle.tenant, id=uuid7(), content=c["text"], rendering=c["rendering"], model_text=c["model_text"],
        search=c["search"], lang=c["lang"], canonical_key=c["key"], canonical=c["canonical"], acts=c["acts"],
        kind=c["kind"], layer=Layer.ADAPTIVE.value, scope_path=c["scope_path"], scope_user=c["scope_user"],
        state=_first_state(c).value, directive=c["directive"], pair=c["pair"], needs_person=c["needs_person"],
        compiled_confidence=confidence, alpha=2 * confidence, beta=2 * (1 - confidence), confidence=confidence,
        rank=c["trust"], embedding=list(vector), embedding_model=model, valid_from=now, created_at=now, updated_at=now,
        cause=_cause(c), cycle_id=cycle.id,
    )  # fmt: skip


def _quarantined(c: Mapping[str, Any]) -> bool:
    """Whether only text from outside asks for the rule, or whoever followed it would send data away: held for a person,
    never spoken, recalled or supported."""
    return bool(c["is_rule"] and c.get("quarantine"))


def _first_state(c: Mapping[str, Any]) -> BeliefState:
    return BeliefState.QUARANTINED if _quarantined(c) else BeliefState.PROPOSED


def _cause(c: Mapping[str, Any]) -> str:
    if _quarantined(c):
        return "outside_instruction"
    return "directive" if c["directive"] else "pair" if c["pair"] else "compiled"


def _evidence(cycle: CycleRow, belief_id: str, e: Episode, c: Mapping[str, Any]) -> EvidenceRow:
    trust = trust_of(e)
    if c["pair"] and trust is not Provenance.UNTRUSTED:
        trust = Provenance(c["trust"])  # no end of a pair is worth more than the pair
    return EvidenceRow(
        tenant=cycle.tenant, belief_id=belief_id, episode_id=e.id, trust=trust.value, speaker=e.speaker,
        origin=e.origin, session=e.session, pair=c["pair"], cycle_id=cycle.id, at=e.occurred_at,
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------- memories


def _remember(
    session: Session, cycle: CycleRow, c: Mapping[str, Any], vector: Sequence[float], model: str, shown: Sequence[Episode],
    band: str, belief_id: str,
) -> int:  # fmt: skip
    """Write the memory, or confirm the one that says the same. Returns how many were written."""
    trust = Provenance(c["trust"])
    row = MemoryRow(
        tenant=cycle.tenant, id=uuid7(), kind=c["kind"], type=c.get("type", c["kind"]), content=c["text"], workspace=c["workspace"],
        agent=c["agent"], user_id=c["scope_user"], source=c["source"], origin=c["origin"], provenance=trust.value,
        tags=c["tags"], entities=sorted({x.casefold() for x in c["entities"]}), importance=c["importance"],
        confidence=c["confidence"], severity=c["severity"], mode=c["mode"], stress_band=band, lang=c["lang"],
        embedding=list(vector), embedding_model=model, cycle_id=cycle.id, occurred_at=max(e.occurred_at for e in shown),
        meta={"speaker": "user"} if all(e.kind == "user" for e in shown) else {},
    )  # fmt: skip
    kept = derived.kept_of(session, cycle.tenant, [e.id for e in shown])
    same = long_term.twin_of(session, row, kept)
    if same is not None:
        known = memories.sources_of(session, cycle.tenant, [same.id]).get(same.id, [])
        new = [e.id for e in shown if e.id not in known]
        if new:
            memories.add_sources(session, cycle.tenant, same.id, new)
            memories.confirm(session, cycle.tenant, same.id)
        if belief_id and (
            same.id in kept or long_term.same_words(same.content, row.content)
        ):  # it tells the rule, and falls with it
            graph.add(session, cycle.tenant, [Edge(f"memory:{same.id}", "derived_from", f"belief:{belief_id}")])
        closing.close(session, cycle.tenant, same.id, shown)
        return 0
    long_term.store(session, row, [e.id for e in shown])
    edges = [Edge(f"memory:{row.id}", "derived_from", f"episode:{e.id}") for e in shown]
    if belief_id:
        edges.append(Edge(f"memory:{row.id}", "derived_from", f"belief:{belief_id}"))
    graph.add(session, cycle.tenant, edges)
    closing.close(session, cycle.tenant, row.id, shown)
    return 1
