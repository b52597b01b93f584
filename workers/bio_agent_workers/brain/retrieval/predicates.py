"""What a short statement says of its subject where that has one value at a time: where it is, or who or what it is.

"I live in Leipzig", then "I moved to Hamburg last week": the same subject, the same question answered, another value.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bio_agent_workers.brain.text import HAN

MOST_CHARS = 160  # of a statement that is read; a longer one says more than one thing

_LEAD = (
    r"(?:(?:since|as of|from) [^,]{1,20}?,? |(?:now|today|update|correction|from now on|từ nay|hiện nay|bây giờ)[,:]? "
    r"|(?:现在|更正|更新)[，：:]?)?"
)
_SUBJECT = r"(?P<subject>[^,;.，；。]{1,60}?)"
_VALUE = r"(?P<value>[^,;，；。]{1,60}?)"
_TAIL = (
    r"(?: (?:now|today|since [^,]+|last (?:week|month|year|spring|summer|autumn|winter)|this (?:week|month|year)"
    r"|yesterday|recently|as of [^,]+|rồi|hôm qua|tuần trước|tháng trước)|了)?[.!。！]?$"
)
_MOVED = (
    r"(?:(?:has |have |was |were |is |are )?(?:now )?(?:moved|relocated|migrated)(?: from [^,;]{1,30}?)? (?:over )?to "
    r"|(?:已经?|最近|上周|上个月)?(?:从[^，。]{1,15})?(?:搬|迁|移)(?:到|至|去)了?"
    r"|(?:đã |mới |vừa )?(?:chuyển|dời)(?: từ [^,;]{1,30}?)? (?:đến|sang|tới|về|vào|ra|qua) )"
)
_STAYS = (
    r"(?:lives? in |(?:is|are|am) (?:now )?(?:based|located|hosted|living) (?:in|at) |(?:is|are) (?:now )?(?:in|at) "
    r"|(?:现在)?(?:住在|位于|放在|在)|(?:hiện )?(?:đang )?(?:(?:sống|nằm|đặt|ở) (?:ở|tại) |ở |tại ))"
)
_IS = r"(?:is (?:now )?|(?:现在)?(?:改)?是|(?:giờ |hiện )?là )"
_FORMS = tuple(
    (name, re.compile(rf"{_LEAD}{_SUBJECT}(?: |(?<=[{HAN}])|(?=[{HAN}])){verb}{_VALUE}{_TAIL}", re.IGNORECASE))
    for name, verb in (("place", _MOVED), ("place", _STAYS), ("is", _IS))
)
# Of these there are several at a time, so that another value replaces nothing.
_SEVERAL = re.compile(
    r"(?:an?|one|some|another|it|this|that|there|what|which|who)\b|[^ ]*(?:之一|这|那)|(?:một|đó|đây)\b|.*\b(?:one of|một trong)\b"
)
_NAME = re.compile(
    rf"(?:the |a |an )?(?:[A-ZÀ-ỸĐ\d][\w.&+-]*)(?: (?:[A-ZÀ-ỸĐ\d][\w.&+-]*|of|and|de|the)){{0,4}}|[{HAN}]{{2,8}}(?<!的)"
)
_ARTICLE = re.compile(r"(?:the|our|my) ")


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[str, str, str] | None:
    """(which question, the subject, the value), the subject in one spelling; None for a statement of another form."""
    said = " ".join(text.split())
    if len(said) > MOST_CHARS:
        return None
    for name, form in _FORMS:
        if (found := form.match(said)) is None:
            continue
        subject, value = found["subject"].strip().casefold(), found["value"].strip()
        if _SEVERAL.match(subject) or not _NAME.fullmatch(value):
            return None
        return name, _ARTICLE.sub("", subject, count=1) if name == "place" else subject, value
    return None


def reads(text: str) -> bool:
    """Whether a statement is of a form in which another value replaces the one it gives."""
    return _read(text) is not None


def other_value(newer: str, older: str) -> bool:
    """Whether both answer the same question about the same subject, each with another value."""
    here, there = _read(newer), _read(older)
    return (
        here is not None and there is not None and here[:2] == there[:2] and here[2].casefold() != there[2].casefold()
    )
