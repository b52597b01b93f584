"""Numbers that are written in words ("ten thousand", "hai mươi triệu", 两万) as digits."""

from __future__ import annotations

import re

_EN = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_VI = {
    "một": 1, "mốt": 1, "hai": 2, "ba": 3, "bốn": 4, "tư": 4, "năm": 5, "lăm": 5, "sáu": 6, "bảy": 7, "bẩy": 7, "tám": 8,
    "chín": 9,
}  # fmt: skip
_ZH = {
    "一": 1,
    "二": 2,
    "两": 2,
    "俩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "零": 0,
    "〇": 0,
}
_EN_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_VI_SCALES = {
    "trăm": 100, "nghìn": 1_000, "ngàn": 1_000, "triệu": 1_000_000, "tỷ": 1_000_000_000, "tỉ": 1_000_000_000,
}  # fmt: skip
_ZH_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}

_EN_WORDS = "|".join(_EN)
_EN_RUN = re.compile(
    rf"\b(?:(?:{_EN_WORDS}|an?)[\s-]+)+(?:hundred|thousand|million|billion)\b(?:[\s-]+(?:and[\s-]+)?(?:{_EN_WORDS}|hundred|thousand|million)\b)*",
    re.I,
)
_VI_DIGIT = "|".join([*_VI, "mười", "mươi"])
_VI_RUN = re.compile(
    rf"(?<!\w)(?:{_VI_DIGIT})(?:\s+(?:{_VI_DIGIT}))*\s+(?:trăm|nghìn|ngàn|triệu|tỷ|tỉ)(?!\w)(?:\s+(?:{_VI_DIGIT}|trăm|nghìn|ngàn|triệu)(?!\w))*",
    re.I,
)
_ZH_RUN = re.compile(
    "[一二两三四五六七八九十百千零〇]*[一二两三四五六七八九十][十百千万亿](?:[一二两三四五六七八九十百千万零〇])*"
)


def spelled_out(text: str, lead: str) -> str:
    """The text with its larger numbers (from a hundred, in Chinese from ten) in digits; small ones stay words
    but behind a lead (a pattern: "more than three")."""
    text = _EN_RUN.sub(
        lambda m: str(_value(re.split(r"[\s-]+", m[0].lower()), _EN | {"a": 1, "an": 1}, _EN_SCALES)), text
    )
    text = _VI_RUN.sub(lambda m: str(_value(m[0].lower().split(), _VI, _VI_SCALES)), text)
    text = re.sub(
        rf"(?<!\w)({lead}\s+)({_EN_WORDS}|{'|'.join(_VI)})(?!\w)",
        lambda m: m[1] + str((_EN | _VI)[m[2].lower()]),
        text,
        flags=re.I,
    )
    return _ZH_RUN.sub(lambda m: str(_value(list(m[0]), _ZH, _ZH_SCALES)), text)


def _value(words: list[str], digits: dict[str, int], scales: dict[str, int]) -> int:
    """Adds up a run: small scales multiply what stands before them, large ones the whole group."""
    total = group = unit = 0
    if len(words) > 2 and words[-1] in _ZH and words[-2] in "百千万":
        words = [*words, {"百": "十", "千": "百", "万": "千"}[words[-2]]]  # 两万五 is 25,000
    for word in words:
        if word == "mươi":
            unit *= 10
        elif word == "mười":
            unit = 10
        elif word in digits:
            value = digits[word]
            unit = unit + value if unit % 10 == 0 else value
        elif word in scales and scales[word] < 1_000:
            group, unit = group + (unit or 1) * scales[word], 0
        elif word == "千":
            group, unit = group + (unit or 1) * 1_000, 0
        elif word in scales:
            total, group, unit = total + ((group + unit) or 1) * scales[word], 0, 0
    return total + group + unit
