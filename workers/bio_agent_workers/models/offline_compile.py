"""Memories and rule candidates by rule, from one group of items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_workers.brain.counting import counted
from bio_agent_workers.brain.directives import retractions
from bio_agent_workers.brain.directives.reader import asks_to_keep_secret
from bio_agent_workers.brain.directives.retraction_words import Manner
from bio_agent_workers.models.offline_items import (
    Item,
    Remedy,
    directives_of,
    entities_of,
    generic_text,
    is_evidence,
    is_failed,
    lang_of,
    remedies,
    remember_of,
    text_of,
)

_MAX_TEXT = 600
_OWNER_CONFIDENCE = 0.8
_ACT_CONFIDENCE = 0.55
_EXCEPTION_LEAD = re.compile(
    r"^\W*(?:except(?:ion|ing)?\b|but (?:on|for|not|when)\b|unless\b|only\b|that doesn't apply|not on\b|除了"
    r"|除非|例外|但是?|只有|riêng\b|trừ\b|ngoại trừ|nhưng\b)",
    re.I,
)
_PREFERENCE = re.compile(
    r"\bI(?:'d| would)?(?: \w+)? (?:rather|prefer|like|love|hate|dislike|want)\b|\b(?:we|user) prefers?\b"
    r"|\bstyle\b|我(?:更|比较)?(?:喜欢|偏好|习惯|希望|不喜欢|讨厌)|\b(?:anh|chị|tôi|mình) (?:rất "
    r"|không )?(?:thích|muốn|ưa|ghét)\b",
    re.I,
)
_FACT = re.compile(
    r"\b(?:is|are|was|has|have|means|belongs?|lives?|runs?|uses?|equals?)\b|是|为|在|有|\b(?:là|có|nằm|dùng"
    r"|ở)\b",
    re.I,
)
_ORDER = re.compile(
    r"\b(?:must|never|always|don't|do not|should|please|make sure|every|each)\b|必须|不要|禁止|严禁|一律|以后"
    r"|每次|请|\b(?:phải|đừng|luôn|cấm|không được|từ nay|hãy)\b",
    re.I,
)

_RULE = {
    "en": (
        "When “{failure}”: {steps}.",
        "first “{between}”",
        "what followed was “{success}”",
        "set {name} {side} ({after})",
        "; ",
    ),
    "zh": ("出现“{failure}”时：{steps}。", "先做“{between}”", "随后“{success}”", "将 {name} 调{side}（{after}）", "，"),
    "vi": (
        "Khi “{failure}”: {steps}.",
        "trước hết “{between}”",
        "sau đó “{success}”",
        "chỉnh {name} {side} ({after})",
        "; ",
    ),
}
_SIDE = {
    "en": {"lower": "lower", "higher": "higher"},
    "zh": {"lower": "低", "higher": "高"},
    "vi": {"lower": "thấp hơn", "higher": "cao hơn"},
}
_OPEN = {"en": "Unresolved: {failure}", "zh": "尚未解决：{failure}", "vi": "Chưa xử lý được: {failure}"}
_SUMMARY = {
    "en": "{failed} ({first}); {end}.",
    "zh": "{n} 次失败（{first}）；{end}。",
    "vi": "{n} lần lỗi ({first}); {end}.",
}
#: What became of it: what it was resolved by, that the same passed later, that nothing did.
_ENDED = {
    "en": ("resolved by: ", "passed later", "still open"),
    "zh": ("解决办法：", "之后成功", "尚未解决"),
    "vi": ("cách xử lý: ", "về sau chạy được", "chưa xử lý"),
}
_QUOTED = re.compile(r"`([^`]+)`")


def _memory(
    kind: str, text: str, cites: Sequence[int], confidence: float, *, rule: bool, importance: int
) -> dict[str, Any]:
    return {
        "kind": kind,
        "text": text.strip()[:_MAX_TEXT],
        "cites": list(dict.fromkeys(cites)),
        "confidence": confidence,
        "is_rule": rule,
        "importance": importance,
        "entities": entities_of(text),
    }


def _kind_of(text: str) -> str:
    if _PREFERENCE.search(text):
        return "preference"
    return "semantic" if _FACT.search(text) and not _ORDER.search(text) else "procedural"


def _owner_memories(items: Sequence[Item]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    previous: Item | None = None
    for item in items:
        n = int(item["n"])
        asked = text_of(previous) if previous is not None and previous.get("kind") == "assistant" else ""
        previous = item
        body = text_of(item)
        # What the owner takes back in the same group is not learned at all.
        if out and is_evidence(item) and item.get("kind") == "user":
            out = _without_taken_back(out, body)
        texts = directives_of(item, asked)
        if texts and asks_to_keep_secret(body):
            texts = []
        for told in _merged(texts):
            text, cites = told, [n]
            if _EXCEPTION_LEAD.match(told) and out:
                text, cites = f"{out[-1]['text']} {told}", [*out[-1]["cites"], n]
            out.append(_memory(_kind_of(text), text, cites, _OWNER_CONFIDENCE, rule=True, importance=8))
        kept = remember_of(item) if not texts else None
        if kept:
            out.append(_memory(_kind_of(kept), kept, [n], _OWNER_CONFIDENCE, rule=True, importance=7))
    return out


def _without_taken_back(known: list[dict[str, Any]], said: str) -> list[dict[str, Any]]:
    """What was learned in this group before, without what the owner's words take back."""
    for taken in retractions.find(said):
        if taken.manner is Manner.POINTED:
            known = known[:-1]
        else:
            lifted = retractions.meant(taken, {str(i): m["text"] for i, m in enumerate(known)}).lifted
            known = [m for i, m in enumerate(known) if str(i) not in lifted]
    return known


def _merged(texts: Sequence[str]) -> list[str]:
    """A directive of a few words ("No moment here.") joins the one after it."""
    out: list[str] = []
    carry = ""
    for i, text in enumerate(texts):
        joined = f"{carry} {text}".strip()
        if len(text.split()) <= 4 and len(text) <= 24 and text.isascii() and i + 1 < len(texts):
            carry = joined
        else:
            out.append(joined)
            carry = ""
    return out


def _remedy_memory(remedy: Remedy, by_n: Mapping[int, Item]) -> dict[str, Any] | None:
    """A remedy teaches when something was done between, or a parameter was tuned; else it is flaky."""
    first = by_n[remedy.failures[0]]
    lang = lang_of(first)
    frame, before, after, tuned, joint = _RULE[lang]
    steps = []
    if remedy.between:
        done = "” + “".join(dict.fromkeys(generic_text(text_of(by_n[n])) for n in remedy.between))
        steps.append(before.format(between=done))
    elif remedy.changed:
        steps += [tuned.format(name=name, side=_SIDE[lang][side], after=shown) for name, side, shown in remedy.changed]
    elif generic_text(text_of(first)) == generic_text(text_of(by_n[remedy.success])) or first.get("kind") != "event":
        return None
    steps.append(after.format(success=generic_text(text_of(by_n[remedy.success]))))
    text = frame.format(failure=generic_text(text_of(first)), steps=joint.join(steps))
    cites = [*remedy.failures, *remedy.between, remedy.success]
    return _memory("procedural", text, cites, _ACT_CONFIDENCE, rule=True, importance=7)


def _open_failures(items: Sequence[Item], closed: set[int]) -> list[dict[str, Any]]:
    seen: dict[str, list[int]] = {}
    shown: dict[str, Item] = {}
    for item in items:
        n = int(item["n"])
        if not is_failed(item) or n in closed or item.get("resolved_by") is not None or not is_evidence(item):
            continue
        last = text_of(item).strip().splitlines()[-1:] or [""]
        key = generic_text(str(item.get("command") or "") or last[0])
        seen.setdefault(key, []).append(n)
        shown.setdefault(key, item)
    out = []
    for key, ns in seen.items():
        item = shown[key]
        detail = key + (
            f" ({item['error_token']})" if item.get("error_token") and str(item["error_token"]) not in key else ""
        )
        if detail.strip():
            text = _OPEN[lang_of(item)].format(failure=detail)
            out.append(_memory("exception", text, ns, 0.4, rule=False, importance=7))
    return out


def _named(item: Item) -> str:
    return generic_text(str(item.get("command") or "") or text_of(item))


def _cure(lesson: Mapping[str, Any]) -> str:
    """What its sentence says to do: the steps before the command, else the form that worked."""
    quoted = _QUOTED.findall(str(lesson["sentence"]))
    return " → ".join(quoted[1:])


def compile_memories(items: Sequence[Item], context: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Memories that fit COMPILE_SCHEMA, citing items by `n`. Recalled and assistant text is no evidence."""
    by_n = {int(i["n"]): i for i in items}
    out = _owner_memories(items)
    closed: set[int] = set()
    fix_of: dict[int, int] = {}
    cure_of: dict[int, tuple[str, list[int]]] = {}  # of a failure: what it was resolved by, and where that was done
    for lesson in context.get("lessons") or ():
        failed = [int(n) for n in lesson.get("failed_n") or () if int(n) in by_n]
        fix = int(lesson.get("fix_n") or 0)
        between = [int(n) for n in lesson.get("between_n") or () if int(n) in by_n]
        closed.update(failed)
        if fix in by_n and failed and lesson.get("sentence"):
            fix_of.update(dict.fromkeys(failed, fix))
            cure_of.update(dict.fromkeys(failed, (_cure(lesson), between)))
            out.append(
                _memory(
                    "procedural",
                    str(lesson["sentence"]),
                    [*failed, *between, fix],
                    _ACT_CONFIDENCE,
                    rule=True,
                    importance=7,
                )
            )
    for remedy in remedies(items):
        if closed & set(remedy.failures):
            continue
        closed.update(remedy.failures)
        fix_of.update(dict.fromkeys(remedy.failures, remedy.success))
        done = " → ".join(dict.fromkeys(generic_text(text_of(by_n[n])) for n in remedy.between))
        cure_of.update(dict.fromkeys(remedy.failures, (done, list(remedy.between))))
        memory = _remedy_memory(remedy, by_n)
        if memory:
            out.append(memory)
    for item in items:
        for n in item.get("fixes") or ():
            closed.add(int(n))
            fix_of.setdefault(int(n), int(item["n"]))
    out += _open_failures(items, closed)
    failures = [i for i in items if is_failed(i) and is_evidence(i)]
    if len(failures) >= 1 and len([i for i in items if is_evidence(i)]) >= 3:
        lang = lang_of(failures[0])
        closed_one = next((int(f["n"]) for f in failures if int(f["n"]) in fix_of), 0)
        fixed = fix_of.get(closed_one, 0)
        first = _named(failures[0])
        by, again, still = _ENDED[lang]
        end, cites = still, [int(f["n"]) for f in failures]
        if fixed in by_n:
            done, where = cure_of.get(closed_one, ("", []))
            cure = done or _named(by_n[fixed])
            end = again if cure == _named(by_n[closed_one]) else by + cure
            cites += [*where, fixed]
        n = len(failures)
        out.append(
            _memory(
                "episodic",
                _SUMMARY[lang].format(n=n, failed=counted(n, "failure"), first=first, end=end),
                cites,
                0.5,
                rule=False,
                importance=4,
            )
        )
    return out
