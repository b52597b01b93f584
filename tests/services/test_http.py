"""The HTTP contract: shapes, refusals, persons and keys, and that tenant B sees nothing of A through any route."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops import data
from bio_agent_ops.auth import create_key, revoke_key
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs
from bio_agent_schema.db import ensure_tenant, move_clock
from tests.faults.helpers import beat, intake, until, worker
from tests.services.owner import PERSON

pytestmark = pytest.mark.services


@pytest.fixture
def taught(ctx: Context, http: TestClient) -> TestClient:
    """Tenant default with the recorded session slept on."""
    for obs in data.load():
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
    learning.sleep(ctx, "default", inline=True)
    return http


def push_rule(http: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = next(b for b in http.get("/api/beliefs").json() if "git push origin main" in b["content"])
    return found


PUSH = {"tool": "Bash", "tool_input": {"command": "git push origin main"}, "workspace": "shop"}


def test_a_tenant_that_was_mistyped_is_not_made_by_asking(ctx: Context, http: TestClient) -> None:
    acme = PERSON | {"X-Bio-Tenant": "acme"}
    assert http.post("/api/beliefs", json={"content": "Never run `git push`."}, headers=acme).status_code == 201
    typo = PERSON | {"X-Bio-Tenant": "acne"}
    call = {"tool": "Bash", "tool_input": {"command": "git push"}}
    for answer in (http.get("/api/beliefs", headers=typo), http.post("/api/check", json=call, headers=typo)):
        assert answer.status_code == 404
        assert "'acne'" in answer.json()["detail"]
    with ctx.db.across() as session:
        assert "acne" not in session.execute(text("select * from bio.tenant_ids()")).scalars().all()
    assert http.post("/api/check", json=call, headers=acme).json()["verdict"] == "block"


def test_ingest_takes_one_a_list_and_the_plain_form(http: TestClient) -> None:
    plain = {"type": "run_command", "content": "npm test", "metadata": {"severity": "error", "tool": "npm"}}
    one = http.post("/api/ingest", json=plain).json()
    assert one["accepted"] == 1
    assert len(one["ids"]) == 1
    named = {"id": "twice", "kind": "event", "content": "x"}
    many = http.post("/api/ingest", json=[named, named, {"kind": "nonsense"}]).json()
    assert (many["accepted"], many["duplicates"]) == (1, 1)
    assert many["refused"][0]["index"] == 2
    assert "kind" in many["refused"][0]["reason"]


def test_the_learned_rule_is_read_back_everywhere(taught: TestClient) -> None:
    rule = push_rule(taught)
    assert {"id", "content", "state", "confidence", "layer", "scope", "support_count"} <= set(rule)
    full = taught.get(f"/api/beliefs/{rule['id']}").json()
    assert any("GH006" in e["text"] for e in full["evidence"]), "the episodes' own text"
    assert {"conflicts", "exceptions", "history"} <= set(full)
    assert any(t["belief_id"] == rule["id"] for t in taught.get("/api/beliefs/timeline").json())
    graph = taught.get("/api/graph").json()
    assert any(e["relation"] == "led_to" for e in graph["edges"])
    persona = taught.get("/api/persona", params={"workspace": "shop"})
    assert "git push origin main" in persona.json()["block"]
    again = taught.get("/api/persona", params={"workspace": "shop"}, headers={"If-None-Match": persona.headers["etag"]})
    assert again.status_code == 304
    said = taught.post("/api/check", json=PUSH).json()
    assert said["verdict"] == "warn"
    assert said["rule_id"] == rule["id"]
    assert said["evidence"]
    found = taught.post("/api/recall", json={"query": "push to main refused", "workspace": "shop"}).json()["memories"]
    assert "git push" in found[0]["content"]
    assert found[0]["why"]
    episode = full["evidence"][0]["episode_id"]
    audit = taught.get("/api/audit", params={"episode_id": episode}).json()
    assert audit["received"]
    assert audit["considered"]
    assert audit["produced"]
    replay = taught.get("/api/replay", params={"episode_id": episode}).json()
    assert {c["role"] for c in replay["model_calls"]} >= {"compile"}
    assert all(c["raw_input"] and c["raw_output"] for c in replay["model_calls"])
    state = taught.get("/api/state").json()
    assert state["scopes"][0]["weights"]
    assert "L1_MAX_SIZE" in state["settings"]
    assert taught.get("/api/status").json()["beliefs"]["count"] > 0
    assert taught.get("/api/health").json()["ok"]


def test_persons_act_and_the_block_follows(taught: TestClient) -> None:
    rule = push_rule(taught)
    before = taught.get("/api/persona", params={"workspace": "shop"}).json()
    assert taught.post(f"/api/beliefs/{rule['id']}/reject", json={}).status_code == 403, (
        "a person's act needs the token"
    )
    gone = taught.post(f"/api/beliefs/{rule['id']}/reject", json={"why": "not so"}, headers=PERSON)
    assert gone.json()["state"] == "rejected"
    after = taught.get("/api/persona", params={"workspace": "shop"}).json()
    assert after["version"] != before["version"]
    assert "git push origin main" not in after["block"]
    again = taught.post(f"/api/beliefs/{rule['id']}/reject", json={}, headers=PERSON)
    assert again.status_code == 409
    assert again.headers["content-type"] == "application/problem+json"
    pinned = taught.post(f"/api/beliefs/{rule['id']}/pin", json={}, headers=PERSON).json()
    assert pinned["layer"] == "core"
    assert taught.post("/api/check", json=PUSH).json()["verdict"] == "block"


def test_core_rule_and_exception_within_bounds_and_time(http: TestClient, urls: dict[str, str]) -> None:
    made = http.post(
        "/api/beliefs", json={"content": "Never run git push to main.", "scope": "workspace:shop"}, headers=PERSON
    )
    assert made.status_code == 201
    assert http.post("/api/check", json=PUSH).json()["verdict"] == "block"
    ask = {
        "belief_id": made.json()["id"],
        "text": "Hotfixes may go to main.",
        "expires_at": "2030-01-01T00:00:00+00:00",
    }
    proposed = http.post("/api/exceptions", json=ask).json()
    assert proposed["state"] == "proposed"
    assert http.post("/api/check", json=PUSH).json()["verdict"] == "block", "nobody has approved it"
    granted = http.post("/api/exceptions", json=ask, headers=PERSON).json()
    let = http.post("/api/check", json=PUSH).json()
    assert (let["verdict"], let["exception"]) == ("allow", granted["id"])
    move_clock(urls["ADMIN_URL"], "10 years")
    assert http.post("/api/check", json=PUSH).json()["verdict"] == "block", "expired by the database's clock"


def test_feedback_counts_once_a_session(taught: TestClient) -> None:
    rule = push_rule(taught)
    body = {"rule_id": rule["id"], "outcome": "hurt", "session": "s9"}
    assert taught.post("/api/feedback", json=body).status_code == 404, "that session never had the rule"
    taught.get("/api/persona", params={"workspace": "shop", "session": "s9"})
    first = taught.post("/api/feedback", json=body).json()
    assert first["counted"]
    assert first["belief"]["confidence"] < rule["confidence"]
    assert not taught.post("/api/feedback", json=body).json()["counted"]


@pytest.mark.parametrize(
    ("status", "method", "path", "kwargs"),
    [
        (421, "GET", "/api/health", {"headers": {"Host": "evil.example"}}),
        (403, "GET", "/api/beliefs", {"headers": {"Origin": "https://evil.example"}}),
        (415, "POST", "/api/ingest", {"content": "a=1", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}),
        (400, "POST", "/api/ingest", {"content": "{not json", "headers": {"Content-Type": "application/json"}}),
        (400, "POST", "/api/recall", {"json": {"query": "x", "nonsense": 1}}),
        (400, "POST", "/api/check", {"json": {"tool_input": {}}}),
        (400, "POST", "/api/check", {"json": {"tool": "Bash"}}),
        (400, "POST", "/api/check", {"json": {"tool": "Bash", "tool_input": {}}}),
        (401, "GET", "/api/beliefs", {"headers": {"Authorization": "Bearer bio_wrong"}}),
        (403, "POST", "/api/beliefs", {"json": {"content": "Never do it."}}),
        (404, "GET", "/api/beliefs/unknown", {}),
        (404, "GET", "/api/replay?episode_id=unknown", {}),
        (404, "GET", "/nowhere", {}),
        (400, "GET", "/api/beliefs?state=nonsense", {}),
    ],
)  # fmt: skip
def test_refusals_are_problems_that_say_what_to_do(
    http: TestClient, status: int, method: str, path: str, kwargs: dict[str, Any]
) -> None:
    answer = http.request(method, path, **kwargs)
    assert answer.status_code == status
    body = answer.json()
    assert body["status"] == status
    assert body["detail"]
    assert "Traceback" not in answer.text


def test_keys_bring_their_tenant_and_ceiling(ctx: Context, http: TestClient) -> None:
    key_id, key = create_key(ctx.db, "acme", "agent", None)
    headers = {"Authorization": f"Bearer {key}"}
    obs = {"id": "k1", "kind": "tool", "content": "x", "provenance": "owner", "tenant": "default"}
    assert http.post("/api/ingest", json=obs, headers=headers).json()["accepted"] == 1
    learning.sleep(ctx, "acme", inline=True)
    assert [e["id"] for e in http.get("/api/episodes", headers=headers).json()] == ["k1"]
    assert http.get("/api/episodes").json() == [], "the body named another tenant in vain"
    entries = http.get("/api/audit", params={"episode_id": "k1"}, headers=headers).json()["entries"]
    assert any(e["act"] == "provenance_lowered" for e in entries)
    revoke_key(ctx.db, "acme", key_id)
    http.app.state.gate._cache.clear()  # type: ignore[attr-defined]
    assert http.get("/api/episodes", headers=headers).status_code == 401


def cases(
    rule: str, episode: str, exception: str, memory: str, approval: str
) -> dict[tuple[str, str], tuple[str, Any]]:
    """Every route with A's ids in it: (method, route) → (path, body)."""
    act = {"why": ""}
    return {
        ("POST", "/api/ingest"): ("/api/ingest", []),
        ("POST", "/api/sleep"): ("/api/sleep", None),
        ("POST", "/api/dream"): ("/api/dream", None),
        ("GET", "/api/dream"): ("/api/dream", None),
        ("GET", "/api/dream/times"): ("/api/dream/times", None),
        ("POST", "/api/dream/times"): ("/api/dream/times", {"blackouts": []}),
        ("POST", "/api/dream/{ruling}"): ("/api/dream/stop", act),
        ("GET", "/api/beliefs"): ("/api/beliefs", None),
        ("GET", "/api/beliefs/timeline"): ("/api/beliefs/timeline", None),
        ("GET", "/api/beliefs/{belief_id}"): (f"/api/beliefs/{rule}", None),
        ("POST", "/api/beliefs"): ("/api/beliefs", None),
        ("POST", "/api/beliefs/{belief_id}/{act}"): (f"/api/beliefs/{rule}/reject", act),
        ("POST", "/api/beliefs/{belief_id}/literal"): (f"/api/beliefs/{rule}/literal", {"literal": True}),
        ("GET", "/api/reviews"): ("/api/reviews", None),
        ("GET", "/api/memories"): ("/api/memories", None),
        ("GET", "/api/memories/{memory_id}"): (f"/api/memories/{memory}", None),
        ("POST", "/api/memories/{memory_id}/recheck"): (f"/api/memories/{memory}/recheck", act),
        ("POST", "/api/memories/{memory_id}/erase"): (f"/api/memories/{memory}/erase", None),
        ("POST", "/api/verdicts/erase"): ("/api/verdicts/erase", {"belief_id": rule}),
        ("GET", "/api/quotas"): ("/api/quotas", None),
        ("POST", "/api/quotas"): ("/api/quotas", {"rules": 5}),
        ("GET", "/api/exceptions"): (f"/api/exceptions?belief_id={rule}", None),
        ("POST", "/api/exceptions/{exception_id}/{ruling}"): (f"/api/exceptions/{exception}/approve", act),
        ("POST", "/api/exceptions"): ("/api/exceptions", {"belief_id": rule, "text": "Any case may pass."}),
        ("GET", "/api/graph"): ("/api/graph", None),
        ("GET", "/api/persona"): ("/api/persona?workspace=shop", None),
        ("POST", "/api/recall"): ("/api/recall", {"query": "git push origin main GH006"}),
        ("POST", "/api/remember"): ("/api/remember", None),
        ("POST", "/recall"): ("/recall", {"query": "git push origin main GH006"}),
        ("POST", "/remember"): ("/remember", None),
        ("GET", "/health"): ("/health", None),
        ("POST", "/api/check"): ("/api/check", PUSH),
        ("POST", "/api/check/{approval_id}/{ruling}"): (f"/api/check/{approval}/approve", act),
        ("POST", "/api/feedback"): ("/api/feedback", {"rule_id": rule, "outcome": "hurt", "session": "s1"}),
        ("GET", "/api/health"): ("/api/health", None),
        ("GET", "/api/status"): ("/api/status", None),
        ("GET", "/api/state"): ("/api/state", None),
        ("GET", "/api/audit"): (f"/api/audit?episode_id={episode}", None),
        ("GET", "/api/replay"): (f"/api/replay?episode_id={episode}", None),
        ("GET", "/api/episodes"): ("/api/episodes", None),
        ("GET", "/api/dead-letters"): ("/api/dead-letters", None),
        ("POST", "/api/dead-letters/{letter_id}/redrive"): (f"/api/dead-letters/{rule}/redrive", None),
        **working_cases("s-of-nobody" if episode == "unknown-episode" else "s-of-a"),
    }


def working_cases(session: str) -> dict[tuple[str, str], tuple[str, Any]]:
    bodies: dict[str, Any] = {
        "push": {"task": "x"}, "interrupt": {"task": "y"}, "resume": {}, "pop": {}, "goal": {"goal": "z"},
        "snapshot": {"place": "p"}, "act": {"tool": "t"},
    }  # fmt: skip
    context = f"/api/context?session={session}&workspace=shop&query=git+push+origin+main+GH006"
    route, path = "/api/working/{session}", f"/api/working/{session}"
    return {
        ("GET", "/api/context"): (context, None),
        ("GET", route): (f"{path}?workspace=shop", None),
        **{("POST", f"{route}/{v}"): (f"{path}/{v}", {"workspace": "shop", **b}) for v, b in bodies.items()},
    }


def test_tenant_b_sees_nothing_of_a_through_any_route(ctx: Context, taught: TestClient) -> None:
    rule = push_rule(taught)
    episode = taught.get(f"/api/beliefs/{rule['id']}").json()["evidence"][0]["episode_id"]
    body = {"belief_id": rule["id"], "text": "The release bot may push with git push."}
    exception = taught.post("/api/exceptions", json=body).json()["id"]
    memory = taught.get(f"/api/beliefs/{rule['id']}").json()["derived"][0]["node"].removeprefix("memory:")
    with ctx.db.tenant("default") as session:
        approval = beliefs.open_review(session, "default", "call", rule["id"], question="May it git push?")
    for verb, told in (
        ("push", {"task": "git push it"}),
        ("act", {"tool": "Bash", "tool_input": "git push", "goal": "git push it"}),
    ):
        assert taught.post(f"/api/working/s-of-a/{verb}", json={"workspace": "shop", **told}).status_code == 200
    mine = taught.get("/api/working/s-of-a?workspace=shop").json()
    table = cases(rule["id"], episode, exception, memory, approval)
    said = taught.get("/openapi.json").json()["paths"]
    routes = {(m.upper(), path) for path, methods in said.items() for m in methods}
    assert routes == set(table), "a route without a case"
    other = PERSON | {"X-Bio-Tenant": "b"}
    secrets = ("GH006", "backend/shop", rule["id"], "git push", "try-s1")
    nobody = "00000000-0000-7000-8000-000000000000"
    unknown = cases(nobody, "unknown-episode", nobody, nobody, nobody)
    with ctx.db.tenant("b") as session:
        ensure_tenant(session, "b")  # one that is there, so that every route looks into it
    with ctx.db.tenant("default") as session:
        then = beliefs.now(session).isoformat()
    asked = [(m, r, path, body, unknown[m, r]) for (m, r), (path, body) in table.items()]
    for route in ("/api/beliefs", "/api/beliefs/{belief_id}", "/api/persona"):  # and the past
        late = f"{'&' if '?' in table['GET', route][0] else '?'}at={then}"
        asked.append(("GET", route, table["GET", route][0] + late, None, (unknown["GET", route][0] + late, None)))
    asked.append(
        ("GET", "/api/beliefs/{belief_id}", f"/api/beliefs/{rule['id'][:8]}", None, ("/api/beliefs/00000000", None))
    )
    for method, route, path, body, (guess_path, guess_body) in asked:
        if route in ("/api/sleep", "/api/beliefs", "/api/remember", "/remember") and method == "POST":
            continue  # these take only what B sends
        answer = taught.request(
            method, path, json=body if method == "POST" and body is not None else None, headers=other
        )
        # Recall says the query again, a 404 the id that was asked for: the caller's own words.
        shown = (
            answer.text.replace("git push origin main GH006", "")
            .replace(episode, "")
            .replace(rule["id"], "")
            .replace(rule["id"][:8], "")
        )
        assert not any(s in shown for s in secrets), f"{method} {route} shows A's data"
        guess = taught.request(
            method, guess_path, json=guess_body if method == "POST" and guess_body is not None else None, headers=other
        )
        assert answer.status_code == guess.status_code, (
            f"{method} {route}: a foreign id answers otherwise than an unknown one"
        )
    assert push_rule(taught) == rule, "B changed A's rule"
    assert taught.get("/api/working/s-of-a?workspace=shop").json() == mine, "B changed what A has in hand"
    assert taught.get("/api/exceptions").json()[0]["state"] == "proposed", "B granted A's exception"
    open_still = {r["id"] for r in taught.get(f"/api/beliefs/{rule['id']}").json()["reviews"]}
    assert approval in open_still, "B approved A's call"


def test_at_the_database_no_tenant_sees_nothing_and_the_role_is_plain(ctx: Context, taught: TestClient) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    from bio_agent_schema.tables import TENANT_TABLES

    with ctx.db.across() as session:
        for table in TENANT_TABLES:
            assert session.execute(text(f"select count(*) from bio.{table}")).scalar() == 0, table
        role = session.execute(text("select rolsuper, rolbypassrls from pg_roles where rolname = current_user")).one()
        assert tuple(role) == (False, False)
        assert session.execute(text("select count(*) from pg_tables where tableowner = current_user")).scalar() == 0
        naked = session.execute(text(
            "select relname from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = 'bio' and relkind = 'r'"
            " and relname not in ('clock', 'schema_revision') and not (relrowsecurity and relforcerowsecurity)"
        )).all()  # fmt: skip
        assert not naked
    for sql in (
        "insert into bio.edges (tenant, source, relation, target) values ('b', 'x', 'supports', 'y')",
        "update bio.audit set actor = 'nobody'",
        "delete from bio.audit",
        "update bio.clock set shift = '1 day'",
    ):
        with pytest.raises(DBAPIError), ctx.db.tenant("default") as session:
            session.execute(text(sql))


def test_tables_and_migrations_say_the_same(urls: dict[str, str]) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlalchemy import create_engine

    from bio_agent_schema.db import migrate
    from bio_agent_schema.tables import metadata

    migrate(urls["ADMIN_URL"], "test-password")  # again: changes nothing
    with create_engine(urls["ADMIN_URL"]).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_schemas": True, "include_name": lambda n, t, p: t != "schema" or n == "bio"}
        )
        differences = [
            d
            for d in compare_metadata(context, metadata)
            if not str(d[0]).endswith("_index") and "schema_revision" not in str(d) and "clock" not in str(d)
        ]
    assert not differences


def test_a_program_with_aiohttp_alone(urls: dict[str, str], ctx: Context, tmp_path: Path) -> None:
    """The real processes: HTTP, worker, beat, intake; the example that users copy."""
    from bio_agent_ops.local import free_port
    from tests.faults.helpers import PYTHON, Process

    port = free_port()
    parts = [
        Process((PYTHON, "-m", "bio_agent_ops.http"), urls | {"BIO_AGENT_PORT": str(port)}, tmp_path / "http.log"),
        worker(urls, tmp_path / "worker.log"), beat(urls, tmp_path), intake(urls, tmp_path / "intake.log"),
    ]  # fmt: skip
    example = Path(__file__).parents[2] / "ops" / "examples" / "http_client.py"
    try:
        for part in parts:
            part.start()
        import socket

        def listening() -> bool:
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0

        until(listening, 30, "HTTP")
        done = subprocess.run(
            [sys.executable, str(example), f"http://127.0.0.1:{port}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env=dict(os.environ),
        )
    finally:
        for part in parts:
            part.kill()
    assert done.returncode == 0, done.stderr
    assert "never push straight to main" in done.stdout
    assert "npm ci" in done.stdout
    assert "needs_approval" in done.stdout


def test_conversation_memory_at_the_root(http: TestClient) -> None:
    kept = http.post(
        "/remember", json={"content": "Remember that I take tea without sugar", "memory_type": "user_preference"}
    )
    assert kept.status_code == 201
    assert kept.json()["message"] == "remembered"
    again = http.post(
        "/remember", json={"content": "I take tea without sugar", "memory_type": "user_preference"}
    ).json()
    assert again["memory_id"] == kept.json()["memory_id"]
    assert again["message"].startswith("known already")
    http.post(
        "/remember",
        json={"content": "The invoice printer stands on the second floor", "memory_type": "project_context"},
    )
    found = http.post(
        "/recall", json={"query": "does the user want sugar in the tea", "memory_type": "user_preference"}
    ).json()
    assert [m["content"] for m in found["memories"]] == ["I take tea without sugar"]
    assert set(found["memories"][0]) == {"id", "content", "type", "tags", "source", "importance", "similarity_score"}
    assert 0.5 < found["memories"][0]["similarity_score"] <= 1.0
    assert http.post("/recall", json={"query": "qwerty zxcvb"}).json()["memories"] == []
    assert http.get("/health").json()["ok"]
