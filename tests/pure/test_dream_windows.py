"""Blackouts: times in which no dream starts or goes on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.dreaming.windows import BadWindow, blacked_out_until, parse, parse_all, zone

SAIGON = ZoneInfo("Asia/Ho_Chi_Minh")


def at(said: str) -> datetime:
    return datetime.fromisoformat(said).replace(tzinfo=SAIGON)


def until(windows: list[dict[str, Any]], said: str) -> str | None:
    end = blacked_out_until(parse_all(windows), at(said))
    return end.strftime("%Y-%m-%dT%H:%M") if end else None


@pytest.mark.parametrize(
    ("window", "inside", "end"),
    [
        ({"from": "08:00", "to": "18:00"}, "2026-03-02T08:00", "2026-03-02T18:00"),
        ({"from": "22:00", "to": "02:00"}, "2026-03-03T01:59", "2026-03-03T02:00"),
        ({"from": "22:00", "to": "02:00", "days": ["mon"]}, "2026-03-03T01:00", "2026-03-03T02:00"),
        ({"days": ["Monday"]}, "2026-03-02T23:59", "2026-03-03T00:00"),
        ({"month_days": [-1]}, "2026-02-28T03:00", "2026-03-01T00:00"),
        ({"month_days": [-1, 1]}, "2026-04-30T03:00", "2026-05-02T00:00"),
        ({"first": "2026-12-28", "last": "2027-01-05"}, "2026-12-31T12:00", "2027-01-06T00:00"),
    ],
)
def test_inside_a_window_it_says_when_it_ends(window: dict[str, Any], inside: str, end: str) -> None:
    assert until([window], inside) == end


@pytest.mark.parametrize(
    ("window", "outside"),
    [
        ({"from": "08:00", "to": "18:00"}, "2026-03-02T18:00"),
        ({"from": "22:00", "to": "02:00", "days": ["mon"]}, "2026-03-02T01:00"),
        ({"month_days": [-1]}, "2026-02-27T23:00"),
        ({"month_days": [31]}, "2026-04-30T12:00"),
        ({"first": "2026-12-28", "last": "2027-01-05"}, "2027-01-06T00:00"),
    ],
)
def test_outside_there_is_none(window: dict[str, Any], outside: str) -> None:
    assert until([window], outside) is None


def test_windows_that_follow_on_each_other_are_one() -> None:
    windows = [{"from": "01:00", "to": "04:00"}, {"from": "04:00", "to": "06:00"}]
    assert until(windows, "2026-03-02T01:30") == "2026-03-02T06:00"
    assert until([{"from": "00:00", "to": "00:00"}], "2026-03-02T01:30") is not None  # always: it ends, far away


@pytest.mark.parametrize(
    ("wrong", "saying"),
    [
        ({"form": "08:00"}, "no field 'form'"), ({}, "a window is an object"), ("nights", "a window is an object"),
        ({"from": "25:00"}, "from: a local time"), ({"to": 7}, "to: a local time"), ({"from": "08:00+07:00"}, "without an offset"),
        ({"days": ["someday"]}, "days: mon"), ({"days": "mon"}, "days: a list"), ({"month_days": [0]}, "month_days: numbers"),
        ({"month_days": [True]}, "month_days: numbers"), ({"first": "soon"}, "first: a date"),
        ({"first": "2026-05-02", "last": "2026-05-01"}, "lies before"),
    ],
)  # fmt: skip
def test_a_window_that_cannot_be_read_is_refused_with_the_cause(wrong: Any, saying: str) -> None:
    with pytest.raises(BadWindow, match=saying):
        parse(wrong)


def test_there_is_a_bound_and_an_unknown_zone_is_utc() -> None:
    with pytest.raises(BadWindow, match="at most 32"):
        parse_all([{"from": "01:00"}] * 33)
    assert zone("Mars/Olympus").key == "UTC"


TIMES = st.times().map(lambda t: t.replace(second=0, microsecond=0, tzinfo=None, fold=0).isoformat("minutes"))
WINDOWS = st.fixed_dictionaries(
    {"from": TIMES, "to": TIMES},
    optional={
        "days": st.lists(st.sampled_from(["mon", "wed", "sun"]), min_size=1),
        "month_days": st.lists(st.sampled_from([-2, -1, 1, 15, 31]), min_size=1),
    },
)


@given(st.lists(WINDOWS, max_size=4), st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)))
def test_the_end_lies_ahead_and_is_outside_unless_it_never_ends(given_: list[dict[str, Any]], naive: datetime) -> None:
    windows, local = parse_all(given_), naive.replace(tzinfo=SAIGON)
    end = blacked_out_until(windows, local)
    if end is None:
        assert all(w.end_of(local) is None for w in windows)
    else:
        assert end > local
        if end - local < timedelta(days=90):
            assert blacked_out_until(windows, end) is None
