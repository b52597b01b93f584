"""The time a question names in words ("yesterday", 「上周」, "3 ngày trước"), as a span on the asker's clock."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from bio_agent_workers.brain.text import fold

Span = tuple[datetime, datetime]

_DAYS = (
    # pattern, first day and last day before today
    (r"\b(?:today|this (?:morning|afternoon|evening))\b|今天|今早|今晚|hôm nay|sáng nay|chiều nay", 0, 0),
    (r"\b(?:yesterday|last night)\b|昨天|昨晚|昨日|hôm qua|tối qua", 1, 1),
    (r"\bday before yesterday\b|前天|hôm kia", 2, 2),
    (r"\b(?:recently|lately|these days|the other day)\b|最近|这几天|gần đây|mấy hôm nay|dạo này", 14, 0),
)
_AGO = re.compile(
    r"\b(\d{1,3}|an?|one|two|three|four|five|six) (day|week|month)s? ago\b|(\d{1,3}|[一两二三四五六])\s*(天|周|个星期|个月)(?:之)?前"
    r"|(\d{1,3}|một|hai|ba|bốn|năm|sáu) (ngày|tuần|tháng) trước"
)
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "一", "một"), 1), **dict.fromkeys(("two", "两", "二", "hai"), 2),
    **dict.fromkeys(("three", "三", "ba"), 3), **dict.fromkeys(("four", "四", "bốn"), 4),
    **dict.fromkeys(("five", "五", "năm"), 5), **dict.fromkeys(("six", "六", "sáu"), 6),
}  # fmt: skip
_UNIT_DAYS = {
    "day": 1,
    "week": 7,
    "month": 30,
    "天": 1,
    "周": 7,
    "个星期": 7,
    "个月": 30,
    "ngày": 1,
    "tuần": 7,
    "tháng": 30,
}
_WEEK = re.compile(r"\b(last|this) week\b|(上|这|本)(?:个星期|个礼拜|星期|周)(?![一二三四五六日天])|tuần (trước|này)")
_MONTH = re.compile(r"\b(last|this) month\b|(上|这|本)个?月|tháng (trước|này)")
_LAST = frozenset(("last", "上", "trước"))


def span(question: str, now: datetime) -> Span | None:
    """The half-open span [start, end) that the question names, in `now`'s time zone; None where it names none. The
    first kind that fits wins: days ago, weeks, months, then named days."""
    said = fold(question)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if found := _AGO.search(said):
        count, unit = (part for part in found.groups() if part is not None)
        days = _UNIT_DAYS[unit] * (_NUMBERS[count] if count in _NUMBERS else int(count))
        slack = 0 if _UNIT_DAYS[unit] == 1 else _UNIT_DAYS[unit] // 2  # "two weeks ago" is no single day
        start = midnight - timedelta(days=days + slack)
        return start, start + timedelta(days=2 * slack + 1)
    if found := _WEEK.search(said):
        monday = midnight - timedelta(days=midnight.weekday())
        return _past(monday, timedelta(days=7), found.groups())
    if found := _MONTH.search(said):
        first = midnight.replace(day=1)
        if _LAST.isdisjoint(found.groups()):
            return first, midnight + timedelta(days=1)
        return (first - timedelta(days=1)).replace(day=1), first
    for pattern, earliest, latest in reversed(_DAYS):
        if re.search(pattern, said):
            return midnight - timedelta(days=earliest), midnight - timedelta(days=latest - 1)
    return None


def _past(start: datetime, length: timedelta, groups: tuple[str | None, ...]) -> Span:
    return (start - length, start) if not _LAST.isdisjoint(groups) else (start, start + length)
