"""Cases of several steps in order: each an act as data, or one of a few plain sentences ("day 61: run dream")."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from bio_agent_ops.eval import case_deeds as deeds
from bio_agent_ops.eval import case_rules as rules
from bio_agent_ops.eval import case_words
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_held import rules_and_states
from bio_agent_ops.eval.case_world import World
from bio_agent_ops.eval.house import House

MOST_STEPS = 200
_UNITS = {"second": "seconds", "minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}
_KIND_OF = {"approve": "approve", "accept": "approve", "reject": "reject", "undo": "undo", "pin": "pin",
            "deprecate": "deprecate", "quarantine": "quarantine", "retire": "deprecate"}  # fmt: skip


_THEN = ("expect", "expected", "expects", "then", "assert")
_QUOTED = re.compile(r"[\"“](.+)[\"”]|(?<!\w)'(.+)'(?!\w)|:\s*(.+)$")
_PARTS = re.compile(r",? (?:and )?then |; |, (?:and )?| and ")
_WHOSE = re.compile(r"\b(?:as |for |in |of )?(?:tenant|company) (\w+)\b,?", re.IGNORECASE)
_WHO = re.compile(r"\b(?:as |by )?(?:the |an |a )?(owner|person|user|human|admin|agent|program|tool)\b", re.IGNORECASE)
_OFTEN = re.compile(r"\b(\d+|two|three|five|ten) times\b|\b(?:twice|once)\b", re.IGNORECASE)
_SAYS_NOTHING = frozenset({"run", "again", "nightly", "nigh", "night", "cycl", "that", "this", "same", "it", "rule", "last", "full", "manual", "next",
                           "now", "everyth", "pend", "scheduled", "event", "memory"})  # fmt: skip


def sequence(house: House, given: Mapping[str, Any]) -> Facts:
    """Carry the steps out in order on one world."""
    steps = given.get("steps")
    if not isinstance(steps, list) or not steps or len(steps) > MOST_STEPS:
        raise NotSupported(f"a sequence without a list of 1 to {MOST_STEPS} steps")
    world = World(house)
    world.now()
    deeds.set_up(world, {k: v for k, v in given.items() if k != "steps"}, "")
    for number, step in enumerate(steps, 1):
        wanted = (
            next((step[k] for k in _THEN if isinstance(step.get(k), Mapping)), None)
            if isinstance(step, Mapping)
            else None
        )
        if wanted is not None:
            step = {k: v for k, v in step.items() if k not in _THEN}
        if wanted is None or step:
            _do(world, step)
        if wanted is not None:
            failed, unknown = world.facts().held_against(wanted)
            world.failed += [f"step {number}: {name}" for name in failed if not name.startswith("step ")]
            if unknown:
                raise NotSupported(f"step {number}: {'; '.join(unknown)}")
    return world.facts()


def _do(world: World, step: Any) -> None:
    if isinstance(step, Mapping):
        called = str(
            next((step[k] for k in ("op", "do", "act", "step", "action", "call") if isinstance(step.get(k), str)), "")
        )
        name = _deed(called)
        if name in deeds.DEEDS:
            for _ in range(min(int(step.get("repeat") or step.get("times") or 1), rules.MOST)):
                deeds.DEEDS[name](world, _shaped(name, step))
            return
        # {"remember": "…"}: an act by its name, with its text or its fields
        for called, value in step.items():
            name = _deed(called)
            if name in deeds.DEEDS:
                fields = _shaped(name, value) if isinstance(value, Mapping) else {"text": value, "query": value}
                deeds.DEEDS[name](world, {**{k: v for k, v in step.items() if k != called}, **fields})
                return
        raise NotSupported(f"the step {str(dict(step))[:80]}")
    spoken(world, str(step))


def _deed(called: str) -> str:
    """The deed of an act's name; searching is recalling here, where the memories are made by other steps."""
    name = case_words.op(called, deeds.DEEDS) if called else ""
    return {"search": "recall"}.get(name, name)


def _shaped(name: str, step: Mapping[str, Any]) -> dict[str, Any]:
    out = case_words.fields(name, step)
    if name in ("ingest", "observe"):
        if isinstance(out.get("events"), (list, tuple)):
            out["events"] = [case_words.event(e) for e in out["events"]]
        elif "events" in out and not isinstance(out["events"], int):
            out["events"] = [case_words.event(out["events"])]
        elif "events" not in out:
            out = case_words.event(out)
    return out


def spoken(world: World, step: str) -> None:
    """One sentence. Raises NotSupported for one that no pattern fits."""
    said = " ".join(step.split()).rstrip(".")
    for pattern, deed in _SENTENCES:
        if found := pattern.fullmatch(said):
            deed(world, found)
            return
    named, _, text = said.partition(":")
    name = _deed(named) if text else ""
    if name in deeds.DEEDS:
        deeds.DEEDS[name](world, {"text": text.strip(" '\"“”"), "query": text.strip(" '\"“”")})
        return
    parts = [part for part in _PARTS.split(said) if part.strip()] if not _QUOTED.search(said) else []
    if len(parts) > 1:
        for part in parts:
            spoken(world, part)
        return
    _told(world, said)


def _told(world: World, said: str) -> None:
    """A sentence read by its words: who acts, for which tenant, how often, the act, and the text that it is about."""
    quoted = _QUOTED.search(said)
    text = next((part for part in quoted.groups() if part), "") if quoted else ""
    head = said[: quoted.start()] + said[quoted.end() :] if quoted else said
    fields: dict[str, Any] = {"text": text, "query": text} if text else {}
    if whose := _WHOSE.search(head):
        fields["tenant"], head = whose[1], head.replace(whose[0], " ")
    if who := _WHO.search(head):
        fields["by"], head = who[1].casefold(), head.replace(who[0], " ", 1)
    times = 1
    if often := _OFTEN.search(head):
        times, head = _number(often[1] or {"twice": "2", "once": "1"}[often[0].casefold()]), head.replace(often[0], " ")
    name, rest = case_words.act_in(head, deeds.DEEDS)
    name = {"search": "recall"}.get(name, name)
    if not name or (unknown := rest - _SAYS_NOTHING):
        raise NotSupported(f"the step {said[:80]!r}" + (f" ({', '.join(sorted(unknown))})" if name else ""))
    if text and name in ("approve", "reject", "edit", "undo", "pin", "deprecate", "quarantine"):
        fields = {**fields, "rule": text}
    if name in ("ingest", "observe"):
        role = (
            "user" if fields.get("by") in ("owner", "user", "person") else "assistant" if fields.get("by") else "tool"
        )
        fields = {"events": [{"content": text, "role": role}], "tenant": fields.get("tenant")}
    if name in ("recall", "remember", "ingest", "observe", "add_rule") and not text:
        raise NotSupported(f"the step {said[:80]!r}, without a text")
    for _ in range(min(times, rules.MOST)):
        deeds.DEEDS[name](world, fields)


def _number(text: str | None) -> int:
    words = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "twenty": 20, "forty": 40}
    return words.get((text or "1").casefold(), 0) or int(text or 1)


def _rules(world: World, m: re.Match[str]) -> None:
    if m["day"]:
        world.at_day(float(m["day"]))
    rules.add_rules(world, {"n": _number(m["n"])})


def _for_days(world: World, m: re.Match[str]) -> None:
    for _ in range(min(_number(m["n"]), rules.MOST)):
        world.pass_time(timedelta(**{_UNITS[m["unit"]]: 1}))
        spoken(world, m["rest"])


def _on_day(world: World, m: re.Match[str]) -> None:
    world.at_day(float(m["n"]))
    spoken(world, m["rest"])


def _again(world: World, m: re.Match[str]) -> None:
    for _ in range(min(_number(m["n"]), rules.MOST)):
        spoken(world, m["rest"])


def _pass(world: World, m: re.Match[str]) -> None:
    world.pass_time(timedelta(**{_UNITS[m["unit"]]: _number(m["n"])}))


def _person(world: World, m: re.Match[str]) -> None:
    which = (m["which"] or "").strip()
    named = (
        ""
        if re.fullmatch(
            r"(?:it|that|this|(?:the |that |this |last )*(?:rule|one|edit|change|step|approval|rejection))?", which
        )
        else which
    )
    deeds.DEEDS[_KIND_OF[m["act"].casefold()]](world, {"rule": named} if named else {})


def _plain(name: str, **fixed: Any) -> Callable[[World, re.Match[str]], None]:
    def deed(world: World, m: re.Match[str]) -> None:
        given = dict(fixed)
        if "text" in m.groupdict():
            given |= {"text": m["text"].strip(" '\"“”"), "query": m["text"].strip(" '\"“”")}
        deeds.DEEDS[name](world, given)

    return deed


def _edit(world: World, m: re.Match[str]) -> None:
    deeds.DEEDS["edit"](world, {"to": m["text"].strip(" '\"“”")})


def _says(world: World, m: re.Match[str]) -> None:
    deeds.ingest(world, {"events": [{"content": m["text"].strip(" '\"“”"), "role": "user", "source": "chat"}]})
    deeds.sleep(world, {})


def _repeats(world: World, m: re.Match[str]) -> None:
    """The agent says something, its own words or the last rule again, and that is considered."""
    given = m.groupdict().get("text")
    held = (
        [given.strip(" '\"“”")] if given else [b["content"] for b in rules_and_states(world.house, world.tenant())][-1:]
    )
    deeds.ingest(world, {"events": [{"content": text, "role": "assistant"} for text in held]})
    deeds.sleep(world, {})


_STORE = r"(?:store|add|create|insert|write|seed|put|make)s?"
_SENTENCES: tuple[tuple[re.Pattern[str], Callable[[World, re.Match[str]], None]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), deed)
    for pattern, deed in (
        (r"day (?P<n>\d+): ?(?P<rest>.+)", _on_day),
        (r"for (?P<n>\d+|\w+) (?P<unit>hour|day|week)s?: ?(?P<rest>.+)", _for_days),
        (r"(?:(?P<n>\d+|two|three|five|ten) times|twice): ?(?P<rest>.+)", _again),
        (rf"{_STORE} (?P<n>\d+|\w+) rules?(?:,? each)?(?:,? (?:is )?supported once)?(?: (?:on|at) day (?P<day>\d+))?", _rules),
        (rf"{_STORE} (?P<n>\d+|\w+) (?:memories|facts|notes)", lambda w, m: deeds.remember_many(w, {"n": _number(m["n"])})),
        (rf"{_STORE} (?:a |the |another |core |same )*rule: ?(?P<text>.+)", _plain("add_rule")),
        (r"(?:the )?(?:owner|person|user)(?: says?)?: ?(?P<text>.+)", _says),
        (r"(?:the )?(?:agent|assistant|model)(?: (?:says?|repl(?:y|ies)|writes?|answers?))?: ?(?P<text>.+)", _repeats),
        (r"(?:the )?(?:agent|assistant|model) (?:repeats?|echoes|says|quotes) (?:it|the rule|the block|that)(?: again)?", _repeats),
        (rf"(?:remember|{_STORE} (?:a |the )?(?:memory|fact|note)): ?(?P<text>.+)", _plain("remember")),
        (r"(?:recall|search|query)(?: all)?(?: \d+)?(?: rules?| memories| of them)?(?: (?:each|every) day)?"
         r"(?:, .*no new evidence.*)?", _plain("recall_all")),
        (r"(?:recall|search|query|ask)(?: for)?: ?(?P<text>.+)", _plain("recall")),
        (r"(?:run|start|do|trigger)? ?(?:a |the )?dream(?: cycle)?", _plain("dream")),
        (r"(?:run |start |do |trigger |POST /)?(?:a |the )?(?:sleep|consolidat\w+|consolidation|cycle)", _plain("sleep")),
        (r"(?:wait|advance(?: the)? clock(?: by)?|(?:the )?clock \+|let)? ?(?P<n>\d+|a|one)"
         r" (?P<unit>second|minute|hour|day|week)s?(?: pass(?:es)?| later| go by)?", _pass),
        (r"edit (?:it|the rule|that)?(?: to)?:? ?(?P<text>.+)", _edit),
        (r"(?P<act>approve|accept|reject|undo|pin|deprecate|retire|quarantine)s?:? ?(?P<which>.*)", _person),
        (r"(?:add |propose )?(?:an )?exception: ?(?P<text>.+)", _plain("exception")),
        (r"approve (?:the |that )?exception", _plain("approve_exception")),
        (r"revoke (?:the |that )?exception", _plain("revoke_exception")),
        (r"(?:check|guard|call): ?(?P<text>.+)", lambda w, m: deeds.check(w, {"command": m["text"]})),
        (r"(?:render|read|build)(?: the)? (?:prompt|block|persona)", _plain("render_prompt")),
    )
)  # fmt: skip
