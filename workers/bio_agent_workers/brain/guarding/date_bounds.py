"""Dates that a sentence bounds its objects by ("March 2025 or earlier", "trước tháng 3/2025", 2025 年 3 月之前)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Side(StrEnum):
    """Which side of the days of a bound counts."""

    EARLIER = "earlier"
    BEFORE = "before"
    LATER = "later"
    AFTER = "after"
    WITHIN = "within"


class Of(StrEnum):
    """What a bound is about: dates of the object, the moment of the act, or either (the object's where it has any)."""

    OBJECT = "object"
    ACT = "act"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class DateBound:
    """A bound on dates: the side of the days `first` to `last` that counts, and whose dates they are."""

    side: Side
    first: date
    last: date
    of: Of = Of.OBJECT

    def holds(self, day: date) -> bool:
        """Whether a day lies on the side that counts."""
        match self.side:
            case Side.EARLIER:
                return day <= self.last
            case Side.BEFORE:
                return day < self.first
            case Side.LATER:
                return day >= self.first
            case Side.AFTER:
                return day > self.last
            case Side.WITHIN:
                return self.first <= day <= self.last

    def holds_for(self, dates: Sequence[date], now: date | None) -> bool:
        """Whether it holds for the dates of a call made on the day `now`; None: that day is not known."""
        if self.of is Of.OBJECT or (self.of is Of.EITHER and dates) or now is None:
            return bool(dates) and all(map(self.holds, dates))
        return self.holds(now)


MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name} | {
    name.lower(): n for n, name in enumerate(calendar.month_abbr) if name
}
_MONTH = rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b"
_DATE = re.compile(
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?(?P<mon>{_MONTH})\.? (?:(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?,? )?(?P<y1>20\d\d)"
    rf"|(?P<y2>20\d\d)-(?P<m2>\d\d)(?:-(?P<d2>\d\d))?"
    r"|(?:ngày )?(?P<d6>\d{1,2})/(?P<m6>\d{1,2})/(?P<y6>20\d\d)"
    r"|(?:(?:ngày )?(?P<d3>\d{1,2}) )?tháng (?P<m3>\d{1,2})[/ -]+(?:năm )?(?P<y3>20\d\d)"
    r"|(?P<y4>20\d\d) ?年 ?(?P<m4>\d{1,2}) ?月(?: ?(?P<d4>\d{1,2}) ?[日号])?",
    re.IGNORECASE,
)
#: Stands before a day on which, before or after which the act itself is meant: "until", "before the meeting on".
_SPAN_EN = r"(?:(?:the|our|my|this|next) (?:[\w'-]+ ){1,5}?(?:on|of|in) )"
_ACT_BEFORE = re.compile(
    rf"(?:\b(?:until|till)\s+{_SPAN_EN}?|\b(?:before|after|since)\s+{_SPAN_EN}|(?<!\w)(?:cho )?(?:đến|tới)(?: hết)?\s+(?:ngày )?"
    r"|(?<!\w)(?:trước|sau)\s+(?:buổi|cuộc|đợt|kỳ|lễ)\s+[^,;.]{2,40}?\s(?:ngày |vào )?|(?:直到|截至)\s*)$", re.I
)  # fmt: skip
_ACT_BEHIND = re.compile(
    r"\s*[^，。；不的]{0,10}?(?:会议|会|评审|盘点|上线|审计|活动|考试)(?:结束|召开|开始)?[之以]?[前后](?!的)"
)
#: The same with the bare day: the object's where the call has dates, else the act's.
_EITHER = re.compile(
    r"(?:^|[\w)])\s*(?<!dated )(?<!posted )(?<!created )(?<!taken )(?<!made )(?<!from )(?<!issued )(?<!sent )(?<!booked )"
    r"\b(?:before|after|since)\s*$", re.I
)  # fmt: skip
_EARLIER = re.compile(
    r"\b(?:or earlier|and earlier|or before|before|until|up to)\b|trở về trước|trở về|trước|及以前|及之前|以前|之前"
    r"|前的",
    re.I,
)
_LATER = re.compile(r"\b(?:or later|and later|after|from|since)\b|trở đi|từ|sau|及以后|以后|之后|起", re.I)


def take_dates(clause: str) -> tuple[list[DateBound], str]:
    """The bounds of dates in a clause (at most one), and the clause without it."""
    found = _DATE.search(clause)
    if found is None:
        return [], clause
    g = {key[0]: value for key, value in found.groupdict().items() if value and key != "mon"}
    year = int(g["y"])
    month = MONTHS[found["mon"].lower()] if found["mon"] else int(g["m"])
    if not 1 <= month <= 12:
        return [], clause
    day = int(g.get("d", 0))
    last = calendar.monthrange(year, month)[1]
    first_day, last_day = date(year, month, min(day, last) or 1), date(year, month, min(day, last) or last)
    before, behind = clause[: found.start()], clause[found.end() :]
    acted, acted_behind = _ACT_BEFORE.search(before), _ACT_BEHIND.match(behind)
    if acted is not None or acted_behind is not None:
        said = acted.group() if acted is not None else acted_behind.group() if acted_behind is not None else ""
        late = re.search(r"\b(?:after|since)\b|(?<!\w)sau(?!\w)|后$", said, re.I)
        until = re.search(r"\b(?:until|till)\b|đến|tới|截至|直到", said, re.I)
        side = Side.LATER if late else Side.EARLIER if until else Side.BEFORE
        before = before[: acted.start()] if acted is not None else before
        behind = behind[acted_behind.end() :] if acted is None and acted_behind is not None else behind
        return [DateBound(side, first_day, last_day, Of.ACT)], before + " " + behind
    around = before[-16:] + " " + behind[:16]
    side = Side.EARLIER if _EARLIER.search(around) else Side.LATER if _LATER.search(around) else Side.WITHIN
    if side is Side.EARLIER and re.search(r"\bbefore\s*$", before, re.I):
        side = Side.BEFORE
    if side is Side.LATER and re.search(r"\bafter\s*$", before, re.I):
        side = Side.AFTER
    of = Of.EITHER if day and _EITHER.search(before) else Of.OBJECT
    tail = re.sub(_EARLIER if side not in (Side.LATER, Side.AFTER) else _LATER, " ", behind[:16], count=1)
    return [DateBound(side, first_day, last_day, of)], before + " " + tail + behind[16:]
