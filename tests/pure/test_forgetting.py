"""Forgetting and retention."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain.forgetting import Reason, Standing, age_after_cycle, fate, weight
from bio_agent_workers.brain.retrieval.retention import half_life_days, is_cold, retention

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAIN = Standing(age=0, aged_at=NOW - 2 * HOUR, importance=5, considered=True)


def cycles_until_forgotten(importance: int) -> int:
    episode = replace(PLAIN, importance=importance, aged_at=NOW)
    now = NOW
    for _ in range(100):
        now += HOUR
        aged = age_after_cycle(episode, now)
        episode = replace(episode, age=aged.age, aged_at=aged.aged_at)
        if fate(episode, now).forget:
            return episode.age
    raise AssertionError("never forgotten")


def test_worked_figures() -> None:
    assert cycles_until_forgotten(2) == 3  # the first cycle past the TTL of 2
    assert cycles_until_forgotten(9) == 6  # three cycles later
    assert weight(9, 5) == pytest.approx(3.659, abs=0.001)
    assert weight(9, 6) == pytest.approx(2.711, abs=0.001)


@pytest.mark.parametrize("age", [0, 1, 2])
def test_within_the_ttl_it_stays_unless_junk(age: int) -> None:
    assert fate(replace(PLAIN, importance=1, age=age), NOW).reason is Reason.WITHIN_TTL
    gone = fate(replace(PLAIN, importance=10, age=age, junk=True), NOW)
    assert (gone.forget, gone.reason) == (True, Reason.JUNK)


def test_a_burst_of_cycles_ages_once_an_hour() -> None:
    episode = replace(PLAIN, aged_at=NOW)
    for minutes in range(0, 60, 5):
        assert age_after_cycle(episode, NOW + timedelta(minutes=minutes)).age == 0
    assert age_after_cycle(episode, NOW + HOUR).age == 1


@pytest.mark.parametrize("exempt", [{"considered": False}, {"cited": True}, {"unresolved_failure": True}])
def test_what_waits_is_cited_or_open_neither_ages_nor_goes(exempt: dict[str, Any]) -> None:
    episode = replace(PLAIN, age=50, importance=1, **exempt)
    assert age_after_cycle(episode, NOW).age == 50
    assert not fate(episode, NOW).forget


def test_an_open_failure_is_kept_seven_days_after_its_session() -> None:
    episode = replace(PLAIN, age=50, unresolved_failure=True, session_ended_at=NOW - timedelta(days=6, hours=23))
    assert fate(episode, NOW).reason is Reason.OPEN_FAILURE
    assert fate(episode, NOW + HOUR).reason is Reason.FADED
    assert age_after_cycle(episode, NOW + HOUR).age == 51


def test_a_clock_that_stepped_back_neither_ages_nor_blocks() -> None:
    episode = replace(PLAIN, aged_at=NOW + timedelta(days=1))
    stepped = age_after_cycle(episode, NOW)
    assert (stepped.age, stepped.aged_at) == (0, NOW)
    assert age_after_cycle(replace(episode, aged_at=stepped.aged_at), NOW + HOUR).age == 1


@given(st.integers(1, 10), st.integers(0, 1_000), st.floats(0, 5), st.integers(0, 20))
def test_weight_never_exceeds_importance_and_never_grows(importance: int, age: int, decay: float, ttl: int) -> None:
    value = weight(importance, age, ttl=ttl, decay=decay)
    assert 0 <= value <= importance
    assert weight(importance, age + 1, ttl=ttl, decay=decay) <= value


@given(st.integers(1, 9), st.integers(0, 60))
def test_the_more_important_is_never_forgotten_first(importance: int, age: int) -> None:
    more = fate(replace(PLAIN, importance=importance + 1, age=age), NOW)
    assert not more.forget or fate(replace(PLAIN, importance=importance, age=age), NOW).forget


@given(st.integers(1, 10), st.integers(0, 200), st.floats(0.001, 5), st.integers(0, 100))
def test_the_settings_move_the_end_and_the_exponent_is_never_positive(
    importance: int, age: int, decay: float, ttl: int
) -> None:
    episode = replace(PLAIN, importance=importance, age=age)
    told = fate(episode, NOW, ttl=ttl, decay=decay)
    assert told.weight <= importance
    if age <= ttl:
        assert not told.forget  # DEFAULT_TTL: within it nothing goes but junk
    assert (
        not told.forget or fate(episode, NOW, ttl=ttl, decay=decay * 2).forget
    )  # EBBINGHAUS_LAMBDA: faster, not slower
    assert not told.forget or fate(replace(episode, age=age + 1), NOW, ttl=ttl, decay=decay).forget


@given(
    st.sampled_from(MemoryKind),
    st.floats(0, 20_000),
    st.floats(0, 20_000),
    st.integers(-3, 50),
)
def test_retention_falls_with_time_and_rises_with_confirmations(
    kind: MemoryKind, days: float, more: float, times: int
) -> None:
    now = retention(kind, NOW - timedelta(days=days), times, NOW)
    assert 0 <= now <= 1
    assert retention(kind, NOW - timedelta(days=days + more), times, NOW) <= now
    assert retention(kind, NOW - timedelta(days=days), times + 1, NOW) >= now


@pytest.mark.parametrize(
    ("kind", "days"), [(MemoryKind.EPISODIC, 30), (MemoryKind.EXCEPTION, 90), (MemoryKind.SEMANTIC, 365)]
)
def test_retention_halves_and_confirmations_double(kind: MemoryKind, days: int) -> None:
    assert retention(kind, NOW - timedelta(days=days), 0, NOW) == pytest.approx(0.5)
    assert half_life_days(kind, 1) == 2 * days
    assert half_life_days(kind, 3) == half_life_days(kind, 99) == 8 * days


def test_every_kind_has_a_half_life_and_cold_is_below_a_tenth() -> None:
    assert all(half_life_days(kind, 0) > 0 for kind in MemoryKind)
    assert is_cold(retention(MemoryKind.EPISODIC, NOW - timedelta(days=100), 0, NOW))
    assert not is_cold(retention(MemoryKind.EPISODIC, NOW - timedelta(days=99), 0, NOW))
    assert retention(MemoryKind.EPISODIC, NOW + timedelta(days=9), 0, NOW) == 1
