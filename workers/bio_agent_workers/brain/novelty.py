"""Cheap likeness of texts: the template of a line, and how new a text is against recent ones. No embedding.

template() folds lines that differ only in numbers, ids, addresses, paths or times. signature() turns a text into a
small bit map of its word pairs, so that a comparison costs one AND and one OR of two integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

TEMPLATE_CHARS = 600  # characters of the template kept; a line's kind shows at its beginning
SIGNATURE_BITS = 1024  # room for about 100 shingles with few collisions
SKETCH_SIZE = 128  # shingles kept of a long text, those of smallest hash: a fair sample (bottom-k sketch, Broder 1997)
SIGNATURE_CHARS = 4_000  # characters read, half from each end; the ends of an output tell what it was
_TOKEN_CACHE = 8_192  # tokens; words of logs repeat
_LONG_TOKEN = 64  # characters; longer ones are data rather than words and are not worth caching

_NUM, _HEX, _ID, _TIME, _IP, _PATH, _URL = "<num>", "<hex>", "<id>", "<time>", "<ip>", "<path>", "<url>"
PLACEHOLDERS = frozenset((_NUM, _HEX, _ID, _TIME, _IP, _PATH, _URL))

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?"
# Whole tokens, tried in this order on what is left after brackets, quotes and end punctuation were taken off.
_WHOLE: Sequence[tuple[str, re.Pattern[str]]] = (
    (_URL, re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")),
    (_TIME, re.compile(rf"\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}(?:[T_]?{_CLOCK})?")),
    (_TIME, re.compile(rf"\d{{1,2}}([-/.])\d{{1,2}}\1\d{{4}}|{_CLOCK}")),
    (_IP, re.compile(r"/?\d{1,3}(?:\.\d{1,3}){3}(?::\d+|/\d{1,2})?")),
    (_IP, re.compile(r"(?=[^:]*:[^:]*:)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?")),
    (_ID, re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    (_PATH, re.compile(r"(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[/\\][^/\\\s]+)+[/\\]?(?::\d+)*")),
    (_PATH, re.compile(r"[\w.@-]+(?:/[\w.@+-]+)+/?(?::\d+)*")),
    (
        _HEX,
        re.compile(
            r"0[xX][0-9a-fA-F]+|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}|(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{7,128}"
        ),
    ),
    (_NUM, re.compile(r"[-+]?\d[\d.,_]*(?:%|[A-Za-zµ°]{1,3}(?:/s)?)?")),
)
_EDGES = re.compile(r"^([\"'`(\[{<]*)(.*?)([\"'`)\]}>.,;:!?]*)$", re.DOTALL)
# Where a composed token comes apart; ":" only after the rest, for it also holds times and ports together.
_SEPARATORS = (re.compile(r"([=,;|()\[\]{}<>\"'#@]+)"), re.compile(r"(:+)"))
_DIGITS = re.compile(r"\d+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD_EDGE = "\"'`()[]{}<>.,;:!?=|#"


@dataclass(frozen=True, slots=True)
class Signature:
    """Bit map of a text's shingles. bits: a non-negative integer below 2**1024, the same in every process."""

    bits: int


def template(text: str) -> str:
    """The text with what varies replaced by placeholders and blanks collapsed; equal for lines of one template.

    Masked: numbers (with a unit), hex and ids, times and dates, IP addresses with port, paths and URLs, and numbers
    within words (`worker7` → `worker<num>`). Words stay as they are. At most 600 characters.
    """
    head = text[: 2 * TEMPLATE_CHARS]
    return " ".join(map(_masked_word, head.split()))[:TEMPLATE_CHARS]


def signature(text: str) -> Signature:
    """Shingles of the template's words (single words and neighbours in pairs; Chinese by neighbouring characters).

    A text of numbers alone keeps them: "4300" and "5200" are different answers.
    """
    words = _words(_ends(text))
    hashes = {_word_hash(w) for w in words}
    hashes.update(_pair_hash(_word_hash(a), _word_hash(b)) for a, b in pairwise(words))
    sample: Iterable[int] = hashes if len(hashes) <= SKETCH_SIZE else sorted(hashes)[:SKETCH_SIZE]
    bits = 0
    for value in sample:
        bits |= 1 << (value * 0x9E3779B1 >> 7) % SIGNATURE_BITS
    return Signature(bits)


def similarity(a: Signature, b: Signature) -> float:
    """Jaccard similarity of two signatures, in [0, 1]; an empty one resembles nothing."""
    union = (a.bits | b.bits).bit_count()
    return (a.bits & b.bits).bit_count() / union if union else 0.0


def novelty(text: str, recent: Sequence[Signature]) -> float:
    """1 − similarity to the nearest of `recent`, in [0, 1]; an empty text says nothing new."""
    return novelty_of(signature(text), recent)


def novelty_of(own: Signature, recent: Sequence[Signature]) -> float:
    """As novelty(), for a signature already computed."""
    if not own.bits:
        return 0.0
    return 1.0 - max((similarity(own, other) for other in recent), default=0.0)


def _masked_word(word: str) -> str:
    if word.isalpha():
        return word
    return _mask(word) if len(word) > _LONG_TOKEN else _mask_cached(word)


def _mask(word: str) -> str:
    """One blank-free word with its variable parts masked; brackets, quotes and end punctuation stay outside."""
    edges = _EDGES.match(word)
    before, core, after = edges.groups() if edges else ("", word, "")
    whole = _whole(core)
    if whole is not None:
        return f"{before}{whole}{after}"
    return f"{before}{_mask_parts(core, 0)}{after}"


def _mask_parts(token: str, level: int) -> str:
    """`token` taken apart at the separators of `level`, each part masked as a whole or taken apart further."""
    if level == len(_SEPARATORS):
        return _DIGITS.sub(_NUM, token)
    parts = _SEPARATORS[level].split(token)
    return "".join(p if i % 2 else _whole(p) or _mask_parts(p, level + 1) for i, p in enumerate(parts))


_mask_cached = lru_cache(maxsize=_TOKEN_CACHE)(_mask)


def _whole(token: str) -> str | None:
    """The placeholder for a token that is variable as a whole, or None."""
    if not token:
        return None
    return next((placeholder for placeholder, pattern in _WHOLE if pattern.fullmatch(token)), None)


def _ends(text: str) -> str:
    half = SIGNATURE_CHARS // 2
    return text if len(text) <= SIGNATURE_CHARS else f"{text[:half]} {text[-half:]}"


def _words(text: str) -> list[str]:
    raw = text.split()
    words = [w for word in raw for w in _split_word(word)]
    if any(w not in PLACEHOLDERS for w in words):
        return words
    return raw


def _split_word(word: str) -> tuple[str, ...]:
    return _split(word) if len(word) > _LONG_TOKEN else _split_cached(word)


def _split(word: str) -> tuple[str, ...]:
    """The masked word in lower case without edge punctuation; a run of Chinese as its pairs of characters."""
    if not word.isascii() and _HAN.search(word):
        run = [c for c in _DIGITS.sub("0", word) if c.isalnum()]
        return tuple(a + b for a, b in pairwise(run)) or tuple(run)
    masked = _masked_word(word)
    if masked in PLACEHOLDERS:
        return (masked,)
    bare = masked.strip(_WORD_EDGE) if not masked.endswith(">") else masked
    return (bare.lower(),) if bare else ()


_split_cached = lru_cache(maxsize=_TOKEN_CACHE)(_split)


@lru_cache(maxsize=_TOKEN_CACHE)
def _word_hash(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _pair_hash(a: int, b: int) -> int:
    return (a * 0x85EBCA6B ^ b * 0xC2B2AE35) & 0xFFFFFFFF
