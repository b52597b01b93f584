"""Cases of time, tenants, repeats and simultaneous work."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import text

from bio_agent_client.observation import from_wire, to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_limits import same_event_again
from bio_agent_ops.eval.case_run import run_out
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.eval.house import DIRECTIVE, House
from bio_agent_ops.requests import NewException
from bio_agent_ops.service import governing, learning, reading, speaking
from bio_agent_ops.service.context import NotFound
from bio_agent_schema import beliefs, cycles
from bio_agent_schema.db import Database
from bio_agent_schema.types import MemoryKind
from bio_agent_workers import dreaming, pipeline
from bio_agent_workers.brain.retention import is_cold, retention
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import run_stage

ABREAST = 6  # threads at once: as many as there are connections
MOST = 200  # repetitions that a row may ask for


# ---------------------------------------------------------------------------------------------------------------- time


def decay(house: House, given: Mapping[str, Any]) -> Facts:
    """A memory's weight (importance × retention) at each reading of the clock, and whether it is still there."""
    tenant = house.tenant()
    created = datetime.fromisoformat(given["created_at"])
    importance = int(given["importance"])
    house.set_clock(created)
    kept = house.remember(tenant, "The weekly stock count is on Friday.", type="semantic", importance=importance)
    weights = []
    readings = given["clock"] if isinstance(given["clock"], list) else [given["clock"]]
    for reading_ in readings:
        house.set_clock(datetime.fromisoformat(reading_))
        learning.dream(house.ctx, tenant)
        with house.ctx.db.tenant(tenant) as session:
            now = beliefs.now(session)
        row = house.rows(
            "select kind, confirmed_at, confirmations from bio.memories where id = :i and tenant = :t", i=kept, t=tenant
        )[0]
        weights.append(importance * retention(MemoryKind(row[0]), row[1], row[2], now))
    state = house.rows("select state from bio.memories where tenant = :t and id = :i", t=tenant, i=kept)
    falls = all(later <= earlier for earlier, later in pairwise(weights))
    return Facts(values={
        "weight": round(max(weights), 6), "weights": weights, "last_weight": round(weights[-1], 6),
        "weight_decreases": len(weights) > 1 and falls and weights[-1] < weights[0], "monotone": falls, "no_error": True,
        "not_deleted": bool(state) and state[0][0] == "active",
        "cold": any(is_cold(w / importance) for w in weights),
    })  # fmt: skip


def clock(house: House, given: Mapping[str, Any]) -> Facts:
    """Whether an exception is in force at each reading of the clock."""
    tenant = house.tenant()
    terms = given["exception"]
    if not isinstance(terms, Mapping) or not isinstance(given.get("now", given.get("at")), (list, str)):
        raise NotSupported("an exception without the times at which it is looked at")
    times = given.get("now", given.get("at"))
    readings = [datetime.fromisoformat(n) for n in (times if isinstance(times, list) else [times])]
    terms = {**terms, "expires_at": terms.get("expires_at") or terms.get("valid_to") or terms.get("until"),
             "valid_from": terms.get("valid_from") or terms.get("starts_at") or terms.get("from")}  # fmt: skip
    expires = datetime.fromisoformat(terms["expires_at"]) if terms.get("expires_at") else None
    starts = datetime.fromisoformat(terms["valid_from"]) if terms.get("valid_from") else None
    house.set_clock(min([*readings, *([expires] if expires else [])]) - timedelta(days=1))
    rule = put_learned(house, tenant, "Never push to main.", "", owner=True)
    governing.add_exception(house.ctx, house.person(tenant), NewException(
        belief_id=rule, text="Hotfixes may be pushed to main.", expires_at=expires, valid_from=starts,
    ))  # fmt: skip
    active = []
    for at in readings:
        house.set_clock(at)
        with house.ctx.db.tenant(tenant) as session:
            active.append(bool(beliefs.live_exceptions(session, tenant, [rule])))
    return Facts(
        values={"active": active if isinstance(times, list) else active[0], "in_force": active, "no_error": True}
    )


@contextmanager
def _host_in(zone: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("TZ", None)
        else:
            os.environ["TZ"] = before
        time.tzset()


def roundtrip(house: House, given: Mapping[str, Any]) -> Facts:
    """A time through the wire again and again on a host of another zone, then stored and read back."""
    if given.get("field") not in ("created_at", "occurred_at"):
        raise NotSupported(f"a round trip of the field {str(given.get('field'))[:40]!r}")
    tenant = house.tenant()
    with _host_in(str(given.get("host_tz") or "UTC")):
        value = given["value"]
        local = datetime.fromtimestamp(value).astimezone().isoformat() if isinstance(value, (int, float)) else value
        obs = prepare({"id": "0", "kind": "event", "content": "a roundtrip", "occurred_at": local})
        first = obs.occurred_at
        for _ in range(min(int(given.get("times") or 1), MOST)):
            obs = from_wire(to_wire(obs))
        house.ctx.redis.xadd(f"bio:obs:{tenant}", {"o": to_wire(obs)})
        house.take_in([tenant])
    stored = house.rows("select occurred_at from bio.episodes where tenant = :t", t=tenant)[0][0]
    given_at = datetime.fromtimestamp(value, first.tzinfo) if isinstance(value, (int, float)) else first
    return Facts(
        values={"value_stable": obs.occurred_at == first == stored == given_at, "stored_value": stored.isoformat()}
    )


def dream(house: House, given: Mapping[str, Any]) -> Facts:
    """A dream over the seed: which of its steps ran."""
    tenant = house.tenant()
    seeds = given.get("seed")
    if isinstance(seeds, list):
        for s in seeds:
            said = s["text"] if isinstance(s, dict) else str(s)
            house.remember(tenant, said)
    elif seeds != "empty store":
        raise NotSupported(f"the seed {str(seeds)[:80]!r}")
    dreamt = learning.dream(house.ctx, tenant)
    run = house.rows("select state, journal from bio.dream_runs where tenant = :t", t=tenant)[0]
    steps = [part["step"] for part in run[1]]
    return Facts(values={
        "stages_run": "all" if steps == list(dreaming.STEPS) else ", ".join(steps), "no_error": run[0] == "done",
        "changes": dreamt["changes"],
    })  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- tenants


def all_read_paths(house: House, given: Mapping[str, Any]) -> Facts:
    """One tenant's things asked for by another on every way of reading: rows that came back although they are not its."""
    owner, other = house.tenant(), house.tenant()
    house.send(owner, [
        {"id": "e0", "kind": "user", "content": DIRECTIVE, "session": "s"},
        {"id": "e1", "kind": "tool", "content": "Company discount table: twelve percent", "session": "s"},
    ])  # fmt: skip
    house.sleep(owner)
    house.remember(owner, "The company's discount is twelve percent.")
    ctx = house.ctx
    belief = reading.list_beliefs(ctx, owner)[0]["id"]
    ways: dict[str, Callable[[], Sequence[Any]]] = {
        "beliefs": lambda: reading.list_beliefs(ctx, other), "belief": lambda: [reading.show_belief(ctx, other, belief)],
        "episodes": lambda: reading.list_episodes(ctx, other), "timeline": lambda: reading.timeline(ctx, other),
        "graph": lambda: reading.show_graph(ctx, other)["nodes"], "replay": lambda: [reading.replay(ctx, other, "e0")],
        "audit": lambda: [reading.audit(ctx, other, episode_id="e0")],
        "audit of a belief": lambda: reading.audit(ctx, other, subject=f"belief:{belief}")["entries"],
        "dead letters": lambda: reading.dead_letters(ctx, other), "guard facts": lambda: reading.state(ctx, other)["guard_facts"],
        "scopes": lambda: reading.state(ctx, other)["scopes"],
        "recall": lambda: house.recall(other, "discount of the company"),
        "prompt": lambda: speaking.persona(ctx, other, workspace="default", agent="", user="")["rules"],
        "verdicts": lambda: _table(house, other, "nli_cache"), "every table": lambda: _all_tables(house, owner, other),
    }  # fmt: skip
    leaked: dict[str, int] = {}
    for name, way in ways.items():
        try:
            leaked[name] = len(way())
        except NotFound:
            leaked[name] = 0
    return Facts(
        values={"rows": sum(leaked.values()), "leaks": {k: n for k, n in leaked.items() if n}, "ways": len(ways)}
    )


def _table(house: House, tenant: str, like: str) -> list[Any]:
    tables = house.rows(
        "select table_name from information_schema.tables where table_schema = 'bio' and table_name like :l", l=like
    )
    with house.ctx.db.tenant(tenant) as session:
        return [r for (t,) in tables for r in session.execute(text(f'select 1 from bio."{t}"'))]  # noqa: S608 - from the catalogue


def _all_tables(house: House, owner: str, other: str) -> list[Any]:
    """Rows of the owner that the application's role sees while the transaction belongs to the other tenant."""
    tables = house.rows(
        "select table_name from information_schema.columns where table_schema = 'bio' and column_name = 'tenant'"
    )
    found: list[Any] = []
    for (name,) in tables:
        try:
            with house.ctx.db.tenant(other) as session:
                found += session.execute(text(f'select 1 from bio."{name}" where tenant = :t'), {"t": owner}).all()  # noqa: S608
        except Exception as error:
            if "permission denied" not in str(error):
                raise
    return found


def one_connection(house: House, given: Mapping[str, Any]) -> Facts:
    """Tenants in turn on one server connection, as behind a pooler in transaction mode: what each transaction saw."""
    tenants = {name: house.tenant() for name in given["tenants"]}
    for name, tenant in tenants.items():
        house.remember(tenant, f"A note of the tenant called {name}.")
    db = Database(house.ctx.settings.database_url, pool_size=1)
    wrong = 0
    try:
        order = list(tenants.values())
        for i in range(min(int(given.get("interleave") or 1), MOST * 5)):
            tenant = order[i % len(order)]
            with db.tenant(tenant) as session:
                seen = set(session.execute(text("select tenant from bio.memories")).scalars())
            wrong += seen != {tenant}
            with db.across() as session:
                wrong += bool(session.execute(text("select 1 from bio.memories limit 1")).first())
    finally:
        db.close()
    return Facts(values={"wrong_tenant_reads": wrong})


# ------------------------------------------------------------------------------------------------- repeats, at the same time


def redelivered(house: House, given: Mapping[str, Any]) -> Facts:
    """Every stage's message delivered twice, as a broker does when a task outlasts its visibility timeout; an observation
    named by the row is sent again instead."""
    if isinstance(given.get("event"), Mapping):
        return same_event_again(house, given)
    tenant = house.told()
    rt = house.ctx.runtime
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    started = pipeline.start(rt, pipeline.due_now(rt, tenant)[0])
    assert started is not None
    cycle_id, _, fence = started
    for stage in pipeline.STAGES:
        for _ in range(2):
            run_stage(rt, pipeline.STAGES, tenant, cycle_id, stage.name, fence)
    counted = house.rows(
        "select (select count(*) from bio.beliefs where tenant = :t), (select count(*) from bio.evidence where tenant = :t),"
        " (select count(*) from bio.memories where tenant = :t)", t=tenant,
    )[0]  # fmt: skip
    return Facts(
        values={"effects": max(counted), "beliefs": counted[0], "evidence": counted[1], "memories": counted[2]}
    )


def _abreast(calls: Sequence[Callable[[], Any]]) -> list[Exception]:
    """Run all, as many at once as there are connections; the exceptions that came out."""
    errors: list[Exception] = []
    gate = threading.Semaphore(ABREAST)

    def one(call: Callable[[], Any]) -> None:
        with gate:
            try:
                call()
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=one, args=(c,)) for c in calls]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


def concurrent(house: House, given: Mapping[str, Any]) -> Facts:
    wanted = given.get("do")
    if wanted == "reinforce_same_rule_distinct_events":
        return _reinforce(house, min(int(given.get("n") or 2), MOST))
    if isinstance(wanted, list) and all("dream" in str(w) or "sleep" in str(w).casefold() for w in wanted):
        return _dreams(house)
    raise NotSupported(f"doing {str(wanted)[:80]!r} at the same time")


def _reinforce(house: House, n: int) -> Facts:
    """The same directive in n scopes of one workspace, their cycles run at the same time."""
    tenant = house.tenant()
    house.send(tenant, [
        {"id": f"e{i}", "kind": "user", "content": DIRECTIVE, "session": f"s{i}", "agent": f"a{i}", "workspace": "w"}
        for i in range(n)
    ])  # fmt: skip
    house.take_in([tenant])
    rt = house.ctx.runtime
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    started = [(d, s) for d in pipeline.due_now(rt, tenant) if (s := pipeline.start(rt, d))]
    errors = _abreast([lambda d=d, s=s: pipeline.run_cycle(rt, d.tenant, *s) for d, s in started])  # type: ignore[misc]
    interrupted = house.rows("select count(*) from bio.cycles where tenant = :t and state <> 'done'", t=tenant)[0][0]
    run_out(house, rt, tenant)  # a cycle that lost a race is taken up by the sweep
    found = reading.list_beliefs(house.ctx, tenant)
    rows = house.rows("select count(*) from bio.evidence where tenant = :t", t=tenant)[0][0]
    return Facts(values={
        "support_count": max((b["support_count"] for b in found), default=0), "rules": len(found), "evidence": rows,
        "cycles": len(started), "taken up again": interrupted, "errors": len(errors), "no_error": not errors,
    })  # fmt: skip


def _dreams(house: House) -> Facts:
    """Dreams and consolidations asked for at the same time: how many of one kind ran at once."""
    tenant = house.told()
    rt = house.ctx.runtime
    refused: list[str] = []

    def asleep() -> None:
        try:
            dreaming.dream(rt, tenant)
        except dreaming.AlreadyDreaming as error:
            refused.append(str(error))

    errors = _abreast([asleep, asleep, asleep, lambda: house.sleep(tenant), lambda: house.sleep(tenant)])
    runs = house.rows(
        "select started_at, finished_at from bio.dream_runs where tenant = :t and state = 'done' order by 1", t=tenant
    )
    overlapping = sum(later[0] < earlier[1] for earlier, later in pairwise(runs))
    doubled = house.rows("select count(*) from bio.beliefs where tenant = :t", t=tenant)[0][0] - 1
    return Facts(values={
        "runs_overlapping": overlapping + max(doubled, 0), "dreams": len(runs), "refused_dreams": len(refused),
        "no_error": not errors, "errors": [str(e)[:200] for e in errors],
    })  # fmt: skip


class _Other:
    """An embedder of another length, for what happens when the model is changed."""

    model_id = "eval/other"

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(t) for t in texts]

    def query(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        vector[sum(text.encode("utf-8", "replace")) % self.dimensions] = 1.0
        return vector


def change_embedding_model(house: House, given: Mapping[str, Any]) -> Facts:
    """Write with one model, change to another of another length: writing, changing and finding go on."""
    tenant = house.tenant()
    runtime = house.ctx.runtime
    models: list[Embedder] = [_Other(int(given["from_dim"])), _Other(int(given["to_dim"]))]
    models[1].model_id = "eval/another"  # type: ignore[misc]
    kept, errors = [], []
    try:
        for i, embedder in enumerate(models):
            house.ctx.__dict__["runtime"] = house.with_models(replace(runtime.models, embedder=embedder))
            said = ("The old warehouse closes on Friday.", "The new warehouse opens on Monday.")[i]
            try:
                kept.append(house.remember(tenant, said))
                put_learned(house, tenant, ("Never ship on Friday.", "Always ship on Monday.")[i], "", owner=True)
            except ValueError as error:
                errors.append(str(error)[:200])
        found = set(house.recall(tenant, "which warehouse closes, which opens"))
    finally:
        house.ctx.__dict__["runtime"] = runtime
    stored = house.rows("select id, embedding_model from bio.memories where tenant = :t order by id", t=tenant)
    facts = Facts(values={
        "writes_ok": not errors and len(stored) == len(models), "no_fake_success": {r[0] for r in stored} == set(kept),
        "found": len(found & set(kept)), "models": [r[1] for r in stored], "errors": errors,
    })  # fmt: skip
    # Rows of the old model keep its name beside their vector, so that no vector is compared with one of another model.
    facts.checks = {
        "old_rows": lambda v: len({r[1] for r in stored}) == len(models) and len(found & set(kept)) == len(kept)
    }
    return facts
