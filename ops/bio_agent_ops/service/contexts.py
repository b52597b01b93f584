"""The context: one block of text for the turn at hand. Rules first, as the prompt block has them, with a word on those that
did not fit; then what the user wants whenever it fits; then what is recalled and no rule says already; then where the
session stands, with warnings."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import Any

from bio_agent_ops.requests import Recall
from bio_agent_ops.service import recalling, speaking
from bio_agent_ops.service.context import Context
from bio_agent_schema import derived
from bio_agent_schema import working as store
from bio_agent_schema.memory_search import Wish
from bio_agent_schema.types import MemoryKind
from bio_agent_workers import working_state
from bio_agent_workers.brain import attempts, context_text, working
from bio_agent_workers.brain.attempts import Advice, Counts, Known
from bio_agent_workers.brain.block import BUDGET_TOKENS, Block, shortened, token_count
from bio_agent_workers.brain.context_text import RECALLED_HEADER, STATE_HEADER, WISHES_HEADER, Warnings
from bio_agent_workers.brain.working import State

DEFAULT_BUDGET, LEAST_BUDGET, MOST_BUDGET = 1_600, 300, 8_000  # tokens
RULES_SHARE = 0.5  # of the budget at most, or a small one would hold nothing but rules
WISHES_SHARE = 0.5  # of what the rules leave; what the wishes leave goes to the rest
STATE_SHARE = 0.65  # of what the rules leave, before memories are recalled: the state is what no other place tells
RECALLED, RECALLED_STUCK = 5, 12  # memories; an agent that is stuck gets a deeper look
QUERY_CHARS = 600


def context(
    ctx: Context, tenant: str, *, session_id: str, workspace: str, agent: str, user: str, query: str, budget: int
) -> dict[str, Any]:
    """Returns {text, tokens, version, rules: {version, ids, left_out}, wishes: [id], memories: [{id, kind}], query, state: {task, goal,
    stuck} or None}; the wishes are among the memories. Nothing in it changes while the text does not, so `version` serves
    as its ETag.

    query: what to recall for; without one the goal in hand, the task, or the newest observation is asked for.
    """
    workspace = workspace or "default"
    with ctx.db.tenant(tenant) as session:
        opened = store.open_state(session, tenant, workspace, session_id)
        data, now, key = opened.state, opened.now, opened.secret
        state = working_state.read(data or {}, workspace, session_id)
        advice, warnings = _known(session, tenant, state)
    rules, in_force = _rules(ctx, tenant, key, workspace, agent, user, session_id, int(budget * RULES_SHARE))
    left_out = max(0, in_force - len(rules.included))
    untold = context_text.left_out_line(left_out, more=bool(rules.included))
    asked = query.strip() or _query(state, warnings)
    room = context_text.room_of(budget - rules.tokens) - len(untold.encode()) - 1
    sure, others, found = list[Wish](), list[Wish](), list[dict[str, Any]]()
    if opened.remembers:  # a query's embedding is most of a context's cost, and nothing would be found
        told_before = _telling(ctx, tenant, rules)
        sure, others = recalling.standing_wishes(ctx, tenant, asked, workspace, user, without=told_before)
        found = _recalled(
            ctx,
            tenant,
            asked,
            workspace,
            agent,
            user,
            session_id,
            deeper=warnings.stuck is not None,
            without=told_before,
        )
    # The wishes that hold whatever is asked, or fit it, stand first, but for the room of the best answer; one about
    # something else has what the answers leave.
    share, best = int(room * WISHES_SHARE), next((line for line in context_text.recalled_lines(found) if line), "")
    answer = context_text.overhead(RECALLED_HEADER) + len(best.encode()) + 3 if best else 0
    wishes = _wishes(sure, min(share, room - answer))
    wished = context_text.section(list(wishes), WISHES_HEADER, tenant_key=key, tenant=tenant)
    found = _not_in(found, wishes.values(), RECALLED_STUCK if warnings.stuck else RECALLED)
    left = room - len(wished.encode()) - 1
    lines = context_text.state_lines(state, advice, warnings, now)
    kept = context_text.fitting(lines, int(left * STATE_SHARE) - context_text.overhead(STATE_HEADER))
    told = context_text.section(kept, STATE_HEADER, tenant_key=key, tenant=tenant)
    left -= len(told.encode()) + 2
    said = {line: m for m, line in zip(found, context_text.recalled_lines(found), strict=True) if line}
    shown, untold_memories = context_text.recalled_within(said, left)
    recalled = context_text.section(shown, RECALLED_HEADER, tenant_key=key, tenant=tenant)
    memories = [said[line] for line in shown]
    room -= sum(len(part.encode()) + 1 for part in (told, recalled, untold_memories) if part)
    ids = {m["id"] for m in memories}
    placed = [w for w in sure if w.id in wishes.values()]
    wishes = _wishes([*placed, *(w for w in others if w.id not in ids)], min(share, room - 1))
    wished = context_text.section(list(wishes), WISHES_HEADER, tenant_key=key, tenant=tenant)
    if data is not None and memories:
        _note(ctx, tenant, state, memories)
    body = "\n".join(part for part in (rules.text, untold, wished, recalled, untold_memories, told) if part)
    return {
        "text": body, "tokens": token_count(body), "version": hashlib.sha256(body.encode()).hexdigest()[:16],
        "rules": {"version": rules.version, "ids": list(rules.included), "left_out": left_out},
        "wishes": list(wishes.values()),
        "memories": [
            *({"id": i, "kind": MemoryKind.PREFERENCE.value} for i in wishes.values()),
            *({"id": m["id"], "kind": m["kind"]} for m in memories),
        ],
        "query": asked,
        "state": None if data is None else {
            "task": state.task, "goal": state.goal, "stuck": warnings.stuck.act if warnings.stuck else "",
        },
    }  # fmt: skip


def _rules(
    ctx: Context, tenant: str, key: bytes, workspace: str, agent: str, user: str, session_id: str, budget: int
) -> tuple[Block, int]:
    """The prompt block as every face has it, or its first rules where the budget of a context is too small for it, and how
    many rules it was chosen from."""
    whole = budget >= BUDGET_TOKENS
    shown = speaking.persona(
        ctx, tenant, workspace=workspace, agent=agent, user=user, session_id=session_id if whole else ""
    )
    block = Block(shown["version"], shown["block"], tuple(r["id"] for r in shown["rules"]), token_count(shown["block"]))
    if whole:
        return block, shown["in_force"]
    block = shortened(block, budget, tenant_key=key, tenant=tenant)
    if session_id and block.included:
        with ctx.db.tenant(tenant) as session:
            speaking.note(session, tenant, session_id, list(block.included))
    return block, shown["in_force"]


def _telling(ctx: Context, tenant: str, rules: Block) -> frozenset[str]:
    """The memories that say no more than one of these rules does."""
    if not rules.included:
        return frozenset()
    with ctx.db.tenant(tenant) as session:
        return derived.telling(session, tenant, rules.included)


def _wishes(wishes: Iterable[Wish], room: int) -> dict[str, str]:
    """The lines of the standing wishes, the most wanted first, that fit a section of `room` bytes, with their ids."""
    return context_text.wish_lines(
        ((w.id, w.occurred_at, w.content) for w in wishes), room - context_text.overhead(WISHES_HEADER)
    )


def _known(session: Any, tenant: str, state: State) -> tuple[Advice, Warnings]:
    """What is known of the goal in hand, and what to warn of."""
    advice, alike = Advice(), []
    if state.goal:
        rows = store.of_goal(session, tenant, state.workspace, list(attempts.keys(state.goal)))
        advice = attempts.advise(state.goal, [
            Known(r.goal_form, r.act_form, Counts(r.worked, r.failed, max(0, r.nowhere)), r.error_token, r.risky) for r in rows
        ], working.in_sight(state))  # fmt: skip
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
    ctx: Context, tenant: str, query: str, workspace: str, agent: str, user: str, session_id: str, *, deeper: bool,
    without: frozenset[str],
) -> list[dict[str, Any]]:  # fmt: skip
    """Up to twice what is told, since some may be told as wishes. without: what the text says already."""
    if not query:
        return []
    ask = Recall(
        query=query, limit=2 * (RECALLED_STUCK if deeper else RECALLED), workspace=workspace, agent=agent or None,
        user=user or None, session=session_id or None, mode="debug" if deeper else "normal",
    )  # fmt: skip
    return _not_in(recalling.recall(ctx, tenant, ask)["memories"], without, ask.limit)


def _not_in(memories: Iterable[dict[str, Any]], told: Collection[str], most: int) -> list[dict[str, Any]]:
    """The first memories that are not told already; neither these nor what they replaced is told again."""
    return [m for m in memories if m["id"] not in told and m["superseded_by"] not in told][:most]


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
