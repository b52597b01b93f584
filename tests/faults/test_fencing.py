"""A holder that lost its cycle writes nothing: the fence, the renewal of the lease, and messages delivered twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops import data
from bio_agent_ops.service.context import Context
from bio_agent_schema.cycles import request_sleep
from bio_agent_workers import pipeline, runner
from bio_agent_workers.intake import Intake
from tests.faults.helpers import Admin, invariants, until

pytestmark = pytest.mark.faults

WRITTEN = ("memories", "memory_sources", "beliefs", "evidence", "edges", "reviews", "cycles", "l1_scopes", "episodes")


class Slow:
    """One stage of the table, stopped between thinking and saving until it is let go."""

    def __init__(self, name: str) -> None:
        self.thought, self.go = threading.Event(), threading.Event()
        real = next(s for s in pipeline.STAGES if s.name == name)

        def think(loaded: Any, cycle: Any, rt: runner.Runtime) -> Any:
            outcome = real.think(loaded, cycle, rt)
            self.thought.set()
            assert self.go.wait(60), "never let go"
            return outcome

        self.table = tuple(replace(s, think=think) if s.name == name else s for s in pipeline.STAGES)


@contextmanager
def held_at(rt: runner.Runtime, cycle_id: str, name: str, fence: int) -> Iterator[tuple[Slow, list[str]]]:
    """A first holder, asleep in `name` with its thoughts done; what its stage came to is added to the list at the end."""
    slow, came_to = Slow(name), list[str]()
    run = threading.Thread(
        target=lambda: came_to.append(runner.run_stage(rt, slow.table, "default", cycle_id, name, fence))
    )
    run.start()
    try:
        assert slow.thought.wait(30)
        yield slow, came_to
    finally:
        slow.go.set()
        run.join(30)


def open_cycle(ctx: Context) -> str:
    """Store a stretch with a failure and its fix, and open its cycle at the first stage."""
    for obs in data.load()[28:40]:
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
    intake = Intake(ctx.db, ctx.redis, ctx.settings)
    while ctx.redis.xlen("bio:obs:default"):
        intake.run_once(block_ms=10)
    intake.release()
    with ctx.db.tenant("default") as session:
        request_sleep(session, "default")
    (due,) = pipeline.due_now(ctx.runtime)
    started = pipeline.start(ctx.runtime, due)
    assert started is not None
    return started[0]


def run_up_to(ctx: Context, cycle_id: str, name: str) -> None:
    for stage in pipeline.STAGES:
        if stage.name == name:
            return
        assert runner.run_stage(ctx.runtime, pipeline.STAGES, "default", cycle_id, stage.name, 1) == "advanced"


def everything(admin: Admin) -> dict[str, list[str]]:
    return {t: sorted(r[0] for r in admin.rows(f"select to_jsonb(x)::text from bio.{t} x")) for t in WRITTEN}


@pytest.mark.parametrize("name", [s.name for s in pipeline.STAGES])
def test_the_second_holder_wins_and_the_first_writes_nothing(
    name: str, ctx: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = Admin(urls["ADMIN_URL"])
    cycle_id = open_cycle(ctx)
    run_up_to(ctx, cycle_id, name)
    monkeypatch.setattr(runner, "LEASE", timedelta(milliseconds=200))
    monkeypatch.setattr(runner, "RENEW_S", 600.0)  # the holder is cut off: nobody renews
    with held_at(ctx.runtime, cycle_id, name, 1) as (slow, came_to):
        until(lambda: bool(pipeline.due_now(ctx.runtime)), 5, "the lease runs out")
        monkeypatch.setattr(runner, "LEASE", timedelta(seconds=15))
        monkeypatch.setattr(runner, "RENEW_S", 5.0)
        pipeline.run_due(ctx.runtime)
        invariants(admin)
        calls = admin.one("select count(*) from bio.model_calls")
        before = everything(admin)
        assert before["memories"]
        slow.go.set()
        until(lambda: bool(came_to), 10, "the first holder ends")
    assert came_to == ["fenced"]
    assert everything(admin) == before
    assert admin.one("select count(*) from bio.model_calls") == calls
    fenced = admin.rows("select cause, data ->> 'fence' from bio.audit where act = 'fenced'")
    assert [tuple(r) for r in fenced] == [(name, "1")]
    admin.close()


def test_a_slow_stage_that_renews_keeps_its_cycle(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    cycle_id = open_cycle(ctx)
    monkeypatch.setattr(runner, "LEASE", timedelta(milliseconds=900))
    monkeypatch.setattr(runner, "RENEW_S", 0.2)
    with held_at(ctx.runtime, cycle_id, "label", 1) as (slow, came_to):
        for _ in range(15):  # twice the lease and more
            assert not pipeline.due_now(ctx.runtime)
            threading.Event().wait(0.15)
        slow.go.set()
        until(lambda: bool(came_to), 10, "the stage ends")
    assert came_to == ["advanced"]


@pytest.mark.parametrize("name", [s.name for s in pipeline.STAGES])
def test_a_message_delivered_twice_at_once_is_saved_once(name: str, ctx: Context, urls: dict[str, str]) -> None:
    admin = Admin(urls["ADMIN_URL"])
    cycle_id = open_cycle(ctx)
    run_up_to(ctx, cycle_id, name)
    with held_at(ctx.runtime, cycle_id, name, 1) as (slow_a, a), held_at(ctx.runtime, cycle_id, name, 1) as (slow_b, b):
        slow_a.go.set()
        slow_b.go.set()
        until(lambda: bool(a and b), 10, "both end")
    assert sorted(a + b) == ["advanced", "fenced"]
    done = admin.one("select count(*) from bio.audit where act = 'stage_done' and cause = :name", name=name)
    assert done == 1
    admin.close()


def test_a_late_message_of_an_earlier_stage_changes_nothing(ctx: Context, urls: dict[str, str]) -> None:
    admin = Admin(urls["ADMIN_URL"])
    cycle_id = open_cycle(ctx)
    assert pipeline.run_cycle(ctx.runtime, "default", cycle_id, "label", 1)
    before = everything(admin)
    for stage in pipeline.STAGES:
        assert runner.run_stage(ctx.runtime, pipeline.STAGES, "default", cycle_id, stage.name, 1) == "fenced"
    assert everything(admin) == before
    admin.close()
