"""The dream against a real Postgres: a simulated week, its bound and the question to a person, blackouts, forgetting."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import Celery
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlmodel import Session

from bio_agent_client.observation import to_wire, uuid7
from bio_agent_client.redact import prepare
from bio_agent_ops.service import dreams, learning
from bio_agent_ops.service.context import Conflict, Context
from bio_agent_schema import beliefs, graph, memories
from bio_agent_schema.db import ensure_tenant, move_clock
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import BeliefRow, EvidenceRow, MemoryRow, TenantRow
from bio_agent_workers import dreaming, pipeline, shell
from bio_agent_workers.dreaming import runs
from bio_agent_workers.dreaming.base import Batch, Night, Step
from bio_agent_workers.stages.reconcile import advance
from tests.services.owner import PERSON

pytestmark = pytest.mark.services

DAY = timedelta(days=1)


class Clock:
    """Moves the database's clock forward, for all."""

    def __init__(self, ctx: Context, admin_url: str) -> None:
        self.ctx, self.admin_url, self.shift = ctx, admin_url, timedelta(0)

    def now(self) -> datetime:
        with self.ctx.db.tenant("default") as session:
            return beliefs.now(session)

    def forward(self, by: timedelta) -> None:
        self.shift += by
        move_clock(self.admin_url, f"{self.shift.total_seconds()} seconds")

    def to_hour(self, hour: int) -> None:
        """To the next time that it is this hour (UTC)."""
        now = self.now()
        then = now.replace(hour=hour, minute=5, second=0, microsecond=0)
        self.forward((then if then > now else then + DAY) - now)


@pytest.fixture
def clock(ctx: Context, urls: dict[str, str]) -> Clock:
    return Clock(ctx, urls["ADMIN_URL"])


def observe(ctx: Context, clock: Clock, session: str, *given: dict[str, Any]) -> None:
    """Observations of one session at the clock's time, consolidated at once."""
    at = clock.now()
    for n, obs in enumerate(given):
        said = {"workspace": "shop", "session": session, "occurred_at": (at + timedelta(seconds=n)).isoformat()} | obs
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(said))})
    assert learning.sleep(ctx, "default", inline=True)["pending"] == 0


def ran(command: str, exit_code: int = 0, said: str = "done", **more: Any) -> dict[str, Any]:
    return {
        "kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "exit_code": exit_code, "content": said
    } | more  # fmt: skip


def ended(goal: str) -> dict[str, Any]:
    return {"kind": "outcome", "content": "The goal is reached.", "goal": goal}


def release(day: int) -> list[dict[str, Any]]:
    """A release as it is done each time, each time with another number, file and place."""
    return [
        ran("ls -la"),
        ran("npm run build", said="built in 4 s"),
        ran(f"docker push registry.shop.test/web:1.{day}", said="pushed"),
        ran(f"kubectl apply -f /srv/deploy/day-{day}.yaml", said="configured"),
        ended(f"release the web shop, build {4000 + day}"),
    ]


def memory(content: str, at: datetime, **more: Any) -> MemoryRow:
    given = {"kind": "semantic", "type": "semantic", "workspace": "shop"} | more
    return MemoryRow(
        tenant="default", id=uuid7(), content=content, occurred_at=at, confirmed_at=at, created_at=at, updated_at=at,
        valid_from=at, **given,
    )  # fmt: skip


def keep(ctx: Context, *rows: MemoryRow) -> list[str]:
    vectors = ctx.embedder.passages([m.content for m in rows])
    with ctx.db.tenant("default") as session:
        for m, vector in zip(rows, vectors, strict=True):
            m.embedding, m.embedding_model = vector, ctx.embedder.model_id
            memories.insert(session, m, {})
    return [m.id for m in rows]


def rows(ctx: Context, sql: str, **params: Any) -> list[Any]:
    with ctx.db.tenant("default") as session:
        return [tuple(r) for r in session.execute(text(sql), {"t": "default"} | params)]


def did(dreamt: dict[str, Any]) -> list[str]:
    return [f"{line['step']}: {line['did']}" for line in dreamt["journal"]]


def pair_rule(ctx: Context, failed: str, fixed: str, at: datetime, **more: Any) -> str:
    """A rule that a failure and its fix taught, with both as evidence."""
    (wrong,), (right,) = shell.parse_command(failed), shell.parse_command(fixed)
    acts = {"kind": "replace", "failed": asdict(wrong), "fixed": asdict(right), "between": [], "error_token": ""}
    return believe(
        ctx, f"`{failed}` failed; use `{fixed}`.", at, pair=True, acts=acts, canonical_key=f"{failed}|{fixed}", **more
    )


def believe(ctx: Context, content: str, at: datetime, support: int = 2, trust: str = "agent", **more: Any) -> str:
    given: dict[str, Any] = {"state": "reinforced", "layer": "project", "scope_path": "workspace:shop", "rank": trust,
                             "canonical_key": content, "compiled_confidence": 0.5}  # fmt: skip
    row = BeliefRow(
        tenant="default", id=uuid7(), content=content, created_at=at, updated_at=at, valid_from=at, **given | more
    )
    with ctx.db.tenant("default") as session:
        session.add(row)
        session.flush()
        beliefs.add_evidence(session, [
            EvidenceRow(tenant="default", belief_id=row.id, episode_id=f"{row.id}-{n}", trust=trust, speaker="a",
                        session=f"old-{n // 2}", pair=row.pair, at=at)
            for n in range(support)
        ])  # fmt: skip
        advance(session, row, at, review_mode=False)
    return row.id


def state_of(ctx: Context, belief_id: str) -> str:
    return str(rows(ctx, "select state from bio.beliefs where tenant = :t and id = :i", i=belief_id)[0][0])


# ------------------------------------------------------------------------------------------------------------ the week


def test_a_week_learns_a_skill_revalidates_and_archives_and_comes_to_rest(ctx: Context, clock: Clock) -> None:
    clock.to_hour(1)
    begun = clock.now()
    followed = pair_rule(ctx, "npm test", "npm run test:unit", begun - timedelta(hours=2))
    broken = pair_rule(ctx, "make deploy", "make release", begun - timedelta(hours=2))
    deprecated = believe(ctx, "Restart the queue by hand.", begun - 26 * DAY, state="deprecated")
    unproved = believe(ctx, "Warm the cache first.", begun - 27 * DAY, state="proposed", support=0, layer="adaptive")
    journal: list[dict[str, Any]] = []
    nights = 0
    for day in range(7):
        clock.to_hour(10)
        if day in (0, 2, 4):
            observe(ctx, clock, f"release-{day}", *release(day))
        if day == 3:
            observe(ctx, clock, "tests", ran("npm run test:unit", said="41 passed"))
        if day == 5:
            observe(ctx, clock, "deploys-1", ran("make deploy", said="deployed"))
            observe(ctx, clock, "deploys-2", ran("make deploy", said="deployed"))
        clock.to_hour(3)
        nights += dreaming.dream_due(ctx.runtime)
        assert dreaming.dream_due(ctx.runtime) == 0  # however many beats look
        journal += dreams.last(ctx, "default")["journal"]
    assert nights == 7

    skill = rows(
        ctx,
        "select id, content, kind, meta from bio.memories where tenant = :t and type = 'skill' and superseded_by is null",
    )
    assert len(skill) == 1
    skill_id, content, kind, meta = skill[0]
    assert kind == "procedural"
    assert meta["sessions"] == 3
    assert all(step in content for step in ("npm run build", "docker push", "kubectl apply"))
    assert not any(literal in content for literal in ("registry.shop.test", "/srv", "400", "1.0"))
    with ctx.db.tenant("default") as session:
        edges = graph.around(session, "default", f"memory:{skill_id}")
    from_episodes = {e.target for e in edges if e.relation == "derived_from" and e.target.startswith("episode:")}
    assert len(from_episodes) == 3

    by_rule = {
        b: [x["did"] for x in journal if x["subject"] == f"belief:{b}"]
        for b in (followed, broken, deprecated, unproved)
    }
    assert by_rule[followed][0] == "re-validated"
    assert by_rule[broken][0] == "spoken against"
    assert "reinforced → challenged" in by_rule[broken]
    assert by_rule[deprecated] == ["deprecated → archived"]
    assert by_rule[unproved] == ["proposed → archived"]
    assert all(x["why"] and x["text"] for x in journal if x["subject"].startswith(("belief:", "memory:")))

    again = dreams.dream(ctx, "default")
    assert (again["state"], again["changes"], again["journal"]) == ("done", 0, [])


def test_each_tenant_dreams_in_the_night_of_its_own_zone(ctx: Context, clock: Clock) -> None:
    with ctx.db.tenant("saigon") as session:
        ensure_tenant(session, "saigon")
        session.get_one(TenantRow, "saigon").time_zone = "Asia/Ho_Chi_Minh"
    clock.to_hour(20)  # 03:05 of the next day there, evening here
    dreaming.dream_due(ctx.runtime)
    with ctx.db.tenant("saigon") as session:
        there = runs.last(session, "saigon")
    assert there is not None
    assert there.slot == (clock.now() + DAY).date().isoformat()
    clock.to_hour(2)
    assert dreaming.due_slot(ctx.runtime, "default") == ""
    clock.to_hour(3)
    assert dreaming.due_slot(ctx.runtime, "default") == clock.now().date().isoformat()


def test_the_nightly_dream_can_be_switched_off(ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    clock.to_hour(4)
    app = Celery("dream-test")
    pipeline.register(app)
    off = ctx.settings.model_copy(update={"enable_dream_cycle": False})
    for settings, dreamt in ((off, 0), (ctx.settings, 1)):
        monkeypatch.setattr(pipeline, "open_runtime", lambda _, s=settings: replace(ctx.runtime, settings=s))
        sent: list[tuple[str, tuple[str, ...]]] = []
        monkeypatch.setattr(app, "send_task", lambda name, args=(), to=sent: to.append((name, tuple(args))))
        assert app.tasks["bio.dream_look"]() == dreamt
    monkeypatch.setattr(dreaming, "SLICE_S", 0.0)
    slices = 0
    while sent[-1][0] == "bio.dream" and slices < 50:
        name, args = sent.pop()
        app.tasks[name](*args)
        slices += 1
        if sent[-1][0] == "bio.dream":
            assert app.tasks["bio.dream_look"]() == 0, "it is under way between two slices, and is not sent twice"
    assert slices >= len(dreaming.STEPS), "each page gives way to what waits behind it"
    assert sent == [("bio.dream_look", ())]
    assert dreams.last(ctx, "default")["state"] == "done"
    assert app.tasks["bio.dream_look"]() == 0, "once a night, however many beats look"


def test_few_dreams_run_at_once_and_the_longest_undreamt_comes_first(ctx: Context, clock: Clock) -> None:
    for name in ("a", "b", "c"):
        with ctx.db.tenant(name) as session:
            ensure_tenant(session, name)
    clock.to_hour(4)
    tonight = clock.now().date().isoformat()
    dreaming.dream(ctx.runtime, "a", "request-1")
    assert [t for t, _ in dreaming.due(ctx.runtime)] == ["b", "c"]
    for name in ("b", "c", "default"):
        dreaming.dream(ctx.runtime, name, tonight, slice_s=0.0 if name == "b" else None)
    assert dreaming.due(ctx.runtime) == [("a", tonight)], "b is under way, and counts"


# ----------------------------------------------------------------------------------------------------- bound and person


def test_beyond_the_nights_allowance_it_asks_a_person(ctx: Context, clock: Clock, http: TestClient) -> None:
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(60)))
    before = rows(ctx, "select count(*) from bio.memories where tenant = :t")[0][0]
    asked = http.post("/api/dream").json()
    assert (asked["state"], asked["changes"]) == ("asking", runs.CHANGE_FLOOR)
    assert "apply_retention" not in asked["steps"]
    question = rows(ctx, "select question from bio.reviews where tenant = :t and kind = 'dream' and state = 'open'")
    assert len(question) == 1
    assert "at least 10 more" in question[0][0]
    again = http.post("/api/dream")
    assert again.status_code == 409
    assert "waits for a person" in again.json()["detail"]
    assert http.post("/api/dream/continue").status_code in (401, 403)
    went_on = http.post("/api/dream/continue", headers=PERSON, json={"why": "old crates"}).json()
    assert (went_on["state"], went_on["changes"]) == ("done", 60)
    assert rows(ctx, "select count(*) from bio.memories where tenant = :t")[0][0] == before
    assert rows(ctx, "select count(*) from bio.memories where tenant = :t and state = 'cold'")[0][0] == 60
    assert not rows(ctx, "select 1 from bio.reviews where tenant = :t and kind = 'dream' and state = 'open'")
    assert http.post("/api/dream/continue", headers=PERSON).status_code == 409


def test_a_person_can_stop_it_and_asking_again_the_same_night_changes_nothing(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(60)))
    assert dreams.dream(ctx, "default")["state"] == "asking"
    with ctx.db.tenant("default") as session:
        stopped = runs.decide(session, "default", go_on=False, actor="person:test")
    assert stopped is not None
    assert stopped.state == "stopped"
    with pytest.raises(Conflict, match="stopped"):
        dreams.dream(ctx, "default")
    assert (
        rows(ctx, "select count(*) from bio.memories where tenant = :t and state = 'cold'")[0][0] == runs.CHANGE_FLOOR
    )
    clock.forward(DAY)
    assert dreams.dream(ctx, "default")["changes"] == 10


def test_many_requests_of_one_night_share_one_allowance(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, *(memory(f"On day {n} crate number {n * 7919} came in late.", old, kind="episodic") for n in range(40)))
    assert dreams.dream(ctx, "default")["changes"] == 40
    keep(ctx, *(memory(f"On day {n} truck number {n * 7907} left early.", old, kind="episodic") for n in range(40)))
    second = dreams.dream(ctx, "default")
    assert (second["state"], second["changes"]) == ("asking", 10)


# ------------------------------------------------------------------------------------------------------------ blackouts


def test_in_a_blackout_no_dream_starts(ctx: Context, clock: Clock, http: TestClient) -> None:
    clock.to_hour(4)
    refused = http.post("/api/dream/times", headers=PERSON, json={"blackouts": [{"form": "08:00"}]})
    assert refused.status_code == 400
    assert "no field 'form'" in refused.json()["detail"]
    assert http.post("/api/dream/times", json={"blackouts": []}).status_code in (401, 403)
    window = {"from": "03:30", "to": "06:00"}
    http.post("/api/dream/times", headers=PERSON, json={"blackouts": [window], "time_zone": "UTC"}).raise_for_status()
    state = http.get("/api/state").json()["dream"]
    assert state["blackouts"] == [window]
    assert state["blackout_until"].startswith(clock.now().date().isoformat() + "T06:00")
    answer = http.post("/api/dream")
    assert answer.status_code == 409
    assert "does not dream until" in answer.json()["detail"]
    assert dreaming.dream_due(ctx.runtime) == 0
    clock.to_hour(6)
    assert dreaming.dream_due(ctx.runtime) == 1


def test_a_dream_that_a_blackout_meets_rests_and_goes_on_after_it(ctx: Context, clock: Clock) -> None:
    clock.to_hour(4)
    old = clock.now() - 120 * DAY
    keep(ctx, memory("The crates came late.", old, kind="episodic"))
    tonight = clock.now().date().isoformat()

    def close(session: Session, night: Night, loaded: object, allowed: int) -> Batch:
        session.get_one(TenantRow, "default").blackouts = [{"from": "04:00", "to": "08:00"}]
        return Batch([])

    closing = Step("closing", "a window begins", lambda *_: None, close)
    rested = dreaming.dream(ctx.runtime, "default", tonight, [closing, dreaming.STEPS["apply_retention"]])
    assert (rested["state"], rested["steps"]) == ("running", ["closing"])
    assert dreaming.due_slot(ctx.runtime, "default") == ""
    clock.to_hour(8)
    assert dreaming.dream_due(ctx.runtime) == 1
    assert "apply_retention: cooled" in did(dreams.last(ctx, "default", tonight))


# ---------------------------------------------------------------------------------------------------------------- steps


def test_twins_merge_and_what_differs_stays_apart(ctx: Context, clock: Clock) -> None:
    at = clock.now() - timedelta(hours=1)
    said = "The invoice printer of the warehouse is on the second floor."
    first, twin = keep(ctx, memory(said, at), memory("The warehouse's invoice printer is on the second floor.", at))
    apart = [
        memory("The invoice printer of the warehouse is on floor 3.", at),
        memory(said, at, user_id="somebody"),
        memory(said, at, workspace="other"),
        memory(said, at, kind="episodic"),
        memory(said, at, thread="talk", position=3),
        memory("Ship on Fridays.", at), memory("Never ship on Fridays.", at),
    ]  # fmt: skip
    keep(ctx, *apart)
    (owners,) = keep(ctx, memory("The scales stand by the door.", at, provenance="owner"))
    (pages,) = keep(ctx, memory("The scales stand by the door.", at - DAY, provenance="untrusted"))
    with ctx.db.tenant("default") as session:
        memories.add_sources(session, "default", twin, ["e-twin"])
    dreamt = dreams.dream(ctx, "default")
    merged = {x["subject"]: x["into"] for x in dreamt["journal"] if x["did"] == "merged"}
    assert merged.pop(f"memory:{pages}") == f"memory:{owners}"
    assert merged == {f"memory:{twin}": f"memory:{first}"}
    with ctx.db.tenant("default") as session:
        assert memories.sources_of(session, "default", [first]) == {first: ["e-twin"]}
        kept, gone = session.get_one(MemoryRow, ("default", first)), session.get_one(MemoryRow, ("default", twin))
    assert (kept.confirmations, gone.state, gone.superseded_by) == (1, "merged", first)
    assert gone.content


def test_a_rule_nothing_touched_for_long_is_looked_at_again(ctx: Context, clock: Clock) -> None:
    long_ago = clock.now() - 60 * DAY
    founded = pair_rule(ctx, "npm test", "npm run test:unit", long_ago)
    thin = believe(ctx, "Restart the cache after a release.", long_ago, support=1, compiled_confidence=0.3)
    owners = believe(ctx, "Never deploy on Fridays.", long_ago, trust="owner", directive=True, support=1)
    dreamt = dreams.dream(ctx, "default")
    told = {x["subject"]: x["did"] for x in dreamt["journal"] if x["step"] == "revalidate_beliefs"}
    assert told == {f"belief:{founded}": "re-validated", f"belief:{thin}": "reinforced → challenged"}
    assert state_of(ctx, owners) in ("reinforced", "stable")
    assert (
        "Does it still hold?"
        in rows(ctx, "select question from bio.reviews where tenant = :t and kind = 'stale'")[0][0]
    )
    clock.forward(29 * DAY)
    assert not [x for x in dreams.dream(ctx, "default")["journal"] if x["step"] == "revalidate_beliefs"]


def test_open_conflicts_are_judged_by_what_is_known_now(ctx: Context, clock: Clock) -> None:
    at = clock.now() - timedelta(hours=3)
    # Edited since: they hold at different times. Said anew since: one has far more behind it. Nothing in common: who
    # drew that edge knew why, and without a judge it stays.
    edited = (
        believe(ctx, "Until December 2026 invoices carry 8 % VAT.", at),
        believe(ctx, "From January 2027 invoices carry 10 % VAT.", at),
    )
    strong, weak = (
        believe(ctx, "Always rebase before you merge.", at, support=6),
        believe(ctx, "Never rebase before you merge.", at),
    )
    open_ = believe(ctx, "Label the crates in blue.", at), believe(ctx, "Pay suppliers within ten days.", at)
    with ctx.db.tenant("default") as session:
        for pair in (edited, (strong, weak), open_):
            first, second = sorted(f"belief:{i}" for i in pair)
            graph.add(session, "default", [Edge(first, "conflicts_with", second)])
            beliefs.open_review(session, "default", "tie", *pair, question="Which holds?")
    dreamt = dreams.dream(ctx, "default")
    told = [x["did"] for x in dreamt["journal"] if x["step"] == "recheck_conflicts"]
    assert sorted(told) == ["closed a question", "let go", "reinforced → deprecated"]
    assert state_of(ctx, weak) == "deprecated"
    assert state_of(ctx, strong) in ("reinforced", "stable")
    with ctx.db.tenant("default") as session:
        left = [e for e in graph.whole(session, "default") if e.relation == "conflicts_with"]
    assert not [e for e in left if f"belief:{edited[0]}" in (e.source, e.target)]
    assert [e for e in left if f"belief:{open_[0]}" in (e.source, e.target)]
    closed = rows(ctx, "select belief_id, other_id from bio.reviews where tenant = :t and state = 'decided'")
    assert {i for row in closed for i in row} == {*edited, strong, weak}
    assert dreams.dream(ctx, "default")["journal"] == []


def test_a_long_conversation_gets_a_summary_and_a_new_one_when_it_has_grown(ctx: Context, clock: Clock) -> None:
    at = clock.now() - timedelta(hours=5)
    topics = ("the oven of the bakery", "the delivery van", "the till in the shop", "the new baker")

    def turn(n: int) -> MemoryRow:
        said = (
            f"We talked about {topics[n % 4]} and agreed on point {n}: it is to be checked again before the holidays."
        )
        return memory(said, at, kind="episodic", type="turn", thread="talk", position=n)

    turns = keep(ctx, *(turn(n) for n in range(14)))
    assert [x for x in did(dreams.dream(ctx, "default")) if "summaries" in x] == ["refresh_summaries: summarised"]
    query = (
        "select id, content, meta, superseded_by from bio.memories where tenant = :t and type = 'summary' order by id"
    )
    ((first, content, meta, _),) = rows(ctx, query)
    assert meta["turns"] == 14
    assert meta["told_by"] == "extract"
    assert all(topic in content for topic in topics)
    with ctx.db.tenant("default") as session:
        rests_on = {
            e.target for e in graph.around(session, "default", f"memory:{first}") if e.relation == "derived_from"
        }
    assert rests_on == {f"memory:{i}" for i in turns}
    keep(ctx, *(turn(n) for n in range(14, 17)))
    assert not [x for x in did(dreams.dream(ctx, "default")) if "summaries" in x]
    keep(ctx, *(turn(n) for n in range(17, 21)))
    assert [x for x in did(dreams.dream(ctx, "default")) if "summaries" in x] == ["refresh_summaries: summarised"]
    old, new = rows(ctx, query)
    assert old[3] == new[0]
    assert dreams.dream(ctx, "default")["journal"] == []


def test_edges_that_lead_nowhere_go_and_the_others_stay(ctx: Context, clock: Clock) -> None:
    (kept,) = keep(ctx, memory("The oven is new.", clock.now()))
    alive = Edge(f"memory:{kept}", "mentions", "entity:oven")
    with ctx.db.tenant("default") as session:
        graph.add(session, "default", [
            alive, Edge("memory:gone", "mentions", "entity:oven"), Edge("memory:gone", "derived_from", "episode:e1"),
            Edge(f"memory:{kept}", "derived_from", "belief:gone"),
        ])  # fmt: skip
    dreamt = dreams.dream(ctx, "default")
    assert sorted(x["subject"] for x in dreamt["journal"]) == ["belief:gone", "memory:gone"]
    with ctx.db.tenant("default") as session:
        assert [(e.source, e.target) for e in graph.whole(session, "default")] == [(alive.source, alive.target)]


def test_the_journal_keeps_no_text_of_what_is_erased_later(ctx: Context, clock: Clock) -> None:
    (cooled,) = keep(ctx, memory("The crates came late in spring.", clock.now() - 200 * DAY, kind="episodic"))
    told = dreams.dream(ctx, "default")["journal"]
    assert [x["text"] for x in told] == ["The crates came late in spring."]
    with ctx.db.tenant("default") as session:
        session.execute(text("update bio.memories set content = '', state = 'erased' where tenant = 'default'"))
    assert [x["text"] for x in dreams.last(ctx, "default")["journal"] if x["subject"] == f"memory:{cooled}"] == [""]
    assert "spring" not in str(rows(ctx, "select journal from bio.dream_runs where tenant = :t"))


# ----------------------------------------------------------------------------------------------------------- forgetting


def test_what_is_forgotten_is_gone_from_the_model_calls_too(ctx: Context, clock: Clock) -> None:
    secret = "the courier whistled a tune about pelicans"
    observe(ctx, clock, "s1", {"id": "trivial", "kind": "event", "content": secret},
            {"id": "owner", "kind": "user", "content": "From now on always weigh the crates twice."})  # fmt: skip
    assert secret in str(rows(ctx, "select raw_input from bio.model_calls where tenant = :t"))
    for n in range(8):
        clock.forward(timedelta(hours=2))
        observe(
            ctx, clock, f"later-{n}", {"kind": "state", "content": f"the belt runs at speed {n} today in hall {n * 3}"}
        )
    state = rows(ctx, "select state, content, content_hash from bio.episodes where tenant = :t and id = 'trivial'")[0]
    assert tuple(state) == ("forgotten", "", "")
    calls = rows(
        ctx,
        "select raw_input, raw_output, data from bio.model_calls where tenant = :t and 'trivial' = any(episode_ids)",
    )
    assert calls
    assert "pelicans" not in str(calls)
    assert "weigh the crates" in str(calls)
    (hashed, reason, happened) = rows(
        ctx,
        "select keyed_hash, reason, occurred_at from bio.tombstones where tenant = :t and subject = 'episode:trivial'",
    )[0]
    assert len(hashed) == 64
    assert happened is not None
    audited = rows(
        ctx, "select cause, data from bio.audit where tenant = :t and act = 'forgotten' and episode_id = 'trivial'"
    )
    assert [(c, d["hash"]) for c, d in audited] == [(reason, hashed)]
    # The same observation once more is a repeat, no conflict, and brings nothing back.
    observe(ctx, clock, "s1", {"id": "trivial", "kind": "event", "content": secret})
    assert not rows(ctx, "select 1 from bio.audit where tenant = :t and act = 'id_conflict'")
    assert "pelicans" not in str(rows(ctx, "select content from bio.episodes where tenant = :t"))


def test_the_settings_of_forgetting_are_honoured(ctx: Context, clock: Clock) -> None:
    patient = ctx.settings.model_copy(update={"default_ttl": 100})
    ctx.__dict__["runtime"] = replace(ctx.runtime, settings=patient)
    observe(ctx, clock, "s1", {"id": "trivial", "kind": "event", "content": "the courier whistled a tune"})
    for n in range(8):
        clock.forward(timedelta(hours=2))
        observe(
            ctx, clock, f"later-{n}", {"kind": "state", "content": f"the belt runs at speed {n} today in hall {n * 3}"}
        )
    assert rows(ctx, "select content from bio.episodes where tenant = :t and id = 'trivial'")[0][0]
