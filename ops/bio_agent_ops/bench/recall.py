"""`bio-agent bench recall`: how fast and how exact recall is in tenants of very different sizes that share a database.

Memories are made up (words by Zipf's law, vectors in clusters by topic) and no model runs, so that what is measured is
the search; what the bundled model takes to read a query stands apart.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import psycopg
from sqlalchemy import text

from bio_agent_ops.auth import create_key
from bio_agent_ops.bench import recall_blocks, recall_guard, sleep
from bio_agent_ops.bench import recall_material as material
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.ingest import wait_for_health
from bio_agent_ops.bench.own import Own, default_settings, end, own_stack
from bio_agent_ops.bench.recall_clients import (
    LIMIT,
    WARM,
    observing,
    one_reader,
    percentile,
    request,
    steady_readers,
    times,
)
from bio_agent_ops.bench.recall_material import TopicEmbedder
from bio_agent_ops.home import Home
from bio_agent_ops.local import free_port
from bio_agent_ops.requests import Recall
from bio_agent_ops.service import recalling
from bio_agent_ops.service.context import Context
from bio_agent_ops.stack import Stack
from bio_agent_schema import memory_search, memory_sizes, vectors
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_workers.brain.retrieval import search_terms
from bio_agent_workers.models import Models, configured
from bio_agent_workers.runner import Runtime

RUNS = 3  # of each time: a figure is the median of their percentiles
RATE, OBSERVED = 20.0, 200.0  # a second, in the open loop
# Milliseconds at the 95th percentile, for a tenant of at most 10,000 memories and of at most 100,000.
TARGETS = {"in process": (25.0, 60.0), "HTTP": (40.0, 80.0)}
SLOWER_BESIDE_INTAKE = 2.0  # times one reader's own 95th percentile


@dataclass(frozen=True)
class Scale:
    memories: int
    tenants: int
    queries: int
    seconds: float

    def sizes(self) -> dict[str, int]:
        """Tenant → memories: the whole, a tenth of it, then ever smaller ones by Zipf's law, at least twenty."""
        rest = {f"recall-{n:03d}": max(20, self.memories // (20 * n)) for n in range(1, self.tenants - 1)}
        return {"recall-large": self.memories, "recall-mid": max(20, self.memories // 10), **rest}


def command(more: Sequence[str], *, as_json: bool) -> int:
    """`bench recall [--memories N] [--tenants N] [--queries N] [--seconds S]`. Raises click.UsageError."""

    @click.command("bio-agent bench recall", help=__doc__)
    @click.option("--memories", type=click.IntRange(200, 2_000_000), default=100_000, show_default=True)
    @click.option("--tenants", type=click.IntRange(2, 500), default=50, show_default=True)
    @click.option("--queries", type=click.IntRange(10, 10_000), default=150, show_default=True, help="of one run")
    @click.option("--seconds", type=click.FloatRange(1, 600), default=10.0, show_default=True, help="of the open loop")
    def options(**given: Any) -> int:
        return main(as_json=as_json, scale=Scale(**given))

    return int(options.main(list(more), standalone_mode=False) or 0)


def main(*, as_json: bool, scale: Scale) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so."""
    before = load()
    with own_stack() as own:
        settings = default_settings(own.folder / "home", own.database_url, own.redis_url)
        models = replace(configured(settings), embedder=TopicEmbedder())
        db = Database(own.database_url)
        filled, built = _fill(own, db, scale.sizes())
        ctx = Context(db, settings)
        ctx.__dict__["runtime"] = Runtime(db, models, settings)
        under = conditions(
            own.folder, before, **own.servers(), memories=f"synthetic, {sum(scale.sizes().values()):,} in all",
            tenants=f"{scale.tenants}, of {min(scale.sizes().values()):,} to {scale.memories:,}",
            words=f"{material.VOCABULARY:,} by Zipf's law, {material.WORDS} a memory", vectors=f"synthetic, {material.TOPICS:,} topics",
            queries_of_a_run=scale.queries, exact_up_to=memory_sizes.EXACT_UP_TO, filled_in_s=round(filled, 1),
        )  # fmt: skip
        figures = [
            *_in_process(ctx, scale), *_embedding(configured(settings)), *_exactness(db, scale), built,
            *_http(own, db, scale), *recall_guard.figures(ctx, _admin(own), lambda: _face(own)),
            *recall_blocks.figures(ctx, recall_guard.TENANT, recall_guard.RULES), _consolidation(db, models, ctx),
        ]  # fmt: skip
        db.close()
    report("recall", under, figures, as_json=as_json)
    return 0


def _fill(own: Own, db: Database, sizes: dict[str, int]) -> tuple[float, Figure]:
    """(seconds to write, the building of the indexes)."""
    admin, began = _admin(own), time.perf_counter()
    with psycopg.connect(admin.replace("+psycopg", "", 1)) as connection:
        for tenant, count in sizes.items():
            with db.tenant(tenant) as session:
                ensure_tenant(session, tenant)
                vectors.settle(session, tenant, TopicEmbedder.model_id)
            material.fill(connection, tenant, count)
        connection.autocommit = True
        connection.execute("vacuum analyze bio.memories, bio.memory_terms, bio.edges")
    filled, began = time.perf_counter() - began, time.perf_counter()
    inside = 0
    for tenant in sizes:
        with db.tenant(tenant) as session:
            inside += vectors.want_index(session, tenant, TopicEmbedder.model_id, TopicEmbedder.dimensions)
    outside = vectors.build_wanted(admin)
    with db.across() as session:
        memory_sizes.forget_sizes(session)
    note = f"{inside} by the application, {len(outside)} from outside, concurrently"
    return filled, Figure("building the tenants' vector indexes", (time.perf_counter() - began,), "s", note=note)


def _admin(own: Own) -> str:
    stack = Stack.attached(Home(own.folder / "home"))
    if stack is None:
        raise RuntimeError("the bench's own database server is not there")
    return stack.database_url


def _measured(scale: Scale) -> list[tuple[str, int]]:
    """(tenant, its memories)"""
    return [(tenant, scale.sizes()[tenant]) for tenant in ("recall-mid", "recall-large")]


def _target(way: str, count: int) -> float | None:
    return TARGETS[way][0] if count <= 10_000 else TARGETS[way][1] if count <= 100_000 else None


def _in_process(ctx: Context, scale: Scale) -> list[Figure]:
    figures = []
    for tenant, count in _measured(scale):
        runs, empty, cpu, served = [], 0, [], 0.0
        backend = _backend(ctx.db, tenant)
        for run in range(RUNS):
            asked = material.queries(tenant, count, scale.queries + WARM, seed=run)
            spent = []
            before = _processor_ms(backend)
            for n, query in enumerate(asked):
                at, used = time.perf_counter(), time.process_time()
                found = recalling.recall(ctx, tenant, Recall(query=query, limit=LIMIT))["memories"]
                if n >= WARM or len(asked) <= 2 * WARM:
                    spent.append((time.perf_counter() - at) * 1000)
                    cpu.append((time.process_time() - used) * 1000)
                    empty += not found
            runs.append(spent)
            served += (_processor_ms(backend) - before) / len(asked) / RUNS
        note = f"{empty} of {sum(map(len, runs))} queries found nothing" if empty else ""
        figures += times(f"recall in process, {count:,} memories", runs, _target("in process", count), note)
        figures.append(Figure("  of it processor time of this process", (statistics.median(cpu),), "ms"))
        if served > 0:
            figures.append(
                Figure("  of it processor time of the database", (served,), "ms", note="the mean, warming up too")
            )
    return figures


def _backend(db: Database, tenant: str) -> int:
    """The server's process that serves a caller who is alone: the pool has one connection then."""
    with db.tenant(tenant) as session:
        return int(session.execute(text("select pg_backend_pid()")).scalar_one())


def _processor_ms(pid: int) -> float:
    """Processor time of a process so far; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def _embedding(models: Models) -> list[Figure]:
    """What the bundled model takes to read a query: comes on top of each time of this report."""
    spent = []
    for n in range(25):
        at = time.perf_counter()
        models.embedder.query(f"how was the deployment number {n} of the warehouse service rolled back")
        spent.append((time.perf_counter() - at) * 1000)
    return [Figure("embedding one query (bundled model), apart", (statistics.median(spent[5:]),), "ms")]


def _exactness(db: Database, scale: Scale) -> list[Figure]:
    """The ten nearest by the tenant's index against all vectors compared, for every tenant, and where the two cost the
    same."""
    embedder, shares, costs = TopicEmbedder(), {}, {}
    for tenant, count in scale.sizes().items():
        hits = wanted = 0
        times: dict[bool, list[float]] = {False: [], True: []}
        for query in material.queries(tenant, count, 20, seed=99):
            vector = embedder.query(query)
            nearest = {}
            for exact in (False, True):
                with db.tenant(tenant) as session:
                    size = memory_sizes.known_size(session, tenant, embedder.model_id)
                    at = time.perf_counter()
                    found = memory_search.routes(
                        session, tenant, vector=vector, model=embedder.model_id, terms=[], entities=[], filters={}, size=size,
                        k1=search_terms.K1, b=search_terms.B, narrow=exact,
                    )  # fmt: skip
                    times[exact].append((time.perf_counter() - at) * 1000)
                ranked = sorted(found, key=lambda i: -(found[i].vector or 0.0))
                nearest[exact] = ranked[: min(10, count)]
            # A tie at the tenth place may fall either way: what counts is being as near as the tenth.
            hits += len(set(nearest[False]) & set(nearest[True]))
            wanted += len(nearest[True])
        shares[tenant] = hits / max(1, wanted)
        costs[tenant] = {exact: statistics.median(t) for exact, t in times.items()}
    worst = min(shares, key=lambda t: shares[t])
    figures = [
        Figure("recall@10 of exact, worst tenant", (shares[worst],), "share", 0.95, note=f"{worst}, {scale.sizes()[worst]:,}"),
        Figure("recall@10 of exact, mean of tenants", (statistics.mean(shares.values()),), "share"),
    ]  # fmt: skip
    large, base = "recall-large", min(costs.values(), key=lambda c: c[True])[True]
    figures += [
        Figure(f"nearest of {scale.memories:,} memories, index", (costs[large][False],), "ms"),
        Figure(f"nearest of {scale.memories:,} memories, all compared", (costs[large][True],), "ms"),
    ]
    per_memory = (costs[large][True] - base) / scale.memories
    if scale.memories > memory_sizes.EXACT_UP_TO and per_memory > 0:
        even = max(0.0, (costs[large][False] - base) / per_memory)
        figures.append(Figure("memories from which the index is faster (interpolated)", (even,), ""))
    return figures


@contextmanager
def _face(own: Own):  # type: ignore[no-untyped-def]
    port = free_port()
    server = own.start([sys.executable, "-m", "bio_agent_ops.bench.recall_face"], BIO_AGENT_PORT=str(port))
    try:
        wait_for_health(port, lambda: server.poll() is None, 60)
        yield port
    finally:
        end(server)


def _http(own: Own, db: Database, scale: Scale) -> list[Figure]:
    figures = []
    with _face(own) as port:
        for tenant, count in _measured(scale):
            _, key = create_key(db, tenant, "agent", None)
            runs = []
            for run in range(RUNS):
                made = [request(port, key, q) for q in material.queries(tenant, count, scale.queries + WARM, seed=run)]
                runs.append(one_reader(port, made)[min(WARM, len(made) // 2) :])
            figures += times(f"recall over HTTP, {count:,} memories", runs, _target("HTTP", count))
            figures += _open_loop(own, db, port, key, tenant, count, scale)
    return figures


def _open_loop(own: Own, db: Database, port: int, key: str, tenant: str, count: int, scale: Scale) -> list[Figure]:
    """Twenty queries a second while 200 observations a second are taken in; nothing consolidates them."""
    number = int(RATE * scale.seconds)
    made = [request(port, key, q) for q in material.queries(tenant, count, number, seed=50)]
    made = (made * (number // max(1, len(made)) + 1))[:number]
    alone = one_reader(port, made[: scale.queries])
    intake = own.start([sys.executable, "-m", "bio_agent_workers.intake"])
    try:
        time.sleep(3.0)  # it is up and has found its streams
        with observing(own.client, tenant, OBSERVED, scale.seconds) as sent:
            spent = steady_readers(port, made, RATE)
            reached = sent()
    finally:
        end(intake)
    with db.tenant(tenant) as session:
        taken = session.execute(text("select count(*) from bio.episodes where tenant = :t"), {"t": tenant}).scalar_one()
    note = f"{reached} observations sent, {taken} taken in meanwhile"
    ratio = percentile(spent, 0.95) / percentile(alone, 0.95)
    return [
        *times(f"  {RATE:g} queries/s beside {OBSERVED:g} observations/s", [spent], None, note),
        Figure("  its p95, of that of one reader alone", (ratio,), "times", SLOWER_BESIDE_INTAKE, at_least=False),
    ]


def _consolidation(db: Database, models: Models, ctx: Context) -> Figure:
    """Episodes a second that one process consolidates in the tenant of the tenth, with the embedder taken out."""
    got = sleep.measure(Runtime(db, models, ctx.settings), "recall-mid", seed=5, count=300)
    return Figure(
        "consolidation sustained, one process", (1000 / got["total"],), "ep/s", note=f"{got['dead']:.0f} dead letters"
    )
