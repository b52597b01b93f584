"""Cases in which a part of the stack dies or is full: a worker killed again and again, a stream that takes no more."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_run import run_out
from bio_agent_ops.eval.house import EvalError, House
from bio_agent_ops.ingest import Busy, Ingest
from bio_agent_schema import cycles
from bio_agent_workers import pipeline
from bio_agent_workers.runner import LEASE, WAIT

KILLED_AT = "compile:before"
MOST_KILLS = 12
CHILD_S = 60.0
WORKER = (
    "import sys; from bio_agent_workers import pipeline; from bio_agent_workers.settings import Settings;"
    " pipeline.run_due(pipeline.open_runtime(Settings()), sys.argv[1])"
)


def fault(house: House, given: Mapping[str, Any]) -> Facts:
    said = str(given.get("fault", ""))
    killed = re.search(r"\b(?:kill\w*|sigkill|die[sd]?|crash\w*|oom[- ]?kill\w*)\b", said, re.IGNORECASE)
    worker = re.search(r"\b(?:worker|process|consumer|child|task|celery)\b", said, re.IGNORECASE)
    if killed and worker:
        often = re.search(r"(\d+)\s*(?:times|x\b|kills)|\b(twice|once|thrice)\b", said, re.IGNORECASE)
        words = {"once": 1, "twice": 2, "thrice": 3}
        times = int(given.get("times") or (often and (often[1] or words[often[2].casefold()])) or 1)
        return _killed(house, min(times, MOST_KILLS))
    if re.search(r"redis|valkey|stream|queue", said, re.IGNORECASE):
        if re.search(r"maxmemory|oom|out of memory|memory|full", said, re.IGNORECASE):
            return _full(house)
        if re.search(r"down|away|unavailable|refused|unreachable|stop|gone|dead", said, re.IGNORECASE):
            return _away(house)
    if re.search(r"postgres|database|\bdb\b|connection", said, re.IGNORECASE):
        return _cut(house)
    raise NotSupported(f"the fault {said[:80]!r}")


def _killed(house: House, times: int) -> Facts:
    """One batch whose worker, a process of its own, dies by SIGKILL in the same stage `times` times; then a sound one."""
    tenant = house.told()
    settings = house.ctx.settings
    env = {
        **os.environ, "DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url, "BIO_TEST": "1",
        "BIO_AGENT_HOME": str(settings.home), "BIO_FAULT": KILLED_AT,
    }  # fmt: skip
    with house.ctx.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    died = 0
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-c", WORKER, tenant], env=env, timeout=CHILD_S, check=False, capture_output=True
        )
        died += done.returncode < 0
        now = house.rows("select bio.now()")[0][0]
        house.set_clock(now + max(LEASE, WAIT) + timedelta(seconds=1))
    run_out(house, house.ctx.runtime, tenant)
    attempts = house.rows(
        "select count(*) from bio.audit where tenant = :t and act = 'taken_up' and (data ->> 'crashed')::boolean",
        t=tenant,
    )[0][0]
    evidence, letters, calls = house.rows(
        "select (select count(*) from bio.evidence where tenant = :t), (select count(*) from bio.dead_letters where tenant = :t),"
        " (select count(*) from bio.model_calls where tenant = :t)", t=tenant,
    )[0]  # fmt: skip
    return Facts(values={
        "attempts_counted": attempts, "llm_calls": calls, "effects": evidence + letters, "died": died, "evidence": evidence,
        "lost_after_ack": 1 - house.rows("select count(*) from bio.episodes where tenant = :t", t=tenant)[0][0], "no_crash": True,
        "dead_letter": letters,
    })  # fmt: skip


def _full(house: House) -> Facts:
    """Valkey out of memory while a producer sends: what it is told, whether anything accepted is lost, and afterwards."""
    tenant = house.tenant()
    client: Any = house.ctx.redis
    before = client.config_get("maxmemory*")
    accepted: list[str] = []
    refusals: list[Busy] = []

    async def send(first: int, count: int) -> None:
        ingest = Ingest(house.ctx.db, house.ctx.settings.redis_url, house.ctx.settings.max_backlog)
        try:
            for n in range(first, first + count):
                obs = {"id": f"e{n}", "kind": "event", "content": f"order {n} confirmed " + "x" * 2000}
                try:
                    answer = await ingest.take(house.program(tenant), obs)
                    accepted.extend(answer["ids"])
                except Busy as busy:
                    refusals.append(busy)
        finally:
            await ingest.close()

    asyncio.run(send(0, 3))
    try:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1)
        asyncio.run(send(3, 3))
    finally:
        client.config_set("maxmemory", _setting(before, "maxmemory", "0"))
        client.config_set("maxmemory-policy", _setting(before, "maxmemory-policy", "noeviction"))
    if not refusals:
        raise EvalError("Valkey took everything although its memory was used up")
    told = all(b.status in (429, 503) and b.retry_after_s > 0 for b in refusals)
    asyncio.run(send(3, 3))
    house.take_in([tenant])
    stored = {r[0] for r in house.rows("select id from bio.episodes where tenant = :t", t=tenant)}
    return Facts(values={
        "producer_error": "retryable" if told else "final", "lost_after_ack": len(set(accepted) - stored),
        "recovers": {f"e{n}" for n in range(3, 6)} <= stored, "refused": len(refusals),
    })  # fmt: skip


def _away(house: House) -> Facts:
    """No Valkey at the address while a producer sends: what it is told, and that what it sends later is stored."""
    tenant = house.tenant()
    told: list[Busy] = []
    accepted: list[str] = []

    async def send(url: str) -> None:
        door = Ingest(house.ctx.db, url, house.ctx.settings.max_backlog)
        try:
            for n in range(2):
                try:
                    answer = await door.take(
                        house.program(tenant), {"id": f"e{n}", "kind": "event", "content": f"order {n}"}
                    )
                    accepted.extend(answer["ids"])
                except Busy as busy:
                    told.append(busy)
        finally:
            await door.close()

    asyncio.run(send("redis://127.0.0.1:1/0"))
    first = len(told)
    asyncio.run(send(house.ctx.settings.redis_url))
    house.take_in([tenant])
    stored = {r[0] for r in house.rows("select id from bio.episodes where tenant = :t", t=tenant)}
    retryable = first > 0 and all(b.status in (429, 503) for b in told)
    return Facts(values={
        "producer_error": "retryable" if retryable else "none" if not first else "final", "refused": first,
        "lost_after_ack": len(set(accepted) - stored), "recovers": {"e0", "e1"} <= stored,
        "status": told[0].status if told else 200, "no_crash": True,
    })  # fmt: skip


def _cut(house: House) -> Facts:
    """Every connection to the database cut while a batch waits: the next pass finishes it, once."""
    tenant = house.told()
    rt = house.ctx.runtime
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    cut = house.rows(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database()"
        " and pid <> pg_backend_pid() and backend_type = 'client backend'"
    )[0][0]
    errors = 0
    try:
        pipeline.run_due(rt, tenant)
    except SQLAlchemyError:
        errors = 1
    run_out(house, rt, tenant)
    counts = house.rows(
        "select (select count(*) from bio.beliefs where tenant = :t), (select count(*) from bio.evidence where tenant = :t),"
        " (select count(*) from bio.episodes where tenant = :t)", t=tenant,
    )[0]  # fmt: skip
    return Facts(values={
        "cut": cut, "errors": errors, "effects": max(counts[0], counts[1]), "batch_stored": counts[2],
        "recovers": counts[0] == 1, "lost_after_ack": 1 - counts[2], "no_crash": True, "rules": counts[0],
    })  # fmt: skip


def _setting(found: Mapping[Any, Any], name: str, default: str) -> str:
    value = found.get(name, found.get(name.encode(), default))
    return value.decode() if isinstance(value, bytes) else str(value)
