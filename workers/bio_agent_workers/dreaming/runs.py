"""The row of a dream: who holds it, how far it is, how much it may still change, and what a person said to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema import beliefs
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import DreamRunRow
from bio_agent_workers.brain.counting import counted
from bio_agent_workers.dreaming.base import Batch
from bio_agent_workers.dreaming.windows import blacked_out_until, parse_all, zone

LEASE = timedelta(
    minutes=2
)  # renewed at every page and while a model thinks; a dead dreamer's place is free after this
MOMENT = timedelta(minutes=1)  # longest that a dream waits in the queue between two slices and counts as under way
CHANGE_FLOOR, CHANGE_SHARE = 50, 0.05  # of the tenant's memories a night; beyond it the dream stops and asks
LINES_A_STEP = 500  # lines a person may read; what is beyond is counted by what was done, and stands in the audit
REVIEW = "dream"
BEYOND = 1_000_000_000


class AlreadyDreaming(Exception):
    """The dream cannot run now; the message says why and what to do."""


def begin(session: Session, tenant: str, slot: str, night: str) -> DreamRunRow:
    """Take the tenant's dream: one at a time, whatever the slot. Raises AlreadyDreaming."""
    session.execute(text("select pg_advisory_xact_lock(hashtext('bio.dream:' || :t))"), {"t": tenant})
    runs = list(session.exec(select(DreamRunRow).where(
        DreamRunRow.tenant == tenant,
        col(DreamRunRow.state).in_(["running", "asking", "approved"])
        | (DreamRunRow.slot == slot) | ((DreamRunRow.night == night) & (DreamRunRow.state == "stopped")),
    )))  # fmt: skip
    now = beliefs.now(session)
    for run in runs:
        if run.state == "running" and run.lease_until is not None and run.lease_until > now:
            raise AlreadyDreaming(f"the dream {run.slot} of this tenant is running; wait for its end")
        if run.state == "asking" and run.night == night:
            raise AlreadyDreaming(f"the dream {run.slot} waits for a person: let it go on, or stop it")
        if run.state == "stopped" and run.night == night:
            raise AlreadyDreaming(f"a person stopped the dream {run.slot}; the next one is due tomorrow")
        if run.state == "done":
            raise AlreadyDreaming(f"the dream {run.slot} of this tenant is over")
    for run in runs:
        if run.slot != slot and run.state in ("running", "asking", "approved"):
            _leave(session, tenant, run)
    session.execute(
        text(
            """
            insert into bio.dream_runs as d (tenant, slot, night, state, lease_until)
            values (:t, :s, :n, 'running', bio.now() + :lease)
            on conflict (tenant, slot) do update set fence = d.fence + 1, state = 'running', lease_until = bio.now() + :lease
            """
        ),
        {"t": tenant, "s": slot, "n": night, "lease": LEASE},
    )
    return session.get_one(DreamRunRow, (tenant, slot), populate_existing=True)


def _leave(session: Session, tenant: str, run: DreamRunRow) -> None:
    session.execute(
        text("update bio.dream_runs set state = 'left' where tenant = :t and slot = :s"), {"t": tenant, "s": run.slot}
    )
    _close_question(session, tenant, run.slot, "system", "another dream began before anybody answered")


def hold(session: Session, tenant: str, slot: str, fence: int) -> DreamRunRow:
    """Renew the lease and read the run. Raises AlreadyDreaming when it was taken over."""
    held = session.execute(
        text(
            "update bio.dream_runs set lease_until = bio.now() + :lease where tenant = :t and slot = :s and fence = :f"
            " and state = 'running' returning 1"
        ),
        {"t": tenant, "s": slot, "f": fence, "lease": LEASE},
    ).first()
    if held is None:
        raise AlreadyDreaming(f"the dream {slot} was taken over by another instance")
    return session.get_one(DreamRunRow, (tenant, slot), populate_existing=True)


def allowance(session: Session, run: DreamRunRow) -> int:
    """Changes this run may still make: what the night allows less what the dreams of the same night made, however many
    were asked for. Unbounded once a person let it go on."""
    if run.lifted:
        return BEYOND
    memories, made = session.execute(
        text(
            "select (select count(*) from bio.memories where tenant = :t),"
            " (select coalesce(sum(changed), 0) from bio.dream_runs where tenant = :t and night = :n and not lifted)"
        ),
        {"t": run.tenant, "n": run.night},
    ).one()
    return max(0, max(CHANGE_FLOOR, int(CHANGE_SHARE * memories)) - int(made))


def spent(session: Session, run: DreamRunRow) -> tuple[int, int]:
    """(calls, tokens) that other dreams of the same night spent on models: one budget, however many are asked for."""
    calls, tokens = session.execute(
        text(
            "select coalesce(sum(calls), 0), coalesce(sum(tokens), 0) from bio.dream_runs"
            " where tenant = :t and night = :n and slot <> :s"
        ),
        {"t": run.tenant, "n": run.night, "s": run.slot},
    ).one()
    return int(calls), int(tokens)


def write(session: Session, run: DreamRunRow, name: str, batch: Batch, calls: int, tokens: int) -> None:
    """Commit a page with its journal: the same transaction that made the changes."""
    journal: list[dict[str, Any]] = list(run.journal)
    if not journal or journal[-1]["step"] != name:
        journal.append({"step": name, "did": []})
    journal[-1] = {"step": name, "did": _shortened([*journal[-1]["did"], *(x.as_json() for x in batch.lines)])}
    ended = batch.cursor is None and not batch.left
    session.execute(
        text(
            """
            update bio.dream_runs set step = :n, cursor = :cursor, journal = cast(:j as jsonb), changed = changed + :made,
                finished_steps = case when :ended then finished_steps || cast(:n as text) else finished_steps end,
                calls = :calls, tokens = :tokens
            where tenant = :t and slot = :s and fence = :f
            """
        ),
        {
            "t": run.tenant, "s": run.slot, "f": run.fence, "n": name, "j": json.dumps(journal, default=str), "ended": ended,
            "made": sum(x.count for x in batch.lines), "calls": calls, "tokens": tokens,
            "cursor": "" if ended else (run.cursor if run.step == name else "") if batch.left else batch.cursor,
        },
    )  # fmt: skip


def _shortened(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines as they are up to a bound; those beyond it added up by what was done and why."""
    told = [x for x in lines if x.get("subject")]
    counted = {(x["did"], x["why"]): dict(x) for x in lines if not x.get("subject")}
    for x in told[LINES_A_STEP:]:
        known = counted.setdefault((x["did"], x["why"]), {"did": x["did"], "why": x["why"], "count": 0})
        known["count"] += x["count"]
    return [*told[:LINES_A_STEP], *counted.values()]


def rest(session: Session, run: DreamRunRow) -> None:
    """Give the place up at once; the run goes on from where it stands when it is taken up again."""
    session.execute(
        text(
            "update bio.dream_runs set lease_until = bio.now() where tenant = :t and slot = :s and fence = :f and state = 'running'"
        ),
        {"t": run.tenant, "s": run.slot, "f": run.fence},
    )


def under_way(session: Session, tenant: str) -> bool:
    """Whether somebody dreams for the tenant, or did a moment ago and has queued to go on."""
    found = session.execute(
        text(
            "select 1 from bio.dream_runs where tenant = :t and state = 'running' and lease_until > bio.now() - :moment limit 1"
        ),
        {"t": tenant, "moment": MOMENT},
    ).first()
    return found is not None


def ask(session: Session, run: DreamRunRow, title: str, left: int) -> str:
    """Stop and ask a person whether this dream may change more. Returns the review's id."""
    session.execute(
        text("update bio.dream_runs set state = 'asking', lease_until = null where tenant = :t and slot = :s and fence = :f"),
        {"t": run.tenant, "s": run.slot, "f": run.fence},
    )  # fmt: skip
    changed = session.execute(
        text("select changed from bio.dream_runs where tenant = :t and slot = :s"), {"t": run.tenant, "s": run.slot}
    ).scalar_one()
    question = (
        f"The dream of {run.night} has made {counted(changed, 'change')}, all that a night allows"
        f" ({CHANGE_FLOOR}, or {CHANGE_SHARE:.0%} of the memories), and would make at least {left} more: {title}."
        " May it go on to its end, or shall it stop here?"
    )
    return beliefs.open_review(session, run.tenant, REVIEW, f"dream:{run.slot}", question=question)


def decide(session: Session, tenant: str, *, go_on: bool, actor: str, why: str = "") -> DreamRunRow | None:
    """A person lets the dream that asks go on, or stops it. Returns it; None when none asks."""
    session.execute(text("select pg_advisory_xact_lock(hashtext('bio.dream:' || :t))"), {"t": tenant})
    run = session.exec(
        select(DreamRunRow).where(DreamRunRow.tenant == tenant, DreamRunRow.state == "asking")
        .order_by(col(DreamRunRow.started_at).desc())
    ).first()  # fmt: skip
    if run is None:
        return None
    run.state, run.lifted = ("approved", True) if go_on else ("stopped", run.lifted)
    run.finished_at = None if go_on else beliefs.now(session)
    session.add(run)
    _close_question(session, tenant, run.slot, actor, why)
    audit(session, tenant, [Entry(f"dream_{run.state}", subject=f"dream:{run.slot}", actor=actor, before="asking", after=run.state,
                                  data={"why_length": len(why)})])  # fmt: skip
    session.flush()
    return run


def _close_question(session: Session, tenant: str, slot: str, actor: str, why: str) -> None:
    session.execute(
        text(
            "update bio.reviews set state = 'decided', decided_by = :a, why = :w, decided_at = bio.now()"
            " where tenant = :t and kind = :k and belief_id = :b and state = 'open'"
        ),
        {"t": tenant, "a": actor, "w": why[:2000], "k": REVIEW, "b": f"dream:{slot}"},
    )


def finish(session: Session, run: DreamRunRow, stats: dict[str, Any]) -> DreamRunRow:
    session.execute(
        text(
            "update bio.dream_runs set state = 'done', finished_at = bio.now(), lease_until = null, stats = cast(:j as jsonb)"
            " where tenant = :t and slot = :s and fence = :f and state = 'running'"
        ),
        {"t": run.tenant, "s": run.slot, "f": run.fence, "j": json.dumps(stats, default=str)},
    )
    return session.get_one(DreamRunRow, (run.tenant, run.slot), populate_existing=True)


def last(session: Session, tenant: str) -> DreamRunRow | None:
    """The dream that began last, whatever became of it."""
    query = select(DreamRunRow).where(DreamRunRow.tenant == tenant)
    return session.exec(query.order_by(col(DreamRunRow.started_at).desc(), col(DreamRunRow.slot).desc())).first()


def last_finished_at(session: Session, tenant: str) -> datetime | None:
    """When the last dream that came to its end began."""
    found: datetime | None = session.execute(
        text("select max(started_at) from bio.dream_runs where tenant = :t and state = 'done'"), {"t": tenant}
    ).scalar()
    return found


def blackout(session: Session, tenant: str) -> datetime | None:
    """When the blackout that holds now ends, in the tenant's zone; None outside. A window that cannot be read holds back
    nothing: what is stored was read once when it was set."""
    row = beliefs.tenant_row(session, tenant)
    local = beliefs.now(session).astimezone(zone(row.time_zone))
    return blacked_out_until(parse_all(list(row.blackouts)), local)
