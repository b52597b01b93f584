"""Names in a rule's text that say which one of a kind is meant: "node-11", "Gdansk", "số 3", 苏州仓, `billing_a`.

Two rules that name different ones of a kind speak of different things, however alike their words are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bio_agent_workers.brain import quantities
from bio_agent_workers.brain.relations.vocabulary import stemmed_phrase, vocabulary
from bio_agent_workers.brain.text import HAN, detect_lang

_LATIN = re.compile(rf"(?<![\w{HAN}])[^\W_{HAN}](?:[^\W{HAN}]|[-./](?=[^\W{HAN}]))*|\.[a-z][\w.]*")
_OPENS = re.compile(r"(?:^|[.!?:;。！？：；\n\"“(])\s*$")
_NUMBERED = re.compile(
    rf"\b(?i:no\.|number|nr\.?|line|aisle|zone|gate|dock|bay|room|floor|level|tier|unit|station|plant|site|shift|team|phase|"
    rf"class|grade|type|số|máy|kho|phòng|tầng|ca|tổ|đội|lớp|nhóm|loại|cửa|bậc|cấp) (\d+[a-z]?|[A-Z])\b"
    rf"|([一二三四五六七八九十\d甲乙丙丁A-Za-z]+)(?:号(?![前后以之起])|类|级|组|区|栋|楼)|(?:项目|方案|仓库?|车间|班组|客户)([甲乙丙丁A-Z\d]+)"
    rf"|\b[a-z]+ (one|two|three|four|five|six)\b(?= (?:is|are|goes|has|must|may|runs|gets|uses|starts|needs)\b)"
    rf"|\b[a-zà-ỹđ]{{2,}} ([A-Z])\b(?!'|\.\w)"
    rf"|(?<![{HAN}])([甲乙丙丁])(?=[{HAN}])"
)
# What follows a subject: "Anna takes", "Ben's", "Dockyard is".
_SUBJECT = re.compile(
    r"(?:'s| (?:is|are|was|has|have|can|may|must|should|will|does|never|always|only|[a-z]+[^s\W]s)\b)"
)
_CODE = re.compile(r"[_/\\@]|[a-z][A-Z]|\w\.\w|^\.|\d[A-Za-z-]|[A-Za-z-]\d")


def _common(word: str, lang: str) -> bool:
    """Whether a word is one of the vocabulary, in any form."""
    known = vocabulary()
    english = word in known.table["en"] or stemmed_phrase(word) in known.table["en"] or word in known.ops["en"]
    return english or (lang == "vi" and word in known.table["vi"])


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[str]:
    """Folded names of a text: identifiers, capitalised words inside a sentence, numbers and letters of a series."""
    taken = [(start, end) for start, end, _, unit in quantities.spans(text) if unit]
    known = vocabulary()
    lang = detect_lang(text)
    found: set[str] = set()
    for m in _LATIN.finditer(text):
        word = m[0].strip("-./'")
        if any(s < m.end() and m.start() < e for s, e in taken) or word.isdigit() or not word:
            continue
        lower = word.lower()
        if _CODE.search(word):
            found.add(lower)
        elif word[0].isupper() and len(word) > 1 and not _common(lower, lang):
            opens = _OPENS.search(text[: m.start()]) and not word[1:2].isupper()
            if not opens or (lang == "en" and _SUBJECT.match(text[m.end() :])):
                found.add(lower)
    for m in _NUMBERED.finditer(text):
        if not any(s < m.end() and m.start() < e and (s, e) != m.span() for s, e in taken):
            found.add("#" + next(g for g in m.groups() if g).lower())
    return frozenset(n for n in found if not any(n in known.values[column] for column in ("en", lang)))
