"""What holds a dream back: the allowance of a night and the question to a person, blackout windows."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlmodel import Session

from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import Conflict, Context
from bio_agent_schema.tables import TenantRow
from bio_agent_workers import dreaming
from bio_agent_workers.dreaming import runs
from bio_agent_workers.dreaming.base import Batch, Night, Step
from tests.services.dreams import DAY, Clock, did, keep, memory, rows
from tests.services.owner import PERSON

pytestmark = pytest.mark.services


# ----------------------------------------------------------------------------------------------------- bound and person


def test_beyond_the_nights_allowance_it_asks_a_person(ctx: Context, clock: Clock, http: TestClient) -> None:
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(60)))
    before = rows(ctx, "select count(*) from bio.memories where tenant = :t")[0][0]
    asked = http.post("/api/dream").json()
    assert (asked["state"], asked["changes"]) == ("asking", runs.CHANGE_FLOOR)
    assert "apply_retention" not in asked["steps"]
    question = rows(ctx, "select question from bio.reviews where tenant = :t and kind = 'dream' and state = 'open'")
    assert len(question) == 1
    assert "at least 10 more" in question[0][0]
    again = http.post("/api/dream")
    assert again.status_code == 409
    assert "waits for a person" in again.json()["detail"]
    assert http.post("/api/dream/continue").status_code in (401, 403)
    went_on = http.post("/api/dream/continue", headers=PERSON, json={"why": "old crates"}).json()
    assert (went_on["state"], went_on["changes"]) == ("done", 60)
    assert rows(ctx, "select count(*) from bio.memories where tenant = :t")[0][0] == before
    assert rows(ctx, "select count(*) from bio.memories where tenant = :t and state = 'cold'")[0][0] == 60
    assert not rows(ctx, "select 1 from bio.reviews where tenant = :t and kind = 'dream' and state = 'open'")
    assert http.post("/api/dream/continue", headers=PERSON).status_code == 409


def test_a_person_can_stop_it_and_asking_again_the_same_night_changes_nothing(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(60)))
    assert dreams.dream(ctx, "default")["state"] == "asking"
    with ctx.db.tenant("default") as session:
        stopped = runs.decide(session, "default", go_on=False, actor="person:test")
    assert stopped is not None
    assert stopped.state == "stopped"
    with pytest.raises(Conflict, match="stopped"):
        dreams.dream(ctx, "default")
    assert (
        rows(ctx, "select count(*) from bio.memories where tenant = :t and state = 'cold'")[0][0] == runs.CHANGE_FLOOR
    )
    clock.forward(DAY)
    assert dreams.dream(ctx, "default")["changes"] == 10


def test_many_requests_of_one_night_share_one_allowance(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(40)))
    assert dreams.dream(ctx, "default")["changes"] == 40
    keep(ctx, *(memory(f"On day {n} truck number {n * 7907} left early.", old, kind="episodic") for n in range(40)))
    second = dreams.dream(ctx, "default")
    assert (second["state"], second["changes"]) == ("asking", 10)


# ------------------------------------------------------------------------------------------------------------ blackouts


def test_in_a_blackout_no_dream_starts(ctx: Context, clock: Clock, http: TestClient) -> None:
    clock.to_hour(4)
    refused = http.post("/api/dream/times", headers=PERSON, json={"blackouts": [{"form": "08:00"}]})
    assert refused.status_code == 400
    assert "no field 'form'" in refused.json()["detail"]
    assert http.post("/api/dream/times", json={"blackouts": []}).status_code in (401, 403)
    window = {"from": "03:30", "to": "06:00"}
    http.post("/api/dream/times", headers=PERSON, json={"blackouts": [window], "time_zone": "UTC"}).raise_for_status()
    state = http.get("/api/state").json()["dream"]
    assert state["blackouts"] == [window]
    assert state["blackout_until"].startswith(clock.now().date().isoformat() + "T06:00")
    answer = http.post("/api/dream")
    assert answer.status_code == 409
    assert "does not dream until" in answer.json()["detail"]
    assert dreaming.dream_due(ctx.runtime) == 0
    clock.to_hour(6)
    assert dreaming.dream_due(ctx.runtime) == 1


def test_a_dream_that_a_blackout_meets_rests_and_goes_on_after_it(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, memory("The crates came late.", old, kind="episodic"))
    tonight = clock.now().date().isoformat()

    def close(session: Session, night: Night, loaded: object, allowed: int) -> Batch:
        session.get_one(TenantRow, "default").blackouts = [{"from": "04:00", "to": "08:00"}]
        return Batch([])

    closing = Step("closing", "a window begins", lambda *_: None, close)
    rested = dreaming.dream(ctx.runtime, "default", tonight, [closing, dreaming.STEPS["apply_retention"]])
    assert (rested["state"], rested["steps"]) == ("running", ["closing"])
    assert dreaming.due_slot(ctx.runtime, "default") == ""
    clock.to_hour(8)
    assert dreaming.dream_due(ctx.runtime) == 1
    assert "apply_retention: cooled" in did(dreams.last(ctx, "default", tonight))
