"""What a careless or hostile client sends: refused with a reason, never an internal error, never half stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from bio_agent_ops.auth import create_key
from bio_agent_ops.http import MAX_BODY_BYTES, create_app, same_tag
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema.db import move_clock
from tests.services.owner import BASE, OWNER, PERSON

pytestmark = pytest.mark.services

JSON = {"Content-Type": "application/json"}


def client_of(ctx: Context, **settings: Any) -> TestClient:
    chosen = ctx.settings.model_copy(update={"owner_token": SecretStr(OWNER), **settings})
    return TestClient(create_app(chosen), base_url=BASE, raise_server_exceptions=False)


def rule(http: TestClient, content: str = "Never run git push to main.") -> dict[str, Any]:
    made = http.post("/api/beliefs", json={"content": content, "scope": "workspace:shop"}, headers=PERSON)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def is_problem(answer: Any, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]


NUL, HALF = "a\x00b", "\\ud800"


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("/api/recall", json.dumps({"query": NUL})),
        ("/api/recall", f'{{"query": "{HALF}"}}'),
        ("/api/remember", json.dumps({"content": "keep this", "tags": [NUL]})),
        ("/api/check", json.dumps({"tool": "Bash", "tool_input": {"command": NUL}, "session": NUL})),
        ("/api/check", f'{{"tool": "Bash", "tool_input": ["{HALF}"]}}'),
        ("/api/feedback", json.dumps({"rule_id": NUL, "outcome": "hurt", "session": "s"})),
        ("/api/beliefs", json.dumps({"content": "Never do it.", "agent": NUL})),
        ("/api/beliefs", json.dumps({"content": "x" * 1001})),
        ("/api/exceptions", '{"belief_id": "b", "text": "May pass.", "bounds": {"max_amount": NaN}}'),
        ("/api/exceptions", '{"belief_id": "b", "text": "May pass.", "bounds": ' + '{"a":' * 500 + "1" + "}" * 501),
        ("/api/check", '{"tool": "Bash", "tool_input": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("/api/recall", "[]"),
        ("/api/recall", "null"),
        ("/api/recall", ""),
        ("/api/ingest", ""),
        ("/api/ingest", "[" * 100_000),
    ],
)
def test_bodies_that_cannot_be_taken(http: TestClient, path: str, raw: str) -> None:
    is_problem(http.post(path, content=raw, headers=JSON | PERSON), 400)


@pytest.mark.parametrize(
    "path",
    ["/api/beliefs/%00", "/api/audit?episode_id=%00", "/api/persona?workspace=a%00b", "/api/replay?episode_id=x%00"],
)
def test_nul_in_the_address(http: TestClient, path: str) -> None:
    is_problem(http.get(path), 400)


@pytest.mark.parametrize("path", ["/api/beliefs/" + "x" * 5000, "/api/replay?episode_id=" + "x" * 5000])
def test_long_unknown_ids_are_just_unknown(http: TestClient, path: str) -> None:
    is_problem(http.get(path), 404)


def test_numbers_and_times_beyond_what_is_stored(http: TestClient) -> None:
    ask = {"belief_id": rule(http)["id"], "text": "Hotfixes may go to main."}
    for times in ({"expires_at": "9999-12-31T23:59:59-14:00"}, {"valid_from": "0001-01-01T00:00:00+14:00"}):
        is_problem(http.post("/api/exceptions", json=ask | times, headers=PERSON), 422)
    assert not http.get(f"/api/beliefs/{ask['belief_id']}").json()["exceptions"], "refused whole"
    is_problem(http.get("/api/beliefs", params={"limit": 0}), 400)
    is_problem(http.get("/api/beliefs", params={"limit": "many"}), 400)


@pytest.mark.parametrize(
    ("asked", "unknown", "takes"),
    [
        ("/api/beliefs?stat=stable&limit=5", "'stat'", "state, scope, limit, after, at"),
        ("/api/context?workspace=shop&budgets=900", "'budgets'", "session, workspace, agent, user, query, budget"),
        ("/api/status?verbose=1", "'verbose'", "none"),
        ("/api/reviews?%E5%B7%A5=1", "'\\u5de5'", "none"),
    ],
)
def test_a_parameter_that_a_route_does_not_know_is_refused_by_name(
    http: TestClient, asked: str, unknown: str, takes: str
) -> None:
    is_problem(refused := http.get(asked), 400)
    assert f"unknown query parameter {unknown}" in refused.json()["detail"]
    assert refused.json()["detail"].endswith(f": it takes {takes}")


def test_other_methods_and_acts(http: TestClient) -> None:
    is_problem(http.delete("/api/beliefs"), 405)
    is_problem(http.post(f"/api/beliefs/{rule(http)['id']}/explode", json={}, headers=PERSON), 400)


def test_a_body_too_large_is_refused_with_and_without_a_length(http: TestClient) -> None:
    big = b" " * (MAX_BODY_BYTES + 1)
    is_problem(http.post("/api/ingest", content=big, headers=JSON), 413)

    def pieces() -> Iterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 1_000_000 + 2):
            yield b" " * 1_000_000

    is_problem(http.post("/api/ingest", content=pieces(), headers=JSON), 413)
    is_problem(http.post("/api/recall", content=pieces(), headers=JSON), 413)
    assert http.post("/api/ingest", content=iter([b'{"kind": "event",', b' "content": "x"}']), headers=JSON).json()[
        "accepted"
    ]


def test_too_many_at_once_and_a_full_backlog(ctx: Context) -> None:
    one = {"kind": "event", "content": "x"}
    with client_of(ctx, max_backlog=100) as http:
        is_problem(http.post("/api/ingest", json=[one] * 1001), 400)
        assert http.post("/api/ingest", json=[one] * 200).json()["accepted"] == 200
        http.app.state.ingest._backlog.clear()  # type: ignore[attr-defined]
        full = http.post("/api/ingest", json=one)
        is_problem(full, 429)
        assert int(full.headers["retry-after"]) > 0


def test_credentials(ctx: Context, http: TestClient) -> None:
    for given in ("Basic abc", "Bearer", "Bearer  ", "bio_x"):
        refused = http.get("/api/beliefs", headers={"Authorization": given})
        is_problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
    is_problem(http.get("/api/beliefs", headers=PERSON | {"X-Bio-Tenant": "../a"}), 403)
    is_problem(http.post("/api/check", json={"tool": "Bash"}, headers={"X-Bio-Tenant": "acme"}), 401)
    with client_of(ctx, host="0.0.0.0") as public:
        is_problem(public.get("/api/beliefs"), 401)
        is_problem(public.post("/api/ingest", json={"kind": "event", "content": "x"}), 401)


def test_a_key_expires_by_the_clock_of_the_database(ctx: Context, http: TestClient, urls: dict[str, str]) -> None:
    _, key = create_key(ctx.db, "acme", "agent", 30)
    headers = {"Authorization": f"Bearer {key}", "X-Bio-Tenant": "default"}
    http.post("/api/remember", json={"content": "Acme ships on Fridays."}, headers=headers)
    query = {"query": "when does Acme ship"}
    assert http.post("/api/recall", json=query, headers=headers).json()["memories"], (
        "the key's tenant, not the header's"
    )
    assert not http.post("/api/recall", json=query).json()["memories"]
    is_problem(http.post("/api/beliefs", json={"content": "Never do it."}, headers=headers), 403)
    move_clock(urls["ADMIN_URL"], "31 days")
    http.app.state.gate._cache.clear()  # type: ignore[attr-defined]
    is_problem(http.get("/api/beliefs", headers=headers), 401)


def test_of_two_edits_at_once_the_second_is_told(http: TestClient) -> None:
    made = rule(http)

    def edit(n: int) -> int:
        body = {"content": f"Never run git push to main, case {n}.", "expected_version": made["version"]}
        return http.post(f"/api/beliefs/{made['id']}/edit", json=body, headers=PERSON).status_code

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(edit, range(4)))
    assert answers == [200, 409, 409, 409]
    now = http.get(f"/api/beliefs/{made['id']}").json()
    assert now["version"] > made["version"]
    assert sum(h["act"] == "belief_edited" for h in now["history"]) == 1


def test_an_edit_into_another_rule_is_a_conflict(http: TestClient) -> None:
    first, second = rule(http), rule(http, "Always run npm ci before the build.")
    answer = http.post(f"/api/beliefs/{second['id']}/edit", json={"content": first["content"]}, headers=PERSON)
    is_problem(answer, 409)
    assert http.get(f"/api/beliefs/{second['id']}").json()["content"] == second["content"]
    is_problem(http.post(f"/api/beliefs/{second['id']}/edit", json={}, headers=PERSON), 400)


def test_feedback_at_once_counts_once(http: TestClient) -> None:
    made = rule(http)
    http.get("/api/persona", params={"workspace": "shop", "session": "s1"})
    body = {"rule_id": made["id"], "outcome": "helped", "session": "s1"}
    with ThreadPoolExecutor(4) as pool:
        counted = list(pool.map(lambda _: http.post("/api/feedback", json=body).json()["counted"], range(4)))
    assert sum(counted) == 1
    assert http.get(f"/api/beliefs/{made['id']}").json()["helped"] == 1


def test_exception_holds_within_its_bounds_only(http: TestClient) -> None:
    made = rule(http)
    ask = {"belief_id": made["id"], "text": "Quick pushes may pass.", "bounds": {"max_timeout": 100}}
    is_problem(http.post("/api/exceptions", json=ask | {"expires_at": "2020-01-01T00:00:00Z"}, headers=PERSON), 400)
    is_problem(http.post("/api/exceptions", json=ask | {"expires_at": "2030-01-01T00:00:00"}, headers=PERSON), 400)
    is_problem(http.post("/api/exceptions", json=ask | {"belief_id": "unknown"}, headers=PERSON), 404)

    def verdict(**given: Any) -> str:
        call = {"tool": "Bash", "tool_input": {"command": "git push origin main", **given}, "workspace": "shop"}
        return str(http.post("/api/check", json=call).json()["verdict"])

    assert verdict(timeout=50) == "block"
    assert http.post("/api/exceptions", json=ask, headers=PERSON).json()["state"] == "approved"
    assert verdict(timeout=50) == "allow"
    assert verdict(timeout=101) == "block"
    assert verdict() == "block", "a call that does not name the parameter is outside"


def test_etag_and_the_block_stay_until_something_changes(http: TestClient) -> None:
    ask = {"workspace": "shop"}
    empty = http.get("/api/persona", params=ask).headers["etag"]
    made = rule(http)
    told = http.get("/api/persona", params=ask)
    tag = told.headers["etag"]
    assert tag != empty
    assert http.get("/api/persona", params=ask).content == told.content
    for asked in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        assert http.get("/api/persona", params=ask, headers={"If-None-Match": asked}).status_code == 304
    assert http.get("/api/persona", params=ask, headers={"If-None-Match": empty}).status_code == 200
    http.post(f"/api/beliefs/{made['id']}/deprecate", json={}, headers=PERSON)
    assert http.get("/api/persona", params=ask).headers["etag"] == empty
    http.post(f"/api/beliefs/{made['id']}/approve", json={}, headers=PERSON)
    assert http.get("/api/persona", params=ask).json()["block"] == told.json()["block"]
    assert http.get("/api/persona", params={"workspace": "other"}).headers["etag"] == empty
    assert not same_tag(None, tag)


def test_a_program_on_the_stream_cannot_vouch_for_itself(ctx: Context) -> None:
    """Whoever only writes to the stream claims `owner` for a tool, with no MAC, a wrong one, or one of another tenant."""
    from bio_agent_schema import episodes, ledger
    from bio_agent_workers.trust import voucher

    create_key(ctx.db, "other", "owner", None)
    with ctx.db.tenant("other") as session:
        foreign = ledger.tenant_secret(session, "other")
    names = ("none", "wrong", "foreign")
    for name in names:
        wire = json.dumps({"v": 1, "id": name, "kind": "tool", "content": "x", "provenance": "owner"}).encode()
        mac: dict[str, bytes] = {"none": {}, "wrong": {"m": b"\0" * 16}, "foreign": {"m": voucher(foreign, wire)}}[name]
        ctx.redis.xadd("bio:obs:default", {"o": wire} | mac)  # type: ignore[arg-type]
    learning.sleep(ctx, "default", inline=True)
    with ctx.db.tenant("default") as session:
        stored = {e.id: e.provenance.value for e in episodes.by_ids(session, "default", names)}
    assert stored == dict.fromkeys(names, "agent")
