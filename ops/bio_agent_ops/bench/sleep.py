"""`bio-agent bench sleep`: the pipeline's own cost of an episode, with the embedder taken out and put back."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench.conditions import Figure, conditions, report
from bio_agent_ops.bench.material import observations
from bio_agent_ops.home import Home
from bio_agent_ops.local import prepare as prepare_schema
from bio_agent_ops.stack import Stack
from bio_agent_schema.cycles import request_sleep
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_workers import pipeline
from bio_agent_workers.intake import Intake, connect
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime, run_stage
from bio_agent_workers.settings import Settings

EPISODES = 2_000


class _NoEmbedder:
    """Takes the embedder's time out of the measurement: a vector that costs nothing, different for each text."""

    model_id = "bench/constant-time"
    dimensions = 384

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(t) for t in texts]

    def query(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        vector[hash(text) % self.dimensions] = 1.0
        return vector


def main(*, as_json: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="bio-agent-bench-") as folder, Stack(Home(Path(folder) / "home")) as stack:
        url = prepare_schema(stack)["DATABASE_URL"]
        settings = Settings(database_url=url, redis_url=stack.redis_url)
        db = Database(url)
        models = configured(settings)
        without = _measure(Runtime(db, replace(models, embedder=_NoEmbedder()), settings), "bench-without")
        with_it = _measure(Runtime(db, models, settings), "bench-with")
        db.close()
    under = conditions(model=models.label.model_id, embedder=models.embedder.model_id, observations=EPISODES)
    figures = [
        Figure(
            "pipeline, embedder taken out, one process",
            without["total"],
            "ms/ep",
            8,
            at_least=False,
            note=f"({without['episodes']:.0f} episodes)",
        ),
        *[Figure(f"  of it {name}", without[name], "ms/ep") for name in (s.name for s in pipeline.STAGES)],
        Figure("  processor time of it", without["cpu"], "ms/ep"),
        Figure("pipeline with the embedder", with_it["total"], "ms/ep"),
    ]
    report("sleep", under, figures, as_json=as_json)
    return 0


def _measure(rt: Runtime, tenant: str) -> dict[str, float]:
    """Milliseconds an episode, in all and by stage."""
    with rt.db.tenant(tenant) as session:
        ensure_tenant(session, tenant)
    client = connect(rt.settings.redis_url)
    pipe = client.pipeline(transaction=False)
    for o in observations(EPISODES, seed=3, sessions=20):
        pipe.xadd(f"bio:obs:{tenant}", {"o": to_wire(prepare(o))})
    pipe.execute()
    intake = Intake(rt.db, client, rt.settings)
    while client.xlen(f"bio:obs:{tenant}"):
        intake.run_once(block_ms=10)
    intake.release()
    rt.models.embedder.passages(["warm up"])
    spent = {s.name: 0.0 for s in pipeline.STAGES}
    episodes, began, cpu = 0, time.perf_counter(), time.process_time()
    while True:
        with rt.db.tenant(tenant) as session:
            request_sleep(session, tenant)
        started = [(d, s) for d in pipeline.due_now(rt, tenant) if (s := pipeline.start(rt, d))]
        if not started:
            break
        for d, (cycle_id, _, fence) in started:
            for stage in pipeline.STAGES:
                at = time.perf_counter()
                if run_stage(rt, pipeline.STAGES, d.tenant, cycle_id, stage.name, fence) != "advanced":
                    raise RuntimeError(f"stage {stage.name} did not end; see the log")
                spent[stage.name] += time.perf_counter() - at
            with rt.db.tenant(tenant) as session:
                from bio_agent_schema.tables import CycleRow

                episodes += len(session.get_one(CycleRow, (tenant, cycle_id)).episode_ids)
    total, used = time.perf_counter() - began, time.process_time() - cpu
    per = {name: seconds * 1000 / episodes for name, seconds in spent.items()}
    return per | {"total": total * 1000 / episodes, "cpu": used * 1000 / episodes, "episodes": float(episodes)}
