"""Kinds of things that are never each other: rows of a table and pods of a cluster, an email and a text message."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from bio_agent_workers.brain.guarding.act_forms import word_set

#: Families that exclude each other stand in one group: family → how a sentence names it.
_GROUPS: tuple[dict[str, re.Pattern[str]], ...] = (
    {
        "sql": re.compile(
            r"\b(?:rows?|records?|tables?|columns?|schemas?|databases?|db)\b|(?<!\w)(?:bảng|bản ghi|csdl|cơ sở dữ liệu)(?!\w)"
            r"|数据表|数据库|表[中里的]|记录", re.I,
        ),
        "kube": re.compile(r"\b(?:namespaces?|pods?|clusters?|kubernetes|k8s)\b|(?<!\w)(?:cụm|không gian tên)(?!\w)|命名空间|集群", re.I),
    },
    {
        "email": re.compile(r"\be?-?mails?\b|(?<!\w)thư điện tử(?!\w)|邮件", re.I),
        "sms": re.compile(r"\b(?:sms|text messages?)\b|(?<!\w)tin nhắn(?!\w)|短信", re.I),
    },
)  # fmt: skip
_KUBE = word_set("kubectl helm oc k9s")
_MAILS = word_set("email mail mails emails smtp gmail sendmail mailx outlook")


@lru_cache(maxsize=4096)
def named_families(text: str) -> tuple[frozenset[str], ...]:
    """The families that a sentence names, by group."""
    return tuple(frozenset(name for name, said in group.items() if said.search(text)) for group in _GROUPS)


def shown_families(tools: Set[str], words: Set[str], *, sql: bool) -> tuple[frozenset[str], ...]:
    """The families that a call is of, by group."""
    data = {"sql"} if sql else {"kube"} if not _KUBE.isdisjoint(tools) else set[str]()
    message = {"sms"} if "sms" in words else {"email"} if not _MAILS.isdisjoint(words) else set[str]()
    return frozenset(data), frozenset(message)


def differ(named: tuple[frozenset[str], ...], shown: tuple[frozenset[str], ...]) -> bool:
    """Whether a call is of another family than the sentence means."""
    return any(said and is_of and said.isdisjoint(is_of) for said, is_of in zip(named, shown, strict=True))
