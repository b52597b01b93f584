"""Cases of several steps in order: each an act as data, or one of a few plain sentences ("day 61: run dream")."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from bio_agent_ops.eval import case_deeds as deeds
from bio_agent_ops.eval import case_words
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_world import World
from bio_agent_ops.eval.house import House

MOST_STEPS = 200
_UNITS = {"second": "seconds", "minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}
_KIND_OF = {"approve": "approve", "accept": "approve", "reject": "reject", "undo": "undo", "pin": "pin",
            "deprecate": "deprecate", "quarantine": "quarantine", "retire": "deprecate"}  # fmt: skip


def sequence(house: House, given: Mapping[str, Any]) -> Facts:
    """Carry the steps out in order on one world."""
    steps = given.get("steps")
    if not isinstance(steps, list) or not steps or len(steps) > MOST_STEPS:
        raise NotSupported(f"a sequence without a list of 1 to {MOST_STEPS} steps")
    world = World(house)
    world.now()
    deeds.set_up(world, {k: v for k, v in given.items() if k != "steps"}, "")
    for step in steps:
        _do(world, step)
    return world.facts()


def _do(world: World, step: Any) -> None:
    if isinstance(step, Mapping):
        called = str(step.get("op") or step.get("do") or step.get("act") or step.get("step") or "")
        name = _deed(called)
        if name in deeds.DEEDS:
            for _ in range(min(int(step.get("repeat") or 1), deeds.MOST)):
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
    raise NotSupported(f"the step {step[:80]!r}")


def _number(text: str | None) -> int:
    words = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "twenty": 20, "forty": 40}
    return words.get((text or "1").casefold(), 0) or int(text or 1)


def _rules(world: World, m: re.Match[str]) -> None:
    if m["day"]:
        world.at_day(float(m["day"]))
    deeds.add_rules(world, {"n": _number(m["n"])})


def _for_days(world: World, m: re.Match[str]) -> None:
    for _ in range(min(_number(m["n"]), deeds.MOST)):
        world.pass_time(timedelta(**{_UNITS[m["unit"]]: 1}))
        spoken(world, m["rest"])


def _on_day(world: World, m: re.Match[str]) -> None:
    world.at_day(float(m["n"]))
    spoken(world, m["rest"])


def _again(world: World, m: re.Match[str]) -> None:
    for _ in range(min(_number(m["n"]), deeds.MOST)):
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


_STORE = r"(?:store|add|create|insert|write|seed|put|make)s?"
_SENTENCES: tuple[tuple[re.Pattern[str], Callable[[World, re.Match[str]], None]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), deed)
    for pattern, deed in (
        (r"day (?P<n>\d+): ?(?P<rest>.+)", _on_day),
        (r"for (?P<n>\d+|\w+) (?P<unit>hour|day|week)s?: ?(?P<rest>.+)", _for_days),
        (r"(?:(?P<n>\d+|two|three|five|ten) times|twice): ?(?P<rest>.+)", _again),
        (rf"{_STORE} (?P<n>\d+|\w+) rules?(?:,? each)?(?: (?:is )?supported once)?(?: (?:on|at) day (?P<day>\d+))?", _rules),
        (rf"{_STORE} (?P<n>\d+|\w+) (?:memories|facts|notes)", lambda w, m: deeds.remember_many(w, {"n": _number(m["n"])})),
        (rf"{_STORE} (?:a |the |another |core |same )*rule: ?(?P<text>.+)", _plain("add_rule")),
        (r"(?:the )?(?:owner|person|user)(?: says?)?: ?(?P<text>.+)", _says),
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
