"""The terms under which a text is found by words, and BM25's arithmetic over them.

One scheme for every language, so that a query needs no language of its own: Latin words are stemmed (English) and also
kept without diacritics (Vietnamese typed either way), identifiers are kept whole and in parts, Chinese is read as
overlapping bigrams. Of a learned rule's sentence only what fills its template is read, not the words of the template.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

import snowballstemmer

from bio_agent_workers.brain.retrieval.rule_frames import slots
from bio_agent_workers.brain.text import HAN, STOP_WORDS, fold, strip_marks

K1 = 1.2  # saturation of repeated words; the usual value of Robertson and Zaragoza (2009)
B = 0.75  # how far length counts
MAX_TERMS = 512  # distinct terms kept of one text; a longer text is cut into facts before it comes here
MAX_TERM_CHARS = 64  # a longer token (a hash, a base64 run) is cut: its beginning names it well enough

_ENGLISH = snowballstemmer.stemmer("english")
_WORD = re.compile(rf"[{HAN}]+|[^\W_](?:\w|[./:@+'-](?=\w))*", re.UNICODE)
_HAN = re.compile(f"[{HAN}]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^\w]+|_+")
# Words of grammar, which a text holds whatever it is about. Vietnamese ones count only with their marks: without them
# many are words of English ("may", "con").
_STOP = STOP_WORDS["en"] | frozenset(
    ["how", "why", "did", "does", "when", "where", "what", "who", "which", "whose", "whom", "many", "much", "often"]
)
_STOP_MARKED = frozenset(
    w for w in (*STOP_WORDS["vi"], "gì", "nào", "đâu", "mấy", "nhiêu", "thế") if strip_marks(w) != w
)
# Chinese has no blanks: the words of a question would give bigrams that any text about anything shares.
_ASKING = re.compile("为什么|什么|怎么样?|怎样|如何|多少|哪[里儿个些]?|谁|几时|[我你他她咱]们|是不是|有没有|[吗呢]")


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return str(_ENGLISH.stemWord(word))


def _forms(token: str) -> Iterator[str]:
    """The terms one token gives: itself (stemmed, without marks), with its marks where it has some, and its parts."""
    token = token.strip("'-.:/+@").removesuffix("'s")
    if not token:
        return
    bare = strip_marks(token)
    if token in _STOP_MARKED:
        return
    if token != bare:
        yield token[:MAX_TERM_CHARS]
    if bare.isascii() and bare.isalpha():
        if bare not in _STOP:
            yield _stem(bare)[:MAX_TERM_CHARS]
        return
    yield bare[:MAX_TERM_CHARS]
    parts = [p for p in _PARTS.split(bare) if p]
    if len(parts) > 1:
        for part in parts:
            if part not in _STOP and (len(part) > 1 or part.isdigit()):
                yield (_stem(part) if part.isascii() and part.isalpha() else part)[:MAX_TERM_CHARS]


@lru_cache(maxsize=1024)
def _counted(text: str) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    filled = slots(text)
    text = text if filled is None else filled
    for token in _WORD.findall(fold(text)):
        if _HAN.match(token):
            for run in filter(None, _ASKING.split(token)):
                counts.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            counts.update(_forms(token))
    for word in re.findall(r"\w+", text):  # an identifier in camel case is looked for by its parts too
        if len(parts := _CAMEL.split(word)) > 1:
            for part in parts:
                counts.update(_forms(part.casefold()))
    return tuple(counts.most_common(MAX_TERMS))


def terms(text: str) -> dict[str, int]:
    """Term → how often it occurs; at most MAX_TERMS, the most frequent first. Empty for a text without words."""
    return dict(_counted(text))


def length(counts: Mapping[str, int]) -> int:
    """A text's length in terms, for BM25's normalisation."""
    return sum(counts.values())


def idf(matching: int, total: int) -> float:
    """Inverse document frequency, > 0 also for a term in every text: ln(1 + (N − n + 0.5)/(n + 0.5))."""
    return math.log(1 + (total - matching + 0.5) / (matching + 0.5))


def bm25(frequency: int, size: int, mean_size: float, weight: float) -> float:
    """One term's share of a text's score: idf · f·(k1 + 1)/(f + k1·(1 − b + b·size/mean))."""
    return weight * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * size / max(1e-9, mean_size)))
