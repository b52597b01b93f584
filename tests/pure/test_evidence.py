"""A belief's numbers from its evidence rows."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Provenance
from bio_agent_workers.brain.evidence import (
    EvidenceItem,
    Use,
    best_trust,
    capped_weight,
    confidence,
    has_trusted_pair,
    numbers,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
AGENT = Provenance.AGENT


def item(
    episode: str, *, supports: bool = True, session: str = "s1", origin: str = "", trust: Provenance = AGENT,
    hours_ago: float = 0.0, pair: bool = False, speaker: str = "agent",
) -> EvidenceItem:  # fmt: skip
    return EvidenceItem(episode, supports, speaker, origin, session, trust, NOW - timedelta(hours=hours_ago), pair)


PAIR = [item("fail", pair=True), item("fix", pair=True)]


def test_a_failure_and_its_fix() -> None:
    got = numbers(PAIR, 0.5)
    assert (got.alpha, got.beta) == (3.0, 1.0)
    assert confidence(got.alpha, got.beta) == 0.75
    assert (got.support_count, got.independent, got.sessions) == (2, 1, 1)
    assert has_trusted_pair(PAIR)


def test_three_agent_supports_over_two_sessions() -> None:
    got = numbers([item("a"), item("b"), item("c", session="s2")], 0.55)
    assert got.alpha == pytest.approx(4.1)
    assert confidence(got.alpha, got.beta) == pytest.approx(0.82)
    assert (got.support_count, got.independent, got.sessions) == (3, 2, 2)


def test_weights_by_trust() -> None:
    for trust, weight in (("owner", 2.0), ("system", 1.0), ("agent", 1.0), ("untrusted", 0.5)):
        assert numbers([item("a", trust=Provenance(trust))], 0.5).alpha == 1 + weight


def test_one_session_and_one_named_origin_count_two_at_most() -> None:
    assert numbers([item(f"e{i}") for i in range(9)], 0.5).alpha == 3.0
    one_file = [item(f"e{i}", session=f"s{i}", origin="file:a") for i in range(9)]
    assert numbers(one_file, 0.5).alpha == 3.0
    no_origin = [item(f"e{i}", session=f"s{i}") for i in range(9)]
    assert numbers(no_origin, 0.5).alpha == 10.0


def test_the_caps_are_shared_out_to_the_best_total() -> None:
    # s2's rows can only count through origin x, so s1 must use y: handing out in order would give 2, not 4.
    rows = [
        item("a", origin="x"), item("b", origin="x"), item("c", origin="y"), item("d", origin="y"),
        item("e", session="s2", origin="x"), item("f", session="s2", origin="x"),
    ]  # fmt: skip
    assert capped_weight(rows) == 4.0
    # three sessions but only two sources of 2 each
    assert capped_weight([*rows, item("g", session="s3", origin="x"), item("h", session="s3", origin="y")]) == 4.0


def test_many_sessions_and_origins_are_no_burden() -> None:
    rows = [item(f"e{i}", session=f"s{i % 997}", origin=f"o{i % 991}") for i in range(3_000)]
    assert 0 < capped_weight(rows) <= 2 * 991


def test_a_session_that_confirmed_may_still_contradict() -> None:
    got = numbers([*PAIR, item("later", supports=False)], 0.5)
    assert (got.alpha, got.beta, got.contradiction_count) == (3.0, 2.0, 1)
    assert got.last_contradiction_at == NOW


def test_untrusted_evidence_moves_beta_by_half_in_all() -> None:
    noise = [
        item(f"n{i}", supports=False, session=f"n{i}", origin=f"web:{i}", trust=Provenance.UNTRUSTED)
        for i in range(200)
    ]
    got = numbers([*PAIR, *noise], 0.5)
    assert got.beta == 1.5
    assert got.beta_gained_24h == 0.0  # none of it is of the pair's rank


def test_beta_gained_counts_own_rank_and_higher_within_a_day() -> None:
    old = item("old", supports=False, session="s2", hours_ago=30)
    fresh = item("fresh", supports=False, session="s3", hours_ago=1)
    assert numbers([*PAIR, old, fresh], 0.5, now=NOW).beta_gained_24h == 1.0
    owned = [item("o", trust=Provenance.OWNER)]
    assert numbers([*owned, fresh], 0.5, now=NOW).beta_gained_24h == 0.0
    by_owner = replace(fresh, trust=Provenance.OWNER)
    assert numbers([*owned, by_owner], 0.5, now=NOW).beta_gained_24h == 2.0
    assert numbers([*PAIR, by_owner], 0.5, now=NOW + timedelta(days=2)).beta_gained_24h == 0.0


def test_usefulness_counts_once_a_session_and_harm_first() -> None:
    helped = [Use("u1", True, NOW), Use("u1", True, NOW), Use("u2", True, NOW)]
    assert numbers(PAIR, 0.5, uses=helped).alpha == 4.0
    mixed = [*helped, Use("u2", False, NOW)]
    got = numbers(PAIR, 0.5, uses=mixed, now=NOW)
    assert (got.alpha, got.beta, got.beta_gained_24h) == (3.5, 2.0, 1.0)


def test_one_episode_counts_once() -> None:
    row = item("a")
    assert numbers([row, row, replace(row, session="elsewhere")], 0.5).support_count == 1
    both = [*PAIR, item("x"), item("x", supports=False)]
    assert numbers(both, 0.5) == numbers(both[::-1], 0.5)
    assert numbers(both, 0.5).contradiction_count == 1


def test_a_pair_told_by_untrusted_text_is_no_pair() -> None:
    assert not has_trusted_pair([replace(i, trust=Provenance.UNTRUSTED) for i in PAIR])
    assert not has_trusted_pair(PAIR[:1])


def test_the_rank_shown_is_that_of_the_best_support() -> None:
    rows = [item("a", trust=Provenance.UNTRUSTED), item("b"), item("c", supports=False, trust=Provenance.OWNER)]
    assert best_trust(rows) is Provenance.AGENT


def test_no_support_and_bad_confidence_are_refused() -> None:
    with pytest.raises(ValueError, match="no evidence supports"):
        numbers([item("a", supports=False)], 0.5)
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="compiled confidence"):
            numbers(PAIR, bad)


items = st.builds(
    item,
    st.integers(0, 12).map(str),
    supports=st.booleans(),
    session=st.sampled_from("ABC"),
    origin=st.sampled_from(["", "x", "y", "z"]),
    trust=st.sampled_from(Provenance),
    hours_ago=st.sampled_from([0.0, 3.0, 23.5, 25.0, 100.0]),
    pair=st.booleans(),
    speaker=st.sampled_from(["agent", "mai"]),
)


@given(st.lists(items, max_size=14), st.randoms(use_true_random=False))
def test_order_and_repetition_make_no_difference(rows: list[EvidenceItem], rng: random.Random) -> None:
    rows = [item("founder"), *rows]
    again = rows + rng.choices(rows, k=5)
    rng.shuffle(again)
    assert numbers(again, 0.4, now=NOW) == numbers(rows, 0.4, now=NOW)


@given(st.lists(items, max_size=14), items)
def test_a_further_row_never_lowers_its_side(rows: list[EvidenceItem], extra: EvidenceItem) -> None:
    rows = [item("founder"), *rows]
    before = numbers(rows, 0.4, now=NOW)
    after = numbers([*rows, replace(extra, episode_id="extra")], 0.4, now=NOW)
    assert after.alpha >= before.alpha
    assert after.beta >= before.beta
    assert after.beta_gained_24h >= 0


@given(st.lists(items, max_size=20))
def test_caps_hold_and_the_total_is_the_sum_where_no_cap_binds(rows: list[EvidenceItem]) -> None:
    rows = [replace(r, episode_id=str(i)) for i, r in enumerate(rows)]
    total = capped_weight(rows)
    assert total <= 2 * len({r.session for r in rows})
    named = [r for r in rows if r.origin]
    assert capped_weight(named) <= 2 * len({r.origin for r in named})
    assert capped_weight(rows[:1]) == sum(
        {"owner": 2, "system": 1, "agent": 1, "untrusted": 0.5}[r.trust] for r in rows[:1]
    )
