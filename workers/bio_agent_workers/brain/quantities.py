"""Numbers with units, times, dates, weekdays and versions in English, Chinese and Vietnamese, in one form.

1.000.000 đồng = 1,000,000 VND; 17:00 = 5pm = 下午五点 = 5 giờ chiều; 10% = 10 phần trăm; v1.2.3 = version 1.2.3.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from bio_agent_workers.brain.wordlists import word_list

_UNITS: dict[str, str] = {
    alias: unit
    for unit, aliases in {
        "%": "% percent pct 百分 phần_trăm",
        "ms": "ms millisecond milliseconds 毫秒 mili_giây",
        "s": "s sec secs second seconds 秒 秒钟 giây",
        "min": "min mins minute minutes 分钟 phút",
        "h": "h hr hrs hour hours 小时 个小时 tiếng giờ",
        "day": "day days 天 日 ngày",
        "week": "week weeks 周 个星期 星期 tuần",
        "month": "month months 个月 月 tháng",
        "year": "year years 年 năm",
        "usd": "usd $ dollar dollars 美元 đô",
        "eur": "eur € euro euros 欧元",
        "cny": "cny rmb ¥ yuan 元 块 人民币",
        "vnd": "vnd vnđ đồng đ dong",
        "byte": "byte bytes 字节",
        "kb": "kb kib",
        "mb": "mb mib",
        "gb": "gb gib",
        "n": "n newton newtons",
        "mm": "mm",
        "cm": "cm",
        "m": "metre metres meter meters 米 mét",
        "kg": "kg kilo kilos 公斤 千克 cân",
        "g": "g gram grams 克",
        "ml": "ml 毫升",
        "l": "litre litres liter liters 升 lít",
        "kpa": "kpa",
        "mm/s": "mm/s",
        "deg/s": "deg/s",
        "c": "°c degc degree degrees celsius 摄氏度 度 độ",
        "space": "space spaces 空格 个空格 dấu_cách",
        "line": "line lines 行 dòng",
        "row": "row rows",
        "column": "column columns col cols 列 cột",
        "char": "character characters char chars 字符 ký_tự",
        "time": "times 次 lần",
        "person": "person people persons 人 个人 người",
        "approver": "approver approvers approval approvals reviewer reviewers",
        "layer": "layer layers 层 tầng",
        "signature": "signature signatures chữ_ký",
        "file": "file files 文件 个文件 tệp",
    }.items()
    for alias in aliases.split()
}
_WEEKDAYS: dict[str, str] = {
    alias: day
    for day, aliases in {
        "mon": "monday mondays 周一 星期一 礼拜一 thứ_hai thứ_2",
        "tue": "tuesday tuesdays 周二 星期二 礼拜二 thứ_ba thứ_3",
        "wed": "wednesday wednesdays 周三 星期三 礼拜三 thứ_tư thứ_4",
        "thu": "thursday thursdays 周四 星期四 礼拜四 thứ_năm thứ_5",
        "fri": "friday fridays 周五 星期五 礼拜五 thứ_sáu thứ_6",
        "sat": "saturday saturdays 周六 星期六 礼拜六 thứ_bảy thứ_7",
        "sun": "sunday sundays 周日 周天 星期日 星期天 礼拜天 chủ_nhật",
    }.items()
    for alias in aliases.split()
}
_MONTHS = {
    name: i + 1
    for i, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ]
    )
    for name in names.split()
}
_EN_SMALL = {
    w: i
    for i, w in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen"
            " eighteen nineteen"
        )
    )
}
_EN_TENS = {w: 10 * (i + 2) for i, w in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"))}
_VI_SMALL = {
    w: i for i, w in enumerate(word_list("không một hai ba bốn năm sáu bảy tám chín mười")) if w not in {"không", "năm"}
}
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ZH_NUM = "零〇一二两三四五六七八九十百千万亿"
_SCALES = {
    "k": 1e3, "thousand": 1e3, "nghìn": 1e3, "ngàn": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "triệu": 1e6, "tr": 1e6,
    "bn": 1e9, "billion": 1e9, "tỷ": 1e9, "tỉ": 1e9, "百": 1e2, "千": 1e3, "万": 1e4, "亿": 1e8,
}  # fmt: skip

KNOWN_UNITS = frozenset(_UNITS.values())
# After these words Vietnamese "giờ" counts hours instead of naming one: mỗi 24 giờ, trong vòng 8 giờ.
_VI_SPAN_BEFORE = re.compile(r"\b(?:mỗi|cứ|trong(?: vòng)?|suốt|kéo dài|quá|hơn|đủ|tối đa|ít nhất|sau mỗi|được|dài) $")

_UNIT_ALT = "|".join(sorted((re.escape(u).replace("_", r"[ _]") for u in _UNITS), key=len, reverse=True))
_WEEKDAY_ALT = "|".join(sorted((re.escape(w).replace("_", r"[ _]") for w in _WEEKDAYS), key=len, reverse=True))
_MONTH_ALT = "|".join(sorted(_MONTHS, key=len, reverse=True))
_EN_NUM = "|".join([*_EN_TENS, *sorted(_EN_SMALL, key=len, reverse=True)])
_DAYPART = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"

_DATE = re.compile(
    rf"\b(?P<y1>(?:19|20)\d\d)[-/.](?P<m1>\d\d?)[-/.](?P<d1>\d\d?)\b"
    rf"|\b(?P<d2>\d\d?)[/.](?P<m2>\d\d?)[/.](?P<y2>(?:19|20)\d\d)\b"
    rf"|(?P<y3>(?:19|20)\d\d) ?年 ?(?P<m3>\d\d?) ?月(?: ?(?P<d3>\d\d?) ?[日号])?"
    rf"|\b(?:(?P<d4>\d\d?)(?:st|nd|rd|th)? )?(?P<n4>{_MONTH_ALT})\.?,? (?P<y4>(?:19|20)\d\d)\b"
    rf"|\b(?P<n5>{_MONTH_ALT}) (?P<d5>\d\d?),? (?P<y5>(?:19|20)\d\d)\b"
    rf"|\btháng (?P<m6>\d\d?)(?:/| năm )(?P<y6>(?:19|20)\d\d)\b"
)
_TIME = re.compile(
    rf"\b(?P<h1>[01]?\d|2[0-4])[:h](?P<m1>[0-5]\d)(?!\d)(?: ?(?P<p1>[ap]\.?m\b\.?))?"
    rf"|\b(?P<h2>1[0-2]|0?[1-9]) ?(?P<p2>[ap]\.?m\b\.?)"
    rf"|(?P<q3>{_DAYPART})? ?(?P<h3>\d\d?|[{_ZH_NUM}]{{1,3}}) ?[点點](?:(?P<half3>半)|(?P<m3>\d\d?"
    rf"|[{_ZH_NUM}]{{1,3}}) ?分?)?钟?"
    rf"|\b(?P<h4>\d\d?) ?(?:giờ|h)(?: ?(?P<m4>[0-5]\d|rưỡi))?(?![\w:])(?: (?P<p4>sáng|trưa|chiều|tối|đêm))?"
    rf"|\b(?P<h5>1[0-2]|[1-9]) ?o'clock\b|\b(?P<word>noon|midnight)\b|(?P<half>正午|中午12点)"
)
_VERSION = re.compile(r"\bv(?P<a>\d+(?:\.\d+)*)\b|(?<![\d.])\b(?P<b>\d+\.\d+\.\d+(?:[-+.][\w.]+)?)\b(?!\.\d{3})")
_RATIO = re.compile(r"(?<![\d:])(?P<a>\d+(?:\.\d+)?) ?[:：] ?(?P<b>\d+(?:\.\d+)?)(?![\d:])")
# A Chinese numeral starts with a digit or ten, and is none in 一旦, 统一, 万一, 十分(重要), 三分之一.
_ZH_RUN = rf"(?<![统唯专])(?!一[旦般直定切些样起律概]|十分(?!钟))[零〇一二两三四五六七八九十半][{_ZH_NUM}]*(?!分之)"
# A Vietnamese numeral after one of these counts whatever follows: chỉ cần hai bản sao.
_VI_COUNTED = "|".join(
    f"(?<= {w} )" for w in ("có", "cần", "chạy", "đủ", "giữ", "đặt", "với", "là", "tối đa", "tối thiểu", "ít nhất")
)
_NUMBER = re.compile(
    rf"(?:(?<![\w.])|(?<=[\u4e00-\u9fff]))(?P<sign>[-−](?=\d)|零下 ?|âm )?(?P<cur>[$€¥] ?)?"
    rf"(?P<num>\d{{1,3}}(?:[.,]\d{{3}})+(?:[.,]\d{{1,2}})?(?!\d)|\d+(?:[.,]\d+)?|\b(?:{_EN_NUM})(?:-(?:{_EN_NUM}))?\b(?!-(?!(?:{_UNIT_ALT})\b)[a-z])"
    rf"|\b(?:{'|'.join(_VI_SMALL)})\b(?= (?:{_UNIT_ALT}|triệu|nghìn|tỷ|phần)(?!\w))"
    rf"|(?:{_VI_COUNTED})(?:{'|'.join(_VI_SMALL)})\b(?= [^\W\d])|{_ZH_RUN}(?:点[{_ZH_NUM}]+)?)"
    rf"(?P<scale> ?(?:thousand|million|billion|nghìn|ngàn|triệu|tỷ|tỉ|[千百万亿]|k\b|bn\b))?"
    rf"(?:[ -]?(?:business |working |calendar |个工作)?(?P<unit>{_UNIT_ALT})(?![a-zà-ỹđ]))?",
)
_WEEKDAY = re.compile(rf"(?<!\w)(?:{_WEEKDAY_ALT})(?![a-zà-ỹđ\d])|(?<=[\u4e00-\u9fff])(?:{_WEEKDAY_ALT})")
_NAME_BEFORE = re.compile(r"([a-z][a-z_+.-]*)[ :=]{1,2}$")
_NOT_NAMES = frozenset(
    word_list(
        "a an the past to of in on at by than over above under below within about least most every each any no not up"
        " and or for"
        " with is are be from until after before per only exceed exceeds up-to between through till into as"
    )
)


def _zh_number(text: str) -> float | None:
    if text == "半":
        return 0.5
    if "点" in text:
        whole, _, frac = text.partition("点")
        base = _zh_number(whole)
        return None if base is None else base + float("0." + "".join(str(_ZH_DIGITS.get(c, 0)) for c in frac))
    if all(c in _ZH_DIGITS for c in text):
        return float("".join(str(_ZH_DIGITS[c]) for c in text))
    total, section, digit = 0.0, 0.0, 0.0
    for c in text:
        if c in _ZH_DIGITS:
            digit = _ZH_DIGITS[c]
        elif c in "十百千":
            section += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[c]
            digit = 0
        else:
            total = (total + section + digit or 1) * {"万": 1e4, "亿": 1e8}[c]
            section = digit = 0
    return total + section + digit


def _word_number(text: str) -> float | None:
    parts = text.split("-")
    if len(parts) == 2 and parts[0] in _EN_TENS:
        return _EN_TENS[parts[0]] + _EN_SMALL.get(parts[1], 0)
    known = _EN_SMALL | _EN_TENS | _VI_SMALL
    return float(known[text]) if text in known else None


def _digits(text: str, comma_decimal: bool) -> Decimal:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text) and not (comma_decimal and text.count(",") == 1):
        return Decimal(text.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", text) and (comma_decimal or text.count(".") > 1 or "," in text):
        return Decimal(text.replace(".", "").replace(",", "."))
    return Decimal(text.replace(",", "."))


def _number(raw: str, comma_decimal: bool) -> Decimal | None:
    if raw[0].isdigit():
        return _digits(raw, comma_decimal)
    read = _word_number(raw) if raw.isascii() or raw in _VI_SMALL else _zh_number(raw)
    return None if read is None else Decimal(str(read))


def _show(number: Decimal) -> str:
    return format(number.normalize(), "f")


def _clock(hour: float | None, minute: float, part: str) -> str | None:
    if hour is None or hour > 24:
        return None
    h = int(hour)
    if part.startswith("p") or part in {"下午", "傍晚", "晚上", "夜里", "chiều", "tối", "đêm"}:
        h = h + 12 if h < 12 else h
    elif part.startswith("a") or part in {"凌晨", "sáng"}:
        h = 0 if h == 12 else h
    return f"{h % 24:02d}:{int(minute):02d}"


def _time_of(m: re.Match[str]) -> str | None:
    if m["word"] or m["half"]:
        return "00:00" if m["word"] == "midnight" else "12:00"
    if m["h1"]:
        return _clock(float(m["h1"]), float(m["m1"]), m["p1"] or "")
    if m["h2"]:
        return _clock(float(m["h2"]), 0, m["p2"])
    if m["h3"]:
        hour = float(m["h3"]) if m["h3"].isdigit() else _zh_number(m["h3"])
        minute = m["m3"]
        read = 0.0 if not minute else float(minute) if minute.isdigit() else (_zh_number(minute) or 0.0)
        return _clock(hour, 30 if m["half3"] else read, m["q3"] or "")
    if m["h5"]:
        return _clock(float(m["h5"]), 0, "")
    minute = m["m4"] or "0"
    return _clock(float(m["h4"]), 30 if minute == "rưỡi" else float(minute), m["p4"] or "")


def _date_of(m: re.Match[str]) -> str:
    g = m.groupdict()
    for i in "123456":
        year = g.get(f"y{i}")
        if year:
            name = g.get(f"n{i}")
            month = _MONTHS[name] if name else int(g[f"m{i}"] or 0)
            day = g.get(f"d{i}")
            return f"{year}-{month:02d}" + (f"-{int(day):02d}" if day else "")
    return m[0]


@lru_cache(maxsize=4096)
def spans(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """(start, end, value, unit) of each quantity, in order, with positions in the folded text (`folded`)."""
    s = folded(text)
    comma_decimal = bool(re.search("[ăđơưạảấầếềệộợụứừự]", s))
    taken = [False] * len(s)
    out: list[tuple[int, int, str, str]] = []

    def take(start: int, end: int, value: str | None, unit: str) -> None:
        if value is None or any(taken[start:end]):
            return
        taken[start:end] = [True] * (end - start)
        out.append((start, end, value, unit))

    for m in _DATE.finditer(s):
        take(m.start(), m.end(), _date_of(m), "date")
    for m in _WEEKDAY.finditer(s):
        take(m.start(), m.end(), _WEEKDAYS[m[0].replace(" ", "_")], "weekday")
    for m in _TIME.finditer(s):
        if m["h4"] and not m["p4"] and _VI_SPAN_BEFORE.search(s[: m.start()]):
            continue
        take(m.start(), m.end(), _time_of(m), "clock")
    for m in _VERSION.finditer(s):
        if not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", m[0]):
            take(m.start(), m.end(), m["a"] or m["b"], "version")
    for m in _RATIO.finditer(s):
        take(m.start(), m.end(), f"{m['a']}:{m['b']}", "ratio")
    for m in _NUMBER.finditer(s):
        if any(taken[m.start() : m.end()]):
            continue
        raw = m["num"]
        number = _number(raw, comma_decimal)
        if number is None or (not raw[0].isdigit() and not m["unit"] and not m["scale"] and raw in {"one", "一", "半"}):
            continue
        if m["scale"]:
            number *= Decimal(int(_SCALES[m["scale"].strip()]))
        if m["sign"]:
            number = -number
        unit = _UNITS[m["unit"].replace(" ", "_")] if m["unit"] else _UNITS.get((m["cur"] or "").strip(), "")
        if not unit:
            before = _NAME_BEFORE.search(s[: m.start()]) if raw[0].isdigit() else None
            if before and before[1] not in _NOT_NAMES:
                unit = before[1].strip(".-")
        take(m.start(), m.end(), _show(number), unit)
    return tuple(sorted(out))


def folded(text: str) -> str:
    """The form `spans` counts positions in: NFKC, case folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())


def values(text: str) -> tuple[tuple[str, str], ...]:
    """(value, unit) pairs in order of appearance. Units are canonical ("%", "h", "usd"), "clock" for times of day
    (HH:MM), "date" (ISO, month precision where no day is given), "weekday", "version", "ratio"; where no unit follows,
    the Latin word before the number ("port", "node"), else ""."""
    return tuple((value, unit) for _, _, value, unit in spans(text))
