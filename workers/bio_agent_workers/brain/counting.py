"""A number of things in words for a person."""

from __future__ import annotations

import re

_CONSONANT_Y = re.compile(r"[^aeiou]y")


def counted(number: int, thing: str) -> str:
    """ "1 change", "2 changes", "0 memories", "1,200 vector indexes": `thing`, given for one, follows the number."""
    if number == 1:
        return f"1 {thing}"
    if _CONSONANT_Y.fullmatch(thing[-2:]):
        return f"{number:,} {thing[:-1]}ies"
    return f"{number:,} {thing}{'es' if thing.endswith(('x', 's', 'ch', 'sh')) else 's'}"
