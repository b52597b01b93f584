"""Times named in words, on the asker's clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from bio_agent_workers.brain.retrieval.query_time import span

NOW = datetime(2026, 11, 26, 10, 30, tzinfo=timezone(timedelta(hours=7)))  # a Thursday


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("what did we decide yesterday about the cache", "2026-11-25", "2026-11-25"),
        ("昨天讨论的需求", "2026-11-25", "2026-11-25"),
        ("yêu cầu hôm qua", "2026-11-25", "2026-11-25"),
        ("the day before yesterday", "2026-11-24", "2026-11-24"),
        ("the error from three days ago", "2026-11-23", "2026-11-23"),
        ("3天前的报错", "2026-11-23", "2026-11-23"),
        ("lỗi hai ngày trước", "2026-11-24", "2026-11-24"),
        ("what happened last week", "2026-11-16", "2026-11-22"),
        ("上周的会议", "2026-11-16", "2026-11-22"),
        ("việc tuần này", "2026-11-23", "2026-11-29"),
        ("invoices of last month", "2026-10-01", "2026-10-31"),
    ],
)
def test_named_time(said: str, first: str, last: str) -> None:
    found = span(said, NOW)
    assert found is not None
    start, end = found
    assert (start.date().isoformat(), (end - timedelta(days=1)).date().isoformat()) == (first, last)
    assert start.tzinfo == end.tzinfo == NOW.tzinfo


@pytest.mark.parametrize("said", ["how do I install the dependencies", "一周年庆典的菜单", "weekly report", ""])
def test_no_time_named(said: str) -> None:
    assert span(said, NOW) is None
