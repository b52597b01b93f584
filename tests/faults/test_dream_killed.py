"""kill −9 of the dreamer in every step: before the step decides, inside its transaction, and after it; the dream goes on
where it stood and comes to what an undisturbed one comes to."""

from __future__ import annotations

import signal
from datetime import timedelta
from typing import Any

import pytest

from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import Conflict, Context
from bio_agent_schema import graph
from bio_agent_schema.graph import Edge
from bio_agent_workers import dreaming
from bio_agent_workers.dreaming.runs import LEASE
from tests.faults import dreamer
from tests.faults.helpers import Admin, invariants
from tests.services.dreams import DAY, Clock, believe, keep, memory, observe, pair_rule, ran, release

pytestmark = pytest.mark.faults

POINTS = ("saving", "loaded", "saving", "saved")  # inside the transaction, before it, after it


@pytest.fixture
def clock(ctx: Context, urls: dict[str, str]) -> Clock:
    return Clock(ctx, urls["ADMIN_URL"])


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    """What the same seed comes to when nothing is killed; filled by the first test."""
    return {}


def seed(ctx: Context, clock: Clock) -> None:
    """Something to do for every step."""
    for day in range(3):
        observe(ctx, clock, f"release-{day}", *release(day))
    now = clock.now()
    pair_rule(ctx, "npm test", "npm run test:unit", now - 2 * DAY)
    observe(ctx, clock, "tests", ran("npm run test:unit", said="41 passed"))
    believe(ctx, "Restart the queue by hand.", now - 31 * DAY, state="deprecated")
    strong = believe(ctx, "Always rebase before you merge.", now - DAY, support=6)
    weak = believe(ctx, "Never rebase before you merge.", now - DAY, support=2)
    keep(ctx, memory("The invoice printer of the warehouse is on the second floor.", now - DAY),
         memory("The warehouse's invoice printer is on the second floor.", now - DAY))  # fmt: skip
    keep(
        ctx,
        *(memory(f"On day {n} crate number {n * 7919} was late.", now - 120 * DAY, kind="episodic") for n in range(5)),
    )
    topics = ("oven", "van", "till", "baker")
    keep(ctx, *(
        memory(f"Point {n}: the {topics[n % 4]} is to be looked at again next week.", now, kind="episodic", thread="t", position=n)
        for n in range(13)
    ))  # fmt: skip
    with ctx.db.tenant("default") as session:
        a, b = sorted((f"belief:{strong}", f"belief:{weak}"))
        graph.add(session, "default", [Edge(a, "conflicts_with", b), Edge("memory:gone", "mentions", "entity:oven")])


def outcome(admin: Admin) -> dict[str, Any]:
    return {
        "memories": [tuple(r) for r in admin.rows(
            "select kind, type, content, state, confirmations, superseded_by is null from bio.memories order by 1, 2, 3, 4")],
        "beliefs": [tuple(r) for r in admin.rows(
            "select content, state, support_count, round(confidence::numeric, 6) from bio.beliefs order by content")],
        "edges": admin.one("select count(*) from bio.edges"),
        "reviews": [tuple(r) for r in admin.rows("select kind, state from bio.reviews order by 1, 2")],
        "journal": [(part["step"], sorted(x["did"] for x in part["did"])) for part in admin.one(
            "select journal from bio.dream_runs where state = 'done' order by started_at desc limit 1")],
        "changed": admin.one("select changed from bio.dream_runs where state = 'done' order by started_at desc limit 1"),
    }  # fmt: skip


def test_undisturbed_the_dream_has_something_to_do_in_every_step(
    ctx: Context, urls: dict[str, str], clock: Clock, undisturbed: dict[str, Any]
) -> None:
    seed(ctx, clock)
    assert dreaming.dream(ctx.runtime, "default", "night")["state"] == "done"
    admin = Admin(urls["ADMIN_URL"])
    undisturbed |= outcome(admin)
    admin.close()
    idle = [step for step, did in undisturbed["journal"] if not did]
    assert idle == []
    assert [step for step, _ in undisturbed["journal"]] == list(dreaming.STEPS)


def test_killed_in_every_step_it_goes_on_where_it_stood(
    ctx: Context, urls: dict[str, str], clock: Clock, undisturbed: dict[str, Any]
) -> None:
    seed(ctx, clock)
    for number, step in enumerate(dreaming.STEPS):
        point = f"dream:{step}:{POINTS[number % len(POINTS)]}"
        assert dreamer.run(urls, "night", BIO_FAULT=point) == -signal.SIGKILL, f"not killed at {point}"
        if number == 0:  # the place of a dead dreamer is kept for the time of a lease, for whoever asks
            with pytest.raises(Conflict, match="running"):
                dreams.dream(ctx, "default")
        clock.forward(LEASE + timedelta(seconds=1))
    assert dreamer.run(urls, "night") == 0
    admin = Admin(urls["ADMIN_URL"])
    invariants(admin)
    assert admin.one("select fence from bio.dream_runs") == len(dreaming.STEPS) + 1
    if undisturbed:
        assert outcome(admin) == undisturbed
    admin.close()
    clock.forward(timedelta(minutes=1))
    assert dreams.dream(ctx, "default")["journal"] == []
