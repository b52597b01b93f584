"""Working state of a session by the agent's own word: tasks, goals, what it sees, what it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bio_agent_client.observation import clean_text
from bio_agent_client.redact import redact, redact_json
from bio_agent_ops import working_shapes as shapes
from bio_agent_ops.service.context import Conflict, Context, NotFound, Unprocessable
from bio_agent_schema import beliefs
from bio_agent_schema import working as store
from bio_agent_schema.types import Kind
from bio_agent_workers import shell, working_state
from bio_agent_workers.brain import attempts, working
from bio_agent_workers.brain.working import State
from bio_agent_workers.working_state import Counted, Event

Change = Callable[[State, float, Counted], Mapping[str, Any]]
SESSION_CHARS = 256


def show(ctx: Context, tenant: str, session_id: str, workspace: str) -> dict[str, Any]:
    """The state: {session, workspace, task, goal, tasks, goals, place, places, things, deeds, stuck, credits, version}."""
    with ctx.db.tenant(tenant) as session:
        data = store.open_state(session, tenant, workspace or "default", session_id).state
    if data is None:
        raise NotFound(
            f"nothing is known of session {session_id[:80]!r} in workspace {(workspace or 'default')[:80]!r}"
        )
    return view(working_state.read(data, workspace or "default", session_id))


def view(state: State) -> dict[str, Any]:
    shown = working.dumped(state)
    stuck = working.stuck(state)
    for name in ("shown", "last", "ids"):
        del shown[name]
    return shown | {"task": state.task, "goal": state.goal, "stuck": stuck.act if stuck else ""}


def push(ctx: Context, tenant: str, session_id: str, body: shapes.PushTask, *, interrupting: bool) -> dict[str, Any]:
    """Returns the state after it."""
    task = _text(body.task, "task")

    def change(state: State, now: float, _: Counted) -> Mapping[str, Any]:
        working.push(state, task, now, interrupting=interrupting)
        return {}

    return _changed(ctx, tenant, session_id, body.workspace, change)


def pop(ctx: Context, tenant: str, session_id: str, body: shapes.PopTask) -> dict[str, Any]:
    """Returns the state after it and {popped}: the task that was taken off."""

    def change(state: State, now: float, counted: Counted) -> Mapping[str, Any]:
        gone = working.pop(state, _text(body.task, "task") if body.task.strip() else "")
        _end(state, gone, body.outcome, now, counted)
        return {"popped": gone.text}

    return _changed(ctx, tenant, session_id, body.workspace, change, create=False)


def resume(ctx: Context, tenant: str, session_id: str, body: shapes.ResumeTask) -> dict[str, Any]:
    """Returns the state after it and {ended}: what had interrupted the task, "" if it had been popped already."""

    def change(state: State, now: float, counted: Counted) -> Mapping[str, Any]:
        _, ended = working.resume(state)
        if ended is not None:
            _end(state, ended, body.outcome, now, counted)
        return {"ended": ended.text if ended else ""}

    return _changed(ctx, tenant, session_id, body.workspace, change, create=False)


def goal(ctx: Context, tenant: str, session_id: str, body: shapes.SetGoal) -> dict[str, Any]:
    """Returns the state after it and {changed}."""
    said = _text(body.goal, "goal")

    def change(state: State, now: float, counted: Counted) -> Mapping[str, Any]:
        return {"changed": working_state.end_goal(state, said, body.state, now, counted)}

    return _changed(ctx, tenant, session_id, body.workspace, change)


def snapshot(ctx: Context, tenant: str, session_id: str, body: shapes.Snapshot) -> dict[str, Any]:
    seen = redact_json(body.model_dump(exclude={"workspace"}, exclude_none=True))

    def change(state: State, now: float, _: Counted) -> Mapping[str, Any]:
        working.see(state, seen, now)
        return {}

    return _changed(ctx, tenant, session_id, body.workspace, change)


def act(ctx: Context, tenant: str, session_id: str, body: shapes.Acted) -> dict[str, Any]:
    """Returns the state after it."""
    given = redact_json(body.tool_input)
    command = given.get("command", "") if isinstance(given, dict) else given if shell.is_shell_tool(body.tool) else ""
    command = command if isinstance(command, str) else ""
    acts = shell.act_of(body.tool, given, command)
    said = clean_text(attempts.act_line(acts, given, command)).strip() or body.tool
    event = Event(
        body.workspace or "default", session_id, Kind.TOOL, 0.0, body.id, said, body.failed, body.error,
        attempts.is_risky(acts, said), goal=_text(body.goal, "goal") if body.goal.strip() else "",
    )  # fmt: skip

    def change(state: State, now: float, counted: Counted) -> Mapping[str, Any]:
        from dataclasses import replace

        working_state.apply(state, replace(event, at=now), counted)
        return {}

    return _changed(ctx, tenant, session_id, body.workspace, change)


def _end(state: State, task: working.Task, outcome: str, now: float, counted: Counted) -> None:
    if outcome == "dropped":
        for g in state.goals:
            if g.state == working.OPEN and g.task == task.text:
                g.state, g.at = working.DROPPED, now
        return
    working_state.end_task(state, task, failed=outcome == "failed", at=now, counted=counted)


def _text(given: str, name: str) -> str:
    said = " ".join(redact(clean_text(given)).split())
    if not said:
        raise Unprocessable(f"{name} is empty once control characters are taken out")
    return said


def _changed(
    ctx: Context, tenant: str, session_id: str, workspace: str, change: Change, *, create: bool = True
) -> dict[str, Any]:
    """The state after a change, made under its row's lock. Raises NotFound, Conflict, Unprocessable."""
    if not session_id.strip() or len(session_id) > SESSION_CHARS or "\x00" in session_id:
        raise Unprocessable(f"a session's name has 1 to {SESSION_CHARS} characters, none of them NUL")
    key = (workspace or "default", session_id)
    with ctx.db.tenant(tenant) as session:
        held = store.hold(session, tenant, [key], create=create)
        if key not in held:
            raise NotFound(f"nothing is known of session {session_id[:80]!r} in workspace {key[0][:80]!r}")
        state, counted = working_state.read(held[key], *key), Counted([], [], [])
        try:
            said = change(state, beliefs.now(session).timestamp(), counted)
        except working.NothingThere as nothing:
            raise Conflict(str(nothing)) from None
        working_state.write(session, tenant, {key: state}, counted)
    return view(state) | dict(said)
