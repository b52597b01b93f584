"""Cycles: the lease, the fence and the stage of each consolidation. Postgres is the truth; messages carry ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_client.observation import uuid7
from bio_agent_schema.db import INSTANCE
from bio_agent_schema.tables import CycleRow


class Fenced(Exception):
    """Another worker has taken this cycle: what the present one holds is stale and must not be written."""


@dataclass(frozen=True, slots=True)
class Due:
    """Work the dispatcher may start. `cycle_id` is set when a cycle already exists (taken up again or queued)."""

    tenant: str
    workspace: str
    agent: str
    cycle_id: str | None
    reason: str


def due_work(
    session: Session, *, min_new: int, max_wait: timedelta, crisis: float, most: int = 64, most_of_one: int = 64
) -> list[Due]:
    """Due scopes and cycles over all tenants, one of each tenant first (tenants take turns). most_of_one: cycles of one
    tenant that may be in work at once, those that are included."""
    rows = session.execute(
        text("select * from bio.due_work(:n, :w, cast(:c as real), :m, :o)"),
        {"n": min_new, "w": max_wait, "c": crisis, "m": most, "o": most_of_one},
    )
    return [Due(**r) for r in rows.mappings()]


def open_cycle(
    session: Session, tenant: str, workspace: str, agent: str, *, trigger: str, episode_ids: Sequence[str], lease: timedelta,
    state: str = "running", stage: str = "label", outputs: Mapping[str, Any] | None = None, root: str = "", cycle_id: str = "",
) -> str | None:  # fmt: skip
    """Open a cycle for the scope, or return None because one is already running there."""
    new_id = cycle_id or uuid7()
    row = session.execute(
        text(
            """
            insert into bio.cycles (tenant, id, workspace, agent, trigger, state, stage, lease_owner, lease_until, root,
                episode_ids, outputs)
            values (:tenant, :id, :workspace, :agent, :trigger, :state, :stage, :owner, bio.now() + :lease, :root,
                :episode_ids, cast(:outputs as jsonb))
            on conflict (tenant, workspace, agent) where state = 'running' do nothing returning id
            """
        ),
        {
            "tenant": tenant, "id": new_id, "workspace": workspace, "agent": agent, "trigger": trigger, "state": state,
            "stage": stage, "owner": "", "lease": lease, "root": root or new_id, "episode_ids": list(episode_ids),
            "outputs": json.dumps(outputs or {}, default=str),
        },
    ).first()  # fmt: skip
    return new_id if row else None


def set_batch(
    session: Session, tenant: str, cycle_id: str, episode_ids: Sequence[str], outputs: Mapping[str, Any]
) -> None:
    session.execute(
        text(
            "update bio.cycles set episode_ids = :ids, outputs = cast(:outputs as jsonb), updated_at = bio.now()"
            " where tenant = :t and id = :c"
        ),
        {"t": tenant, "c": cycle_id, "ids": list(episode_ids), "outputs": json.dumps(outputs, default=str)},
    )


def take(session: Session, tenant: str, cycle_id: str, *, lease: timedelta) -> tuple[CycleRow, bool] | None:
    """Take up a cycle whose lease ran out, or one that is queued; the fence moves.

    Returns the cycle and whether a holder crashed (its message was not merely lost or late, and it did not rest);
    None when somebody else was quicker, or it is done.
    """
    row = session.execute(
        text(
            """
            with old as (select id, state, not_before, lease_owner from bio.cycles where tenant = :tenant and id = :cycle for update)
            update bio.cycles c set state = 'running', fence = fence + 1, lease_owner = '', not_before = null,
                attempts = attempts + case when old.state = 'running' and old.lease_owner <> '' then 1 else 0 end,
                lease_until = bio.now() + :lease, updated_at = bio.now()
            from old
            where c.tenant = :tenant and c.id = old.id and (old.not_before is null or old.not_before <= bio.now()) and (
                (c.state = 'running' and lease_until < bio.now())
                or (c.state = 'queued' and not exists (select 1 from bio.cycles r where r.tenant = c.tenant
                    and r.workspace = c.workspace and r.agent = c.agent and r.state = 'running')))
            returning old.state = 'running' and old.lease_owner <> ''
            """
        ),
        {"tenant": tenant, "cycle": cycle_id, "lease": lease},
    ).first()
    if row is None:
        return None
    return session.get_one(CycleRow, (tenant, cycle_id), populate_existing=True), bool(row[0])


def hold(session: Session, tenant: str, cycle_id: str, stage: str, fence: int, *, lease: timedelta) -> CycleRow:
    """Renew the lease and read the cycle. Raises Fenced when stage or fence moved on."""
    row = session.execute(
        text(
            """
            update bio.cycles set lease_owner = :owner, lease_until = bio.now() + :lease, updated_at = bio.now()
            where tenant = :tenant and id = :cycle and stage = :stage and fence = :fence and state = 'running'
            returning id
            """
        ),
        {"tenant": tenant, "cycle": cycle_id, "stage": stage, "fence": fence, "owner": INSTANCE, "lease": lease},
    ).first()
    if row is None:
        raise Fenced(f"cycle {cycle_id}: stage {stage} with fence {fence} is no longer ours")
    return session.get_one(CycleRow, (tenant, cycle_id), populate_existing=True)


def advance(
    session: Session, tenant: str, cycle_id: str, stage: str, fence: int, following: str, outputs: Mapping[str, Any],
    counts: Mapping[str, int], *, lease: timedelta,
) -> None:  # fmt: skip
    """Step to the next stage ('' ends the cycle) with what this one put out. Raises Fenced when it was taken from us."""
    row = session.execute(
        text(
            """
            update bio.cycles set stage = case when :following = '' then stage else :following end,
                state = case when :following = '' then 'done' else state end,
                finished_at = case when :following = '' then bio.now() end,
                outputs = case when :following = '' then '{}' else outputs || cast(:outputs as jsonb) end,
                counts = counts || cast(:counts as jsonb), attempts = 0, error = '', lease_owner = '',
                lease_until = bio.now() + :lease, updated_at = bio.now()
            where tenant = :tenant and id = :cycle and stage = :stage and fence = :fence and state = 'running'
            returning id
            """
        ),
        {
            "tenant": tenant, "cycle": cycle_id, "stage": stage, "fence": fence, "following": following,
            "outputs": json.dumps(outputs, default=str), "counts": json.dumps(counts), "lease": lease,
        },
    ).first()  # fmt: skip
    if row is None:
        raise Fenced(f"cycle {cycle_id}: stage {stage} with fence {fence} is no longer ours")


def put_off(session: Session, tenant: str, cycle_id: str, fence: int, *, delay: timedelta, error: str) -> None:
    """Let the cycle rest (a passing fault: the model is away): its lease ends with the delay, no attempt is counted."""
    session.execute(
        text(
            """
            update bio.cycles set lease_until = bio.now() + :delay, not_before = bio.now() + :delay, error = :error,
                lease_owner = '', updated_at = bio.now()
            where tenant = :tenant and id = :cycle and fence = :fence and state = 'running'
            """
        ),
        {"tenant": tenant, "cycle": cycle_id, "fence": fence, "delay": delay, "error": error[:2000]},
    )


def expire(session: Session, tenant: str, cycle_id: str, fence: int, error: str) -> None:
    """End our lease at once after an error, so that the sweep takes the cycle up (and cuts the batch down)."""
    session.execute(
        text(
            "update bio.cycles set lease_until = bio.now() - interval '1 second', error = :error, updated_at = bio.now()"
            " where tenant = :t and id = :c and fence = :f and state = 'running'"
        ),
        {"t": tenant, "c": cycle_id, "f": fence, "error": error[:2000]},
    )


def close_dead(session: Session, tenant: str, cycle_id: str, error: str) -> None:
    session.execute(
        text(
            "update bio.cycles set state = 'dead', finished_at = bio.now(), outputs = '{}', error = :error,"
            " updated_at = bio.now() where tenant = :t and id = :c"
        ),
        {"t": tenant, "c": cycle_id, "error": error[:2000]},
    )


def arrived(
    session: Session, tenant: str, workspace: str, agent: str, *, new: int, stress: float, directive: bool, ended: bool
) -> None:
    """Intake tells the dispatcher what came in for a scope."""
    session.execute(
        text(
            """
            insert into bio.l1_scopes as s (tenant, workspace, agent, new_count, oldest_new_at, last_arrival_at, stress,
                directive_waiting, session_ended)
            values (:tenant, :workspace, :agent, :new, case when :new > 0 then bio.now() end, bio.now(), :stress, :directive, :ended)
            on conflict (tenant, workspace, agent) do update set
                new_count = s.new_count + excluded.new_count,
                oldest_new_at = coalesce(s.oldest_new_at, excluded.oldest_new_at),
                last_arrival_at = bio.now(), stress = excluded.stress,
                directive_waiting = s.directive_waiting or excluded.directive_waiting,
                session_ended = s.session_ended or excluded.session_ended
            """
        ),
        {
            "tenant": tenant, "workspace": workspace, "agent": agent, "new": new, "stress": stress,
            "directive": directive, "ended": ended,
        },
    )  # fmt: skip


def cycle_ended(session: Session, tenant: str, workspace: str, agent: str) -> int:
    """Recount the scope after a cycle; returns how many cycles it has had. Requests end when nothing new is left.

    The row is locked before the count begins: a count made while intake was committing would miss what it added.
    """
    where = {"tenant": tenant, "workspace": workspace, "agent": agent}
    session.execute(
        text(
            "select 1 from bio.l1_scopes where tenant = :tenant and workspace = :workspace and agent = :agent for update"
        ),
        where,
    )
    return (
        session.execute(
            text(
                """
            update bio.l1_scopes s set cycles_done = cycles_done + 1, last_cycle_at = bio.now(),
                new_count = n.new_count, oldest_new_at = n.oldest,
                directive_waiting = n.directives > 0,
                session_ended = s.session_ended and n.new_count > 0,
                requested_at = case when n.new_count > 0 then s.requested_at end
            from (
                select count(*) as new_count, min(received_at) as oldest, count(*) filter (where directive) as directives
                from bio.episodes where tenant = :tenant and workspace = :workspace and agent = :agent
                  and state in ('open', 'waiting')
            ) n
            where s.tenant = :tenant and s.workspace = :workspace and s.agent = :agent returning s.cycles_done
            """
            ),
            where,
        ).scalar_one_or_none()
        or 0
    )


def request_sleep(session: Session, tenant: str) -> int:
    """Mark every scope of the tenant that has anything new as due now, but for those that a quota holds back. Returns how
    many."""
    return len(
        session.execute(
            text(
                "update bio.l1_scopes set requested_at = bio.now() where tenant = :t and new_count > 0"
                " and (directive_waiting or held_until is null or held_until <= bio.now()) returning workspace"
            ),
            {"t": tenant},
        ).all()
    )


def served(session: Session, tenant: str) -> None:
    session.execute(text("update bio.tenants set last_served_at = clock_timestamp() where tenant = :t"), {"t": tenant})


def live_count(session: Session, tenant: str) -> int:
    """Cycles that are running or queued; the tenant sleeps quietly when this is 0 and nothing is due."""
    count: int = session.execute(
        text("select count(*) from bio.cycles where tenant = :t and state in ('running', 'queued')"), {"t": tenant}
    ).scalar_one()
    return count


def waiting_count(session: Session, tenant: str) -> int:
    """Episodes that wait for consolidation, as the scopes count them."""
    count: int = session.execute(
        text("select coalesce(sum(new_count), 0) from bio.l1_scopes where tenant = :t"), {"t": tenant}
    ).scalar_one()
    return int(count)
