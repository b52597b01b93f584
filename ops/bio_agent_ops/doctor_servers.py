"""What `doctor` looks at in Postgres and in Redis."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bio_agent_schema import revisions

MAX_LAG = 10_000  # unread observations that a healthy intake reads within seconds
TICK_S = 30  # the dispatcher runs every two seconds; silent for this long, beat or the worker stands still
READER_S = 10  # intake gives a sign of life several times a second
MAX_SKEW_S = 5.0  # ages are reckoned by Postgres, times of acts come from hosts
FULL = 0.9  # of maxmemory; at 1.0 observations are refused


@dataclass(frozen=True, slots=True)
class Check:
    """ok: None where it could not be looked at. fix: what to do, "" when nothing is to be done."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


def postgres(url: str) -> Iterator[Check]:
    if not url:
        yield Check("postgres", None, "not running")
        return
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import SQLAlchemyError

    from bio_agent_schema.db import normal_url

    engine = create_engine(normal_url(url), connect_args={"connect_timeout": 5})
    try:
        with engine.connect() as connection:

            def one(sql: str) -> Any:
                return connection.execute(text(sql)).scalar()

            number = int(one("show server_version_num"))
            yield Check(
                "postgres",
                number >= 160000,
                str(one("show server_version")),
                "" if number >= 160000 else "use Postgres 16 or newer (18 is what is tested)",
            )
            vector = one("select extversion from pg_extension where extname = 'vector'") or "0"
            ok = tuple(int(p) for p in str(vector).split(".")[:2]) >= (0, 8)
            yield Check(
                "pgvector", ok, str(vector), "" if ok else "install pgvector 0.8 or newer and run `bio-agent migrate`"
            )
            row = connection.execute(
                text("select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user")
            ).one()
            owned = one("select count(*) from pg_tables where schemaname = 'bio' and tableowner = current_user")
            plain = not row.rolsuper and not row.rolbypassrls and not owned
            yield Check(
                "database role",
                plain,
                str(row.rolname),
                ""
                if plain
                else "connect as bio_app: a superuser, a role with BYPASSRLS or the tables' owner sees every tenant",
            )
            yield from _durable(one)
            yield _clock(one)
            recorded = connection.exec_driver_sql(revisions.RECORDED).first()
            yield schema(*(recorded or ("", None)))
    except SQLAlchemyError as error:
        yield Check(
            "postgres",
            False,
            str(error).splitlines()[0][:200],
            "is it running, and do DATABASE_URL and its password fit? `bio-agent migrate` makes the schema",
        )
    finally:
        engine.dispose()


def schema(revision: str, recorded: str | None) -> Check:
    """Whether a database at `revision` that carries the mark `recorded` is one of this version."""
    if not revision:
        return Check("schema", False, "no revision", "run `bio-agent migrate`")
    told = f"revision {revision}"
    if why := revisions.fault(revision, recorded):
        return Check("schema", False, f"{told}, but of another version", why)
    newest = revision == revisions.newest()
    return Check("schema", newest, told, "" if newest else "run `bio-agent migrate`")


def _durable(one: Callable[[str], Any]) -> Iterator[Check]:
    off = [n for n in ("fsync", "synchronous_commit", "full_page_writes") if one(f"show {n}") == "off"]
    yield Check(
        "postgres durability",
        not off,
        f"{', '.join(off)} off" if off else "a commit is on the disk",
        f"set {' = on, '.join(off)} = on: without it a crash loses or spoils what was stored" if off else "",
    )


def _clock(one: Callable[[str], Any]) -> Check:
    """Postgres' clock beside this machine's, and whether `bio.now()` was moved (tests do)."""
    before = time.time()
    theirs = float(one("select extract(epoch from clock_timestamp())"))
    skew = theirs - (before + time.time()) / 2
    moved = float(one("select extract(epoch from bio.now() - now())"))
    ok = abs(skew) <= MAX_SKEW_S and abs(moved) <= MAX_SKEW_S
    return Check(
        "clock",
        ok,
        f"Postgres is {abs(skew):.1f} s {'ahead of' if skew > 0 else 'behind'} this machine"
        + (f", and bio.now() is moved by {moved:.0f} s" if abs(moved) > MAX_SKEW_S else ""),
        ""
        if ok
        else "let both machines take their time from NTP"
        if abs(skew) > MAX_SKEW_S
        else "update bio.clock set shift = '0' as the schema's owner",
    )


def redis_server(url: str, up_for_s: float | None = None) -> Iterator[Check]:
    """up_for_s: since when the service of this home runs; its parts need a while before they give signs of life."""
    starting = up_for_s is not None and up_for_s < TICK_S
    if not url:
        yield Check("redis", None, "not running")
        return
    import redis

    client: Any = redis.Redis.from_url(
        url, socket_connect_timeout=5, socket_timeout=5, protocol=2, decode_responses=True
    )
    try:
        info = client.info()
        yield Check(
            "redis", True, f"{info.get('server_name', 'redis')} {info.get('valkey_version', info['redis_version'])}"
        )
        policy = info.get("maxmemory_policy", "?")
        yield Check(
            "redis eviction",
            policy == "noeviction",
            str(policy),
            "" if policy == "noeviction" else "set maxmemory-policy noeviction: an evicted stream is lost whole",
        )
        aof = bool(int(info.get("aof_enabled", 0)))
        yield Check(
            "redis persistence",
            aof,
            "append-only file on" if aof else "no append-only file",
            "" if aof else "set appendonly yes (and appendfsync always): without it a crash loses what was accepted",
        )
        yield from _fsync(client, info)
        yield _memory(info)
        lags = {k: int(client.xlen(k)) for k in client.scan_iter("bio:obs:*", count=100)}
        most = max(lags.values(), default=0)
        yield Check(
            "intake lag",
            most <= MAX_LAG,
            f"{sum(lags.values())} unread",
            "" if most <= MAX_LAG else "is the intake process running? see its log",
        )
        now = time.time()
        signs = [client.get(k) for k in client.scan_iter("bio:alive:intake:*", count=100)]
        readers = [s for s in signs if s and now - float(s) < READER_S]
        yield Check(
            "intake",
            True if readers else None if starting else False,
            f"{len(readers)} reading" if readers or not starting else "starting",
            "" if readers or starting else "start it: `bio-agent up`, or python -m bio_agent_workers.intake",
        )
        ticked = client.get("bio:alive:dispatch")
        age = time.time() - float(ticked) if ticked else None
        ok = age is not None and age < TICK_S
        yield Check(
            "worker and beat",
            True if ok else None if starting else False,
            f"starting, {up_for_s:.0f} s so far"
            if starting and not ok
            else f"dispatched {age:.0f} s ago"
            if age is not None
            else "never dispatched",
            ""
            if ok or starting
            else "start worker and beat: `bio-agent up`; the worker must listen on bio.beat,bio.think",
        )
    except redis.RedisError as error:
        yield Check("redis", False, type(error).__name__, "is it running, and do REDIS_URL and its password fit?")
    finally:
        client.close()


def _fsync(client: Any, info: dict[str, Any]) -> Iterator[Check]:
    import redis

    try:
        mode = client.config_get("appendfsync").get("appendfsync")
    except redis.RedisError:
        mode = None  # hosted servers forbid CONFIG
    yield Check(
        "redis appendfsync",
        None if mode is None else mode == "always",
        str(mode or "cannot be read here"),
        "set appendfsync always: otherwise a crash loses what was accepted in the last second or more"
        if mode not in (None, "always")
        else "",
    )
    written = info.get("aof_last_write_status", "ok")
    if written != "ok":
        yield Check("redis append-only file", False, f"the last write: {written}", "is the disk full or read-only?")


def _memory(info: dict[str, Any]) -> Check:
    used, most = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    ok = not most or used < FULL * most
    return Check(
        "redis memory",
        ok,
        f"{used / 1024**2:.0f} MiB" + (f" of {most / 1024**2:.0f}" if most else ", no limit set"),
        "" if ok else "raise maxmemory, or find why intake does not read: at the limit observations are refused",
    )
