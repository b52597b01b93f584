"""Dates that a sentence bounds its objects by ("March 2025 or earlier", "trước tháng 3/2025", 2025 年 3 月之前)."""

from __future__ import annotations

import calendar
import re
from datetime import date

#: Which side of two days counts ("earlier", "before", "later", "within"), the first and the last day.
DateBound = tuple[str, date, date]

MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name} | {
    name.lower(): n for n, name in enumerate(calendar.month_abbr) if name
}
_DATE = re.compile(
    rf"(?P<mon>\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b)\.? (?P<y1>20\d\d)"
    rf"|(?P<y2>20\d\d)-(?P<m2>\d\d)(?:-(?P<d2>\d\d))?"
    r"|tháng (?P<m3>\d{1,2})[/ -]+(?:năm )?(?P<y3>20\d\d)|(?P<y4>20\d\d) ?年 ?(?P<m4>\d{1,2}) ?月(?:"
    r" ?(?P<d4>\d{1,2}) ?日)?",
    re.IGNORECASE,
)
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
    g = found.groupdict()
    year = int(g["y1"] or g["y2"] or g["y3"] or g["y4"])
    month = MONTHS[g["mon"].lower()] if g["mon"] else int(g["m2"] or g["m3"] or g["m4"])
    if not 1 <= month <= 12:
        return [], clause
    day = int(g["d2"] or g["d4"] or 0)
    last = calendar.monthrange(year, month)[1]
    first_day, last_day = date(year, month, min(day, last) or 1), date(year, month, min(day, last) or last)
    around = clause[max(0, found.start() - 16) : found.start()] + " " + clause[found.end() : found.end() + 16]
    side = "earlier" if _EARLIER.search(around) else "later" if _LATER.search(around) else "within"
    if side == "earlier" and re.search(r"\bbefore\s*$", clause[: found.start()], re.I):
        side = "before"
    tail = re.sub(_EARLIER if side != "later" else _LATER, " ", clause[found.end() : found.end() + 16], count=1)
    rest = clause[: found.start()] + " " + tail + clause[found.end() + 16 :]
    return [(side, first_day, last_day)], rest
