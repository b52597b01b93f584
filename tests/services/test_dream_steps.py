"""The steps of a dream one by one, and forgetting."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs, graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.tables import MemoryRow
from tests.services.dreams import DAY, Clock, believe, did, keep, memory, observe, pair_rule, rows, state_of

pytestmark = pytest.mark.services


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
