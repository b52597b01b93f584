"""Quotas hold a tenant to its share and lose nothing; what is erased is gone with all that repeats it."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.http import create_app
from bio_agent_ops.service import dreams, learning, reading
from bio_agent_ops.service.context import Context
from bio_agent_schema import cycles, graph, memories, quotas
from bio_agent_schema.db import ensure_tenant, move_clock
from bio_agent_schema.graph import Edge
from bio_agent_schema.quotas import Limits
from bio_agent_schema.tables import CycleRow, VerdictRow
from bio_agent_workers.models.protocol import LABEL_SCHEMA, ModelError, ModelReply, ModelRequest, Role
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages.asking import ask
from bio_agent_workers.stages.judging import PROMPT_VERSION, pair_key
from tests.services.keeping import keep, memory, observe
from tests.services.owner import PERSON

pytestmark = pytest.mark.services


def acts(ctx: Context) -> list[tuple[str, str]]:
    with ctx.db.tenant("default") as session:
        rows = session.execute(
            text("select act, cause from bio.audit where act in ('quota_near', 'quota_reached') order by seq")
        ).all()
    return [(r[0], r[1]) for r in rows]


# --------------------------------------------------------------------------------------------------------------- quotas


def test_beyond_a_days_observations_what_comes_in_waits_for_the_next_day(
    ctx: Context, http: TestClient, urls: dict[str, str]
) -> None:
    assert http.post("/api/quotas", json={"observations_a_day": 4}).status_code == 403, "an act of a person"
    set_ = http.post("/api/quotas", headers=PERSON, json={"observations_a_day": 4}).json()
    assert set_["limits"]["observations_a_day"] == {"limit": 4, "used": 0, "standing": "within"}
    words = (
        "the lorry came",
        "rain fell in hall two",
        "a clerk asked for paper",
        "nine pallets are red",
        "the gate stuck",
    )
    observe(ctx, *words)
    slept = learning.sleep(ctx, "default", inline=True)
    assert slept["held_until"] is not None, "it says that it waits, and until when"
    assert slept["processed"] == 0
    assert {e["state"] for e in reading.list_episodes(ctx, "default")} == {"open"}, "all accepted, all kept"
    assert acts(ctx) == [("quota_reached", "observations_a_day")]
    assert http.get("/api/status").json()["quotas"]["limits"]["observations_a_day"]["standing"] == "reached"
    observe(ctx, "From now on never print invoices on the office printer.", kind="user")
    learning.sleep(ctx, "default", inline=True)
    assert [b["state"] for b in reading.list_beliefs(ctx, "default")] == ["reinforced"], "an owner's word acts at once"
    assert [e["state"] for e in reading.list_episodes(ctx, "default")].count("considered") == 1, "and alone"
    move_clock(urls["ADMIN_URL"], "1 day")
    assert learning.sleep(ctx, "default", inline=True)["held_until"] is None
    assert {e["state"] for e in reading.list_episodes(ctx, "default")} == {"considered"}


def test_raising_a_limit_takes_up_at_once_what_waited(ctx: Context, http: TestClient) -> None:
    http.post("/api/quotas", headers=PERSON, json={"observations_a_day": 1}).raise_for_status()
    observe(ctx, "the lorry came", "rain fell in hall two")
    assert learning.sleep(ctx, "default", inline=True)["held_until"] is not None
    http.post("/api/quotas", headers=PERSON, json={"observations_a_day": 0}).raise_for_status()
    assert learning.sleep(ctx, "default", inline=True)["processed"] == 2


class Paid:
    """A model of a service that says what it cost."""

    model_id, offline = "paid-1", False

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        return ModelReply({"labels": []}, "in", "out", self.model_id, 60, 40)


def test_a_tenant_out_of_tokens_waits_and_another_goes_on(ctx: Context, urls: dict[str, str]) -> None:
    with ctx.db.tenant("b") as session:
        ensure_tenant(session, "b")
    paid = Paid()
    settings = ctx.settings.model_copy(update={"tokens_a_day": 250})
    rt = Runtime(ctx.db, replace(ctx.runtime.models, label=paid), settings)

    def request(n: int) -> ModelRequest:
        return ModelRequest(Role.LABEL, "1", "Label.", ({"n": 1, "text": str(n)},), LABEL_SCHEMA)

    def ask_for(tenant: str, n: int) -> ModelReply:
        return ask(rt, CycleRow(tenant=tenant, id=f"c{n}", root=f"c{n}"), request(n), ["e"])

    for n in range(3):
        ask_for("default", n)
    with pytest.raises(ModelError, match="tokens_a_day are used up") as refused:
        ask_for("default", 3)
    assert refused.value.transient, "the cycle rests; no attempt is counted against its observations"
    ask_for("default", 0)  # what was answered before is not asked again
    assert ask_for("b", 0).model_id == "paid-1"
    assert paid.asked == 4
    assert acts(ctx) == [("quota_near", "tokens_a_day"), ("quota_reached", "tokens_a_day")]
    with ctx.db.tenant("default") as session:
        shown = quotas.view(session, "default", settings.limits())
        assert shown["tokens_this_month"] == {"tokens label paid-1": 300}
        assert 0 < quotas.seconds_left(session, "tokens_a_day") <= 86_400 <= 31 * 86_400
        assert quotas.over(session, "default", Limits(tokens_a_month=301), "tokens") == ""
        assert quotas.over(session, "default", Limits(tokens_a_month=300), "tokens") == "tokens_a_month"
    move_clock(urls["ADMIN_URL"], "1 day")
    ask_for("default", 3)


def test_beyond_the_rules_what_was_learned_stays_a_memory_and_an_owners_word_is_taken(
    ctx: Context, http: TestClient
) -> None:
    http.post("/api/quotas", headers=PERSON, json={"rules": 1}).raise_for_status()
    observe(ctx, "From now on never print invoices on the office printer.", kind="user")
    learning.sleep(ctx, "default", inline=True)
    for code, command in ((1, "npm test"), (0, "npm run test:unit")):
        said = {"kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "exit_code": code, "workspace": "shop",
                "session": "s9", "content": "Error: missing script: test" if code else "41 passed", "goal": "test"}  # fmt: skip
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(said))})
    learning.sleep(ctx, "default", inline=True)
    assert len(reading.list_beliefs(ctx, "default")) == 1
    with ctx.db.tenant("default") as session:
        held = session.execute(text("select count(*) from bio.audit where act = 'rule_held_back'")).scalar_one()
        kept = session.execute(text("select count(*) from bio.memories where content ilike '%test:unit%'")).scalar_one()
    assert (held, kept) == (1, 1)
    observe(ctx, "From now on always sign the delivery note.", kind="user")
    learning.sleep(ctx, "default", inline=True)
    assert len(reading.list_beliefs(ctx, "default")) == 2


def test_one_tenants_many_scopes_leave_room_for_the_others(ctx: Context) -> None:
    with ctx.db.tenant("b") as session:
        ensure_tenant(session, "b")

    def due(most_of_one: int) -> list[str]:
        with ctx.db.across() as session:
            found = cycles.due_work(
                session, min_new=1, max_wait=timedelta(minutes=5), crisis=0.7, most_of_one=most_of_one
            )
        return [d.tenant for d in found]

    for tenant, count in (("default", 30), ("b", 2)):
        with ctx.db.tenant(tenant) as session:
            for n in range(count):
                cycles.arrived(session, tenant, f"w{n}", "a", new=1, stress=0.0, directive=False, ended=False)
    assert due(4) == ["b", "default", "b", "default", "default", "default"]
    with ctx.db.tenant("default") as session:
        for n in range(3):
            cycles.open_cycle(session, "default", f"w{n}", "a", trigger="t", episode_ids=[], lease=timedelta(minutes=1))
    assert due(4).count("default") == 1, "three are in work already"
    with ctx.db.tenant("default") as session:
        session.execute(text("update bio.cycles set not_before = bio.now() + interval '1 minute'"))
        cycles.arrived(session, "default", "w29", "a", new=0, stress=0.0, directive=True, ended=False)
    assert due(4).count("default") == 4, "what rests holds no place"
    assert due(1).count("default") == 1


def test_too_many_that_wait_are_turned_away_before_they_are_accepted(ctx: Context) -> None:
    settings = ctx.settings.model_copy(update={"max_waiting": 3})
    with ctx.db.tenant("default") as session:
        cycles.arrived(session, "default", "w", "a", new=4, stress=0.0, directive=False, ended=False)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8055") as client:
        end, accepted = time.monotonic() + 20, 0
        while (answer := client.post("/api/ingest", json={"kind": "event", "content": "one more"})).status_code == 200:
            accepted += 1  # it looks to the side: a database that is away keeps nothing from being taken
            assert time.monotonic() < end
            time.sleep(0.05)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert ctx.redis.xlen("bio:obs:default") == accepted


# --------------------------------------------------------------------------------------------------------------- erasing


def texts(ctx: Context) -> str:
    """Every text that is stored, of memories, episodes and model calls."""
    with ctx.db.tenant("default") as session:
        return "\n".join(
            session.execute(
                text(
                    "select content || coalesce(meta::text, '') || tags::text || entities::text from bio.memories union all"
                    " select content || last_content from bio.episodes union all"
                    " select raw_input || raw_output || data::text from bio.model_calls union all select target from bio.edges"
                )
            ).scalars()
        )


def test_an_erased_turn_leaves_no_word_and_its_summary_is_made_anew(ctx: Context, http: TestClient) -> None:
    topics = ("the oven of the bakery", "the delivery van", "the till in the shop", "the new baker")
    turns = [f"Point {n}: {topics[n % 4]} is to be looked at again next week." for n in range(14)]
    turns[3] = "Point 3: Zanzibar Zoe from the bakery owes the new baker ninety pounds for the oven."
    ids = keep(ctx, *(memory(t, thread="talk", position=n, entities=["zanzibar"] if n == 3 else [])
                      for n, t in enumerate(turns)))  # fmt: skip
    dreams.dream(ctx, "default")
    with ctx.db.tenant("default") as session:
        summary = session.execute(text("select id from bio.memories where type = 'summary'")).scalar_one()
        session.execute(
            text("update bio.memories set content = content || ' Zoe owes ninety.' where id = :i"), {"i": summary}
        )
        graph.add(session, "default", [Edge(f"memory:{ids[3]}", "mentions", "entity:zanzibar zoe")])
        (note,) = (m.id for m in [memories.insert(session, memory("A note drawn from it."), {"note": 1})])
        graph.add(session, "default", [Edge(f"memory:{note}", "derived_from", f"memory:{ids[3]}")])
    assert http.post(f"/api/memories/{ids[3]}/erase").status_code == 403, "an act of a person"
    done = http.post(f"/api/memories/{ids[3]}/erase", headers=PERSON).json()
    assert set(done["erased"]) == {ids[3], summary}
    assert done["remade"] == [summary]
    assert done["recheck"] == [f"memory:{note}"], "what others drew from it waits for a look"
    assert not [w for w in ("Zanzibar", "zanzibar", "Zoe", "ninety") if w in texts(ctx)]
    again = http.post(f"/api/memories/{ids[3]}/erase", headers=PERSON)
    assert again.status_code == 404
    assert "made" not in again.text
    dreams.dream(ctx, "default")
    with ctx.db.tenant("default") as session:
        fresh = session.execute(
            text("select content, meta from bio.memories where type = 'summary' and state = 'active'")
        )
        content, meta = fresh.one()
        erased = session.execute(text("select count(*) from bio.audit where act = 'memory_erased'")).scalar_one()
        stones = session.execute(text("select count(*) from bio.tombstones where subject like 'memory:%'")).scalar_one()
    assert meta["turns"] == 13
    assert "Zoe" not in content
    assert (erased, stones) == (2, 2)


def test_with_a_memory_go_its_twins_and_the_observations_that_taught_nothing_else(
    ctx: Context, http: TestClient
) -> None:
    observe(ctx, "the Wakanda depot counted forty crates", "the gate of hall two is blue")
    learning.sleep(ctx, "default", inline=True)
    one, other = (e["id"] for e in reading.list_episodes(ctx, "default"))
    kept, twin, apart = keep(
        ctx, memory("The Wakanda depot has forty crates."),
        memory("Forty crates are at the Wakanda depot.", state="merged"), memory("The gate of hall two is blue."),
    )  # fmt: skip
    with ctx.db.tenant("default") as session:
        session.execute(text("delete from bio.memory_sources"))
        session.execute(text("delete from bio.memories where id <> all(:i)"), {"i": [kept, twin, apart]})
        session.execute(text("update bio.memories set superseded_by = :k where id = :i"), {"k": kept, "i": twin})
        memories.add_sources(session, "default", kept, [one, other])
        memories.add_sources(session, "default", apart, [other])
    done = http.post(f"/api/memories/{kept}/erase", headers=PERSON).json()
    assert (set(done["erased"]), done["observations"]) == ({kept, twin}, 1)
    left = texts(ctx)
    assert "Wakanda" not in left
    assert "gate of hall two" in left, "the other observation teaches something else"


@pytest.mark.parametrize("approved", [False, True])
def test_the_words_of_an_erased_directive_go_with_a_rule_that_no_person_approved(
    approved: bool, ctx: Context, http: TestClient
) -> None:
    kept = http.post("/api/remember", headers=PERSON, json={
        "content": "Never delete the ledger of the Wakanda depot.", "workspace": "shop", "user": "zoe", "speaker": "user",
    }).json()  # fmt: skip
    assert kept["directive"]
    learning.sleep(ctx, "default", inline=True)
    (rule,) = (r["id"] for r in reading.list_beliefs(ctx, "default"))
    if approved:
        http.post(f"/api/beliefs/{rule}/approve", headers=PERSON, json={})
    asked = {"workspace": "shop", "user": "zoe"}
    assert "Wakanda" in http.get("/api/persona", params=asked).json()["block"]
    done = http.post(f"/api/memories/{kept['id']}/erase", headers=PERSON).json()
    stands, went = ([f"belief:{rule}"], []) if approved else ([], [f"belief:{rule}"])
    assert (done["rules"], done["rules_erased"], done["observations"]) == (stands, went, 1)
    assert "Wakanda" not in texts(ctx)
    with ctx.db.tenant("default") as session:
        left = session.execute(
            text("select thread || user_id || agent from bio.memories where id = :i"), {"i": kept["id"]}
        ).scalar_one()
        words = "\n".join(
            session.execute(
                text(
                    "select cast(b as text) from bio.beliefs b union all select cast(h as text) from bio.belief_history h"
                    " union all select block from bio.persona_blocks union all select question from bio.reviews"
                    " union all select data::text from bio.audit"
                )
            ).scalars()
        )
    assert left == ""
    assert ("Wakanda" in words) is approved
    assert ("Wakanda" in http.get("/api/persona", params=asked).json()["block"]) is approved
    assert http.get(f"/api/beliefs/{rule}", headers=PERSON).status_code == (200 if approved else 404)


def test_a_rule_that_rests_on_another_observation_too_stands_when_one_is_erased(ctx: Context, http: TestClient) -> None:
    for session in ("s1", "s2"):
        said = {
            "kind": "user",
            "content": "From now on never delete the ledger.",
            "workspace": "shop",
            "session": session,
        }
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(said))})
        learning.sleep(ctx, "default", inline=True)
    (rule,) = (r["id"] for r in reading.list_beliefs(ctx, "default"))
    with ctx.db.tenant("default") as session:
        (memory_id,) = session.execute(text("select id from bio.memories where state = 'active'")).scalars()
        last = session.execute(text("select max(episode_id) from bio.memory_sources")).scalar_one()
        session.execute(text("delete from bio.memory_sources where episode_id = :e"), {"e": last})
        (other,) = (m.id for m in [memories.insert(session, memory("The ledger is kept."), {"ledger": 1})])
        memories.add_sources(session, "default", other, [last])
    done = http.post(f"/api/memories/{memory_id}/erase", headers=PERSON).json()
    assert (done["rules"], done["rules_erased"]) == ([f"belief:{rule}"], [])
    assert http.get(f"/api/beliefs/{rule}", headers=PERSON).status_code == 200


def test_cached_verdicts_are_erased_by_a_person_and_it_is_audited(ctx: Context, http: TestClient) -> None:
    rules = [
        http.post("/api/beliefs", headers=PERSON, json={"content": said}).json()
        for said in ("Deeds stay in the safe.", "A partner may carry a deed to court.", "Paint the door blue.")
    ]

    def cache() -> None:
        with ctx.db.tenant("default") as session:
            for a, b in ((0, 1), (1, 2)):
                key, _ = pair_key(rules[a]["content"], rules[b]["content"])
                if session.get(VerdictRow, ("default", key, "nli", PROMPT_VERSION)) is None:
                    session.add(VerdictRow(tenant="default", pair=key, model_id="nli", prompt_version=PROMPT_VERSION))

    def erase(**body: str) -> int:
        answer = http.post("/api/verdicts/erase", headers=PERSON, json=body)
        answer.raise_for_status()
        return int(answer.json()["erased"])

    cache()
    assert http.post("/api/verdicts/erase", json={}).status_code == 403
    assert erase(belief_id=rules[0]["id"], other_id=rules[1]["id"]) == 1
    assert erase(belief_id=rules[0]["id"]) == 0
    cache()
    assert erase(belief_id=rules[1]["id"]) == 2
    cache()
    assert erase(model_id="another") == 0
    assert erase() == 2
    entries = [e for e in reading.audit(ctx, "default")["entries"] if e["act"] == "verdicts_erased"]
    assert [(e["actor"], e["data"]["count"]) for e in entries] == [("owner", n) for n in (1, 0, 2, 0, 2)]
    refused = http.post("/api/verdicts/erase", headers=PERSON, json={"other_id": rules[0]["id"]})
    assert refused.status_code == 400
