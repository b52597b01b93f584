"""What keeps two rules of the same words apart: direction, the place of "only", and/or, how often, which number names what.

And when a newer rule plainly reverses an older one, so that it may retire it without a person.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache

from bio_agent_workers.brain.relations import canonical
from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.text import HAN, fold

_WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:[.:'-][^\W_{HAN}]+)*|[€$£%]")
_WAYS = {
    "from": re.compile(r"\bfrom (?:the )?(.+?)(?= (?:to|into|onto)\b|[,.;]|$)|\btừ (.+?)(?= (?:đến|sang|tới)\b|[,.;]|$)"
                       r"|从(.+?)(?=[到往至]|[，。；]|$)"),
    "to": re.compile(r"\b(?:to|into|onto) (?:the )?(.+?)(?= from\b|[,.;]|$)|\b(?:đến|sang|tới) (.+?)(?= từ\b|[,.;]|$)"
                     r"|[到往至](.+?)(?=[，。；]|$)"),
}  # fmt: skip
_JOINED = {
    "and": re.compile(r"\b(\w{1,60}) (?:and|và) (\w+)|和|与|以及"),
    "or": re.compile(r"\b(\w{1,60}) (?:or|hoặc) (\w+)|或"),
}
_TIMES = re.compile(
    r"\b(once|twice|thrice|(?:\d+|two|three|four|five|six|ten) times)\b(?! (?:a|the|you|it|per)\b)|([两二三四五六十\d]+)[次遍]"
    r"|\b((?:\d+|một|hai|ba|bốn|năm) lần)\b"
)
_ONLY = re.compile(r"\bonly (\w+)|\bchỉ (\w+)")
_PLACING = frozenset({"on", "in", "at", "after", "before", "when", "if", "with", "for", "from", "to", "by", "through"})
_SETS = frozenset({"use", "set", "be", "is", "are", "listen", "keep", "target", "require", "default"})
_MEASURED = frozenset(
    {"port", "version", "timeout", "limit", "size", "level", "width", "length", "least", "most", "python"}
)
_UNITLESS = re.compile(
    r"\b([a-z]{3,}) #?(\d+)\b(?!\s*(?:%|[a-z]*(?:second|minute|hour|day|week|month|year|char|line|space|time|item|file|retr|percent"
    r"|eur|usd|vnd|cny|mb|gb|kb|ms)))"
)
_LINKING = frozenset(
    {"of", "to", "in", "on", "at", "by", "than", "above", "below", "over", "under", "every", "after", "before", "with", "for", "from"}
    | {"until", "about", "only", "the", "and", "most", "least", "within", "between", "exactly", "need", "require", "wait", "use", "keep"}
)  # fmt: skip


def distinct(a: str, b: str) -> bool:
    """Whether the texts, however alike their words, part in direction, in what "only" limits, in and/or, or in how often."""
    x, y = fold(a), fold(b)
    if x == y:
        return False
    return _turned(x, y) or _other_only(x, y) or _other_join(x, y) or _count(x) != _count(y)


def named_apart(a: str, b: str) -> bool:
    """Whether numbers that name a thing ("server 12", "crate 1") are other ones in a rule of otherwise the same words."""
    x, y = _numbers(fold(a)), _numbers(fold(b))
    return bool(x) and x.keys() == y.keys() and x != y


def reverses(a: str, b: str) -> bool:
    """Whether one of the rules plainly takes the other back: the same act on the same objects in the opposite mood, or one
    mood and the same words but for one place, where each has a value of its own. Two prohibitions never do."""
    ours, theirs = canonical.read(a), canonical.read(b)
    if ours.lang != theirs.lang or distinct(a, b) or named_apart(a, b):
        return False
    mine, yours = _said(a), _said(b)
    if ours.mood != theirs.mood:
        return Counter(mine) == Counter(yours)
    if ours.mood == "not":
        return False
    changes = [c for c in SequenceMatcher(None, mine, yours, autojunk=False).get_opcodes() if c[0] != "equal"]
    return len(changes) == 1 and changes[0][0] == "replace"


@lru_cache(maxsize=4096)
def _said(text: str) -> tuple[str, ...]:
    """Every word of the rule in order, its mood apart; Chinese by the character."""
    r = canonical.read(text)
    clauses = (r.action, r.object, *r.condition, *r.exception)
    return tuple(w for clause in clauses for term in clause for w in ([*term] if r.lang == "zh" else [term]))


def _turned(x: str, y: str) -> bool:
    """Whether what is the start for one is the end for the other."""
    start_x, end_x, start_y, end_y = (_ends(t, way) for t in (x, y) for way in ("from", "to"))
    return bool(start_x & end_y - end_x or end_x & start_y - start_x)


def _ends(text: str, way: str) -> frozenset[str]:
    return frozenset(next(g for g in m.groups() if g).strip() for m in _WAYS[way].finditer(text))


def _other_only(x: str, y: str) -> bool:
    """Whether both say "only", of another word."""
    mine, yours = ({stem(w) for m in _ONLY.findall(t) for w in m if w} - _PLACING for t in (x, y))
    return bool(mine and yours) and not mine & yours


def _other_join(x: str, y: str) -> bool:
    """Whether one joins by "and" what the other joins by "or"."""
    (and_x, or_x), (and_y, or_y) = (tuple(len(p.findall(t)) for p in _JOINED.values()) for t in (x, y))
    return bool((and_x > and_y and or_y > or_x) or (and_y > and_x and or_x > or_y))


def _count(text: str) -> frozenset[str]:
    found = {next(g for g in m.groups() if g) for m in _TIMES.finditer(text)}
    return frozenset(found - {"once"})


def _numbers(text: str) -> dict[str, tuple[str, ...]]:
    """Noun → the numbers that name one of its kind, where the rule does not set a value."""
    if set(_WORD.findall(text)) & _SETS:
        return {}
    out: dict[str, tuple[str, ...]] = {}
    for noun, number in _UNITLESS.findall(text):
        if noun not in _LINKING and noun not in _MEASURED:
            out[noun] = (*out.get(noun, ()), number)
    return out
