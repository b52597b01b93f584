"""Reading a text by the vocabulary: operators (not, may, only, if …), concepts, other words, quantities and breaks.

The vocabulary is general (software, office, trade, household, care); what is not in it is read as a word of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bio_agent_workers.brain import quantities
from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.relations.vocabulary import member, phrases, stemmed_phrase, vocabulary
from bio_agent_workers.brain.text import HAN, detect_lang

__all__ = ["Item", "phrases", "scan"]

# Cost of a word of several characters, of one character, and of a character outside the vocabulary.
_WORD_COST, _CHARACTER_COST, _UNKNOWN_COST = 1.0, 1.2, 2.0
_MEMBER_WEIGHT = 0.5  # of a word known only as a value

_LONGEST_LATIN = 6  # words of the longest phrase looked up
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
    known = vocabulary()
    languages = ("vi", "en") if lang == "vi" else ("en",)
    limit = max(known.longest[language].get(form, 1) for language in languages for form in (words[0], stem(words[0])))
    for n in range(min(limit, len(words)), 0, -1):
        raw = " ".join(words[:n])
        for language in languages:
            if language == "vi" and raw in known.compounds and raw not in known.table["vi"]:
                return n, Item("word", raw, weight=1.0, surface=raw, at=at)
            if raw in known.ops[language]:
                return n, Item("op", known.ops[language][raw], surface=raw, at=at)
            key = stemmed_phrase(raw) if language == "en" else raw
            entry = known.table[language].get(raw) or known.table[language].get(key)
            if entry is not None and entry.id:
                return n, Item("concept", entry.id, entry.pole, entry.weight, raw, at, entry.sort)
            if belongs := member(language, key):
                weight = 0.0 if entry is not None else _MEMBER_WEIGHT
                return n, Item("concept", belongs if entry is None else "", 1, weight, raw, at)
            if entry is not None:
                return n, Item("word", "", surface=raw, at=at)
    word = words[0]
    for other in _spellings(word):
        entry = known.table["en"].get(other)
        if entry and entry.id:
            return 1, Item("concept", entry.id, entry.pole, entry.weight, word, at, entry.sort)
    for prefix in ("un", "non-", "non", "in", "dis"):
        rest = stem(word[len(prefix) :])
        if word.startswith(prefix) and len(rest) > 3 and (entry := known.table["en"].get(rest)) and entry.id:
            return 1, Item("concept", entry.id, -entry.pole, entry.weight, word, at, entry.sort)
    if lang == "vi" and not word.isascii():
        return 1, Item("word", word, weight=0.5, surface=word, at=at)
    weight = 0.5 if lang == "vi" and len(word) <= 4 else 1.0 if len(word) > 1 else 0.5
    return 1, Item("word", stem(word), weight=weight, surface=word, at=at)


def _spellings(word: str) -> list[str]:
    """Other forms of an English word to look up: pick-up = pick up, labelled = labeled."""
    found = [" ".join(stem(w) for w in word.split("-"))] if "-" in word.strip("-") else []
    root = stem(word)
    return [*found, root[:-1]] if root.endswith("ll") else found


def _han_item(phrase: str, at: int) -> Item | None:
    """The item of a Chinese phrase, None for what the vocabulary does not hold."""
    known = vocabulary()
    name = known.ops["zh"].get(phrase)
    entry = known.table["zh"].get(phrase)
    if phrase in known.compounds and entry is None:
        return Item("word", phrase, weight=1.0, surface=phrase, at=at)
    if name is not None:
        return Item("op", name, surface=phrase, at=at)
    belongs = member("zh", phrase)
    if entry is not None and (entry.id or belongs):
        return Item("concept", entry.id, entry.pole, entry.weight, phrase, at, entry.sort)
    if entry is not None:
        return Item("word", "", surface=phrase, at=at)
    return Item("concept", belongs, 1, _MEMBER_WEIGHT, phrase, at) if belongs else None


def _segments(run: str) -> list[tuple[int, int]]:
    """(start, end) of the words of a stretch of Chinese: the fewest words and the fewest characters outside the
    vocabulary; among equals, the longer word first."""
    longest = vocabulary().longest["zh"]
    n = len(run)
    best: list[tuple[float, int]] = [(0.0, n)] * (n + 1)  # cost of run[i:], end of its first word
    for i in range(n - 1, -1, -1):
        cost, end = best[i + 1][0] + _UNKNOWN_COST, i + 1
        for size in range(1, min(longest.get(run[i], 1), n - i) + 1):
            if _han_item(run[i : i + size], 0) is None:
                continue
            here = best[i + size][0] + (_WORD_COST if size > 1 else _CHARACTER_COST)
            if here <= cost:
                cost, end = here, i + size
        best[i] = cost, end
    out = []
    i = 0
    while i < n:
        out.append((i, best[i][1]))
        i = best[i][1]
    return out


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

    for start, end in _segments(run):
        item = _han_item(run[start:end], at + start)
        if item is None:
            loose += run[start:end]
            continue
        flush(start)
        out.append(item)
    flush(len(run))
    return out
