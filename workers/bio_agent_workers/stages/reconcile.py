"""Reconcile: the touched beliefs against their neighbours: contradictions, exceptions, belief life; then the cycle ends.

Reads again under the saving transaction what it decides on, so that two cycles never decide on each other's past.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_schema import beliefs, cycles, episodes, graph
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import BeliefRow, CycleRow, EvidenceRow
from bio_agent_schema.types import BeliefNumbers, BeliefState, Layer, Provenance, Relation, StateChange
from bio_agent_workers.brain import evidence as weigh
from bio_agent_workers.brain import forgetting, lifecycle
from bio_agent_workers.brain.directives.retractions import takes_the_place
from bio_agent_workers.brain.relations import rivalry
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.distinctions import reverses
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages import candidates, crediting, retracting
from bio_agent_workers.stages.judging import judge

_SHOWN = 200  # characters of each text in a question
SESSION_OPEN_S = 1800  # a session with an observation within this is open still


@dataclass(frozen=True, slots=True)
class Pair:
    a: str
    b: str
    relation: Relation
    exception_of: str  # id of the general rule, "" when there is none
    decided_by: str


def load(session: Session, cycle: CycleRow, rt: Runtime) -> list[tuple[BeliefRow, list[BeliefRow]]]:
    touched = beliefs.by_ids(session, cycle.tenant, cycle.outputs.get("touched", {}))
    return [(b, candidates.nominate(session, b)) for b in touched]


def think(loaded: Sequence[tuple[BeliefRow, list[BeliefRow]]], cycle: CycleRow, rt: Runtime) -> list[Pair]:
    """Relations of touched beliefs with their neighbours: the heuristic first, a judge for what it left open."""
    pairs: dict[tuple[str, str], Pair] = {}
    for belief, others in loaded:
        for other in others:
            key = (min(belief.id, other.id), max(belief.id, other.id))
            if key in pairs or (belief.pair and other.pair):
                continue  # two lessons of acts differ by their slots; both may hold
            reading = relate(belief.content, other.content, threshold=rt.settings.heuristic_overlap)
            relation, by = reading.relation, "heuristic"
            general = {"a": belief.id, "b": other.id}.get(reading.exception_of or "", "")
            if not reading.decided:
                relation, general, by = judge(rt, cycle, belief, other)
            pairs[key] = Pair(belief.id, other.id, relation, general, by)
    return [p for p in pairs.values() if p.relation is not Relation.NEUTRAL]


def save(
    session: Session, cycle: CycleRow, pairs: Sequence[Pair], rt: Runtime
) -> tuple[dict[str, Any], dict[str, int]]:
    now = beliefs.now(session)
    review_mode = beliefs.tenant_row(session, cycle.tenant).review_mode
    touched = {b.id: b for b in beliefs.by_ids(session, cycle.tenant, cycle.outputs.get("touched", {}))}
    used = {b.id: b for b in crediting.credit(session, cycle)}
    touched |= used
    raised = 0
    moved = 0
    for row in sorted(
        touched.values(), key=lambda b: b.id
    ):  # one order everywhere: two cycles never wait for each other
        made = advance(session, row, now, review_mode, cycle.id)
        moved += len(made)
        raised += any(m.after is BeliefState.REINFORCED for m in made)
        if row.id in used and any(m.after is BeliefState.CHALLENGED for m in made):
            beliefs.open_review(session, cycle.tenant, "hurt", row.id, question=harm_question(row))
    for row, change in retracting.carry_out(session, cycle):
        apply_move(session, row, change, cycle.id)
        moved += 1
    conflicts = settle(session, cycle, pairs, now, review_mode)
    counts = {"reinforced": raised, "conflicts": conflicts}
    counts |= end_cycle(session, cycle, now, rt)
    if moved or conflicts or touched:
        beliefs.touch_epoch(session, cycle.tenant)
    return {}, counts


# -------------------------------------------------------------------------------------------------------- belief life


def items(rows: Sequence[EvidenceRow]) -> list[weigh.EvidenceItem]:
    return [
        weigh.EvidenceItem(r.episode_id, r.supports, r.speaker, r.origin, r.session, Provenance(r.trust), r.at, r.pair)
        for r in rows
    ]


def renumber(session: Session, belief: BeliefRow, now: datetime) -> BeliefNumbers:
    """Compute a belief's numbers from all its evidence and uses, write them, and return them."""
    rows = beliefs.evidence_of(session, belief.tenant, [belief.id]).get(belief.id, [])
    found = items(rows)
    uses = [
        weigh.Use(u.session, u.credited == "helped", u.at)
        for u in beliefs.credits_of(session, belief.tenant, belief.id)
    ]
    if not any(i.supports for i in found):
        # A person's rule stands on the person, not on episodes.
        return BeliefNumbers(belief.alpha, belief.beta, 0, 0, 0, 0, belief.created_at, belief.created_at)
    n = weigh.numbers(found, belief.compiled_confidence, uses=uses, now=now)
    belief.alpha, belief.beta = n.alpha, n.beta
    belief.confidence = weigh.spoken_confidence(
        found, belief.compiled_confidence, floor=lifecycle.REINFORCE_CONFIDENCE, uses=uses
    )
    belief.support_count, belief.contradiction_count = n.support_count, n.contradiction_count
    belief.independent = n.independent
    if belief.layer != Layer.CORE:
        belief.rank = weigh.best_trust(found).value
    belief.pair = belief.pair and weigh.has_trusted_pair(found)
    session.add(belief)
    session.flush()
    return n


def flags_of(session: Session, belief: BeliefRow, numbers: BeliefNumbers, review_mode: bool) -> lifecycle.Flags:
    since = beliefs.state_since(session, belief)
    fresh = 0
    if belief.state == BeliefState.REJECTED:
        rows = beliefs.evidence_of(session, belief.tenant, [belief.id]).get(belief.id, [])
        fresh = weigh.independent_count([i for i in items(rows) if i.supports and i.at > since])
    owner = belief.directive and belief.rank == Provenance.OWNER
    return lifecycle.Flags(
        rank=Provenance(belief.rank), state_since=since, core=belief.layer == Layer.CORE,
        directive_at=max(numbers.first_support_at, belief.created_at) if owner else None, pair=belief.pair,
        waits_for_person=(review_mode or belief.needs_person) and not belief.approved_by, disputed=belief.disputed,
        new_independent=fresh,
    )  # fmt: skip


def rivals_of(session: Session, row: BeliefRow) -> list[lifecycle.RivalScore]:
    """The active beliefs that contradict this one, as the graph has them."""
    node = f"belief:{row.id}"
    others = [
        (e.target if e.source == node else e.source).removeprefix("belief:")
        for e in graph.around(session, row.tenant, node)
        if e.relation == "conflicts_with"
    ]
    return [
        lifecycle.RivalScore(
            BeliefState(b.state),
            Provenance(b.rank),
            lifecycle.score(b.confidence, b.support_count),
            b.layer == Layer.CORE,
        )
        for b in (beliefs.by_ids(session, row.tenant, others) if others else [])
        if b.state in beliefs.ACTIVE
    ]


def advance(
    session: Session, row: BeliefRow, now: datetime, review_mode: bool, cycle_id: str = ""
) -> list[StateChange]:
    """Let a belief move as far as its evidence and its age carry it; returns the moves made."""
    made: list[StateChange] = []
    for _ in range(3):  # proposed → reinforced → stable is the longest way at once
        n = renumber(session, row, now)
        change = lifecycle.next_state(
            BeliefState(row.state), n, flags_of(session, row, n, review_mode), rivals_of(session, row), now
        )
        if change is None:
            break
        if change.after is BeliefState.PROPOSED:
            row.needs_person = True  # what was rejected once speaks again only through a person
        apply_move(session, row, change, cycle_id)
        made.append(change)
    if row.state == BeliefState.PROPOSED and (review_mode or row.needs_person) and not row.approved_by:
        beliefs.open_review(
            session, row.tenant, "approval", row.id, question=f"May this rule speak? {row.content[:300]}"
        )
    return made


def apply_move(
    session: Session, row: BeliefRow, change: StateChange, cycle_id: str = "", actor: str = "system", why: str = ""
) -> None:
    """Carry out a move: state, layer, validity, audit, and the re-check of what was derived from a fallen belief."""
    row.layer = lifecycle.layer_of(change.after, row.layer == Layer.CORE).value
    fallen = (BeliefState.DEPRECATED, BeliefState.REJECTED, BeliefState.ARCHIVED)
    if change.after in fallen:
        row.valid_to = row.valid_to or beliefs.now(session)
    elif change.before in fallen:
        row.valid_to, row.superseded_by = None, None
        beliefs.uncascade(session, row.tenant, row.id)
    beliefs.move(session, row, change.after.value, cause=change.cause, actor=actor, cycle_id=cycle_id, why=why)
    if change.after in (BeliefState.DEPRECATED, BeliefState.REJECTED):
        beliefs.cascade(session, row.tenant, row.id)


def _contender(row: BeliefRow, now: datetime, session: Session) -> rivalry.Contender:
    n = renumber(session, row, now)
    return rivalry.Contender(
        id=row.id, state=BeliefState(row.state), rank=Provenance(row.rank), confidence=row.confidence,
        support_count=n.support_count, independent=n.independent, since=n.last_support_at if row.directive else row.valid_from,
        newest_wins=row.kind in ("preference", "semantic") and not row.directive, directive=row.directive, core=row.layer == Layer.CORE,
    )  # fmt: skip


def settle(session: Session, cycle: CycleRow, pairs: Sequence[Pair], now: datetime, review_mode: bool) -> int:
    """Draw the edges of what was found and carry out what follows from contradictions. Returns how many there were."""
    rows = {b.id: b for b in beliefs.by_ids(session, cycle.tenant, {i for p in pairs for i in (p.a, p.b)})}
    conflicts = 0
    for p in pairs:
        a, b = rows.get(p.a), rows.get(p.b)
        if a is None or b is None or a.state not in beliefs.ACTIVE or b.state not in beliefs.ACTIVE:
            continue
        first, second = sorted((f"belief:{p.a}", f"belief:{p.b}"))
        by = {"by": p.decided_by}
        if p.relation is Relation.EQUIVALENT:
            graph.add(session, cycle.tenant, [Edge(first, "related_to", second, props=by)])
        elif p.relation is Relation.GOVERNED_EXCEPTION:
            special = p.a if p.exception_of == p.b else p.b
            general = p.b if special == p.a else p.a
            graph.add(session, cycle.tenant, [
                Edge(f"belief:{special}", "governed_exception_for", f"belief:{general}", props=by),
            ])  # fmt: skip
        else:
            conflicts += 1
            graph.add(session, cycle.tenant, [Edge(first, "conflicts_with", second, props=by)])
            _contradiction(session, cycle, a, b, now)
    return conflicts


def _contradiction(session: Session, cycle: CycleRow, a: BeliefRow, b: BeliefRow, now: datetime) -> None:
    # A person's word goes only where another plainly takes it back; else both stay, in dispute, and a person is asked.
    one, other = _contender(a, now, session), _contender(b, now, session)
    newer, older = (a, b) if one.since > other.since else (b, a)
    plain = reverses(a.content, b.content) or takes_the_place(newer.content, older.content)
    outcome = rivalry.decide(one, other, now, same_slot=plain)
    by_id = {a.id: a, b.id: b}
    for change in outcome.changes:
        row = by_id[change.belief_id]
        row.disputed = row.disputed or change.disputed
        row.superseded_by = change.superseded_by or row.superseded_by
        row.valid_to = change.valid_to or row.valid_to
        if change.superseded_by:
            graph.add(
                session, cycle.tenant, [Edge(f"belief:{row.id}", "superseded_by", f"belief:{change.superseded_by}")]
            )
        if change.move is not None:
            apply_move(session, row, change.move, cycle.id)
        session.add(row)
    if outcome.review:
        beliefs.open_review(
            session, cycle.tenant, "tie" if outcome.tie else "outranked", a.id, b.id,
            question=question(session, a, b, outcome.tie),
        )  # fmt: skip


def question(session: Session, a: BeliefRow, b: BeliefRow, tie: bool) -> str:
    """What a person is asked: both texts, what each rests on, and the answers that would settle it."""
    known = beliefs.evidence_of(session, a.tenant, [a.id, b.id])
    sides = [f"{n}. “{row.content[:_SHOWN]}” ({rests_on(row, known.get(row.id, []))})" for n, row in ((1, a), (2, b))]
    ask = (
        "Does 1 hold, does 2 hold, or does each hold in a place or a case of its own?"
        if tie
        else "Should the one that ranks lower replace the other, or does it hold only in a case of its own?"
    )
    return f"These two cannot both hold. {' '.join(sides)} {ask}"


def harm_question(row: BeliefRow) -> str:
    """What a person is asked of a rule that fell silent because following it did harm."""
    sessions = f"{row.hurt} session{'s' * (row.hurt != 1)}"
    return (
        f"In {sessions} an agent did what this rule says and it failed (it helped in {row.helped}): {row.content[:_SHOWN]}"
        " It is silent now. Does it still hold, or only in a case of its own?"
    )


def rests_on(row: BeliefRow, known: Sequence[EvidenceRow]) -> str:
    """A belief's evidence in one phrase: whose word it is, how many observations over how many sessions, the newest."""
    support = [e for e in known if e.supports]
    whose = "set by a person" if row.layer == Layer.CORE else f"best evidence: {row.rank}"
    if not support:
        return f"{whose}; no observations"
    count, places = len(support), len({e.session for e in support})
    return (
        f"{whose}; {count} observation{'s' * (count != 1)} in {places} session{'s' * (places != 1)}, "
        f"the newest of {max(e.at for e in support).date().isoformat()}"
    )


# ------------------------------------------------------------------------------------------------------ end of a cycle


def end_cycle(session: Session, cycle: CycleRow, now: datetime, rt: Runtime) -> dict[str, int]:
    """Give each episode its outcome, let older ones age, forget what nobody needs."""
    labels = cycle.outputs.get("labels", [])
    junk = [x["episode_id"] for x in labels if x["junk"]]
    junk_set = set(junk)
    considered = [i for i in cycle.episode_ids if i not in junk_set]
    episodes.finish(session, cycle.tenant, considered, junk, cycle.outputs.get("cited", []))
    older = [
        a for a in episodes.ageing(session, cycle.tenant, cycle.workspace, cycle.agent) if a.id not in set(considered)
    ]
    grown, doomed = age(older, now, rt.settings.default_ttl, rt.settings.ebbinghaus_lambda)
    episodes.grow_older(session, cycle.tenant, grown)
    forgotten = episodes.forget(session, cycle.tenant, doomed, cycle.id)
    cycles.cycle_ended(session, cycle.tenant, cycle.workspace, cycle.agent)
    return {"forgotten": forgotten}


def age(older: Sequence[episodes.Ageing], now: datetime, ttl: int, decay: float) -> tuple[list[str], dict[str, str]]:
    """Which episodes grow one cycle older, and which are forgotten and why."""
    grown: list[str] = []
    doomed: dict[str, str] = {}
    for e in older:
        is_open = (now - e.session_last_at).total_seconds() < SESSION_OPEN_S
        standing = forgetting.Standing(
            age=e.age_cycles, aged_at=e.aged_at, importance=e.importance, considered=True, junk=e.junk,
            unresolved_failure=e.unresolved, session_ended_at=None if is_open else e.session_last_at,
        )  # fmt: skip
        after = forgetting.age_after_cycle(standing, now)
        if after.age > e.age_cycles:
            grown.append(e.id)
        fate = forgetting.fate(
            forgetting.Standing(
                age=after.age, aged_at=after.aged_at, importance=e.importance, considered=True, junk=e.junk,
                unresolved_failure=e.unresolved, session_ended_at=standing.session_ended_at,
            ),
            now, ttl=ttl, decay=decay,
        )  # fmt: skip
        if fate.forget:
            doomed[e.id] = fate.reason.value
    return grown, doomed
