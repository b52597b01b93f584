"""Concepts behind the words of rules: synonyms in three languages share an id, opposites share it with another sign.

`scan` reads a text into operators (not, may, only, if …), concepts, other words, quantities and breaks. The vocabulary is
general (software, office, trade, household, care); what is not in it is read as a word of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bio_agent_workers.brain import concept_acts, concept_groups, concept_marks, concept_things, quantities
from bio_agent_workers.brain.rule_words import stem
from bio_agent_workers.brain.text import HAN, STOP_WORDS, detect_lang

_LONGEST_LATIN = 5  # words of the longest phrase looked up
_LONGEST_HAN = 7  # characters of the longest phrase looked up
_LANGS = ("en", "zh", "vi")
# Verbs so general that they hardly name a subject.
_NUMERALS = frozenset({"một"})  # names a class or a floor as often as it is an article
_FAINT = frozenset({"use", "write", "change", "api"})
_FAINT_WEIGHT = 0.5
_MEMBER_WEIGHT = 0.5  # of a word known only as a value
_WEIGHT = {"act": 1.0, "thing": 1.0, "quality": 0.7}

_TOKEN = re.compile(
    rf"[{HAN}]+|={{2,3}}|--?[a-z][\w-]*|[.@]?[^\W_{HAN}](?:[^\W{HAN}]|[./@+'_-](?=[^\W{HAN}]))*"
    r"|[,;.!?:()，。；！？：、（）—–\n]"
)
_BREAK = frozenset(",;.!?:()，。；！？：（）—–\n")
# Two ways to write one Vietnamese syllable: hoá = hóa, thuỷ = thủy.
_VI_TONES = [
    (re.compile(f"{old}(?![a-zà-ỹ])"), new)
    for old, new in zip(
        ["oá", "oà", "oả", "oã", "oạ", "oé", "oè", "oẻ", "oẽ", "oẹ", "uý", "uỳ", "uỷ", "uỹ", "uỵ"],
        ["óa", "òa", "ỏa", "õa", "ọa", "óe", "òe", "ỏe", "õe", "ọe", "úy", "ùy", "ủy", "ũy", "ụy"],
        strict=True,
    )
]


@dataclass(frozen=True, slots=True)
class Concept:
    """An entry of the vocabulary. pole: +1 or −1 on its axis. weight: how much it says about the subject.
    sort: "act" | "thing" | "quality"."""

    id: str
    pole: int
    weight: float
    sort: str = "thing"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing read: kind "op" | "concept" | "word" | "value" | "break". name: operator, concept id, word or
    "value:unit". pole, weight and sort as in `Concept`. surface: the phrase as found. at: position in the folded text."""

    kind: str
    name: str
    pole: int = 1
    weight: float = 0.0
    surface: str = ""
    at: int = 0
    sort: str = "thing"


def _latin(phrase: str, lang: str) -> tuple[str, ...]:
    words = phrase.split("_")
    return tuple(stem(w) if lang == "en" else w for w in words)


def _keys(phrase: str, lang: str) -> list[tuple[str, ...]]:
    """Keys a phrase is found under: as it stands, and in English by its stem too."""
    if lang == "zh":
        return [(phrase.replace("_", ""),)]
    raw = tuple(phrase.split("_"))
    return [raw, _latin(phrase, lang)] if lang == "en" else [raw]


Table = dict[str, dict[tuple[str, ...], Concept]]


def entries(block: str) -> Iterator[tuple[str, list[list[str]]]]:
    """(mark, columns of phrases) of each line of a vocabulary; the mark is "", "!" (opposite pole) or "+" (goes on)."""
    for line in block.strip().splitlines():
        mark = line[0] if line[0] in "!+" else ""
        yield mark, [column.split() for column in line.removeprefix(mark).split("|")]


def _joined(block: str) -> list[str]:
    """Lines of a block, each with the lines that go on with it ("+ …")."""
    out: list[str] = []
    for line in block.strip().splitlines():
        if line.startswith("+ "):
            out[-1] += " " + line[2:]
        else:
            out.append(line)
    return out


def _load() -> Table:
    table: Table = {lang: {} for lang in _LANGS}
    for kind, block in (
        ("act", concept_acts.ACTS),
        ("thing", concept_things.THINGS),
        ("quality", concept_things.QUALITIES),
    ):
        axis, pole = "", 1
        for mark, columns in entries(block):
            if mark == "!":
                pole, columns[0] = -1, columns[0][1:]  # the first word names the axis again
            elif not mark:
                pole, axis = 1, columns[0][0]
            entry = Concept(axis, pole, _FAINT_WEIGHT if axis in _FAINT else _WEIGHT[kind], kind)
            for lang, phrases in zip(_LANGS, columns, strict=True):
                for phrase in phrases:
                    for key in _keys(phrase, lang):
                        table[lang].setdefault(key, entry)
    for _, columns in entries(concept_groups.LIGHT):
        for lang, phrases in zip(_LANGS, columns, strict=True):
            for phrase in phrases:
                for key in _keys(phrase, lang):
                    table[lang].setdefault(key, Concept("", 1, 0.0))
    for lang in _LANGS:
        for word in (
            *(w for w in STOP_WORDS[lang] if w not in _NUMERALS),
            *(["th", "st", "nd", "rd", "has", "had", "isn't"] if lang == "en" else ()),
        ):
            table[lang].setdefault((word,) if lang == "zh" else _latin(word, lang), Concept("", 1, 0.0))
    return table


_TABLE = _load()


def _phrases() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for block in (concept_acts.ACTS, concept_things.THINGS, concept_things.QUALITIES):
        for _, columns in entries(block):
            for index in range(max(map(len, columns))):  # in turn, so that a cut keeps every language
                for lang, column in zip(_LANGS, columns, strict=True):
                    if index < len(column):
                        axis = _TABLE[lang].get(_keys(column[index], lang)[0])
                        if axis is not None and axis.id:
                            found.setdefault(axis.id, []).append(column[index])
    return {name: tuple(dict.fromkeys(words)) for name, words in found.items()}


_PHRASES = _phrases()


def phrases(name: str) -> tuple[str, ...]:
    """The ways to say a concept, of both poles, in all languages in turn; () for a word that is no entry."""
    return _PHRASES.get(name, ())


def _sets(block: str) -> tuple[dict[tuple[str, tuple[str, ...]], frozenset[tuple[int, int]]], dict[int, str]]:
    """Phrase of a language → (set, member) pairs it belongs to; and the slot that each set fills."""
    found: dict[tuple[str, tuple[str, ...]], frozenset[tuple[int, int]]] = {}
    names: dict[int, str] = {}
    for number, line in enumerate(_joined(block)):
        name, colon, rest = line.partition(": ")
        names[number] = name if colon else ""
        for index, member in enumerate((rest if colon else line).split(";")):
            for lang, phrases in zip(_LANGS, (c.split() for c in member.split("|")), strict=True):
                for phrase in phrases:
                    key = (lang, (phrase,) if lang == "zh" else _latin(phrase, lang))
                    found[key] = found.get(key, frozenset()) | {(number, index)}
    return found, names


VALUE_SETS, SLOT_OF_SET = _sets(concept_groups.EXCLUSIVE_VALUES)
FACING_SETS, _ = _sets(concept_groups.FACING)
SCOPE_SETS, _ = _sets(concept_groups.EXCLUSIVE_SCOPES)


def _ops() -> dict[str, dict[tuple[str, ...], str]]:
    ops: dict[str, dict[tuple[str, ...], str]] = {lang: {} for lang in _LANGS}
    for line in concept_marks.OPERATORS.strip().splitlines():
        name, _, rest = line.partition(" ")
        for lang, phrases in zip(_LANGS, (c.split() for c in rest.split("|")), strict=True):
            for phrase in phrases:
                ops[lang][(phrase,) if lang == "zh" else tuple(phrase.split("_"))] = name
    return ops


_OPS = _ops()
_COMPOUNDS = {tuple(word.split("_")) for word in concept_marks.COMPOUNDS.split()}


def _grouped(lang: str, key: tuple[str, ...]) -> bool:
    return (lang, key) in VALUE_SETS or (lang, key) in SCOPE_SETS


def _member(lang: str, key: tuple[str, ...]) -> str:
    """The id of a word that is known only as a member of a set: the same in every language."""
    known = VALUE_SETS.get((lang, key)) or SCOPE_SETS[lang, key]
    kind = "value" if (lang, key) in VALUE_SETS else "scope"
    return f"{kind}:{':'.join(str(n) for n in min(known))}"


def named_member(word: str) -> str:
    """The id under which `scan` gives an English word that is known only as a member of a set."""
    return _member("en", (stem(word),))


def groups_of(
    surface: str, lang: str, sets: dict[tuple[str, tuple[str, ...]], frozenset[tuple[int, int]]]
) -> frozenset[tuple[int, int]]:
    """The (set, member) pairs that a phrase found in a text of `lang` belongs to."""
    for language in (lang, "en"):
        key = (surface,) if re.match(f"[{HAN}]", surface) else tuple(surface.split(" "))
        if language == "en":
            key = tuple(stem(w) for w in key)
        if (language, key) in sets:
            return sets[language, key]
    return frozenset()


def named(word: str) -> str:
    """The concept id of a Latin word, "" when it is in no entry."""
    entry = _TABLE["en"].get((word,)) or _TABLE["en"].get((stem(word),))
    return entry.id if entry else ""


@lru_cache(maxsize=2048)
def scan(text: str, lang: str | None = None) -> tuple[Item, ...]:
    """The items of a text in order. Never fails: what is unknown is a word."""
    lang = lang or detect_lang(text)
    folded = quantities.folded(text).replace("’", "'").replace("‘", "'")
    spans = quantities.spans(text)
    if lang == "vi":
        for pattern, new in _VI_TONES:
            folded = pattern.sub(new, folded)  # same length: positions hold
    out: list[Item] = []
    position = 0
    for start, end, value, unit in spans:
        if start < position:
            continue
        out += _scan_words(folded[position:start], lang, position)
        out.append(Item("value", f"{value}\x1f{unit}", surface=folded[start:end], at=start))
        position = end
    out += _scan_words(folded[position:], lang, position)
    return tuple(_states(out))


def _states(items: list[Item]) -> list[Item]:
    """Words whose place tells what they are: "on" before a pause or a circumstance is a state ("keep the phone on in class")."""
    for i, item in enumerate(items):
        if item.surface in ("on", "off") and item.kind == "word":
            after = items[i + 1] if i + 1 < len(items) else None
            if after is None or after.kind in ("break", "op") or after.surface in ("in", "at", "for", "during", "all"):
                items[i] = Item("concept", "enable", 1 if item.surface == "on" else -1, 1.0, item.surface, item.at)
        elif item.surface in ("vào", "ra") and i and items[i - 1].sort == "act" and items[i - 1].kind == "concept":
            items[i] = Item("word", "", surface=item.surface, at=item.at)  # "ghi vào": a direction, not an entering
    return items


def _scan_words(piece: str, lang: str, offset: int) -> list[Item]:
    found = list(_TOKEN.finditer(piece))
    out: list[Item] = []
    i = 0
    while i < len(found):
        word = found[i][0]
        at = offset + found[i].start()
        if word in _BREAK or word == "、":
            if word in _BREAK:
                out.append(Item("break", word, at=at))
            i += 1
        elif re.match(f"[{HAN}]", word):
            out += _scan_han(word, at)
            i += 1
        else:
            words = []
            for m in found[i : i + _LONGEST_LATIN]:
                if m[0] in _BREAK or m[0] == "、" or re.match(f"[{HAN}]", m[0]):
                    break
                words.append(m[0].rstrip("'-./"))
            used, item = _latin_item(words, lang, at)
            out.append(item)
            i += used
    return out


def _latin_item(words: list[str], lang: str, at: int) -> tuple[int, Item]:
    languages = ("vi", "en") if lang == "vi" else ("en",)
    for n in range(len(words), 0, -1):
        raw = tuple(words[:n])
        for language in languages:
            if language == "vi" and raw in _COMPOUNDS and raw not in _TABLE["vi"]:
                return n, Item("word", " ".join(raw), weight=1.0, surface=" ".join(raw), at=at)
            if raw in _OPS[language]:
                return n, Item("op", _OPS[language][raw], surface=" ".join(raw), at=at)
            key = tuple(stem(w) for w in raw) if language == "en" else raw
            entry = _TABLE[language].get(raw) or _TABLE[language].get(key)
            if entry is not None:
                if not entry.id and not _grouped(language, key):
                    return n, Item("word", "", surface=" ".join(raw), at=at)
                return n, Item("concept", entry.id, entry.pole, entry.weight, " ".join(raw), at, entry.sort)
            if _grouped(language, key):
                return n, Item("concept", _member(language, key), 1, _MEMBER_WEIGHT, " ".join(raw), at)
    word = words[0]
    for other in _spellings(word):
        entry = _TABLE["en"].get(other)
        if entry and entry.id:
            return 1, Item("concept", entry.id, entry.pole, entry.weight, word, at, entry.sort)
    for prefix in ("un", "non-", "non", "in", "dis"):
        rest = stem(word[len(prefix) :])
        if word.startswith(prefix) and len(rest) > 3 and (entry := _TABLE["en"].get((rest,))) and entry.id:
            return 1, Item("concept", entry.id, -entry.pole, entry.weight, word, at, entry.sort)
    if lang == "vi" and not word.isascii():
        return 1, Item("word", word, weight=0.5, surface=word, at=at)
    weight = 0.5 if lang == "vi" and len(word) <= 4 else 1.0 if len(word) > 1 else 0.5
    return 1, Item("word", stem(word), weight=weight, surface=word, at=at)


def _spellings(word: str) -> list[tuple[str, ...]]:
    """Other forms of an English word to look up: pick-up = pick up, labelled = labeled."""
    found = [tuple(stem(w) for w in word.split("-"))] if "-" in word.strip("-") else []
    root = stem(word)
    return [*found, (root[:-1],)] if root.endswith("ll") else found


def _scan_han(run: str, at: int) -> list[Item]:
    out: list[Item] = []
    loose = ""

    def flush(end: int) -> None:
        nonlocal loose
        if loose:
            start = at + end - len(loose)
            if len(loose) <= 2:
                out.append(Item("word", loose, weight=1.0 if len(loose) == 2 else 0.6, surface=loose, at=start))
            else:
                share = 1.2 / (len(loose) - 1)
                for k in range(len(loose) - 1):
                    out.append(Item("word", loose[k : k + 2], weight=share, surface=loose[k : k + 2], at=start + k))
            loose = ""

    i = 0
    while i < len(run):
        for n in range(min(_LONGEST_HAN, len(run) - i), 0, -1):
            phrase = run[i : i + n]
            if (phrase,) in _COMPOUNDS and (phrase,) not in _TABLE["zh"]:
                flush(i)
                out.append(Item("word", phrase, weight=1.0, surface=phrase, at=at + i))
                i += n
                break
            name = _OPS["zh"].get((phrase,))
            entry = _TABLE["zh"].get((phrase,))
            if name is not None:
                flush(i)
                out.append(Item("op", name, surface=phrase, at=at + i))
            elif entry is not None and (entry.id or _grouped("zh", (phrase,))):
                flush(i)
                out.append(Item("concept", entry.id, entry.pole, entry.weight, phrase, at + i, entry.sort))
            elif entry is not None:
                flush(i)
                out.append(Item("word", "", surface=phrase, at=at + i))
            elif _grouped("zh", (phrase,)):
                flush(i)
                out.append(Item("concept", _member("zh", (phrase,)), 1, _MEMBER_WEIGHT, phrase, at + i))
            else:
                continue
            i += n
            break
        else:
            loose += run[i]
            i += 1
    flush(len(run))
    return out
