"""`bio-agent bench rules`: what one more rule costs a tenant that has 100, 1,000, 10,000 or 100,000 already.

The rules are made up from a small grammar and their vectors are drawn from their digests (no embedder runs): the bench
measures the look-up of candidates and the reading of their relations, not a model.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import asdict

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_client.observation import uuid7
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.embedder import DigestEmbedder
from bio_agent_ops.bench.own import default_settings, own_stack
from bio_agent_schema import beliefs
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import BeliefState
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.text import content_tokens
from bio_agent_workers.brain.wordlists import word_list
from bio_agent_workers.stages import candidates

COUNTS = (100, 1_000, 10_000, 100_000)
NEW = 30  # rules looked up at each count
_BULK = 2_000  # rows of one insert
_VERBS = word_list(
    "deploy delete archive approve encrypt print scan label ship pay refund restart compress sign export"
)
_WHAT = word_list(
    "invoices reports containers parcels backups contracts images payslips tickets drawings sensors orders logs"
)
_WHERE = word_list(
    "warehouse laboratory staging headquarters kitchen workshop harbour clinic archive printroom depot canteen office"
)
_MOODS = ("Always {} {}", "Never {} {}", "You may {} {}", "You need not {} {}")


def main(*, as_json: bool) -> int:
    """Measure and report. There is no target: the figures show how the cost goes with the count."""
    before = load()
    with own_stack() as own:
        settings = default_settings(own.folder / "home", own.database_url, own.redis_url)
        under = conditions(
            own.folder, before, **own.servers(), rules="synthetic", vectors="synthetic, drawn from digests",
            new_rules_of_a_run=NEW, exact_vector_scan_up_to=candidates.EXACT_UP_TO,
        )  # fmt: skip
        db = Database(own.database_url)
        figures: list[Figure] = []
        totals: list[tuple[float, ...]] = []
        for count in COUNTS:
            tenant = f"rules-{count}"
            fill(db, tenant, count)
            found, spent, read, rows = measure(db, tenant, settings.heuristic_overlap)
            totals.append(tuple(a + b for a, b in zip(spent, read, strict=True)))
            figures += [
                Figure(f"{count:,} rules: finding the candidates of one more", spent, "ms"),
                Figure(f"{count:,} rules: reading their relations", read, "ms", note=f"{found:.1f} candidates"),
                Figure(f"{count:,} rules: rows of beliefs read for one more", rows, ""),
            ]
        db.close()
    growth = [
        Figure(f"cost at {COUNTS[-1]:,} rules, of that at {count:,}", (_median(totals[-1]) / _median(total),), "")
        for count, total in zip(COUNTS[:-1], totals[:-1], strict=True)
    ]
    report("rules", under, [*figures, *growth], as_json=as_json)
    return 0


def _median(values: tuple[float, ...]) -> float:
    return sorted(values)[len(values) // 2]


def sentences(seed: int) -> Iterator[str]:
    """Rules without end, no two alike: moods, acts, things, places and a number each."""
    grid = [*itertools.product(_MOODS, _VERBS, _WHAT, _WHERE)]
    random.Random(seed).shuffle(grid)  # noqa: S311 - material of a bench
    for number in itertools.count(1):
        for mood, verb, what, where in grid:
            yield f"{mood.format(verb, what)} of batch {number} in the {where}."


def fill(db: Database, tenant: str, count: int) -> None:
    """That many active beliefs, inserted in bulk, each with a vector, a key and search terms."""
    with db.tenant(tenant) as session:
        ensure_tenant(session, tenant)
    rules = sentences(seed=count)
    for start in range(0, count, _BULK):
        with db.tenant(tenant) as session:
            _insert(session, [row_of(tenant, next(rules)) for _ in range(min(_BULK, count - start))])
    with db.tenant(tenant) as session:
        session.execute(text("analyze bio.beliefs")) if _may_analyze(session) else None


def _may_analyze(session: Session) -> bool:
    owner = session.execute(
        text("select pg_has_role(relowner, 'usage') from pg_class where oid = 'bio.beliefs'::regclass")
    ).scalar_one()
    return bool(owner)


def row_of(tenant: str, content: str) -> BeliefRow:
    form = canonicalize(content, "en")
    return BeliefRow(
        tenant=tenant, id=uuid7(), content=content, search=" ".join(content_tokens(content, "en")), lang="en",
        canonical_key=form.key, canonical=asdict(form), state=BeliefState.REINFORCED.value,
        embedding=DigestEmbedder().query(content), embedding_model=DigestEmbedder.model_id,
    )  # fmt: skip


def _insert(session: Session, rows: list[BeliefRow]) -> None:
    session.execute(
        text(
            """
            insert into bio.beliefs (tenant, id, content, search, lang, canonical_key, state, embedding, embedding_model)
            select :tenant, id, content, search, 'en', key, 'reinforced', cast(vector as halfvec), :model
            from unnest(cast(:ids as text[]), cast(:contents as text[]), cast(:searches as text[]), cast(:keys as text[]),
                cast(:vectors as text[])) as r(id, content, search, key, vector)
            """
        ),
        {
            "tenant": rows[0].tenant, "model": rows[0].embedding_model, "ids": [r.id for r in rows],
            "contents": [r.content for r in rows], "searches": [r.search for r in rows],
            "keys": [r.canonical_key for r in rows], "vectors": [beliefs.vector_text(r.embedding) for r in rows],
        },
    )  # fmt: skip


Samples = tuple[float, ...]


def measure(db: Database, tenant: str, overlap: float) -> tuple[float, Samples, Samples, Samples]:
    """(candidates of one rule on average, ms to find them, ms to read their relations, rows that the database read to find
    them), each rule a sample. Times go with the load of the machine, rows do not."""
    fresh = sentences(seed=-1)
    found, spent, read, touched = 0, [], [], []
    for n in range(NEW + 1):
        belief = row_of(tenant, next(fresh))
        with db.tenant(tenant) as session:
            counted = session.execute(text(_ROWS_READ)).scalar_one()
            at = time.perf_counter()
            rows = candidates.nominate(session, belief)
            looked = time.perf_counter()
            counted = session.execute(text(_ROWS_READ)).scalar_one() - counted
            compared = time.perf_counter()
            for row in rows:
                relate(belief.content, row.content, threshold=overlap)
            ended = time.perf_counter()
        if n:  # the first one warms connections and plans
            found += len(rows)
            spent.append((looked - at) * 1000)
            read.append((ended - compared) * 1000)
            touched.append(float(counted))
    return found / NEW, tuple(spent), tuple(read), tuple(touched)


_ROWS_READ = """
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) from pg_stat_xact_user_tables
    where schemaname = 'bio' and relname = 'beliefs'
"""
