"""What a call says, as words: its actions, its objects, the paths and dates in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.act_forms import family, is_dry
from bio_agent_workers.brain.act_words import ACTION_OF, COMMANDS, actions_of

#: Options whose value is text for people.
_FREE_TEXT = ("--message=", "--body=", "--title=", "-m=", "--notes=", "--description=")


@dataclass(slots=True)
class Call:
    """What one act of a call says: its actions, its words, the paths it acts on, and dates in it."""

    actions: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)
    dates: list[date] = field(default_factory=list)
    dry: bool = False


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _split(text: str, *, labels: bool) -> Iterable[str]:
    """Words of a value: its parts between `/ = : , .` and blanks; a label (`soup_jar`, `hotPan`) also at `_`."""
    lowered = text.lower()
    yield lowered
    parts = re.split(r"[/=:,\s\"'()@;]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower() if labels else lowered)
    for part in parts:
        yield part
        yield from part.split(".")
        if labels:
            yield from re.split(r"[_\s]+", part)
            yield part.replace("_", " ")


def _sql_actions(text: str) -> set[str]:
    return {
        word.lower() for word in re.findall(r"(?i)(?:^|;)\s*(drop|delete|truncate|update|insert|alter|grant)\b", text)
    }


def _act_call(act: Act, cwd: str, context: set[str], structured: bool) -> Call:
    call = Call(dry=is_dry(act))
    call.words |= context
    verb_words = [act.verb.lower(), *_split(act.verb, labels=True), *act.verb.lower().split()]
    call.actions |= actions_of(verb_words)
    name = family(act)
    for known in (name, act.tool, " ".join(name.split()[:2])):
        if COMMANDS.get(known):
            call.actions.add(COMMANDS[known])
    if not structured and act.verb == "" and act.tool in ACTION_OF:
        call.actions.add(ACTION_OF[act.tool])
    if act.tool == "git" and any(f in ("--delete", "--delete-force") for f in act.flags):
        call.actions.add("delete")
    values = list(act.operands)
    if act.tool == "git" and act.verb == "push":
        values = [v.rsplit(":", 1)[-1].removeprefix("refs/heads/") if "://" not in v else v for v in values]
    for given in values:
        value = given
        key, found, told = value.partition("=")
        if structured and found:
            if told in ("false", "none", "null", "0", ""):
                continue
            call.words.update(_split(key, labels=True))
            value = told
        call.words.update(_split(value, labels=structured))
        call.actions |= _sql_actions(value)
        call.paths.append(posixpath.normpath(posixpath.join(cwd or ".", value)) if "=" not in value else value)
        when = _iso(value)
        if when is not None:
            call.dates.append(when)
    if act.tool in ("env", "printenv") and act.operands:
        call.actions.discard("print")
    elif act.tool in ("env", "printenv"):
        call.words.add("environment")
    if act.tool == "sed" and not any(flag.startswith(("-i", "--in-place")) for flag in act.flags):
        call.actions.discard("edit")
    for flag in act.flags:
        if flag.startswith(_FREE_TEXT):
            continue
        key, found, told = flag.partition("=")
        call.words.update(_split(key.lstrip("-"), labels=False))
        call.words.add(key)
        if found:
            call.words.update(_split(told, labels=False))
            call.actions |= _sql_actions(told)
    call.words.update(_split(act.verb, labels=True))
    call.words.update(_split(act.tool, labels=True))
    return call


def calls(acts: Sequence[Act], call_tool: str, call_input: Any) -> list[Call]:
    """One view per act, relative paths resolved against the folders that the line itself enters."""
    out: list[Call] = []
    cwd, context = "", set[str]()
    # A shell call holds its line in the input; any other input is structured.
    structured = isinstance(call_input, Mapping) and bool(acts) and acts[0].tool == call_tool and len(acts) == 1
    for act in acts:
        if act.tool in ("cd", "pushd") and act.operands:
            cwd = posixpath.normpath(posixpath.join(cwd, act.operands[0]))
            context |= {word for word in _split(act.operands[0], labels=False) if word}
            continue
        if act.tool in ("echo", "printf"):
            continue
        out.append(_act_call(act, cwd, context, structured))
    return out
