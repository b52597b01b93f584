"""Bounds on numbers that a rule names ("above 5,000", "trên 50 triệu", 超过 10 万元), against the numbers of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.units import converted, unit_behind
from bio_agent_workers.brain.numerals import spelled_out

_TIMES = {
    "k": 1_000, "thousand": 1_000, "nghìn": 1_000, "ngàn": 1_000, "千": 1_000, "万": 10_000, "萬": 10_000,
    "m": 1_000_000, "million": 1_000_000, "mn": 1_000_000, "triệu": 1_000_000, "tr": 1_000_000, "亿": 100_000_000,
    "bn": 1_000_000_000, "billion": 1_000_000_000, "tỷ": 1_000_000_000, "tỉ": 1_000_000_000,
}  # fmt: skip
_CURRENCY = {
    alias: code
    for code, aliases in {
        "USD": "usd $ dollar dollars 美元 美金", "EUR": "eur € euro euros 欧元", "CNY": "cny rmb ¥ yuan 元 人民币",
        "VND": "vnd đồng đ ₫ vnđ 越南盾 越盾", "GBP": "gbp £ pounds", "JPY": "jpy yen 日元", "SGD": "sgd",
    }.items()
    for alias in aliases.split()
}  # fmt: skip
_MONEY = "|".join(re.escape(alias) for alias in sorted(_CURRENCY, key=len, reverse=True))
_SCALE = "|".join(sorted(_TIMES, key=len, reverse=True))
_NUMBER = (
    rf"(?P<c1>{_MONEY})?\s?(?P<n>\d[\d.,]*)\s?(?P<x>(?:{_SCALE})(?![a-zà-ỹ/]))?\s?"
    rf"(?:(?P<c2>{_MONEY})(?![a-zà-ỹ])(?:人民币)?|(?P<pc>%|per ?cent\b|percent\b|pct\b|phần trăm))?"
)
_LESS = "(?:less|fewer|lower|smaller|lighter|shorter|younger|slower|colder|cooler)"
_BOUND = re.compile(
    rf"(?:(?P<over>\b(?:above|over|exceed(?:s|ing)?|beyond|(?!{_LESS}\b|(?:other|rather|later|sooner|earlier"
    rf"|either)\b)(?:more|worse|[a-z]{{3,}}er) than)"
    r"|(?<!\w)(?:vượt quá|trên|quá|vượt|hơn)|超过|超出|大于|高于|多于|>)(?P<eq1>=)?"
    r"|(?P<least>\b(?:at least|from)|(?<!\w)từ|至少|不低于|≥)"
    rf"|(?P<under>\b(?:below|under|{_LESS} than)|(?<!\w)(?:dưới|ít hơn|nhỏ hơn|thấp hơn)"
    r"|低于|小于|少于|不足|不到|<)(?P<eq2>=)?"
    rf"|(?P<most>\b(?:at most|up to)|(?<!\w)(?:tối đa|đến)|最多|不超过|≤))?\s*{_NUMBER}"
    r"(?P<tail>\s*(?:or (?:more|less|fewer|above|below)|and (?:above|up|below)|trở (?:lên|xuống)|以上|以下))?",
    re.I,
)
#: "scale down to zero", "giảm xuống 2", 缩到零: a quantity is to become so small.
_TO_NOTHING = re.compile(
    r"\b(?:down )?to (?:zero|nil|nothing|0(?![\d.,]*\d))(?!\w)|(?<!\w)(?:xuống|về) (?:còn |bằng )?(?:không(?!\s*\w)|0(?![\d.,]*\d))(?!\w)"
    r"|(?<=[到至为成])\s*(?:零|0(?!\d))", re.I
)  # fmt: skip
_DOWN_TO = re.compile(
    r"\bdown to (?=\d)|(?<!\w)(?:giảm |hạ )?xuống (?:còn )?(?=\d)|(?<=[缩减降容])[到至](?=\s*\d)", re.I
)
_LEAD = r"(?:above|over|beyond|than|exceeding|exceeds?|least|most|below|under|up to|trên|quá|hơn|dưới|vượt|vượt quá|tối đa|ít nhất)"
#: A unit of so much for so much: m/s, km/h.
_RATE = re.compile(r"\s?[a-zµ°%]{1,4}/[a-z]{1,4}\b", re.I)
_NOUN = re.compile(r"\s*(?:的\s*)?([^\W\d_]+)")
#: "within 2 m": how near something is, by the fields that tell a distance.
_WITHIN = re.compile(
    r"\bwithin (?:an? )?(?:radius of )?(?P<en>\d+(?:[.,]\d+)?) ?(?P<u1>m|cm|km|met(?:re|er)s?)\b|(?<!\w)trong (?:vòng|bán kính|phạm vi) "
    r"(?P<vi>\d+(?:[.,]\d+)?) ?(?P<u2>m|cm|km|mét)(?!\w)|(?P<zh>\d+(?:\.\d+)?) ?(?P<u3>米|厘米|公里)(?:范围)?[以之]?内", re.I
)  # fmt: skip
_NEARNESS = word_set("distance nearest closest range proximity clearance gap away dist")
_METRES = {"cm": Decimal("0.01"), "厘米": Decimal("0.01"), "km": Decimal(1000), "公里": Decimal(1000)}
#: Keys under which a call gives the size of what it does.
_SIZES = word_set(
    "amount total value price sum cost qty quantity count number size limit percent percentage discount rate replicas",
    "credit_limit total_amount amount_total net gross so_tien tong_tien số_tiền tổng_tiền 金额 总额 数量",
)

#: A number that something is to differ by, or to rise or fall by, rather than be.
_CHANGE = re.compile(
    r"(?:\b(?:(?P<up>increas|rais|rise)|(?P<down>decreas|reduc|lower|cut)|differ|deviat|chang|adjust|correct|off)\w*(?: \w+){0,4}? (?:of|by)"
    r"|(?<!\w)(?:(?P<up2>tăng|nâng)|(?P<down2>giảm|hạ)|lệch|chênh|thay đổi)(?: \w+){0,2}"
    r"|(?:(?P<up3>涨|上调|提高|增加)|(?P<down3>降|下调|减少)|相差|偏差|差额|变动)[\u4e00-\u9fff]{0,4})\s*$", re.I
)  # fmt: skip
_BEFORE, _AFTER = word_set("before old previous prior current"), word_set("after new updated proposed")
_SHARES = word_set("percent percentage pct rate ratio share discount margin markup phần_trăm 百分比 折扣 比例")
_MONEYS = word_set("amount total price sum cost net gross balance")
_DEBTS = word_set("outstanding due debt debts owed owing unpaid arrears receivable receivables payable nợ 欠款")


@dataclass(frozen=True, slots=True)
class Bound:
    """A number a call must be above (or below) for the rule to speak. currency: ISO code, "%" or ""; noun: the word
    behind the number, "" for none; change: "up", "down" or "any" where it is a difference, else ""."""

    above: bool
    limit: Decimal
    inclusive: bool
    currency: str
    noun: str
    change: str = ""

    def met(self, value: Decimal) -> bool:
        """Whether the rule speaks of this value; a negative amount counts by its size."""
        size = abs(value)
        if size == self.limit:
            return self.inclusive
        return (size > self.limit) is self.above


def is_debt(key: str) -> bool:
    """Whether a number under a key is what somebody still owes."""
    return not _DEBTS.isdisjoint(_parts(key)) or {"open", "balance"} <= set(_parts(key))


def to_number(text: str) -> Decimal | None:
    """A number as people write it: 50.000.000, 1,000.50, 4800; None when it is none."""
    said = text.strip().rstrip(".,")
    if not re.fullmatch(r"-?\d[\d.,]*", said):
        return None
    for mark, other in ((",", "."), (".", ",")):
        if re.fullmatch(rf"-?\d{{1,3}}(?:{re.escape(mark)}\d{{3}})+(?:{re.escape(other)}\d+)?", said):
            said = said.replace(mark, "").replace(other, ".")
            break
    else:
        said = said.replace(",", ".")
    try:
        number = Decimal(said)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def take_bounds(clause: str) -> tuple[list[Bound], str]:
    """The bounds in a clause, and the clause without them."""
    bounds: list[Bound] = []
    spans: list[tuple[int, int]] = []
    near = _WITHIN.search(clause)
    if near is not None:
        number, unit = next((near[g], near[u]) for g, u in (("en", "u1"), ("vi", "u2"), ("zh", "u3")) if near[g])
        limit = Decimal(number.replace(",", ".")) * _METRES.get(unit.lower(), 1)
        bounds.append(Bound(False, limit, True, "", "distance"))
        clause = clause[: near.start()] + " " + clause[near.end() :]
    said, clause = clause, spelled_out(_DOWN_TO.sub(" at most ", _TO_NOTHING.sub(" at most 0 ", clause)), _LEAD)
    for found in _BOUND.finditer(clause):
        tail = (found["tail"] or "").lower()
        lead = found["over"] or found["least"] or found["under"] or found["most"]
        upward = bool(re.search(r"more|above|up\b|lên|以上", tail))
        downward = bool(re.search(r"less|fewer|below|xuống|以下", tail))
        if not lead and not tail:
            continue
        if found["least"] and not (upward or found["least"].lower() in ("at least", "至少", "不低于", "≥")):
            continue
        if found["most"] and found["most"].lower() == "đến":
            continue
        if (
            not lead
            and found.start("n")
            and clause[found.start("n") - 1].isalnum()
            and clause[found.start("n") - 1].isascii()
        ):
            continue
        number = to_number(found["n"])
        if number is None:
            continue
        number *= _TIMES.get((found["x"] or "").lower(), 1)
        above = not (found["under"] or found["most"] or downward)
        inclusive = bool(found["least"] or found["most"] or tail or found["eq1"] or found["eq2"])
        money = found["c1"] or found["c2"]
        currency = _CURRENCY[money.lower()] if money else "%" if found["pc"] else ""
        noun = _NOUN.match(clause, found.end()) if not currency else None
        unit = _RATE.match(clause, found.end())
        named = "" if currency else unit_behind(clause, found.end()) or (noun.group(1).lower() if noun else "")
        bounds.append(Bound(above, number, inclusive, currency, named, _change(clause[: found.start()])))
        spans.append((found.start(), unit.end() if unit else found.end()))
    for start, end in reversed(spans):
        clause = clause[:start] + " " + clause[end:]
    return bounds, clause if bounds else said


def _change(before: str) -> str:
    found = _CHANGE.search(before)
    if found is None:
        return ""
    told = {name.rstrip("23") for name, said in found.groupdict().items() if said}
    return next(iter(told), "any")


def _differences(numbers: Mapping[str, Decimal]) -> dict[tuple[str, ...], tuple[Decimal, Decimal]]:
    """What a call says something was and what it is to be, by the words of the fields (`qty_before`, `qty_after`)."""
    was, is_to_be = (
        {_without(key, side): v for key, v in numbers.items() if side & set(_parts(key))} for side in (_BEFORE, _AFTER)
    )
    return {key: (was[key], is_to_be[key]) for key in was.keys() & is_to_be.keys()}


def _without(key: str, words: frozenset[str]) -> tuple[str, ...]:
    return tuple(part for part in _parts(key) if part not in words)


def _differs(bound: Bound, was: Decimal, now: Decimal) -> bool:
    if (bound.change == "up" and now < was) or (bound.change == "down" and now > was):
        return False
    size = abs(now - was)
    if bound.currency != "%":
        return bound.met(size)
    return bound.met(size / abs(was) * 100) if was else bound.above


def all_met(bounds: Sequence[Bound], numbers: Mapping[str, Decimal], words: Mapping[str, str]) -> bool:
    """Whether a call's numbers meet every bound. numbers: key → value; words: key → text, for the currency.

    A bound on something the call does not name is not met: what cannot be seen is no reason to stop.
    """
    return all(_one_met(bound, numbers, words) for bound in bounds)


def _one_met(bound: Bound, numbers: Mapping[str, Decimal], words: Mapping[str, str]) -> bool:
    if bound.currency and bound.currency != "%":
        given = words.get("currency", "").upper()
        if given and given != bound.currency:
            return False
    if bound.noun == "distance":
        near = [_metres(k, v) for k, v in numbers.items() if _NEARNESS & set(_parts(k))]
        return any(map(bound.met, near))
    pairs = _differences(numbers)
    if pairs and bound.change:
        return any(_differs(bound, was, now) for was, now in pairs.values())
    # What something was is not what it is to be.
    numbers = {k: v for k, v in numbers.items() if not (_BEFORE & set(_parts(k)) and _without(k, _BEFORE) in pairs)}
    measured = [converted(v, _parts(k)[-1], bound.noun) for k, v in numbers.items() if _parts(k)]
    if any(value is not None for value in measured):
        return any(bound.met(value) for value in measured if value is not None)
    # A share is told by a share, and an amount by none: 14 % of 900 is not 900.
    shares = {k: v for k, v in numbers.items() if not _SHARES.isdisjoint(_parts(k))}
    if bound.currency == "%":
        numbers = shares or {k: v for k, v in numbers.items() if _MONEYS.isdisjoint(_parts(k))}
    elif bound.currency:
        numbers = {k: v for k, v in numbers.items() if k not in shares}
    named = [v for k, v in numbers.items() if bound.noun and _stem(bound.noun) in {_stem(p) for p in _parts(k)}]
    sized = [v for k, v in numbers.items() if k in _SIZES or _SIZES & set(_parts(k))]
    values = named or sized or (list(numbers.values()) if len(numbers) == 1 else [])
    return any(bound.met(value) for value in values)


def _metres(key: str, value: Decimal) -> Decimal:
    return value * _METRES.get(_parts(key)[-1], Decimal(1))


def _parts(key: str) -> list[str]:
    return [part for part in re.split(r"[._\s-]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()) if part]


def _stem(word: str) -> str:
    return word.removesuffix("s")
