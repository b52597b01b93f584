"""`bio-agent bench ingest`: how fast observations get onto the stream and off it, on a stack of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from typing import Any

import redis
from sqlalchemy import text

from bio_agent_client.client import Memory
from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench import clients
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.material import observations
from bio_agent_ops.bench.own import Own, end, own_stack
from bio_agent_ops.local import free_port
from bio_agent_schema.db import Database, ensure_tenant

RUNS = 5  # of each rate
SECONDS = 1.0  # of one run in this process
TURN = 25  # calls of one side before the other has its turn
HTTP_SECONDS = 2.0  # of one run of the HTTP clients
MATERIAL = 2_000
CLIENT_BATCH = 500
HTTP_BATCH = 100
DRAIN = 30_000  # observations that intake empties
PARTS = 5  # of them, each a run
STARTS_WITHIN_S = 60.0


def main(*, as_json: bool) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so."""
    before = load()
    with own_stack() as own:
        size = sum(len(to_wire(prepare(o))) for o in observations(500)) / 500
        under = conditions(own.folder, before, **own.servers(), redaction="on", observation_bytes=round(size))
        figures = [*_redis(own), *_http(own), _drain(own)]
    report("ingest", under, figures, as_json=as_json)
    return 0


def rate(call: Callable[[int], int], seconds: float = SECONDS) -> float:
    """Observations a second of a call that is given its number and returns how many it sent."""
    began, sent, number = time.perf_counter(), 0, 0
    while (spent := time.perf_counter() - began) < seconds or not number:
        sent += call(number)
        number += 1
    return sent / spent


def cost(call: Callable[[int], object], calls: int = 5_000) -> float:
    """Processor time of a call in µs."""
    began = time.process_time()
    for number in range(calls):
        call(number)
    return (time.process_time() - began) / calls * 1e6


def in_turns(one: Callable[[int], int], other: Callable[[int], int], seconds: float = SECONDS) -> tuple[float, float]:
    """As `rate` of each, a few calls of the one and a few of the other: the machine's mood is the same for both."""
    sent, spent, number = [0, 0], [0.0, 0.0], 0
    while sum(spent) < 2 * seconds:
        for side, call in enumerate((one, other)):
            began = time.perf_counter()
            for n in range(number, number + TURN):
                sent[side] += call(n)
            spent[side] += time.perf_counter() - began
        number += TURN
    return sent[0] / spent[0], sent[1] / spent[1]


def _redis(own: Own) -> list[Figure]:
    material = observations(MATERIAL)
    wires = [to_wire(prepare(o)) for o in material]
    client, stream = own.client, "bio:obs:bench-client"
    memory = Memory(redis=redis.Redis.from_url(own.redis_url, protocol=2), tenant="bench-client")

    def bare(n: int) -> int:
        client.xadd("bio:bench:bare", {"o": wires[n % MATERIAL]})
        return 1

    def single(n: int) -> int:
        return len(memory.publish([material[n % MATERIAL]]))

    def batched(n: int) -> int:
        at = n * CLIENT_BATCH % MATERIAL
        return len(memory.publish(material[at : at + CLIENT_BATCH]))

    def observed(seconds: float) -> float:
        began, number = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            memory.observe(material[number % MATERIAL])
            number += 1
            if number % 5_000 == 0:  # the queue holds twice as many: what is measured is delivery, not dropping
                memory.flush()
        memory.flush(30)
        return number / (time.perf_counter() - began)

    pairs = [in_turns(bare, single) for _ in range(RUNS)]
    own_cost = [cost(lambda n: to_wire(prepare(material[n % MATERIAL]))) for _ in range(RUNS)]
    batches = [rate(batched) for _ in range(RUNS)]
    handed = [observed(SECONDS) for _ in range(RUNS)]
    stats = memory.stats()
    memory.close()
    lost = stats["accepted"] - int(client.xlen(stream))
    fate = f"{stats['accepted']:,} sent, {lost} lost, {stats['dropped']} dropped, {stats['refused']} refused"
    client.delete("bio:bench:bare", stream)
    return [
        Figure("bare XADD loop", tuple(b for b, _ in pairs), "/s"),
        Figure("client on Redis, one by one (publish)", tuple(s for _, s in pairs), "/s"),
        Figure("  processor time of preparing one (clean, redact, encode)", tuple(own_cost), "µs"),
        Figure("client one by one, of the bare loop beside it", tuple(s / b for b, s in pairs), "times", 0.8),
        Figure(f"client on Redis, batches of {CLIENT_BATCH} (publish)", tuple(batches), "/s", 10_000),
        Figure("client on Redis, in the background (observe, flush)", tuple(handed), "/s", note=fate),
    ]


@contextmanager
def _face(own: Own) -> Iterator[int]:
    """The HTTP face with no limit to the backlog: nobody reads the stream meanwhile."""
    port = free_port()
    server = own.start([sys.executable, "-m", "bio_agent_ops.http"], BIO_AGENT_PORT=str(port), MAX_BACKLOG="100000000")
    try:
        wait_for_health(port, lambda: server.poll() is None, STARTS_WITHIN_S)
        yield port
    finally:
        end(server)


def wait_for_health(port: int, alive: Callable[[], bool], seconds: float) -> None:
    """Until /api/health answers 200. Raises RuntimeError when the program ended or the time did."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until and alive():
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/api/health")
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.02)
    raise RuntimeError(f"/api/health did not answer on port {port} within {seconds:g} s")


def _http(own: Own) -> list[Figure]:
    with _face(own) as port:
        clients.load(port, 1, 1.0)  # the first requests pay for what is made once
        own.client.delete("bio:obs:default")
        single = [clients.load(port, 1, HTTP_SECONDS) for _ in range(RUNS)]
        first = _fate(own, single)
        batched = [clients.load(port, HTTP_BATCH, HTTP_SECONDS) for _ in range(RUNS)]
        second = _fate(own, batched)
    many = f"HTTP, {clients.CLIENTS} keep-alive clients"
    return [
        Figure(f"{many}, single requests", tuple(c.rate for c in single), "/s", 500, note=first),
        Figure(f"{many}, batches of {HTTP_BATCH}", tuple(c.rate for c in batched), "/s", 5_000, note=second),
    ]


def _fate(own: Own, counts: list[clients.Counts]) -> str:
    """What became of all that was sent; empties the stream."""
    total = clients.Counts()
    for one in counts:
        total.add(one)
    stored = int(own.client.xlen("bio:obs:default"))
    own.client.delete("bio:obs:default")
    return (
        f"{total.accepted:,} accepted, {total.accepted - stored} lost, {total.refused} refused,"
        f" {total.busy} requests busy, {total.failed} failed"
    )


def _drain(own: Own) -> Figure:
    """How fast the intake process empties a stream that is full before it starts, from its first batch to the last."""
    tenant = "bench-drain"
    stream = f"bio:obs:{tenant}"
    db = Database(own.database_url)
    with db.tenant(tenant) as session:
        ensure_tenant(session, tenant)
    pipe = own.client.pipeline(transaction=False)
    for i, o in enumerate(observations(DRAIN, seed=2)):
        pipe.xadd(stream, {"o": to_wire(prepare(o))})
        if i % 1000 == 999:
            pipe.execute()
    pipe.execute()
    reader = own.start([sys.executable, "-m", "bio_agent_workers.intake"])
    try:
        marks = list(_marks(own.client, stream))
    finally:
        end(reader)
    with db.tenant(tenant) as session:
        stored = int(session.execute(text("select count(*) from bio.episodes")).scalar_one())
    db.close()
    return Figure(
        "intake, stream to episodes", segments(marks), "/s", 3_000, note=f"{DRAIN:,} read, {DRAIN - stored} lost"
    )


def _marks(client: redis.Redis, stream: str) -> Iterator[tuple[float, int]]:
    """(time, observations left) each time a part has been read, the first once reading has begun."""
    until, due = time.perf_counter() + 180, DRAIN - 1
    while time.perf_counter() < until:
        left: Any = client.xlen(stream)
        if left <= due:
            yield time.perf_counter(), int(left)
            if not left:
                return
            due = max(0, int(left) - DRAIN // PARTS)
        time.sleep(0.01)
    raise RuntimeError("intake did not empty the stream within three minutes; see its log")


def segments(marks: list[tuple[float, int]]) -> tuple[float, ...]:
    """The rate between each mark and the next."""
    return tuple((a - b) / (t - s) for (s, a), (t, b) in pairwise(marks))
