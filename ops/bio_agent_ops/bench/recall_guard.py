"""The guard at size, as part of `bench recall`: what one check costs a tenant of many rules, and the first after a start."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import psycopg
from sqlalchemy import text

from bio_agent_ops.auth import create_key
from bio_agent_ops.bench import rules
from bio_agent_ops.bench.conditions import Figure
from bio_agent_ops.bench.recall_clients import WARM, one_reader, posted, times
from bio_agent_ops.requests import Check
from bio_agent_ops.service import guarding
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs

RULES, CHECKS, RUNS = 10_000, 150, 3
TENANT = "guarded"
TARGET_MS = 30.0  # at the 95th percentile, in process and over HTTP
# Two of the eight are held against a rule that speaks of them.
_RULES = ("Never run `git push --force`.", "Never delete the migrations.")
_CALLS = (
    "git push --force origin main", "rm -rf db/migrations", "ls -la reports", "kubectl get pods -n staging", "pytest -q -x",
    "docker compose up -d", "cat invoices.csv | sort | uniq -c", "git commit -am 'label the parcels'",
)  # fmt: skip


def figures(ctx: Context, admin_url: str, face: Callable[[], AbstractContextManager[int]]) -> list[Figure]:
    """admin_url: of the database's superuser. face: starts the HTTP face and gives its port."""
    fill(ctx, admin_url)
    at, used = time.perf_counter(), time.process_time()
    _check(ctx, 0)
    first, cpu = (time.perf_counter() - at) * 1000, (time.process_time() - used) * 1000
    runs, spent_cpu = [], []
    for _ in range(RUNS):
        spent = []
        for n in range(CHECKS):
            at, used = time.perf_counter(), time.process_time()
            _check(ctx, n)
            spent.append((time.perf_counter() - at) * 1000)
            spent_cpu.append((time.process_time() - used) * 1000)
        runs.append(spent)
    changed = []
    for n in range(5):
        with ctx.db.tenant(TENANT) as session:
            session.execute(
                text(
                    "update bio.beliefs set updated_at = bio.now(), version = version + 1 where tenant = :t and id = (select"
                    " min(id) from bio.beliefs where tenant = :t)"
                ),
                {"t": TENANT},
            )
            beliefs.touch_epoch(session, TENANT)
        at = time.perf_counter()
        _check(ctx, n)
        changed.append((time.perf_counter() - at) * 1000)
    return [
        *times(f"guard's check in process, {RULES:,} rules", runs, TARGET_MS),
        Figure("  of it processor time of this process", (sorted(spent_cpu)[len(spent_cpu) // 2],), "ms"),
        Figure("  the first after one rule changed", tuple(changed), "ms"),
        Figure("  reading all rules, once after a start", (first,), "ms", note=f"{cpu:.0f} ms of processor time"),
        *_http(ctx, face),
    ]


def fill(ctx: Context, admin_url: str) -> None:
    """The tenant with its rules, each in force, and the table as autovacuum leaves it."""
    rules.fill(ctx.db, TENANT, RULES - len(_RULES))
    with ctx.db.tenant(TENANT) as session:
        for said in _RULES:
            beliefs.insert(session, rules.row_of(TENANT, said))
        # As consolidation leaves rules: with the words that agents are told, their mood known, of different standing.
        session.execute(
            text(
                """
                update bio.beliefs b set rendering = content, canonical = jsonb_build_object('polarity',
                    case when content ~ '^(Never|You need not)' then 'negative' else 'positive' end),
                    rank = case when n % 10 = 0 then 'owner' else 'agent' end, confidence = 0.8,
                    state = case when n % 2 = 0 then 'stable' else 'reinforced' end, helped = n % 7, hurt = n % 3,
                    injected = case when n % 4 = 0 then 0 else 1 end, created_at = created_at - make_interval(mins => n)
                from (select id, cast(row_number() over (order by md5(id)) as int) as n from bio.beliefs where tenant = :t) r
                where b.tenant = :t and b.id = r.id
                """
            ),
            {"t": TENANT},
        )
    with psycopg.connect(admin_url.replace("+psycopg", "", 1), autocommit=True) as connection:
        connection.execute("vacuum analyze bio.beliefs")


def _check(ctx: Context, number: int) -> None:
    command = _CALLS[number % len(_CALLS)]
    guarding.check(ctx, TENANT, Check(tool="bash", tool_input={"command": command}, session=f"s{number}"))


def _http(ctx: Context, face: Callable[[], AbstractContextManager[int]]) -> list[Figure]:
    _, key = create_key(ctx.db, TENANT, "agent", None)
    with face() as port:

        def made(seed: int) -> Sequence[bytes]:
            return [
                posted(port, key, "/api/check", json.dumps({
                    "tool": "bash", "tool_input": {"command": _CALLS[n % len(_CALLS)]}, "session": f"h{seed}-{n}",
                }))
                for n in range(CHECKS + WARM)
            ]  # fmt: skip

        (first,) = one_reader(port, made(0)[:1])
        runs = [one_reader(port, made(run + 1))[WARM:] for run in range(RUNS)]
    return [
        *times(f"guard's check over HTTP, {RULES:,} rules", runs, TARGET_MS),
        Figure("  the first, as soon as the service answers", (first,), "ms", note="its rules are being read then"),
    ]
