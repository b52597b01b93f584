"""kill −9 of the worker inside each stage, and of intake between commit and acknowledgement."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops import data
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema.cycles import request_sleep
from tests.faults.helpers import Admin, beat, intake, invariants, until, worker

pytestmark = pytest.mark.faults

RESUMED_S = 30  # by another worker, whatever happened to the first


def some() -> list[dict[str, object]]:
    """A stretch of the recorded session with two failures, their fixes and a directive."""
    return data.load()[6:40]


def send(url: str, observations: list[dict[str, object]]) -> None:
    client = redis.Redis.from_url(url)
    for obs in observations:
        client.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})


def outcome(admin: Admin) -> tuple[list[str], list[str]]:
    beliefs = [r[0] for r in admin.rows("select content || ' ' || state from bio.beliefs order by content")]
    return beliefs, [r[0] for r in admin.rows("select content from bio.memories order by content")]


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, tuple[list[str], list[str]]]:
    """What the same observations come to when nothing is killed; filled by the first test that needs it."""
    return {}


def expected(ctx: Context, admin: Admin, kept: dict[str, tuple[list[str], list[str]]]) -> tuple[list[str], list[str]]:
    send(ctx.settings.redis_url, some())
    slept = learning.sleep(ctx, "default", inline=True)
    assert slept["pending"] == 0
    kept["it"] = outcome(admin)
    return kept["it"]


def test_undisturbed_run_is_the_measure(
    ctx: Context, urls: dict[str, str], undisturbed: dict[str, tuple[list[str], list[str]]]
) -> None:
    admin = Admin(urls["ADMIN_URL"])
    beliefs, memories = expected(ctx, admin, undisturbed)
    invariants(admin)
    admin.close()
    assert beliefs
    assert memories


@pytest.mark.parametrize(
    "point",
    [
        "label:thought",
        "label:stored",
        "compile:stored",
        "canonicalize:before",
        "promote:thought",
        "reconcile:thought",
        "promote:saved",
    ],
)
def test_worker_killed_inside_a_stage(
    point: str, ctx: Context, urls: dict[str, str], tmp_path: Path, undisturbed: dict[str, tuple[list[str], list[str]]]
) -> None:
    admin = Admin(urls["ADMIN_URL"])
    send(urls["REDIS_URL"], some())
    reader = intake(urls, tmp_path / "intake.log").start()
    until(lambda: redis.Redis.from_url(urls["REDIS_URL"]).xlen("bio:obs:default") == 0, 20, "intake")
    reader.kill()
    with ctx.db.tenant("default") as session:
        request_sleep(session, "default")
    doomed = worker(urls, tmp_path / "doomed.log", BIO_FAULT=point, BIO_FAULT_ONCE=str(tmp_path / "once")).start()
    ticking = beat(urls, tmp_path).start()
    try:
        until(lambda: doomed.ended() is not None, 30, f"the worker did not die at {point}")
        healthy = worker(urls, tmp_path / "healthy.log").start()
        try:

            def finished() -> bool:
                with ctx.db.tenant("default") as session:
                    request_sleep(session, "default")
                return admin.one("select count(*) from bio.episodes where state in ('open', 'waiting', 'claimed')") == 0

            # Two more seconds than promised for a worker that starts only now.
            until(finished, RESUMED_S + 12, "resumed")
        finally:
            healthy.kill()
    finally:
        ticking.kill()
        doomed.kill()
    invariants(admin)
    assert admin.one("select count(*) from bio.audit where act = 'taken_up'") >= 1
    if undisturbed and not point.startswith(
        "label"
    ):  # a halved batch may be labelled, and so grouped, in another order
        assert outcome(admin)[0] == undisturbed["it"][0]
    admin.close()


def test_intake_killed_between_commit_and_acknowledgement(urls: dict[str, str], ctx: Context, tmp_path: Path) -> None:
    admin = Admin(urls["ADMIN_URL"])
    send(urls["REDIS_URL"], some())
    client = redis.Redis.from_url(urls["REDIS_URL"])
    doomed = intake(urls, tmp_path / "doomed.log", BIO_FAULT="intake:committed").start()
    until(lambda: doomed.ended() is not None, 20, "intake did not die")
    assert client.xlen("bio:obs:default") == len(some()), "nothing was acknowledged"
    healthy = intake(urls, tmp_path / "healthy.log").start()
    try:
        until(lambda: client.xlen("bio:obs:default") == 0, RESUMED_S, "taken over")
    finally:
        healthy.kill()
    assert admin.one("select count(*) from bio.episodes") == len(some())
    admin.close()
