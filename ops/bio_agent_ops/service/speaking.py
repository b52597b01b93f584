"""The prompt block: which rules speak to a caller, rendered once per change and byte-identical until the next."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_ops.service.cleaning import cleaned_name
from bio_agent_ops.service.context import Context
from bio_agent_ops.service.moments import not_ahead, read_at
from bio_agent_schema import beliefs, history
from bio_agent_schema.tables import BeliefRow, ExceptionRow
from bio_agent_schema.types import BeliefState, Layer, Provenance, RuleLine
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.block import CONSIDERED, INJECT_CONFIDENCE, Block, render_block
from bio_agent_workers.brain.guarding.policy_exceptions import IN_FORCE, standing


def rule_line(b: BeliefRow | Any, exceptions: list[ExceptionRow]) -> RuleLine:
    """A belief as block and guard see it. What rests on untrusted evidence alone has no text until a person approved."""
    trusted = b.rank != Provenance.UNTRUSTED or b.layer == Layer.CORE or bool(b.approved_by)
    return RuleLine(
        id=b.id, text=b.rendering if trusted else "", layer=Layer(b.layer), state=BeliefState(b.state), confidence=b.confidence,
        rank=Provenance(b.rank), scope=scopes.parse(b.scope_path, agent=b.scope_agent, user=b.scope_user), helped=b.helped,
        hurt=b.hurt, injected=b.injected, created_at=b.created_at, disputed=b.disputed,
        exceptions=tuple(x.text for x in exceptions),
    )  # fmt: skip


def persona(
    ctx: Context, tenant: str, *, workspace: str, agent: str, user: str, session_id: str = "", at: str = ""
) -> dict[str, Any]:
    """Returns {version, block, rules: [{id, text, state, layer, confidence}], in_force}. in_force: how many rules speak to the
    caller, whether the block has room for them or not. With a session the reading is noted, so
    that what the rules did there can be credited. With `at` (RFC 3339) the block as it would have been read then, which
    no session is noted to have had."""
    workspace, agent, user, session_id = (cleaned_name(name) for name in (workspace, agent, user, session_id))
    if then := read_at(at):
        return _persona_at(ctx, tenant, then, workspace, agent, user)
    path = scopes.format_path(scopes.of_workspace(workspace or "default").path)
    with ctx.db.tenant(tenant) as session:
        kept = session.execute(_KEPT, {"t": tenant, "p": path, "a": agent, "u": user}).one()
        rules: Mapping[str, Any]
        if kept.version is None:
            block, in_force, rules = _render(
                session, tenant, kept, path, workspace, agent, user, durable=bool(session_id)
            )
            version, body, ids = block.version, block.text, list(block.included)
        else:
            version, body, ids, in_force = kept.version, kept.block, kept.rule_ids, kept.in_force
            rules = {r.id: r for r in session.execute(_SHOWN, {"t": tenant, "ids": ids})}
        if session_id and ids:
            note(session, tenant, session_id, ids)
        return {"version": version, "block": body, "rules": _shown(rules, ids), "in_force": in_force}


#: The block as it was rendered last, null where something has changed since, and what rendering it anew takes.
_KEPT = text(
    """
    select t.secret, t.persona_epoch, bio.now() as now, b.version, b.block, b.rule_ids, b.in_force
    from bio.tenants t left join bio.persona_blocks b on b.tenant = t.tenant and b.scope_path = :p and b.agent = :a
        and b.user_id = :u and b.epoch = t.persona_epoch and (b.valid_until is null or b.valid_until > bio.now())
    where t.tenant = :t
    """
)
_SHOWN = text(
    "select id, rendering, state, layer, confidence, scope_path from bio.beliefs where tenant = :t and id = any(:ids)"
)
#: A block that a crash of the server loses is rendered again: nobody waits for it to reach the disk.
_KEEP = text(
    """
    insert into bio.persona_blocks (tenant, scope_path, agent, user_id, epoch, version, block, rule_ids, in_force,
        valid_until, created_at)
    values (:t, :p, :a, :u, :epoch, :version, :block, :ids, :in_force, :until, :now)
    on conflict (tenant, scope_path, agent, user_id) do update set epoch = excluded.epoch, version = excluded.version,
        block = excluded.block, rule_ids = excluded.rule_ids, in_force = excluded.in_force,
        valid_until = excluded.valid_until, created_at = excluded.created_at
    returning set_config('synchronous_commit', case when :durable then current_setting('synchronous_commit') else 'off' end, true)
    """
)


def _paths(workspace: str) -> list[str]:
    """The caller's scope and those above it."""
    path = scopes.of_workspace(workspace or "default").path
    return [scopes.format_path(path[:n]) for n in range(len(path) + 1)]


def _shown(rules: Mapping[str, Any], ids: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": i, "text": rules[i].rendering, "state": rules[i].state, "layer": rules[i].layer,
         "confidence": round(rules[i].confidence, 4), "scope": rules[i].scope_path}
        for i in ids if i in rules
    ]  # fmt: skip


def _persona_at(ctx: Context, tenant: str, at: datetime, workspace: str, agent: str, user: str) -> dict[str, Any]:
    caller = scopes.of_workspace(workspace or "default", agent=agent or None, user=user or None)
    with ctx.db.tenant(tenant) as session:
        at = not_ahead(session, at)
        rows = {
            b.id: b for b in history.beliefs_at(session, tenant, at, states=beliefs.ACTIVE)
            if not b.recheck and b.valid_from <= at and (b.valid_to is None or b.valid_to > at)
            and scopes.applies(scopes.parse(b.scope_path, agent=b.scope_agent, user=b.scope_user), caller)
        }  # fmt: skip
        by_belief: dict[str, list[ExceptionRow]] = {}
        for x in history.exceptions_at(session, tenant, rows, at):
            if standing(x.state, x.valid_from, x.expires_at, at) == IN_FORCE:
                by_belief.setdefault(x.belief_id, []).append(x)
        lines = [rule_line(b, by_belief.get(b.id, [])) for b in rows.values()]
        secret = beliefs.tenant_row(session, tenant).secret
    block = render_block([r for r in lines if r.text], tenant_key=secret, tenant=tenant)
    return {
        "version": block.version,
        "block": block.text,
        "rules": _shown(rows, list(block.included)),
        "in_force": len(lines),
        "at": at,
    }


def _render(
    session: Session, tenant: str, kept: Any, path: str, workspace: str, agent: str, user: str, *, durable: bool
) -> tuple[Block, int, dict[str, Any]]:
    """(the block, how many rules it was chosen from, those that were looked at by id). kept: a row of _KEPT; durable:
    whether the transaction writes more than the block."""
    spoken = beliefs.speaking(
        session, tenant, paths=_paths(workspace), agent=agent, user=user, least=INJECT_CONFIDENCE, most=CONSIDERED,
        now=kept.now,
    )  # fmt: skip
    ends = [spoken.begins, *(b.valid_to for b in spoken.rules)]
    by_belief: dict[str, list[ExceptionRow]] = {}
    for x in beliefs.exceptions_of(session, tenant, [b.id for b in spoken.rules]):
        ends += [x.expires_at, x.valid_from]
        if standing(x.state, x.valid_from, x.expires_at, kept.now) == IN_FORCE:
            by_belief.setdefault(x.belief_id, []).append(x)
    lines = [rule_line(b, by_belief.get(b.id, [])) for b in spoken.rules]
    block = render_block(lines, tenant_key=kept.secret, tenant=tenant)
    session.execute(_KEEP, {
        "t": tenant, "p": path, "a": agent, "u": user, "epoch": kept.persona_epoch, "version": block.version,
        "block": block.text, "ids": list(block.included), "in_force": spoken.in_force,
        "until": min((e for e in ends if e and e > kept.now), default=None), "now": kept.now, "durable": durable,
    })  # fmt: skip
    return block, spoken.in_force, {b.id: b for b in spoken.rules}


def note(session: Session, tenant: str, session_id: str, ids: list[str]) -> None:
    """The session had these rules before it; counted once a session, in an order that two callers share."""
    session.execute(
        text(
            """
            with n as (
                insert into bio.injections (tenant, session, rule_id, how)
                select :t, :s, r, 'block' from unnest(cast(:ids as text[])) r order by r
                on conflict do nothing returning rule_id)
            update bio.beliefs b set injected = injected + 1 from n where b.tenant = :t and b.id = n.rule_id
            """
        ),
        {"t": tenant, "s": session_id, "ids": ids},
    )
