"""A directive through `remember` becomes a rule of its owner, and nobody else's does."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from bio_agent_ops.auth import create_key
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema.tables import MemoryRow
from tests.services.people import act, block, made, recalled

pytestmark = pytest.mark.services


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


def test_an_agents_note_that_a_person_says_word_for_word_is_one_memory_and_the_persons(
    ctx: Context, http: TestClient
) -> None:
    note = {"content": "The staging database lives on host db7.", "workspace": "shop"}
    kept = [made(http.post("/api/remember", json=note | more), 201) for more in
            ({"speaker": "agent"}, {}, {"type": "procedural"}, {"content": "the staging database lives on host db7"})]  # fmt: skip
    assert len({k["id"] for k in kept}) == 1
    assert recalled(http, "staging database host db7") == [note["content"]]
    with ctx.db.tenant("default") as session:
        assert session.get_one(MemoryRow, ("default", kept[0]["id"])).meta == {"speaker": "user"}
    page = made(
        http.post("/api/remember", json=note | {"content": "The lab is in hall 3.", "origin": "https://x.example"}), 201
    )
    own = made(http.post("/api/remember", json=note | {"content": "The lab is in hall 3."}), 201)
    assert own["id"] != page["id"], "a page's words do not become a person's"


def test_what_the_rule_leaves_out_of_the_words_makes_no_second_memory(ctx: Context, http: TestClient) -> None:
    said = "Thanks! From now on the standup is in the blue room."
    kept = made(http.post("/api/remember", json={"content": said, "workspace": "shop"}), 201)
    assert kept["directive"]
    learning.sleep(ctx, "default", inline=True)
    assert recalled(http, "Where is the standup?") == [said]


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
