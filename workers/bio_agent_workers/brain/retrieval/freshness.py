"""Whether a newer fact takes the place of an older one on the same matter, from their words and their likeness.

A replacement only changes the order in which the two come back; the older is never erased.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from bio_agent_workers.brain.quantities import values
from bio_agent_workers.brain.retrieval.likeness import SAME_MATTER_AT
from bio_agent_workers.brain.retrieval.predicates import other_value
from bio_agent_workers.brain.retrieval.search_terms import terms
from bio_agent_workers.brain.text import fold

REPLACEABLE = (
    "semantic",
    "procedural",
    "preference",
    "goal",
)  # what happened stays true; an exception limits, not replaces
SHARED_WITH_CHANGE = 0.25  # share of the older one's words from which a word of change speaks of it
SHARED_ALONE = 0.5  # without a word of change, another value needs more in common
FRAME_WORDS, LEAST_FRAME = 25, 4  # words of a statement, and those at its beginning that must be the same
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

# The form of a question about an earlier state: what was old, former or here before, and who was taken over from.
_PAST_STATE = re.compile(
    r"\b(?:was|were|had)\b(?: \w+){0,3} (?:old|former|prior|earlier)\b|\b(?:our|the|my|their) (?:old|former|prior) \w+.*\?"
    r"|\bwhat (?:did|does|has) .+\breplaced?\W*$|\b(?:take|took|taken) over from\b|\bpredecessor\b"
    r"|(?:以前|从前|此前|先前|早先|早些时候)(?!的时候)(?=.*(?:什么|谁|哪|多少|几|吗|怎么|如何))|之前(?=谁|由谁|叫|在哪|住|放|存|哪|多少|几|跑在)"
    r"|(?:旧|老)的?[^，。？]{0,10}(?:是|在|叫)(?=.*(?:什么|谁|哪|多少|几))|前任"
    r"|\b(?:hồi đó|lúc trước|khi trước|trước đó|ngày xưa|hồi xưa|tiền nhiệm|trước khi (?:đổi|chuyển|thay))\b"
    r"|\bcũ(?: \S+){0,3} (?:là (?:gì|ai|bao nhiêu)|ở đâu|bao nhiêu)|\bthay (?:cho|thế) (?:gì|ai|cái gì)\b",
    re.IGNORECASE,
)
# What a question about the past names as having come next. An act ("before deploying") and a point in time are none.
_EVENT = (
    r"(?:\w+ing\b|\d|(?:the |a |an )?(?:meeting|call|lunch|dinner|deadline|release|deploy\w*|trip|holidays?|weekend|year|month"
    r"|week|day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight)\b|(?:i|you|he|she|they|people)\b)"
)
_NEXT = re.compile(
    rf"\b(?:was|were|did|had|used)\b.{{1,80}}\bbefore (?!(?:it|that|this|then|now)\W*$|we\b|{_EVENT})([^,?!.;]{{1,40}}?)\W*$"
    r"|(?:^|在 ?)([^\s，在]{1,12}|[\w.+-]+) ?(?:之前|以前),?(?:我们|咱们|你们)?(?:的(?!时候)|谁|是谁|由谁|是什么|用什么)"
    r"|\btrước (?!đây|đó|kia|khi|hết|tiên|lúc|ngày)([^\s,?!.]+)"
)

# A question about how something stands, and the words by which it asks how it stood.
_STATE = re.compile(
    r"\b(?:how (?:many|much|long|often|old|far|big|large|high|fast)|what(?:'s| is| are| was| were| time| day| version| percentage"
    r"| number| level)|which|who|where (?:is|are|do)|when (?:is|are|do|does|will))\b"
    r"|多少|几(?:个|次|天|人|点|岁|成)|是什么|什么时候|哪(?:个|些|里|儿|天)|是谁|多(?:久|长|大|高)"
    r"|bao nhiêu|bao lâu|mấy|là gì|là ai|khi nào|ở đâu|nào\b",
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:did|was|were|had)\b")  # the tense alone does not ask for what has been replaced since
_BETWEEN = re.compile(
    r"\bbetween\b.+\band\b|[和与跟].{1,40}之间|相隔|相差|\bgiữa\b.+\bvà\b"
)  # neither of two is the newer
_BEFORE = re.compile(
    r"\b(?:before|ago|yesterday|earlier|at first|used to|original(?:ly)?|initial(?:ly)?|previous(?:ly)?|former(?:ly)?)\b"
    r"|以前|之前|原来|当初|那时|过去|昨天|trước|hồi|đã từng|hôm qua"
)
# Beside what says that something changed: how far it has come.
_COME_TO = re.compile(
    r"\b(?:recent(?:ly)?|reach(?:ed|ing)|improved|grown?|grew|rose|risen|fallen|fell|up to|down to|expanded|another|additional"
    r"|extra|more|increas(?:ed|es|ing))\b|最近|达到|增加|增长|减少|已经有|gần đây|đạt|lên (?:tới|đến)|còn lại|thêm",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|double|twice)\b"
    r"|[两二三四五六七八九十百千万]|\b(?:hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|trăm|nghìn)\b"
)
_COUNTED = re.compile(r"(?<![\w.-])(\d[\d,.]*)\s*(%|[^\W\d_]+(?:\s+[^\W\d_]+){0,2})?")
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|,\s+|\n+|(?<=[。！？；，])")


def named_as_next(query: str) -> frozenset[str]:
    """The terms of what a question about the past names as having come next: "who was it before Priya", "trước Priya"."""
    found = _NEXT.search(fold(query))
    return frozenset(terms(next(filter(None, found.groups()), ""))) if found else frozenset()


def asks_how_it_stands(query: str) -> bool:
    """Whether a question is about how something stands now: of two answers the newer is then the right one."""
    said = fold(query)
    of_one = not _TENSE.search(said) and not _BETWEEN.search(said)
    return of_one and _STATE.search(said) is not None and not asks_how_it_stood(query)


def asks_how_it_stood(query: str) -> bool:
    """Whether a question is about how something stood before: of two answers the older is then the right one."""
    said = fold(query)
    return asks_for_history(query) or (_STATE.search(said) is not None and _BEFORE.search(said) is not None)


def may_update(newer: str, older: str, asked: frozenset[str]) -> bool:
    """Whether, by their words, both answer what is asked (the question's terms) and the newer tells how it changed: a clause
    with a number and a word of change that shares a term with the question and the older one, or another number of the
    same thing that is asked about. Whether they are about one matter is for their likeness to say."""
    held = asked & terms(older).keys()
    if not held:
        return False
    if held & _told(newer, asked):
        return True
    here, there = _counted(newer), _counted(older)
    return any(here[t].isdisjoint(there[t]) for t in here.keys() & there.keys() & held)


def restates(newer: str, older: str) -> bool:
    """Whether two short statements begin alike and end differently: the same thing said of the same, with another value."""
    here, there = fold(newer).split(), fold(older).split()
    if max(len(here), len(there)) > FRAME_WORDS or here == there:
        return False
    alike = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    return alike >= LEAST_FRAME and 2 * alike >= max(len(here), len(there))


@lru_cache(maxsize=1024)
def _told(text: str, asked: frozenset[str]) -> frozenset[str]:
    """The question's terms of which a text tells a change to a number, in the clause or in the one it continues."""
    found: set[str] = set()
    before = ""
    for clause in _CLAUSE.split(fold(text)):
        if _NUMBER.search(clause) and (_CHANGE.search(clause) or _COME_TO.search(clause)):
            found |= asked & terms(f"{before} {clause}").keys()
        before = clause
    return frozenset(found)


@lru_cache(maxsize=1024)
def _counted(text: str) -> dict[str, set[str]]:
    """What is counted or measured in a text → the numbers given for it."""
    found: dict[str, set[str]] = {}
    for number, thing in _COUNTED.findall(fold(text)):
        for term in terms(thing):
            found.setdefault(term, set()).add(number.rstrip(".,").replace(",", ""))
    return found


def replaces(newer: str, older: str, likeness: float, weight: Callable[[str], float]) -> bool:
    """Whether both are about one matter and the newer changes it.

    likeness: cosine of their centred vectors; weight: a term's rarity (≥ 0), 0 for words that say nothing here, such as
    the workspace's own name. Either the newer says that something changed, or it gives the same matter another value; where
    both plainly give one subject's place or name, that is enough.
    """
    if other_value(newer, older):
        return True
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
    said = fold(query)
    return _HISTORY.search(said) is not None or (_PAST_STATE.search(said) is not None) or bool(named_as_next(query))
