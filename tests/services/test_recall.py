"""Recall on a real database: languages, filters, times, what was replaced, what contradicts, bounds, and the index."""

from __future__ import annotations

import json
import threading
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from bio_agent_ops.auth import Caller
from bio_agent_ops.bench import recall_material as material
from bio_agent_ops.eval import conversation_sets
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import recalling, remembering
from bio_agent_ops.service.context import Context
from bio_agent_schema import graph, memories, memory_search, memory_sizes, vectors
from bio_agent_schema.db import ensure_tenant
from bio_agent_schema.graph import Edge
from bio_agent_workers.brain.retrieval import search_terms
from bio_agent_workers.models import reranking
from bio_agent_workers.runner import Runtime
from tests.services.bag_embedder import BagEmbedder

OWNER = Caller("default", "owner", True, "owner")
DAY = timedelta(days=1)


@pytest.fixture
def house(ctx: Context) -> Context:
    """The context with a cheap embedder, which knows words only."""
    runtime = ctx.runtime
    models = replace(runtime.models, embedder=BagEmbedder())
    ctx.__dict__["runtime"] = Runtime(ctx.db, models, ctx.settings)
    return ctx


def now() -> datetime:
    return datetime.now(UTC)


def keep(ctx: Context, content: str, caller: Caller = OWNER, **more: Any) -> str:
    return str(remembering.remember(ctx, caller, Remember(content=content, **more))["id"])


def ask(ctx: Context, query: str, tenant: str = "default", **more: Any) -> list[dict[str, Any]]:
    return list(recalling.recall(ctx, tenant, Recall(query=query, **more))["memories"])


def whole(ctx: Context, query: str, **more: Any) -> dict[str, Any]:
    return recalling.recall(ctx, "default", Recall(query=query, **more))


def found(ctx: Context, query: str, **more: Any) -> list[str]:
    return [m["id"] for m in ask(ctx, query, **more)]


NOISE = (
    "The canteen serves noodle soup on Tuesdays.",
    "会议室的投影仪已经修好了。",
    "Chuyến xe buýt cuối cùng rời bến lúc chín giờ tối.",
    "Painting of the hallway begins after the holidays.",
)
MARKED = "Hạn nộp báo cáo thuế quý là ngày ba mươi tháng tư."


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("The backup of the invoices runs on the cold storage node.", "where does the invoice backup run"),
        ("订单数据库每天凌晨三点备份到异地机房。", "订单数据库什么时候备份"),
        (MARKED, "hạn nộp báo cáo thuế"),
        (MARKED, "han nop bao cao thue"),
        (unicodedata.normalize("NFD", MARKED), unicodedata.normalize("NFC", "hạn nộp báo cáo thuế")),
        (MARKED, unicodedata.normalize("NFD", "hạn nộp báo cáo thuế")),
        ("Call rotate_signing_keys() before a release.", "rotate_signing_keys"),
        ("The limiter is configured in deploy/helm/values-prod.yaml.", "values-prod.yaml"),
        ("Gateways answer with ERR_POOL_4471 when all sockets are taken.", "ERR_POOL_4471"),
        ("The class PaymentRetryPolicy holds the delays.", "payment retry policy"),
    ],
)
def test_words_of_every_kind_are_found(house: Context, said: str, query: str) -> None:
    for other in NOISE:
        keep(house, other)
    wanted = keep(house, said)
    got = ask(house, query)
    assert got[0]["id"] == wanted
    assert got[0]["why"]["routes"]["words"] > 0


def test_an_unrelated_question_brings_nothing(house: Context) -> None:
    for said in (*NOISE, MARKED):
        keep(house, said)
    assert ask(house, "quantum chromodynamics lattice spacing") == []
    assert ask(house, "火星车的轮胎压力") == []


def test_long_turns_before_the_question_do_not_push_it_out(house: Context) -> None:
    for other in NOISE:
        keep(house, other)
    wanted = keep(house, "The cold room is cleaned by Mai on Thursdays.")
    before = ["So about the harbour, its cranes and its tides: " + "the tide turns twice a day there. " * 200] * 3
    assert found(house, "Who does the cleaning of the cold room?", turns=before)[0] == wanted
    read = recalling.to_embed("\n".join([*before, "Who does the cleaning of the cold room?"]))
    assert len(read) <= recalling.EMBEDDED
    assert read.endswith("Who does the cleaning of the cold room?")


def test_a_question_that_does_not_stand_for_itself_is_read_with_the_turns_before(house: Context) -> None:
    for other in NOISE:
        keep(house, other)
    wanted = keep(house, "The cold room is cleaned by Mai on Thursdays.")
    assert found(house, "Who does it?") == []
    assert found(house, "Who does it?", turns=["Then the cleaning of the cold room."])[0] == wanted


def test_tenants_see_only_their_own(house: Context) -> None:
    with house.db.tenant("other") as session:
        ensure_tenant(session, "other")
    mine = keep(house, "The vault of the north office opens with two people.")
    theirs = keep(house, "The vault of the south office opens with one person.", replace(OWNER, tenant="other"))
    assert found(house, "who opens the vault of the office") == [mine]
    assert found(house, "who opens the vault of the office", tenant="other") == [theirs]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"type": "preference"}, {"kind": ["preference"]}),
        ({"type": "runbook"}, {"type": "runbook"}),
        ({"workspace": "web"}, {"workspace": "web"}),
        ({"tags": ["release", "safety"]}, {"tags": ["release"]}),
        ({"source": "wiki"}, {"source": "wiki"}),
        ({"user": "ana"}, {"user": "ana"}),
        ({"occurred_at": "old"}, {"until": "old"}),
        ({}, {"since": "old"}),
    ],
)
def test_each_filter(house: Context, given: dict[str, Any], asked: dict[str, Any]) -> None:
    old = now() - 30 * DAY
    given = {k: old if v == "old" else v for k, v in given.items()}
    asked = {k: old + DAY if v == "old" else v for k, v in asked.items()}
    opposite: dict[str, Any] = (
        {"occurred_at": old} if not given else {"workspace": "api", "source": "chat", "tags": ["x"], "user": "ben"}
    )
    keep(house, "Deploys of the shop use the blue lane.", type="goal", **opposite)
    wanted = keep(house, "Deploys of the shop in May used the green lane.", **given)
    assert found(house, "which lane do deploys of the shop use", **asked) == [wanted]


def replaced(ctx: Context) -> tuple[str, str]:
    """A fact of ten days ago and the one that replaced it five days ago."""
    older = keep(ctx, "The rate limit of the public API is 100 requests.", occurred_at=now() - 10 * DAY)
    newer = keep(ctx, "The rate limit of the public API is now 250 requests.", occurred_at=now() - 5 * DAY)
    return older, newer


def test_what_was_replaced_stays_below_and_says_so(house: Context) -> None:
    older, newer = replaced(house)
    got = ask(house, "rate limit of the public API 100 requests")
    assert [m["id"] for m in got] == [newer, older]
    assert [m["superseded_by"] for m in got] == [None, newer]


def test_of_facts_told_again_the_newest_comes_first(house: Context) -> None:
    (told,) = [conversation_sets.fact_consolidation(conversation_sets.made_facts(7, subjects=6), 0)]
    for turn in told.turns:
        keep(house, turn.text, type="turn", thread="facts", position=turn.position, origin=turn.id, occurred_at=turn.at)
    for question in told.questions:
        order = [m["origin"] for m in ask(house, question.text, limit=10)]
        assert question.newer[0] in order
        assert all(order.index(question.newer[0]) < order.index(o) for o in question.older if o in order)


def test_one_long_message_does_not_fill_the_answer(house: Context) -> None:
    long = "\n\n".join(
        f"The ferry to island {n} leaves pier {n} at {n} o'clock and takes an hour. " * 4 for n in range(8)
    )
    keep(house, long, thread="a", position=0, origin="long")
    keep(house, "The ferry ticket is sold on board.", thread="b", position=0, origin="short")
    answer = whole(house, "ferry", limit=4)
    assert "short" in [m["origin"] for m in answer["memories"]]
    assert [s["thread"] for s in answer["sessions"]] == ["a", "b"] or [s["thread"] for s in answer["sessions"]] == [
        "b",
        "a",
    ]


def test_a_question_about_history_reaches_what_was_replaced(house: Context) -> None:
    older, _ = replaced(house)
    assert older in found(house, "what was the rate limit of the public API previously", limit=2)


def test_a_chain_of_replacements_is_followed_to_its_end(house: Context) -> None:
    older, newer = replaced(house)
    newest = keep(house, "The rate limit of the public API was raised, now 400 requests.", occurred_at=now() - DAY)
    assert found(house, "rate limit of the public API 100 requests") == [newest, newer, older]


def test_as_of_a_time_shows_what_held_then(house: Context) -> None:
    older, newer = replaced(house)
    (then,) = ask(house, "rate limit of the public API", at=now() - 7 * DAY)
    assert then["id"] == older
    assert then["superseded_by"] is None
    assert found(house, "rate limit of the public API", at=now() - DAY) == [newer]
    assert found(house, "rate limit of the public API", at=now() - 20 * DAY) == []


def test_what_contradicts_is_shown_together_and_says_so(house: Context) -> None:
    one = keep(house, "Always restart the payment gateway after a deploy.", occurred_at=now() - 3 * DAY)
    for n, word in enumerate(("cache", "queue", "index")):
        keep(house, f"Payment gateway {word} {n}: look at its own page.", type="event")
    other = keep(house, "Never restart the payment gateway after a deploy.", occurred_at=now() - 2 * DAY)
    got = ask(house, "restart the payment gateway after a deploy")
    by_id = {m["id"]: m for m in got}
    assert by_id[one]["conflicts_with"] == [other]
    assert by_id[other]["conflicts_with"] == [one]
    assert abs([m["id"] for m in got].index(one) - [m["id"] for m in got].index(other)) == 1
    assert by_id[one]["superseded_by"] is None
    alone = ask(house, "restart the payment gateway after a deploy", limit=1)
    assert "conflicts_with" not in alone[0]


def derived(ctx: Context, ground: str, content: str, kind: str = "semantic") -> str:
    made = keep(ctx, content, type=kind)
    with ctx.db.tenant("default") as session:
        graph.add(session, "default", [Edge(f"memory:{made}", "derived_from", f"memory:{ground}")])
    return made


def test_what_rests_on_a_replaced_fact_is_unknown_since(house: Context) -> None:
    older = keep(house, "The rate limit of the public API is 100 requests.", occurred_at=now() - 10 * DAY)
    drawn = derived(house, older, "Importing a catalogue needs forty minutes.")
    told = derived(house, older, "Importing a catalogue was tried on a Monday.", kind="event")
    before = {m["id"]: m for m in ask(house, "importing a catalogue")}
    assert "unknown_since" not in before[drawn]
    assert "forty" in before[drawn]["content"]
    keep(house, "The rate limit of the public API is now 250 requests.", occurred_at=now() - 5 * DAY)
    after = {m["id"]: m for m in ask(house, "importing a catalogue")}
    assert abs(after[drawn]["unknown_since"] - (now() - 5 * DAY)) < DAY
    assert "forty" not in after[drawn]["content"]
    assert after[drawn]["content"].startswith("Unknown since")
    assert "Monday" in after[told]["content"]  # what happened stays told
    assert "unknown_since" in after[told]
    then = {m["id"]: m for m in ask(house, "importing a catalogue", at=now() + timedelta(seconds=1))}
    assert "unknown_since" in then[drawn]


def test_what_rests_on_a_deleted_memory_is_unknown_since(house: Context) -> None:
    ground = keep(house, "The supplier delivers on Wednesdays.")
    drawn = derived(house, ground, "Stocktaking fits best on Thursdays.")
    with house.db.tenant("default") as session:
        session.execute(text("delete from bio.memories where tenant = 'default' and id = :i"), {"i": ground})
    (got,) = ask(house, "when does stocktaking fit best")
    assert got["id"] == drawn
    assert got["unknown_since"] is not None
    assert "Thursdays" not in got["content"]


def test_what_is_told_many_times_at_once_is_kept_once(house: Context) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(lambda _: keep(house, "The north gate opens at 06:30."), range(8)))
    assert len(ids) == 1
    assert found(house, "when does the north gate open") == list(ids)


def test_a_token_budget_bounds_the_answer(house: Context) -> None:
    for n in range(6):
        keep(house, f"Shelf {n} of the archive holds the ledgers of year {1990 + n}.", type="event")
    answer = whole(house, "ledgers of the archive")
    assert len(answer["memories"]) == 6
    assert "tokens" not in answer
    small = whole(house, "ledgers of the archive", token_budget=40)
    assert small["tokens"] <= 40
    assert 0 < len(small["memories"]) < 6
    assert small["left_out"] == 6 - len(small["memories"])


def test_ids_and_words_cannot_break_out_of_the_statement(house: Context) -> None:
    keep(house, "A quote ' and a percent % and :colon stand in this note.")
    assert len(ask(house, "the note with a quote ' or 1=1 -- and :colon and %s", source="it's", limit=3)) == 0
    assert len(ask(house, "note with quote ' percent % :colon")) == 1


# ------------------------------------------------------------------------------------------------------------ size


@pytest.fixture
def large(house: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Context:
    """Two tenants beyond the exact scan's bound, which is lowered: 400 memories and 150; and the topics' embedder."""
    monkeypatch.setattr(memory_sizes, "EXACT_UP_TO", 100)
    models = replace(house.runtime.models, embedder=material.TopicEmbedder())
    house.__dict__["runtime"] = Runtime(house.db, models, house.settings)
    with psycopg.connect(urls["ADMIN_URL"].replace("+psycopg", "", 1)) as connection:
        for tenant, count in (("many", 400), ("more", 150)):
            with house.db.tenant(tenant) as session:
                ensure_tenant(session, tenant)
                vectors.settle(session, tenant, material.TopicEmbedder.model_id)
            material.fill(connection, tenant, count)
    return house


def search(
    ctx: Context, tenant: str, query: str, *, narrow: bool = False, **filters: Any
) -> dict[str, memory_search.Raw]:
    embedder = ctx.embedder
    with ctx.db.tenant(tenant) as session:
        size = memory_sizes.size(session, tenant, embedder.model_id)
        return memory_search.routes(
            session, tenant, vector=embedder.query(query), model=embedder.model_id, terms=[], entities=[], filters=filters,
            size=size, narrow=narrow, k1=search_terms.K1, b=search_terms.B, most=20,
        )  # fmt: skip


def test_the_index_of_one_tenant_gives_what_comparing_all_gives(large: Context) -> None:
    model, dimensions = large.embedder.model_id, large.embedder.dimensions
    for tenant in ("many", "more"):
        with large.db.tenant(tenant) as session:
            assert not memory_sizes.size(session, tenant, model).indexed
            assert vectors.want_index(session, tenant, model, dimensions)
            assert not vectors.want_index(session, tenant, model, dimensions)
            assert memory_sizes.size(session, tenant, model).indexed
    hits = wanted = 0
    for query in material.queries("many", 400, 10):
        exact = search(large, "many", query, narrow=True)
        best = sorted(exact, key=lambda i: -(exact[i].vector or 0))[:10]
        by_index = search(large, "many", query)
        hits += len(set(best) & set(by_index))
        wanted += len(best)
    assert hits >= 0.95 * wanted
    assert len(search(large, "more", "anything at all")) == 20  # a tenant's index holds that tenant's memories


def test_where_the_index_gives_too_few_all_are_compared(large: Context) -> None:
    with large.db.tenant("many") as session:
        vectors.want_index(session, "many", large.embedder.model_id, large.embedder.dimensions)
        session.execute(text("update bio.memories set source = 'rare' where tenant = 'many' and id like '%7'"))
    assert len(search(large, "many", "anything", source="rare")) == 20
    assert len(search(large, "many", "anything", source="nowhere")) == 0


def test_a_small_tenant_beside_large_ones_gets_its_own(large: Context) -> None:
    with large.db.tenant("many") as session:
        vectors.want_index(session, "many", large.embedder.model_id, large.embedder.dimensions)
    mine = keep(large, "bafuda kelimo note of the small tenant")
    assert found(large, "bafuda kelimo note") == [mine]


def test_frequent_words_are_not_read_in_full_and_weigh_as_before(large: Context) -> None:
    frequent = search_terms.terms(material.word(0)).popitem()[0]
    rare = "zebrafish"
    with large.db.tenant("many") as session:
        memories.set_terms(session, "many", "bench-00000003", {rare: 1, frequent: 1})
        size = memory_sizes.size(session, "many", "none")
        counts = memory_sizes.matching(session, "many", [rare, frequent])
        assert counts[frequent] > 50

        def ask_words(frequencies: dict[str, int] | None) -> dict[str, memory_search.Raw]:
            return memory_search.routes(
                session, "many", vector=None, model="none", terms=[rare, frequent], entities=[], filters={}, size=size,
                frequencies=frequencies, k1=1.2, b=0.75,
            )  # fmt: skip

        plan = memory_search.to_read(counts, [rare, frequent], budget=20)
        assert plan == {rare: 1, frequent: 0}
        uncut = ask_words(None)["bench-00000003"]
        cut = ask_words({rare: 1, frequent: memory_sizes.POSTINGS + counts[frequent]})
        assert set(cut) == {"bench-00000003"}  # only the rare word nominates
        assert cut["bench-00000003"].covered == pytest.approx(1.0)
        assert cut["bench-00000003"].words == pytest.approx(uncut.words, rel=0.2)


def test_an_index_is_built_and_dropped_from_outside_for_odd_names_too(
    large: Context, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = "odd%s'name\"+é"
    with large.db.tenant("more") as session:
        session.execute(text("update bio.memories set embedding_model = :m where tenant = 'more'"), {"m": model})
        session.execute(
            text("update bio.vector_states set index_model = :m, index_dimensions = 384 where tenant = 'more'"),
            {"m": model},
        )
        assert not memory_sizes.is_indexed(session, "more", model)
    assert vectors.build_wanted(urls["ADMIN_URL"]) == [memory_sizes.index_name("more", model)]
    assert vectors.build_wanted(urls["ADMIN_URL"]) == []
    with large.db.tenant("more") as session:
        assert memory_sizes.size(session, "more", model).indexed
    monkeypatch.setattr(memory_sizes, "EXACT_UP_TO", 1_000)
    with large.db.tenant("more") as session:
        vectors.want_index(session, "more", model, 384)  # far below the bound now
    assert vectors.build_wanted(urls["ADMIN_URL"]) == []
    with large.db.tenant("more") as session:
        assert not memory_sizes.is_indexed(session, "more", model)


# -------------------------------------------------------------------------------------------------------- reranker


class _Judge(BaseHTTPRequestHandler):
    """Likes texts with "amber" in them; fails when told to."""

    broken = False
    seen: list[dict[str, Any]] = []  # noqa: RUF012 - shared on purpose
    keys: list[str] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(body)
        self.keys.append(self.headers.get("Authorization", ""))
        results = [
            {"index": i, "relevance_score": 0.9 if "amber" in d else 0.1} for i, d in enumerate(body["documents"])
        ]
        said = json.dumps({"results": results[:-1] if self.broken else list(reversed(results))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(_Judge, "broken", False)
    monkeypatch.setattr(_Judge, "seen", [])
    monkeypatch.setattr(_Judge, "keys", [])
    monkeypatch.setattr(reranking, "_rests", {})
    server = HTTPServer(("127.0.0.1", 0), _Judge)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_reranker_gives_the_order_and_its_failure_costs_nothing(house: Context, judge: str) -> None:
    plain = keep(house, "The signal lamp of the north crane is the red lamp.", type="event")
    amber = keep(house, "The signal of the crane in the yard turns amber at noon.", type="event")
    before = whole(house, "signal lamp of the north crane")
    assert [m["id"] for m in before["memories"]] == [plain, amber]
    assert "reranked" not in before
    house.settings = house.settings.model_copy(
        update={"rerank_url": judge, "rerank_model_id": "judge", "rerank_api_key": SecretStr("k-1")}
    )
    with_it = whole(house, "signal lamp of the north crane")
    assert [m["id"] for m in with_it["memories"]] == [amber, plain]
    assert with_it["reranked"] is True
    assert _Judge.seen[0]["model"] == "judge"
    assert _Judge.seen[0]["query"] == "signal lamp of the north crane"
    assert _Judge.keys == ["Bearer k-1"]
    _Judge.broken = True  # a reply that leaves a text out
    without = whole(house, "signal lamp of the north crane")
    assert [m["id"] for m in without["memories"]] == [plain, amber]
    assert without["reranked"] is False
    whole(house, "signal lamp of the north crane")
    assert len(_Judge.seen) == 2  # it rests a while after a failure


def test_a_reranker_needs_an_address() -> None:
    with pytest.raises(ValueError, match="RERANK_URL"):
        reranking.HttpReranker("localhost:99", "m")
