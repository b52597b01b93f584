"""Which episodes a cycle takes: attention ranks what is new in the scope, linked pairs stay together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from bio_agent_schema import beliefs, cycles, episodes
from bio_agent_schema.cycles import Due
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers.brain import attention
from bio_agent_workers.runner import WAIT
from bio_agent_workers.settings import Settings


def scope_stress(session: Session, tenant: str, workspace: str, agent: str, now: datetime) -> attention.Stress:
    outcomes = [
        attention.Outcome(o["severity"], o["is_failure"], o["unresolved"], o["received_at"], o["folded"])
        for o in reversed(episodes.newest_outcomes(session, tenant, workspace, agent))
    ]
    return attention.stress(outcomes, now)


def factors_of(episode: Episode, now: datetime) -> attention.Factors:
    return attention.factors(
        severity=episode.severity,
        unresolved=episode.unresolved,
        occurred_at=episode.occurred_at,
        novelty=episode.novelty,
        task_relevance=attention.task_relevance(
            episode.content[:2000], episode.task, episode.goal, episode.task_relevance
        ),
        now=now,
    )


def raw_attention(episode: Episode, s: float, now: datetime) -> float:
    importance = attention.importance_value(episode.importance, episode.salience)
    return attention.raw_attention(factors_of(episode, now), importance, s)


def rank(candidates: Sequence[Episode], s: float, now: datetime) -> list[Episode]:
    """By raw attention, highest first; of equals the older first."""
    return sorted(candidates, key=lambda e: (-raw_attention(e, s, now), e.seq))


def pick(ranked: Sequence[Episode], size: int) -> list[Episode]:
    """The batch: an owner's words first, then by attention; a failure and its fix together, though it be one too many."""
    by_id = {e.id: e for e in ranked}
    fixed_by: dict[str, list[Episode]] = {}
    for e in ranked:
        if e.resolved_by:
            fixed_by.setdefault(e.resolved_by, []).append(e)
    owner = [e for e in ranked if _owners(e)]
    batch: dict[str, Episode] = {}
    for e in [*owner, *ranked]:
        if len(batch) >= size:
            break
        for x in (e, *([by_id[e.resolved_by]] if e.resolved_by in by_id else []), *fixed_by.get(e.id, ())):
            batch.setdefault(x.id, x)
    return sorted(batch.values(), key=lambda e: e.seq)


def _owners(e: Episode) -> bool:
    return e.kind is Kind.USER and e.provenance is Provenance.OWNER


def open_batch(session: Session, due: Due, settings: Settings, *, owner_only: bool = False) -> str | None:
    """Open a cycle of the scope with its next batch, or None when somebody else did or nothing is new. owner_only: with
    the owner's words alone (a quota holds back the rest)."""
    now = beliefs.now(session)
    s = scope_stress(session, due.tenant, due.workspace, due.agent, now).s
    candidates = episodes.new_of_scope(session, due.tenant, due.workspace, due.agent, settings.l1_max_size)
    ranked = rank(candidates, s, now)
    batch = pick([e for e in ranked if not owner_only or _owners(e)], settings.batch_size)
    if not batch:
        cycles.cycle_ended(session, due.tenant, due.workspace, due.agent)
        return None
    cycle_id = cycles.open_cycle(
        session, due.tenant, due.workspace, due.agent, trigger=due.reason, episode_ids=[e.id for e in batch], lease=WAIT
    )
    if cycle_id is None:
        return None
    taken = episodes.claim(session, due.tenant, cycle_id, [e.id for e in batch], [e.id for e in ranked])
    episodes.send_back_beyond(session, due.tenant, due.workspace, due.agent, [e.id for e in ranked])
    if len(taken) != len(batch):
        cycles.set_batch(session, due.tenant, cycle_id, taken, {})
    audit(session, due.tenant, [
        Entry("cycle_opened", subject=f"cycle:{cycle_id}", cycle_id=cycle_id, cause=due.reason,
              data={"episodes": taken, "stress": round(s, 4)}),
    ])  # fmt: skip
    return cycle_id
