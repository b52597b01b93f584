"""`bio-agent bench sleep`: the pipeline's own cost of an episode, with the embedder taken out and put back."""

from __future__ import annotations

import time
from dataclasses import replace

from sqlalchemy import text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.embedder import DigestEmbedder
from bio_agent_ops.bench.material import observations
from bio_agent_ops.bench.own import default_settings, own_stack
from bio_agent_schema.cycles import request_sleep
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_schema.tables import CycleRow
from bio_agent_workers import pipeline
from bio_agent_workers.intake import Intake, connect
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime, run_stage

OBSERVATIONS = 1_500  # of one run, in a tenant of its own
RUNS = 3
RUNS_WITH = 1  # with the embedder: beside the point, a look at what it adds


def main(*, as_json: bool) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so."""
    before = load()
    with own_stack() as own:
        settings = default_settings(own.folder / "home", own.database_url, own.redis_url)
        models = configured(settings)
        under = conditions(
            own.folder, before, **own.servers(), model=models.label.model_id, embedder=models.embedder.model_id,
            observations_of_a_run=OBSERVATIONS,
        )  # fmt: skip
        db = Database(own.database_url)
        without = replace(models, embedder=DigestEmbedder())
        runs = [measure(Runtime(db, without, settings), f"bench-{n}", seed=n) for n in range(RUNS)]
        full = [measure(Runtime(db, models, settings), f"bench-with-{n}", seed=n) for n in range(RUNS_WITH)]
        db.close()
    fate = f"{sum(r['episodes'] for r in runs):,.0f} episodes, {sum(r['dead'] for r in runs):.0f} dead letters"
    figures = [
        Figure("pipeline, embedder taken out, one process", _all(runs, "total"), "ms/ep", 8, at_least=False, note=fate),
        *[Figure(f"  of it {s.name}", _all(runs, s.name), "ms/ep") for s in pipeline.STAGES],
        Figure("  of it choosing the batches", _all(runs, "choosing"), "ms/ep"),
        Figure("  processor time of this process", _all(runs, "cpu"), "ms/ep"),
        Figure("pipeline with the embedder", _all(full, "total"), "ms/ep"),
    ]
    report("sleep", under, figures, as_json=as_json)
    return 0


def _all(runs: list[dict[str, float]], name: str) -> tuple[float, ...]:
    return tuple(run[name] for run in runs)


def measure(rt: Runtime, tenant: str, seed: int, count: int = OBSERVATIONS) -> dict[str, float]:
    """Milliseconds an episode, in all and by stage; how many episodes there were, and how many dead letters."""
    _fill(rt, tenant, seed, count)
    rt.models.embedder.passages(["warm up"])
    spent = {s.name: 0.0 for s in pipeline.STAGES} | {"choosing": 0.0}
    began, cpu = time.perf_counter(), time.process_time()
    while True:
        at = time.perf_counter()
        with rt.db.tenant(tenant) as session:
            request_sleep(session, tenant)
        started = [(d, s) for d in pipeline.due_now(rt, tenant) if (s := pipeline.start(rt, d))]
        spent["choosing"] += time.perf_counter() - at
        if not started:
            break
        for due, (cycle_id, _, fence) in started:
            for stage in pipeline.STAGES:
                at = time.perf_counter()
                if run_stage(rt, pipeline.STAGES, due.tenant, cycle_id, stage.name, fence) != "advanced":
                    raise RuntimeError(f"stage {stage.name} did not end; see the log")
                spent[stage.name] += time.perf_counter() - at
    total, used = time.perf_counter() - began, time.process_time() - cpu
    with rt.db.tenant(tenant) as session:
        batches = session.execute(text(f"select episode_ids from {CycleRow.__table__.fullname}")).scalars()  # type: ignore[attr-defined]  # noqa: S608
        episodes = sum(map(len, batches))
        dead = int(session.execute(text("select count(*) from bio.dead_letters")).scalar_one())
    if not episodes:
        raise RuntimeError("no cycle was run: nothing was due")
    per = {name: seconds * 1000 / episodes for name, seconds in spent.items()}
    return per | {"total": total * 1000 / episodes, "cpu": used * 1000 / episodes,
                  "episodes": float(episodes), "dead": float(dead)}  # fmt: skip


def _fill(rt: Runtime, tenant: str, seed: int, count: int) -> None:
    """Observations of that many, read into episodes by intake."""
    with rt.db.tenant(tenant) as session:
        ensure_tenant(session, tenant)
    client = connect(rt.settings.redis_url)
    pipe = client.pipeline(transaction=False)
    for o in observations(count, seed=seed, sessions=20):
        pipe.xadd(f"bio:obs:{tenant}", {"o": to_wire(prepare(o))})
    pipe.execute()
    intake = Intake(rt.db, client, rt.settings)
    while client.xlen(f"bio:obs:{tenant}"):
        intake.run_once(block_ms=10)
    intake.release()
    client.close()
