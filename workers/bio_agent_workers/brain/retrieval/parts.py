"""What of a fact still stands where a newer one replaced a part of it: "the server is at A and its port is B", then "the
port is C"."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from bio_agent_workers.brain.retrieval.search_terms import terms
from bio_agent_workers.brain.text import fold

SAID_AGAIN = (
    0.6  # share of a clause's words in the newer statement from which that speaks of it, not of its subject alone
)
LEAST_TERMS = 2  # of a clause; with fewer it is an item of a list

_CLAUSE = re.compile(
    r"[;,.](?=\s|$)|[，；。]|\s(?:and|while|whereas|và|còn)\s|(?:并且|而且|同时)", re.IGNORECASE
)  # "at 10.0.4.7" has dots of its own
_TOKEN = re.compile(r"[A-Za-z0-9À-ỹ](?:[\w./:@+-]*\w)?")
_DENIED = re.compile(
    r"\b(?:not|no longer|instead of|rather than|không phải|thay vì|thay cho)\s+|(?:不是|而不是|不再是|代替)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parted:
    """replaced: the values that no longer hold, as they stand in the older fact. of_replaced, of_standing: the terms that
    only the one or the other part of it has."""

    replaced: tuple[str, ...]
    of_replaced: frozenset[str]
    of_standing: frozenset[str]

    def asked(self, query: Collection[str]) -> int:
        """Which part a question's terms are about: 1 the one that stands, -1 the one that was replaced, 0 neither more."""
        standing, replaced = (len(part.intersection(query)) for part in (self.of_standing, self.of_replaced))
        return (standing > replaced) - (standing < replaced)


def parted(newer: str, older: str) -> Parted | None:
    """None where the newer statement speaks of all of the older one, or of no value in it."""
    clauses = [c for c in map(str.strip, _CLAUSE.split(older)) if len(terms(c)) >= LEAST_TERMS]
    said = terms(newer).keys()
    again = [c for c in clauses if _share(c, said) >= SAID_AGAIN]
    stands = [c for c in clauses if c not in again and _values(c)]
    kept = _kept(newer)
    replaced = tuple(dict.fromkeys(v for c in again for v in _values(c) if fold(v) not in kept))
    if not replaced or not stands:
        return None
    gone, left = (frozenset(t for c in part for t in terms(c)) for part in (again, stands))
    return Parted(replaced, gone - left, left - gone)


def _share(clause: str, said: Collection[str]) -> float:
    words = [t for t in terms(clause) if not t[0].isdigit()]
    return sum(t in said for t in words) / len(words) if words else 0.0


def _values(clause: str) -> list[str]:
    """The numbers, identifiers and names of a clause; its first word is capital for another reason."""
    return [
        m.group() for m in _TOKEN.finditer(clause)
        if any(c.isdigit() for c in m.group()) or (m.start() > 0 and m.group()[0].isupper())
        or re.search(r"\w[./:@]\w", m.group())
    ]  # fmt: skip


def _kept(newer: str) -> frozenset[str]:
    """The words of a statement that it does not deny ("…, not 5433")."""
    denied = {d.end() for d in _DENIED.finditer(newer)}
    return frozenset(fold(m.group()) for m in _TOKEN.finditer(newer) if m.start() not in denied)
