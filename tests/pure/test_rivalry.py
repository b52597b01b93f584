"""Which of two contradicting beliefs stays: rank, then age for facts and the owner's directives, then the score."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import BeliefState, Provenance
from bio_agent_workers.brain.relations.rivalry import Contender, decide

NOW = datetime(2026, 5, 1, tzinfo=UTC)
A = Contender("a", BeliefState.STABLE, Provenance.AGENT, 0.8, 4, 3, NOW - timedelta(days=9))
B = replace(A, id="b", confidence=0.6, support_count=2, since=NOW - timedelta(days=2))


def test_the_higher_rank_stays_whatever_the_score() -> None:
    outcome = decide(A, replace(B, rank=Provenance.OWNER), NOW)
    assert outcome.winner == "b"
    assert [c.superseded_by for c in outcome.changes] == ["b"]


def test_a_lower_rank_with_five_independent_supports_is_heard() -> None:
    outcome = decide(replace(A, independent=5), replace(B, rank=Provenance.OWNER), NOW)
    assert outcome.review
    assert all(c.superseded_by is None for c in outcome.changes)


def test_the_newer_of_two_facts_stays() -> None:
    outcome = decide(replace(A, newest_wins=True), replace(B, newest_wins=True), NOW)
    assert outcome.winner == "b"
    assert outcome.changes[0].valid_to == B.since


def test_the_owners_newer_directive_on_one_slot_supersedes_at_once_and_can_be_undone() -> None:
    a, b = (replace(c, rank=Provenance.OWNER, directive=True) for c in (A, B))
    assert (decide(a, b, NOW, same_slot=True).winner, decide(a, b, NOW, same_slot=True).undoable) == ("b", True)
    assert decide(a, b, NOW).tie


def test_scores_less_than_a_tenth_apart_are_a_tie_that_a_person_settles() -> None:
    outcome = decide(A, replace(A, id="b", confidence=0.75), NOW)
    assert (outcome.winner, outcome.tie, outcome.review) == (None, True, True)
    assert {c.move.after for c in outcome.changes if c.move} == {BeliefState.CHALLENGED}
    assert decide(A, replace(A, id="b", confidence=0.6), NOW).winner == "a"


@pytest.mark.parametrize("state", [BeliefState.PROPOSED, BeliefState.DEPRECATED, BeliefState.ARCHIVED])
def test_what_is_not_in_force_unseats_nobody(state: BeliefState) -> None:
    outcome = decide(A, replace(B, state=state, rank=Provenance.OWNER), NOW)
    assert (outcome.winner, outcome.changes) == ("a", ())


CONTENDERS = st.builds(
    Contender,
    id=st.just("a"),
    state=st.sampled_from(list(BeliefState)),
    rank=st.sampled_from(list(Provenance)),
    confidence=st.floats(0, 1),
    support_count=st.integers(0, 9),
    independent=st.integers(0, 9),
    since=st.integers(0, 90).map(lambda days: NOW - timedelta(days=days)),
    newest_wins=st.booleans(),
    directive=st.booleans(),
    core=st.booleans(),
)


@given(CONTENDERS, CONTENDERS.map(lambda c: replace(c, id="b")), st.booleans())
def test_swapping_the_two_changes_nothing(a: Contender, b: Contender, same_slot: bool) -> None:
    one, two = decide(a, b, NOW, same_slot=same_slot), decide(b, a, NOW, same_slot=same_slot)
    assert (one.winner, one.tie, one.review) == (two.winner, two.tie, two.review)
    assert sorted(c.belief_id for c in one.changes) == sorted(c.belief_id for c in two.changes)
