"""Circumstances that no call can show: what goes on while a rule holds, or what has to happen before it ends.

"during the audit", "before I have seen them", "until the review is over", 审计期间, "cho đến khi kiểm xong". The rule
holds for as long as it stands, so these words are no evidence that is missing. A day in them is judged by the clock
(`date_bounds`), a state that a field can show by that field (`held_states`).
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.date_bounds import take_dates

_SOMEBODY = r"(?:I|we|you|he|she|they|[a-z]+(?: [a-z]+)?) (?:have|has|had|is|are|was|were|did|gets?|says?|gives?)\b"
_EVENT = (
    r"(?:meeting|review|audit|release|launch|demo|visit|count|stocktake|inventory|election|exam|call|inspection|hearing"
    r"|freeze|handover|cut-?over|go-live|closing|close|opening|tasting|vote|training|holidays?|weekend|season|end of [\w ]+)"
)
_AFTER_THE_ACT = re.compile(
    # "during baking" may be shown by a field; what else goes on is not.
    r"\b(?:during|throughout|for the duration of)\s+(?![\w ]*\w{2}ing\b)[^,;.]+"
    r"|\b(?:until|till)\s+[^,;.]+|\b(?:after|before)\s+(?:dark|dusk|dawn|sunset|sunrise|bedtime)\b"
    rf"|\bbefore\s+(?:{_SOMEBODY}[^,;.]*|(?:the|our|my|this|next) (?:[\w-]+ ){{0,3}}?{_EVENT}\b[^,;.]*)"
    r"|(?<!\w)(?:trong|suốt)\s+(?:suốt\s+)?(?:thời gian|đợt|quá trình|mùa|kỳ)\s+(?!nào|lưu)[^,;.]{1,80}?(?=\s+(?:thì|không|đừng|cấm)\s|[,;.]|$)"
    r"|(?<!\w)(?:cho\s+)?(?:đến|tới)\s+(?:khi|lúc)\s+[^,;.]+"
    r"|(?<!\w)trước\s+(?:khi\s+(?:tôi|anh|chị|em|mình|sếp|ông|bà|có)\s|(?:buổi|cuộc|đợt|kỳ|lễ)\s)[^,;.]+"
    r"|(?:在)?[^，。；的不]{1,12}(?<!会计)期间(?=[，,]?[不别严禁勿一任所])"
    r"|(?:直到|在)?[^，。；不]{1,14}(?:完成|结束|通过|看过|审完|验收|开完)之?前(?=[，,]?[不别严禁勿一任所])",
    re.I,
)
#: The state of a thing that a field may show, or who has to be asked: not taken.
_SHOWN = re.compile(
    r"\b(?:it|they|this|that) (?:has|have|is|are)\b|\b(?:running|open|closed|shut|locked|empty|on|off|paid|approv|confirm|ask)"
    r"|đồng ý|duyệt|cho phép|hỏi|运行|打开|关闭|开着|同意|批准|使用",
    re.I,
)


def without_circumstances(clause: str, begin: int) -> tuple[str, frozenset[str]]:
    """A clause with blanks for the circumstances named in it, and their words. begin: where in it the act begins; what
    is to be asked "before" stands there and is no circumstance."""
    words: set[str] = set()
    for found in list(_AFTER_THE_ACT.finditer(clause)):
        start, end = found.span()
        if (
            start <= begin <= end
            or take_dates(found.group())[0]
            or _SHOWN.search(found.group())
            or (start > begin and not clause[begin:start].strip())
        ):
            continue
        words.update(re.findall(r"[a-z]{4,}", found.group().lower()))
        clause = clause[:start] + " " * (end - start) + clause[end:]
    return clause, frozenset(words)
