"""Matching a person's sentence against a call: the act it forbids, and every name, path and date in it."""

from __future__ import annotations

import calendar
import fnmatch
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.act_words import (
    ACTION_OF,
    ACTION_RE,
    ALIKE,
    KINDS,
    STOP,
    THING_OF,
    THING_RE,
    THINGS,
)
from bio_agent_workers.brain.call_view import Call, calls

#: Share of a sentence's open words (neither names nor kinds) that a call must show.
_COVERAGE = 0.6

_FORBID = re.compile(
    r"\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|may not|cannot|can't|no one|nobody|nothing"
    r"|avoid|"
    r"stop|forbidden|prohibited|not allowed|no)\b|(?<!\w)(?:đừng|không được|không bao giờ|cấm|chớ|tuyệt đối không"
    r"|không nên|"
    r"không)(?!\w)|不要|不许|不准|不得|不能|禁止|严禁|切勿|请勿|别|勿|不可",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"\b(?:ask|check with|confirm with|tell|get (?:my )?(?:ok|okay|approval|permission)"
    r"|wait for)\b.{0,40}?\b(?:before|first)\b"
    r"|(?<!\w)(?:hỏi|xin phép|báo)(?!\w).{0,30}?(?<!\w)trước khi(?!\w)|(?:先|事先).{0,6}(?:问|确认|征求|请示)"
    r"|之?前.{0,4}(?:先)?(?:问|确认)",
    re.IGNORECASE,
)
# The same with the act first: "before you deploy, ask me".
_ASK_AFTER = re.compile(
    r"\bbefore\b.{2,80}\b(?:ask|check with|confirm with|get (?:my )?(?:ok|okay|approval|permission))\b"
    r"|(?<!\w)trước khi(?!\w).{2,60}(?<!\w)(?:hỏi|xin phép|báo)(?!\w)|.前.{0,4}(?:先|必须|要|需).{0,3}(?:问|确认"
    r"|征求|请示)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\bwithout (?:first )?(?:asking|telling|checking|(?:my|an?|explicit|prior)\b|permission|approval).*"
    r"|(?<!\w)(?:mà|khi) (?:không|chưa) (?:hỏi|xin phép|được).*|未经[^，。；]{0,8}(?:同意|批准|允许|许可)",
    re.IGNORECASE,
)
_FORCE_PUSH = re.compile(r"\bforce[- ]?push(?:ed|ing|es)?\b|强制?推送?", re.IGNORECASE)
_INSIDE = re.compile(
    r"(?:\b(?:in|under|inside|within|below)|(?<!\w)(?:trong|dưới))\s+(?:the )?(?:folder |thư mục )?[\"'`]?$", re.I
)
_EXCEPT = re.compile(
    r"\b(?:unless|except|other than|apart from)\b|(?<!\w)(?:trừ khi|trừ|ngoại trừ)(?!\w)|除非|除了", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:because|since|so that|as it|instead)\b|(?<!\w)(?:vì|bởi vì|để khỏi)(?!\w)|因为|以免", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?:[:;!?。；！？：]|\.(?=\s|$))\s*")
_ASIDE = re.compile(r"\([^)]*\)|（[^）]*）")
_TIME = re.compile(
    r"工作时间|上班时间|\b(?:working|office|business) hours\b|giờ (?:làm việc|hành chính)|\b\d{1,2}[:h]\d{0,2}\b"
    r"|白天|晚上",
    re.I,
)
_PATH = re.compile(r"(?<![\w./-])(?:/|~/)[\w.@+-]+(?:/[\w.@+-]+)*/?")
_NAME = re.compile(r"[A-Za-z0-9_][\w.+@/-]*[A-Za-z0-9_*]|[A-Za-z0-9]", re.ASCII)
_VI_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile("[\u4e00-\u9fff]")
_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name} | {
    name.lower(): n for n, name in enumerate(calendar.month_abbr) if name
}
_DATE = re.compile(
    rf"(?P<mon>\b(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b)\.? (?P<y1>20\d\d)"
    rf"|(?P<y2>20\d\d)-(?P<m2>\d\d)(?:-(?P<d2>\d\d))?"
    r"|tháng (?P<m3>\d{1,2})[/ -]+(?:năm )?(?P<y3>20\d\d)|(?P<y4>20\d\d) ?年 ?(?P<m4>\d{1,2}) ?月(?:"
    r" ?(?P<d4>\d{1,2}) ?日)?",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:or earlier|and earlier|or before|before|until|up to)\b|trở về trước|trở về|trước|及以前|及之前|以前|之前"
    r"|前的",
    re.I,
)
_LATER = re.compile(r"\b(?:or later|and later|after|from|since)\b|trở đi|từ|sau|及以后|以后|之后|起", re.I)


@dataclass(slots=True)
class _Sentence:
    actions: set[str] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    open_words: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    bounds: list[tuple[str, date, date]] = field(default_factory=list)
    uncovered_han: int = 0
    inside: bool = False


def _clause_of(text: str) -> tuple[str, int] | None:
    """The clause that forbids or asks, and where in it the forbidden act begins."""
    plain = _ASIDE.sub(" ", text)
    for clause in _CLAUSE.split(plain):
        cut = _EXCEPT.search(clause)
        body = clause[: cut.start()] if cut else clause
        body = _FORCE_PUSH.sub(" push force ", body)
        without = _WITHOUT.search(body)
        if without is not None:
            # "not without asking" asks first; the act may stand on either side.
            return body[: without.start()] + body[without.end() :], 0
        if _ASK_AFTER.search(body):
            return body, 0
        asked = _ASK.search(body)
        found = asked or _FORBID.search(body)
        if found is not None:
            because = _REASON.search(body, found.end())
            return body[: because.start()] if because else body, found.end()
    return None


def _date_bounds(clause: str, into: _Sentence) -> str:
    found = _DATE.search(clause)
    if found is None:
        return clause
    g = found.groupdict()
    year = int(g["y1"] or g["y2"] or g["y3"] or g["y4"])
    month = _MONTHS[g["mon"].lower()] if g["mon"] else int(g["m2"] or g["m3"] or g["m4"])
    if not 1 <= month <= 12:
        return clause
    day = int(g["d2"] or g["d4"] or 0)
    last = calendar.monthrange(year, month)[1]
    first_day, last_day = date(year, month, min(day, last) or 1), date(year, month, min(day, last) or last)
    around = clause[max(0, found.start() - 16) : found.start()] + " " + clause[found.end() : found.end() + 16]
    side = "earlier" if _EARLIER.search(around) else "later" if _LATER.search(around) else "within"
    if side == "earlier" and re.search(r"\bbefore\s*$", clause[: found.start()], re.I):
        side = "before"
    into.bounds.append((side, first_day, last_day))
    tail = re.sub(_EARLIER if side != "later" else _LATER, " ", clause[found.end() : found.end() + 16], count=1)
    return clause[: found.start()] + " " + tail + clause[found.end() + 16 :]


@lru_cache(maxsize=4096)
def _read(text: str, command: str) -> _Sentence | None:
    located = _clause_of(text)
    if located is None:
        return None
    clause, begin = located
    out = _Sentence()
    out.inside = any(
        _INSIDE.search(clause[: m.start()]) or re.match(r"\s*(?:下|里|中|内|之下)", clause[m.end() :])
        for m in _PATH.finditer(clause)
    )
    out.paths = [posixpath.normpath(p) for p in _PATH.findall(clause)]
    rest = _PATH.sub(" ", clause)
    if command:
        for word in command.split():
            rest = rest.replace(word, " ", 1)
    rest = _TIME.sub(" ", _date_bounds(rest, out))
    if not command:
        rest = _take_actions(rest, begin, out)
        if not out.actions:
            return None
    # What stands before the cue belongs to the rule too ("In VN01 do not post …"), the cue itself does not.
    rest = _FORBID.sub(" ", _ASK.sub(" ", rest))
    found = []
    for match in THING_RE.finditer(rest):
        found.append(THING_OF[match.group().lower()])
    out.things = list(dict.fromkeys(found))
    rest = THING_RE.sub(" ", rest)
    for word in _NAME.findall(rest):
        if any(c.isdigit() or c.isupper() for c in word[1:]) or any(c in "-_./" for c in word):
            out.names.append(word.lower())
    for word in _VI_WORD.findall(re.sub(r"\S*[\d_./-]\S*", " ", rest)):
        lowered = word.lower()
        if _HAN.search(word):
            out.uncovered_han += len(
                re.sub(
                    "[时的地得了着过在对把将和或与及我你他它这那一个任何所有里中上下请必须先问我征求确认应该需要前]",
                    "",
                    word,
                )
            )
        elif lowered not in STOP and not any(c.isupper() for c in word[1:]) and len(lowered) > 1:
            out.open_words.append(lowered)
    return out


def _take_actions(rest: str, begin: int, out: _Sentence) -> str:
    """The first act behind the cue, with those joined to it by "or" or a comma; returns the text without them."""
    begin = min(begin, len(rest))
    matches = [m for m in ACTION_RE.finditer(rest) if m.start() >= begin - 1] or list(ACTION_RE.finditer(rest))
    end = -1
    spans: list[tuple[int, int]] = []
    for match in matches:
        joined = (
            re.fullmatch(r"\s*(?:,|or|and|/|hoặc|hay|và|或|或者|和|、|，)?\s*(?:or|and)?\s*", rest[end : match.start()])
            if end >= 0
            else True
        )
        if not joined:
            break
        out.actions.add(ACTION_OF[match.group().lower()])
        spans.append(match.span())
        end = match.end()
    for start, stop in reversed(spans):
        rest = rest[:start] + " " * (stop - start) + rest[stop:]
    return rest


def _word_in(thing: str, call: Call) -> bool:
    return any(word in call.words for word in _words_of(thing))


def _words_of(thing: str) -> frozenset[str]:
    return THINGS.get(thing, frozenset({thing}))


def _open_in(word: str, call: Call) -> bool:
    if word in call.words:
        return True
    stem = word.removesuffix("s") if word.endswith("s") else word + "s"
    return stem in call.words


def _path_hit(rule: str, target: str) -> bool:
    """Whether acting on `target` acts on `rule`: itself, a folder above it, or a pattern that covers either."""
    target = target.rstrip("/") or "/"
    if target.endswith("/*") and target[:-2] == rule:
        return True
    parent = rule
    while True:
        if target == parent or (
            any(c in target for c in "*?[")
            and target.count("/") == parent.count("/")
            and fnmatch.fnmatchcase(parent, target)
        ):
            return True
        if parent in ("/", "", "~"):
            return False
        parent = posixpath.dirname(parent)


def _in_bounds(bounds: Sequence[tuple[str, date, date]], dates: Sequence[date]) -> bool:
    for side, first, last in bounds:
        if not dates:
            return False
        for when in dates:
            ok = {"earlier": when <= last, "before": when < first, "later": when >= first}.get(
                side, first <= when <= last
            )
            if not ok:
                return False
    return True


def match_sentence(
    text: str, polarity: Polarity, acts: Sequence[Act], call_tool: str, call_input: Any, *, command: str
) -> tuple[bool, str]:
    """(matched, why). command: a command of the sentence that is known to match already; then only its objects "
    "count."""
    sentence = _read(text, command)
    if sentence is None:
        return False, "the rule forbids no act that is known"
    if (
        polarity is Polarity.POSITIVE
        and not _ASK.search(text)
        and not _ASK_AFTER.search(text)
        and not _FORBID.search(text)
    ):
        return False, "the rule forbids nothing"
    wanted = set().union(*(ALIKE.get(a, {a}) for a in sentence.actions)) if sentence.actions else set()
    for call in calls(acts, call_tool, call_input):
        if call.dry or (not command and not wanted & call.actions):
            continue
        why = _objects(sentence, call)
        if why is not None:
            shown = sorted(wanted & call.actions) or [command]
            return True, " ".join([*shown, *why])
    return False, "another act or other objects"


def _objects(sentence: _Sentence, call: Call) -> list[str] | None:
    """The names of a sentence that a call shows, None when one that counts is missing."""
    why: list[str] = []
    for path in sentence.paths:
        if not any(
            _path_hit(path, target) or (sentence.inside and target.startswith(path + "/")) for target in call.paths
        ):
            return None
        why.append(path)
    if not _in_bounds(sentence.bounds, call.dates):
        return None
    for name in sentence.names:
        if name not in call.words:
            return None
        why.append(name)
    for thing in sentence.things:
        if _word_in(thing, call):
            why.append(thing)
        elif thing not in KINDS:
            return None
    if sentence.paths:
        return why
    hits = [word for word in sentence.open_words if _open_in(word, call)]
    if sentence.open_words and len(hits) < _COVERAGE * len(sentence.open_words):
        return None
    covered = len(why) + len(hits)
    if sentence.uncovered_han > 2 * max(1, covered) and sentence.uncovered_han > 2:
        return None
    if not why and not hits and (sentence.things or sentence.open_words):
        # Only the kind of thing is named ("the environment"): the call must at least show that.
        return None
    return why + hits
