"""Governed exceptions: in force only between approval and revocation, by the clock, and never outside the calendar."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from bio_agent_ops.service.context import Context
from bio_agent_schema.db import move_clock
from tests.services.owner import PERSON
from tests.services.people import act, block, clock, made, propose, refused, rule, shown, verdict

pytestmark = pytest.mark.services


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
