"""A state in which a rule holds ("while the pump is on"), against the fields of a call that show one (`pump_on: true`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_things import THINGS
from bio_agent_workers.brain.guarding.act_words import ACTION_WORDS, ACTIONS, STOP, THING_WORDS_ABROAD
from bio_agent_workers.brain.relations.rule_words import stem

_WHILE = re.compile(
    r"\b(?:while|whilst|when|whenever|as long as|if)\s+(?P<en>[^,;.]+)"
    r"|(?<!\w)(?:trong khi|trong lúc|khi|lúc|nếu)\s+(?!nào|chưa|xong|cần)(?P<vi>[^,;.]+?)(?=\s+thì(?!\w)|[,;.]|$)"
    r"|(?:^|[，。；])\s*当?(?P<zh>[^，。；]+?)(?:的时候|的情况下|期间|的?时)(?=[，,]|[不别严禁勿])",
    re.I,
)
_ON = word_set(
    "on open opened running active enabled started present full occupied busy moving live hot asleep loaded connected attended"
)
_OFF = word_set(
    "off closed shut stopped inactive disabled idle absent empty locked paused down awake unloaded disconnected unattended vacant"
)
_STATE = re.compile(
    rf"\b(?:is|are|stays?|remains?|still|being)\b.*\b(?P<en>{'|'.join(sorted(_ON | _OFF))}|in (?:use|progress|motion)|[a-z]{{3,}}ing)\b"
    r"|\b(?:is|are)\s+(?:still |currently )?[a-z]{3,}\s*$"
    r"|(?<!\w)(?:đang|còn|vẫn)(?!\w)|(?<!\w)(?:mở|bật|đóng|tắt|dừng|khóa|khoá)(?!\w)"
    r"|\b(?:no one|nobody|someone|somebody|anyone|anybody|people|person|adults?|child\w*|human)\b.*\b(?:is|are)\b"
    r"|(?<!\w)(?:có|không có|không còn|vắng) (?:người|ai)(?!\w)|[有没无]人"
    r"|[没未]有?[\u4e00-\u9fff]{1,3}(?:[好着上住]|$)|[\u4e00-\u9fff](?:[好住]了?|上了)$"
    r"|[没未]?[开关锁停]着|[没未][开关锁停]|正?在[\u4e00-\u9fff]|打开|关闭|开启|运行|运转|转动|停止",
    re.I,
)
_NEGATIVE = re.compile(
    rf"\b(?:{'|'.join(sorted(_OFF))})\b|(?<!\w)(?:đóng|tắt|dừng|khóa|khoá)(?!\w)|[关锁停]着|[没未][关锁停]|关闭|停止",
    re.I,
)
_DENIED = re.compile(
    r"\bnot\b|n't\b|\bno longer\b|\bnobody\b|\bno one\b|(?<!\w)(?:không|chưa)(?!\w)|[没未不]|无人", re.I
)
#: That somebody is there.
_SOMEBODY = re.compile(
    r"\b(?:someone|somebody|anyone|anybody|nobody|no one|people|person|human|adults?)\b|(?<!\w)(?:người|ai)(?!\w)|有人|没人|无人",
    re.I,
)
_PRESENT = word_set("person people human somebody someone occupant occupants presence occupied adult adults")
#: Parts of a key by which a number is no count of those who are there.
_NO_COUNT = word_set("m cm mm km id max min limit distance nearest age per percent")
_VALUES = {
    **dict.fromkeys(("true", "yes", *_ON), True),
    **dict.fromkeys(("false", "no", *_OFF), False),
}
#: Parts of a key that say only that it is a state, and fields that say how the call is to be done.
_PLAIN = word_set("state status is are has currently")
_MANNERS = word_set(
    "force confirm confirmed dry notify verbose async wait recursive urgent silent overwrite quiet retry public active"
)


@dataclass(frozen=True, slots=True)
class Held:
    """words: by which a call may name what is in the state, stemmed; on: it is on, open, going on; abroad: in another
    language than a call's fields, so that its words may be unknown."""

    words: frozenset[str]
    on: bool
    abroad: bool

    def shown(self, states: Mapping[str, bool]) -> bool | None:
        """Whether the fields of a call show the state; None: they do not tell."""
        read = [_field(key, value) for key, value in states.items()]
        # "while it is running": a field with no subject of its own tells of the object itself.
        told = [on for subject, on in read if subject & self.words or not (subject or self.words)]
        if not told and (self.abroad or not self.words) and len(read) == 1:
            told = [on for _, on in read]
        return self.on in told if told else None


def state_of(key: str, value: str) -> bool | None:
    """The state that a field shows: on or off, None where it shows none."""
    parts = _parts(key)
    if not parts or _MANNERS.intersection(parts) or parts[-1] in ("target", "action", "command"):
        return None
    if value.isdecimal() and _PRESENT.intersection(parts) and _NO_COUNT.isdisjoint(parts):
        return int(value) > 0  # `people_at_home: 2`: somebody is there
    return _VALUES.get(value.lower())


def _parts(key: str) -> list[str]:
    return [part for part in re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()) if part]


def _field(key: str, value: bool) -> tuple[frozenset[str], bool]:
    parts = _parts(key)
    on = value is not bool(_OFF.intersection(parts))
    return frozenset(stem(part) for part in parts if part not in _ON | _OFF | _PLAIN), on


def take_held(clause: str) -> tuple[Held | None, str]:
    """The state that a clause asks for, and the clause without the circumstances it names; None where no state is told."""
    unseen: tuple[int, int] | None = None
    for found in _WHILE.finditer(clause):
        said = found["en"] or found["vi"] or found["zh"] or ""
        if not _STATE.search(said):
            unseen = unseen or found.span()
            continue
        on = (_NEGATIVE.search(said) is None) is (_DENIED.search(said) is None)
        words = {word for word in re.findall(r"[a-z]{3,}", said.lower()) if word not in STOP | _ON | _OFF}
        if not said.isascii():
            words = {w for _, _, thing in THING_WORDS_ABROAD.find(said) for w in THINGS[thing] if w.isascii()}
            words |= {w for _, _, act in ACTION_WORDS.find(said) for w in ACTIONS[act] if w.isascii()}
        words |= _PRESENT if _SOMEBODY.search(said) else set()
        start, end = found.span()
        held = Held(frozenset(map(stem, words)), on, not said.isascii())
        return held, clause[:start] + " " * (end - start) + clause[end:]
    return None, clause if unseen is None else clause[: unseen[0]] + " " * (unseen[1] - unseen[0]) + clause[unseen[1] :]
