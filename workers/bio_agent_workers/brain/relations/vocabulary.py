"""The vocabulary of rules, read once from the text files in `words/`: concepts, sets, operators and cues.

Synonyms in three languages share a concept, opposites share it with another sign. A phrase is a key of words joined by
blanks (Chinese: none); English is found as it stands and by its stem. Form of the files: the head of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.text import STOP_WORDS

LANGS = ("en", "zh", "vi")  # the columns of the files
_KINDS = (("act", "acts.txt"), ("thing", "things.txt"), ("quality", "qualities.txt"))
_WEIGHT = {"act": 1.0, "thing": 1.0, "quality": 0.7}
# Verbs so general that they hardly name a subject.
_FAINT = frozenset({"use", "write", "change", "api"})
_FAINT_WEIGHT = 0.5
_NUMERALS = frozenset({"một"})  # names a class or a floor as often as it is an article
_CLITICS = ("th", "st", "nd", "rd", "has", "had", "isn't")

Members = frozenset[tuple[int, int]]  # (set, member) pairs
Sets = Mapping[str, Mapping[str, Members]]  # language → phrase → pairs


@dataclass(frozen=True, slots=True)
class Concept:
    """An entry of the vocabulary. pole: +1 or −1 on its axis. weight: how much it says about the subject; 0 for a word
    that names none. sort: "act" | "thing" | "quality"."""

    id: str
    pole: int
    weight: float
    sort: str = "thing"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """table: language → phrase → concept. others: the further concepts of a phrase that has several senses.
    ops: language → phrase → operator. longest: language → beginning → words (of Chinese: characters) of the longest phrase
    that begins so. slot_of_set: set of values → concept it fills, or ""."""

    table: Mapping[str, Mapping[str, Concept]]
    others: Mapping[str, Mapping[str, tuple[Concept, ...]]]
    ops: Mapping[str, Mapping[str, str]]
    compounds: frozenset[str]
    values: Sets
    scopes: Sets
    facing: Sets
    slot_of_set: Mapping[int, str]
    longest: Mapping[str, Mapping[str, int]]


_stem = lru_cache(maxsize=32_768)(stem)  # words repeat in the phrases of the files and in the texts


def lines(name: str) -> list[str]:
    """The lines of a file of `words/` without comments and blank lines."""
    found = (files("bio_agent_workers.brain") / "words" / name).read_text("utf-8").splitlines()
    return [line for line in found if line and line[0] != "#"]


def entries(name: str) -> Iterator[tuple[str, list[list[str]]]]:
    """(mark, columns of phrases) of each line; the mark is "", "!" (opposite pole) or "+" (goes on)."""
    for line in lines(name):
        mark = line[0] if line[0] in "!+" else ""
        yield mark, [column.split() for column in line[len(mark) :].split("|")]


def keys(phrase: str, lang: str) -> tuple[str, ...]:
    """Keys a phrase is found under: as it stands, and in English by its stem too."""
    if lang == "zh":
        return (phrase.replace("_", ""),)
    raw = phrase.replace("_", " ")
    if lang == "vi":
        return (raw,)
    stemmed = stemmed_phrase(raw)
    return (raw,) if stemmed == raw else (raw, stemmed)


def stemmed_phrase(phrase: str) -> str:
    return " ".join([_stem(w) for w in phrase.split(" ")]) if " " in phrase else _stem(phrase)


def concepts_of(kind: str, name: str) -> Iterator[tuple[Concept, list[list[str]]]]:
    """Each line of a file of concepts as its concept and its phrases by language."""
    axis, pole = "", 1
    for mark, columns in entries(name):
        if mark == "!":
            pole, columns[0] = -1, columns[0][1:]  # the first word names the axis again
        elif not mark:
            pole, axis = 1, columns[0][0]
        yield Concept(axis, pole, _FAINT_WEIGHT if axis in _FAINT else _WEIGHT[kind], kind), columns


Table = dict[str, dict[str, Concept]]
Others = dict[str, dict[str, tuple[Concept, ...]]]


def _table() -> tuple[Table, Others]:
    table: Table = {lang: {} for lang in LANGS}
    others: Others = {lang: {} for lang in LANGS}
    stems: dict[str, Concept] = {}

    def again(first: Concept, key: str, entry: Concept, lang: str) -> None:
        if first.id != entry.id and first.id and entry.id:
            others[lang][key] = (*others[lang].get(key, ()), entry)

    def put(known: dict[str, Concept], key: str, entry: Concept, lang: str) -> None:
        first = known.setdefault(key, entry)
        if first is not entry:
            again(first, key, entry, lang)

    def fill(entry: Concept, columns: list[list[str]]) -> None:
        english, chinese, vietnamese = table["en"], table["zh"], table["vi"]
        for phrase in columns[0]:
            raw = phrase.replace("_", " ")
            if (first := english.setdefault(raw, entry)) is not entry:
                again(first, raw, entry, "en")
            stemmed = stemmed_phrase(raw)
            if stemmed != raw and (first := stems.setdefault(stemmed, entry)) is not entry:
                again(first, stemmed, entry, "en")
        for phrase in columns[1]:
            if (first := chinese.setdefault(phrase, entry)) is not entry:
                again(first, phrase, entry, "zh")
        for phrase in columns[2]:
            raw = phrase.replace("_", " ")
            if (first := vietnamese.setdefault(raw, entry)) is not entry:
                again(first, raw, entry, "vi")

    for kind, name in _KINDS:
        for entry, columns in concepts_of(kind, name):
            fill(entry, columns)
    none = Concept("", 1, 0.0)
    for _, columns in entries("light.txt"):
        fill(none, columns)
    fill(
        none, [[*STOP_WORDS["en"], *_CLITICS], [*STOP_WORDS["zh"]], [w for w in STOP_WORDS["vi"] if w not in _NUMERALS]]
    )
    for key, entry in stems.items():  # a word as it stands goes before another word's stem
        put(table["en"], key, entry, "en")
    return table, others


def _joined(name: str) -> list[str]:
    """Lines of a file, each with the lines that go on with it ("+ …")."""
    out: list[str] = []
    for line in lines(name):
        if line.startswith("+ "):
            out[-1] += " " + line[2:]
        else:
            out.append(line)
    return out


def _sets(name: str) -> tuple[dict[str, dict[str, Members]], dict[int, str]]:
    """Language → phrase → (set, member) pairs it belongs to; and the slot that each set fills."""
    found: dict[str, dict[str, Members]] = {lang: {} for lang in LANGS}
    names: dict[int, str] = {}
    for number, line in enumerate(_joined(name)):
        slot, colon, rest = line.partition(": ")
        names[number] = slot if colon else ""
        for index, member in enumerate((rest if colon else line).split(";")):
            pair = frozenset({(number, index)})
            for lang, phrases in zip(LANGS, (c.split() for c in member.split("|")), strict=True):
                known = found[lang]
                for phrase in phrases:
                    key = phrase if lang == "zh" else phrase.replace("_", " ")
                    for form in {key, stemmed_phrase(key)} if lang == "en" else (key,):
                        known[form] = known[form] | pair if form in known else pair
    return found, names


def _ops() -> dict[str, dict[str, str]]:
    ops: dict[str, dict[str, str]] = {lang: {} for lang in LANGS}
    for line in lines("operators.txt"):
        name, _, rest = line.partition(" ")
        for lang, phrases in zip(LANGS, (c.split() for c in rest.split("|")), strict=True):
            for phrase in phrases:
                ops[lang][keys(phrase, lang)[0]] = name
    return ops


def _longest(lang: str, *tables: Mapping[str, object] | frozenset[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for table in tables:
        for phrase in table:
            if lang == "zh":
                first, size = phrase[0], len(phrase)
            elif " " in phrase:
                first, size = phrase[: phrase.index(" ")], phrase.count(" ") + 1
            else:
                continue
            if found.get(first, 1) < size:
                found[first] = size
    return found


@cache
def vocabulary() -> Vocabulary:
    """The whole vocabulary; read at the first call."""
    (table, others), ops = _table(), _ops()
    values, slot_of_set = _sets("values.txt")
    scopes, _ = _sets("scopes.txt")
    facing, _ = _sets("facing.txt")
    compounds = frozenset(word.replace("_", " ") for line in lines("compounds.txt") for word in line.split())
    longest = {lang: _longest(lang, table[lang], ops[lang], compounds, values[lang], scopes[lang]) for lang in LANGS}
    return Vocabulary(table, others, ops, compounds, values, scopes, facing, slot_of_set, longest)


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    table = vocabulary().table
    found: dict[str, dict[str, None]] = {}
    for kind, name in _KINDS:
        for _, columns in concepts_of(kind, name):
            for index in range(max(map(len, columns))):  # in turn, so that a cut keeps every language
                for lang, column in zip(LANGS, columns, strict=True):
                    if index < len(column):
                        entry = table[lang].get(keys(column[index], lang)[0])
                        if entry is not None and entry.id:
                            found.setdefault(entry.id, {})[column[index]] = None
    return {name: tuple(words) for name, words in found.items()}


def phrases(name: str) -> tuple[str, ...]:
    """The ways to say a concept, of both poles, in all languages in turn; () for a word that is no entry."""
    return _phrases().get(name, ())


def senses(surface: str, lang: str) -> tuple[Concept, ...]:
    """The concepts a phrase may stand for besides its first."""
    others = vocabulary().others
    if re.match(r"[\u3400-\u9fff]", surface):
        return others["zh"].get(surface, ())
    found = others["vi"].get(surface, ()) if lang == "vi" else ()
    return found or others["en"].get(surface, ()) or others["en"].get(stemmed_phrase(surface), ())


def named(word: str) -> str:
    """The concept id of an English word, "" when it is in no entry."""
    table = vocabulary().table["en"]
    entry = table.get(word) or table.get(_stem(word))
    return entry.id if entry else ""


def groups_of(surface: str, lang: str, sets: Sets) -> Members:
    """The (set, member) pairs that a phrase found in a text of `lang` belongs to."""
    if re.match(r"[\u3400-\u9fff]", surface):
        return sets["zh"].get(surface, frozenset())
    if lang == "vi" and (found := sets["vi"].get(surface)):
        return found
    if found := sets["en"].get(surface):
        return found
    entry = vocabulary().table["en"].get(surface)
    if entry is not None and entry.sort == "act" and entry.id:
        return frozenset()  # "write" is not "written": a verb is a value only as it stands
    return sets["en"].get(stemmed_phrase(surface), frozenset())


@cache
def _by_concept(kind: str) -> Mapping[tuple[str, int], Members]:
    """(concept, pole) → the members that one of its phrases belongs to, for the things and qualities of a kind of set:
    all ways to name a thing fill its slot."""
    known = vocabulary()
    sets = known.values if kind == "values" else known.scopes
    found: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for lang in LANGS:
        for phrase, pairs in sets[lang].items():
            entry = known.table[lang].get(phrase)
            if entry is not None and entry.id and entry.sort != "act":
                found.setdefault((entry.id, entry.pole), set()).update(pairs)
    return {key: frozenset(pairs) for key, pairs in found.items()}


@lru_cache(maxsize=16_384)
def members(surface: str, lang: str, kind: str, name: str = "", pole: int = 1) -> Members:
    """The (set, member) pairs that a phrase belongs to by itself, else by its concept, else by a part of it ("paid monthly");
    kind: "values" | "scopes"."""
    known = vocabulary()
    sets = known.values if kind == "values" else known.scopes
    found = groups_of(surface, lang, sets) or _by_concept(kind).get((name, pole), frozenset())
    if found or kind != "values":
        return found
    han = bool(re.match(r"[\u3400-\u9fff]", surface))
    words = list(surface) if han else surface.split(" ")
    for size in range(len(words) - 1, 1 if han else 0, -1):
        for start in range(len(words) - size + 1):
            part = ("" if han else " ").join(words[start : start + size])
            if found := groups_of(part, lang, sets):
                return found
    return frozenset()


def member(lang: str, key: str) -> str:
    """The id of a phrase that is known only as a member of a set, the same in every language; "" when it is in none."""
    found = vocabulary()
    for kind, sets in (("value", found.values), ("scope", found.scopes)):
        if known := sets[lang].get(key):
            return f"{kind}:{':'.join(str(n) for n in min(known))}"
    return ""


def named_member(word: str) -> str:
    """The id under which an English word is read that is known only as a member of a set."""
    return member("en", _stem(word))


@dataclass(frozen=True, slots=True)
class Cues:
    """weights: group → how much it speaks for a special case. found: language → phrase → group."""

    weights: Mapping[str, float]
    found: Mapping[str, Mapping[str, str]]


@cache
def cues() -> Cues:
    """What marks a rule as the special case of another, or as the general one (the group "general")."""
    weights: dict[str, float] = {}
    found: dict[str, dict[str, str]] = {lang: {} for lang in LANGS}
    for line in lines("cues.txt"):
        name, weight, rest = line.split(" ", 2)
        weights[name] = float(weight)
        for lang, phrases_ in zip(LANGS, (column.split() for column in rest.split("|")), strict=True):
            for phrase in phrases_:
                found[lang].setdefault(keys(phrase, lang)[0], name)
    return Cues(weights, found)
