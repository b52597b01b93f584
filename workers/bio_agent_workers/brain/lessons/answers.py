"""What an owner says after a failure that leaves nothing open in it: that it is settled, that it was to be expected, or a
standing directive on the very thing.

What the assistant claims, and what nobody vouches for, answers nothing. A directive on something else does not either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bio_agent_workers.brain.directives.ownership import own_words
from bio_agent_workers.brain.directives.parts import MASK, mask
from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.lessons.reports import affirmed
from bio_agent_workers.brain.remedies.grounding import share
from bio_agent_workers.brain.text import content_tokens

MAX_CHARS = 1500  # a longer turn is material
SUBJECT_CHARS = 2000  # of a failure that is read for what it is about
ASKED_CHARS = 300
ABOUT_IT = 0.25  # share of a directive's words or concepts that what just failed must hold
ABOUT_EARLIER = 0.5  # the same where something else has been done since
REPEATS = 0.6  # share of a failure's words from which it is the newest one over again

_SETTLED = re.compile(
    r"\b(?:fixed|solved|resolved|repaired|sorted(?: out)?|all good now|back (?:up|online)"
    r"|(?:works?|working|running|online) (?:again|now|fine))\b"
    r"|(?:修好|解决|搞定|弄好|处理好|恢复(?:正常)?|好)了"
    r"|(?<!\w)(?:(?:sửa|xử lý|khắc phục|giải quyết)(?: được)? (?:xong|rồi)|(?:chạy|hoạt động|dùng|in|gửi) (?:lại )?được rồi|ổn rồi"
    r"|đã (?:sửa|khắc phục|xử lý))(?!\w)",
    re.IGNORECASE,
)
_WAIVED = re.compile(
    r"\b(?:(?:is|was|are|were|'s|’s) (?:totally |quite |perfectly )?(?:expected|intended|intentional|on purpose|by design|harmless|normal)"
    r"|(?:ignore|disregard|never mind|don't worry about|not a problem|no problem)(?: (?:it|that|this|the|about))*"
    r"(?: (?:\w+ )?(?:error|failure|warning|alarm|one))?(?=[.,;:!]|$| here\b))"
    r"|(?:是|属于)?(?:正常(?:现象|的)|预期(?:之内|内|的)|故意的)|(?:不用|不必|别)(?:管|理|在意)(?:它|这个|这条)?(?:报错|错误|告警)?"
    r"|忽略(?:它|这个|这条)?(?:报错|错误|告警|即可|就行)"
    r"|(?<!\w)(?:(?:là |lỗi (?:này|đó) )(?:bình thường|cố ý|đã biết trước)|(?:bỏ qua|kệ|mặc kệ) (?:lỗi )?(?:này|đó|nó|đi)"
    r"|không (?:sao|cần (?:để ý|quan tâm|xử lý)))(?!\w)",
    re.IGNORECASE,
)
#: A clause that asks, or tells of what may come, states nothing.
_OPEN = re.compile(
    r"[?？]\s*$|[吗么]\s*$|\b(?:if|when|once|after|until|unless|as soon as|will|would|should|must|needs?|tomorrow|later|hope(?:fully)?"
    r"|maybe|try|did|does|do|can|could|please|get|has to|have to)\b|如果|等|之前|明天|希望|可能|什么时候|才能"
    r"|(?<!\w)(?:nếu|khi nào|sẽ|mai|chắc|hy vọng|phải|cần)(?!\w)",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:always|never(?! mind)|must|only ever|at (?:most|least)|no more than|from now on|in future|every time)\b"
    r"|一律|必须|务必|不许|不得|严禁|禁止|以后|今后|每次|最多|至少"
    r"|(?<!\w)(?:luôn|từ nay|không bao giờ|bắt buộc|cấm|không được|tối đa|tối thiểu|mỗi lần)(?!\w)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\s*$|[吗么]\s*$")
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
_CLAUSE = re.compile(r"(?<=[.!?。！？;；，,\n])\s*")
_SHORT_BE = re.compile(r"['’](?:s|re|m|ve|ll)\b", re.IGNORECASE)
_FILLERS = word_set(
    "again now already fine all good back everything thing just yes ok okay 已经 现在 终于 rồi xong nhé"
)


def _own(turn: str) -> str:
    """The speaker's own words: nothing quoted, pasted or shown."""
    return mask(own_words(turn)).replace(MASK, " ")


def general(turn: str) -> list[str]:
    """Sentences of a turn that say how a thing is to be done in general, whatever else makes a standing directive."""
    if len(turn) > MAX_CHARS:
        return []
    return [s for s in _SENTENCE.split(_own(turn)) if _GENERAL.search(s) and not _ASKS.search(s)]


def subject(command: str, content: str) -> str:
    """What a failure is about: its command and the head of what was printed."""
    return f"{command}\n{content[:SUBJECT_CHARS]}".replace("_", " ")


def asked(assistant: str) -> str:
    """What the assistant asked last, which an answer may be to; "" when it asked nothing."""
    said = assistant.strip()[-ASKED_CHARS:]
    return said if said.endswith(("?", "？")) else ""


def repeats(failure: str, newest: str) -> bool:
    """Whether a failure is the newest one over again. Both as of `subject`."""
    return failure == newest or share(failure, newest) >= REPEATS


def settles(turn: str, failure: str, *, just_now: bool) -> bool:
    """Whether an owner's words say that the newest failure is over, or was to be expected. failure: its `subject`;
    just_now: nothing else was done since, so that words without a subject are on it."""
    if len(turn) > MAX_CHARS:
        return False
    for clause in _CLAUSE.split(_own(turn)):
        for pattern in (_SETTLED, _WAIVED):
            if _OPEN.search(clause) or not affirmed(pattern, clause):
                continue
            rest = pattern.sub(" ", clause)
            told = [w for w in content_tokens(_SHORT_BE.sub("", rest)) if w not in _FILLERS]
            if (just_now and not told) or share(rest, failure) > 0:
                return True
    return False


def bears_on(directives: Sequence[str], failure: str, *, just_now: bool) -> bool:
    """Whether a standing directive is on the thing that failed. failure: its `subject`; just_now: nothing else was done
    since."""
    return any(share(said, failure) >= (ABOUT_IT if just_now else ABOUT_EARLIER) for said in directives)
