"""The life of a belief: legal moves, what makes them, what a person may do, and who wins between rivals."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bio_agent_schema.types import BeliefNumbers, BeliefState, Layer, Provenance, StateChange
from bio_agent_workers.brain.evidence import EvidenceItem, best_trust, has_trusted_pair, numbers
from bio_agent_workers.brain.lifecycle import (
    LEGAL,
    Act,
    Flags,
    IllegalMove,
    RivalScore,
    acts_possible,
    challenge_threshold,
    is_legal,
    layer_of,
    next_state,
    person_move,
    score,
    undo_move,
)
from bio_agent_workers.brain.relations.rivalry import Contender, Outcome, decide

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
P, R, S, C, D, A, X, Q = (
    BeliefState.PROPOSED,
    BeliefState.REINFORCED,
    BeliefState.STABLE,
    BeliefState.CHALLENGED,
    BeliefState.DEPRECATED,
    BeliefState.ARCHIVED,
    BeliefState.REJECTED,
    BeliefState.QUARANTINED,
)
FLAGS = Flags(rank=Provenance.AGENT, state_since=NOW)


def have(**changes: Any) -> BeliefNumbers:
    base = BeliefNumbers(
        alpha=2.0, beta=1.0, support_count=1, contradiction_count=0, independent=1, sessions=1,
        first_support_at=NOW, last_support_at=NOW,
    )  # fmt: skip
    return replace(base, **changes)


def moved(state: BeliefState, got: BeliefNumbers, flags: Flags = FLAGS, rivals: Any = (), now: datetime = NOW) -> Any:
    change = next_state(state, got, flags, rivals, now)
    assert change is None or (is_legal(change) and change.before is state)
    return change and (change.after, change.cause)


# -- proposed → reinforced ---------------------------------------------------------------------------------------------


def test_an_owners_directive_is_in_force_at_once() -> None:
    flags = replace(FLAGS, rank=Provenance.OWNER, directive_at=NOW)
    assert moved(P, have(), flags) == (R, "directive")
    assert moved(P, have(), replace(flags, waits_for_person=True)) is None
    assert moved(P, have(), replace(flags, rank=Provenance.AGENT)) is None  # an agent's claim that the owner said so


def test_a_failure_with_its_fix_is_enough() -> None:
    assert moved(P, have(), replace(FLAGS, pair=True)) == (R, "failure_fix_pair")


@pytest.mark.parametrize(
    ("alpha", "beta", "independent", "expected"),
    [(3.0, 2.0, 2, (R, "independent_support")), (2.9, 2.0, 2, None), (9.0, 1.0, 1, None)],
)
def test_independent_support(alpha: float, beta: float, independent: int, expected: object) -> None:
    assert moved(P, have(alpha=alpha, beta=beta, independent=independent)) == expected


def test_untrusted_evidence_alone_never_moves_it() -> None:
    flags = replace(FLAGS, rank=Provenance.UNTRUSTED, pair=True, directive_at=NOW)
    assert moved(P, have(alpha=99.0, independent=50, sessions=50), flags) is None


# -- reinforced → stable -----------------------------------------------------------------------------------------------

SUSTAINED = have(alpha=3.0, beta=1.0, independent=3, sessions=2, first_support_at=NOW - DAY)


def test_a_directive_undisputed_for_a_day() -> None:
    flags = replace(FLAGS, rank=Provenance.OWNER, directive_at=NOW - DAY)
    assert moved(R, have(), flags) == (S, "directive_undisputed")
    assert moved(R, have(), replace(flags, directive_at=NOW - DAY + timedelta(seconds=1))) is None
    assert moved(R, have(), replace(flags, disputed=True)) is None
    assert moved(R, have(beta_gained_24h=0.5), flags) is None


def test_sustained_support() -> None:
    assert moved(R, SUSTAINED) == (S, "sustained_support")


@pytest.mark.parametrize(
    "short_of",
    [
        {"independent": 2},
        {"sessions": 1},
        {"first_support_at": NOW - DAY + timedelta(seconds=1)},
        {"beta": 1.1},
        {"last_contradiction_at": NOW - timedelta(days=6)},
    ],
)
def test_what_sustained_support_needs(short_of: dict[str, Any]) -> None:
    assert moved(R, replace(SUSTAINED, **short_of)) is None


# -- challenged and back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("total", "threshold"), [(2.0, 1.0), (6.0, 1.5), (12.0, 3.0), (100.0, 3.0)])
def test_what_a_challenge_takes(total: float, threshold: float) -> None:
    got = have(alpha=total - 1, beta=1.0)
    assert challenge_threshold(got) == threshold
    for state in (R, S):
        assert moved(state, replace(got, beta_gained_24h=threshold)) == (C, "contradicted")
        assert moved(state, replace(got, beta_gained_24h=threshold - 0.5)) != (C, "contradicted")


def test_a_rival_of_its_rank_within_a_tenth() -> None:
    got = have(alpha=3.0, beta=1.0, support_count=2)  # score 0.95
    assert moved(R, got, rivals=[RivalScore(R, Provenance.AGENT, 0.87)]) == (C, "rival")
    assert moved(R, got, rivals=[RivalScore(R, Provenance.AGENT, 0.85)]) is None
    assert moved(R, got, rivals=[RivalScore(P, Provenance.OWNER, 0.95)]) is None
    assert moved(R, got, rivals=[RivalScore(S, Provenance.UNTRUSTED, 0.95)]) is None


def test_supported_past_its_rival() -> None:
    flags = replace(FLAGS, state_since=NOW - DAY)
    got = have(alpha=4.0, beta=1.0, support_count=3)  # 1.1
    rivals = [RivalScore(C, Provenance.AGENT, 0.95)]
    assert moved(C, got, flags, rivals) == (R, "recovered")
    assert moved(C, replace(got, last_support_at=NOW - 2 * DAY), flags, rivals) is None
    assert moved(C, got, flags, [RivalScore(C, Provenance.AGENT, 1.05)]) is None
    assert moved(C, replace(got, beta_gained_24h=3.0), flags, rivals) is None


def test_a_disputed_owners_rule_waits_for_the_owner() -> None:
    flags = replace(FLAGS, rank=Provenance.OWNER, state_since=NOW - DAY)
    got = have(alpha=5.0, beta=1.0)
    assert moved(C, got, replace(flags, disputed=True)) is None
    assert moved(C, got, flags) == (R, "recovered")  # the owner said it again since
    assert moved(C, replace(got, last_support_at=NOW - 2 * DAY), flags) is None


# -- the end of a belief -----------------------------------------------------------------------------------------------


def test_thirty_days() -> None:
    month_ago = NOW - 30 * DAY
    assert moved(P, have(last_support_at=month_ago)) == (A, "aged_out")
    assert moved(P, have(last_support_at=month_ago + timedelta(seconds=1))) is None
    assert moved(D, have(), replace(FLAGS, state_since=month_ago)) == (A, "aged_out")
    assert moved(D, have(), replace(FLAGS, state_since=month_ago + timedelta(seconds=1))) is None


def test_a_rejected_one_comes_back_only_for_a_person() -> None:
    assert moved(X, have(), replace(FLAGS, new_independent=2)) is None
    assert moved(X, have(), replace(FLAGS, new_independent=3)) == (P, "new_support")
    assert moved(P, SUSTAINED, replace(FLAGS, waits_for_person=True, pair=True)) is None


def test_learning_never_changes_core_and_quarantine_holds() -> None:
    for state in BeliefState:
        core = replace(FLAGS, core=True, new_independent=9, state_since=NOW - 99 * DAY)
        assert moved(state, have(beta_gained_24h=99.0), core) is None
    assert moved(Q, SUSTAINED, replace(FLAGS, pair=True, new_independent=9)) is None


# -- persons -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "act", "after"),
    [
        (P, Act.APPROVE, S), (Q, Act.APPROVE, S), (C, Act.PIN, S), (S, Act.PIN, S), (P, Act.EDIT, S),
        (R, Act.REJECT, X), (S, Act.DEPRECATE, D), (C, Act.QUARANTINE, Q), (R, Act.UNDO, X), (D, Act.UNDO, R),
        (C, Act.RECHECK, C), (P, Act.RECHECK, P),
    ],
)  # fmt: skip
def test_acts(state: BeliefState, act: Act, after: BeliefState) -> None:
    assert person_move(state, act) == StateChange(state, after, act.value)


def test_an_act_out_of_place_is_refused_and_says_what_is_possible() -> None:
    with pytest.raises(IllegalMove, match="cannot reject a belief that is archived; possible here: approve, pin"):
        person_move(A, Act.REJECT)


@pytest.mark.parametrize("state", list(BeliefState))
@pytest.mark.parametrize("act", list(Act))
def test_every_act_is_either_legal_or_refused(state: BeliefState, act: Act) -> None:
    if act in acts_possible(state):
        assert is_legal(person_move(state, act))
    else:
        with pytest.raises(IllegalMove):
            person_move(state, act)


@pytest.mark.parametrize("act", [a for a in Act if a is not Act.UNDO])
def test_every_act_can_be_undone_to_every_state_it_may_start_from(act: Act) -> None:
    for before in BeliefState:
        if act in acts_possible(before):
            back = undo_move(person_move(before, act).after, before)
            assert back.after is before
            assert is_legal(back)


def test_learning_never_quarantines_nor_undoes() -> None:
    by_person = {act.value for act in Act}
    for (_, after), causes in LEGAL.items():
        if after is Q:
            assert causes <= by_person


def test_the_table_has_no_way_out_of_quarantine_or_the_archive_but_a_person() -> None:
    by_person = {act.value for act in Act}
    for (before, _), causes in LEGAL.items():
        if before in (Q, A):
            assert causes <= by_person


def test_layers() -> None:
    assert layer_of(P, pinned=False) is Layer.ADAPTIVE
    assert {layer_of(s, pinned=False) for s in (R, S, C)} == {Layer.PROJECT}
    assert layer_of(P, pinned=True) is Layer.CORE


# -- rivals ------------------------------------------------------------------------------------------------------------


def side(id: str, **changes: Any) -> Contender:
    base = Contender(id, R, Provenance.AGENT, confidence=0.75, support_count=2, independent=1, since=NOW - DAY)
    return replace(base, **changes)


def both_ways(a: Contender, b: Contender, *, same_slot: bool = False) -> Outcome:
    outcome = decide(a, b, NOW, same_slot=same_slot)
    assert decide(b, a, NOW, same_slot=same_slot) == outcome
    for change in outcome.changes:
        assert change.move is None or is_legal(change.move)
    return outcome


def test_rank_comes_first() -> None:
    owner = side("o", rank=Provenance.OWNER, confidence=0.6, support_count=1)
    outcome = both_ways(owner, side("a", confidence=0.99, support_count=50))
    (change,) = outcome.changes
    assert (outcome.winner, outcome.review) == ("o", False)
    assert change.move == StateChange(R, D, "lost_to_rival")
    assert (change.valid_to, change.superseded_by) == (NOW, "o")


def test_a_well_supported_lower_rank_gets_a_hearing() -> None:
    outcome = both_ways(side("o", rank=Provenance.OWNER), side("a", independent=5))
    assert (outcome.winner, outcome.review) == ("o", True)
    assert outcome.changes[0].move == StateChange(R, C, "review")


def test_the_newer_of_two_facts() -> None:
    outcome = both_ways(side("old", newest_wins=True, support_count=9), side("new", newest_wins=True, since=NOW))
    assert outcome.winner == "new"
    assert outcome.changes[0].valid_to == NOW


def test_the_owners_newer_directive_on_the_same_slot() -> None:
    old = side("old", rank=Provenance.OWNER, directive=True, state=S, support_count=9)
    new = side("new", rank=Provenance.OWNER, directive=True, since=NOW)
    outcome = both_ways(old, new, same_slot=True)
    assert (outcome.winner, outcome.undoable) == ("new", True)
    assert outcome.changes[0].move == StateChange(S, D, "superseded")
    assert both_ways(old, new).tie  # another slot: only the owner retires an owner's rule


def test_the_higher_score_and_the_tie() -> None:
    outcome = both_ways(side("a", confidence=0.85), side("b"))  # 1.05 and 0.95: a tenth apart is no tie
    assert (outcome.winner, outcome.tie) == ("a", False)
    tie = both_ways(side("a", confidence=0.84), side("b"))
    assert (tie.winner, tie.tie, tie.review) == (None, True, True)
    assert [c.move for c in tie.changes] == [StateChange(R, C, "tie")] * 2
    assert score(0.75, 3) == score(0.75, 3)
    assert score(0.75, 50) == pytest.approx(1.25)


def test_a_disputed_owners_rule_is_marked() -> None:
    tie = both_ways(side("a", rank=Provenance.OWNER, support_count=9), side("b", rank=Provenance.OWNER))
    assert [c.disputed for c in tie.changes] == [True, True]


def test_core_is_never_changed_and_only_proposed_never_unseats() -> None:
    assert both_ways(side("a", core=True), side("b", core=True)).changes == ()
    below = both_ways(side("a", core=True), side("b", rank=Provenance.OWNER))
    assert (below.winner, below.review) == ("a", True)
    assert below.changes[0].move == StateChange(R, C, "review")  # not retired: no person did that
    proposed = both_ways(side("a"), side("b", state=P, rank=Provenance.OWNER, support_count=9))
    assert (proposed.winner, proposed.changes) == ("a", ())
    assert both_ways(side("a", state=P), side("b", state=P)).winner is None


contenders = st.builds(
    side,
    st.just("x"),
    state=st.sampled_from(BeliefState),
    rank=st.sampled_from(Provenance),
    confidence=st.floats(0, 1),
    support_count=st.integers(0, 9),
    independent=st.integers(0, 9),
    since=st.sampled_from([NOW - DAY, NOW, NOW + DAY]),
    newest_wins=st.booleans(),
    directive=st.booleans(),
    core=st.booleans(),
)


@given(contenders, contenders, st.booleans())
def test_decisions_are_symmetric_legal_and_spare_core(a: Contender, b: Contender, same_slot: bool) -> None:
    a, b = replace(a, id="a"), replace(b, id="b")
    outcome = both_ways(a, b, same_slot=same_slot)
    touched = {c.belief_id for c in outcome.changes}
    assert not any(s.core and s.id in touched for s in (a, b))
    assert outcome.winner not in {c.belief_id for c in outcome.changes if c.superseded_by}


# -- a whole life ------------------------------------------------------------------------------------------------------


class Life(RuleBasedStateMachine):
    """Evidence, time and persons act on one belief in any order; every move must be legal and never skip a rule."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.rows: list[EvidenceItem] = []
        self.state = P
        self.since = NOW
        self.core = False
        self.held = False

    def _add(self, supports: bool, trust: Provenance, session: int, pair: bool = False) -> None:
        episode = f"e{len(self.rows)}"
        row = EvidenceItem(episode, supports, trust.value, "", f"s{session}", trust, self.now, pair)
        self.rows.append(row)

    def _apply(self, change: StateChange) -> None:
        assert is_legal(change)
        assert change.before is self.state
        self.state = change.after
        self.since = self.now

    @initialize(trust=st.sampled_from([Provenance.AGENT, Provenance.UNTRUSTED]))
    def born(self, trust: Provenance) -> None:
        self._add(True, trust, 0)

    @rule(supports=st.booleans(), trust=st.sampled_from(Provenance), session=st.integers(0, 4))
    def evidence(self, supports: bool, trust: Provenance, session: int) -> None:
        self._add(supports, trust, session)

    @rule(session=st.integers(0, 4))
    def pair(self, session: int) -> None:
        self._add(True, Provenance.AGENT, session, pair=True)
        self._add(True, Provenance.AGENT, session, pair=True)

    @rule(hours=st.sampled_from([1, 30, 24 * 31]))
    def time_passes(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule(act=st.sampled_from(Act))
    def person(self, act: Act) -> None:
        if act not in acts_possible(self.state):
            with pytest.raises(IllegalMove):
                person_move(self.state, act)
            return
        self._apply(person_move(self.state, act))
        self.core = act in (Act.APPROVE, Act.PIN, Act.EDIT) or (self.core and self.state in (R, S, C))
        self.held = False

    @precondition(lambda self: bool(self.rows))
    @rule()
    def learn(self) -> None:
        flags = Flags(
            rank=best_trust(self.rows),
            state_since=self.since,
            core=self.core,
            pair=has_trusted_pair(self.rows),
            waits_for_person=self.held,
            new_independent=len({r.session for r in self.rows if r.at > self.since and r.supports}),
        )
        change = next_state(self.state, numbers(self.rows, 0.5, now=self.now), flags, [], self.now)
        if change is None:
            return
        assert not self.core
        if change.after is R:
            assert best_trust(self.rows) is not Provenance.UNTRUSTED
        self.held = self.held or change.cause == "new_support"
        self._apply(change)

    @invariant()
    def held_ones_are_not_in_force_by_learning(self) -> None:
        if self.held and not self.core:
            assert self.state not in (R, S)


Life.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestLife = Life.TestCase


@pytest.mark.parametrize("trust", [Provenance.OWNER, Provenance.SYSTEM, Provenance.AGENT])
@pytest.mark.parametrize("state", [R, S])
def test_two_hundred_untrusted_contradictions_challenge_nothing(trust: Provenance, state: BeliefState) -> None:
    founding = EvidenceItem("f", True, "x", "", "s0", trust, NOW - DAY)
    noise = [
        EvidenceItem(f"n{i}", False, f"site{i}", f"https://site{i}.example", f"n{i}", Provenance.UNTRUSTED, NOW)
        for i in range(200)
    ]
    got = numbers([founding, *noise], 0.6, now=NOW)
    flags = Flags(rank=trust, state_since=NOW - DAY)
    rivals = [RivalScore(R, Provenance.UNTRUSTED, score(0.99, 200))]
    change = next_state(state, got, flags, rivals, NOW)
    assert change is None or change.after is S
