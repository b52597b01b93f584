"""What an owner takes back of rules said before, and which of the known rules is meant.

`find` reads a turn as `reader.find` does: only the speaker's own words, no question, no supposition, nobody else's words.
`meant` compares what a retraction is about with the rules that could be meant: word by word within a language, concept by
concept across two. One rule and no doubt: it is meant; else the rules to ask about; none where nothing fits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from bio_agent_workers.brain.directives.grammar import GRAMMARS
from bio_agent_workers.brain.directives.ownership import is_mention, own_words
from bio_agent_workers.brain.directives.parts import MASK, sentences, without_mark
from bio_agent_workers.brain.directives.retraction_words import FRAMES, STILL_BARRED, Manner
from bio_agent_workers.brain.relations import canonical, slots
from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.text import HAN, detect_lang, fold

MAX_CHARS = 2_000  # of a turn; a longer one is material, not a word said to the agent
SENTENCE_CHARS = 300  # of a sentence; a longer one tells of something
MOST_ASKED = 3  # rules that one question may be about
_LEAD_WORDS = 1  # "Actually", "Okay": beside a retraction they say nothing
#: Least share of a rule's words that what was allowed, waived or replaced must hold to mean it, and to be asked about.
SURE, ASKED = 0.6, 0.5
_BINDS = re.compile(
    r"^(?:use|using|run|do|does|make|get|have|has|be|is|are|the|a|an|to|for|on|in|at|of|by|with|as|any|all|every(?:thing|one)?|ever|always|never"
    r"|please|now|from|too|again|more|anymore|also|just|only|it|you|we|my|our|your|not|no|don'?t|doesn'?t|must|should|may|can|will|that|this"
    r"|and|or|dùng|sử|dụng|xài|chạy|bằng|cho|vào|trên|ở|thì|là|mà|và|các|những|việc|nay|giờ|từ|luôn|khi|nữa|đi|rồi|lại|cũng|được|phép|bao"
    r"|cấm|không|đừng|để|có|thể|nhé|nha|phải|hãy|em|bạn|[用使在里的了把将都要须必上时候给再也就能可以后每次着过而为和与得不别勿禁止请永远许准前直接])$",
    re.IGNORECASE,
)
_TERM = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:[.:'][^\W_{HAN}]+)*")
_POINTING = re.compile(  # "that rule": it says which only to who heard what was said before
    r"(?:这|那|上|前)?(?:一)?(?:条|个|些|句)|刚才|之前|(?:đó|này|đấy|ấy|kia|trên|vừa rồi|vừa|lúc nãy|vừa nói)(?: rồi)?|that|this|it",
    re.IGNORECASE,
)
_FORBIDDING = frozenset({Manner.ALLOWED, Manner.FOUND_FINE})
_ASKING = frozenset({Manner.WAIVED, Manner.REPLACED})


@dataclass(frozen=True, slots=True)
class Retraction:
    """manner, what it is about in the speaker's words ("" where it only points back), and the sentence that says it; whole:
    the sentence says nothing else."""

    manner: Manner
    about: str
    said: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Meant:
    """lifted: ids of the rules that fall, none or one. asked: ids of those that a person is asked about."""

    lifted: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def find(text: str) -> list[Retraction]:
    """What one turn takes back, in order; at most one of each sentence."""
    if not text.strip() or len(text) > MAX_CHARS:
        return []
    body = own_words(unicodedata.normalize("NFC", text))
    out: list[Retraction] = []
    for sentence in sentences(body):
        own = without_mark(sentence.masked.replace(MASK, " ")).strip()
        if sentence.only_quote or sentence.question or is_mention(body[sentence.start : sentence.end]):
            continue
        if not own or len(own) > SENTENCE_CHARS:
            continue
        lang = detect_lang(own)
        grammar = GRAMMARS[lang]
        if grammar.HYPOTHETICAL.search(own) or _CONDITION.search(own) or _reported(own, lang):
            continue
        found = _of_sentence(own, lang)
        if found is not None:
            out.append(found)
    return out


# "If the owner agrees you may …", "once CI is green …": a rule of its own, under which the older one may well stand.
_CONDITION = re.compile(
    r"\b(?:if|unless|once(?! (?:more|again))|as long as|provided|in case|until)\b|如果|要是|假如|只要|除非|的话|等到"
    r"|\b(?:nếu|miễn là|trừ khi|khi nào)\b",
    re.IGNORECASE,
)
_SAYS = {
    "en": re.compile(
        r"\b(?:says?|said|told|wrote|claims?|claimed|thinks?|according to)\b(?<!I said)(?<!what I said)", re.I
    ),
    "zh": re.compile(r"(?<!我)(?<!刚才)(?<!之前)(?<!上次)(?:说(?!的|过)|声称|认为|告诉)"),
    "vi": re.compile(r"\b(?:bảo|nói(?! về)|báo|cho rằng|nghĩ)\b", re.I),
}


def _reported(own: str, lang: str) -> bool:
    """Whether it tells what somebody else says."""
    first = {
        "en": r"\b(?:I|we)\b[^.]{0,20}\bsaid\b",
        "zh": r"我[^。]{0,4}说",
        "vi": r"\b(?:anh|tôi|mình|chị)\b[^.]{0,12}\bnói\b",
    }[lang]
    return bool(_SAYS[lang].search(own)) and not re.search(first, own, re.I)


def _of_sentence(own: str, lang: str) -> Retraction | None:
    """What a sentence takes back, by the first frame that fits: what is named tells more than "forget that"."""
    for manner, frame in FRAMES[lang]:
        m = frame.search(own)
        if m is None:
            continue
        groups = m.groupdict()
        about = " ".join(g.strip() for name in ("before", "about", "after") if (g := groups.get(name)))
        if manner is Manner.NAMED and _POINTING.fullmatch(about):
            manner, about = Manner.POINTED, ""
        barred = manner in _FORBIDDING and STILL_BARRED[lang].search(about)
        if not barred and (manner is Manner.POINTED or terms(about)):
            rest = terms(f"{own[: m.start()]} {own[m.end() :]}")
            return Retraction(manner, about, own, whole=len(rest) <= _LEAD_WORDS)
    return None


def meant(retraction: Retraction, rules: Mapping[str, str]) -> Meant:
    """Which of the rules (id → text) is taken back; not asked for one that only points back (`POINTED`)."""
    scored: list[tuple[float, float, str]] = []
    for rule_id, text in rules.items():
        if not _fits(retraction.manner, text):
            continue
        of_about, of_rule = _shares(retraction, text)
        if of_about:
            scored.append((of_about, of_rule, rule_id))
    if not scored:
        return Meant()
    scored.sort(key=lambda s: (-s[0], -s[1], s[2]))
    named = retraction.manner is Manner.NAMED
    sure = {Manner.NAMED: 0.0, Manner.REPLACED: ASKED, Manner.FOUND_FINE: 1.0}.get(retraction.manner, SURE)
    whole = [s for s in scored if s[0] == 1.0 and s[1] >= sure]
    if len(whole) == 1 or (len(whole) > 1 and whole[0][1] == 1.0 > whole[1][1]):
        return Meant(lifted=(whole[0][2],))
    if whole:
        return Meant(asked=tuple(i for _, _, i in whole[:MOST_ASKED]))
    if retraction.manner is Manner.REPLACED:
        return Meant()  # the newer rule itself is held against the older ones
    least = 0.0 if named else ASKED
    more = 1.0 if retraction.manner is Manner.FOUND_FINE else ASKED
    near = [s for s in scored if s[0] >= more and s[1] > least]
    return Meant(asked=tuple(i for _, _, i in near[:MOST_ASKED]))


def takes_the_place(newer: str, older: str) -> bool:
    """Whether the newer of two rules that contradict each other says itself that it stands for what the older one asks."""
    return any(one.about and _shares(one, older)[0] == 1.0 and _fits(one.manner, older) for one in find(newer))


def _fits(manner: Manner, rule: str) -> bool:
    """Whether a rule is of the sort that is taken back so: a ban is lifted, a duty waived or replaced."""
    forbidden = forbids(rule)
    return not (manner in _FORBIDDING and not forbidden) and not (manner in _ASKING and forbidden)


def forbids(text: str) -> bool:
    """Whether a rule says what must not be done."""
    return canonical.read(text).mood == "not" or bool(GRAMMARS[detect_lang(text)].negative(text))


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """The words that say what a rule is about, stemmed; Chinese by the character. None that only bind, forbid or allow."""
    return frozenset(stem(w) if w.isascii() else w for w in _TERM.findall(fold(text)) if not _BINDS.match(w))


@lru_cache(maxsize=4096)
def _concepts(text: str) -> frozenset[str]:
    read = slots.read(text)
    return frozenset(m.name for m in read.mentions if m.name != "use" and not _BINDS.match(m.surface)) | read.weekdays


def _shares(retraction: Retraction, rule: str) -> tuple[float, float]:
    """(share of what is asked about that the rule holds, share of the rule that is asked about), each 0 to 1."""
    same = detect_lang(retraction.said) == detect_lang(rule)
    ours, theirs = (terms(t) if same else _concepts(t) for t in (retraction.about, rule))
    common = len(ours & theirs)
    return (common / len(ours), common / len(theirs)) if common else (0.0, 0.0)
