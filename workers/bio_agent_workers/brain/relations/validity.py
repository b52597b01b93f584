"""The period a rule's text names for itself: "until December 2026", 自 2027 年 1 月起, "từ tháng 4/2027"."""

from __future__ import annotations

import re
from functools import lru_cache

from bio_agent_workers.brain import quantities

_FROM_BEFORE = re.compile(
    r"(?:\b(?:from|starting|since|as of|after|beginning|effective)|自|从|\b(?:từ|kể từ))\W*(?:\w+ )?$"
)
_FROM_AFTER = re.compile(r"^\s?(?:起|开始|以?后|onwards?\b|trở đi)")
_TO_BEFORE = re.compile(
    r"(?:\b(?:until|till|up to(?: and including)?|through|before|by|to)|至|到|截至|\b(?:đến|tới|trước)(?: hết)?)\W*(?:\w+ )?$"
)
_TO_AFTER = re.compile(r"^\s?(?:之?以?前|为?止|底前)")


@lru_cache(maxsize=4096)
def period(text: str) -> tuple[str, str]:
    """(since, until) as ISO dates of day or month precision, "" where the text leaves that end open."""
    since = until = ""
    folded = quantities.folded(text)
    for start, end, value, unit in quantities.spans(text):
        if unit != "date":
            continue
        before, after = folded[max(0, start - 30) : start], folded[end : end + 10]
        if _TO_AFTER.match(after) or _TO_BEFORE.search(before):
            until = value
        elif _FROM_AFTER.match(after) or _FROM_BEFORE.search(before):
            since = value
    return since, until


def disjoint(a: str, b: str) -> bool:
    """Whether one text's period ends before the other's begins. A month that ends a period ends with its last day."""
    (since_a, until_a), (since_b, until_b) = period(a), period(b)
    return _before(until_a, since_b) or _before(until_b, since_a)


def _before(until: str, since: str) -> bool:
    if not until or not since:
        return False
    shared = min(len(until), len(since))
    return until[:shared] < since[:shared] or (until[:shared] == since[:shared] and len(until) == len(since) == 10)
