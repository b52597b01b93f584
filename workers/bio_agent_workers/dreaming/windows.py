"""When a tenant may dream: its night, and the windows in which no dream starts or goes on.

Pure: local times are arguments. A window is what a person writes down:

    {"from": "08:00", "to": "18:00", "days": ["mon", "fri"]}      office hours of two weekdays
    {"from": "22:00", "to": "02:00"}                              every night, across midnight
    {"month_days": [-1, 1]}                                       the last and the first day of each month
    {"first": "2026-12-28", "last": "2027-01-05"}                 the close of a year, both days included
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

HOUR = 3  # local hour from which a tenant may dream
MOST_WINDOWS = 32
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_KEYS = frozenset({"from", "to", "days", "month_days", "first", "last"})
_MOST_CHAINED = 400  # windows that follow on each other; more than a year of them is for ever


class BadWindow(ValueError):
    """A window that cannot be read; the message says what was wrong and what it should look like."""


@dataclass(frozen=True, slots=True)
class Window:
    """begin / end: local times; end ≤ begin runs across midnight, equal ones are the whole day. The rest limits the day
    on which the window begins; an empty set or None limits nothing. month_days: 1 is the first, −1 the last."""

    begin: time = time(0)
    end: time = time(0)
    days: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    first: date | None = None
    last: date | None = None

    def begins_on(self, day: date) -> bool:
        """Whether a stretch of this window begins on that day."""
        following = day.replace(day=28) + timedelta(days=4)
        length = (following - timedelta(days=following.day)).day
        return (
            (not self.days or day.weekday() in self.days)
            and (not self.month_days or bool({day.day, day.day - length - 1} & self.month_days))
            and (self.first is None or day >= self.first)
            and (self.last is None or day <= self.last)
        )

    def end_of(self, local: datetime) -> datetime | None:
        """When the stretch that holds this local time ends; None when none does."""
        for day in (local.date(), local.date() - timedelta(days=1)):
            if not self.begins_on(day):
                continue
            begin = datetime.combine(day, self.begin, local.tzinfo)
            across = self.end <= self.begin
            end = datetime.combine(day + timedelta(days=1) if across else day, self.end, local.tzinfo)
            if begin <= local < end:
                return end
        return None


def parse(given: Any) -> Window:
    """Raises BadWindow."""
    if not isinstance(given, Mapping) or not given:
        raise BadWindow(f"a window is an object with some of {', '.join(sorted(_KEYS))}, not {ascii(given)[:60]}")
    unknown = sorted(str(k) for k in given if k not in _KEYS)
    if unknown:
        raise BadWindow(f"a window has no field {unknown[0][:40]!r}; it has {', '.join(sorted(_KEYS))}")
    window = Window(
        begin=_time(given.get("from", "00:00"), "from"),
        end=_time(given.get("to", "00:00"), "to"),
        days=frozenset(_day(d) for d in _list(given.get("days", []), "days")),
        month_days=frozenset(_month_day(d) for d in _list(given.get("month_days", []), "month_days")),
        first=_date(given.get("first"), "first"),
        last=_date(given.get("last"), "last"),
    )
    if window.first and window.last and window.last < window.first:
        raise BadWindow(f"last: {window.last} lies before first, {window.first}")
    return window


def parse_all(given: Any) -> tuple[Window, ...]:
    """The windows of a tenant. Raises BadWindow."""
    windows = _list(given, "blackouts")
    if len(windows) > MOST_WINDOWS:
        raise BadWindow(f"blackouts: {len(windows)} windows; at most {MOST_WINDOWS}")
    return tuple(parse(w) for w in windows)


def blacked_out_until(windows: Sequence[Window], local: datetime) -> datetime | None:
    """The end of the blackout that holds this local time, over windows that follow on each other; None outside."""
    until: datetime | None = None
    for _ in range(_MOST_CHAINED):
        ends = [e for w in windows if (e := w.end_of(until or local)) is not None]
        if not ends:
            break
        until = max(ends)
    return until


def zone(name: str) -> ZoneInfo:
    """The named time zone, UTC where the name is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def _list(given: Any, name: str) -> list[Any]:
    if not isinstance(given, list):
        raise BadWindow(f"{name}: a list, not {ascii(given)[:60]}")
    return given


def _time(given: Any, name: str) -> time:
    try:
        read = time.fromisoformat(given)
    except (TypeError, ValueError):
        raise BadWindow(f"{name}: a local time such as 22:30, not {ascii(given)[:60]}") from None
    if read.tzinfo is not None:
        raise BadWindow(f"{name}: a time in the tenant's own zone, without an offset, not {given}")
    return read


def _date(given: Any, name: str) -> date | None:
    if given is None:
        return None
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError):
        raise BadWindow(f"{name}: a date such as 2026-12-31, not {ascii(given)[:60]}") from None


def _day(given: Any) -> int:
    short = str(given).casefold()[:3]
    if short not in DAYS or str(given).casefold() not in (short, *_LONG):
        raise BadWindow(f"days: {', '.join(DAYS)}, not {ascii(given)[:60]}")
    return DAYS.index(short)


_LONG = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _month_day(given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= abs(given) <= 31:
        raise BadWindow(f"month_days: numbers from 1 to 31, or from -1 (the last) to -31, not {ascii(given)[:60]}")
    return given
