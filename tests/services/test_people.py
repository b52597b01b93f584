"""What people read of rules: the past as it was believed, what waits for a re-check, disputes, ids and state."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs, graph
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import BeliefRow, EvidenceRow
from tests.services.owner import PERSON
from tests.services.people import STOOD, act, block, clock, learned, made, propose, recalled, refused, rule, say, shown

pytestmark = pytest.mark.services


def test_what_was_believed_then(ctx: Context, http: TestClient) -> None:
    never = clock(ctx)
    b = rule(http)["id"]
    first = clock(ctx)
    told, stood = block(http), shown(http, b)
    x = propose(http, b)["id"]
    act(http, b, "edit", content="Never run git push to release.")
    made(http.post(f"/api/exceptions/{x}/approve", json={}, headers=PERSON))
    second = clock(ctx)
    act(http, b, "deprecate")
    assert made(http.get("/api/beliefs", params={"at": never})) == []
    refused(http.get(f"/api/beliefs/{b}", params={"at": never}), 404, "did not exist")
    assert block(http, at=never) == ""
    at_first = shown(http, b, at=first)
    assert {k: at_first[k] for k in STOOD} == {k: stood[k] for k in STOOD}
    assert (at_first["exceptions"], len(at_first["history"])) == ([], 1)
    assert block(http, at=first) == told
    (at_second,) = made(http.get("/api/beliefs", params={"at": second, "state": "stable", "scope": "workspace:shop"}))
    assert (at_second["content"], at_second["state"]) == ("Never run git push to release.", "stable")
    assert [e["standing"] for e in shown(http, b, at=second)["exceptions"]] == ["in_force"]
    assert "release" in block(http, at=second)
    assert "Hotfixes" in block(http, at=second)
    assert block(http) == ""
    assert made(http.get("/api/beliefs", params={"at": second, "state": "deprecated"})) == []
    assert made(http.get(f"/api/beliefs?at={second}"))[0]["id"] == b, "a plus that was not escaped"


def test_learning_leaves_its_past_too(ctx: Context, http: TestClient) -> None:
    b = learned(ctx, http)
    then = clock(ctx)
    made(http.get("/api/persona", params={"workspace": "shop", "session": "s7"}))
    made(http.post("/api/feedback", json={"rule_id": b["id"], "outcome": "hurt", "session": "s7"}))
    assert shown(http, b["id"])["confidence"] < b["confidence"]
    assert shown(http, b["id"], at=then)["confidence"] == b["confidence"]


@pytest.mark.parametrize(
    ("status", "at", "saying"),
    [(400, "yesterday", "RFC 3339"), (400, "2026-01-01T00:00:00", "offset"), (422, "9999-12-31T23:59:59-14:00", "year"),
     (422, "9000-01-01T00:00:00Z", "ahead"), (422, "0001-01-01T00:00:00+14:00", "year")],
)  # fmt: skip
def test_times_that_cannot_be_read(http: TestClient, status: int, at: str, saying: str) -> None:
    b = rule(http)["id"]
    for path in ("/api/beliefs", f"/api/beliefs/{b}", "/api/persona"):
        refused(http.get(path, params={"at": at}), status, saying)


# -- the cascade -------------------------------------------------------------------------------------------------------


def derive(ctx: Context, source: str, *targets: str) -> None:
    with ctx.db.tenant("default") as session:
        graph.add(session, "default", [Edge(f"belief:{source}", "derived_from", f"belief:{t}") for t in targets])


@pytest.mark.parametrize("what", ["reject", "deprecate", "quarantine", "undo"])
def test_what_was_derived_from_a_fallen_rule_waits(ctx: Context, http: TestClient, what: str) -> None:
    ground, child, grandchild, other = (
        rule(http, f"Never use {name} in the build.")["id"] for name in ("alpha", "bravo", "charlie", "delta")
    )
    derive(ctx, child, ground)
    derive(ctx, grandchild, child, other)
    act(http, ground, what)
    assert [(d["node"], d["recheck"]) for d in shown(http, ground)["derived"]] == [
        (f"belief:{i}", True) for i in sorted((child, grandchild))
    ]
    assert shown(http, child)["recheck"]
    assert shown(http, child)["derived_from"] == [f"belief:{ground}"]
    assert made(http.get("/api/status"))["beliefs"]["to_recheck"] == 2
    told = block(http)
    assert ("bravo" in told, "charlie" in told, "delta" in told) == (False, False, True)
    act(http, child, "recheck", why="holds by itself")
    assert "bravo" in block(http)
    assert "charlie" in block(http), "what rests on it is free again"
    refused(http.post(f"/api/beliefs/{child}/recheck", json={}, headers=PERSON), 409, "no re-check")


def test_what_rests_on_two_waits_for_both(ctx: Context, http: TestClient) -> None:
    one, two, child = (rule(http, f"Never use {name} in the build.")["id"] for name in ("alpha", "bravo", "charlie"))
    derive(ctx, child, one, two)
    derive(ctx, one, child)  # a ring ends
    for b in (one, two):
        act(http, b, "deprecate")
    act(http, one, "undo")
    assert shown(http, child)["recheck"]
    act(http, two, "undo")
    assert not shown(http, child)["recheck"]


@pytest.mark.parametrize(("trust", "waits"), [("agent", False), ("untrusted", True)])
def test_later_support_is_a_recheck(ctx: Context, http: TestClient, trust: str, waits: bool) -> None:
    ground, child = (rule(http, f"Never use {name} in the build.")["id"] for name in ("alpha", "bravo"))
    derive(ctx, child, ground)
    act(http, ground, "reject")
    with ctx.db.tenant("default") as session:
        row = EvidenceRow(tenant="default", belief_id=child, episode_id="e9", trust=trust, at=beliefs.now(session))
        assert beliefs.add_evidence(session, [row, row]) == 1
    assert shown(http, child)["recheck"] is waits


def test_a_memory_of_a_fallen_rule_is_silent_until_a_person_says_so(ctx: Context, http: TestClient) -> None:
    say(ctx, http, "From now on never deploy the billing service on Fridays.", "d1")
    b = made(http.get("/api/beliefs"))[0]["id"]
    act(http, b, "reject")
    assert not any("billing" in c for c in recalled(http, "deploy billing Fridays"))
    (memory,) = [d["node"].removeprefix("memory:") for d in shown(http, b)["derived"]]
    assert made(http.get("/api/status"))["memories"]["to_recheck"] == 1
    assert http.post(f"/api/memories/{memory}/recheck", json={}).status_code == 403
    made(http.post(f"/api/memories/{memory}/recheck", json={"why": "as a fact"}, headers=PERSON))
    assert any("billing" in c for c in recalled(http, "deploy billing Fridays"))
    refused(http.post(f"/api/memories/{memory}/recheck", json={}, headers=PERSON), 409, "no re-check")
    refused(http.post("/api/memories/unknown/recheck", json={}, headers=PERSON), 404, "no memory")


def test_the_owner_ends_a_dispute_by_saying_it_again(ctx: Context, http: TestClient) -> None:
    say(ctx, http, "From now on never deploy the billing service on Fridays.", "d1")
    b = made(http.get("/api/beliefs"))[0]["id"]
    with ctx.db.tenant("default") as session:
        row = session.get_one(BeliefRow, ("default", b))
        beliefs.move(session, row, "challenged", cause="contradicted")
    assert shown(http, b)["disputed"]
    say(ctx, http, "From now on never deploy the billing service on Fridays.", "d2", session="s2")
    now = shown(http, b)
    assert (now["state"], now["disputed"]) == ("reinforced", False)


# -- reading -----------------------------------------------------------------------------------------------------------


def test_a_belief_by_the_beginning_of_its_id(ctx: Context, http: TestClient) -> None:
    b = rule(http)["id"]
    assert shown(http, b[:8])["id"] == b
    assert shown(http, b[:13].upper())["id"] == b
    assert act(http, b[:14], "pin")["id"] == b
    refused(http.get(f"/api/beliefs/{b[:7]}"), 404, "no belief")
    assert shown(http, b[-8:])["id"] == b, "the end tells best: what was made within a minute begins alike"
    refused(http.get("/api/beliefs/ffffffff"), 404, "no belief")
    refused(http.get("/api/beliefs/________"), 404, "no belief")
    with ctx.db.tenant("default") as session:
        twin = session.get_one(BeliefRow, ("default", b)).model_dump(exclude={"id", "canonical_key"})
        session.add(BeliefRow(**twin, id=f"{b[:-1]}{'0' if b[-1] != '0' else '1'}", canonical_key="other"))
    refused(http.get(f"/api/beliefs/{b[:8]}"), 409, f"{b} “Never run git push to main.”")
    refused(http.post(f"/api/beliefs/{b[:8]}/reject", json={}, headers=PERSON), 409, "more than one")
    assert shown(http, b)["id"] == b


def test_the_tag_of_beliefs_covers_what_is_shown(http: TestClient) -> None:
    b = rule(http)["id"]
    for path in ("/api/beliefs", f"/api/beliefs/{b}"):
        tag = http.get(path).headers["etag"]
        assert http.get(path, headers={"If-None-Match": tag}).status_code == 304
        made(http.post("/api/feedback", json={"rule_id": b, "outcome": "helped", "session": path}, headers=PERSON))
        fresh = http.get(path, headers={"If-None-Match": tag})
        assert (fresh.status_code, fresh.headers["etag"] != tag) == (200, True)


def test_state_shows_stress_weights_gain_and_the_five_factors(ctx: Context, http: TestClient) -> None:
    failed = {"kind": "tool", "tool": "Bash", "tool_input": {"command": "make"}, "exit_code": 2, "content": "Error: no rule",
              "workspace": "shop", "session": "s1"}  # fmt: skip
    made(http.post("/api/ingest", json=failed))
    from bio_agent_workers.intake import Intake

    reader = Intake(ctx.db, ctx.redis, ctx.settings)
    reader.run_once(block_ms=20)
    reader.release()
    (scope,) = made(http.get("/api/state"))["scopes"]
    five = {"severity", "unresolved", "recency", "novelty", "task_relevance"}
    assert set(scope["weights"]) == five
    assert sum(scope["weights"].values()) == pytest.approx(1, abs=1e-3)
    assert scope["stress"]["s"] > 0
    assert scope["gain"] == pytest.approx(1 + scope["stress"]["s"], abs=1e-3)
    (episode,) = scope["open_episodes"]
    assert set(episode["factors"]) == five
    assert episode["factors"]["unresolved"] == 1
    assert 0 < episode["attention"] <= 1
