"""How a sentence says which one of a kind it means: "the list all@x.example", "zone A", "máy bơm số 2", "2 号泵"."""

from __future__ import annotations

import re
from itertools import pairwise

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import ACTION_OF, GENERIC, KINDS, STOP

#: A name that is no everyday word: it holds a mark, a digit or an inner capital.
_NAME = r"[A-Za-z0-9][A-Za-z0-9]*(?:[@._/-]+[A-Za-z0-9]+)+|[A-Za-z]+\d[A-Za-z0-9]*"
_KIND = re.compile(
    r"(?<![\w.@/-])(?:(?:the|our|this|my)\s+(?P<more>[a-z]{2,20})\s+)?"
    rf"(?P<kind>[^\W\d_]{{2,20}})(?P<gap>\s+(?:named |called |tên |là )?[`\"'“「]?)(?P<name>{_NAME})(?![\w@])"
)
#: One letter or a number right behind the word for what it numbers.
_LABEL = re.compile(
    r"(?<=[^\W\d_])\s+(?P<letter>[B-HJ-Z]"
    r"|A(?=\s*(?:$|[,.;:)]|\b(?:while|when|if|unless|until|without|before|after)\b|(?:khi|nếu|mà|trước|lúc)\s)))(?![\w'’.@-])"
    r"|(?:(?<!\w)(?:số|number|no\.|nr\.)|#)\s?(?P<number>\d{1,4})(?![\w.,%]*\d)"
    r"|(?<!\w)(?:tầng|phòng|khu|kho|cổng|trạm|bồn|máy|line|zone|room|floor|bay|dock|gate|unit|station|pump|valve|lane|cell|(?P<kind>gpu|GPU|slot|rack|bed|track))\s"
    r"(?P<at>\d{1,3})(?![\w.,%]*\d)"
    r"|(?<!\w)(?!(?:above|below|over|under|than|least|most|from|within|after|before|between|about|around|every|exit|code|first|last|next|with)\s)"
    r"[a-z]{4,}\s(?P<any>\d{1,3})(?=\s*(?:$|[.;,)]|\b(?:while|when|if|unless|until|without|before|after|is|are|must|may)\b))"
    r"|(?P<han>\d{1,4}|[A-Z])\s?号(?!文件)|(?P<han_place>(?<![A-Za-z\d])(?:[A-Z]|\d{1,3})(?=\s?[区层楼]))"
)
_PROPER = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})\b")
_TIMES = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september",
    "october november december christmas easter",
)
#: Words that a verb brings along and that tell nothing beside a name: to send is to send a message.
_BROUGHT = {
    "send": word_set(
        "message messages email emails mail mails text texts letter letters tin nhắn thư 邮件 消息 短信 信息"
    ),
    "pay": frozenset({"payment", "payments", "money"}),
    "commit": frozenset({"commit", "commits", "changes"}),
    "call": frozenset({"call", "calls"}),
    "transfer": word_set("money funds amount tiền 钱 款项"),
    "rewrite": frozenset({"history"}),
    "push": frozenset({"code", "commits", "changes", "mã"}),
}  # fmt: skip


#: What something is to go to, and what it is to come from.
_TO_WHAT = (
    r"(?:(?:the|any|an?|our|somebody|anyone)\s+)*"
    r"(?:(?:folder|bucket|branch|host|server|address|database|db|thư mục|máy|nhánh|cơ sở dữ liệu|目录|数据库)\s+)?"
    r"(?:outside(?: of)?\s+)?[`'\"]?"
)
_WORDS = r"([\w@.~/][\w@./-]*)(?: ([\w@.~/][\w@./-]*))?"
_TOWARD = re.compile(
    r"(?:(?<!\bchange )(?<!\bchanges )(?<!\bedits )\b"
    r"(?:to|into|onto|(?<=restored )over|(?<=restore )over|over(?= (?:the )?(?:database )?[a-z]+_\w))\s+"
    rf"|(?<!\w)(?:vào|lên|sang|tới|đến)\s+|[到至往]\s*){_TO_WHAT}{_WORDS}",
    re.I,
)
_AWAY = re.compile(rf"(?:\b(?:from|out of)\s+|(?<!\w)(?:từ|khỏi)\s+|从\s*){_TO_WHAT}{_WORDS}", re.I)
_HAN = re.compile("[\u4e00-\u9fff]")


def ends_named(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words for what something is to go to, and for what it is to come from, lower case."""
    to, away = (frozenset(w.lower() for words in said.findall(text) for w in words) for said in (_TOWARD, _AWAY))
    return to - {""}, away - {""}


def telling_things(rest: str, found: list[tuple[int, int, str]], *, abroad: bool) -> frozenset[str]:
    """Of two things side by side the one that tells which of the other is meant: in English the first."""
    beside = [
        (a, b) for a, b in pairwise(found) if not rest[a[1] : b[0]].strip() and b[2] not in ("prod", "staging", "main")
    ]
    return frozenset((b if abroad and not _HAN.match(rest[b[0]]) else a)[2] for a, b in beside)


_EITHER = re.compile(
    r"(?<=[a-z] )(?P<a>(?:an? |the |any )?(?!or\b)[a-z][a-z-]{2,})(?:, (?P<b>(?:an? |the |any )?[a-z][a-z-]{2,}))?,? or "
    r"(?P<c>(?:an? |the |any )?[a-z][a-z-]{2,})(?=\s*(?:$|[.;]|\b(?:of|in|on|from|to|at|with|without|under|before|unless|is|are)\b))"
)


def either_of(clause: str) -> list[str]:
    """A clause that names alternative objects, once for each: "a worktree or a branch of x"; [] where it names none."""
    found = _EITHER.search(clause)
    if found is None or any(said and said.split()[-1] in ACTION_OF for said in found.groups()):
        return []
    return [clause[: found.start()] + said + clause[found.end() :] for said in found.groups() if said]


def kinds_of_names(text: str) -> dict[str, str]:
    """The kind that a text says a name is of, by name, lower case: {"admin": "role"} for "the role admin"."""
    found = {m["name"].lower(): m["kind"].lower() for m in _KIND.finditer(text) if m["kind"].lower() not in STOP}
    found |= {m["name"].lower(): m["kind"].lower() for m in _WHOSE.finditer(text)}
    return found | {m["en"]: m["kind"].lower() for m in _APPOSED.finditer(text) if m["en"]}


def kinds_before_names(text: str) -> frozenset[str]:
    """Words of a text that only say what kind of thing a name behind them is, lower case."""
    found = list(_KIND.finditer(text))
    return frozenset(word.lower() for m in found for word in (m["kind"], m["more"]) if word) - STOP


#: Kinds of things that are told by a plain name behind them: "the container db", "the tenant acme".
_TOLD_BY_NAME = (
    r"container|user|account|service|tenant|host|server|node|branch|tag|bucket|table|column|database|schema|namespace|cluster"
    r"|deployment|pod|job|group|role|topic|queue|channel|project|workspace|repo(?:sitory)?|stack|volume|index|view|plant"
    r"|warehouse|device|printer|company|page|dashboard|playbook|pipeline|workflow|stage|app(?:lication)?|machine|key|profile"
)
_APPOSED = re.compile(
    rf"\b(?:[Tt]he|[Oo]ur|[Mm]y|[Tt]his)\s+(?:\w+\s+)?(?P<kind>{_TOLD_BY_NAME}) (?P<en>[a-z][a-z0-9]+)"
    r"(?=\s*(?:$|[,.;:)]|\b(?:is|are|must|may|can|shall|should|to|in|on|of|from|at|by|for|with|without|before|after|while|when"
    r"|if|unless|until|and|or|gets?|has|from)\b))"
    r"|(?<!\w)(?:user|tài khoản|người dùng|dịch vụ|máy chủ|máy|nhánh|bảng|cụm|kênh|nhóm|container|service|namespace|bucket|kho) "
    r"(?P<vi>[a-z][a-z0-9]+)(?=\s*(?:$|[,.;:)]|(?:khi|nếu|mà|trước|sau|trên|trong|của|thì|cho|ở|vào|từ)\s))"
)


#: A property and its value: "whose role is admin".
_WHOSE = re.compile(r"\bwhose (?P<kind>[a-z]+) (?:is|are|equals) (?P<name>[a-z0-9][\w-]*)", re.I)


def apposed_names(text: str) -> frozenset[str]:
    """Plain words that stand as a name behind the kind of thing they name, and so must be shown as they are."""
    found = [m["name"].lower() for m in _WHOSE.finditer(text)]
    found += [m["en"] or (m["vi"] if not text.isascii() else "") for m in _APPOSED.finditer(text)]
    return frozenset(found) - {""} - STOP - KINDS - GENERIC


def proper_names(text: str) -> list[str]:
    """Words with a capital inside a sentence ("the page Onboarding"), lower case; days and months say only when."""
    return [name for found in _PROPER.finditer(text) if (name := found[1].lower()) not in _TIMES]


def take_labels(text: str) -> tuple[dict[str, str], str]:
    """The letters and numbers that tell one of a kind, each with its kind where a field may be of it (else ""), and the
    text without them."""
    labels: dict[str, str] = {}
    for found in list(_LABEL.finditer(text)):
        start, end = next(
            span for span in map(found.span, ("letter", "number", "at", "any", "han", "han_place")) if span[0] >= 0
        )
        labels[text[start:end].lower()] = (found["kind"] or "").lower()
        text = text[:start] + " " * (end - start) + text[end:]
    return labels, text


def brought_along(actions: set[str]) -> frozenset[str]:
    """Words that the acts of a sentence bring along."""
    return frozenset().union(*(_BROUGHT.get(action, frozenset()) for action in actions))
