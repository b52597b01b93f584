"""Whether a newer fact takes the place of an older one on the same matter, from their words and their likeness.

A replacement only changes the order in which the two come back; the older is never erased.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bio_agent_workers.brain.likeness import SAME_MATTER_AT
from bio_agent_workers.brain.quantities import values
from bio_agent_workers.brain.search_terms import terms
from bio_agent_workers.brain.text import fold

REPLACEABLE = (
    "semantic",
    "procedural",
    "preference",
    "goal",
)  # what happened stays true; an exception limits, not replaces
SHARED_WITH_CHANGE = 0.25  # share of the older one's words from which a word of change speaks of it
SHARED_ALONE = 0.5  # without a word of change, another value needs more in common
RUNNER_UP = 0.08  # an update speaks of its nearest predecessor, and of those about as near

# Words with which a person says that something changed, by language; general vocabulary of change.
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|since|as of|from \w+ (?:on|\d{4})|instead of|rather than|moved|change[ds]?|switch(?:ed)?|"
    r"replace[ds]?|raised|lowered|extended|shortened|tightened|loosened|relaxed|upgraded|downgraded|bumped|migrated|"
    r"became|renamed|removed|dropped|retired|increased|reduced|cut to|brought forward|postponed|gone|updated|new|"
    r"initially|was previously)\b"
    r"|改为|改成|改到|改用|换成|换为|换用|不再|现在|起(?=[，,、用按执为])|延长|缩短|提高|提到|降到|降为|升级|取消|调整|更新|变为|移到|搬到|新"
    r"|từ nay|kể từ|bây giờ|hiện nay|không còn|không dùng|đổi|chuyển|nâng|tăng|giảm|hạ|thay|kéo dài|rút ngắn|cập nhật|mới|bỏ"
    r"|áp (?:dụng )?(?:thuế|mức)",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:previous(?:ly)?|original(?:ly)?|initial(?:ly)?|at first|used to|history|formerly|back then|in the past|"
    r"first version|over time|evolv\w+|(?:was|were|did)\b.{1,60}\bbefore(?: (?:it|that|we|the (?:change|move|switch))\b.*)?)\W*$"
    r"|\b(?:previously|originally|initially|used to be|formerly|history of)\b"
    r"|原来|原先|起初|最初|当初|过去|历史|曾经|旧版|以前(?:是|用|的|多少|怎么)|之前(?:是|用|的(?!时))"
    r"|trước đây|trước kia|ban đầu|lúc đầu|hồi trước|ngày trước|lịch sử|từng (?:là|dùng)",
    re.IGNORECASE,
)


def replaces(newer: str, older: str, likeness: float, weight: Callable[[str], float]) -> bool:
    """Whether both are about one matter and the newer changes it.

    likeness: cosine of their centred vectors; weight: a term's rarity (≥ 0), 0 for words that say nothing here, such as
    the workspace's own name. Either the newer says that something changed, or it gives the same matter another value.
    """
    if likeness < SAME_MATTER_AT:
        return False
    share = shared(newer, older, weight)
    if _CHANGE.search(fold(newer)):
        return share >= SHARED_WITH_CHANGE
    return share >= SHARED_ALONE and bool(values(older)) and values(newer) != values(older)


def shared(newer: str, older: str, weight: Callable[[str], float]) -> float:
    """[0, 1]: which part of what the older one's words weigh the newer one says again; numbers do not count."""
    here = terms(newer)
    said = [(t, weight(t)) for t in terms(older) if not t.isdigit()]
    whole = sum(w for _, w in said)
    return sum(w for t, w in said if t in here) / whole if whole > 0 else 0.0


def asks_for_history(query: str) -> bool:
    """Whether a question is about what was so before: then what was replaced may come first."""
    return _HISTORY.search(fold(query)) is not None
