"""What a session has in hand, kept up to date from its observations and from what the agent says of it.

Intake calls `record` in the transaction that stores the episodes, after repeats were dropped: so each observation counts
once, and a reader that dies leaves neither or both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_schema import working as store
from bio_agent_schema.types import Kind, Provenance
from bio_agent_workers.brain import attempts, working
from bio_agent_workers.perception import Perceived

BOUND_EVERY = 256  # changes of a state between two looks at whether too many attempts are kept
_SNAPSHOT = ("place", "objects", "exits", "gone")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing heard of a session. at: seconds since the epoch. act: what was done, for a tool; text: what it came to,
    first line. seen: a snapshot, for a state. risky: not to be offered to other sessions."""

    workspace: str
    session: str
    kind: Kind
    at: float
    id: str = ""
    act: str = ""
    failed: bool = False
    token: str = ""
    risky: bool = False
    task: str = ""
    goal: str = ""
    text: str = ""
    seen: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Counted:
    """What events change outside the state."""

    ended: list[store.Ended]
    helped: list[str]
    hurt: list[str]


def record(session: Session, tenant: str, seen: Sequence[Perceived]) -> None:
    """Bring the states of these observations' sessions up to date. What recall itself had injected says nothing."""
    events = [e for p in seen if not p.episode.recalled and (e := event_of(p)) is not None]
    if not events:
        return
    held = store.hold(session, tenant, [(e.workspace, e.session) for e in events])
    states = {key: read(data, *key) for key, data in held.items()}
    counted = Counted([], [], [])
    for event in events:
        apply(states[event.workspace, event.session], event, counted)
    write(session, tenant, states, counted)


def event_of(p: Perceived) -> Event | None:
    """What an observation says of its session's state; None when it says nothing, or nobody vouches for it: a goal is close
    to an instruction, and what an act came to is told to others."""
    e = p.episode
    if e.provenance is Provenance.UNTRUSTED:
        return None
    if e.kind in (Kind.ASSISTANT, Kind.EVENT) and not (e.task or e.goal):
        return None
    tool = e.kind is Kind.TOOL
    act = attempts.act_line(p.acts, e.tool_input, e.command) if tool else ""
    return Event(
        e.workspace, e.session, e.kind, _seconds(e.occurred_at), e.id, act, e.is_failure, e.error_token,
        tool and attempts.is_risky(p.acts, act), e.task, e.goal, working.line(e.content),
        _snapshot(e.metadata, e.content) if e.kind is Kind.STATE else None,
    )  # fmt: skip


def _seconds(at: datetime) -> float:
    return round(at.timestamp(), 3)


def _snapshot(metadata: Mapping[str, Any], content: str) -> Mapping[str, Any]:
    """The snapshot of a `state` observation: in its metadata, else its content where that is a JSON object."""
    if any(name in metadata for name in _SNAPSHOT):
        return metadata
    if content.lstrip().startswith("{"):
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            return {}
        if isinstance(found, dict):
            return found
    return {}


def read(data: Mapping[str, Any], workspace: str, name: str) -> working.State:
    state = working.loaded(data)
    state.workspace, state.session = workspace, name
    return state


def write(session: Session, tenant: str, states: Mapping[store.Key, working.State], counted: Counted) -> None:
    """Write states that are locked, and what they count."""
    if any(not state.version for state in states.values()):  # a session begins: a moment to clear up
        store.let_go(session, tenant)
    for state in states.values():
        state.version += 1
    store.save(session, tenant, {key: working.dumped(s) for key, s in states.items()})
    store.count(session, tenant, counted.ended)
    store.credit_memories(session, tenant, counted.helped, counted.hurt)
    for workspace in {s.workspace for s in states.values() if s.version % BOUND_EVERY == 0}:
        store.bound(session, tenant, workspace)


def apply(state: working.State, event: Event, counted: Counted) -> None:
    """Let one event change the state; what it teaches goes to `counted`."""
    if event.text:
        state.last = event.text
    if event.task and event.kind is not Kind.OUTCOME:
        working.follow_task(state, event.task, event.at)
    goal = working.line(event.goal)
    if goal and event.kind is not Kind.OUTCOME and all(g.text != goal for g in state.goals):
        working.set_goal(state, goal, working.OPEN, event.at)
    if event.seen is not None:
        working.see(state, event.seen, event.at)
    if event.kind is Kind.TOOL and event.act:
        deed = working.Deed(event.act, event.failed, event.at, goal, event.token, id=event.id)
        if working.act(state, deed):
            for of_goal, of_act in attempts.forms(goal, deed.act) if goal else ():
                counted.ended.append(store.Ended(
                    state.workspace, of_goal, of_act, failed=int(event.failed), nowhere=int(not event.failed),
                    token=event.token, risky=event.risky,
                ))  # fmt: skip
            credits = working.credit(state, deed)
            counted.helped += [i for i, how in credits.items() if how == "helped"]
            counted.hurt += [i for i, how in credits.items() if how == "hurt"]
    elif event.kind is Kind.OUTCOME:
        _outcome(state, event, goal, counted)


def _outcome(state: working.State, event: Event, goal: str, counted: Counted) -> None:
    if goal:
        end_goal(state, goal, working.FAILED if event.failed else working.DONE, event.at, counted)
        return
    ended = working.end_task(state, event.task) if event.task else (working.pop(state) if state.tasks else None)
    if ended is not None:
        end_task(state, ended, failed=event.failed, at=event.at, counted=counted)


def end_goal(state: working.State, goal: str, to: str, at: float, counted: Counted) -> bool:
    """A goal's end, counted once; the act that brought it about is told by it. Returns whether it changed anything."""
    changed, deed = working.set_goal(state, goal, to, at)
    if not changed or to not in (working.DONE, working.FAILED):
        return changed
    good = to == working.DONE
    form = attempts.goal_form(goal)
    counted.ended.append(store.Ended(state.workspace, form, "", worked=int(good), failed=int(not good)))
    if deed is not None and not deed.failed:  # a failed act is counted as such already, and brought nothing about
        for of_goal, of_act in attempts.forms(working.line(goal), deed.act):
            counted.ended.append(
                store.Ended(state.workspace, of_goal, of_act, worked=int(good), failed=int(not good), nowhere=-1)
            )
    return changed


def end_task(state: working.State, task: working.Task, *, failed: bool, at: float, counted: Counted) -> None:
    """A task that was taken off the stack because it ended: its open goals are dropped, its end is counted."""
    for goal in state.goals:
        if goal.state == working.OPEN and goal.task == task.text:
            goal.state, goal.at = working.DROPPED, at
    form = attempts.goal_form(task.text)
    counted.ended.append(store.Ended(state.workspace, form, "", worked=int(not failed), failed=int(failed)))
