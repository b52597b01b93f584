"""Quantities of a rule with their role, and times of day as windows: what it measures, and which way the limit goes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from bio_agent_workers.brain import quantities
from bio_agent_workers.brain.relations import vocabulary
from bio_agent_workers.brain.relations.concepts import Item
from bio_agent_workers.brain.relations.rule_words import stem

Role = str  # "exact" | "max" | "min" | "over" | "under" | "each"

_SECONDS = {"ms": "0.001", "s": "1", "min": "60", "h": "3600", "day": "86400", "week": "604800", "month": "2592000",
            "year": "31536000"}  # fmt: skip
_SCALED = {
    **{unit: ("duration", Decimal(factor)) for unit, factor in _SECONDS.items()},
    "g": ("mass", Decimal(1)), "kg": ("mass", Decimal(1000)),
    "mm": ("length", Decimal(1)), "cm": ("length", Decimal(10)), "m": ("length", Decimal(1000)),
    "ml": ("volume", Decimal(1)), "l": ("volume", Decimal(1000)),
    "byte": ("bytes", Decimal(1)), "kb": ("bytes", Decimal(1024)), "mb": ("bytes", Decimal(1024**2)),
    "gb": ("bytes", Decimal(1024**3)),
}  # fmt: skip
_DIMENSIONS = {d for d, _ in _SCALED.values()} | quantities.KNOWN_UNITS | {"monthday", "version", "ratio"}
_MAX = re.compile(
    r"(?:at most|no(?:t)? more than|not exceed|must not exceed|never exceed|up to|maximum(?: of)?|max|within|as much as"
    r"|as many as|limited to|capped at|no longer than|最多|不得?超过|至多|上限(?:为|是)?|限|tối đa|không quá|tới|trong vòng"
    r"|không vượt(?: quá)?)\W*(?:\w+ )?$"
)
_MIN = re.compile(
    r"(?:at least|no(?:t)? (?:less|fewer) than|minimum(?: of)?|min|至少|不少于|不低于|最少|起码|ít nhất|tối thiểu|không dưới)\W*$"
)
_OVER = re.compile(
    r"(?:above|over|more than|heavier than|exceeding|exceeds?|beyond|older than|longer than|larger than|>|超过|大于|高于|满|trên|quá|hơn"
    r"|vượt)\W*(?:\w+ )?$"
)
_UNDER = re.compile(
    r"(?:under|below|less than|fewer than|smaller than|<|低于|小于|不足|少于|未满|dưới|ít hơn|chưa tới)\W*(?:\w+ )?$"
)
_MAX_AFTER = re.compile(r"^ ?(?:以内|之内|内|max\b|or less|at most)")
_UNDER_AFTER = re.compile(r"^ ?(?:以下)")
_OVER_AFTER = re.compile(r"^ ?(?:以上|or more)")
_TIME_BEFORE = re.compile(
    r"(?:\b(?:deadline|due)\b[^,.;]{0,30}|(?:截止|期限)[^，。]{0,6}|\bhạn\b[^,.;]{0,30}"
    r"|\b(?:before|by|until|till|no later than|prior to|earlier than)|\b(?:trước|đến|tới))\W*$"
)
_TIME_BEFORE_AFTER = re.compile(r"^ ?(?:之?以?前|止)")
_TIME_AFTER = re.compile(r"(?:\b(?:after|from|since|past|starting(?: at)?|later than)|\b(?:sau|từ)|从|自)\W*$")
_TIME_AFTER_AFTER = re.compile(r"^ ?(?:之?以?后|起|开始)")
_RANGE_JOIN = re.compile(r" ?(?:and|to|-|–|~|到|至|đến|tới) ?")
_TIME_TO = re.compile(r"^ ?(?:to|until|till|and|-|–|~|到|至|đến|tới|-)\W*$")
MONTHDAY = re.compile(
    r"\b(?P<en>[1-3]?\d)(?:st|nd|rd|th)\b|(?:每月|当月|次月|月)\s?(?P<zh>[1-3]?\d) ?[日号]|(?<!\d)(?P<zh2>[1-3]?\d) ?号"
    r"|\bngày (?P<vi>[1-3]?\d)\b(?!/)"
)
LAST_DAY = re.compile(
    r"\blast (?:working |business )?day of (?:the|each|every) month|月末|月底|每月最后一(?:个工作|个?)?[日天]|最后一个工作日"
    r"|cuối tháng|ngày (?:làm việc )?cuối(?: cùng)?(?: của)? tháng"
)
FIRST_DAY = re.compile(
    r"\b(?:first day|start|beginning) of (?:the|each|every) month|月初|每月第一天|\bđầu (?:mỗi )?tháng|ngày đầu(?: tiên)?(?: của)? tháng"
)
# Durations without a number: 当天, "a full year", "trong ngày".
_SPELT_DURATION = re.compile(
    r"(?P<day>\bsame[- ]day\b|\b(?:within|on) the (?:same )?day\b|当天|当日|即日|\btrong ngày\b)"
    r"|(?<!once )(?<!twice )(?<!times )(?<!per )\b(?:an?|one) (?:full |whole |entire |business |working )?"
    r"(?P<en>second|minute|hour|day|week|month|year)\b(?! \d)"
    r"|(?P<quarter>\ba quarter of an hour\b|一刻钟|\bmười lăm phút\b)"
    r"|(?P<half>半)(?:个)?(?P<zh>小时|天|年|月)|\bnửa (?P<vi>giờ|ngày|tháng|năm)\b|\bhalf (?:an? )?(?P<en2>hour|day|year)\b"
)
_SPELT_SECONDS = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 2592000, "year": 31536000,
    "小时": 3600, "天": 86400, "月": 2592000, "年": 31536000,
    "giờ": 3600, "ngày": 86400, "tháng": 2592000, "năm": 31536000,
}  # fmt: skip
# Units that follow a bare number, by how they begin: dimension and factor.
_MORE_UNITS = tuple(
    (re.compile(pattern), (dimension, Decimal(factor)))
    for pattern, dimension, factor in (
        (r" ?(?:t|tons?|tonnes?|tấn)\b| ?吨", "mass", 1_000_000),
        (r" ?(?:kilograms?|kgs|ký|kí)\b", "mass", 1000),
        (r" ?(?:km/h|kph|kmh)\b| ?(?:公里|千米)每小时", "km/h", 1),
        (r" ?(?:km|kilomet(?:er|re)s?|cây số)\b| ?(?:公里|千米)", "length", 1_000_000),
        (r" ?(?:rpm|vòng/phút|revolutions)\b| ?转", "rpm", 1),
        (r" ?(?:tb|tib)\b", "bytes", 1024**4),
        (r" ?(?:weeks?)\b", "duration", 604800),
        (r" ?(?:kw|kilowatts?)\b| ?千瓦", "watt", 1000),
        (r" ?(?:pages?|trang)\b| ?页", "page", 1),
        (r" ?(?:pieces?|pcs|units?|cái|chiếc)\b| ?[件个只台](?![月人])", "piece", 1),
    )
)
_MONTHDAY_MORE = re.compile(r"\b(?:ngày )?mùng (?P<day>\d{1,2})\b")
_VI_COUNT = re.compile(r"\b(?P<n>một|hai|ba|bốn|sáu|bảy|tám|chín|mười) (?=[a-zà-ỹđ])")
_VI_NUMBER = {
    w: str(i) for i, w in enumerate(("không", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín", "mười"))
}
_VI_COUNTED = re.compile(
    r"(?:ít nhất|tối thiểu|tối đa|không quá|chỉ(?: cần)?(?: lấy| có)?|đủ|phải có|cần(?: có)?|có|bằng|trong|sau|trước|gồm|lấy) $"
)
_SAID_HOUR = re.compile(
    r"\b(?P<hour>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})(?: o'clock)?"
    r" (?:in the (?P<part>morning|afternoon|evening)|at (?P<night>night))\b"
)
_HOURS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WINDOWS: tuple[tuple[re.Pattern[str], tuple[int, int]], ...] = tuple(
    (re.compile(pattern), window)
    for pattern, window in (
        (r"\b(?:office|business|working) hours\b|办公时间|上班时间|工作时间|giờ hành chính|giờ làm việc", (480, 1080)),
        (r"\b(?:at|by|only at|overnight|during the) night\b|夜间|夜里|深夜|ban đêm|đêm khuya", (1200, 1440)),
        (r"\b(?:in the |every |each |this )?mornings?\b|早上|上午|早晨|清晨|buổi sáng|sáng sớm|\bsáng\b", (300, 720)),
        (r"\bat dawn\b|凌晨|rạng sáng|lúc bình minh", (240, 420)),
        (r"\b(?:at|before|until) sunrise\b|日出|lúc mặt trời mọc", (300, 420)),
        (r"\b(?:at|after|until) sunset\b|日落|hoàng hôn", (1080, 1200)),
        (r"\b(?:in the |every |each )?afternoons?\b|下午|buổi chiều|\bchiều\b", (720, 1080)),
        (r"\b(?:in the |every |each )?evenings?\b|晚上|傍晚|buổi tối|\btối\b(?! đa| thiểu)", (1080, 1380)),
    )
)  # fmt: skip
_RANGE_AT = re.compile(
    r"\b(?:between|from) (\d{1,2}) (?:and|until|to|till) (\d{1,2})(?: o'clock)?"
    r"(?: (?:in the (morning|afternoon|evening)|at (night)|([ap])\.?m))?"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    dimension: str
    value: str
    role: Role

    @property
    def scaled(self) -> bool:
        """Whether it has a unit of measure; a count of things or a number of a name has none."""
        return bool(self.dimension) and not self.dimension.startswith("#") and self.dimension in _DIMENSIONS

    @property
    def number(self) -> Decimal | None:
        try:
            return Decimal(self.value)
        except ArithmeticError:
            return None


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of the day [start, end); start = end is a point in time. named: read from a word such as "evening"."""

    start: int
    end: int
    named: bool = False


def time_of_day(phrase: str) -> bool:
    """Whether a phrase names a part of the day: morning, 夜间, buổi tối."""
    return any(pattern.search(phrase) for pattern, _ in _WINDOWS)


def find(text: str, folded: str, items: tuple[Item, ...]) -> tuple[tuple[Quantity, ...], tuple[Window, ...]]:
    out: list[Quantity] = []
    windows: list[Window] = []
    taken: list[tuple[int, int]] = []
    spans: list[tuple[tuple[int, int, str, str], Quantity]] = []
    for m in MONTHDAY.finditer(folded):
        day = m["en"] or m["zh"] or m["zh2"] or m["vi"]
        if 1 <= int(day) <= 31:
            out.append(Quantity("monthday", day, "exact"))
            taken.append(m.span())
    for m in _MONTHDAY_MORE.finditer(folded):
        out.append(Quantity("monthday", m["day"], "exact"))
        taken.append(m.span())
    for m in FIRST_DAY.finditer(folded):
        out.append(Quantity("monthday", "1", "exact"))
        taken.append(m.span())
    for m in LAST_DAY.finditer(folded):
        out.append(Quantity("monthday", "31", "exact"))
        taken.append(m.span())
    clocks: list[tuple[int, int, int]] = []
    for m in _SAID_HOUR.finditer(folded):
        hour = int(m["hour"]) if m["hour"].isdigit() else _HOURS.index(m["hour"])
        late = m["part"] in ("afternoon", "evening") or bool(m["night"])
        if hour <= 12:
            clocks.append((*m.span(), (hour % 12 + 12 * late) * 60))
            taken.append(m.span())
    for start, end, value, unit in quantities.spans(text):
        if any(s < end and start < e for s, e in taken):
            continue
        before, after = folded[max(0, start - 28) : start], folded[end : end + 12]
        if unit == "clock":
            clocks.append((start, end, int(value[:2]) * 60 + int(value[3:])))
            continue
        if unit in ("date", "weekday"):
            continue
        if (value, unit) == ("1", "time"):
            continue  # "once" says nothing that the words around it do not
        role = _role(before, after)
        out.append(_quantity(value, unit, role, items, start, folded[end : end + 16]))
        if spans and (whole := _compound(spans[-1], (start, out[-1]), folded)):
            out[-2:] = [whole]
            spans[-1] = ((spans[-1][0][0], end, whole.value, unit), whole)
            continue
        spans.append(((start, end, value, unit), out[-1]))
    taken += [(s[0][0], s[0][1]) for s in spans]
    for m in _SPELT_DURATION.finditer(folded):
        if any(s < m.end() and m.start() < e for s, e in taken):
            continue
        name = m["en"] or m["zh"] or m["vi"] or m["en2"]
        seconds = Decimal(_SPELT_SECONDS[name] if name else 900 if m["quarter"] else 86400)
        seconds /= 1 if m["en"] or m["day"] or m["quarter"] else 2
        role = _role(folded[max(0, m.start() - 28) : m.start()], folded[m.end() : m.end() + 12])
        out.append(Quantity("duration", format(seconds.normalize(), "f"), "max" if m["day"] else role))
    for m in _VI_COUNT.finditer(folded):
        before = folded[max(0, m.start() - 28) : m.start()]
        if _VI_COUNTED.search(before) and not any(s < m.end() and m.start() < e for s, e in taken):
            out.append(_quantity(_VI_NUMBER[m["n"]], "", _role(before, ""), items, m.start()))
    for i in range(len(spans) - 1):
        (first, x), (second, y) = spans[i], spans[i + 1]
        joined = _RANGE_JOIN.fullmatch(folded[first[1] : second[0]])
        if (
            joined
            and y.scaled
            and (x.dimension == y.dimension or not x.scaled)
            and {x.role, y.role} <= {"exact", "max"}
        ):
            unit = second[3]
            more = folded[second[1] : second[1] + 16]
            out[out.index(x)] = _quantity(first[2], unit, "low", items, first[0], more)
            out[out.index(y)] = _quantity(second[2], unit, "high", items, second[0], more)
    windows += _windows(folded, clocks)
    return tuple(out), tuple(windows)


def _role(before: str, after: str) -> Role:
    if _MAX.search(before) or _MAX_AFTER.match(after):
        return "max"
    if _MIN.search(before):
        return "min"
    if _OVER.search(before) or _OVER_AFTER.match(after):
        return "over"
    if _UNDER.search(before) or _UNDER_AFTER.match(after):
        return "under"
    return "exact"


def _compound(
    first: tuple[tuple[int, int, str, str], Quantity], second: tuple[int, Quantity], folded: str
) -> Quantity | None:
    """ "3 minutes 20 seconds": two parts of one length of time as their sum."""
    (_, end, _, unit), x = first
    start, y = second
    gap = folded[end:start].strip()
    if gap in ("", "and", "零", "và") and x.dimension == y.dimension == "duration" and x.number and y.number:
        if unit in _SCALED and y.number < _SCALED[unit][1]:
            return Quantity("duration", format((x.number + y.number).normalize(), "f"), x.role)
    return None


def _quantity(value: str, unit: str, role: Role, items: tuple[Item, ...], start: int, after: str = "") -> Quantity:
    for pattern, (dimension, factor) in (
        _MORE_UNITS if unit not in _SCALED and unit not in quantities.KNOWN_UNITS else ()
    ):
        if pattern.match(after) or (unit and pattern.fullmatch(unit)):
            try:
                return Quantity(dimension, format((Decimal(value) * factor).normalize(), "f"), role)
            except ArithmeticError:
                return Quantity(dimension, value, role)
    if unit in _SCALED:
        dimension, factor = _SCALED[unit]
        try:
            return Quantity(dimension, format((Decimal(value) * factor).normalize(), "f"), role)
        except ArithmeticError:
            return Quantity(dimension, value, role)
    if unit == "column":
        return Quantity("#line_length", value, role)
    if unit in quantities.KNOWN_UNITS or unit in ("version", "ratio"):
        return Quantity("person" if unit == "approver" else unit, value, role)
    # A bare number counts what follows it ("three signatures"), else belongs to the name before it ("port 8080").
    index = next((i for i, item in enumerate(items) if item.kind == "value" and item.at == start), None)
    if index is not None:
        for item in items[index + 1 : index + 2]:
            if item.kind == "concept" and item.name and item.weight >= 1.0:
                return Quantity(f"#{item.name}", value, role)
    named = vocabulary.named(unit) if unit else ""
    return Quantity(f"#{named}" if named else stem(unit) if unit else "", value, role)


def _windows(folded: str, clocks: list[tuple[int, int, int]]) -> list[Window]:
    out: list[Window] = []
    i = 0
    while i < len(clocks):
        start, end, minute = clocks[i]
        before, after = folded[max(0, start - 36) : start], folded[end : end + 6]
        if i + 1 < len(clocks) and _TIME_TO.match(folded[end : clocks[i + 1][0]]):
            out.append(Window(minute, clocks[i + 1][2]))
            i += 2
            continue
        if _TIME_BEFORE_AFTER.match(after) or _TIME_BEFORE.search(before):
            out.append(Window(0, minute))
        elif _TIME_AFTER_AFTER.match(after) or _TIME_AFTER.search(before):
            out.append(Window(minute, 1440))
        else:
            out.append(Window(minute, minute))
        i += 1
    if not clocks:
        if m := _RANGE_AT.search(folded):
            shift = 720 if m[3] in ("afternoon", "evening") or m[4] or m[5] == "p" else 0
            if m[3] or m[4] or m[5]:
                out.append(Window(int(m[1]) * 60 + shift, int(m[2]) * 60 + shift))
        if not out:
            named = [Window(*window, named=True) for pattern, window in _WINDOWS if pattern.search(folded)]
            out += named
    return out
