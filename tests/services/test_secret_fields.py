"""A secret in any field of a request, or of an observation, reaches no table."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from tests.services.owner import PERSON

pytestmark = pytest.mark.services

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
TABLES = ("episodes", "memories", "beliefs", "exceptions", "persona_blocks", "injections", "audit", "reviews", "edges")


def stored(ctx: Context) -> dict[str, int]:
    """How many rows of each table hold the token."""
    with ctx.db.tenant("default") as session:
        there = set(
            session.execute(
                text("select table_name from information_schema.tables where table_schema = 'bio'")
            ).scalars()
        )
        return {
            name: session.execute(
                text(f"select count(*) from bio.{name} t where t::text like :p"), {"p": f"%{TOKEN[:20]}%"}
            ).scalar_one()
            for name in TABLES if name in there
        }  # fmt: skip


def test_no_field_stores_a_secret(ctx: Context, http: TestClient) -> None:
    def post(path: str, body: dict[str, Any], status: int) -> dict[str, Any]:
        answer = http.post(path, json=body, headers=PERSON)
        assert answer.status_code == status, answer.text
        assert TOKEN not in answer.text
        return answer.json()  # type: ignore[no-any-return]

    names = dict.fromkeys(("source", "type", "thread", "workspace", "agent", "user"), f"x-{TOKEN}")
    kept = http.post("/api/remember", headers=PERSON, json=names | {
        "content": "The deploy key lives in the vault.", "tags": [TOKEN], "origin": f"https://u:{TOKEN}@h.test/x"})  # fmt: skip
    assert kept.status_code in (200, 201), kept.text
    belief = post(
        "/api/beliefs",
        {"content": "Never push to main.", "scope": "workspace:shop", "agent": TOKEN, "user": TOKEN},
        201,
    )
    post("/api/beliefs", {"content": "Never push to prod.", "scope": f"workspace:{TOKEN}"}, 400)
    post("/api/exceptions", {"belief_id": belief["id"], "text": "Hotfixes may.", "bounds": {"key": TOKEN}}, 400)
    post("/api/exceptions", {"belief_id": belief["id"], "text": "Hotfixes may.", "bounds": {TOKEN: 1}}, 400)
    post("/api/feedback", {"rule_id": belief["id"], "outcome": "helped", "session": TOKEN}, 200)
    shown = http.get(
        "/api/persona",
        headers=PERSON,
        params={"workspace": f"w-{TOKEN}", "agent": TOKEN, "user": TOKEN, "session": TOKEN},
    )
    assert shown.status_code == 200, shown.text
    row = {
        "kind": "event",
        "content": "a build",
        "workspace": "shop",
        "project_version": TOKEN,
        "entities": [TOKEN, "shop"],
    }
    ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(row))})
    learning.sleep(ctx, "default", inline=True)
    found = stored(ctx)
    assert {"memories", "beliefs", "persona_blocks", "episodes"} <= found.keys()
    assert not any(found.values()), found
