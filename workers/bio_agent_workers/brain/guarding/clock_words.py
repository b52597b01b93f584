"""Times of the day that are written in words, as digits: 晚上十点 → 22:00, "mười giờ tối" → "10 giờ tối", "noon" → "12:00"."""

from __future__ import annotations

import re

_ZH = re.compile(
    r"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜间|深夜|今晚|每晚)?\s*"
    r"(?P<hour>\d{1,2}|[一二两]?十[一二两三四五六七八九]?|[零一二两三四五六七八九])\s*[点时](?!间|候|段|刻)(?:钟|整)?(?P<min>半|[一三]刻|\d{1,2}分?)?"
)
_AFTERNOON = frozenset({"下午", "傍晚", "晚上", "夜里", "夜间", "深夜", "今晚", "每晚"})
_MINUTES = {"半": 30, "一刻": 15, "三刻": 45}
_VI = re.compile(
    r"(?<!\w)(?P<hour>mười một|mười hai|mười|một|hai|ba|bốn|năm|sáu|bảy|tám|chín)(?=\s+giờ(?!\w)(?!\s+(?:đồng hồ|việt|vn|hà)))",
    re.I,
)
_DIGITS = "零一二三四五六七八九"
_VI_HOURS = ["một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín", "mười"]
_SET = (
    (re.compile(r"\bnoon\b", re.I), "12:00"),
    (re.compile(r"\bmidnight\b|(?<!\w)nửa đêm(?!\w)|午夜|半夜", re.I), "0:00"),
)


def clock_in_digits(text: str) -> str:
    """The text with its times of day in digits."""
    for said, digits in _SET:
        text = said.sub(digits, text)
    text = _VI.sub(lambda found: str(sum(_VI_HOURS.index(word) + 1 for word in found["hour"].lower().split())), text)
    return text if text.isascii() else _ZH.sub(_chinese, text)


def _chinese(found: re.Match[str]) -> str:
    said = found["hour"]
    hour = int(said) if said.isdecimal() else _number(said)
    part, minutes = found["part"] or "", found["min"] or ""
    if part in _AFTERNOON and 1 <= hour < 12:
        hour += 12
    elif part in _AFTERNOON and hour == 12 and part != "下午":
        hour = 0  # 晚上十二点 is midnight
    at = _MINUTES.get(minutes) if minutes in _MINUTES else int(minutes.rstrip("分") or 0)
    return f"{hour}:{at or 0:02d}"


def _number(said: str) -> int:
    """A Chinese number below a hundred."""
    tens, ten, ones = said.replace("两", "二").rpartition("十")
    return (_DIGITS.index(tens) if tens else 1) * 10 * bool(ten) + (_DIGITS.index(ones[-1]) if ones else 0)
