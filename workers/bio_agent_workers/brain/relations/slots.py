"""A rule as slots: what is asked, forbidden, allowed or lifted; under which condition; with which values and cues.

A text is read clause by clause. Each concept keeps its sign (asked or not), and whether it stood in a condition; each
quantity its dimension and its role: an exact value, a limit, a threshold that is the condition, or a window of the day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

from bio_agent_workers.brain import quantities
from bio_agent_workers.brain.relations import clauses, concepts, measures, vocabulary
from bio_agent_workers.brain.relations.concepts import Item
from bio_agent_workers.brain.relations.measures import Quantity, Window
from bio_agent_workers.brain.text import HAN, detect_lang

_DIRECTIONS = frozenset(["from", "into", "onto", "over", "从", "由", "到", "từ", "vào", "sang"])
_CLOSING = frozenset({"MUST", "MAY", "NOT", "EXEMPT", "ENDIF"})
# Words that lift a duty: "skip the identity questions".
_CUE_RUN = re.compile(rf"(?P<han>[{HAN}]+)|(?P<words>(?:[^\W{HAN}](?:[^\W{HAN}]|['-](?=[^\W{HAN}]))*[ ]*)+)")
_LONGEST_CUE, _LONGEST_CUE_HAN = 5, 7  # words, characters
_LIFTING = frozenset({"skip", "skips", "bypass", "跳过", "绕过", "免去", "bỏ qua"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept or word in the text. sign: +1 asked or allowed, −1 not. pole: of the word itself. conditional: it stood
    in a condition. part: number of the clause."""

    name: str
    sign: int
    pole: int
    weight: float
    conditional: bool
    surface: str
    part: int
    kind: str = "thing"


@dataclass(frozen=True, slots=True)
class Slots:
    """What `read` found. moods: of "not", "may", "exempt", "must", "only", "any". own_cue: how much its form
    marks the rule as the special case of another (0 and more); cues: (group, word) of the words that do."""

    lang: str
    mentions: tuple[Mention, ...]
    quantities: tuple[Quantity, ...]
    windows: tuple[Window, ...]
    moods: frozenset[str]
    own_cue: float
    cues: frozenset[tuple[str, str]]
    dates: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    values: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    scopes: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    refused: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    steps: frozenset[tuple[str, frozenset[str]]] = field(default_factory=frozenset)
    facing: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    @property
    def weekdays(self) -> frozenset[str]:
        return frozenset(value for value, unit in self.dates if unit == "weekday")

    def cue(self, other: Slots) -> float:
        """How much marks this rule as a special case, words apart that the other uses too: they are its subject."""
        shared = {word for _, word in other.cues}
        groups = {group for group, word in self.cues if word not in shared}
        return self.own_cue + sum(vocabulary.cues().weights[group] for group in groups)

    def weights(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for m in self.mentions:
            found[m.name] = max(found.get(m.name, 0.0), m.weight)
        return found

    def of(self, name: str) -> list[Mention]:
        return [m for m in self.mentions if m.name == name]


_CONDITION_CUE = 0.75
THRESHOLD_CUE = 2.0  # "under 100", "above 20 t": the rule speaks of a part of the cases


@lru_cache(maxsize=4096)
def read(text: str) -> Slots:
    """The slots of a rule's text. Never fails; a text without concepts has no mentions."""
    lang = detect_lang(text)
    items = concepts.scan(text, lang)
    folded = quantities.folded(text)
    days = [m.span() for pattern in (measures.MONTHDAY, measures.LAST_DAY) for m in pattern.finditer(folded)]
    items = tuple(i for n, i in enumerate(items) if not _times_a_value(items, n))
    items = tuple(i for i in items if i.kind == "value" or not any(start <= i.at < end for start, end in days))
    parts = clauses.parts(items)
    mentions: list[Mention] = []
    moods: set[str] = set()
    values: set[tuple[int, int]] = set()
    scopes: set[tuple[int, int]] = set()
    refused: set[tuple[int, int]] = set()
    for index, part in enumerate(parts):
        moods |= part.moods
        local = 1
        for item in part.items:
            if item.kind == "op":
                local = -1 if item.name == "NOT1" else local
                continue
            if item.kind not in ("concept", "word"):
                continue
            sign = part.sign
            if item.kind == "concept":
                here = vocabulary.members(item.surface, lang, "values", item.name, item.pole)
                (values if sign > 0 else refused).update(here)
                scopes |= vocabulary.members(item.surface, lang, "scopes", item.name, item.pole)
            if item.name == "include" and item.pole < 0 and item.surface in _LIFTING:
                moods.add("exempt")
            if not item.name or not item.weight:
                continue
            if local < 0:
                sign = 1  # "animals that are not vaccinated may not …": the attribute is no part of what is forbidden
            mentions.append(
                Mention(
                    item.name, sign, item.pole * local, item.weight, part.conditional, item.surface, index, item.sort
                )
            )
            local = 1
    found, windows = measures.find(text, folded, items)
    if any(q.dimension == "space" for q in found):
        values |= vocabulary.members("spaces", "en", "values")  # "two spaces" is what stands against a tab
    cues = _cues(folded)
    own = 1.0 * ("may" in moods) + 1.0 * ("exempt" in moods)
    if not ("must" in moods and not moods & {"may", "exempt"}):  # "above 500 a second signature is needed": a duty
        own += THRESHOLD_CUE * any(q.role in ("over", "under") for q in found)
    own += _CONDITION_CUE * any(p.conditional and not p.flipped for p in parts)
    return Slots(
        lang, tuple(mentions), found, windows, frozenset(moods), own, cues, _dates(text),
        frozenset(values), frozenset(scopes), frozenset(refused), _steps(items, lang), _facing(items, lang),
    )  # fmt: skip


def _times_a_value(items: tuple[Item, ...], n: int) -> bool:
    """Whether the item is the "before" or "after" of a time ("before 8:00", 八点以前): its role, not a step's place."""
    if items[n].kind != "concept" or items[n].name not in _steps_named():
        return False
    return any(items[i].kind == "value" for i in (n - 1, n + 1) if 0 <= i < len(items))


@cache
def _steps_named() -> frozenset[str]:
    return frozenset({vocabulary.named_member("before"), vocabulary.named_member("after")})


def _steps(items: tuple[Item, ...], lang: str) -> frozenset[tuple[str, frozenset[str]]]:
    """(marker, names it governs) of each "before", "after", "into" …: what stands there may not change places."""
    out: set[tuple[str, frozenset[str]]] = set()
    for n, item in enumerate(items):
        step = item.kind == "concept" and item.name in _steps_named()
        if not step and item.surface not in _DIRECTIONS:
            continue
        row = reversed(items[:n]) if step and lang == "zh" else items[n + 1 :]
        names: set[str] = set()
        for other in row:
            if other.kind == "break" or (other.kind == "op" and other.name in _CLOSING):
                break
            if other.name and other.weight and other.kind in ("concept", "word"):
                names.add(other.name)
        out.add((item.name if step else "way", frozenset(names)))
    return frozenset(out)


def _cues(folded: str) -> frozenset[tuple[str, str]]:
    found = vocabulary.cues().found
    out: set[tuple[str, str]] = set()
    for m in _CUE_RUN.finditer(folded):
        if m["han"]:
            run = m["han"]
            spans = ((i, i + n) for i in range(len(run)) for n in range(1, min(_LONGEST_CUE_HAN, len(run) - i) + 1))
            out |= {(found["zh"][p], p) for start, end in spans if (p := run[start:end]) in found["zh"]}
        else:
            words = m["words"].split()
            for i in range(len(words)):
                for n in range(1, min(_LONGEST_CUE, len(words) - i) + 1):
                    phrase = " ".join(words[i : i + n])
                    group = found["en"].get(phrase, found["vi"].get(phrase))
                    if group is not None:
                        out.add((group, phrase))
    return frozenset(out)


def _dates(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pair for pair in quantities.values(text) if pair[1] in ("date", "weekday", "version", "ratio"))


def _facing(items: tuple[Item, ...], lang: str) -> frozenset[tuple[int, int]]:
    facing = vocabulary.vocabulary().facing
    # A phrase takes its first word in: "last row".
    words = {w for item in items if item.surface for w in (item.surface, item.surface.partition(" ")[0])}
    return frozenset().union(*(vocabulary.groups_of(word, lang, facing) for word in words))
