"""Cases of time, tenants, repeats and simultaneous work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import text

from bio_agent_client.observation import from_wire, to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_lexicon import of_name
from bio_agent_ops.eval.case_limits import same_event_again
from bio_agent_ops.eval.case_world import PEOPLE
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.eval.house import DIRECTIVE, House
from bio_agent_ops.requests import Decision, DreamTimes, NewException
from bio_agent_ops.service import dreams, governing, learning, reading, speaking
from bio_agent_ops.service.context import NotFound
from bio_agent_schema import beliefs, cycles
from bio_agent_schema.db import Database
from bio_agent_schema.types import MemoryKind
from bio_agent_workers import dreaming, pipeline
from bio_agent_workers.brain.retrieval.retention import is_cold, retention
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import run_stage

_OF_TERMS = frozenset(
    ["text", "content", "by", "approved_by", "expires_at", "valid_from", "valid_to", "until", "starts_at", "from", "revoked_at", "policy",
     "reason", "why", "id"]
)  # fmt: skip
MOST = 200  # repetitions that a row may ask for


# ---------------------------------------------------------------------------------------------------------------- time


def decay(house: House, given: Mapping[str, Any]) -> Facts:
    """A memory's weight (importance × retention) at each reading of the clock, and whether it is still there."""
    tenant = house.tenant()
    created = datetime.fromisoformat(given["created_at"])
    importance = int(given["importance"])
    house.set_clock(created)
    kept = house.remember(
        tenant, "The weekly stock count is on Friday.", type=str(given.get("type") or "semantic"), importance=importance
    )
    if given.get("confirmations"):
        house.execute("update bio.memories set confirmations = :n where tenant = :t and id = :i", n=int(given["confirmations"]),
                      t=tenant, i=kept)  # fmt: skip
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


def said_or(given: Any, default: str) -> str:
    said = given.get("text", given.get("content")) if isinstance(given, Mapping) else given
    return said if isinstance(said, str) and said.strip() else default


def clock(house: House, given: Mapping[str, Any]) -> Facts:
    """Whether an exception is in force at each reading of the clock."""
    tenant = house.tenant()
    terms = given["exception"]
    rule_text = given.get("rule")
    if not isinstance(terms, Mapping) or not isinstance(given.get("now", given.get("at")), (list, str)):
        raise NotSupported("an exception without the times at which it is looked at")
    times = given.get("now", given.get("at"))
    readings = [datetime.fromisoformat(n) for n in (times if isinstance(times, list) else [times])]
    terms = {**terms, "expires_at": terms.get("expires_at") or terms.get("valid_to") or terms.get("until"),
             "valid_from": terms.get("valid_from") or terms.get("starts_at") or terms.get("from")}  # fmt: skip
    expires = datetime.fromisoformat(terms["expires_at"]) if terms.get("expires_at") else None
    starts = datetime.fromisoformat(terms["valid_from"]) if terms.get("valid_from") else None
    house.set_clock(min([*readings, *([expires] if expires else [])]) - timedelta(days=1))
    rule = put_learned(house, tenant, said_or(rule_text, "Never push to main."), "", owner=True)
    if unknown := set(terms) - _OF_TERMS:
        raise NotSupported(f"an exception with {min(unknown)!r}")
    by_person = str(terms.get("by") or terms.get("approved_by") or "owner").casefold() in PEOPLE or bool(
        terms.get("approved_by")
    )
    made = governing.add_exception(house.ctx, house.person(tenant) if by_person else house.program(tenant), NewException(
        belief_id=rule, text=said_or(terms.get("text"), "Hotfixes may be pushed to main."), expires_at=expires, valid_from=starts,
    ))  # fmt: skip
    active = []
    revoked = datetime.fromisoformat(terms["revoked_at"]) if terms.get("revoked_at") else None
    for at in readings:
        if revoked is not None and revoked <= at:
            house.set_clock(revoked)
            governing.decide(house.ctx, house.person(tenant), made["id"], governing.Ruling.REVOKE, Decision())
            revoked = None
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
    if given.get("field") in ("expires_at", "valid_to", "valid_from"):
        return _term_roundtrip(house, given)
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


def _term_roundtrip(house: House, given: Mapping[str, Any]) -> Facts:
    """A term of an exception written, read back and written again on a host of another zone."""
    tenant, name = house.tenant(), {"valid_to": "expires_at"}.get(given["field"], given["field"])
    value = given["value"]
    first = datetime.fromtimestamp(value, UTC) if isinstance(value, (int, float)) else datetime.fromisoformat(value)
    house.set_clock(first - timedelta(days=1))
    rule = put_learned(house, tenant, "Never push to main.", "", owner=True)
    at: Any = first
    with _host_in(str(given.get("host_tz") or "UTC")):
        for i in range(max(1, min(int(given.get("times") or 1), MOST))):
            made = governing.add_exception(house.ctx, house.person(tenant), NewException.model_validate(
                {"belief_id": rule, "text": f"Hotfix {i} may be pushed to main.", name: at.isoformat()},
            ))  # fmt: skip
            at = made[name]
    return Facts(values={"value_stable": at == first, "stored_value": at.isoformat()})


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
    if given.get("now"):
        house.set_clock(datetime.fromisoformat(str(given["now"])))
    if given.get("time_zone"):
        dreams.set_times(house.ctx, house.person(tenant), DreamTimes(time_zone=str(given["time_zone"])))
    changes = [
        learning.dream(house.ctx, tenant)["changes"] for _ in range(max(1, min(int(given.get("times") or 1), 20)))
    ]
    run = house.rows("select state, journal from bio.dream_runs where tenant = :t order by started_at desc", t=tenant)[
        0
    ]
    steps = [part["step"] for part in run[1]]
    return Facts(values={
        "stages_run": "all" if steps == list(dreaming.STEPS) else ", ".join(steps), "no_error": run[0] == "done",
        "changes": changes[-1], "first_changes": changes[0],
        "runs": house.rows("select count(*) from bio.dream_runs where tenant = :t", t=tenant)[0][0],
        **({"idempotent": changes[-1] == 0, "second_changes": changes[1]} if len(changes) > 1 else {}),
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
    wanted = given.get("what")
    given.get("owner"), given.get("reader")  # their names change nothing
    if isinstance(wanted, list):
        ways = {name: way for name, way in ways.items() if any(of_name(str(w)) == of_name(name) for w in wanted)}
        if len(ways) < len(wanted):
            raise NotSupported(f"the read paths {', '.join(map(str, wanted))[:80]}")
    leaked: dict[str, int] = {}
    for name, way in ways.items():
        try:
            leaked[name] = len(way())
        except NotFound:
            leaked[name] = 0
    return Facts(
        values={"rows": sum(leaked.values()), "wrong_tenant_reads": sum(leaked.values()),
                "leaks": {k: n for k, n in leaked.items() if n}, "ways": len(ways)},
    )  # fmt: skip


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
    for told in ("task_duration_s", "visibility_timeout_s", "duplicate_delivery", "redelivered", "times"):
        given.get(told)  # however long a task lasts: its message comes again
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


class _Other:
    """An embedder of another length, for what happens when the model is changed."""

    def __init__(self, model_id: str, dimensions: int) -> None:
        self.model_id, self.dimensions = model_id, dimensions

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
    before, after = str(given.get("from_model") or "eval/other"), str(given.get("to_model") or "eval/another")
    dimensions = [int(given.get(name) or 384) for name in ("from_dim", "to_dim")]
    models: list[Embedder] = [_Other(before, dimensions[0]), _Other(after, dimensions[1])]
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
