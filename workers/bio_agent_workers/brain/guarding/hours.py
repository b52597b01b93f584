"""Hours and days that a rule names: whether it speaks at a given moment.

"not between 9:00 and 17:00 UTC", 工作时间（越南时间 8:00 到 18:00）, "đừng deploy vào thứ sáu". A rule that names none
speaks always.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from bio_agent_workers.brain.guarding.clock_words import clock_in_digits
from bio_agent_workers.brain.guarding.cues import FORBID
from bio_agent_workers.brain.guarding.date_windows import Days, take_days

_DAY = 24 * 60
#: Hours meant by "working hours" where the rule gives none: 8:00 to 18:00, Monday to Friday.
_OFFICE = (8 * 60, 18 * 60)
_WEEK = frozenset(range(7))
_WORKDAYS = frozenset(range(5))

_WEEKDAY_WORDS = (
    "mondays? 周一 星期一 thứ[ _]hai",
    "tuesdays? 周二 星期二 thứ[ _]ba",
    "wednesdays? 周三 星期三 thứ[ _]tư",
    "thursdays? 周四 星期四 thứ[ _]năm",
    "fridays? 周五 星期五 thứ[ _]sáu",
    "saturdays? 周六 星期六 thứ[ _]bảy",
    "sundays? 周日 周天 星期日 星期天 chủ[ _]nhật",
)
_DAYS = [
    *((re.compile(_any, re.I), frozenset({n})) for n, _any in enumerate(
        "|".join(word if word[0] > "\u2e80" else rf"(?<!\w){word}(?!\w)" for word in line.replace("[ _]", "\0").split())
        .replace("\0", "[ _]")
        for line in _WEEKDAY_WORDS
    )),
    (re.compile(r"\bweekends?\b|周末|(?<!\w)cuối tuần(?!\w)", re.I), frozenset({5, 6})),
    (re.compile(r"\b(?:weekdays|workdays|working days)\b|工作日|(?<!\w)ngày làm việc(?!\w)", re.I), _WORKDAYS),
]  # fmt: skip
_LEAD = r"(?:\b(?:on|at|during|over|every)\s+(?:the\s+)?|(?<!\w)(?:vào|trong)\s+(?:ngày\s+)?|在|每)?"
_CLOCK = r"(\d{{1,2}})(?:[:h点时](\d{{2}})?|\s?giờ(?:\s?(\d{{2}}))?)?\s*(am|pm|sáng|chiều|tối)?"
_A, _B = _CLOCK.format(), _CLOCK.format()
_MARKED = r"\d{1,2}(?:[:h点时]|\s?giờ|\s?[ap]m\b)"
_BETWEEN = re.compile(
    rf"(?:\b(?:between|from)\s+|(?<!\w)(?:từ|giữa)\s+|从|在)?{_A}"
    rf"\s*(?:and|to|until|till|-|–|—|~|đến|tới|và|到|至)\s*(?:hôm sau|次日|第二天|明天)?\s*{_B}(?:\s*之?间|\s*期间)?",
    re.I,
)
_AFTER = re.compile(rf"(?:\b(?:after|past)\s+|(?<!\w)sau\s+){_A}|{_B}\s*(?:之后|以后|后)", re.I)
_BEFORE = re.compile(rf"(?:\bbefore\s+|(?<!\w)trước\s+){_A}|{_B}\s*(?:之前|以前|前)", re.I)
_OFFICE_HOURS = re.compile(
    r"(?:\b(?:during|in|within)\s+)?(?:the\s+)?(?<!'s )(?<!s' )(?<!their )\b(?:working|office|business"
    r"|work) hours\b|工作时间|上班时间|(?<=[^\w])下班时间|^下班时间"
    r"|(?:trong\s+)?giờ (?:làm việc|hành chính)",
    re.I,
)
_NIGHT = re.compile(r"\bat night\b|\bovernight\b|晚上|夜间|(?<!\w)(?:ban đêm|buổi tối)(?!\w)", re.I)
_BY_DAY = re.compile(r"\bduring the day\b|\bby day\b|白天|(?<!\w)ban ngày(?!\w)", re.I)
#: A part of the day beside a day or "in the": the words alone may name a thing ("the morning report").
_EN_PART = r"(?:\b(?:in|during) the |(?<=day )|(?<=days )){}s?\b"
_PARTS = tuple(
    (re.compile(f"{_EN_PART.format(english)}|(?<=[一二三四五六日天末])(?:{han})|(?<!\\w)(?:{said})(?!\\w)", re.I), span)
    for english, han, said, span in (
        ("morning", "上午|早上", "buổi sáng|sáng(?= (?:thứ|chủ))", (6 * 60, 12 * 60)),
        ("afternoon", "下午", "buổi chiều|chiều(?= (?:thứ|chủ))", (12 * 60, 18 * 60)),
        ("evening", "晚上?", "tối(?= (?:thứ|chủ))", (18 * 60, _DAY)),
    )
)
_SHIFT = re.compile(
    r"(?:\b(?:in|during)\s+)?(?:the\s+)?\b(?:morning|day|evening|night|late|early) shift\b|早班|中班|夜班|白班|晚班"
    r"|(?:trong\s+)?(?<!\w)ca (?:sáng|chiều|tối|đêm|ngày)(?!\w)",
    re.I,
)
_WEEKDAY = "|".join(pattern.pattern for pattern, _ in _DAYS[:7])
_ON_DAY = rf"(?:{_A}\s*(?:on\s+|ngày\s+|,\s*)?)?({_WEEKDAY})(?:\s*(?:,|at\b|lúc|的)?\s*{_A})?"
#: "from Friday 15:00 to Monday 08:00", "từ thứ hai đến thứ sáu", 周五15:00到周一8:00.
_OF_WEEK = re.compile(
    rf"(?:\b(?:between|from)\s+|(?<!\w)(?:từ|giữa)\s+|从)?{_ON_DAY}"
    rf"\s*(?:to|until|till|through|-|–|—|~|đến|tới|到|至)\s*(?:hết\s+)?{_ON_DAY}",
    re.I,
)
#: Before the hours in which something is let alone: "only between 9:00 and 20:00"; beside them, the rest of the day.
_ONLY = re.compile(
    r"\bonly\s+(?:be\s+)?(?:[a-z]+(?:ed|en|nt|un)\s+)?$|[只仅](?:能|可以?|许|准|允许)?\s*$|(?<!\w)chỉ(?!\w)(?:(?! mới) \w+){0,5}\s*$",
    re.I,
)
_OTHER_TIMES = re.compile(
    r"\b(?:at|in|during) (?:all |any )?(?:the )?(?:other|remaining) (?:times?|hours)\b|其[他它余]时[间候段]"
    r"|(?<!\w)(?:ngoài giờ (?:đó|này|ấy)|(?:giờ|lúc|thời gian) khác)(?!\w)",
    re.I,
)
#: Fields that say when something is to be done.
_PLANNED = re.compile(
    r"(?i)^(?:(?:send|run|start|execute|deliver|publish|post)_?at|scheduled?(?:_?(?:at|for|time))?|not_before)$"
)
_CLAUSES = re.compile(r"[,.;，。；](?:\s|(?<=[，。；]))")
_ASKED = re.compile(
    r"\b(?:ask|check|approval|permission|never|not|don't)\b|(?<!\w)(?:hỏi|xin phép|đừng|không được|cấm)(?!\w)|[问不禁勿]|批准|同意",
    re.I,
)
_FINE = re.compile(
    r"\b(?:fine|ok|okay|free|freely|no need)\b|(?<!\w)(?:cứ|thì được|thoải mái|không cần)(?!\w)|可以|随便|不用|无需",
    re.I,
)
_OUTSIDE = re.compile(r"(?:\boutside(?: of)?\s+(?:the\s+)?|(?<!\w)ngoài\s+|非\s*)$", re.I)
_ZONE = re.compile(
    r"\b(?:UTC|GMT)\s*(?P<off>[+-]\d{1,2}(?::?\d{2})?)?(?!\w)|越南时间|\b(?:vietnam(?:ese)?|viet nam|hanoi|saigon|ho chi"
    r" minh) time\b|(?<!\w)giờ (?:việt nam|vn|hà nội)(?!\w)|\bICT\b|北京时间|中国时间|\b(?:beijing|china) time\b"
    r"|新加坡时间|\bsingapore time\b|\b(?P<city>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)) (?:local )?time\b"
    r"|\b(?P<iana>(?:Asia|Europe|America|Africa|Australia|Pacific)/[A-Z]\w+)\b",
    re.I,
)
_VIETNAM = re.compile(r"越南|viet|việt|hanoi|hà nội|saigon|ho chi|\bICT\b|vn", re.I)


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of the day [start, end) on some days of the week (Monday is 0); end below start runs past midnight.
    outside: it is the rest of the week that is meant. until: a day of the week; then it is one span from `start` on the
    one day of `days` to `end` on that."""

    start: int = 0
    end: int = _DAY
    days: frozenset[int] = _WEEK
    outside: bool = False
    until: int | None = None

    def holds(self, at: datetime) -> bool:
        """Whether local time `at` lies in the window."""
        minute = at.hour * 60 + at.minute
        if self.until is not None:
            begin = min(self.days) * _DAY + self.start
            lasts = (self.until * _DAY + self.end - begin) % (7 * _DAY)
            inside = (at.weekday() * _DAY + minute - begin) % (7 * _DAY) < lasts
        elif self.start <= self.end:
            inside = at.weekday() in self.days and self.start <= minute < self.end
        else:
            before = (at.weekday() - (minute < self.end)) % 7
            inside = before in self.days and (minute >= self.start or minute < self.end)
        return inside is not self.outside


@dataclass(frozen=True, slots=True)
class Hours:
    """When a rule speaks: in any of its windows, always where it has none. zone: the one it names, else None. rest: its
    text with what was read taken out. days: between which it speaks, None for always."""

    windows: tuple[Window, ...]
    zone: tzinfo | None
    rest: str
    days: Days | None = None


@lru_cache(maxsize=16_384)
def read_hours(text: str) -> Hours:
    """The windows of time that a rule's text names."""
    days, text = take_days(text) if re.search(r"\d", text) else (None, text)
    return replace(_hours(clock_in_digits(text)), days=days)


def _hours(text: str) -> Hours:
    if not re.search(
        r"\d\s*(?:[:h点时ap]|giờ)|hours|day|周|星期|日|晚上|夜|白天|night|weekend|giờ|thứ|tuần|ban ", text, re.I
    ):
        return Hours((), None, text)
    zone_found = _ZONE.search(text)
    zone = _zone(zone_found) if zone_found else None
    rest = re.sub(r"[(（]\s*[)）]", "", _ZONE.sub(" ", text)) if zone_found else text
    span_of_week, days, rest = _take_week(rest)
    if span_of_week is not None:
        return Hours((span_of_week,), zone, rest)
    part = next((span for said, span in _PARTS if said.search(rest)), None)
    for said, _ in _PARTS:
        rest = said.sub(" ", rest)
    for pattern, named in _DAYS:
        lead = re.compile(_LEAD + f"(?:{pattern.pattern})", re.I)
        if pattern.search(rest):
            days |= named
            rest = lead.sub(" ", rest)
    on = days or _WEEK
    spans: list[Window] = []
    for finder, read in ((_BETWEEN, _two), (_AFTER, _from), (_BEFORE, _until)):
        found = finder.search(rest)
        if found is None or not re.search(_MARKED, found.group(), re.I):
            continue
        span = read(found)
        if span is not None:
            outside = bool(_outside(rest[: found.start()], text) or _inverted(rest))
            spans.append(Window(span[0], span[1], on, outside))
            rest = rest[: found.start()] + " " + rest[found.end() :]
            break
    if part is not None and not spans:
        spans.append(Window(*part, on))
    office = _OFFICE_HOURS.search(rest)
    if office is not None and not spans:
        spans.append(Window(*_OFFICE, days or _WORKDAYS, bool(_OUTSIDE.search(rest[: office.start()]))))
    for pattern, (start, end) in ((_NIGHT, (22 * 60, 6 * 60)), (_BY_DAY, (6 * 60, 22 * 60))):
        if not spans and pattern.search(rest):
            spans.append(Window(start, end, on))
        rest = pattern.sub(" ", rest)
    rest = re.sub(
        r"(?:\boutside(?: of)?\s+(?:the\s+)?|(?<!\w)ngoài\s+|非\s*)(?=\s*$|\s*[,.;，。])",
        " ",
        _OFFICE_HOURS.sub(" ", rest),
    )
    if spans:
        rest = _SHIFT.sub(" ", rest)
    if not spans and days:
        spans.append(Window(0, _DAY, days))
    return Hours(tuple(spans), zone, rest)


def planned_at(fields: Mapping[str, str], now: datetime, zone: tzinfo = UTC) -> datetime:
    """When a call's act is to happen: a later moment that a field such as `send_at` gives (ISO 8601), else `now`."""
    for key, value in fields.items():
        if not _PLANNED.match(key):
            continue
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            continue
        at = at if at.tzinfo is not None else at.replace(tzinfo=zone)
        if at > now and "T" in value.upper().replace(" ", "T"):
            return at
    return now


def _outside(before: str, text: str) -> bool:
    """Whether a rule speaks of all hours but those behind `before`."""
    if _OUTSIDE.search(before) or _ONLY.search(before):
        return True
    # "…; ask me at other times" is no "…; at other times it is fine".
    others = [clause for clause in _CLAUSES.split(text) if _OTHER_TIMES.search(clause)]
    return FORBID.search(before) is None and any(_ASKED.search(one) and not _FINE.search(one) for one in others)


def _take_week(text: str) -> tuple[Window | None, frozenset[int], str]:
    """The span of a week that a text names with hours; else the days of one without, and the text without what was read."""
    found = _OF_WEEK.search(text)
    if found is None:
        return None, frozenset(), text
    g, before = found.groups(), text[: found.start()]
    rest = before + " " + text[found.end() :]
    first, last = (next(n for n, (day, _) in enumerate(_DAYS) if day.fullmatch(g[at])) for at in (4, 13))
    start, end = (
        _minute(*(g[at : at + 4] if g[at] else g[at + 5 : at + 9])) if g[at] or g[at + 5] else None for at in (0, 9)
    )
    if start is None and end is None:
        return None, frozenset((first + n) % 7 for n in range((last - first) % 7 + 1)), rest
    if start is None or end is None:  # "from Friday 15:00 to Monday": to its beginning
        start, end = start or 0, end or 0
    return Window(start, end, frozenset({first}), _outside(before, text), last), frozenset(), rest


def in_hours(text: str, now: datetime, zone: tzinfo = UTC) -> bool:
    """Whether a rule speaks at `now` (aware). zone: the tenant's, for a rule that names none."""
    hours = read_hours(text)
    local = now.astimezone(hours.zone or zone)
    if hours.days is not None and not hours.days.hold(local.date()):
        return False
    if not hours.windows:
        return True
    return any(window.holds(local) for window in hours.windows)


def _inverted(text: str) -> bool:
    found = _OFFICE_HOURS.search(text)
    return found is not None and _OUTSIDE.search(text[: found.start()]) is not None


@cache
def _cities() -> dict[str, tzinfo]:
    """The time zones that are called by a city, by its name."""
    names = (name for name in sorted(available_timezones()) if name.count("/") == 1 and not name.startswith("Etc/"))
    return {name.rsplit("/", 1)[1].casefold(): ZoneInfo(name) for name in names}


def _zone(found: re.Match[str]) -> tzinfo | None:
    said, offset, iana = found.group(), found["off"], found["iana"]
    if found["city"]:
        return _cities().get(found["city"].casefold().replace(" ", "_"))
    if iana:
        try:
            return ZoneInfo(iana)
        except (KeyError, ValueError, OSError):
            return None
    if offset:
        hours, _, minutes = offset.lstrip("+-").partition(":")
        if not minutes and len(hours) > 2:
            hours, minutes = hours[:-2], hours[-2:]
        delta = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(-delta if offset[0] == "-" else delta) if delta < timedelta(hours=24) else None
    if said[:3].upper() in ("UTC", "GMT"):
        return UTC
    # Neither Viet Nam nor China nor Singapore has summer time.
    return timezone(timedelta(hours=7 if _VIETNAM.search(said) else 8))


def _minute(hour: str | None, *rest: str | None) -> int | None:
    """Minutes since midnight of (hour, minutes, minutes in the Vietnamese form, part of the day)."""
    if hour is None:
        return None
    half = (rest[2] or "").lower()
    at = int(hour)
    if half in ("pm", "chiều", "tối") and at < 12:
        at += 12
    if half in ("am", "sáng") and at == 12:
        at = 0
    minutes = int(rest[0] or rest[1] or 0)
    return at * 60 + minutes if at <= 24 and minutes < 60 else None


def _two(found: re.Match[str]) -> tuple[int, int] | None:
    g = found.groups()
    start, end = _minute(*g[:4]), _minute(*g[4:])
    if start is None or end is None:
        return None
    if g[7] and not g[3] and g[7].lower() == "pm" and start + 720 < end:
        start += 720  # "1-5 pm"
    return start, end


def _from(found: re.Match[str]) -> tuple[int, int] | None:
    g = found.groups()
    at = _minute(*(g[:4] if g[0] else g[4:]))
    return None if at is None else (at, _DAY)


def _until(found: re.Match[str]) -> tuple[int, int] | None:
    g = found.groups()
    at = _minute(*(g[:4] if g[0] else g[4:]))
    return None if at is None else (0, at)
