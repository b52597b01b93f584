"""The whole life of an observation, on one page.

    producer ──XADD──▶ stream bio:obs:{tenant}
                          │  intake.py, arrivals.py: redact, read, fold, link failure and fix; acknowledged after the commit
                          ▼
                       episodes (L1)          ── due? ten new · five minutes old · stress · a directive · a session's end
                          │  dispatch (beat, every 2 s): one cycle per scope, tenants take turns
                          ▼
        label ──▶ compile ──▶ canonicalize ──▶ promote ──▶ reconcile        the five stages below, one Celery chain
        topic,     memories     one form per      support or    contradictions,
        junk       and rules    rule, scope       propose       belief life, forgetting
                          │
                          ▼
                       memories, beliefs, edges (L2) ──▶ prompt block · recall · guard ──▶ the agent
                          ▲
                       dream (nightly): merge, abstract, re-validate, archive, journal

Messages carry (tenant, cycle, stage, fence); Postgres holds the state. A stage loads in a short transaction, thinks with
none open, saves in a short transaction that also steps the cycle forward. A worker that dies loses its lease, and the
sweep in `dispatch` hands the cycle to another one from the stage where it stood.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from datetime import timedelta
from typing import Any

import redis
from celery import Celery, chain
from celery.exceptions import Ignore
from sqlalchemy.exc import InterfaceError, OperationalError

from bio_agent_schema import cycles, ledger, quotas
from bio_agent_schema.db import Database
from bio_agent_workers import dreaming
from bio_agent_workers.batching import open_batch
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime, Stage, run_stage, take_up
from bio_agent_workers.settings import Settings
from bio_agent_workers.stages import canonicalize, compile, label, promote, reconcile

log = logging.getLogger("bio.pipeline")

STAGES = (
    #     name            load               think               save               queue        limit, s
    Stage("label",        label.load,        label.think,        label.save,        "bio.think", 1800),
    Stage("compile",      compile.load,      compile.think,      compile.save,      "bio.think", 1800),
    Stage("canonicalize", canonicalize.load, canonicalize.think, canonicalize.save, "bio.think", 300),
    Stage("promote",      promote.load,      promote.think,      promote.save,      "bio.think", 300),
    Stage("reconcile",    reconcile.load,    reconcile.think,    reconcile.save,    "bio.think", 1800),
)  # fmt: skip

# When a scope is due (any of these, or a request, or the end of a session).
DUE_NEW = 10  # episodes not considered yet
DUE_WAIT = timedelta(minutes=5)  # age of the oldest of them
DUE_STRESS = 0.7  # stress from which one new episode is enough

DISPATCH_EVERY_S = 2.0  # also the sweep: a dead worker's cycle is taken up at most this long after its lease ran out
SEAL_EVERY_S = 60.0
DREAM_LOOK_EVERY_S = 300.0

ROUTES = {
    "bio.dispatch": {"queue": "bio.beat"},
    "bio.seal": {"queue": "bio.beat"},
    "bio.dream_look": {"queue": "bio.beat"},
    "bio.dream": {"queue": "bio.think"},
}
QUEUES = "bio.beat,bio.think"
BEAT = {
    "dispatch": {"task": "bio.dispatch", "schedule": DISPATCH_EVERY_S, "options": {"expires": DISPATCH_EVERY_S}},
    "seal": {"task": "bio.seal", "schedule": SEAL_EVERY_S, "options": {"expires": SEAL_EVERY_S}},
    "dream": {"task": "bio.dream_look", "schedule": DREAM_LOOK_EVERY_S, "options": {"expires": DREAM_LOOK_EVERY_S}},
}


# --------------------------------------------------------------------------------------------- what is due, and who


def start(rt: Runtime, due: cycles.Due) -> tuple[str, str, int] | None:
    """Begin the cycle of a due scope, or take up one that stands still. Returns (cycle, stage, fence) to run from."""
    if due.cycle_id is not None:
        taken = take_up(rt, STAGES, due.tenant, due.cycle_id)
        return (due.cycle_id, *taken) if taken else None
    with rt.db.tenant(due.tenant) as session:
        limits = quotas.limits_of(session, due.tenant, rt.settings.limits())
        name = quotas.over(session, due.tenant, limits, "observations")
        if name and due.reason != "directive":
            until = quotas.hold(session, due.tenant, quotas.seconds_left(session, name))
            log.warning("%s has used up %s; what is new waits until %s", due.tenant, name, until.isoformat())
            return None
        cycle_id = open_batch(session, due, rt.settings, owner_only=bool(name))
        if cycle_id is not None:
            cycles.served(session, due.tenant)
    return (cycle_id, STAGES[0].name, 1) if cycle_id else None


def due_now(rt: Runtime, tenant: str | None = None) -> list[cycles.Due]:
    with rt.db.across() as session:
        due = cycles.due_work(
            session, min_new=DUE_NEW, max_wait=DUE_WAIT, crisis=DUE_STRESS, most_of_one=rt.settings.cycles_at_once
        )
    return [d for d in due if tenant is None or d.tenant == tenant]


def run_cycle(rt: Runtime, tenant: str, cycle_id: str, stage: str, fence: int) -> bool:
    """Run a cycle to its end in this process (tests, command line, debugging). False: it stopped half way."""
    names = [s.name for s in STAGES]
    return all(run_stage(rt, STAGES, tenant, cycle_id, n, fence) == "advanced" for n in names[names.index(stage) :])


def run_due(rt: Runtime, tenant: str | None = None, most: int = 10_000) -> int:
    """Run everything that is due, here, until nothing is. Returns the number of cycles begun."""
    begun, idle = 0, False
    while begun < most:
        due = due_now(rt, tenant)
        started = [(d, s) for d in due if (s := start(rt, d))]
        if not started:
            if idle or not due:
                return begun
            idle = True  # a cycle that was buried frees its scope for the next one: look once more
            continue
        idle = False
        for d, (cycle_id, stage, fence) in started:
            begun += 1
            run_cycle(rt, d.tenant, cycle_id, stage, fence)
    return begun


# ------------------------------------------------------------------------------------------------------- on Celery

_runtime: Runtime | None = None
_heart: redis.Redis | None = None
_opening = threading.Lock()


def open_runtime(settings: Settings) -> Runtime:
    """This process's connections and models; made on first use, after any fork."""
    global _runtime  # noqa: PLW0603 - Celery gives tasks no other way to share what a process owns
    with _opening:
        if _runtime is None:
            _runtime = Runtime(Database(settings.database_url, pool_size=10), configured(settings), settings)
        return _runtime


def beat_of_life(redis_url: str) -> None:
    """Tell `doctor` that beat and worker are at it. Nothing depends on it."""
    global _heart  # noqa: PLW0603
    if _heart is None:
        _heart = redis.Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2)
    with contextlib.suppress(redis.RedisError):
        _heart.set("bio:alive:dispatch", int(time.time()), ex=600)


def send(app: Celery, tenant: str, cycle_id: str, stage: str, fence: int) -> None:
    """Send the rest of a cycle as a chain of stages, then a look for what is due next."""
    names = [s.name for s in STAGES]
    links = [
        app.signature(f"bio.{n}", args=(tenant, cycle_id, fence), immutable=True) for n in names[names.index(stage) :]
    ]
    chain(*links, app.signature("bio.dispatch", immutable=True)).apply_async()


def register(app: Celery) -> None:
    """Make the Celery tasks from the stage table."""
    for stage in STAGES:
        app.task(_stage_task(stage.name), name=f"bio.{stage.name}", queue=stage.queue)

    @app.task(name="bio.dispatch")  # type: ignore[untyped-decorator]
    def dispatch() -> int:
        """Begin what is due, take up what stands still."""
        rt = open_runtime(Settings())
        try:
            begun = [(d.tenant, *s) for d in due_now(rt) if (s := start(rt, d))]
            beat_of_life(rt.settings.redis_url)
        except (OperationalError, InterfaceError) as error:
            log.warning("dispatch: Postgres is away (%s); the next beat looks again", type(error).__name__)
            return 0
        for tenant, cycle_id, stage, fence in begun:
            send(app, tenant, cycle_id, stage, fence)
        return len(begun)

    @app.task(name="bio.seal")  # type: ignore[untyped-decorator]
    def seal() -> int:
        """Chain the audit rows of the last minute, tenant by tenant."""
        rt = open_runtime(Settings())
        sealed = 0
        for tenant in rt.db.tenants():
            with rt.db.tenant(tenant) as session:
                sealed += ledger.seal(session, tenant)
        return sealed

    @app.task(name="bio.dream_look")  # type: ignore[untyped-decorator]
    def dream_look() -> int:
        """Send a dream to each tenant whose night it is and who has not dreamt yet, a few at a time."""
        rt = open_runtime(Settings())
        found = dreaming.due(rt) if rt.settings.enable_dream_cycle else []
        for tenant, slot in found:
            app.send_task("bio.dream", args=(tenant, slot))
        return len(found)

    @app.task(name="bio.dream")  # type: ignore[untyped-decorator]
    def dream(tenant: str, slot: str) -> str:
        """A slice of a tenant's dream. The rest of it queues again, so that no consolidation waits for a night's work."""
        rt = open_runtime(Settings())
        try:
            state = str(dreaming.dream(rt, tenant, slot, slice_s=dreaming.SLICE_S)["state"])
        except dreaming.AlreadyDreaming as why:
            log.info("%s: %s", tenant, why)
            return "elsewhere"
        except Exception:  # its lease runs out, and a later look takes it up from where it stands
            log.exception("the dream of %s stopped", tenant)
            return "stopped"
        app.send_task(*(("bio.dream", (tenant, slot)) if state == "running" else ("bio.dream_look",)))
        return state


def _stage_task(name: str) -> Any:
    def run(tenant: str, cycle_id: str, fence: int) -> str:
        outcome = run_stage(open_runtime(Settings()), STAGES, tenant, cycle_id, name, fence)
        if outcome != "advanced":
            raise Ignore  # the rest of this chain must not run: the cycle is somebody else's, or rests
        return outcome

    run.__name__ = name
    return run
