"""Days between which a rule holds ("from 20 December to 3 January", 12月20日到1月3日): a window of time, no date of an object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from bio_agent_workers.brain.guarding.date_bounds import MONTHS

_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = (
    rf"(?:(?P<d_en{{n}}>\d{{{{1,2}}}})(?:st|nd|rd|th)?(?:\s+(?:of\s+)?(?P<m_en{{n}}>{_NAMES})\b\.?(?:,?\s+(?P<y_en{{n}}>20\d\d))?)?"
    rf"|(?P<m_us{{n}}>{_NAMES})\b\.?\s+(?P<d_us{{n}}>\d{{{{1,2}}}})(?:st|nd|rd|th)?(?:,?\s+(?P<y_us{{n}}>20\d\d))?"
    r"|(?P<y_is{n}>20\d\d)-(?P<m_is{n}>\d\d)-(?P<d_is{n}>\d\d)"
    r"|(?:(?P<y_zh{n}>20\d\d)\s*年\s*)?(?P<m_zh{n}>\d{{1,2}})\s*月\s*(?P<d_zh{n}>\d{{1,2}})\s*[日号]?|(?P<d_zd{n}>\d{{1,2}})\s*[日号](?!\s*[后内])"
    r"|(?:ngày\s+)?(?P<d_vi{n}>\d{{1,2}})(?:/|\s+tháng\s+)(?P<m_vi{n}>\d{{1,2}})(?:(?:/|\s+năm\s+)(?P<y_vi{n}>20\d\d))?)"
)


def _day_pattern(number: int) -> str:
    # The forms with all their parts first: "28/11" is no bare "28".
    forms = _DAY.format(n=number)[3:-1].split("|(?P<m_us", 1)
    return f"(?:(?P<m_us{forms[1]}|{forms[0]})"


_SPAN = re.compile(
    rf"(?:\b(?:between|from)\s+(?:the\s+)?|(?<!\w)(?:từ|giữa)\s+|从|自)?{_day_pattern(1)}"
    r"\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\band\b|-|–|—|~|(?<!\w)(?:đến|tới|và)(?!\w)|到|至)\s*(?:hết\s+|the\s+)?"
    rf"{_day_pattern(2)}(?:\s*(?:之?间|期间|\binclusive\b))?",
    re.I,
)
#: Stands before the days of an object rather than those of the rule.
_OF_OBJECTS = re.compile(
    r"(?:\b(?:dated?|posted|created|issued|booked|of|records?|entries|invoices|orders|logs|data|rows)\s*"
    r"|(?<!\w)(?:hạch toán|ngày chứng từ|của|tạo|bút toán|hóa đơn|đơn hàng)\s*|日期|创建|入账)$",
    re.I,
)
#: What goes on meanwhile: no object of the rule.
_MEANWHILE = re.compile(
    r"(?:\b(?:while|during|when|over|in)\b|(?<!\w)(?:trong|khi|lúc)(?!\w))[^,;.()（）]*[(（]?\s*$|[(（]\s*$|[^，。；()（）]*期间?[(（]\s*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Days:
    """First and last day, (year, month, day) each; year 0 for every year."""

    first: tuple[int, int, int]
    last: tuple[int, int, int]

    def hold(self, day: date) -> bool:
        at = (day.year, day.month, day.day)
        if self.first[0] and self.last[0]:
            return self.first <= at <= self.last
        begin, end, now = self.first[1:], self.last[1:], at[1:]
        return begin <= now <= end if begin <= end else now >= begin or now <= end


def take_days(text: str) -> tuple[Days | None, str]:
    """The days between which a rule holds, and its text without them and what goes on then; (None, text) for none."""
    for found in _SPAN.finditer(text):
        last, first = _read(found, 2), _read(found, 1)
        if last is None or first is None or _OF_OBJECTS.search(text[: found.start()]):
            continue
        month = first[1] or last[1]
        year = first[0] or (last[0] - ((month, first[2]) > last[1:]) if last[0] else 0)
        if not (1 <= month <= 12 and 1 <= last[1] <= 12 and 1 <= first[2] <= 31 and 1 <= last[2] <= 31):
            continue
        before, after = text[: found.start()], text[found.end() :]
        meanwhile = _MEANWHILE.search(before)
        if meanwhile is not None:
            before = before[: meanwhile.start()]
            after = after.lstrip().removeprefix(")").removeprefix("）")
        return Days((year, month, first[2]), last), before + " " + after
    return None, text


def _read(found: re.Match[str], number: int) -> tuple[int, int, int] | None:
    for form in ("us", "is", "zh", "zd", "vi", "en"):
        day = found[f"d_{form}{number}"]
        if day is None:
            continue
        if form == "zd":  # "12月28日到30日": of the month before it
            first = _read(found, 1) if number == 2 else None
            return (0, first[1], int(day)) if first is not None else None
        month = found[f"m_{form}{number}"]
        named = MONTHS.get((month or "").lower(), int(month) if month and month.isdigit() else 0)
        if not named and (number == 2 or form != "en"):
            return None
        return int(found[f"y_{form}{number}"] or 0), named, int(day)
    return None
