"""Which of two contradicting beliefs stays: by rank of evidence, then by age for facts, else by score."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bio_agent_schema.types import BeliefState, Provenance, StateChange
from bio_agent_workers.brain.evidence import RANK
from bio_agent_workers.brain.lifecycle import TIE_BELOW, score

REVIEW_INDEPENDENT = 5  # independent supports with which the lower rank at least gets a hearing
CORE_RANK = max(RANK.values()) + 1

_ACTIVE = (BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED)
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a contradiction.

    rank: provenance of its best evidence. since: from when it holds (a fact) or when it was said (a directive).
    newest_wins: it is a fact or a preference. directive: an owner's plain directive. core: a person set it.
    """

    id: str
    state: BeliefState
    rank: Provenance
    confidence: float
    support_count: int
    independent: int
    since: datetime
    newest_wins: bool = False
    directive: bool = False
    core: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change to store: the move (None when only the dispute is marked), and for the loser its end and successor."""

    belief_id: str
    move: StateChange | None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """winner: id, or None. tie: neither wins and a person is asked. review: a person is to see both sides.
    undoable: the outcome is shown for undo. changes: at most one for each side."""

    winner: str | None
    tie: bool
    review: bool
    changes: tuple[Change, ...]
    reason: str
    undoable: bool = False


def decide(a: Contender, b: Contender, now: datetime, *, same_slot: bool = False) -> Outcome:
    """Which of two contradicting beliefs stays; swapping a and b changes nothing.

    same_slot: both give a value for the same thing ("single quotes" / "double quotes"). A belief that is only
    proposed never unseats one that is active: it stays proposed and gathers evidence. Beliefs out of force are no
    rivals. The loser is deprecated as of `now`, of two facts as of the newer one's beginning.
    """
    active = [c for c in (a, b) if c.state in _ACTIVE]
    if len(active) < 2:
        return _against_proposed(active, a, b)
    if _rank(a) != _rank(b):
        return _by_rank(*((a, b) if _rank(a) > _rank(b) else (b, a)), now)
    if a.core:
        return Outcome(None, True, True, (), "both were set by a person: a person decides")
    newer = _newer_wins(a, b, same_slot)
    if newer is not None:
        loser = b if newer is a else a
        reason = "the newer of two facts" if a.newest_wins and b.newest_wins else "the owner's newer directive"
        lost = _lost(loser, newer, newer.since if newer.since <= now else now, "superseded")
        return Outcome(newer.id, False, False, (lost,), reason, undoable=newer.directive)
    if a.rank is Provenance.OWNER:  # agents' support may raise a score, but it does not retire an owner's rule
        return _tie(a, b, "both are the owner's: the owner decides")
    return _by_score(a, b, now)


def _rank(side: Contender) -> int:
    return CORE_RANK if side.core else RANK[side.rank]


def _against_proposed(active: list[Contender], a: Contender, b: Contender) -> Outcome:
    if active:
        return Outcome(active[0].id, False, False, (), "the other is not in force")
    held = "neither is in force" if BeliefState.PROPOSED in (a.state, b.state) else "both are out of force"
    return Outcome(None, False, False, (), held)


def _by_rank(higher: Contender, lower: Contender, now: datetime) -> Outcome:
    """The higher rank stays. An owner's rule below a core one, or a lower one with five independent supports, is not
    retired but held for review."""
    reason = "its evidence ranks higher"
    if lower.rank is Provenance.OWNER or lower.independent >= REVIEW_INDEPENDENT:
        return Outcome(higher.id, False, True, (_challenged(lower, "review"),), reason)
    return Outcome(higher.id, False, False, (_lost(lower, higher, now, "lost_to_rival"),), reason)


def _newer_wins(a: Contender, b: Contender, same_slot: bool) -> Contender | None:
    """The newer side where age decides, else None."""
    if a.since == b.since:
        return None
    newer = a if a.since > b.since else b
    if a.newest_wins and b.newest_wins:
        return newer
    return newer if same_slot and newer.directive and newer.rank is Provenance.OWNER else None


def _by_score(a: Contender, b: Contender, now: datetime) -> Outcome:
    score_a, score_b = score(a.confidence, a.support_count), score(b.confidence, b.support_count)
    if abs(score_a - score_b) < TIE_BELOW - _EPSILON:
        return _tie(a, b, "the scores are too near")
    winner, loser = (a, b) if score_a > score_b else (b, a)
    return Outcome(winner.id, False, False, (_lost(loser, winner, now, "lost_to_rival"),), "the higher score")


def _tie(a: Contender, b: Contender, reason: str) -> Outcome:
    changes = tuple(_challenged(side, "tie") for side in sorted((a, b), key=lambda s: s.id))
    return Outcome(None, True, True, changes, reason)


def _challenged(side: Contender, cause: str) -> Change:
    already = side.state is BeliefState.CHALLENGED
    move = None if already else StateChange(side.state, BeliefState.CHALLENGED, cause)
    return Change(side.id, move, disputed=side.rank is Provenance.OWNER)


def _lost(loser: Contender, winner: Contender, valid_to: datetime, cause: str) -> Change:
    move = StateChange(loser.state, BeliefState.DEPRECATED, cause)
    return Change(loser.id, move, valid_to=valid_to, superseded_by=winner.id)
