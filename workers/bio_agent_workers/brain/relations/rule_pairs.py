"""Two rules read against each other: one name for one thing, what they share, how they part, and whether they meet at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from bio_agent_workers.brain.relations import clashes, concepts, designators, senses, slots, vocabulary
from bio_agent_workers.brain.relations.clashes import Overlap
from bio_agent_workers.brain.relations.slots import Slots
from bio_agent_workers.brain.text import fold, strip_marks

_RELATED = 0.5  # weight in common below which two rules speak of different matters
_MOST_KEYS = 120  # of a row of words compared with another; longer ones are cut
Stretch = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """A rule's text as read: its slots, its names, its items as keys in order."""

    text: str
    slots: Slots
    names: frozenset[str]
    keys: tuple[str, ...]


@lru_cache(maxsize=4096)
def _keys(text: str, lang: str) -> tuple[str, ...]:
    """The words that carry weight, the values and the denials of a text, in order; words that name nothing left out."""
    out = []
    for item in concepts.scan(text, lang):
        if item.kind == "value":
            out.append("=" + item.name)
        elif item.kind == "op" and item.name in ("NOT", "EXEMPT", "ONLY"):
            out.append("!" + item.name)
        elif item.kind in ("concept", "word") and item.weight:
            out.append(f"{item.name}{item.pole:+d}" if item.kind == "concept" else item.name)
        elif item.kind == "word" and item.surface.isdigit():
            out.append("=" + item.surface)
    return tuple(out)


def _side(text: str, read: Slots) -> Side:
    return Side(text, read, designators.names(text), _keys(text, read.lang))


def replaced(a: Sequence[str], b: Sequence[str]) -> tuple[float, list[tuple[Stretch, Stretch]]]:
    """Likeness in [0, 1] of two rows of keys by their longest common subsequence, and the stretches that take each
    other's place."""
    a, b = a[:_MOST_KEYS], b[:_MOST_KEYS]
    n, m = len(a), len(b)
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for j in range(m - 1, -1, -1):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    found: list[tuple[Stretch, Stretch]] = []
    i = j = start_i = start_j = 0
    while i < n and j < m:
        if a[i] == b[j]:
            if i > start_i and j > start_j:
                found.append((tuple(a[start_i:i]), tuple(b[start_j:j])))
            i, j = i + 1, j + 1
            start_i, start_j = i, j
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    if n > start_i and m > start_j:
        found.append((tuple(a[start_i:]), tuple(b[start_j:])))
    return 2 * table[0][0] / (n + m) if n + m else 0.0, found


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rules read against each other. parted: how they part (`clashes.differences`)."""

    left: Side
    right: Side
    over: Overlap
    parted: Mapping[str, str]

    @property
    def likeness(self) -> float:
        """Of the two as rows of words, in [0, 1]; 0 for two languages."""
        one = self.left.slots.lang == self.right.slots.lang
        return replaced(self.left.keys, self.right.keys)[0] if one else 0.0

    @property
    def facing(self) -> bool:
        """Whether small words that face each other differ: up and down, first and last."""
        return bool(clashes.exclusive(self.left.slots.facing, self.right.slots.facing))


def read_pair(a: str, b: str) -> Pair:
    left, right = senses.resolve(slots.read(a), slots.read(b))
    over = clashes.overlap(left, right)
    parted = clashes.differences(left, right, over)
    disputed = clashes.exclusive(left.values, right.values)
    if disputed:
        over = clashes.overlap(left, right, frozenset(disputed))
    return Pair(_side(a, left), _side(b, right), over, parted)


def apart(pair: Pair) -> str:
    """Why two rules are not to be weighed against each other: other matters, scopes, names or times; "" when they are."""
    left, right = pair.left.slots, pair.right.slots
    if pair.over.common < _RELATED:
        return "nothing in common"
    if clashes.exclusive(left.scopes, right.scopes):
        return "different scopes"
    if min(own_names(pair.left, pair.right), own_names(pair.right, pair.left)) > 0:
        return "different names"
    if pair.parted.keys() & {"value", "quantity", "time", "day"} and people_apart(left, right):
        return "different people"
    if ("not" in left.moods) != ("not" in right.moods) and clashes.windows_apart(left, right):
        return "different times of day"
    return ""


def same_names(pair: Pair) -> bool:
    return own_names(pair.left, pair.right) == own_names(pair.right, pair.left) == 0


@cache
def people() -> frozenset[str]:
    words = (word.replace("_", " ") for line in vocabulary.lines("people.txt") for word in line.split())
    return frozenset(name for word in words if (name := vocabulary.named(word)))


def people_apart(left: Slots, right: Slots) -> bool:
    """Whether each side names people and none that the other names."""
    mine, yours = ({m.name for m in s.mentions} & people() for s in (left, right))
    return bool(mine and yours and not mine & yours)


def own_names(mine: Side, yours: Side) -> float:
    """How many names of one side the other does not write in any way."""
    low = fold(yours.text)
    if any(n[0] == "#" for n in mine.names - yours.names) and any(n[0] == "#" for n in yours.names):
        return 1.0
    bare = strip_marks(low).replace(" ", "")  # Hải Phòng = Haiphong
    return float(
        sum(
            1
            for n in mine.names
            if n not in yours.names and n[0] != "#" and n not in low and strip_marks(n) not in bare
        )
    )
