"""Governed exceptions: how one stands by the clock, and bounds that no call could ever keep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.guarding.policy_exceptions import (
    IN_FORCE,
    MAX_BOUNDS,
    ExceptionTerms,
    bounds_fault,
    refusal,
    standing,
    within,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
STATES = ("proposed", "approved", "rejected", "revoked")


@pytest.mark.parametrize(
    ("state", "starts", "expires", "expected"),
    [
        ("approved", None, None, IN_FORCE),
        ("approved", NOW, NOW + HOUR, IN_FORCE),
        ("approved", NOW + HOUR, None, "not_begun"),
        ("approved", NOW - HOUR, NOW, "expired"),
        ("proposed", NOW - HOUR, NOW, "expired"),
        ("proposed", NOW - HOUR, NOW + HOUR, "proposed"),
        ("revoked", NOW - HOUR, NOW - HOUR, "revoked"),
        ("rejected", None, NOW - HOUR, "rejected"),
    ],
)
def test_standing(state: str, starts: datetime | None, expires: datetime | None, expected: str) -> None:
    assert standing(state, starts, expires, NOW) == expected


@given(st.sampled_from(STATES), st.integers(-3, 3), st.integers(-3, 3), st.booleans(), st.booleans())
def test_what_stands_in_force_is_what_the_guard_lets_through(
    state: str, start: int, end: int, starts_open: bool, ends_open: bool
) -> None:
    starts = None if starts_open else NOW + start * HOUR
    expires = None if ends_open else NOW + end * HOUR
    terms = ExceptionTerms(
        "x", "r", IN_FORCE if state == "approved" else state, "owner" if state == "approved" else "", starts=starts, expires=expires
    )  # fmt: skip
    assert (standing(state, starts, expires, NOW) == IN_FORCE) is (refusal(terms, {}, NOW) is None)


@pytest.mark.parametrize(
    ("bounds", "saying"),
    [
        ({"max_amount": "fifty"}, "number or a date"),
        ({"min_day": "next week"}, "number or a date"),
        ({"max_amount": [1, 2]}, "number or a date"),
        ({"max_amount": True}, "number or a date"),
        ({"branch": {"name": "main"}}, "branch"),
        ({"branch": None}, "branch"),
        ({"branch": []}, "branch"),
        ({"branch": ["main", ["release"]]}, "branch"),
        ({"": "main"}, "without a name"),
        ({f"p{i}": 1 for i in range(MAX_BOUNDS + 1)}, "at most"),
    ],
)
def test_bounds_nobody_could_keep(bounds: dict[str, Any], saying: str) -> None:
    assert saying in (bounds_fault(bounds) or "")


scalars = st.one_of(st.text(), st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


@given(
    st.dictionaries(
        st.text(min_size=1).filter(str.strip), st.one_of(scalars, st.lists(scalars, min_size=1)), max_size=5
    )
)
def test_bounds_of_equal_values_are_kept_by_those_values(bounds: dict[str, Any]) -> None:
    bounds = {k: v for k, v in bounds.items() if not k.startswith(("max_", "min_"))}
    assert bounds_fault(bounds) is None
    call = {k: v[0] if isinstance(v, list) else v for k, v in bounds.items()}
    assert all(within(k, v, call) for k, v in bounds.items())


@pytest.mark.parametrize("limit", [50, "50", 0.5, "2026-12-31"])
def test_limits_are_kept_at_the_limit(limit: object) -> None:
    assert bounds_fault({"max_x": limit, "min_x": limit}) is None
    assert within("max_x", limit, {"x": limit})
    assert within("min_x", limit, {"x": limit})
