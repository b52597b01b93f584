"""The life of a belief: which moves are legal, when evidence makes one, and what a person may do.

                  ┌─────────── approve, pin, edit (a person, from any state) ────────────┐
    proposed ─→ reinforced ─→ stable ←───────────────────────────────────────────────────┘
                   ↑   └─→ challenged ←─┘
                   └───────────┘   └─→ deprecated ─→ archived

Learning moves a belief through next_state(); a person through person_move(); two that contradict through
`rivalry.decide`. All three return only moves that LEGAL holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from bio_agent_schema.types import BeliefNumbers, BeliefState, Layer, Provenance, StateChange
from bio_agent_workers.brain.evidence import RANK, confidence

REINFORCE_INDEPENDENT = 2  # independent supports; once is an accident
REINFORCE_CONFIDENCE = 0.6
STABLE_INDEPENDENT = 3
STABLE_SESSIONS = 2
STABLE_CONFIDENCE = 0.75
STABLE_SPAN = timedelta(hours=24)  # a lesson must outlive the day it was learned on
STABLE_QUIET = timedelta(days=7)  # without any contradiction
DIRECTIVE_UNDISPUTED = timedelta(hours=24)  # time in which an owner may take a directive back
CHALLENGE_SHARE = 0.25  # of α+β: what is well founded needs more against it …
CHALLENGE_MIN, CHALLENGE_MAX = 1.0, 3.0  # … but never less than one act, nor more than three
SCORE_PER_SUPPORT = 0.1
SCORE_SUPPORTS = 5  # supports beyond these add nothing: five say what fifty say
TIE_BELOW = 0.1  # difference of scores
ARCHIVE_AFTER = timedelta(days=30)
REPROPOSE_INDEPENDENT = 3  # new independent supports after a rejection

_EPSILON = 1e-9  # scores are sums of decimals; 0.1 must not become 0.0999…


class Act(StrEnum):
    """What a person may do with a belief."""

    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    PIN = "pin"
    DEPRECATE = "deprecate"
    UNDO = "undo"
    QUARANTINE = "quarantine"
    RECHECK = "recheck"


class IllegalMove(ValueError):
    """An act that the belief's state does not admit; the message says which acts it does."""


_P, _R, _S, _C, _D, _A, _X, _Q = (
    BeliefState.PROPOSED,
    BeliefState.REINFORCED,
    BeliefState.STABLE,
    BeliefState.CHALLENGED,
    BeliefState.DEPRECATED,
    BeliefState.ARCHIVED,
    BeliefState.REJECTED,
    BeliefState.QUARANTINED,
)
Move = tuple[BeliefState, BeliefState]

_LEARNED_MOVES: Mapping[Move, frozenset[str]] = {
    (_P, _R): frozenset({"directive", "failure_fix_pair", "independent_support"}),
    (_R, _S): frozenset({"directive_undisputed", "sustained_support"}),
    (_R, _C): frozenset({"contradicted", "rival", "tie", "review"}),
    (_S, _C): frozenset({"contradicted", "rival", "tie", "review"}),
    (_C, _R): frozenset({"recovered", "undo"}),
    (_R, _D): frozenset({"lost_to_rival", "superseded"}),
    (_S, _D): frozenset({"lost_to_rival", "superseded"}),
    (_C, _D): frozenset({"lost_to_rival", "superseded"}),
    (_D, _A): frozenset({"aged_out"}),
    (_P, _A): frozenset({"aged_out"}),
    (_X, _P): frozenset({"new_support"}),
}
# A person's word makes a belief core; it then stands in the state of what has proved itself.
_PERSON_TARGET: Mapping[Act, BeliefState] = {
    Act.APPROVE: _S,
    Act.PIN: _S,
    Act.EDIT: _S,
    Act.REJECT: _X,
    Act.DEPRECATE: _D,
    Act.QUARANTINE: _Q,
}
_PERSON_FROM: Mapping[Act, frozenset[BeliefState]] = {
    Act.APPROVE: frozenset(BeliefState),
    Act.PIN: frozenset(BeliefState),
    Act.EDIT: frozenset({_P, _R, _S, _C, _Q}),
    Act.REJECT: frozenset({_P, _R, _S, _C, _Q}),
    Act.DEPRECATE: frozenset({_P, _R, _S, _C}),
    Act.QUARANTINE: frozenset({_P, _R, _S, _C}),
}
# Whose rule a person looked at again after what it rests on fell: it stands as it stood.
_RECHECKED = frozenset({_P, _R, _S, _C})
# Without an act of a person to take back: undoing what learning or a directive raised rejects it, undoing its fall
# brings it back.
_UNDO_TARGET: Mapping[BeliefState, BeliefState] = {_P: _X, _R: _X, _S: _X, _C: _R, _D: _R}


def _all_moves() -> Mapping[Move, frozenset[str]]:
    moves: dict[Move, frozenset[str]] = dict(_LEARNED_MOVES)
    by_person = [(before, _PERSON_TARGET[act], act) for act, froms in _PERSON_FROM.items() for before in froms]
    by_person += [(state, state, Act.RECHECK) for state in _RECHECKED]
    by_person += [(before, after, Act.UNDO) for before in BeliefState for after in BeliefState]
    for before, after, act in by_person:
        moves[before, after] = moves.get((before, after), frozenset()) | {act.value}
    return MappingProxyType(moves)


LEGAL: Mapping[Move, frozenset[str]] = _all_moves()


@dataclass(frozen=True, slots=True)
class Flags:
    """What the rules of a belief's life ask besides its numbers.

    rank: provenance of its best supporting evidence. state_since: when it entered its state.
    core: a person set or approved it. directive_at: when an owner's plain directive said it, None otherwise.
    pair: a linked failure and fix, told by acts, supports it. waits_for_person: review mode, a remedy that is nothing
    without a tainted word, or proposed again after a rejection. disputed: an owner's rule that was challenged and that
    the owner has not spoken for since. new_independent: independent supports since it was rejected.
    """

    rank: Provenance
    state_since: datetime
    core: bool = False
    directive_at: datetime | None = None
    pair: bool = False
    waits_for_person: bool = False
    disputed: bool = False
    new_independent: int = 0


@dataclass(frozen=True, slots=True)
class RivalScore:
    """A belief that contradicts this one, as next_state() sees it. score as score() gives it."""

    state: BeliefState
    rank: Provenance
    score: float
    core: bool = False


def score(confidence: float, support_count: int) -> float:
    """confidence + 0.1·min(support, 5): in [0, 1.5]; what decides between rivals of one rank."""
    return confidence + SCORE_PER_SUPPORT * min(support_count, SCORE_SUPPORTS)


def layer_of(state: BeliefState, pinned: bool) -> Layer:
    """core: a person set or approved it (`pinned`). project: reinforced or better, also while challenged. Else
    adaptive."""
    if pinned:
        return Layer.CORE
    return Layer.PROJECT if state in (_R, _S, _C) else Layer.ADAPTIVE


def next_state(
    state: BeliefState,
    numbers: BeliefNumbers,
    flags: Flags,
    rivals: Sequence[RivalScore],
    now: datetime,
) -> StateChange | None:
    """The move that evidence and time make now, or None. One step at a time: call again after it is stored.

    Core beliefs never move by learning. rivals: the beliefs that contradict this one in an overlapping scope.
    """
    if flags.core:
        return None
    match state:
        case BeliefState.PROPOSED:
            return _from_proposed(numbers, flags, now)
        case BeliefState.REINFORCED | BeliefState.STABLE:
            return _from_active(state, numbers, flags, rivals, now)
        case BeliefState.CHALLENGED:
            return _from_challenged(numbers, flags, rivals)
        case BeliefState.DEPRECATED if now - flags.state_since >= ARCHIVE_AFTER:
            return _move(_D, _A, "aged_out")
        case BeliefState.REJECTED if flags.new_independent >= REPROPOSE_INDEPENDENT:
            return _move(_X, _P, "new_support")
    return None


def person_move(state: BeliefState, act: Act) -> StateChange:
    """The move that a person's act makes; before and after may be equal (pinning what is stable).

    Raises IllegalMove when the state does not admit the act.
    """
    after = _UNDO_TARGET.get(state) if act is Act.UNDO else _person_target(state, act)
    if after is None:
        possible = ", ".join(a.value for a in acts_possible(state))
        raise IllegalMove(f"cannot {act.value} a belief that is {state.value}; possible here: {possible}")
    return _move(state, after, act.value)


def undo_move(state: BeliefState, stood: BeliefState) -> StateChange:
    """The move that takes back the last act: to the state in which the belief stood before it."""
    return _move(state, stood, Act.UNDO.value)


def acts_possible(state: BeliefState) -> tuple[Act, ...]:
    """The acts of a person that `state` admits."""
    return tuple(
        act for act in Act if (state in _UNDO_TARGET if act is Act.UNDO else _person_target(state, act) is not None)
    )


def is_legal(change: StateChange) -> bool:
    """Whether the table of moves holds this change with its cause."""
    return change.cause in LEGAL.get((change.before, change.after), frozenset())


def challenge_threshold(numbers: BeliefNumbers) -> float:
    """β to be gained within 24 h from evidence of the belief's own rank or higher: max(1, min(3, 0.25·(α+β)))."""
    return max(CHALLENGE_MIN, min(CHALLENGE_MAX, CHALLENGE_SHARE * (numbers.alpha + numbers.beta)))


def _move(before: BeliefState, after: BeliefState, cause: str) -> StateChange:
    return StateChange(before=before, after=after, cause=cause)


def _person_target(state: BeliefState, act: Act) -> BeliefState | None:
    if act is Act.RECHECK:
        return state if state in _RECHECKED else None
    return _PERSON_TARGET[act] if state in _PERSON_FROM[act] else None


def _confidence(numbers: BeliefNumbers) -> float:
    return confidence(numbers.alpha, numbers.beta)


def _from_proposed(numbers: BeliefNumbers, flags: Flags, now: datetime) -> StateChange | None:
    cause = None if flags.waits_for_person else _reinforcing_cause(numbers, flags)
    if cause is not None:
        return _move(_P, _R, cause)
    if now - numbers.last_support_at >= ARCHIVE_AFTER:
        return _move(_P, _A, "aged_out")
    return None


def _reinforcing_cause(numbers: BeliefNumbers, flags: Flags) -> str | None:
    if flags.rank is Provenance.UNTRUSTED:  # however many pages say so
        return None
    if flags.directive_at is not None and flags.rank is Provenance.OWNER:
        return "directive"
    if flags.pair:
        return "failure_fix_pair"
    enough = numbers.independent >= REINFORCE_INDEPENDENT
    return "independent_support" if enough and _at_least(_confidence(numbers), REINFORCE_CONFIDENCE) else None


def _from_active(
    state: BeliefState, numbers: BeliefNumbers, flags: Flags, rivals: Sequence[RivalScore], now: datetime
) -> StateChange | None:
    cause = _challenging_cause(numbers, flags, rivals)
    if cause is not None:
        return _move(state, _C, cause)
    if state is _R:
        proof = _stable_cause(numbers, flags, now)
        return _move(_R, _S, proof) if proof else None
    return None


def _challenging_cause(numbers: BeliefNumbers, flags: Flags, rivals: Sequence[RivalScore]) -> str | None:
    if _at_least(numbers.beta_gained_24h, challenge_threshold(numbers)):
        return "contradicted"
    own = score(_confidence(numbers), numbers.support_count)
    near = (abs(own - r.score) < TIE_BELOW - _EPSILON for r in _peers(flags.rank, rivals))
    return "rival" if any(near) else None


def _stable_cause(numbers: BeliefNumbers, flags: Flags, now: datetime) -> str | None:
    if flags.directive_at is not None:
        # Contradictions of its own rank count as a dispute; anybody's would let a stranger hold a directive up.
        undisputed = not flags.disputed and numbers.beta_gained_24h == 0
        if undisputed and now - flags.directive_at >= DIRECTIVE_UNDISPUTED:
            return "directive_undisputed"
    against = numbers.last_contradiction_at
    sustained = (
        numbers.independent >= STABLE_INDEPENDENT
        and numbers.sessions >= STABLE_SESSIONS
        and numbers.last_support_at - numbers.first_support_at >= STABLE_SPAN
        and _at_least(_confidence(numbers), STABLE_CONFIDENCE)
        and (against is None or now - against >= STABLE_QUIET)
    )
    return "sustained_support" if sustained else None


def _from_challenged(numbers: BeliefNumbers, flags: Flags, rivals: Sequence[RivalScore]) -> StateChange | None:
    """Back to reinforced when supported since, past every rival by the margin of a tie, and no longer contradicted."""
    if flags.rank is Provenance.OWNER and flags.disputed:
        return None  # a dispute over an owner's rule ends with the owner's or a person's word
    supported_since = numbers.last_support_at > flags.state_since
    own = score(_confidence(numbers), numbers.support_count)
    ahead = all(_at_least(own - r.score, TIE_BELOW) for r in _peers(flags.rank, rivals))
    settled = not _at_least(numbers.beta_gained_24h, challenge_threshold(numbers))
    if supported_since and ahead and settled and _at_least(_confidence(numbers), REINFORCE_CONFIDENCE):
        return _move(_C, _R, "recovered")
    return None


def _peers(rank: Provenance, rivals: Sequence[RivalScore]) -> list[RivalScore]:
    """Rivals that can challenge: of this rank or higher, and at least reinforced."""
    return [r for r in rivals if r.state in (_R, _S, _C) and (r.core or RANK[r.rank] >= RANK[rank])]


def _at_least(value: float, bound: float) -> bool:
    return value >= bound - _EPSILON
