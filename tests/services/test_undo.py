"""Each act of a person can be undone, act by act; what was edited is found by its new words."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs
from tests.services.owner import PERSON
from tests.services.people import STOOD, act, block, learned, made, recalled, refused, rule, say, shown

pytestmark = pytest.mark.services


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
