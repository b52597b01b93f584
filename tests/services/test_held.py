"""What is held is listed, and no copy of it is left behind when it is erased."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_client.observation import uuid7
from bio_agent_ops.service import learning, reading
from bio_agent_ops.service.context import Context
from bio_agent_schema.db import ensure_tenant
from tests.services.keeping import keep, memory, observe
from tests.services.owner import PERSON

pytestmark = pytest.mark.services


def test_what_is_held_is_listed_page_by_page_and_told_apart_by_first_words(ctx: Context, http: TestClient) -> None:
    said = ("The gate of hall two is blue.", "The GATE of hall 50% is red.", "The oven is hot.", "Old news.")
    ids = sorted(uuid7() for _ in said)  # several of one moment come in no order
    rows = [memory(s, id=i, kind="semantic" if "hall" in s else "episodic") for s, i in zip(said, ids, strict=True)]
    gate, red, oven, old = keep(ctx, *rows)
    with ctx.db.tenant("default") as session:
        session.execute(text("update bio.memories set state = 'cold' where id = :i"), {"i": old})
    with ctx.db.tenant("b") as session:
        ensure_tenant(session, "b")
    http.post(f"/api/memories/{oven}/erase", headers=PERSON).raise_for_status()

    def listed(tenant: str = "default", **asked: str) -> list[str]:
        answer = http.get("/api/memories", params=asked, headers=PERSON | {"X-Bio-Tenant": tenant})
        answer.raise_for_status()
        return [m["id"] for m in answer.json()]

    assert listed() == [gate, red, old], "an erased one has no words left"
    assert listed(state="erased") == [oven]
    assert listed(kind="semantic", state="active", text="gate of", workspace="shop") == [gate, red]
    assert listed(text="50%") == [red], "a mark of the filter is no wildcard"
    assert listed(limit="1", after=gate) == [red]
    assert listed("b") == []
    assert listed(workspace="elsewhere") == []
    assert http.get("/api/memories", params={"state": "gone"}).status_code == 400
    assert http.get("/api/memories", params={"kind": "gone"}).status_code == 400
    several = http.get(f"/api/memories/{gate[:8]}").json()["detail"]
    assert f"{gate} “The gate of hall two is blue.”" in several
    assert http.get(f"/api/memories/{gate[-8:]}").json()["content"] == said[0]


def holding(ctx: Context, word: str) -> set[str]:
    """Every table with a row that holds the word."""
    with ctx.db.tenant("default") as session:
        tables = session.execute(
            text(
                "select relname from pg_class where relnamespace = 'bio'::regnamespace and relkind in ('r', 'p')"
                " and has_table_privilege(oid, 'select')"
            )
        ).scalars()
        return {
            t for t in tables
            if session.execute(
                text(f'select exists (select 1 from bio."{t}" r where cast(r as text) ilike :w)'),
                {"w": f"%{word}%"},
            ).scalar_one()
        }  # fmt: skip


@pytest.mark.parametrize("first", [True, False])  # which of the copies is named
def test_what_was_kept_and_became_a_rule_is_one_memory_and_is_erased_with_every_copy(
    first: bool, ctx: Context, http: TestClient
) -> None:
    said = "Standup at the Wakanda depot is at 10:15 from now on."
    kept = http.post("/api/remember", json={"content": said, "workspace": "shop", "type": "semantic"}).json()
    assert kept["directive"]
    learning.sleep(ctx, "default", inline=True)
    told = http.post("/api/recall", json={"query": said, "workspace": "shop"}).json()["memories"]
    assert [m["content"] for m in told] == [said]
    (rule,) = reading.list_beliefs(ctx, "default")
    # A copy that an older version kept beside it, and what was said again elsewhere without being kept.
    (copy,) = keep(ctx, memory(said.rstrip(".").upper(), kind="procedural"))
    (others,) = keep(ctx, memory(said, workspace="another"))
    observe(ctx, said)
    learning.sleep(ctx, "default", inline=True)
    with ctx.db.tenant("default") as session:
        session.execute(text("insert into bio.working_states (tenant, workspace, session, state) values"
                             " ('default', 'shop', 'sx', cast(:s as jsonb))"),
                        {"s": json.dumps({"shown": [{"id": kept["id"], "words": ["wakanda"]}, {"id": "m", "words": []}]})})  # fmt: skip
    assert {"memories", "episodes", "model_calls", "beliefs", "working_states"} <= holding(ctx, "wakanda")
    done = http.post(f"/api/memories/{kept['id'] if first else copy}/erase", headers=PERSON).json()
    assert {kept["id"], copy} <= set(done["erased"])
    assert others not in done["erased"], "what was told in another place is another matter"
    assert done["rules_erased"] == [f"belief:{rule['id']}"]
    with ctx.db.tenant("default") as session:
        session.execute(text("delete from bio.memories where id = :i"), {"i": others})
        shown = session.execute(text("select state from bio.working_states where session = 'sx'")).scalar_one()
    assert [s["id"] for s in shown["shown"]] == ["m"], "nor do its words stay in what a session had before it"
    assert holding(ctx, "wakanda") == set()
