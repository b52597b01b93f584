"""Hours, days and amounts in a rule's text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bio_agent_workers.brain.guarding.amounts import all_met, take_bounds, to_number
from bio_agent_workers.brain.guarding.hours import in_hours, read_hours

VN = timezone(timedelta(hours=7))


@pytest.mark.parametrize(
    ("rule", "at", "expected"),
    [
        ("Don't stop it between 9:00 and 17:00 UTC.", "2026-12-01T10:00:00Z", True),
        ("Don't stop it between 9:00 and 17:00 UTC.", "2026-12-01T17:00:00Z", False),
        ("Don't stop it between 9:00 and 17:00 UTC+7.", "2026-12-01T03:00:00Z", True),
        ("Don't stop it from 9am to 5pm Beijing time.", "2026-12-01T08:59:00Z", True),
        ("Don't stop it from 9am to 5pm Beijing time.", "2026-12-01T09:00:00Z", False),
        ("工作时间（越南时间 8:00 到 18:00）不要重启。", "2026-12-01T03:30:00Z", True),
        ("工作时间（越南时间 8:00 到 18:00）不要重启。", "2026-12-01T12:00:00Z", False),
        ("Đừng dừng máy từ 6h đến 14h, giờ Việt Nam.", "2026-12-01T01:00:00Z", True),
        ("Đừng dừng máy từ 6h đến 14h, giờ Việt Nam.", "2026-12-01T09:00:00Z", False),
        ("Không gửi thư sau 21h.", "2026-12-01T22:00:00Z", True),
        ("Không gửi thư sau 21h.", "2026-12-01T20:00:00Z", False),
        ("Never deploy on Fridays.", "2026-12-04T08:00:00Z", True),
        ("Never deploy on Fridays.", "2026-12-03T08:00:00Z", False),
        ("周末不要部署。", "2026-12-05T08:00:00Z", True),
        ("周末不要部署。", "2026-12-04T08:00:00Z", False),
        ("Do not call between 22:00 and 6:00.", "2026-12-01T23:00:00Z", True),
        ("Do not call between 22:00 and 6:00.", "2026-12-01T05:59:00Z", True),
        ("Do not call between 22:00 and 6:00.", "2026-12-01T12:00:00Z", False),
        ("Do not deploy outside working hours.", "2026-12-01T12:00:00Z", False),
        ("Do not deploy outside working hours.", "2026-12-01T20:00:00Z", True),
        ("Never push to main.", "2026-12-01T20:00:00Z", True),
        ("Never scale below 2 replicas or from 3 to 1.", "2026-12-01T20:00:00Z", True),
    ],
)
def test_when_a_rule_speaks(rule: str, at: str, expected: bool) -> None:
    assert in_hours(rule, datetime.fromisoformat(at)) is expected


def test_without_a_zone_the_tenants_counts() -> None:
    rule = "Do not restart it after 18:00."
    at = datetime(2026, 12, 1, 12, 30, tzinfo=UTC)
    assert not in_hours(rule, at)
    assert in_hours(rule, at, VN)
    assert "18" not in read_hours(rule).rest


@given(st.text(max_size=120), st.datetimes(timezones=st.just(UTC)))
def test_any_text_is_read(text: str, at: datetime) -> None:
    assert in_hours(text, at) in (True, False)
    take_bounds(text)


@pytest.mark.parametrize(
    ("clause", "numbers", "expected"),
    [
        ("pay above 5000", {"amount": "5001"}, True),
        ("pay above 5000", {"amount": "5000"}, False),
        ("pay 5000 or more", {"amount": "5000"}, True),
        ("pay above 5000", {"amount": "-9000"}, True),
        ("pay above 5000", {"invoice_no": "7000", "amount": "10"}, False),
        ("pay above 5000", {}, False),
        ("thanh toán trên 50 triệu VND", {"amount": "60000000", "currency": "VND"}, True),
        ("thanh toán trên 50.000.000 VND", {"amount": "60000000", "currency": "USD"}, False),
        ("付款超过 10 万元", {"amount": "150000"}, True),
        ("付款超过 10 万元", {"amount": "99999"}, False),
        ("scale above 10 replicas", {"replicas": "12", "timeout": "1"}, True),
        ("scale below 2 replicas", {"replicas": "1"}, True),
        ("scale below 2 replicas", {"replicas": "2"}, False),
        ("give more than 15% off", {"discount_percent": "20"}, True),
    ],
)
def test_bounds(clause: str, numbers: dict[str, str], expected: bool) -> None:
    bounds, _ = take_bounds(clause)
    assert bounds
    read = {k: n for k, v in numbers.items() if (n := to_number(v)) is not None}
    assert all_met(bounds, read, numbers) is expected


@pytest.mark.parametrize(
    ("said", "number"),
    [("50.000.000", "50000000"), ("1,000.50", "1000.50"), ("1.000,50", "1000.50"), ("4800", "4800"), ("2.5", "2.5")],
)
def test_numbers_as_people_write_them(said: str, number: str) -> None:
    assert to_number(said) == Decimal(number)
    assert to_number("x" + said) is None


@pytest.mark.parametrize(
    ("rule", "at", "expected"),
    [
        ("晚上十点到早上六点不要重启。", "2026-12-01T23:00:00Z", True),
        ("晚上十点到早上六点不要重启。", "2026-12-01T12:00:00Z", False),
        ("晚上10点半以后不要发短信。", "2026-12-01T22:29:00Z", False),
        ("Từ 22h đến 6h không được khởi động lại.", "2026-12-01T05:59:00Z", True),
        ("Không deploy từ mười giờ tối đến 6 giờ sáng.", "2026-12-01T22:00:00Z", True),
        ("No deploys between 10 pm and midnight.", "2026-12-01T23:59:00Z", True),
        ("No deploys between 10 pm and midnight.", "2026-12-01T00:00:00Z", False),
        ("每周五下午不要上线。", "2026-12-04T15:00:00Z", True),
        ("每周五下午不要上线。", "2026-12-04T09:00:00Z", False),
        ("No deploys on Friday afternoons.", "2026-12-04T11:59:00Z", False),
        ("Nothing is deployed from 20 December to 3 January.", "2027-01-03T12:00:00Z", True),
        ("Nothing is deployed from 20 December to 3 January.", "2027-01-04T12:00:00Z", False),
        ("While the count runs (28 November to 2 December 2026) post nothing.", "2026-11-27T12:00:00Z", False),
        ("While the count runs (28 November to 2 December 2026) post nothing.", "2026-11-28T12:00:00Z", True),
        ("12月20日到1月3日期间不要部署。", "2026-12-19T12:00:00Z", False),
        ("Từ 20/12 đến 3/1 không được deploy.", "2026-12-31T12:00:00Z", True),
        ("Never post entries dated 1 to 31 March 2025.", "2026-12-31T12:00:00Z", True),
    ],
)
def test_times_in_words_and_days_between(rule: str, at: str, expected: bool) -> None:
    assert in_hours(rule, datetime.fromisoformat(at.replace("Z", "+00:00"))) is expected


def test_what_goes_on_meanwhile_is_no_object() -> None:
    assert read_hours("During the freeze from 20 December to 3 January nothing is deployed.").rest.split() == [
        "nothing", "is", "deployed."
    ]  # fmt: skip


@example("十十点")
@given(st.text(alphabet="0123456789 到至-/月日年点半晚上十二tođếnthángngày,.()", max_size=40))
def test_any_text_names_days_or_none(text: str) -> None:
    assert all(0 <= window.start <= 1440 and 0 <= window.end <= 1440 for window in read_hours(text).windows)


@pytest.mark.parametrize(
    ("said", "at", "expected"),
    [
        ("No deploys on a Friday (Berlin time).", "2026-12-04T23:30:00+00:00", False),
        ("No deploys on a Friday (Berlin time).", "2026-12-04T22:30:00+00:00", True),
        ("Nothing is sent between 22:00 and 6:00 New York time.", "2026-12-04T04:00:00+00:00", True),
        ("Nothing is sent between 22:00 and 6:00 New York time.", "2026-12-04T15:00:00+00:00", False),
        ("Nothing is sent between 22:00 and 6:00 the first time.", "2026-12-04T23:00:00+00:00", True),
    ],
)
def test_a_time_zone_is_named_by_its_city(said: str, at: str, expected: bool) -> None:
    assert in_hours(said, datetime.fromisoformat(at)) is expected
