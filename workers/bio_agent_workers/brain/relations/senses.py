"""Words of two rules brought together: a word of several senses takes the one that the other rule speaks of, and words
outside the vocabulary are one where they share their root, most of their characters or most of their syllables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.relations.slots import Mention, Slots
from bio_agent_workers.brain.relations.vocabulary import Concept, senses, stemmed_phrase, vocabulary
from bio_agent_workers.brain.text import HAN, STOP_WORDS, strip_marks

_HAN = re.compile(f"[{HAN}]")
_SUFFIX = re.compile(
    r"(?:isations?|izations?|ations?|itions?|ments?|ness|ities|ity|ances?|ences?|ings?|ers?|ors?|als?|ably|ibly|ably|able|ible"
    r"|ives?|ions?|ised|ized|ise|ize|ally|ly|ed|es|s|e|y)$"
)
_PLAIN = re.compile(r"[^\W\d_]{2,}(?:[ '-][^\W\d_]{2,})*")
_ROOT = 4  # least letters of a root
_COMMON_START, _COMMON_SHARE = 5, 0.65  # letters that two words begin with, and their share of the longer one
_MOST_ALONE = 40  # words of one side compared with those of the other
_LOOSE = 0.6  # weight of a word left over when a phrase is taken apart
_LIKE = 0.5  # share of the parts of two phrases from which they are one


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """An English word without its endings: validity, valid → valid; quotation, quoted → quot."""
    cut = _SUFFIX.sub("", word)
    return cut if len(cut) >= _ROOT else stem(word)


def _akin(x: str, y: str) -> bool:
    if x == y:
        return True
    if not (x.isalpha() and y.isalpha()):
        return False  # "node-11" is not "node-17"
    if len(x) >= _ROOT and root(x) == root(y):
        return True
    shared = 0
    for p, q in zip(x, y, strict=False):
        if p != q:
            break
        shared += 1
    return shared >= _COMMON_START and shared >= _COMMON_SHARE * max(len(x), len(y))


def alike(x: str, y: str, lang: str) -> bool:
    """Whether two phrases of one language are likely to mean one thing by their form alone."""
    if _HAN.match(x) or _HAN.match(y):
        if min(len(x), len(y)) < 2:
            return False
        pairs = {x[i : i + 2] for i in range(len(x) - 1)}, {y[i : i + 2] for i in range(len(y) - 1)}
        return bool(pairs[0] & pairs[1]) and (x in y or y in x or len(pairs[0] & pairs[1]) > 1)
    light = STOP_WORDS["vi" if lang == "vi" else "en"]
    if not _PLAIN.fullmatch(x) or not _PLAIN.fullmatch(y):
        return x == y  # identifiers: "billing-a" is not "billing-b"
    mine, yours = ([w for w in re.split(r"[ -]", s) if w not in light] for s in (x, y))
    if not mine or not yours:
        return False
    if lang == "vi":
        both = len(set(mine) & set(yours))
        return both >= 1 and both / max(len(mine), len(yours)) > _LIKE
    both = sum(1 for w in mine if any(_akin(w, v) for v in yours))
    return both >= 1 and both / max(len(mine), len(yours)) >= _LIKE


@lru_cache(maxsize=16_384)
def parts(surface: str, lang: str) -> tuple[Concept, ...]:
    """The concepts of the words that a phrase is made of: "chia sẻ mật khẩu" is to share and a password; () for one word."""
    if _HAN.match(surface):
        pieces = [(surface[:i], surface[i:]) for i in range(1, len(surface))]
        tables = (vocabulary().table["zh"],)
        for first, second in pieces:
            found = [c for piece in (first, second) if (c := tables[0].get(piece)) and c.id]
            if len(found) == 2:
                return tuple(found)
        return ()
    words = surface.split(" ")
    if len(words) < 2:
        return ()
    out: list[Concept] = []
    i = 0
    while i < len(words):
        for n in range(min(len(words) - i, len(words) - 1), 0, -1):
            entry = _latin(" ".join(words[i : i + n]), lang)
            if entry is not None:
                out += [entry] if entry.id else []
                i += n
                break
        else:
            if words[i] not in STOP_WORDS["vi" if lang == "vi" else "en"]:
                out.append(Concept(stem(words[i]), 1, _LOOSE))
            i += 1
    return tuple(out)


def _latin(phrase: str, lang: str) -> Concept | None:
    table = vocabulary().table
    found = table["vi"].get(phrase) if lang == "vi" else None
    return found or table["en"].get(phrase) or table["en"].get(stemmed_phrase(phrase))


def _taken_apart(side: Slots, names: set[str]) -> Slots:
    """The side with each phrase that the other does not know as such given by its words, where it knows one of them."""
    row: list[Mention] = []
    changed = False
    for m in side.mentions:
        made = parts(m.surface, side.lang) if m.name not in names else ()
        if any(c.id in names for c in made) and not any(c.id in names for c in senses(m.surface, side.lang)):
            row += [replace(m, name=c.id, pole=c.pole, weight=c.weight, kind=c.sort) for c in made if c.weight]
            changed = True
        else:
            row.append(m)
    return replace(side, mentions=tuple(row)) if changed else side


def resolve(left: Slots, right: Slots) -> tuple[Slots, Slots]:
    """Both sides with one name for what is one thing; a side without such words is returned as it is."""
    names_a, names_b = ({m.name for m in s.mentions} for s in (left, right))
    left, right = _taken_apart(left, names_b), _taken_apart(right, names_a)
    renamed_a: dict[str, Concept] = {}
    renamed_b: dict[str, Concept] = {}
    names_a, names_b = ({m.name for m in s.mentions} for s in (left, right))
    own_a, own_b = _alone(left, names_b), _alone(right, names_a)
    for own, side, names, renamed in ((own_a, left, names_b, renamed_a), (own_b, right, names_a, renamed_b)):
        for m in own:
            for other in senses(m.surface, side.lang):
                if other.id in names:
                    renamed[m.name] = other
                    break
    for m in own_a:
        if m.name in renamed_a:
            continue
        for n in own_b:
            if n.name in renamed_b:
                continue
            mine = {c.id: c for c in senses(m.surface, left.lang)}
            shared = next((c for c in senses(n.surface, right.lang) if c.id in mine), None)
            if shared is not None:
                renamed_a[m.name], renamed_b[n.name] = mine[shared.id], shared
                break
            if _one_script(m, n) and alike(m.surface, n.surface, left.lang if left.lang == right.lang else "en"):
                renamed_b[n.name] = Concept(m.name, n.pole if m.kind == n.kind else m.pole, m.weight, m.kind)
                break
    left, right = _modified(left, right)
    _transliterated(own_a, right, renamed_a, renamed_b)
    _transliterated(own_b, left, renamed_b, renamed_a)
    return _renamed(left, renamed_a), _renamed(right, renamed_b)


def _modified(left: Slots, right: Slots) -> tuple[Slots, Slots]:
    """English phrases of one concept and one last word that begin otherwise ("read timeout", "connect timeout"): what they
    begin with is a word of its own on each side."""
    extra: tuple[list[Mention], list[Mention]] = [], []
    for m in left.mentions:
        for n in right.mentions:
            if m.name != n.name or m.surface == n.surface or not (" " in m.surface and " " in n.surface):
                continue
            (first, _, last), (other, _, end) = m.surface.rpartition(" "), n.surface.rpartition(" ")
            if (
                stem(last) == stem(end)
                and not alike(first, other, "en")
                and m.surface.isascii()
                and n.surface.isascii()
            ):
                for row, mention, word in ((extra[0], m, first), (extra[1], n, other)):
                    row.append(replace(mention, name=stem(word), pole=1, weight=_LOOSE, kind="thing", surface=word))
    if not extra[0]:
        return left, right
    return (
        replace(left, mentions=(*left.mentions, *extra[0])),
        replace(right, mentions=(*right.mentions, *extra[1])),
    )


def _transliterated(own: list[Mention], other: Slots, renamed: dict[str, Concept], others: dict[str, Concept]) -> None:
    """A name of one word that the other side writes with marks and blanks: Haiphong, Hải Phòng."""
    if other.lang != "vi":
        return
    row = other.mentions
    bare = [strip_marks(m.surface.lower()).replace(" ", "") for m in row]
    for m in own:
        word = m.surface.replace(" ", "").replace("-", "")
        if m.name in renamed or not word.isascii() or len(word) < _COMMON_START:
            continue
        for i in range(len(row) - 1):
            if bare[i] + bare[i + 1] == word:
                name = Concept(m.name, 1, 1.0)
                renamed[m.name] = name
                others[row[i].name] = others[row[i + 1].name] = name
                break


def _one_script(m: Mention, n: Mention) -> bool:
    return bool(_HAN.match(m.surface)) == bool(_HAN.match(n.surface))


def _alone(side: Slots, others: set[str]) -> list[Mention]:
    return list({m.name: m for m in side.mentions if m.name not in others}.values())[:_MOST_ALONE]


def _renamed(side: Slots, names: Mapping[str, Concept]) -> Slots:
    if not names:
        return side
    mentions = tuple(
        replace(m, name=c.id, pole=c.pole, kind=c.sort) if (c := names.get(m.name)) else m for m in side.mentions
    )
    steps = frozenset(
        (word, frozenset(names[n].id if n in names else n for n in governed)) for word, governed in side.steps
    )
    return replace(side, mentions=mentions, steps=steps)
