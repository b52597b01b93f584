"""Parts of ids: what a person types, and how several that hold it are told apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

CANDIDATES = 5  # named where a part of an id is in several
FIRST_CHARS = 60  # of what each of them says


def plain(text: object) -> str:
    """Text from memory as one line for a terminal: what an agent once read must not move a person's cursor or hide words."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(str(text).split()))


def first_words(text: str, most: int = FIRST_CHARS) -> str:
    line = plain(text)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def several(given: str, what: str, found: Iterable[tuple[str, str]]) -> str:
    """What to say of a part that is in several ids. found: (id, what it says), one more than CANDIDATES is enough.

    Ids made within a minute begin alike; their ends tell them apart.
    """
    shown = list(islice(found, CANDIDATES + 1))
    named = [f"{i} “{first_words(said)}”" for i, said in shown[:CANDIDATES]]
    told = ", ".join([*named, "…"] if len(shown) > CANDIDATES else named)
    return f"{given!r} is in more than one {what}'s id; give more of it, the last characters tell best: {told}"
