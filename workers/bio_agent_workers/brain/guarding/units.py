"""Units of measure: a value under a field that names its unit (`weight_g`), in the unit that a rule speaks in ("25 kg")."""

from __future__ import annotations

import re
from decimal import Decimal

#: Units of one kind a line, each with how many of the line's first one it is.
_KINDS: tuple[dict[str, str], ...] = (
    {"g gram grams gam 克": "1", "mg": "0.001", "kg kgs kilo kilos kilogram kilograms ký ký-lô cân 公斤 千克": "1000",
     "t ton tons tonne tonnes tấn 吨": "1000000"},
    {"m metre metres meter meters mét 米": "1", "mm 毫米": "0.001", "cm 厘米": "0.01", "km 公里": "1000"},
    {"s sec secs second seconds giây 秒 秒钟": "1", "ms": "0.001", "min mins minute minutes phút 分钟": "60",
     "h hr hrs hour hours giờ tiếng 小时": "3600", "day days ngày 天": "86400"},
    {"l litre litres liter liters lít 升": "1", "ml 毫升": "0.001"},
    {"mb": "1", "kb": "0.0009765625", "gb": "1024", "tb": "1048576"},
    {"m/s mps 米/秒": "1", "km/h kmh kph": "0.277777777777777777"},
    {"w watt watts 瓦": "1", "kw 千瓦": "1000"},
)  # fmt: skip
_UNITS = {
    unit: (kind, Decimal(size))
    for kind, line in enumerate(_KINDS)
    for said, size in line.items()
    for unit in said.split()
}
_NAMED = re.compile(
    rf"\s*(?:的\s*)?({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![a-zà-ỹ/])", re.I
)


def unit_behind(text: str, at: int) -> str:
    """The unit that a text names at a place, behind a number; "" for none."""
    found = _NAMED.match(text, at)
    return found[1].lower() if found else ""


def converted(value: Decimal, given: str, wanted: str) -> Decimal | None:
    """A value in one unit, told in another; None where they measure different things or one is no unit."""
    if given not in _UNITS or wanted not in _UNITS:
        return None
    (kind, size), (other, per) = _UNITS[given], _UNITS[wanted]
    return value * size / per if kind == other else None
