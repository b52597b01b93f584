"""Cases of settings, quotas, health and redaction: what the product says to a configuration, a budget that is used up, a part
that is away, and a text with a secret in it."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import redis as redis_module
from pydantic import AliasChoices, ValidationError
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from bio_agent_client.redact import redact
from bio_agent_ops import doctor_servers
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.scripted import Provider, serving
from bio_agent_ops.requests import Quotas
from bio_agent_ops.service import keeping, learning
from bio_agent_ops.service.context import Context
from bio_agent_schema import cycles, quotas
from bio_agent_schema.db import Database, migrate
from bio_agent_workers import pipeline
from bio_agent_workers.models import configured
from bio_agent_workers.models.offline import OfflineModel
from bio_agent_workers.settings import Settings

_SIGNS_OF_LIFE = ("intake lag", "intake", "worker and beat")  # of the service, not of the server
FAILURE = "The build failed with exit code 1: package lock is out of date"
MOST_INSTANCES = 6
_NOTHING_LEARNED = '{"memories": []}'


def redaction(house: House, given: Mapping[str, Any]) -> Facts:
    """A text as it is stored, with secrets taken out."""
    said = given.get("text")
    if not isinstance(said, str):
        raise NotSupported("a redaction without text")
    out = redact(said)
    return Facts(
        values={"redacted": out != said, "unchanged": out == said, "no_error": True, "no_crash": True},
        texts={"output": [out], "stored": [out]},
        alternatives={"redacted": out != said, "unchanged": out == said},
    )


# -------------------------------------------------------------------------------------------------------------- settings


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def settings(house: House, given: Mapping[str, Any]) -> Facts:
    """Read settings from an environment as an entry point does, and make the models that they name."""
    server = given.get("redis", given.get("valkey"))
    if isinstance(server, Mapping) and server:
        return _server(house, server)
    env = given.get("env")
    if not isinstance(env, Mapping) or not env:
        raise NotSupported("settings without env")
    aliases = [f.validation_alias for f in Settings.model_fields.values()]
    names = {str(name) for alias in aliases if isinstance(alias, AliasChoices) for name in alias.choices}
    values = {str(k): "" if v is None else str(v).lower() if isinstance(v, bool) else str(v) for k, v in env.items()}
    unknown = [name for name in values if name not in names]
    if len(unknown) == len(values):
        raise NotSupported(f"the setting {unknown[0][:60]!r}")
    refused = ""
    made: dict[str, str] = {}
    with _environment(values):
        try:
            read = Settings(_env_file=None)  # type: ignore[call-arg]
            models = configured(read)
            made = {
                "backend": read.llm_backend,
                "compile": models.compile.model_id,
                "embedder": models.embedder.model_id,
            }
        except ValidationError as error:
            refused = "; ".join(
                f"{'.'.join(map(str, e['loc']))}: {e['msg']} (given: {e['input']!r})" for e in error.errors()
            )
        except ValueError as error:
            refused = str(error)
    named = any(name in refused for name in values)
    return Facts(
        values={"accepted": not refused, "rejected": bool(refused), "no_error": not refused, "no_crash": True, "no_5xx": True,
                "names_the_setting": named, "models": made},
        texts={"reason": [refused] if refused else [], "refused": [refused] if refused else []},
        alternatives={"accepted": not refused, "rejected": bool(refused), "refused": bool(refused), "clear_error": named,
                      "fails_fast": bool(refused), "error_at_start": bool(refused),
                      "degraded": not refused and made.get("backend") == "offline"},
    )  # fmt: skip


def _server(house: House, wanted: Mapping[str, Any]) -> Facts:
    """What `doctor` says of a Redis with these settings of its own."""
    client: Any = house.ctx.redis
    names = {str(k): str(k).replace("_", "-") for k in wanted}
    values = {
        str(k): {True: "yes", False: "no"}.get(v, str(v)) if isinstance(v, bool) else str(v) for k, v in wanted.items()
    }
    before = {name: client.config_get(name) for name in names.values()}
    if unknown := [k for k, name in names.items() if not before[name]]:
        raise NotSupported(f"the setting {unknown[0][:60]!r} of Redis")
    try:
        for key, name in names.items():
            client.config_set(name, values[key])
        found = [c for c in doctor_servers.redis_server(house.ctx.settings.redis_url) if c.name not in _SIGNS_OF_LIFE]
    finally:
        for name, held in before.items():
            client.config_set(name, next(v.decode() if isinstance(v, bytes) else str(v) for v in held.values()))
    wrong = [f"{c.name}: {c.detail} {c.fix}".strip() for c in found if c.ok is False]
    return Facts(
        values={"accepted": not wrong, "rejected": bool(wrong), "no_error": not wrong, "warnings": len(wrong)},
        texts={"reason": wrong, "refused": wrong, "warnings": wrong},
        alternatives={"accepted": not wrong, "rejected": bool(wrong), "refused": bool(wrong), "warned": bool(wrong), "clear_error": bool(wrong)},
    )  # fmt: skip


def migrated(house: House, given: Mapping[str, Any]) -> Facts:
    """Several instances that start at once on one empty database, each of which brings it up to date."""
    n = max(1, min(int(given.get("n") or 2), MOST_INSTANCES))
    url = house.admin.url
    password = make_url(house.ctx.settings.database_url).password or ""
    name = f"started_{secrets.token_hex(4)}"
    admin = create_engine(url, isolation_level="AUTOCOMMIT")
    errors: list[str] = []

    def start() -> None:
        try:
            migrate(url.set(database=name).render_as_string(hide_password=False), password)
        except Exception as error:
            errors.append(str(error)[:200])

    try:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"create database {name}")
        threads = [threading.Thread(target=start) for _ in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made = create_engine(url.set(database=name))
        with made.connect() as connection:
            revisions = connection.exec_driver_sql("select count(*) from bio.schema_revision").scalar_one()
        made.dispose()
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"drop database if exists {name} with (force)")
        admin.dispose()
    return Facts(
        values={
            "ready": n - len(errors),
            "all_ready": not errors,
            "migrated": revisions,
            "no_error": not errors,
            "errors": len(errors),
        },
        texts={"reason": errors},
    )


# ---------------------------------------------------------------------------------------------------------------- quotas


def quota(house: House, given: Mapping[str, Any]) -> Facts:
    """One tenant whose tokens are (nearly) used up and one with room: what each is given of a paid model."""
    limit, spent = given.get("limit_tokens"), given.get("spent", 0)
    if not isinstance(limit, int) or not isinstance(spent, int):
        raise NotSupported("a quota without limit_tokens and spent")
    act = str(given.get("do") or "sleep").casefold()
    given.get("tenant")  # whichever it is, another one beside it has room
    short, other = house.tenant(), house.tenant()
    keeping.set_quotas(house.ctx, house.person(short), Quotas(tokens_a_day=limit))
    with house.ctx.db.tenant(short) as session:
        quotas.spend(session, short, "tokens", spent, quotas.limits_of(session, short, house.ctx.settings.limits()))
    with serving([_NOTHING_LEARNED], {}) as (provider, model):
        models = replace(house.ctx.runtime.models, label=OfflineModel(), compile=model)
        asked = {tenant: _calls(house, tenant, act, models, provider) for tenant in (short, other)}
    held = house.rows("select count(*) from bio.cycles where tenant = :t and state in ('queued', 'running')", t=short)[
        0
    ][0]
    kept = house.rows("select count(*) from bio.episodes where tenant = :t and content <> ''", t=short)[0][0]
    view = keeping.show_quotas(house.ctx, short)["limits"]["tokens_a_day"]
    done = {t: _considered(house, t) for t in (short, other)}
    resting = asked[short] == 0 and (held > 0 or "dream" in act) and view["standing"] in ("near", "reached")
    return Facts(
        values={"llm_calls": asked[short], "other_llm_calls": asked[other], "tenant_b_unaffected": done[other] > 0,
                "events_kept": kept > 0, "waits": resting, "consolidated": done[short] > 0, "tokens_used": view["used"],
                "standing": view["standing"], "no_error": True, "no_crash": True,
                "status": "skipped_budget" if resting else "ran"},
        alternatives={"waits": resting, "deferred": resting, "skipped": resting, "skipped_budget": resting},
    )  # fmt: skip


def _calls(house: House, tenant: str, act: str, models: Any, provider: Provider) -> int:
    """How often the model was asked while the act ran for this tenant."""
    before = provider.calls
    house.send(tenant, [
        {"id": f"q{i}", "kind": "tool", "tool": "Bash", "tool_input": {"command": f"make part{i}"}, "exit_code": 1,
         "content": f"{FAILURE} in part {i}", "session": f"s{i}"} for i in range(2)
    ])  # fmt: skip
    house.take_in([tenant])
    rt = house.with_models(models)
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    pipeline.run_due(rt, tenant)
    if "dream" in act:
        runtime = house.ctx.runtime
        house.ctx.__dict__["runtime"] = rt
        try:
            learning.dream(house.ctx, tenant)
        finally:
            house.ctx.__dict__["runtime"] = runtime
    return provider.calls - before


def _considered(house: House, tenant: str) -> int:
    found: int = house.rows("select count(*) from bio.episodes where tenant = :t and state = 'considered'", t=tenant)[
        0
    ][0]
    return found


# ---------------------------------------------------------------------------------------------------------------- health


def health(house: House, given: Mapping[str, Any]) -> Facts:
    """What the service says of itself while a part that it needs is away."""
    away = str(given.get("broken") or "").casefold()
    ctx = house.ctx
    nowhere = "redis://127.0.0.1:1/0"
    if any(word in away for word in ("redis", "valkey", "queue", "stream")):
        client = redis_module.Redis.from_url(nowhere, socket_connect_timeout=1)
        ctx = _context(house, redis=client)
    elif any(word in away for word in ("postgres", "database", "db", "pg")):
        ctx = _context(house, db=Database("postgresql+psycopg://x:x@127.0.0.1:1/x?connect_timeout=1", pool_size=1))
    elif away:
        raise NotSupported(f"health without {away[:60]!r}")
    found = learning.health(ctx)
    said = [f"{name}: {state}" for name, state in found["parts"].items() if state != "ok"]
    return Facts(
        values={"healthy": found["ok"], "ok": found["ok"], "status": 200 if found["ok"] else 503, "no_crash": True},
        texts={"reason": said, "parts": [f"{n}: {s}" for n, s in found["parts"].items()]},
        alternatives={"healthy": found["ok"], "unhealthy": not found["ok"], "degraded": not found["ok"]},
    )


def _context(house: House, **parts: Any) -> Context:
    made = Context(parts.get("db", house.ctx.db), house.ctx.settings)
    if "redis" in parts:
        made.__dict__["redis"] = parts["redis"]
    return made


def same_event_again(house: House, given: Mapping[str, Any]) -> Facts:
    """One observation sent several times, as a producer does that saw no answer: what is stored and learned of it."""
    event = given["event"]
    tenant = house.tenant()
    times = max(2, min(int(given.get("times") or 2), 50))
    observation = {"id": str(event.get("event_id") or "e0"), "kind": event.get("role") or "user", "session": "s",
                   "content": event.get("content", "")}  # fmt: skip
    for _ in range(times):
        house.send(tenant, [observation])
        house.take_in([tenant])
        house.sleep(tenant)
    counts = {
        table: int(house.rows(f"select count(*) from bio.{table} where tenant = :t", t=tenant)[0][0])  # noqa: S608
        for table in ("episodes", "beliefs", "evidence", "memories")
    }
    return Facts(values={
        "batch_stored": counts["episodes"], "duplicates": times - counts["episodes"], "rules": counts["beliefs"],
        "evidence": counts["evidence"], "memories": counts["memories"], "no_error": True,
        "effects": max(counts["episodes"], counts["beliefs"], counts["evidence"], counts["memories"]),
    })  # fmt: skip
