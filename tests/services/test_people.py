"""What people do to rules: exceptions, undo, edits, directives through remember, readings of the past, the cascade."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_ops.auth import create_key
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs, graph
from bio_agent_schema.db import move_clock
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import BeliefRow, EvidenceRow
from tests.services.owner import PERSON

pytestmark = pytest.mark.services

PUSH = {"tool": "Bash", "tool_input": {"command": "git push origin main"}, "workspace": "shop"}


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer: Any, status: int, saying: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert saying in answer.json()["detail"]


def rule(http: TestClient, content: str = "Never run git push to main.") -> dict[str, Any]:
    found: dict[str, Any] = made(
        http.post("/api/beliefs", json={"content": content, "scope": "workspace:shop"}, headers=PERSON), 201
    )
    return found


def act(http: TestClient, belief: str, what: str, **body: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(http.post(f"/api/beliefs/{belief}/{what}", json=body, headers=PERSON))
    return found


def shown(http: TestClient, belief: str, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(http.get(f"/api/beliefs/{belief}", params=params))
    return found


def say(ctx: Context, http: TestClient, content: str, n: str = "", session: str = "s1") -> None:
    body = {"kind": "user", "content": content, "workspace": "shop", "session": session} | ({"id": n} if n else {})
    assert made(http.post("/api/ingest", json=body))["accepted"] == 1
    learning.sleep(ctx, "default", inline=True)


def verdict(http: TestClient, **given: Any) -> str:
    call = PUSH | {"tool_input": {"command": "git push origin main", **given}}
    return str(made(http.post("/api/check", json=call))["verdict"])


def block(http: TestClient, **params: Any) -> str:
    return str(made(http.get("/api/persona", params={"workspace": "shop", **params}))["block"])


def recalled(http: TestClient, query: str) -> list[str]:
    body = {"query": query, "workspace": "shop", "limit": 20}
    return [m["content"] for m in made(http.post("/api/recall", json=body))["memories"]]


def clock(ctx: Context) -> str:
    with ctx.db.tenant("default") as session:
        return beliefs.now(session).isoformat()


# -- governed exceptions -----------------------------------------------------------------------------------------------


def propose(http: TestClient, belief: str, **more: Any) -> dict[str, Any]:
    ask = {"belief_id": belief, "text": "Hotfixes may go to main.", "policy": "hotfix policy", **more}
    found: dict[str, Any] = made(http.post("/api/exceptions", json=ask), 201)
    return found


def test_an_exception_is_in_force_only_between_approval_and_revocation(http: TestClient) -> None:
    b = rule(http)["id"]
    x = propose(http, b, bounds={"max_timeout": 100})["id"]
    assert verdict(http, timeout=5) == "block", "proposed"
    for ruling in ("approve", "reject", "revoke"):
        assert http.post(f"/api/exceptions/{x}/{ruling}", json={}).status_code == 403, "no person"
    granted = made(http.post(f"/api/exceptions/{x}/approve", json={"why": "release day"}, headers=PERSON))
    assert (granted["state"], granted["standing"], granted["approved_by"]) == ("approved", "in_force", "owner")
    assert (verdict(http, timeout=5), verdict(http, timeout=101)) == ("allow", "block")
    assert "Hotfixes may go to main." in block(http)
    edges = {e["relation"] for e in made(http.get("/api/graph"))["edges"] if e["source"] == f"exception:{x}"}
    assert edges == {"governed_exception_for", "approved_by_policy"}
    refused(http.post(f"/api/exceptions/{x}/reject", json={}, headers=PERSON), 409, "approved")
    assert made(http.post(f"/api/exceptions/{x}/revoke", json={"why": "over"}, headers=PERSON))["state"] == "revoked"
    assert verdict(http, timeout=5) == "block"
    assert "Hotfixes" not in block(http)
    refused(http.post(f"/api/exceptions/{x}/approve", json={}, headers=PERSON), 409, "revoked")
    told = made(http.get("/api/audit", params={"subject": f"exception:{x}"}))["entries"]
    assert [(t["act"], t["actor"], t["data"]["why"]) for t in told] == [
        ("exception_added", "loopback", ""), ("exception_approved", "owner", "release day"), ("exception_revoked", "owner", "over"),
    ]  # fmt: skip
    refused(http.post("/api/exceptions/unknown/approve", json={}, headers=PERSON), 404, "no exception")
    assert http.post(f"/api/exceptions/{x}/explode", json={}, headers=PERSON).status_code == 400


def test_an_exception_begins_and_ends_by_the_clock_of_the_database(
    http: TestClient, ctx: Context, urls: dict[str, str]
) -> None:
    b = rule(http)["id"]
    now = clock(ctx)
    year = int(now[:4])
    x = propose(http, b, valid_from=f"{year + 1}-06-01T00:00:00Z", valid_to=f"{year + 2}-06-01T00:00:00Z")["id"]
    late = propose(http, b, expires_at=f"{year + 2}-06-01T00:00:00Z")["id"]
    made(http.post(f"/api/exceptions/{x}/approve", json={}, headers=PERSON))
    assert verdict(http) == "block", "not begun"

    def standings(**params: Any) -> dict[str, str]:
        return {e["id"]: e["standing"] for e in made(http.get("/api/exceptions", params=params))}

    assert standings() == {x: "not_begun", late: "proposed"}
    assert standings(state="proposed", belief_id=b) == {late: "proposed"}
    assert standings(state="in_force") == {}
    assert standings(limit=1, after=x) == {late: "proposed"}
    refused(http.get("/api/exceptions", params={"state": "open"}), 400, "not one of")
    move_clock(urls["ADMIN_URL"], "545 days")
    assert verdict(http) == "allow"
    assert "Hotfixes" in block(http)
    assert standings(state="in_force") == {x: "in_force"}
    move_clock(urls["ADMIN_URL"], "1100 days")
    assert verdict(http) == "block"
    assert "Hotfixes" not in block(http)
    assert set(standings(state="expired")) == {x, late}
    refused(http.post(f"/api/exceptions/{late}/approve", json={}, headers=PERSON), 409, "expired")


@pytest.mark.parametrize("name", ["valid_from", "valid_to", "expires_at"])
@pytest.mark.parametrize(
    "at",
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "9999-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"],
)
def test_times_at_the_calendars_end_are_refused_whole(http: TestClient, name: str, at: str) -> None:
    b = rule(http)["id"]
    ask = {"belief_id": b, "text": "Hotfixes may go to main.", name: at}
    refused(http.post("/api/exceptions", json=ask, headers=PERSON), 422, "the year must lie in")
    assert shown(http, b)["exceptions"] == []


@pytest.mark.parametrize(
    ("status", "more", "saying"),
    [
        (400, {"bounds": {"max_amount": "fifty"}}, "max_amount"),
        (400, {"bounds": {"target": {"a": 1}}}, "target"),
        (400, {"bounds": {" ": 1}}, "without a name"),
        (400, {"bounds": {"target": []}}, "target"),
        (400, {"bounds": {f"p{i}": 1 for i in range(40)}}, "at most"),
        (400, {"valid_from": "2026-01-01T00:00:00"}, "offset"),
        (422, {"valid_from": "2031-01-01T00:00:00Z", "expires_at": "2030-01-01T00:00:00Z"}, "before valid_from"),
        (400, {"valid_to": "2031-01-01T00:00:00Z", "expires_at": "2030-01-01T00:00:00Z"}, "valid_to"),
    ],
)
def test_exceptions_that_could_never_apply_are_refused(
    http: TestClient, status: int, more: dict[str, Any], saying: str
) -> None:
    ask = {"belief_id": rule(http)["id"], "text": "Hotfixes may go to main."}
    refused(http.post("/api/exceptions", json=ask | more, headers=PERSON), status, saying)


def test_an_act_on_the_rule_leaves_the_question_of_its_exception_open(http: TestClient) -> None:
    b = rule(http)["id"]
    x = propose(http, b)["id"]
    act(http, b, "pin")
    assert [r["kind"] for r in shown(http, b)["reviews"]] == ["exception"]
    made(http.post(f"/api/exceptions/{x}/reject", json={"why": "no"}, headers=PERSON))
    assert shown(http, b)["reviews"] == []
    assert verdict(http) == "block"


# -- undo --------------------------------------------------------------------------------------------------------------

STOOD = (
    "state",
    "layer",
    "content",
    "rendering",
    "confidence",
    "approved_by",
    "needs_person",
    "directive",
    "valid_to",
    "lang",
)


def learned(ctx: Context, http: TestClient) -> dict[str, Any]:
    """A rule that acts taught."""
    body = [
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm test"}, "exit_code": 1, "content": "Error: Cannot find module 'left-pad'",
         "workspace": "shop", "session": "s1", "id": "f1"},
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm ci"}, "exit_code": 0, "content": "added 200 packages",
         "workspace": "shop", "session": "s1", "id": "f2"},
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm test"}, "exit_code": 0, "content": "42 passing",
         "workspace": "shop", "session": "s1", "id": "f3"},
    ]  # fmt: skip
    made(http.post("/api/ingest", json=body))
    learning.sleep(ctx, "default", inline=True)
    found: dict[str, Any] = made(http.get("/api/beliefs"))[0]
    return found


@pytest.mark.parametrize("what", ["pin", "approve", "edit", "reject", "deprecate", "quarantine"])
def test_each_act_is_undone_to_what_stood_before(ctx: Context, http: TestClient, what: str) -> None:
    was = learned(ctx, http)
    before = block(http)
    body = {"content": "Install with npm ci before the tests."} if what == "edit" else {}
    changed = act(http, was["id"], what, **body)
    assert (changed["state"], changed["layer"]) != (was["state"], was["layer"])
    back = act(http, was["id"], "undo", why="a slip")
    assert {k: back[k] for k in STOOD} == {k: was[k] for k in STOOD}
    assert block(http) == before
    assert shown(http, was["id"])["acts"], "what acts taught is matched by its slots again"
    refused(http.post(f"/api/beliefs/{was['id']}/undo", json={}, headers=PERSON), 409, "nothing is left to undo")
    assert shown(http, was["id"])["state"] == was["state"], "the second undo changed nothing"
    last = shown(http, was["id"])["history"][-1]
    assert (last["act"], last["actor"], last["data"]["why"]) == ("person_undo", "owner", "a slip")


def test_what_is_approved_is_not_approved_again(ctx: Context, http: TestClient) -> None:
    b = learned(ctx, http)["id"]
    act(http, b, "approve", why="seen it")
    before = shown(http, b)["history"]
    refused(http.post(f"/api/beliefs/{b}/approve", json={}, headers=PERSON), 409, "core already, by owner")
    assert shown(http, b)["history"] == before
    act(http, b, "undo")
    assert act(http, b, "approve")["layer"] == "core"


def test_undo_goes_back_act_by_act(http: TestClient) -> None:
    b = rule(http)["id"]
    act(http, b, "edit", content="Never run git push to release.")
    act(http, b, "deprecate")
    assert act(http, b, "undo")["content"] == "Never run git push to release."
    third = act(http, b, "undo")
    assert (third["content"], third["state"], third["layer"]) == ("Never run git push to main.", "stable", "core")
    assert act(http, b, "undo")["state"] == "rejected", "what a person added is taken back whole"
    refused(http.post(f"/api/beliefs/{b}/undo", json={}, headers=PERSON), 409, "nothing is left")


def test_undoing_a_directive_rejects_it_and_brings_back_what_it_superseded(ctx: Context, http: TestClient) -> None:
    say(ctx, http, "From now on always use single quotes in TypeScript.", "d1")
    say(ctx, http, "From now on always use double quotes in TypeScript.", "d2", session="s2")
    old, new = sorted(made(http.get("/api/beliefs")), key=lambda b: b["created_at"])
    assert (old["state"], new["state"]) == ("deprecated", "reinforced")
    gone = act(http, new["id"], "undo")
    assert gone["state"] == "rejected"
    assert [b["id"] for b in gone["also"]] == [old["id"]]
    now = shown(http, old["id"])
    assert (now["state"], now["superseded_by"], now["valid_to"]) == ("reinforced", None, None)
    assert "single" in block(http)
    assert "double" not in block(http)


def test_undoing_the_fall_of_a_rule_takes_back_the_directive_that_caused_it(ctx: Context, http: TestClient) -> None:
    say(ctx, http, "From now on always use single quotes in TypeScript.", "d1")
    say(ctx, http, "From now on always use double quotes in TypeScript.", "d2", session="s2")
    old, new = sorted(made(http.get("/api/beliefs")), key=lambda b: b["created_at"])
    assert act(http, old["id"], "undo")["state"] == "reinforced"
    assert shown(http, new["id"])["state"] == "rejected"


def test_undo_opens_the_question_again_that_the_act_had_answered(ctx: Context, http: TestClient) -> None:
    with ctx.db.tenant("default") as session:
        session.execute(text("update bio.tenants set review_mode = true where tenant = 'default'"))
    b = learned(ctx, http)
    assert (b["state"], [r["kind"] for r in shown(http, b["id"])["reviews"]]) == ("proposed", ["approval"])
    act(http, b["id"], "approve")
    assert shown(http, b["id"])["reviews"] == []
    act(http, b["id"], "undo")
    assert [r["kind"] for r in shown(http, b["id"])["reviews"]] == ["approval"]


# -- edits -------------------------------------------------------------------------------------------------------------


def test_an_edit_is_found_by_its_new_words_only(ctx: Context, http: TestClient) -> None:
    say(ctx, http, "From now on never deploy the billing service on Fridays.", "d1")
    b = made(http.get("/api/beliefs"))[0]
    assert any("Friday" in c for c in recalled(http, "deploy billing service Fridays"))
    act(http, b["id"], "edit", content="Never restart the warehouse scanner during inventory.")
    assert recalled(http, "warehouse scanner inventory") == ["Never restart the warehouse scanner during inventory."]
    assert not any("Friday" in c for c in recalled(http, "deploy billing service Fridays"))
    with ctx.db.tenant("default") as session:
        vector = ctx.embedder.passages(["Never restart the warehouse scanner during inventory."])[0]
        (found, near), *_ = beliefs.nearest(session, "default", vector, ctx.embedder.model_id)
        assert (found.id, round(near, 2)) == (b["id"], 1.0)
        assert "scanner" in found.canonical_key
        assert "billing" not in found.canonical_key
    act(http, b["id"], "undo")
    assert any("Friday" in c for c in recalled(http, "deploy billing service Fridays"))
    assert not any("scanner" in c for c in recalled(http, "warehouse scanner inventory"))
    assert [h["act"] for h in shown(http, b["id"])["history"] if h["act"].startswith(("belief_edited", "person"))] == [
        "belief_edited", "person_edit", "person_undo",
    ]  # fmt: skip


# -- directives through remember ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "From now on never force-push to the release branch.",
        "以后都不要直接推送到 release 分支。",
        "Từ nay không bao giờ đẩy thẳng lên nhánh release.",
    ],
)
def test_a_directive_through_remember_becomes_a_rule(ctx: Context, http: TestClient, said: str) -> None:
    kept = made(http.post("/api/remember", json={"content": said, "workspace": "shop"}), 201)
    assert kept["directive"]
    learning.sleep(ctx, "default", inline=True)
    (b,) = made(http.get("/api/beliefs"))
    assert (b["state"], b["directive"], b["rank"]) == ("reinforced", True, "owner")
    assert "release" in block(http)
    assert set(recalled(http, said)) == {said}
    made(http.post("/api/remember", json={"content": said, "workspace": "shop"}), 201)
    learning.sleep(ctx, "default", inline=True)
    assert len(made(http.get("/api/beliefs"))) == 1
    act(http, b["id"], "undo")
    assert block(http) == ""
    assert recalled(http, said) == [], "what was kept of a rejected rule is not told"


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ('The wiki says "from now on never force-push to the release branch".', {}),
        ("> From now on never force-push to the release branch.", {}),
        ("If I said from now on never force-push to the release branch, would you do it?", {}),
        ("他说“以后都不要直接推送到 release 分支”。", {}),
        ("From now on never force-push to the release branch.", {"speaker": "agent"}),
        ("From now on never force-push to the release branch.", {"source": "mcp"}),
    ],
)
def test_what_is_no_directive_of_an_owner_stays_a_memory(
    ctx: Context, http: TestClient, said: str, more: dict[str, Any]
) -> None:
    kept = made(http.post("/api/remember", json={"content": said, "workspace": "shop", **more}), 201)
    assert "directive" not in kept
    learning.sleep(ctx, "default", inline=True)
    assert [b for b in made(http.get("/api/beliefs")) if b["directive"]] == []


def test_of_several_facts_the_directive_falls_with_its_rule(ctx: Context, http: TestClient) -> None:
    said = "The staging database lives on host db7. From now on never force-push to the release branch."
    kept = made(http.post("/api/remember", json={"content": said, "workspace": "shop"}), 201)
    learning.sleep(ctx, "default", inline=True)
    (b,) = [b for b in made(http.get("/api/beliefs")) if b["directive"]]
    act(http, b["id"], "reject")
    told = recalled(http, "staging database host db7") + recalled(http, "force-push to the release branch")
    assert any("db7" in c for c in told)
    assert not any("force-push" in c and "db7" not in c for c in told), (kept, told)


def test_a_key_below_the_owner_makes_no_rule_through_remember(ctx: Context, http: TestClient) -> None:
    said = {"content": "From now on never force-push to the release branch.", "workspace": "shop"}
    for ceiling, expected in (("agent", 0), ("system", 0), ("owner", 1)):
        _, key = create_key(ctx.db, ceiling, ceiling, None)
        headers = {"Authorization": f"Bearer {key}"}
        made(http.post("/api/remember", json=said, headers=headers), 201)
        learning.sleep(ctx, ceiling, inline=True)
        assert len(made(http.get("/api/beliefs", headers=headers))) == expected, ceiling


# -- the past ----------------------------------------------------------------------------------------------------------


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
    refused(http.get("/api/beliefs/ffffffff"), 404, "no belief")
    refused(http.get("/api/beliefs/________"), 404, "no belief")
    with ctx.db.tenant("default") as session:
        twin = session.get_one(BeliefRow, ("default", b)).model_dump(exclude={"id", "canonical_key"})
        session.add(BeliefRow(**twin, id=f"{b[:-1]}{'0' if b[-1] != '0' else '1'}", canonical_key="other"))
    refused(http.get(f"/api/beliefs/{b[:8]}"), 409, b)
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
