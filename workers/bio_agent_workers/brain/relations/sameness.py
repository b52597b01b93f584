"""Whether two texts that read alike are about different things, and whether two that are worded apart say one thing.

What keeps two texts apart: a value (digits, units, versions, dates), a name or word that each has for itself, opposite words
of place and order (before and after, from and to), the order in which the same things are named. Nearness decides nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from bio_agent_schema.types import Relation
from bio_agent_workers.brain.quantities import values
from bio_agent_workers.brain.relations import canonical, slots
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.distinctions import distinct
from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.text import HAN, content_tokens, detect_lang, fold, tokens
from bio_agent_workers.brain.wordlists import word_list

# Verbs that carry no meaning of their own: "stands on" is "is on".
_LIGHT = frozenset(
    word_list(
        "use uses used stand stands stood lie lies sit sits is are be was has have do does did make makes made put"
        " locat located found 用 使用 在 位于 是 有 做 进行 dùng nằm ở đặt có là"
    )
)

# "Before anything else" and "first of all" say what "first" says.
_FIRST = re.compile(
    r"\bfirst of all\b|\bfirst thing\b|\bbefore (?:anything|everything|all)(?: else)?\b|\bto begin with\b|\bas a first step\b"
    r"|^\W*first\b(?=[\s,:])|\bfirst(?=\W*$)|\bfirst(?=, )"
    r"|首先|最先|第一步|(?:在)?(?:做)?(?:任何|其他|别的)(?:事情?|操作|工作)?(?:之前|以前|前)"
    r"|\b(?:trước hết|trước tiên|đầu tiên|trước khi làm (?:bất cứ|bất kỳ) (?:điều|việc) gì(?: khác)?)\b"
)
_OWNER = re.compile(r"\b(\w{1,60})['’]s\b")  # bounded: of a word without an end every place would be a beginning
_ATTRIBUTIVE = re.compile(rf"(?<=[{HAN}])(?<!目)的(?=[{HAN}])")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
# Words of one row exclude each other: a text with one of them does not say what a text with the other says.
_OPPOSITE: dict[str, tuple[tuple[frozenset[str], frozenset[str]], ...]] = {
    lang: tuple((frozenset(a.split()), frozenset(b.split())) for a, b in rows)
    for lang, rows in {
        "en": (
            ("from", "to into onto"), ("before", "after since"), ("first", "last"), ("with", "without"), ("above", "below"),
            ("over", "under"), ("on", "off"), ("in inside", "out outside"), ("up", "down"), ("more", "less fewer"),
            ("all every", "some"), ("left", "right"), ("until", "from since"), ("older", "newer"), ("max", "min"),
        ),
        "zh": (
            ("从 自 由", "到 往 向 至"), ("之前 以前 前", "之后 以后 后"), ("首先 最先 先", "最后"), ("上", "下"), ("内 里", "外"),
            ("左", "右"), ("多", "少"), ("大", "小"), ("开", "关"),
        ),
        "vi": (
            ("từ", "đến tới sang vào"), ("trước", "sau"), ("đầu", "cuối"), ("trên", "dưới"), ("trong", "ngoài"),
            ("trái", "phải"), ("nhiều", "ít"), ("mở bật", "đóng tắt"),
        ),
    }.items()
}  # fmt: skip
# A letter that is a name: "port A", "Kho B", "C班"; not the article at the beginning of a sentence.
_LETTER = re.compile(r"(?<![A-Za-zÀ-ỹ0-9_])(?!^[A-Z]\s)(?<![.!?]\s)(?!I\b)[A-Z](?![A-Za-zÀ-ỹ0-9_'’.])")
_MARKERS = {lang: frozenset({"of"}).union(*(a | b for a, b in rows)) for lang, rows in _OPPOSITE.items()}
_ARTICLES = frozenset(word_list("the a an this that its their our your my các những một cái"))


def _named(text: str) -> frozenset[str]:
    """Names of concepts and words; one that means the opposite of its concept ("delete" of "keep") is a name of its own."""
    return frozenset(n for n in _all_names(text) if not n.startswith("value:"))


def _all_names(text: str) -> frozenset[str]:
    return frozenset(_name(m) for m in _mentions(text))


def _name(m: slots.Mention) -> str:
    return f"-{m.name}" if m.pole < 0 else m.name


def _mentions(text: str) -> tuple[slots.Mention, ...]:
    return slots.read(_plain(text)).mentions


def _plain(text: str) -> str:
    """The text without the marks of possession and attribution, which say nothing of their own."""
    return _ATTRIBUTIVE.sub("", _POSSESSIVE.sub("", text))


def differ(a: str, b: str) -> bool:
    """Whether the texts differ in a value, or each has a word or concept of its own ("Beijing's stock", "Shanghai's
    stock"), or they name the same in opposite places ("from main", "to main"). A text that only adds words, or says the
    same by synonyms of the vocabulary, does not differ."""
    if a == b:
        return False
    if values(a) != values(b) or distinct(a, b) or _lettered_apart(a, b):
        return True
    ours, theirs = _named(a), _named(b)
    return (bool(ours - theirs) and bool(theirs - ours)) or _other_choice(a, b) or opposed(a, b)


def _lettered_apart(a: str, b: str) -> bool:
    """Whether each names something by a letter that the other does not ("port A", "port B")."""
    ours, theirs = set(_LETTER.findall(a)), set(_LETTER.findall(b))
    return bool(ours - theirs) and bool(theirs - ours)


def narrows(a: str, b: str) -> bool:
    """Whether one text names a thing, a quality, a choice or a condition that the other does not: what it asks is another
    thing then, however alike they are."""
    extra = _all_names(a) ^ _all_names(b)
    return any(m.kind != "act" or m.conditional for text in (a, b) for m in _mentions(text) if _name(m) in extra)


def _other_choice(a: str, b: str) -> bool:
    """Whether they choose otherwise among what excludes each other in the vocabulary (two colours, two places)."""
    ours, theirs = _choices(a), _choices(b)
    return any(not ours[group] & theirs[group] for group in ours.keys() & theirs.keys())


def _choices(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name in _all_names(text):
        kind, mark, rest = name.partition(":")
        if mark and kind in ("value", "scope"):
            group, _, member = rest.partition(":")
            found.setdefault(f"{kind}:{group}", set()).add(member)
    return found


def restates(a: str, b: str) -> bool:
    """Whether the texts say one thing: both or neither "first", and without that one canonical form, or the same mood and
    order of things, nothing that opposes them, and nothing that one says alone but a verb of its own way to say it."""
    if fold(a) == fold(b):
        return True
    if bool(_FIRST.search(fold(a))) != bool(_FIRST.search(fold(b))):
        return False
    a, b = _without_first(a), _without_first(b)
    if distinct(a, b) or _lettered_apart(a, b):
        return False
    if canonical.canonicalize(a).key == canonical.canonicalize(b).key:
        return True
    if differ(a, b):
        return False
    reading = relate(a, b)
    if reading.decided and reading.relation is not Relation.EQUIVALENT:
        return False
    if canonical.read(a).mood != canonical.read(b).mood or _order(a, b) != _order(b, a):
        return False
    return _same_names(a, b) or (reading.decided and not narrows(a, b))


def _same_names(a: str, b: str) -> bool:
    """Whether both name the same, light verbs apart: whatever else one says alone narrows or widens what it says."""
    ours, theirs = _all_names(a), _all_names(b)
    extra = ours ^ theirs
    alone = {fold(m.surface) for text in (a, b) for m in _mentions(text) if _name(m) in extra}
    return bool(ours & theirs) and alone | (_rest(a) ^ _rest(b)) <= _LIGHT


def _rest(text: str) -> frozenset[str]:
    """Words of content that no name covers: "every night", "every week"."""
    lang = detect_lang(text)
    plain = _plain(fold(text))
    covered = {stem(w) for m in _mentions(text) for w in tokens(fold(m.surface), lang)}
    return frozenset(stem(w) for w in content_tokens(plain, lang)) - covered


def _without_first(text: str) -> str:
    return _FIRST.sub(" ", fold(text)).strip(" ,，:;")


def opposed(a: str, b: str) -> bool:
    """Whether one text has a word of place or order where the other has its opposite, or the same word before another
    thing ("copy from staging to production", "copy from production to staging")."""
    ours, theirs = _placed(a), _placed(b)
    lang = detect_lang(a)
    if lang != detect_lang(b):
        return False
    for one, other in _OPPOSITE.get(lang, ()):
        has_a, has_b = ([bool(words & side.keys()) for words in (one, other)] for side in (ours, theirs))
        if any(has_a) and any(has_b) and not any(m and y for m, y in zip(has_a, has_b, strict=True)):
            return True
    names_a, names_b = (frozenset(tokens(_POSSESSIVE.sub("", fold(x)), lang)) for x in (a, b))
    for m in ours.keys() & theirs.keys():
        mine, yours = ({after[0] for after in side[m] if after} for side in (ours, theirs))
        if mine != yours and mine <= names_b and yours <= names_a:
            return True
    return False


@lru_cache(maxsize=4096)
def _placed(text: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Word of place or order → up to two words after it, each time it stands there; under "of" whose something is. In
    Chinese, where words have no borders, only which of them are there."""
    lang = detect_lang(text)
    marks = _MARKERS.get(lang, frozenset())
    folded = fold(text)
    if lang == "zh":
        return {m: () for m in marks if m in folded}
    found: dict[str, list[tuple[str, ...]]] = {}
    for owner in _OWNER.findall(folded) if lang == "en" else ():
        found.setdefault("of", []).append((owner,))
    words = [w for w in tokens(_POSSESSIVE.sub("", folded), lang) if w not in _ARTICLES]
    for at, word in enumerate(words):
        if word in marks:
            after = takewhile(lambda w: w not in marks, words[at + 1 : at + (2 if word == "of" else 3)])
            found.setdefault(word, []).append(tuple(after))
    return {m: tuple(after) for m, after in found.items()}


def _order(text: str, other: str) -> list[str]:
    """The things that both texts name, in the order of this one, but for those that a word of place governs."""
    shared = _named(text) & _named(other)
    governed = {w for side in (text, other) for after in _placed(side).values() for words in after for w in words}
    seen = [
        m.name for m in _mentions(text)
        if m.name in shared and m.kind == "thing" and fold(m.surface) not in governed
    ]  # fmt: skip
    return list(dict.fromkeys(seen))
