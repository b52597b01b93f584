"""How a sentence says which one of a kind it means: "the list all@x.example", "zone A", "máy bơm số 2", "2 号泵"."""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import STOP

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
    r"|(?<!\w)(?:tầng|phòng|khu|kho|cổng|trạm|bồn|máy|line|zone|room|floor|bay|dock|gate|unit|station|pump|valve|lane|cell)\s"
    r"(?P<at>\d{1,3})(?![\w.,%]*\d)"
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
    "push": frozenset({"code", "commits", "changes", "mã"}),
}  # fmt: skip


def kinds_before_names(text: str) -> frozenset[str]:
    """Words of a text that only say what kind of thing a name behind them is, lower case."""
    found = list(_KIND.finditer(text))
    return frozenset(word.lower() for m in found for word in (m["kind"], m["more"]) if word) - STOP


def proper_names(text: str) -> list[str]:
    """Words with a capital inside a sentence ("the page Onboarding"), lower case; days and months say only when."""
    return [name for found in _PROPER.finditer(text) if (name := found[1].lower()) not in _TIMES]


def take_labels(text: str) -> tuple[list[str], str]:
    """The letters and numbers that tell one of a kind, and the text without them."""
    labels: list[str] = []
    for found in list(_LABEL.finditer(text)):
        start, end = next(span for span in map(found.span, range(1, _LABEL.groups + 1)) if span[0] >= 0)
        labels.append(text[start:end].lower())
        text = text[:start] + " " * (end - start) + text[end:]
    return labels, text


def brought_along(actions: set[str]) -> frozenset[str]:
    """Words that the acts of a sentence bring along."""
    return frozenset().union(*(_BROUGHT.get(action, frozenset()) for action in actions))
