"""A text as a reader sees it: without what is invisible, without marks of Markdown, look-alike letters made Latin."""

from __future__ import annotations

import re
import unicodedata

# Cyrillic and Greek letters that look like a Latin one (the common ones of Unicode's confusables, UTS 39).
_LATIN = str.maketrans(
    "абвгдеёзіїјкмнорсԛѕтухһԁѡѵԝьАВЕЅІЈКМНОРСТУХԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεηικνορτυχγϲѐѝо",
    "a6brgee3iijkmhopcqstyxhdwvwbABESIJKMHOPCTYXQWABEZHIKMNOPTYXaBenikvoptuxyceuo",
)
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)?|\[[^\[\]]*\])")
_MARKS = re.compile(r"[`*~\\]+|(?<!\w)_+|_+(?!\w)")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_WORD = re.compile(r"[^\W\d_]+")


def _visible(text: str) -> str:
    composed = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    kept = "".join(c for c in composed if unicodedata.category(c) != "Cf")
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", kept)).split())


def plain(text: str) -> str:
    """The text for matching."""
    return _visible(text).translate(_LATIN)


def mixed(text: str) -> bool:
    """Whether a word has Latin letters beside look-alikes of others: no language writes so, a disguise does. Signs that
    look like no Latin letter (the μ of μm) are none."""
    words = _WORD.findall(_visible(text))
    return any(_LATIN_LETTER.search(w) and any(ord(c) in _LATIN for c in w) for w in words)
