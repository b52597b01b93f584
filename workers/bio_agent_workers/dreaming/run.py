"""The dream of a tenant from its first step to its last, and the look for tenants whose night it is."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_schema import beliefs
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import DreamRunRow
from bio_agent_workers.dreaming import reading, runs
from bio_agent_workers.dreaming.base import Night, Step
from bio_agent_workers.dreaming.runs import AlreadyDreaming
from bio_agent_workers.dreaming.steps import STEPS
from bio_agent_workers.dreaming.windows import HOUR, zone
from bio_agent_workers.runner import Runtime, fault

log = logging.getLogger("bio.dream")

RENEW_S = 30.0  # a quarter of the lease
AT_ONCE = 2  # dreams that the workers run side by side, over all tenants
SLICE_S = 5.0  # of a dream at a stretch; then it queues again, behind what agents wait for


def due(rt: Runtime) -> list[tuple[str, str]]:
    """(tenant, slot) of the dreams to begin or go on with now: those whose last one is longest ago, and no more than may
    run at once. A dream between two slices is under way and is not among them."""
    under_way = 0
    found: list[tuple[float, str, str]] = []
    for tenant in rt.db.tenants():
        with rt.db.tenant(tenant) as session:
            if runs.under_way(session, tenant):
                under_way += 1
                continue
            before = runs.last_finished_at(session, tenant)
        slot = due_slot(rt, tenant)
        if slot:
            found.append((before.timestamp() if before else 0.0, tenant, slot))
    return [(tenant, slot) for _, tenant, slot in sorted(found)[: max(0, AT_ONCE - under_way)]]


def dream_due(rt: Runtime) -> int:
    """Dream here, one after the other, for every tenant whose night it is and who has not dreamt this night yet, or whose
    dream a person let go on (tests, debugging). Returns how many did."""
    dreamt = 0
    for tenant in rt.db.tenants():
        try:
            slot = due_slot(rt, tenant)
            if slot:
                dream(rt, tenant, slot)
                dreamt += 1
        except AlreadyDreaming as why:
            log.info("%s: %s", tenant, why)
        except Exception:  # one tenant's trouble is not the others'; its lease runs out and the next look takes it up
            log.exception("the dream of %s stopped; it goes on from where it stands", tenant)
    return dreamt


def due_slot(rt: Runtime, tenant: str) -> str:
    """The slot to dream now, "" for none."""
    with rt.db.tenant(tenant) as session:
        if runs.blackout(session, tenant) is not None:
            return ""
        local = beliefs.now(session).astimezone(zone(beliefs.tenant_row(session, tenant).time_zone))
        approved = session.exec(
            select(DreamRunRow.slot).where(DreamRunRow.tenant == tenant, DreamRunRow.state == "approved")
            .order_by(col(DreamRunRow.started_at).desc())
        ).first()  # fmt: skip
        slot = local.date().isoformat()
        run = session.get(DreamRunRow, (tenant, slot))
        if approved:
            return approved
        return slot if local.hour >= HOUR and (run is None or run.state in ("running", "left")) else ""


def dream(
    rt: Runtime, tenant: str, slot: str = "", steps: Sequence[Step] | None = None, slice_s: float | None = None
) -> dict[str, Any]:
    """Run the dream of `slot` (a local date; "" makes one for a run on request), to its end or for about `slice_s` seconds.

    Returns what `reading.view` shows of it: state is done, asking (the night's allowance of changes is
    spent and a person is asked), or running (its slice is over, or a blackout began: it goes on from where it stands when
    it is called again). Raises AlreadyDreaming.
    """
    end = None if slice_s is None else time.monotonic() + slice_s
    slot = slot or f"request-{uuid7()}"
    with rt.db.tenant(tenant) as session:
        _not_in_blackout(session, tenant)
        local = beliefs.now(session).astimezone(zone(beliefs.tenant_row(session, tenant).time_zone))
        fence = runs.begin(session, tenant, slot, local.date().isoformat()).fence
    for step in steps if steps is not None else STEPS.values():
        while True:
            page = _page(rt, tenant, slot, fence, step)
            if page == "past":
                break
            if page not in (None, "on"):
                return _told(rt, tenant, slot)
            if end is not None and time.monotonic() > end:
                with rt.db.tenant(tenant) as session:
                    runs.rest(session, runs.hold(session, tenant, slot, fence))
                return _told(rt, tenant, slot)
            if page is None:
                break
    with rt.db.tenant(tenant) as session:
        run = runs.finish(session, runs.hold(session, tenant, slot, fence), _stats(session, tenant))
        audit(session, tenant, [Entry("dreamt", subject=f"dream:{slot}", data={"changes": run.changed})])
    log.info("%s dreamt: %d changes", tenant, run.changed)
    return _told(rt, tenant, slot)


def _page(rt: Runtime, tenant: str, slot: str, fence: int, step: Step) -> str | None:
    """One page of a step. Returns None when the step is through, "past" when it was before, "on" when there is more, else
    why the dream stops."""
    with rt.db.tenant(tenant) as session:
        run = runs.hold(session, tenant, slot, fence)
        if step.name in run.finished_steps:
            return "past"
        if runs.blackout(session, tenant) is not None:
            runs.rest(session, run)
            return "blackout"
        elsewhere = runs.spent(session, run)
        night = Night(
            tenant, slot, beliefs.now(session), beliefs.tenant_row(session, tenant).review_mode,
            runs.last_finished_at(session, tenant), run.calls + elsewhere[0], run.tokens + elsewhere[1],
        )  # fmt: skip
        loaded = step.load(session, night, run.cursor if run.step == step.name else "")
    fault(f"dream:{step.name}:loaded")
    with _kept(rt, tenant, slot, fence):
        thought = step.think(rt, night, loaded)
    with rt.db.tenant(tenant) as session:
        run = runs.hold(session, tenant, slot, fence)
        batch = step.save(session, night, thought, runs.allowance(session, run))
        runs.write(session, run, step.name, batch, night.calls - elsewhere[0], night.tokens - elsewhere[1])
        if any(line.subject.startswith("belief:") for line in batch.lines):
            beliefs.touch_epoch(session, tenant)
        fault(f"dream:{step.name}:saving")
        if batch.left:
            runs.ask(session, run, step.title, batch.left)
    fault(f"dream:{step.name}:saved")
    if batch.left:
        return "asking"
    return None if batch.cursor is None else "on"


def _not_in_blackout(session: Session, tenant: str) -> None:
    until = runs.blackout(session, tenant)
    if until is not None:
        raise AlreadyDreaming(
            f"this tenant does not dream until {until.isoformat(timespec='minutes')}: a blackout is set"
        )


@contextmanager
def _kept(rt: Runtime, tenant: str, slot: str, fence: int) -> Iterator[None]:
    """Keep the lease while a model thinks; when it is lost, saving will notice by the fence."""
    stop = threading.Event()

    def renew() -> None:
        while not stop.wait(RENEW_S):
            try:
                with rt.db.tenant(tenant) as session:
                    runs.hold(session, tenant, slot, fence)
            except AlreadyDreaming:
                return
            except (OperationalError, InterfaceError):
                continue

    thread = threading.Thread(target=renew, name=f"dream {tenant}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(RENEW_S)


def _told(rt: Runtime, tenant: str, slot: str) -> dict[str, Any]:
    with rt.db.tenant(tenant) as session:
        return reading.view(session, session.get_one(DreamRunRow, (tenant, slot)))


def _stats(session: Session, tenant: str) -> dict[str, Any]:
    """How large the memory is after the dream: memories and beliefs by state, edges, content still in L1."""
    counted: dict[str, Any] = {}
    for name, sql in (
        ("memories", "select state, count(*) from bio.memories where tenant = :t group by state"),
        ("beliefs", "select state, count(*) from bio.beliefs where tenant = :t group by state"),
        ("episodes", "select state, count(*) from bio.episodes where tenant = :t group by state"),
    ):
        counted[name] = {state: int(n) for state, n in session.execute(text(sql), {"t": tenant})}
    edges, size = session.execute(
        text(
            "select (select count(*) from bio.edges where tenant = :t),"
            " (select coalesce(sum(octet_length(content)), 0) from bio.episodes where tenant = :t)"
        ),
        {"t": tenant},
    ).one()
    return counted | {"edges": int(edges), "episode_bytes": int(size)}
