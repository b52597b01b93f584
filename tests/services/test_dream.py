"""The dream against a real Postgres: a simulated week, and when and for whom it begins."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery

from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import Context
from bio_agent_schema import graph
from bio_agent_schema.db import ensure_tenant
from bio_agent_schema.tables import TenantRow
from bio_agent_workers import dreaming, pipeline
from bio_agent_workers.dreaming import runs
from tests.services.dreams import DAY, Clock, believe, observe, pair_rule, ran, release, rows

pytestmark = pytest.mark.services


# ------------------------------------------------------------------------------------------------------------ the week


def test_a_week_learns_a_skill_revalidates_and_archives_and_comes_to_rest(ctx: Context, clock: Clock) -> None:
    clock.to_hour(1)
    begun = clock.now()
    followed = pair_rule(ctx, "npm test", "npm run test:unit", begun - timedelta(hours=2))
    broken = pair_rule(ctx, "make deploy", "make release", begun - timedelta(hours=2))
    deprecated = believe(ctx, "Restart the queue by hand.", begun - 26 * DAY, state="deprecated")
    unproved = believe(ctx, "Warm the cache first.", begun - 27 * DAY, state="proposed", support=0, layer="adaptive")
    journal: list[dict[str, Any]] = []
    nights = 0
    for day in range(7):
        clock.to_hour(10)
        if day in (0, 2, 4):
            observe(ctx, clock, f"release-{day}", *release(day))
        if day == 3:
            observe(ctx, clock, "tests", ran("npm run test:unit", said="41 passed"))
        if day == 5:
            observe(ctx, clock, "deploys-1", ran("make deploy", said="deployed"))
            observe(ctx, clock, "deploys-2", ran("make deploy", said="deployed"))
        clock.to_hour(3)
        nights += dreaming.dream_due(ctx.runtime)
        assert dreaming.dream_due(ctx.runtime) == 0  # however many beats look
        journal += dreams.last(ctx, "default")["journal"]
    assert nights == 7

    skill = rows(
        ctx,
        "select id, content, kind, meta from bio.memories where tenant = :t and type = 'skill' and superseded_by is null",
    )
    assert len(skill) == 1
    skill_id, content, kind, meta = skill[0]
    assert kind == "procedural"
    assert meta["sessions"] == 3
    assert all(step in content for step in ("npm run build", "docker push", "kubectl apply"))
    assert not any(literal in content for literal in ("registry.shop.test", "/srv", "400", "1.0"))
    with ctx.db.tenant("default") as session:
        edges = graph.around(session, "default", f"memory:{skill_id}")
    from_episodes = {e.target for e in edges if e.relation == "derived_from" and e.target.startswith("episode:")}
    assert len(from_episodes) == 3

    by_rule = {
        b: [x["did"] for x in journal if x["subject"] == f"belief:{b}"]
        for b in (followed, broken, deprecated, unproved)
    }
    assert by_rule[followed][0] == "re-validated"
    assert by_rule[broken][0] == "spoken against"
    assert "reinforced → challenged" in by_rule[broken]
    assert by_rule[deprecated] == ["deprecated → archived"]
    assert by_rule[unproved] == ["proposed → archived"]
    assert all(x["why"] and x["text"] for x in journal if x["subject"].startswith(("belief:", "memory:")))

    again = dreams.dream(ctx, "default")
    assert (again["state"], again["changes"], again["journal"]) == ("done", 0, [])


def test_each_tenant_dreams_in_the_night_of_its_own_zone(ctx: Context, clock: Clock) -> None:
    with ctx.db.tenant("saigon") as session:
        ensure_tenant(session, "saigon")
        session.get_one(TenantRow, "saigon").time_zone = "Asia/Ho_Chi_Minh"
    clock.to_hour(20)  # 03:05 of the next day there, evening here
    dreaming.dream_due(ctx.runtime)
    with ctx.db.tenant("saigon") as session:
        there = runs.last(session, "saigon")
    assert there is not None
    assert there.slot == (clock.now() + DAY).date().isoformat()
    clock.to_hour(2)
    assert dreaming.due_slot(ctx.runtime, "default") == ""
    clock.to_hour(3)
    assert dreaming.due_slot(ctx.runtime, "default") == clock.now().date().isoformat()


def test_the_nightly_dream_can_be_switched_off(ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    clock.to_hour(4)
    app = Celery("dream-test")
    pipeline.register(app)
    off = ctx.settings.model_copy(update={"enable_dream_cycle": False})
    for settings, dreamt in ((off, 0), (ctx.settings, 1)):
        monkeypatch.setattr(pipeline, "open_runtime", lambda _, s=settings: replace(ctx.runtime, settings=s))
        sent: list[tuple[str, tuple[str, ...]]] = []
        monkeypatch.setattr(app, "send_task", lambda name, args=(), to=sent: to.append((name, tuple(args))))
        assert app.tasks["bio.dream_look"]() == dreamt
    monkeypatch.setattr(dreaming, "SLICE_S", 0.0)
    slices = 0
    while sent[-1][0] == "bio.dream" and slices < 50:
        name, args = sent.pop()
        app.tasks[name](*args)
        slices += 1
        if sent[-1][0] == "bio.dream":
            assert app.tasks["bio.dream_look"]() == 0, "it is under way between two slices, and is not sent twice"
    assert slices >= len(dreaming.STEPS), "each page gives way to what waits behind it"
    assert sent == [("bio.dream_look", ())]
    assert dreams.last(ctx, "default")["state"] == "done"
    assert app.tasks["bio.dream_look"]() == 0, "once a night, however many beats look"


def test_few_dreams_run_at_once_and_the_longest_undreamt_comes_first(ctx: Context, clock: Clock) -> None:
    for name in ("a", "b", "c"):
        with ctx.db.tenant(name) as session:
            ensure_tenant(session, name)
    clock.to_hour(4)
    tonight = clock.now().date().isoformat()
    dreaming.dream(ctx.runtime, "a", "request-1")
    assert [t for t, _ in dreaming.due(ctx.runtime)] == ["b", "c"]
    for name in ("b", "c", "default"):
        dreaming.dream(ctx.runtime, name, tonight, slice_s=0.0 if name == "b" else None)
    assert dreaming.due(ctx.runtime) == [("a", tonight)], "b is under way, and counts"
