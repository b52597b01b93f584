"""Words of a sentence that tell which of a kind it means, and that a call need not repeat: "a *public* registry", "the
*nightly* job backup-db".

Such a word stands in front of what it tells apart. A call that names the thing itself seldom says it as well; where it
does, it says it or its opposite. So what counts is whether the call shows another word in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import GENERIC, KINDS, STOP
from bio_agent_workers.brain.relations.vocabulary import concepts_of

#: Says of a thing that it is the speaker's, true or worth something: no call shows it.
NEVER_SHOWN = word_set(
    "ours own real actual genuine already yet worth precious valuable crucial vital essential whatsoever costs cost weighs totals totalling exceeding"
)
#: Words for things of any kind, in front of which a word tells the kind.
_ANY_KIND = word_set(
    "job jobs task tasks script scripts command commands repo repository project program workspace codebase"
)
_ADVERB = re.compile(r"(?!(?:hour|dai|week|month|year|night|quarter|fami|assemb|supp|rep|anoma|f)ly)[a-z]{3,}ly")


@cache
def _qualities() -> tuple[dict[str, tuple[str, int]], dict[tuple[str, int], frozenset[str]]]:
    """Pole of each word for a quality, and the words of each pole."""
    of: dict[str, tuple[str, int]] = {}
    words: dict[tuple[str, int], frozenset[str]] = {}
    for concept, columns in concepts_of("quality", "qualities.txt"):
        said = frozenset(phrase for phrase in columns[0] if phrase.isalpha())
        words[concept.id, concept.pole] = words.get((concept.id, concept.pole), frozenset()) | said
        of |= {word: (concept.id, concept.pole) for word in said if word not in of}
    return of, words


def is_quality(word: str) -> bool:
    """Whether a word says what something is like or how something is done, not what it is."""
    return word in _qualities()[0] or _ADVERB.fullmatch(word) is not None


def opposites(word: str) -> frozenset[str]:
    """Words for the opposite of a quality, {} where it has none."""
    of, words = _qualities()
    found = of.get(word)
    return words.get((found[0], -found[1]), frozenset()) if found else frozenset()


def qualifiers(clause: str, words: Sequence[str], *, anchored: bool, things: Iterable[str]) -> dict[str, str]:
    """The words of a clause that only tell which one of a kind is meant, each with the word behind it.

    words: what the clause says of its object. anchored: it names the object besides, by a name or number of its own; where it
    does not, only qualities are qualifiers, and only beside a word or thing that is none.
    """
    out = {word: behind for word in words if (behind := _behind(clause, word)) or _ADVERB.fullmatch(word)}
    if anchored:
        return out
    out = {word: behind for word, behind in out.items() if is_quality(word)}
    telling = [w for w in words if w not in out] or [t for t in things if t not in KINDS | GENERIC]
    return out if telling else {}


def _behind(clause: str, word: str) -> str:
    """The word that stands right behind a word, where it may be what that tells apart, else ""."""
    found = re.search(rf"(?<![\w-]){re.escape(word)}\s+[`'\"]?([A-Za-z0-9][\w./-]*)", clause, re.I)
    behind = found[1].lower() if found else ""
    return "" if behind in STOP - _ANY_KIND else behind
