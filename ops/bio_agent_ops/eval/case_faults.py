"""Cases in which a part of the stack dies or is full: a worker killed again and again, a stream that takes no more."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from bio_agent_ops.eval import case_script
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_run import consolidate, logged, run_out
from bio_agent_ops.eval.house import DIRECTIVE, EvalError, House
from bio_agent_ops.ingest import Busy, Ingest
from bio_agent_schema import cycles
from bio_agent_workers import pipeline
from bio_agent_workers.intake import stream_of
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import LEASE, WAIT

MOST_KILLS = 12
MOST_AGAIN = 100
CHILD_S = 60.0
WORKER = (
    "import sys; from bio_agent_workers import pipeline; from bio_agent_workers.settings import Settings;"
    " pipeline.run_due(pipeline.open_runtime(Settings()), sys.argv[1])"
)


STAGES = ("label", "compile", "canonicalize", "promote", "reconcile")
_WORDS = {"once": 1, "twice": 2, "thrice": 3}
_JUMP = re.compile(
    r"(?P<back>-|back\w*|minus|earlier|behind)?\D*?(?P<n>\d+|a|one)\s*(?P<unit>second|minute|hour|day|week|month|year)s?\s*(?P<after>back\w*|earlier|behind)?",
    re.IGNORECASE,
)  # fmt: skip
_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
    "year": 31_536_000,
}


def fault(house: House, given: Mapping[str, Any]) -> Facts:
    """The part that a sentence names fails in the way that it says, while something is taken in or consolidated."""
    said = f"{given.get('fault', '')} {given.get('during') or ''} {given.get('at') or ''}".strip()

    def tells(pattern: str) -> bool:
        return re.search(pattern, said, re.IGNORECASE) is not None

    if not tells(r"\bembed\w*") and case_script.of_provider(said):
        events = given.get("events") or [{"event_id": "e1", "content": DIRECTIVE, "role": "user"}]
        return consolidate(
            house, {"events": events, "fault": said, "times": given.get("times"), "llm_script": given.get("llm_script")}
        )
    if given.get("events") is not None:
        raise NotSupported("a fault with events of its own")
    if tells(r"\b(?:kill\w*|sigkill|die[sd]?|crash\w*|oom[- ]?kill\w*)\b") and tells(
        r"\b(?:worker|process|consumer|child|task|celery)s?\b"
    ):
        often = re.search(r"(\d+)\s*(?:times|x\b|kills|crashes)|\b(twice|once|thrice)\b", said, re.IGNORECASE)
        times = int(given.get("times") or (often and (often[1] or _WORDS[often[2].casefold()])) or 1)
        stage = next((s for s in STAGES if s[:6] in said.casefold()), "compile")
        thought = tells("between|before (?:the )?commit|after (?:the )?(?:llm|model|call|effect)")
        point = "thought" if thought else "saved" if tells("after (?:the )?commit|before ack") else "before"
        return _killed(house, min(times, MOST_KILLS), f"{stage}:{point}")
    if tells(r"poison|unparsable|unparseable|garbage|malformed|invalid bytes|not json"):
        return _poisoned(house)
    if tells(r"clock|time jump|jumps? (?:back|forward|ahead)|skew|dst"):
        return _clock_jumps(house, said)
    if tells(r"\bembed\w*"):
        return _embedder_fails(house)
    if tells(r"offset|(?:re)?deliver\w* (?:again|twice)|redeliver|replay|duplicate"):
        return _delivered_again(house, min(int(given.get("times") or 2), MOST_AGAIN))
    if tells(r"redis|valkey|stream|queue|broker"):
        if tells(r"maxmemory|oom|out of memory|memory|full"):
            return _full(house)
        if tells(r"empty|flush|lost volume|wiped|loses? (?:its|all)|restart"):
            return _emptied(house)
        if tells(r"down|away|unavailable|refused|unreachable|stop|gone|dead|timeout|partition"):
            return _away(house)
    if tells(r"postgres|database|\bdb\b|connection"):
        return _cut(house)
    raise NotSupported(f"the fault {said[:80]!r}")


def _cycled(house: House, tenant: str, **more: Any) -> Facts:
    """What one directive came to after a fault: learned once, nothing lost."""
    counts = house.rows(
        "select (select count(*) from bio.beliefs where tenant = :t), (select count(*) from bio.evidence where tenant = :t),"
        " (select count(*) from bio.episodes where tenant = :t)", t=tenant,
    )[0]  # fmt: skip
    return Facts(values={
        "effects": max(counts[0], counts[1]), "batch_stored": counts[2], "recovers": counts[0] == 1, "rules": counts[0],
        "lost_after_ack": max(0, 1 - counts[2]), "no_crash": True, **more,
    })  # fmt: skip


def _clock_jumps(house: House, said: str) -> Facts:
    """The database's clock set forward or back in the middle of a cycle, then back to where it was."""
    tenant, rt = house.told(), house.ctx.runtime
    jump = _JUMP.search(said)
    count = 1 if jump is None or not jump["n"].isdigit() else int(jump["n"])
    by = timedelta(seconds=count * _SECONDS[jump["unit"].casefold() if jump else "day"])
    back = jump is not None and bool(jump["back"] or jump["after"])
    begun = house.rows("select bio.now()")[0][0]
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    started = pipeline.start(rt, pipeline.due_now(rt, tenant)[0])
    house.set_clock(begun - by if back else begun + by)
    if started is not None:
        pipeline.run_cycle(rt, tenant, *started)
    run_out(house, rt, tenant)
    house.set_clock(begun + timedelta(minutes=1))
    run_out(house, rt, tenant)
    return _cycled(house, tenant)


def _emptied(house: House) -> Facts:
    """Valkey comes back without what it held, the consumer groups too: what was taken in stays, what comes later is read."""
    tenant = house.told()
    client: Any = house.ctx.redis
    client.flushall()
    house.send(tenant, [{"id": "later", "kind": "event", "content": "order 7 confirmed", "session": "s"}])
    house.take_in([tenant])
    run_out(house, house.ctx.runtime, tenant)
    later = house.rows("select count(*) from bio.episodes where tenant = :t and id = 'later'", t=tenant)[0][0]
    facts = _cycled(house, tenant)
    facts.values |= {"recovers": facts.values["recovers"] and later == 1, "groups_recreated": later == 1}
    return facts


class _NoEmbedder:
    """An embedder whose provider answers with an error."""

    def __init__(self, inner: Embedder) -> None:
        self.model_id, self.dimensions = inner.model_id, inner.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        raise ConnectionError("the embedding provider answered 500")

    def query(self, text: str) -> list[float]:
        raise ConnectionError("the embedding provider answered 500")


def _embedder_fails(house: House) -> Facts:
    """Cycles while nothing can be embedded, then sound ones: what was sent is learned, once, with a vector of its own."""
    tenant, rt = house.told(), house.ctx.runtime
    broken = house.with_models(replace(rt.models, embedder=_NoEmbedder(rt.models.embedder)))
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    errors = 0
    with logged():
        try:
            pipeline.run_due(broken, tenant)
        except ConnectionError:
            errors = 1
    meanwhile = house.rows("select count(*) from bio.memories where tenant = :t", t=tenant)[0][0]
    run_out(house, rt, tenant)
    found = house.recall(tenant, DIRECTIVE)
    vectors = house.rows("select embedding is not null from bio.memories where tenant = :t", t=tenant)
    facts = _cycled(house, tenant)
    facts.values |= {
        "errors": errors, "searchable_after_recovery": bool(found), "no_fake_success": meanwhile == 0 and all(v[0] for v in vectors),
    }  # fmt: skip
    return facts


def _delivered_again(house: House, times: int) -> Facts:
    """The whole stream read a second time from its beginning, and each event sent again, after all of it was learned."""
    tenant = house.tenant()
    events = [
        {"id": f"e{i}", "kind": "user", "content": DIRECTIVE if i == 0 else f"order {i} confirmed", "session": "s"}
        for i in range(times)
    ]  # fmt: skip
    counts = []
    for _ in range(2):
        house.send(tenant, events)
        house.take_in([tenant])
        run_out(house, house.ctx.runtime, tenant)
        counts.append(house.rows(
            "select (select coalesce(sum(support_count), 0) from bio.beliefs where tenant = :t),"
            " (select count(*) from bio.evidence where tenant = :t), (select count(*) from bio.episodes where tenant = :t)", t=tenant,
        )[0])  # fmt: skip
    facts = _cycled(house, tenant)
    facts.values |= {
        "support_unchanged": counts[0] == counts[1], "duplicates": 2 * times - counts[1][2], "lost_after_ack": times - counts[1][2],
    }  # fmt: skip
    return facts


def _poisoned(house: House) -> Facts:
    """Bytes that are no observation between sound ones on the stream."""
    tenant = house.tenant()
    house.send(tenant, [{"id": "e0", "kind": "user", "content": DIRECTIVE, "session": "s"}])
    house.ctx.redis.xadd(stream_of(tenant), {"o": b"\xff\xfe{not json"})
    house.send(tenant, [{"id": "e1", "kind": "event", "content": "order 7 confirmed", "session": "s"}])
    house.take_in([tenant])
    run_out(house, house.ctx.runtime, tenant)
    letters = house.rows("select cause from bio.dead_letters where tenant = :t", t=tenant)
    stored = {r[0] for r in house.rows("select id from bio.episodes where tenant = :t", t=tenant)}
    facts = _cycled(house, tenant)
    facts.values |= {
        "dead_letter": len(letters),
        "others_in_queue_ok": {"e0", "e1"} <= stored,
        "lost_after_ack": 2 - len(stored),
    }
    facts.texts["dead_letter_causes"] = [str(r[0]) for r in letters]
    return facts


def _killed(house: House, times: int, where: str) -> Facts:
    """One batch whose worker, a process of its own, dies by SIGKILL in the same stage `times` times; then a sound one."""
    tenant = house.told()
    settings = house.ctx.settings
    env = {
        **os.environ, "DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url, "BIO_TEST": "1",
        "BIO_AGENT_HOME": str(settings.home), "BIO_FAULT": where,
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
        "attempts_counted": attempts, "attempts": attempts, "llm_calls": calls, "effects": evidence + letters, "died": died, "evidence": evidence,
        "recovers": evidence > 0,
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
    took: list[float] = []

    async def send(url: str) -> None:
        door = Ingest(house.ctx.db, url, house.ctx.settings.max_backlog)
        try:
            for n in range(2):
                began = time.perf_counter()
                try:
                    answer = await door.take(
                        house.program(tenant), {"id": f"e{n}", "kind": "event", "content": f"order {n}"}
                    )
                    accepted.extend(answer["ids"])
                except Busy as busy:
                    told.append(busy)
                took.append(time.perf_counter() - began)
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
        "status": told[0].status if told else 200, "no_crash": True, "producer_blocked_ms": round(max(took) * 1000, 1),
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
    return _cycled(house, tenant, cut=cut, errors=errors)


def _setting(found: Mapping[Any, Any], name: str, default: str) -> str:
    value = found.get(name, found.get(name.encode(), default))
    return value.decode() if isinstance(value, bytes) else str(value)
