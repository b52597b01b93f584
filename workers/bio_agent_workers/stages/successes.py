"""A goal that was reached leaves a memory of how: the acts that succeeded on the way, in general form.

Read by the server off the acts; no model is asked. The memory cites the outcome and the acts, so that they are not forgotten
before the dream finds out whether the same way worked again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlmodel import Session

from bio_agent_schema import episodes
from bio_agent_schema.types import Episode, Kind, MemoryKind, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.lessons import skills
from bio_agent_workers.brain.remedies.fetched import runs_fetched
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.stages.canonicalize import trust_of

TYPE = "procedure"
CONFIDENCE = 0.5  # it worked once
MOST_ACTS = 60  # of one goal that are looked at, the newest


def ways(session: Session, tenant: str, batch: Iterable[Episode]) -> dict[str, list[Episode]]:
    """Each outcome of the batch that ended a named goal or task well → the tool calls that succeeded on the way to it."""
    out: dict[str, list[Episode]] = {}
    for e in batch:
        if e.kind is Kind.OUTCOME and not e.is_failure and not e.recalled and goal_of(e):
            acts = [a for a in episodes.way_to(session, tenant, e, MOST_ACTS) if _of_the_goal(a, e)]
            if acts:
                out[e.id] = acts
    return out


def goal_of(e: Episode) -> str:
    """What an outcome says was reached, "" when it names nothing."""
    return " ".join((e.goal or e.task).split())


def _of_the_goal(act: Episode, end: Episode) -> bool:
    """Another task's act in between is not part of the way; hosts that name none leave it open."""
    return act.task in ("", end.task) if end.task else not (act.goal and end.goal and act.goal != end.goal)


def tellable(end: Episode, way: Sequence[Episode]) -> bool:
    """Whether others may be told this way unasked: all of it comes from somebody trusted, and no step of it lowers a
    protection, destroys or runs what was fetched. There is nobody to ask for a way, so what would need asking is not told."""
    if any(trust_of(e) is Provenance.UNTRUSTED for e in (end, *way)):
        return False
    acts = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in way}
    told = [a for some in acts.values() for a in some]
    return skills.advisable(told) and not runs_fetched(told, way, acts)


def candidates(own: Sequence[Episode], found: Mapping[str, list[Episode]]) -> list[dict[str, Any]]:
    """A procedural memory for each of these outcomes to which acts led that are worth telling."""
    out: list[dict[str, Any]] = []
    for end in own:
        way = found.get(end.id, [])
        if not tellable(end, way):
            continue
        acts = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in way}
        parts = skills.procedure([a for some in acts.values() for a in some])
        goal = skills.general_goal([goal_of(end)])
        if not parts or not goal:
            continue
        lang = detect_lang(goal)
        cites = [i for i, some in acts.items() if skills.procedure(some)]
        out.append({
            "kind": MemoryKind.PROCEDURAL.value, "type": TYPE, "confidence": CONFIDENCE, "cites": [end.id, *cites],
            "text": skills.told(goal, [p.text for p in parts[: skills.MAX_STEPS]], lang, once=True), "is_rule": False,
            "directive": False, "pair": False, "rendering": "", "model_text": "", "acts": {}, "needs_person": False,
            "importance": 5, "entities": list(dict.fromkeys(p.tool for p in parts)), "lang": lang,
        })  # fmt: skip
    return out
