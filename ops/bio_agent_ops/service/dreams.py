"""Verbs of the dream: run it now, read its journal, let it go on or stop it, set when it may run."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import DreamTimes
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound
from bio_agent_schema import beliefs
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import DreamRunRow
from bio_agent_workers import dreaming
from bio_agent_workers.dreaming import reading, runs, windows


def dream(ctx: Context, tenant: str) -> dict[str, Any]:
    """Run the tenant's dream now. Raises Conflict when it cannot: one is running or asks a person, or a blackout is set."""
    return _run(ctx, tenant, "")


def _run(ctx: Context, tenant: str, slot: str) -> dict[str, Any]:
    try:
        return dreaming.dream(ctx.runtime, tenant, slot)
    except dreaming.AlreadyDreaming as error:
        raise Conflict(str(error)) from error


def last(ctx: Context, tenant: str, slot: str = "") -> dict[str, Any]:
    """The last dream with its journal, or the one of that slot (a local date). Raises NotFound."""
    with ctx.db.tenant(tenant) as session:
        run = session.get(DreamRunRow, (tenant, slot)) if slot else runs.last(session, tenant)
        if run is None:
            raise NotFound(f"there is no dream {slot[:80]!r}" if slot else "this tenant has not dreamt yet")
        return reading.view(session, run)


def decide(ctx: Context, caller: Caller, *, go_on: bool, why: str = "") -> dict[str, Any]:
    """A person answers the dream that asks: it goes on to its end now, or stops. Raises Conflict when none asks."""
    with ctx.db.tenant(caller.tenant) as session:
        run = runs.decide(session, caller.tenant, go_on=go_on, actor=caller.actor, why=redact(why))
        if run is None:
            raise Conflict("no dream asks whether it may go on")
        slot = run.slot
    return _run(ctx, caller.tenant, slot) if go_on else last(ctx, caller.tenant, slot)


def times(ctx: Context, tenant: str) -> dict[str, Any]:
    """When the tenant dreams: its zone, the hour from which, its blackouts, and the end of the one that holds now."""
    with ctx.db.tenant(tenant) as session:
        row = beliefs.tenant_row(session, tenant)
        until = runs.blackout(session, tenant)
        return {
            "enabled": ctx.settings.enable_dream_cycle, "time_zone": row.time_zone, "from_hour": windows.HOUR,
            "blackouts": list(row.blackouts), "blackout_until": until,
        }  # fmt: skip


def set_times(ctx: Context, caller: Caller, ask: DreamTimes) -> dict[str, Any]:
    """A person sets the tenant's time zone or its blackouts. Raises BadRequest."""
    if ask.blackouts is not None:
        try:
            windows.parse_all(ask.blackouts)
        except windows.BadWindow as error:
            raise BadRequest(str(error)) from error
    if ask.time_zone is not None:
        try:
            ZoneInfo(ask.time_zone)
        except (KeyError, ValueError, OSError):
            raise BadRequest(f"time_zone: {ask.time_zone[:60]!r} is no zone such as Asia/Ho_Chi_Minh") from None
    with ctx.db.tenant(caller.tenant) as session:
        row = beliefs.tenant_row(session, caller.tenant)
        row.blackouts = row.blackouts if ask.blackouts is None else ask.blackouts
        row.time_zone = row.time_zone if ask.time_zone is None else ask.time_zone
        session.add(row)
        audit(session, caller.tenant, [Entry("dream_times_set", subject=f"tenant:{caller.tenant}", actor=caller.actor,
                                             data={"blackouts": len(row.blackouts), "time_zone": row.time_zone})])  # fmt: skip
    return times(ctx, caller.tenant)
