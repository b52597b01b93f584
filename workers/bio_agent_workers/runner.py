"""Runs one stage of one cycle: load in a short transaction, think with none open, save in a short one.

Only this module and app.py know how stages are carried out. A stage may run twice, or be taken over half way; the
fence makes sure that only the present holder of the cycle writes.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlmodel import Session

from bio_agent_schema import cycles, episodes, ledger
from bio_agent_schema.cycles import Fenced
from bio_agent_schema.db import Database
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import CycleRow
from bio_agent_workers.models import Models
from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.pipeline")

LEASE = timedelta(seconds=15)  # a cycle whose worker died is free again after at most this
WAIT = timedelta(seconds=20)  # a cycle whose message nobody began with is sent again after this
RENEW_S = 5.0  # a third of the lease: two renewals may fail before it is lost
MAX_ATTEMPTS = 5  # 16 → 8 → 4 → 2 → 1: the poison episode stands alone at the fifth
BACK_OFF_S = (2, 5, 15, 60, 300)  # rest of a cycle whose model, embedder or database is away

_LET_GO: set[tuple[str, str, int]] = set()  # (tenant, cycle, fence) let go here while the database could not be told


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a stage is given: connections, models, settings. Made once per process, after any fork."""

    db: Database
    models: Models
    settings: Settings


@dataclass(frozen=True, slots=True)
class Stage:
    """One row of the stage table. Loaded is what `load` returns and `think` takes; Outcome goes on to `save`.

    save returns (outputs kept in the cycle for the stages after it, counts for the report).
    """

    name: str
    load: Callable[[Session, CycleRow, Runtime], Any]
    think: Callable[[Any, CycleRow, Runtime], Any]
    save: Callable[[Session, CycleRow, Any, Runtime], tuple[dict[str, Any], dict[str, int]]]
    queue: str = "bio.think"
    time_limit_s: int = 1800


def is_passing(error: DBAPIError) -> bool:
    """Whether the same statement may succeed later: the server is away, or others were in the way.

    The driver files a value too large for its index in the same class; SQLSTATE class 54 tells it apart.
    """
    state = getattr(error.orig, "sqlstate", None) or ""
    return isinstance(error, (OperationalError, InterfaceError)) and not state.startswith("54")


def is_away(error: Exception) -> bool:
    """Whether what a stage needs is out of reach (model, embedder, database) rather than its batch unfit: the same work
    may succeed later, so that the cycle rests and no attempt is counted."""
    if isinstance(error, ModelError):
        return error.transient
    if isinstance(error, DBAPIError):
        return is_passing(error)
    return isinstance(error, (ConnectionError, TimeoutError, NoConnectionFree))


def rest_s(rests: int, asked_s: float | None) -> float:
    """Seconds that a cycle rests which has rested `rests` times: longer each time, no less than the provider asked for, both
    up to the longest of BACK_OFF_S."""
    least = min(asked_s or 0.0, BACK_OFF_S[-1])
    return max(BACK_OFF_S[min(rests, len(BACK_OFF_S) - 1)], least)


def over_tenants(rt: Runtime, until: float, work: Callable[[str], bool], log: logging.Logger) -> None:
    """One firing of a background task: `work` for each tenant, in another order each time, so that a large one does not keep
    the others waiting, until it says that enough is done or `until` (monotonic seconds). A model that is away ends the firing,
    a statement that fails costs one tenant; the next firing goes on. Raises DBAPIError when the database is away."""
    tenants = rt.db.tenants()
    random.shuffle(tenants)  # an order, not a secret
    for tenant in tenants:
        try:
            if time.monotonic() >= until or not work(tenant):
                return
        except ModelError as error:
            log.warning("this firing stopped: %s; the next one goes on", error)
            return
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) is None:
                raise  # no answer of the server's: it is away
            log.warning("tenant %s: %s; the next firing tries again", tenant, type(error.orig).__name__)


def fault(point: str) -> None:
    """Die here when a test says so (`BIO_FAULT=stage:point`, obeyed only with BIO_TEST=1)."""
    if os.environ.get("BIO_FAULT") == point and os.environ.get("BIO_TEST") == "1":
        marker = os.environ.get("BIO_FAULT_ONCE", "")
        if marker:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
        os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def renewed(rt: Runtime, tenant: str, cycle_id: str, stage: str, fence: int, limit_s: float) -> Iterator[None]:
    """Keep the lease while the stage thinks, for at most `limit_s`: one that hangs is taken up elsewhere. When the lease
    is lost, saving will notice by the fence."""
    stop = threading.Event()

    def renew() -> None:
        end = time.monotonic() + limit_s
        while not stop.wait(RENEW_S) and time.monotonic() < end:
            try:
                with rt.db.tenant(tenant) as session:
                    cycles.hold(session, tenant, cycle_id, stage, fence, lease=LEASE)
            except Fenced:
                return
            except (OperationalError, InterfaceError):
                continue

    thread = threading.Thread(target=renew, name=f"lease {cycle_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(RENEW_S)  # a renewal under way must not come after what follows: it would undo a rest or an end


def run_stage(rt: Runtime, table: Sequence[Stage], tenant: str, cycle_id: str, stage_name: str, fence: int) -> str:
    """Run one stage. Returns "advanced", "fenced", "put_off" or "failed" (then the sweep cuts the batch down)."""
    names = [s.name for s in table]
    index = names.index(stage_name)
    stage, following = table[index], (names[index + 1] if index + 1 < len(names) else "")
    started = time.monotonic()
    try:
        # Committed before loading: a holder that fails or dies while it loads must be seen to have held the cycle.
        with rt.db.tenant(tenant) as session:
            cycle = cycles.hold(session, tenant, cycle_id, stage_name, fence, lease=LEASE)
        with rt.db.tenant(tenant) as session:
            loaded = stage.load(session, cycle, rt)
        with renewed(rt, tenant, cycle_id, stage_name, fence, stage.time_limit_s):
            fault(f"{stage_name}:before")
            outcome = stage.think(loaded, cycle, rt)
        fault(f"{stage_name}:thought")
        with rt.db.tenant(tenant) as session:
            cycle = cycles.hold(session, tenant, cycle_id, stage_name, fence, lease=LEASE)
            outputs, counts = stage.save(session, cycle, outcome, rt)
            cycles.advance(session, tenant, cycle_id, stage_name, fence, following, outputs, counts, lease=WAIT)
            ledger.audit(session, tenant, [
                Entry("stage_done", subject=f"cycle:{cycle_id}", cycle_id=cycle_id, cause=stage_name,
                      data={"fence": fence, "episodes": list(cycle.episode_ids), **counts}),
            ])  # fmt: skip
        fault(f"{stage_name}:saved")
    except Fenced as gone:
        _note(
            rt,
            tenant,
            Entry("fenced", subject=f"cycle:{cycle_id}", cycle_id=cycle_id, cause=stage_name, data={"fence": fence}),
        )
        log.info("%s", gone)
        return "fenced"
    except Exception as error:
        if is_away(error):
            return _put_off(rt, tenant, cycle_id, fence, stage_name, error)
        if not isinstance(error, ModelError):
            log.exception("cycle %s of %s: stage %s failed", cycle_id, tenant, stage_name)
        return _failed(rt, tenant, cycle_id, fence, stage_name, error)
    log.info("%s %s %-12s %3d episodes %s %.0f ms", tenant, cycle_id[:13], stage_name, len(cycle.episode_ids),
             " ".join(f"{k}={v}" for k, v in counts.items()), (time.monotonic() - started) * 1000)  # fmt: skip
    return "advanced"


def _note(rt: Runtime, tenant: str, entry: Entry) -> None:
    with rt.db.tenant(tenant) as session:
        ledger.audit(session, tenant, [entry])


def _put_off(rt: Runtime, tenant: str, cycle_id: str, fence: int, stage: str, error: Exception) -> str:
    asked_s = error.retry_after_s if isinstance(error, ModelError) else None
    try:
        with rt.db.tenant(tenant) as session:
            delay = rest_s(_rests(session, tenant, cycle_id, stage), asked_s)
            said = str(error) or type(error).__name__
            log.warning("cycle %s of %s rests %.0f s at %s: %s", cycle_id, tenant, delay, stage, said.splitlines()[0])
            cycles.put_off(session, tenant, cycle_id, fence, delay=timedelta(seconds=delay), error=f"{stage}: {said}")
            ledger.audit(session, tenant, [
                Entry("put_off", subject=f"cycle:{cycle_id}", cycle_id=cycle_id, cause=stage, data={"delay_s": delay}),
            ])  # fmt: skip
    except (OperationalError, InterfaceError, NoConnectionFree):
        log.warning("the database is away; the lease of cycle %s runs out by itself", cycle_id)
        _LET_GO.add((tenant, cycle_id, fence))
    return "put_off"


def _rests(session: Session, tenant: str, cycle_id: str, stage: str) -> int:
    """How often the cycle has rested at this stage."""
    count: int = session.execute(
        text("select count(*) from bio.audit where tenant = :t and subject = :c and act = 'put_off' and cause = :s"),
        {"t": tenant, "c": f"cycle:{cycle_id}", "s": stage},
    ).scalar_one()
    return count


def _failed(rt: Runtime, tenant: str, cycle_id: str, fence: int, stage: str, error: Exception) -> str:
    try:
        with rt.db.tenant(tenant) as session:
            cycles.expire(session, tenant, cycle_id, fence, f"{stage}: {type(error).__name__}: {error}")
    except (OperationalError, InterfaceError):
        log.warning("the database is away; the lease of cycle %s runs out by itself", cycle_id)
    return "failed"


def take_up(rt: Runtime, table: Sequence[Stage], tenant: str, cycle_id: str) -> tuple[str, int] | None:
    """Take up a cycle whose worker died or failed: count the attempt, halve the batch, or bury its last episode.

    Returns (stage, fence) to go on from, or None when there is nothing to run.
    """
    with rt.db.tenant(tenant) as session:
        taken = cycles.take(session, tenant, cycle_id, lease=WAIT)
        if taken is None:
            return None
        cycle, crashed = taken
        if (held := (tenant, cycle_id, cycle.fence - 1)) in _LET_GO:
            crashed = False
            _LET_GO.discard(held)
        ledger.audit(session, tenant, [
            Entry("taken_up", subject=f"cycle:{cycle_id}", cycle_id=cycle_id, cause=cycle.stage,
                  data={"fence": cycle.fence, "crashed": crashed, "attempts": cycle.attempts,
                        "episodes": list(cycle.episode_ids)}),
        ])  # fmt: skip
        if not crashed:
            return cycle.stage, cycle.fence
        attempts = episodes.count_attempt(session, tenant, cycle.episode_ids)
        if len(cycle.episode_ids) > 1:
            _halve(session, cycle)
        elif attempts >= MAX_ATTEMPTS:
            _bury(session, cycle, cycle.error or f"{cycle.stage}: its worker died", attempts)
            return None
        return cycle.stage, cycle.fence


def _bury(session: Session, cycle: CycleRow, cause: str, attempts: int) -> None:
    for episode_id in cycle.episode_ids:
        ledger.bury(
            session, cycle.tenant, kind="episode", subject=episode_id, stage=cycle.stage, cause=cause, attempts=attempts
        )
    episodes.mark_dead(session, cycle.tenant, cycle.episode_ids)
    cycles.close_dead(session, cycle.tenant, cycle.id, cause)
    cycles.cycle_ended(session, cycle.tenant, cycle.workspace, cycle.agent)


def _halve(session: Session, cycle: CycleRow) -> None:
    """Keep the first half here, queue the second as a cycle of its own; what earlier stages put out goes along.

    Groups that label made stay whole while there are several, so that a compile call already paid for is found again.
    """
    groups: list[list[str]] = cycle.outputs.get("groups") or []
    if len(groups) > 1:
        middle, first = 0, 0
        while first < len(groups) - 1 and (first == 0 or middle < len(cycle.episode_ids) / 2):
            middle += len(groups[first])
            first += 1
        kept = [e for group in groups[:first] for e in group]
    else:
        kept = list(cycle.episode_ids[: (len(cycle.episode_ids) + 1) // 2])
    queued = [e for e in cycle.episode_ids if e not in set(kept)]
    kept = [e for e in cycle.episode_ids if e in set(kept)]
    sibling = cycles.open_cycle(
        session, cycle.tenant, cycle.workspace, cycle.agent, trigger="bisected", episode_ids=queued, lease=LEASE,
        state="queued", stage=cycle.stage, outputs=restrict_outputs(cycle.outputs, queued), root=cycle.root or cycle.id,
    )  # fmt: skip
    cycles.set_batch(session, cycle.tenant, cycle.id, kept, restrict_outputs(cycle.outputs, kept))
    ledger.audit(session, cycle.tenant, [
        Entry("bisected", subject=f"cycle:{cycle.id}", cycle_id=cycle.id, cause=cycle.stage,
              data={"kept": len(kept), "sibling": sibling, "queued": len(queued)}),
    ])  # fmt: skip


def restrict_outputs(outputs: dict[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """What earlier stages said of these episodes: labels and groups by episode, candidates by the first they cite."""
    mine = set(ids)
    kept = dict(outputs)
    if "labels" in kept:
        kept["labels"] = [x for x in kept["labels"] if x["episode_id"] in mine]
    if "groups" in kept:
        kept["groups"] = [g for g in ([e for e in group if e in mine] for group in kept["groups"]) if g]
    if "candidates" in kept:
        kept["candidates"] = [c for c in kept["candidates"] if c["home"] in mine]
    return kept
