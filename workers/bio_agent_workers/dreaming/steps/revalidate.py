"""Rules that acts taught are held against what was done since: followed and it worked, broken and it failed, or broken and it
worked. Rules that nothing touched for long are looked at again by what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema import beliefs, episodes, graph, ledger
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import BeliefRow, EvidenceRow
from bio_agent_schema.types import BeliefState, Episode, Provenance, StateChange
from bio_agent_workers import shell
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.counting import counted
from bio_agent_workers.brain.guarding.act_forms import lesson_from
from bio_agent_workers.brain.lessons.validation import Says, says
from bio_agent_workers.brain.lifecycle import REINFORCE_CONFIDENCE
from bio_agent_workers.dreaming.base import Batch, Line, Night, Step
from bio_agent_workers.dreaming.steps.advance import moved
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages.canonicalize import trust_of
from bio_agent_workers.stages.reconcile import advance, apply_move, renumber

UNTOUCHED = timedelta(days=30)  # without evidence, move or look: the time after which a proposed rule would be archived
LOOK_BACK = timedelta(days=7)  # how far the first dream looks at acts
OVERLAP = timedelta(days=1)  # looked at again, so that what was considered late is not missed
MOST_ACTS, MOST_RULES = 5_000, 2_000  # of one night; the newest acts, the newest rules
IN_FORCE = (BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED)


@dataclass(frozen=True, slots=True)
class Found:
    """rules: of acts, in force. done: what was done since. given: (session, rule) pairs in which the rule was before the
    agent; known: (rule, episode) pairs that count already. stale: ids of rules that nothing touched for long."""

    rules: Sequence[BeliefRow] = ()
    done: Sequence[Episode] = ()
    given: frozenset[tuple[str, str]] = frozenset()
    known: frozenset[tuple[str, str]] = frozenset()
    stale: Sequence[str] = ()
    says: Mapping[str, list[tuple[Episode, Says]]] = field(default_factory=dict)


def load(session: Session, night: Night, cursor: str) -> Found:
    rules = list(session.exec(
        select(BeliefRow).where(
            BeliefRow.tenant == night.tenant, col(BeliefRow.state).in_(IN_FORCE), BeliefRow.layer != "core",
            col(BeliefRow.pair).is_(True), col(BeliefRow.recheck).is_(False),
        ).order_by(col(BeliefRow.id).desc()).limit(MOST_RULES)
    ))  # fmt: skip
    since = night.since - OVERLAP if night.since is not None else night.now - LOOK_BACK
    done = episodes.acts_since(session, night.tenant, since, MOST_ACTS) if rules else []
    ids = [r.id for r in rules]
    given = session.execute(
        text("select session, rule_id from bio.injections where tenant = :t and rule_id = any(:r)"),
        {"t": night.tenant, "r": ids},
    ).all()
    known = session.execute(
        text("select belief_id, episode_id from bio.evidence where tenant = :t and belief_id = any(:r)"),
        {"t": night.tenant, "r": ids},
    ).all()
    return Found(
        rules, done, frozenset((s, r) for s, r in given), frozenset((b, e) for b, e in known), _stale(session, night)
    )


def _stale(session: Session, night: Night) -> list[str]:
    """Learned rules in force that were neither supported, contradicted, moved, nor looked at again for long. An owner's
    rule stands on the owner's word and is not among them."""
    return list(
        session.execute(
            text(
                """
                select b.id from bio.beliefs b where b.tenant = :t and b.state in ('reinforced', 'stable') and b.layer <> 'core'
                  and b.rank <> 'owner' and not b.recheck and b.updated_at < :before
                  and not exists (select 1 from bio.evidence e where e.tenant = :t and e.belief_id = b.id
                                  and e.retracted_at is null and e.at >= :before)
                  and not exists (select 1 from bio.audit a where a.tenant = :t and a.subject = 'belief:' || b.id
                                  and a.at >= :before and a.act in ('belief_moved', 'belief_revalidated', 'belief_credited',
                                                                   'belief_supported'))
                order by b.id limit :most
                """
            ),
            {"t": night.tenant, "before": night.now - UNTOUCHED, "most": MOST_RULES},
        ).scalars()
    )


def think(rt: Runtime, night: Night, found: Found) -> Found:
    """What each act says of each rule; the acts are parsed here, with no transaction open."""
    told: dict[str, list[tuple[Episode, Says]]] = {}
    if found.rules:
        acts = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in found.done}
        by_session: dict[str, list[Episode]] = {}
        for e in found.done:
            by_session.setdefault(e.session, []).append(e)
        for rule in found.rules:
            scope, lesson = scopes.parse(rule.scope_path), lesson_from(rule.acts)
            for stretch in by_session.values():
                here = [e for e in stretch if scopes.encloses(scope, scopes.of_workspace(e.workspace))]
                told.setdefault(rule.id, []).extend(
                    (e, s) for e, s in says(lesson, here, acts)
                    if (rule.id, e.id) not in found.known
                    # Where the rule was before the agent, following it is a use of it, which is credited apart.
                    and not (s is Says.FOLLOWED and (e.session, rule.id) in found.given)
                )  # fmt: skip
    return Found(stale=found.stale, says={k: v for k, v in told.items() if v})


def save(session: Session, night: Night, found: Found, allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    for belief_id in sorted({*found.says, *found.stale}):
        trial = session.begin_nested()
        made = _look_at(session, night, belief_id, found.says.get(belief_id, []))
        if len(lines) + len(made) > allowed:
            trial.rollback()
            session.expire_all()
            left += 1
            continue
        trial.commit()
        lines += made
    return Batch(lines, None, left)


def _look_at(session: Session, night: Night, belief_id: str, said: Sequence[tuple[Episode, Says]]) -> list[Line]:
    row = session.get(BeliefRow, (night.tenant, belief_id), with_for_update=True)
    if row is None or row.state not in IN_FORCE:
        return []
    counted = _count(session, night, row, said)
    if counted:
        return _touched(session, night, row, counted)
    return _untouched(session, night, row) if not said else []


def _count(
    session: Session, night: Night, row: BeliefRow, said: Sequence[tuple[Episode, Says]]
) -> dict[str, list[str]]:
    """Add what was done as evidence for or against; returns the episodes that are new, by what they say."""
    counted: dict[str, list[str]] = {}
    for e, how in said:
        if trust_of(e) is Provenance.UNTRUSTED:
            continue
        added = beliefs.add_evidence(session, [EvidenceRow(
            tenant=night.tenant, belief_id=row.id, episode_id=e.id, supports=how is not Says.BROKEN_AND_WORKED,
            trust=Provenance.AGENT.value, speaker=e.speaker, origin=e.origin, session=e.session, at=e.occurred_at,
        )])  # fmt: skip
        if added:
            counted.setdefault(how.value, []).append(e.id)
    ids = [i for some in counted.values() for i in some]
    if ids:
        episodes.mark_cited(session, night.tenant, ids)
        supported = [i for how, some in counted.items() if how != Says.BROKEN_AND_WORKED for i in some]
        graph.add(session, night.tenant, [Edge(f"episode:{i}", "supports", f"belief:{row.id}") for i in supported])
    return counted


def _touched(session: Session, night: Night, row: BeliefRow, counted: Mapping[str, list[str]]) -> list[Line]:
    made = advance(session, row, night.now, night.review_mode)
    numbers = {how: len(ids) for how, ids in counted.items()}
    against = counted.get(Says.BROKEN_AND_WORKED.value, [])
    supported = [i for how, ids in counted.items() if how != Says.BROKEN_AND_WORKED for i in ids]
    entries = (
        [
            Entry(
                "belief_supported",
                subject=f"belief:{row.id}",
                cause="dream",
                data={"episodes": supported, "added": len(supported)},
            )
        ]
        if supported
        else []
    )
    if against:
        entries.append(
            Entry("belief_contradicted", subject=f"belief:{row.id}", cause="dream", data={"episodes": against})
        )
    if supported and not against:
        entries.append(Entry("belief_revalidated", subject=f"belief:{row.id}", cause="acts", data=numbers))
    ledger.audit(session, night.tenant, entries)
    why = ", ".join(f"{_WORDS[how]} {n}×" for how, n in sorted(numbers.items()))
    did = "spoken against" if against else "re-validated"
    line = Line(did, why, f"belief:{row.id}", more=numbers | {"confidence": round(row.confidence, 4)})
    return [line, *(moved(row.id, change) for change in made)]


_WORDS = {"followed": "followed, and it worked,", "broken_and_failed": "not followed, and it failed,",
          "broken_and_worked": "not followed, and it worked,"}  # fmt: skip


def _untouched(session: Session, night: Night, row: BeliefRow) -> list[Line]:
    """Nothing was heard of it for long: it stands while its evidence does, else it is challenged and a person is asked."""
    before = row.state
    numbers = renumber(session, row, night.now)
    made = advance(session, row, night.now, night.review_mode)
    if made or row.state != before:
        return [moved(row.id, change) for change in made]
    days = (night.now - max(numbers.last_support_at, row.created_at)).days
    if numbers.support_count and row.confidence >= REINFORCE_CONFIDENCE:
        ledger.audit(session, night.tenant, [Entry("belief_revalidated", subject=f"belief:{row.id}", cause="evidence_stands",
                                                   data={"support": numbers.support_count, "days": days})])  # fmt: skip
        return [Line("re-validated", f"untouched for {counted(days, 'day')}; its evidence stands", f"belief:{row.id}",
                     more={"confidence": round(row.confidence, 4), "support": numbers.support_count})]  # fmt: skip
    apply_move(session, row, StateChange(BeliefState(before), BeliefState.CHALLENGED, "review"), night.source)
    question = (
        f"Nothing was heard of this rule for {counted(days, 'day')}, and what speaks for it has become thin"
        f" (confidence {row.confidence:.2f}, {counted(numbers.support_count, 'observation')}): {row.content[:300]} Does it still hold?"
    )
    beliefs.open_review(session, night.tenant, "stale", row.id, question=question)
    return [Line(f"{before} → challenged", f"untouched for {counted(days, 'day')}, and its evidence is thin", f"belief:{row.id}",
                 more={"confidence": round(row.confidence, 4)})]  # fmt: skip


STEP = Step("revalidate_beliefs", "rules held against what was done since", load, save, think)
