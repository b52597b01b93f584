"""Stress and attention: the worked figures, and what must hold for all inputs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bio_agent_workers.brain.attention import (
    Factors,
    Outcome,
    Ranked,
    factors,
    gain,
    importance_value,
    raw_attention,
    recency,
    sent_back,
    severity_value,
    shown,
    stress,
    stress_band,
    task_relevance,
    weights,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
UNIT = st.floats(0, 1)


def failure(minutes_ago: float, *, unresolved: bool = True, count: int = 1) -> Outcome:
    return Outcome(0.8, True, unresolved, NOW - timedelta(minutes=minutes_ago), count)


def success(minutes_ago: float) -> Outcome:
    return Outcome(0.2, False, False, NOW - timedelta(minutes=minutes_ago))


SIX_FAILURES = [failure(0) for _ in range(6)]


def test_six_failing_deploys() -> None:
    result = stress(SIX_FAILURES, NOW)
    assert result.s == pytest.approx(0.93)
    assert (result.unresolved_ratio, result.failure_streak, result.decay) == (1.0, 6, 1.0)


def test_then_an_unrelated_success() -> None:
    assert stress([*SIX_FAILURES, success(0)], NOW).s == pytest.approx(0.64, abs=0.005)


def test_instead_the_same_deploy_succeeds_and_closes_them() -> None:
    closed = [replace(o, unresolved=False) for o in SIX_FAILURES]
    assert stress([*closed, success(0)], NOW).s == pytest.approx(0.25, abs=0.005)


@pytest.mark.parametrize(("age", "expected"), [(timedelta(hours=8), 0.33), (timedelta(hours=8, seconds=1), 0.0)])
def test_six_failures_left_open_for_eight_hours(age: timedelta, expected: float) -> None:
    left_open = [replace(o, at=NOW - age) for o in SIX_FAILURES]
    assert stress(left_open, NOW).s == pytest.approx(expected, abs=0.005)


def test_a_folded_episode_counts_as_many() -> None:
    assert stress([failure(0, count=6)], NOW).s == pytest.approx(stress(SIX_FAILURES, NOW).s)
    assert stress([failure(0, count=500), success(1)], NOW) == stress([failure(0, count=12)], NOW)


def test_only_the_newest_twelve_count() -> None:
    newest = [success(i) for i in range(12)]
    assert stress([*newest, *(failure(60 + i) for i in range(5))], NOW) == stress(newest, NOW)


def test_a_failure_closed_by_other_means_ends_the_streak() -> None:
    assert stress([failure(3), failure(2, unresolved=False), failure(1)], NOW).failure_streak == 1


def test_of_two_at_one_instant_the_later_in_the_sequence_is_newer() -> None:
    assert stress([failure(0), success(0)], NOW).failure_streak == 0
    assert stress([success(0), failure(0)], NOW).failure_streak == 1


def test_a_clock_that_stepped_back_does_no_harm() -> None:
    ahead = [replace(o, at=NOW + timedelta(days=1)) for o in SIX_FAILURES]
    assert stress(ahead, NOW).s == pytest.approx(0.93)
    assert recency(NOW + timedelta(days=1), NOW) == 1.0


outcome_lists = st.lists(
    st.builds(
        Outcome,
        severity=UNIT,
        failed=st.booleans(),
        unresolved=st.booleans(),
        at=st.floats(0, 600).map(lambda m: NOW - timedelta(minutes=m)),
        count=st.integers(1, 15),
    ),
    max_size=20,
)


@given(outcome_lists)
def test_stress_stays_in_bounds(outcomes: list[Outcome]) -> None:
    result = stress(outcomes, NOW)
    assert 0 <= result.s <= 1
    assert 0 <= result.unresolved_ratio <= 1
    assert 0.35 <= result.decay <= 1
    assert 0 <= result.failure_streak <= 12


@given(outcome_lists, st.data())
def test_stress_rises_with_severity_and_with_what_is_open(outcomes: list[Outcome], data: st.DataObject) -> None:
    assume(outcomes)
    i = data.draw(st.integers(0, len(outcomes) - 1))
    worse = replace(outcomes[i], severity=data.draw(st.floats(outcomes[i].severity, 1)), unresolved=True)
    assert stress([*outcomes[:i], worse, *outcomes[i + 1 :]], NOW).s >= stress(outcomes, NOW).s - 1e-9


@given(outcome_lists, st.floats(0, 600))
def test_stress_recovers_with_time(outcomes: list[Outcome], minutes: float) -> None:
    later = NOW + timedelta(minutes=minutes)
    window = timedelta(hours=8)
    assume(all(later - o.at <= window or NOW - o.at > window for o in outcomes))  # none leaves the window meanwhile
    assert stress(outcomes, later).s <= stress(outcomes, NOW).s + 1e-9
    assert stress(outcomes, NOW + timedelta(hours=8, seconds=1)).s == 0


@given(UNIT)
def test_weights_sum_to_one(s: float) -> None:
    w = weights(s)
    parts = (w.severity, w.unresolved, w.recency, w.novelty, w.task_relevance)
    assert sum(parts) == pytest.approx(1)
    assert all(0 < p < 1 for p in parts)


def test_weights_at_rest_and_in_crisis() -> None:
    calm, crisis = weights(0), weights(1)
    assert (calm.severity, calm.unresolved, calm.recency) == pytest.approx((0.15, 0.20, 0.15))
    assert (calm.novelty, calm.task_relevance) == pytest.approx((0.20, 0.30))
    # 0.35 + 0.30 + 0.10 + 0.15 leave 0.10, but task relevance keeps 0.15: normalised by 1.05
    assert crisis.task_relevance == pytest.approx(0.15 / 1.05)
    assert crisis.severity == pytest.approx(0.35 / 1.05)


factor_values = st.builds(Factors, UNIT, UNIT, UNIT, UNIT, UNIT)


@given(factor_values, UNIT, UNIT)
def test_attention_is_bounded(values: Factors, importance: float, s: float) -> None:
    raw = raw_attention(values, importance, s)
    assert 0 <= raw <= 3 + 1e-9
    assert 0 <= shown(raw) <= 1


@given(factor_values, UNIT, UNIT, UNIT)
def test_attention_rises_with_severity_and_importance(values: Factors, importance: float, s: float, up: float) -> None:
    raised = replace(values, severity=max(values.severity, up))
    assert raw_attention(raised, importance, s) >= raw_attention(values, importance, s) - 1e-9
    assert raw_attention(values, max(importance, up), s) >= raw_attention(values, importance, s) - 1e-9


def test_attention_by_hand() -> None:
    values = factors(
        severity=0.8, unresolved=True, occurred_at=NOW - timedelta(hours=1), novelty=1.0, task_relevance=0.5, now=NOW
    )
    # 0.15·0.8 + 0.20·1 + 0.15·0.5 + 0.20·1 + 0.30·0.5 = 0.745 at rest, importance 5/9
    assert raw_attention(values, importance_value(6, None), 0.0) == pytest.approx(0.745 * (0.5 + 5 / 9))
    assert gain(0.93) == pytest.approx(1.93)


def test_importance_before_and_after_the_label() -> None:
    assert importance_value(1, 0.9) == 0.0
    assert importance_value(10, None) == 1.0
    assert importance_value(None, 0.9) == 0.9
    assert importance_value(None, None) == 0.5


def test_task_relevance() -> None:
    assert task_relevance("anything", "", "", None) == 0.5
    assert task_relevance("anything", "deploy", "", 0.7) == 0.7
    assert task_relevance("the invoice importer crashed", "fix the invoice importer", "", None) == pytest.approx(2 / 3)
    assert task_relevance("lỗi khi ghi sổ hóa đơn", "ghi sổ hóa đơn", "", None) == 1.0
    assert task_relevance("生成报表失败", "生成报表", "", None) > 0.5
    assert task_relevance("x " * 50_000, "deploy", "", None) == 0.0


def test_severity_names_and_numbers() -> None:
    assert [severity_value(n) for n in ("debug", "INFO", " warn ", "error", "fatal")] == [0, 0.2, 0.5, 0.8, 1]
    assert severity_value(0.35) == 0.35


@pytest.mark.parametrize("bad", ["loud", "", 1.2, -0.1, float("nan")])
def test_a_severity_that_cannot_be_read_is_refused(bad: str | float) -> None:
    with pytest.raises(ValueError, match="severity"):
        severity_value(bad)


def test_bands() -> None:
    assert [stress_band(s) for s in (0.0, 0.29, 0.3, 0.69, 0.7, 1.0)] == [
        "calm",
        "calm",
        "tense",
        "tense",
        "crisis",
        "crisis",
    ]


def test_the_lowest_give_up_their_place_but_not_the_protected() -> None:
    ranked = [Ranked("a", 0.1, protected=True), Ranked("b", 0.9), Ranked("c", 0.2), Ranked("d", 0.5)]
    assert sent_back(ranked, 4) == ()
    assert sent_back(ranked, 2) == ("c", "d")
    assert sent_back(ranked, 0) == ("c", "d", "b")
