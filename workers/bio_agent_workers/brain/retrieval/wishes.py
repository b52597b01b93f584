"""A person's standing wishes and likings, in their own voice, and the part of a text that says one.

A wish is weaker than a rule: it tells how somebody likes to be served, binds nobody, and is shown where it fits what is
asked. What the grammar of directives makes a rule of is a rule beside it.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.text import fold

STANDING_IMPORTANCE = 8  # of what is to hold from now on; a mere liking has what every memory has

# What is to hold whenever its occasion comes. "I have never …" and "I'd like to …" tell of the past and of the moment.
_STANDING = re.compile(
    r"(?:^|[.!?;:]\s+|,\s+(?:and |but |so )?|\b(?:please|and|but|so|to|should|must|will|can you|could you|you) )"
    r"(?:always|never|do not ever|don't ever) "
    r"(?!been\b|had\b|\w+ed\b|seen\b|done\b|written\b|got(?:ten)?\b|mind\b)\w+"
    r"|\b(?:whenever|every time|each time|any ?time) (?:i|you|we) (?:ask|mention|talk|need|want|request|write|show|give|send|discuss|say|have)\w*"
    r"|\bwhen(?:ever)? i ask (?:you )?(?:about|for|how|why|what|to)\b|\b(?:from now on|going forward|from here on)\b"
    r"|总是|每次都|每当|以后都|今后|从现在起|一律|请始终|务必|永远不要"
    r"|luôn luôn|hãy luôn|luôn (?:hãy|phải)|mỗi (?:khi|lần)|từ nay|từ giờ|kể từ bây giờ|đừng bao giờ"
)
_LIKING = re.compile(
    r"\b(?:i|we|the user|he|she|they)(?: (?:really|still|always|also|usually|generally|much|personally|do))* "
    r"(?:prefers?|likes?(?! to (?:ask|know|see|have|get|add))|loves?|hates?|dislikes?|enjoys?|can't stand"
    r"|(?:would|'d) (?:much )?rather|would prefer)\b"
    r"|\b(?:i|we)'d (?:much )?(?:rather|prefer)\b|\b(?:my|our) (?:\w+ )?preferences?\b|\b(?:my|our|his|her|their) favou?rite\b"
    r"|\bpreference (?:for|is|statement)\b"
    r"|喜欢|偏好|偏爱|讨厌|爱吃|爱喝|更愿意"
    r"|(?:tôi|mình|em|anh|chị|chúng tôi|người dùng)\b.{0,20}\b(?:thích|ghét|ưa)|muốn dùng"
)
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；，])|(?<=,)\s+|\n+")


def stands(said: str) -> bool:
    """Whether a person's words say what is to hold from now on, whenever its occasion comes."""
    return _STANDING.search(fold(said)) is not None


def is_wish(said: str) -> bool:
    """Whether a person's words hold a liking or a standing wish."""
    folded = fold(said)
    return _STANDING.search(folded) is not None or _LIKING.search(folded) is not None


def wording(said: str, most: int) -> str:
    """The part of a text that says the wish, at most `most` characters: all of a short one, else the first clause that
    says one with those after it that fit, and the ones before it where there is room left."""
    said = " ".join(said.split())
    if len(said) <= most:
        return said
    clauses = [c for c in _CLAUSE.split(said) if c]
    at = next((i for i, c in enumerate(clauses) if stands(c)), None)
    if at is None:
        at = next((i for i, c in enumerate(clauses) if is_wish(c)), 0)
    first, end = at, at + 1
    size = len(clauses[at])
    while end < len(clauses) and size + 1 + len(clauses[end]) <= most - 2:
        size += 1 + len(clauses[end])
        end += 1
    while first > 0 and size + 1 + len(clauses[first - 1]) <= most - 2:
        first -= 1
        size += 1 + len(clauses[first])
    kept = " ".join(clauses[first:end])[: most - 2]
    return ("…" if first else "") + kept + ("…" if end < len(clauses) or len(kept) < size else "")
