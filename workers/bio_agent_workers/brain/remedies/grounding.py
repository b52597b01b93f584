"""Whether what a model wrote rests on what it cites: its subject was spoken of there, and its literals stand there.

Told by words: inflected and shortened forms count as one, a word in another language by its concept. What is about
something else, or names an option, host or identifier that nothing shown to the model holds, was made up.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.relations import slots
from bio_agent_workers.brain.text import content_tokens, detect_lang, fold
from bio_agent_workers.brain.wordlists import word_list

RULE_SHARE = 0.2  # of a rule's words or concepts that the cited text must hold
READ_CHARS = 12_000  # of the cited text whose concepts are read
SHORT, STEM = 3, 5  # characters from which a shortened form, and from which an inflected one, is the same word

#: Words of any rule, which say nothing of what it is about.
_COMMON = frozenset(word_list(
    "not no before after all any always never must should only when while if then user users use uses using agent agents prefer"
    " prefers first please make sure do does ensure avoid check need needs way every each other new"
    " luôn trước sau phải không khi nếu hãy mọi mỗi cần đừng dùng"
))  # fmt: skip
_LITERAL = re.compile(
    r"(?<![\w-])--?[a-z][\w-]{2,}"  # an option
    r"|(?:https?|ftp|ssh)://[^\s\"'`<>()]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # an address
    r"|(?<![\w/])[a-z]\w*_\w+\b|\b[\w-]+\.(?:com|org|net|io|dev|test|invalid|local|vn|cn)\b",  # a name; paths become <path>
    re.IGNORECASE,
)
_OF_A_PERSON = re.compile(
    r"\b(?:the )?(?:user|owner|customer) (?:really )?(?:prefers?|likes?|wants?|loves?|hates?|dislikes?|asked|asks|expects?)\b"
    r"|(?:用户|客户|主人)(?:更|很|不)?(?:喜欢|偏好|希望|想要|讨厌|要求)|(?:người dùng|khách|chủ) (?:thích|muốn|ưa|ghét|yêu cầu)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[^\W\d_]{3,}")


def share(text: str, source: str) -> float:
    """Part of the text's content words or, if more, of its concepts that the source holds, in [0, 1]."""
    words = [w for w in content_tokens(text) if w not in _COMMON]
    heard = set(content_tokens(source))
    stems = {w[:STEM] for w in heard if len(w) >= STEM}
    short = tuple(w for w in heard if w.isalpha() and w.isascii() and len(w) >= SHORT)

    def known(word: str) -> bool:
        if word in heard or (len(word) >= STEM and word[:STEM] in stems):
            return True
        plain = word.isascii() and word.isalpha() and len(word) >= SHORT
        return plain and any(word.startswith(h) or h.startswith(word) for h in short)

    by_words = sum(map(known, words)) / len(words) if words else 0.0
    said, there = _concepts(text), _concepts(source[:READ_CHARS])
    return max(by_words, len(said & there) / len(said) if said else 0.0)


def _concepts(text: str) -> frozenset[str]:
    return frozenset(
        m.name for m in slots.read(text).mentions if not m.name.startswith("value:") and m.name not in _COMMON
    )


def invented(text: str, shown: str) -> str:
    """The first option, address or identifier of the text of which nothing that was shown holds a trace, else ""."""
    there = fold(shown)
    for literal in _LITERAL.findall(text):
        name = fold(literal).rstrip(".,;:/")
        if name in there:
            continue
        parts = [p for p in _PARTS.findall(name) if p not in _COMMON]
        if not any(p in there for p in parts):
            return str(literal)
    return ""


def fault(text: str, cited: str, shown: str, *, rule: bool, spoken: bool = True) -> str:
    """Why a model's sentence is not grounded, "" when it is. cited: what it names as its sources; shown: all that the
    model was given; spoken: whether a person's words are among the sources. A sentence in another language than its
    sources, when it is no rule, is held against nothing."""
    if not spoken and _OF_A_PERSON.search(text):
        return "it tells what a person wants, and no person spoke"
    if made_up := invented(text, shown):
        return f"{made_up[:60]!r} stands in nothing that was shown"
    found = share(text, cited)
    if found >= RULE_SHARE or (not rule and found > 0):
        return ""
    if detect_lang(text) != detect_lang(cited[:READ_CHARS]):
        return "" if not rule else "it shares no word or concept with its sources"
    return "it is about something else than its sources"
