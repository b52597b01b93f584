"""The context: one block of text for the turn at hand. Rules first, as the prompt block has them; then what is recalled;
then where the session stands, with warnings."""

from __future__ import annotations

import hashlib
from typing import Any

from bio_agent_ops.requests import Recall
from bio_agent_ops.service import recalling, speaking
from bio_agent_ops.service.context import Context
from bio_agent_schema import working as store
from bio_agent_workers import working_state
from bio_agent_workers.brain import attempts, context_text, working
from bio_agent_workers.brain.attempts import Advice, Counts, Known
from bio_agent_workers.brain.block import BUDGET_TOKENS, token_count
from bio_agent_workers.brain.context_text import RECALLED_HEADER, STATE_HEADER, Warnings
from bio_agent_workers.brain.working import State

DEFAULT_BUDGET, LEAST_BUDGET, MOST_BUDGET = 1_600, BUDGET_TOKENS + 100, 8_000  # tokens; the rules alone may take 700
STATE_SHARE = 0.65  # of what the rules leave, before memories are recalled: the state is what no other place tells
RECALLED, RECALLED_STUCK = 5, 12  # memories; an agent that is stuck gets a deeper look
QUERY_CHARS = 600


def context(
    ctx: Context, tenant: str, *, session_id: str, workspace: str, agent: str, user: str, query: str, budget: int
) -> dict[str, Any]:
    """Returns {text, tokens, version, rules: {version, ids}, memories: [{id, kind}], query, state: {task, goal, stuck} or
    None}. Nothing in it changes while the text does not, so `version` serves as its ETag.

    query: what to recall for; without one the goal in hand, the task, or the newest observation is asked for.
    """
    workspace = workspace or "default"
    rules = speaking.persona(ctx, tenant, workspace=workspace, agent=agent, user=user, session_id=session_id)
    with ctx.db.tenant(tenant) as session:
        opened = store.open_state(session, tenant, workspace, session_id)
        data, now, key = opened.state, opened.now, opened.secret
        state = working_state.read(data or {}, workspace, session_id)
        advice, warnings = _known(session, tenant, state)
    asked = query.strip() or _query(state, warnings)
    found = _recalled(ctx, tenant, asked, workspace, agent, user, session_id, deeper=warnings.stuck is not None)
    room = context_text.room_of(budget - token_count(rules["block"]))
    lines = context_text.state_lines(state, advice, warnings, now)
    kept = context_text.fitting(lines, int(room * STATE_SHARE) - context_text.overhead(STATE_HEADER))
    told = context_text.section(kept, STATE_HEADER, tenant_key=key, tenant=tenant)
    room -= len(told.encode()) + context_text.overhead(RECALLED_HEADER) + 2
    said = {line: m for m, line in zip(found, context_text.recalled_lines(found), strict=True) if line}
    shown = context_text.fitting(said, room)
    recalled = context_text.section(shown, RECALLED_HEADER, tenant_key=key, tenant=tenant)
    memories = [said[line] for line in shown]
    if data is not None and memories:
        _note(ctx, tenant, state, memories)
    body = "\n".join(part for part in (rules["block"], recalled, told) if part)
    return {
        "text": body, "tokens": token_count(body), "version": hashlib.sha256(body.encode()).hexdigest()[:16],
        "rules": {"version": rules["version"], "ids": [r["id"] for r in rules["rules"]]},
        "memories": [{"id": m["id"], "kind": m["kind"]} for m in memories],
        "query": asked,
        "state": None if data is None else {
            "task": state.task, "goal": state.goal, "stuck": warnings.stuck.act if warnings.stuck else "",
        },
    }  # fmt: skip


def _known(session: Any, tenant: str, state: State) -> tuple[Advice, Warnings]:
    """What is known of the goal in hand, and what to warn of."""
    advice, alike = Advice(), []
    if state.goal:
        rows = store.of_goal(session, tenant, state.workspace, list(attempts.keys(state.goal)))
        advice = attempts.advise(state.goal, [
            Known(r.goal_form, r.act_form, Counts(r.worked, r.failed, max(0, r.nowhere)), r.error_token, r.risky) for r in rows
        ])  # fmt: skip
    wanted = list(dict.fromkeys(t for t in (state.goal, state.task) if t))
    if wanted:
        failed = store.failed_goals(session, tenant, state.workspace)
        for text in wanted:
            alike += [r for r in attempts.resembling(text, failed) if r not in alike]
    return advice, Warnings(working.stuck(state), tuple(alike[:2]))


def _query(state: State, warnings: Warnings) -> str:
    """What to recall for when nobody says: what is in hand, with the act that is stuck."""
    said = state.goal or state.task or state.last
    if deed := warnings.stuck:
        said = f"{deed.act} {deed.token} failed. {said}"
    return said[:QUERY_CHARS]


def _recalled(
    ctx: Context, tenant: str, query: str, workspace: str, agent: str, user: str, session_id: str, *, deeper: bool
) -> list[dict[str, Any]]:
    if not query:
        return []
    ask = Recall(
        query=query, limit=RECALLED_STUCK if deeper else RECALLED, workspace=workspace, agent=agent or None,
        user=user or None, session=session_id or None, mode="debug" if deeper else "normal",
    )  # fmt: skip
    return list(recalling.recall(ctx, tenant, ask)["memories"])


def _note(ctx: Context, tenant: str, state: State, memories: list[dict[str, Any]]) -> None:
    """The session has these memories before it, so that what it does next can be credited to them."""
    given = [(m["id"], m["content"]) for m in memories]
    if not working.show(state, given):
        return
    key = (state.workspace, state.session)
    with ctx.db.tenant(tenant) as session:
        held = store.hold(session, tenant, [key], create=False)
        if key in held:  # read again under the lock: an act may have come meanwhile
            fresh = working_state.read(held[key], *key)
            working.show(fresh, given)
            store.save(session, tenant, {key: working.dumped(fresh)})
