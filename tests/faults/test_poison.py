"""A stage that always fails on one episode: the batch is cut down to it, it is buried, its neighbours are considered."""

from __future__ import annotations

import base64
import random
from dataclasses import replace
from typing import Any

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.service import learning, reading
from bio_agent_ops.service.context import Context
from bio_agent_schema.cycles import request_sleep
from bio_agent_workers import pipeline
from bio_agent_workers.intake import Intake
from bio_agent_workers.runner import Runtime, Stage
from tests.faults.helpers import Admin, invariants

pytestmark = pytest.mark.faults

MARK = "zanzibar-marker"
POISON = "n6"
SUBJECTS = (
    "the invoice printer in room four ran out of toner", "deploy of checkout took nine minutes", "disk sda at 61 percent",
    "certificate of mail renewed until May", "two carts were left without a customer", "vacuum of orders finished",
    "quarterly totals sent to accounting", "login page measured at 380 ms", "warehouse scanner firmware is 2.4.1",
    "search index rebuilt over night", "three reviews wait for moderation", "exchange rates fetched from the bank",
    "thumbnail queue is empty", "backup copied to the second site", "new supplier Orion added", "holiday calendar imported",
)  # fmt: skip


def store(ctx: Context, observations: list[dict[str, Any]]) -> None:
    for obs in observations:
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
    intake = Intake(ctx.db, ctx.redis, ctx.settings)
    while ctx.redis.xlen("bio:obs:default"):
        intake.run_once(block_ms=10)
    intake.release()
    ask(ctx)


def ask(ctx: Context) -> None:
    with ctx.db.tenant("default") as session:
        request_sleep(session, "default")


def sixteen() -> list[dict[str, Any]]:
    said = [
        {"id": f"n{n}", "kind": "user", "content": f"Please remember that {s}.", "session": "s"}
        for n, s in enumerate(SUBJECTS)
    ]
    for row in said:
        if row["id"] == POISON:
            row["content"] = f"Please remember that {MARK} stands in the cellar."
    return said


def breaking(stage: Stage, where: str) -> Stage:
    """The stage with one of its parts raising when the poison is in the batch, after it has done its work."""

    def load(session: Any, cycle: Any, rt: Runtime) -> Any:
        loaded = stage.load(session, cycle, rt)
        _raise(cycle)
        return loaded

    def think(loaded: Any, cycle: Any, rt: Runtime) -> Any:
        thought = stage.think(loaded, cycle, rt)
        _raise(cycle)
        return thought

    def save(session: Any, cycle: Any, outcome: Any, rt: Runtime) -> Any:
        saved = stage.save(session, cycle, outcome, rt)
        session.flush()
        _raise(cycle)
        return saved

    parts: dict[str, Any] = {"load": load, "think": think, "save": save}
    return replace(stage, **{where: parts[where]})


def _raise(cycle: Any) -> None:
    if POISON in cycle.episode_ids:
        raise RuntimeError("it breaks on this one")


@pytest.mark.parametrize(
    "name, where",
    [("label", "load"), ("compile", "think"), ("canonicalize", "save"), ("promote", "save"), ("reconcile", "save")],
)
def test_poison_is_buried_alone_and_can_be_put_back(
    name: str, where: str, ctx: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = Admin(urls["ADMIN_URL"])
    store(ctx, sixteen())
    assert admin.one("select count(*) from bio.episodes where state = 'open'") == 16
    whole = pipeline.STAGES
    monkeypatch.setattr(pipeline, "STAGES", tuple(breaking(s, where) if s.name == name else s for s in whole))
    pipeline.run_due(ctx.runtime)
    assert [r[0] for r in admin.rows("select id from bio.episodes where state = 'dead'")] == [POISON]
    assert admin.one("select count(*) from bio.episodes where state in ('considered', 'junk')") == 15
    invariants(admin)
    (letter,) = reading.dead_letters(ctx, "default")
    assert (letter["subject"], letter["stage"], letter["kind"]) == (POISON, name, "episode")
    assert 1 <= letter["attempts"] <= 5
    assert "RuntimeError: it breaks on this one" in letter["cause"]
    assert admin.one("select count(*) from bio.audit where act = 'bisected'") == 4  # 16 → 8 → 4 → 2 → 1
    # What an earlier stage saved stands; of the stage that failed nothing is left.
    kept = 1 if name == "reconcile" else 0
    sources = "select count(*) from bio.memory_sources where episode_id = :i"
    assert admin.one(sources, i=POISON) == kept, "a partial effect"
    monkeypatch.setattr(pipeline, "STAGES", whole)
    learning.redrive(ctx, "default", letter["id"])
    pipeline.run_due(ctx.runtime)
    assert admin.one("select state from bio.episodes where id = :i", i=POISON) == "considered"
    assert admin.one(sources, i=POISON) == 1, "put back and remembered once"
    invariants(admin)
    admin.close()


def test_an_error_that_the_database_will_always_make_is_poison_and_not_an_outage(
    ctx: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drivers report "row too large for its index" in the same class as "server is gone"; only one of the two passes."""
    admin = Admin(urls["ADMIN_URL"])
    store(ctx, sixteen())
    too_long = base64.b64encode(random.Random(1).randbytes(6000)).decode()
    promote = next(s for s in pipeline.STAGES if s.name == "promote")

    def save(session: Any, cycle: Any, outcome: Any, rt: Runtime) -> Any:
        saved = promote.save(session, cycle, outcome, rt)
        if POISON in cycle.episode_ids:
            from sqlalchemy import text

            session.execute(
                text("update bio.memories set workspace = :w where tenant = :t"), {"w": too_long, "t": cycle.tenant}
            )
        return saved

    table = tuple(replace(s, save=save) if s.name == "promote" else s for s in pipeline.STAGES)
    monkeypatch.setattr(pipeline, "STAGES", table)
    pipeline.run_due(ctx.runtime)
    assert [r[0] for r in admin.rows("select id from bio.episodes where state = 'dead'")] == [POISON]
    assert admin.one("select count(*) from bio.audit where act = 'put_off'") == 0
    invariants(admin)
    admin.close()


def test_a_command_line_too_long_for_an_index_is_learned_like_any_other(ctx: Context, urls: dict[str, str]) -> None:
    admin = Admin(urls["ADMIN_URL"])
    r = random.Random(2)
    files = " ".join("".join(r.choices("bcdfghklmnprstvw", k=9)) + ".csv" for _ in range(600))
    rows: list[dict[str, Any]] = [
        {"id": "f1", "command": f"uploader push {files}", "content": "E42: bucket is locked", "exit_code": 1},
        {"id": "f2", "command": f"uploader push --unlock {files}", "content": "sent", "exit_code": 0},
    ]
    store(ctx, [
        {"id": x["id"], "kind": "tool", "tool": "Bash", "tool_input": {"command": x["command"]}, "content": x["content"],
         "exit_code": x["exit_code"], "session": "s"} for x in rows
    ])  # fmt: skip
    pipeline.run_due(ctx.runtime)
    states = {r[0]: r[1] for r in admin.rows("select id, state from bio.episodes")}
    assert states == {"f1": "considered", "f2": "considered"}
    assert [r[0] for r in admin.rows("select count(*) from bio.evidence group by belief_id")] == [2]
    invariants(admin)
    admin.close()


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), KeyError("missing")])
def test_an_observation_that_breaks_intake_is_buried_and_its_neighbours_are_stored(
    error: Exception, ctx: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bio_agent_workers import arrivals as module

    real = module.__dict__["perceive"]

    def breaks(obs: Any, *rest: Any) -> Any:
        if obs.id == POISON:
            raise error
        return real(obs, *rest)

    monkeypatch.setattr(module, "perceive", breaks)
    admin = Admin(urls["ADMIN_URL"])
    store(ctx, sixteen())
    assert {r[0] for r in admin.rows("select id from bio.episodes")} == {f"n{n}" for n in range(16)} - {POISON}
    (letter,) = reading.dead_letters(ctx, "default")
    assert (letter["kind"], letter["stage"]) == ("entry", "intake")
    assert type(error).__name__ in letter["cause"]
    admin.close()


def test_names_too_long_for_an_index_do_not_stop_the_stream(ctx: Context, urls: dict[str, str]) -> None:
    """A workspace and a failing command in four-byte letters make a key that no index page holds."""
    r = random.Random(3)

    def noise(n: int) -> str:
        return "".join(chr(r.randrange(0x20000, 0x2A000)) for _ in range(n))

    admin = Admin(urls["ADMIN_URL"])
    hostile = {
        "id": "hostile", "kind": "tool", "tool": "Bash", "tool_input": {"command": f"run {noise(900)}"},
        "content": "E1: no", "exit_code": 1, "workspace": noise(250), "agent": noise(250), "session": noise(250),
    }  # fmt: skip
    rows = sixteen()
    store(ctx, [*rows[:8], hostile, *rows[8:]])
    assert {f"n{n}" for n in range(16)} <= {r[0] for r in admin.rows("select id from bio.episodes")}
    letters = {x["kind"] for x in reading.dead_letters(ctx, "default")}
    stored = admin.one("select count(*) from bio.episodes where id = 'hostile'")
    assert stored == 1 or letters == {"entry"}, "neither stored nor buried"
    admin.close()
