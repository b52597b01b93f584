"""Verbs of consolidation: sleep now, dream, status of every component, dead letters back into work."""

from __future__ import annotations

import time
from typing import Any

import redis as redis_module
from sqlalchemy import text
from sqlmodel import select

from bio_agent_ops.service import approvals, dreams
from bio_agent_ops.service.context import Conflict, Context, NotFound
from bio_agent_schema import cycles, ledger, quotas
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import DeadLetterRow
from bio_agent_workers import pipeline
from bio_agent_workers.intake import GROUP, Intake, stream_of

SLEEP_S = 300.0  # longest a request waits for the pending work to end
POLL_S = 0.05
WORKER_SILENT_S = 15.0  # a worker that has not spoken for this long does not count as there


def _cycles_since(ctx: Context, tenant: str, since: Any) -> list[dict[str, Any]]:
    with ctx.db.tenant(tenant) as session:
        rows = session.execute(
            text(
                "select id, state, counts, cardinality(episode_ids) as episodes, error from bio.cycles"
                " where tenant = :t and (finished_at >= :s or state in ('running', 'queued')) order by created_at"
            ),
            {"t": tenant, "s": since},
        ).mappings()
        return [dict(r) for r in rows]


def unread(ctx: Context, tenant: str) -> int:
    """Observations on the tenant's stream that are not stored yet (entries leave it after their commit)."""
    return int(ctx.redis.xlen(stream_of(tenant)))


def sleep(ctx: Context, tenant: str, *, inline: bool = False, timeout_s: float = SLEEP_S) -> dict[str, Any]:
    """Run the pending work to its end. inline: think in this process instead of leaving it to the workers.

    Returns {processed, junk, memories, proposed, reinforced, conflicts, cycle_ids, pending, held_until}; what a quota holds
    back is not waited for.
    """
    with ctx.db.tenant(tenant) as session:
        began = session.execute(text("select bio.now()")).scalar_one()
    end = time.monotonic() + timeout_s
    intake = Intake(ctx.db, ctx.redis, ctx.settings) if inline else None
    while time.monotonic() < end and unread(ctx, tenant):
        if intake is not None:
            intake.run_once(block_ms=20)
        else:
            time.sleep(POLL_S)
    if intake is not None:
        intake.release()
    while time.monotonic() < end:
        with ctx.db.tenant(tenant) as session:
            asked = cycles.request_sleep(session, tenant)
            live = cycles.live_count(session, tenant)
        if not asked and not live:
            break
        if inline:
            pipeline.run_due(ctx.runtime, tenant)
        else:
            ctx.celery.send_task("bio.dispatch", queue="bio.beat", expires=30)
            _wait_for_quiet(ctx, tenant, end)
    ran = _cycles_since(ctx, tenant, began)
    total: dict[str, int] = {}
    for cycle in ran:
        for name, value in cycle["counts"].items():
            total[name] = total.get(name, 0) + int(value)
    return {
        "processed": total.get("labelled", 0),
        "junk": total.get("junk", 0),
        "memories": total.get("memories", 0),
        "proposed": total.get("proposed", 0),
        "reinforced": total.get("reinforced", 0),
        "conflicts": total.get("conflicts", 0),
        "forgotten": total.get("forgotten", 0),
        "cycle_ids": [c["id"] for c in ran],
        "pending": sum(c["state"] in ("running", "queued") for c in ran) + unread(ctx, tenant),
        "errors": [c["error"] for c in ran if c["error"]],
        "held_until": _held_until(ctx, tenant),
    }


def _held_until(ctx: Context, tenant: str) -> Any:
    """Until when a quota holds back what is new; None when none does."""
    with ctx.db.tenant(tenant) as session:
        return quotas.held_until(session, tenant)


def _wait_for_quiet(ctx: Context, tenant: str, end: float) -> None:
    """Until no cycle is live, or a second has passed (then the caller looks for what became due meanwhile)."""
    until = min(end, time.monotonic() + 1.0)
    while time.monotonic() < until:
        time.sleep(POLL_S)
        with ctx.db.tenant(tenant) as session:
            if not cycles.live_count(session, tenant) and not _new(session, tenant):
                return


def _new(session: Any, tenant: str) -> int:
    return int(
        session.execute(
            text("select coalesce(sum(new_count), 0) from bio.l1_scopes where tenant = :t"), {"t": tenant}
        ).scalar_one()
    )


def dream(ctx: Context, tenant: str) -> dict[str, Any]:
    """Run the tenant's dream now; see `dreams.dream`."""
    return dreams.dream(ctx, tenant)


def health(ctx: Context) -> dict[str, Any]:
    """Whether the service can do its work now; `ok` is false when a part of it cannot."""
    parts: dict[str, Any] = {}
    try:
        with ctx.db.across() as session:
            session.execute(text("select 1"))
        parts["postgres"] = "ok"
    except Exception as error:
        parts["postgres"] = f"away: {type(error).__name__}"
    try:
        ctx.redis.ping()
        parts["redis"] = "ok"
    except redis_module.RedisError as error:
        parts["redis"] = f"away: {type(error).__name__}"
    return {"ok": all(v == "ok" for v in parts.values()), "parts": parts}


def status(ctx: Context, tenant: str) -> dict[str, Any]:
    """Per component: counts, last active, lag, dead letters. A cycle rests while its model, its embedder or the database
    is away; nothing of it is lost, and it goes on by itself."""
    with ctx.db.tenant(tenant) as session:
        counted = (
            session.execute(
                text(
                    """
                select (select count(*) from bio.episodes where tenant = :t) as episodes,
                       (select max(received_at) from bio.episodes where tenant = :t) as last_received_at,
                       (select count(*) from bio.episodes where tenant = :t and state in ('open', 'waiting')) as waiting,
                       (select min(oldest_new_at) from bio.l1_scopes where tenant = :t) as oldest_waiting_at,
                       (select count(*) from bio.cycles where tenant = :t and state = 'done') as cycles_done,
                       (select count(*) from bio.cycles where tenant = :t and state in ('running', 'queued')) as cycles_live,
                       (select min(created_at) from bio.cycles where tenant = :t and state in ('running', 'queued')) as oldest_cycle_at,
                       (select max(finished_at) from bio.cycles where tenant = :t) as last_cycle_at,
                       (select count(*) from bio.cycles where tenant = :t and state = 'running'
                          and not_before > bio.now()) as cycles_resting,
                       (select error from bio.cycles where tenant = :t and state = 'running' and not_before > bio.now()
                          order by created_at limit 1) as resting_because,
                       (select count(*) from bio.memories where tenant = :t and state = 'active') as memories,
                       (select max(created_at) from bio.memories where tenant = :t) as last_memory_at,
                       (select count(*) from bio.beliefs where tenant = :t
                          and state in ('proposed', 'reinforced', 'stable', 'challenged')) as beliefs,
                       (select max(updated_at) from bio.beliefs where tenant = :t) as last_belief_at,
                       (select count(*) from bio.beliefs where tenant = :t and recheck) as beliefs_to_recheck,
                       (select count(*) from bio.memories where tenant = :t and recheck) as memories_to_recheck,
                       (select count(*) from bio.reviews where tenant = :t and state = 'open'
                          and (kind <> :call or created_at > bio.now() - :lasts)) as reviews,
                       (select count(*) from bio.dead_letters where tenant = :t and redriven_at is null) as dead_letters,
                       (select count(*) from bio.model_calls where tenant = :t) as model_calls,
                       (select max(started_at) from bio.dream_runs where tenant = :t) as last_dream_at,
                       (select state from bio.dream_runs where tenant = :t order by started_at desc limit 1) as last_dream_state,
                       (select changed from bio.dream_runs where tenant = :t order by started_at desc limit 1) as last_dream_changes
                """
                ),
                {"t": tenant, "call": approvals.KIND, "lasts": approvals.LASTS},
            )
            .mappings()
            .one()
        )
        c = dict(counted)
        allowed = quotas.view(session, tenant, ctx.settings.limits())
        unasked = approvals.unasked_today(session, tenant)
    return {
        "producer": _stream(ctx, tenant),
        "intake": {"episodes": c["episodes"], "last_active": c["last_received_at"], "readers": _alive(ctx, "intake")},
        "consolidation": {
            "waiting": c["waiting"], "oldest_waiting_at": c["oldest_waiting_at"], "cycles_done": c["cycles_done"],
            "cycles_live": c["cycles_live"], "oldest_cycle_at": c["oldest_cycle_at"], "last_active": c["last_cycle_at"],
            "cycles_resting": c["cycles_resting"], "resting_because": c["resting_because"],
            "model_calls": c["model_calls"],
        },
        "memories": {"count": c["memories"], "last_active": c["last_memory_at"], "to_recheck": c["memories_to_recheck"]},
        "beliefs": {
            "count": c["beliefs"], "last_active": c["last_belief_at"], "open_reviews": c["reviews"],
            "to_recheck": c["beliefs_to_recheck"], "questions_unasked_today": unasked or None,
        },
        "dream": {
            "last_active": c["last_dream_at"], "state": c["last_dream_state"], "changes": c["last_dream_changes"],
        },
        "dead_letters": c["dead_letters"],
        "quotas": allowed,
    }  # fmt: skip


def _stream(ctx: Context, tenant: str) -> dict[str, Any]:
    try:
        groups: Any = ctx.redis.xinfo_groups(stream_of(tenant))
        group = next((g for g in groups if g["name"] in (GROUP, GROUP.encode())), None)
        return {
            "unread": unread(ctx, tenant),
            "pending": group["pending"] if group else 0,
            "lag": group.get("lag") if group else None,
        }
    except redis_module.ResponseError:
        return {"unread": 0, "pending": 0, "lag": 0}
    except redis_module.RedisError as error:
        return {"away": type(error).__name__}


def _alive(ctx: Context, what: str) -> list[dict[str, Any]]:
    try:
        keys = list(ctx.redis.scan_iter(f"bio:alive:{what}:*", count=100))
        return [
            {"instance": k.decode().split(":", 3)[3], "seen_s_ago": int(time.time()) - int(ctx.redis.get(k) or 0)}
            for k in keys
        ]
    except redis_module.RedisError:
        return []


def redrive(ctx: Context, tenant: str, letter_id: str) -> dict[str, Any]:
    """Put a dead letter's episode back into working memory. Raises NotFound, Conflict."""
    with ctx.db.tenant(tenant) as session:
        letter = session.exec(
            select(DeadLetterRow).where(DeadLetterRow.tenant == tenant, DeadLetterRow.id == letter_id)
        ).first()
        if letter is None:
            raise NotFound(f"there is no dead letter {letter_id[:80]!r}")
        if letter.redriven_at is not None:
            raise Conflict("this dead letter was re-driven already")
        if letter.kind != "episode":
            raise Conflict(
                "an entry that could not be read has nothing to run again; correct it at its producer and send it anew"
            )
        session.execute(
            text(
                "update bio.episodes set state = 'open', attempts = 0, cycle_id = null where tenant = :t and id = :i and state = 'dead'"
            ),
            {"t": tenant, "i": letter.subject},
        )
        session.execute(
            text("update bio.dead_letters set redriven_at = bio.now() where tenant = :t and id = :i"),
            {"t": tenant, "i": letter.id},
        )
        session.execute(
            text(
                "update bio.l1_scopes s set new_count = new_count + 1, oldest_new_at = coalesce(oldest_new_at, bio.now()),"
                " requested_at = bio.now() from bio.episodes e where e.tenant = :t and e.id = :i and s.tenant = e.tenant"
                " and s.workspace = e.workspace and s.agent = e.agent"
            ),
            {"t": tenant, "i": letter.subject},
        )
        ledger.audit(
            session,
            tenant,
            [Entry("redriven", subject=f"episode:{letter.subject}", episode_id=letter.subject, actor="owner")],
        )
    return {"redriven": letter.subject}
