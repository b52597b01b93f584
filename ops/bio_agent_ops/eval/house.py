"""Where an evaluation runs: an embedded Postgres and Valkey of its own, whose clock it may set. Never a real installation's."""

from __future__ import annotations

import itertools
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import redis
from sqlalchemy import Engine, create_engine, text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.auth import Caller
from bio_agent_ops.home import Home
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import learning, recalling, remembering
from bio_agent_ops.service.context import Context
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, ensure_tenant, migrate
from bio_agent_workers.intake import Intake, stream_of
from bio_agent_workers.models import Models
from bio_agent_workers.runner import Runtime
from bio_agent_workers.settings import Settings

DIRECTIVE = "Always run the linter before you commit."
DRAIN_S = 300.0  # longest wait until intake has read what was sent


class EvalError(Exception):
    """The evaluation cannot go on; the message says why."""


class House:
    """A service context on the evaluation's own database, tenants of their own, and the clock."""

    def __init__(self, ctx: Context, admin: Engine) -> None:
        self.ctx, self.admin = ctx, admin
        self._run = f"{int(time.time()):x}-{os.getpid():x}"
        self._numbers = itertools.count(1)

    def tenant(self) -> str:
        """A new, empty tenant."""
        name = f"eval-{self._run}-{next(self._numbers)}"
        with self.ctx.db.tenant(name) as session:
            ensure_tenant(session, name)
        return name

    def person(self, tenant: str) -> Caller:
        return Caller(tenant, "person:eval", True, None)

    def program(self, tenant: str) -> Caller:
        return Caller(tenant, "key:eval", False, "agent")

    def set_clock(self, at: datetime | None) -> None:
        """Let `bio.now()` go on from `at`; None: the real time."""
        with self.admin.begin() as connection:
            connection.execute(
                text(
                    "update bio.clock set shift = coalesce(cast(:at as timestamptz) - clock_timestamp(), interval '0')"
                ),
                {"at": at},
            )

    def remember(self, tenant: str, content: str, **more: Any) -> str:
        """Keep a memory through the service. Returns its id. Raises ValueError when the service will not keep it."""
        ask = Remember.model_validate({"content": content, **more})
        kept: str = remembering.remember(self.ctx, self.person(tenant), ask)["id"]
        return kept

    def recall(self, tenant: str, query: str, **more: Any) -> list[str]:
        """Ids of the memories that the service recalls, best first."""
        ask = Recall.model_validate({"query": query, **more})
        return [m["id"] for m in recalling.recall(self.ctx, tenant, ask)["memories"]]

    def send(self, tenant: str, observations: Sequence[dict[str, Any]]) -> None:
        """Onto the tenant's stream, as a producer on this machine sends them. Raises Refused."""
        pipe = self.ctx.redis.pipeline(transaction=False)
        for obs in observations:
            pipe.xadd(stream_of(tenant), {"o": to_wire(prepare(obs))})
        pipe.execute()

    def told(self) -> str:
        """A new tenant whose owner said one directive, taken in and not yet consolidated."""
        tenant = self.tenant()
        self.send(tenant, [{"id": "e0", "kind": "user", "content": DIRECTIVE, "session": "s"}])
        self.take_in([tenant])
        return tenant

    def take_in(self, tenants: Sequence[str]) -> None:
        """Read the streams of these tenants until nothing is left on them."""
        intake = Intake(self.ctx.db, self.ctx.redis, self.ctx.settings)
        end = time.monotonic() + DRAIN_S
        try:
            while any(learning.unread(self.ctx, t) for t in tenants):
                if time.monotonic() > end:
                    raise EvalError(f"intake did not empty the streams within {DRAIN_S:.0f} s; see the log")
                intake.run_once(block_ms=5)
        finally:
            intake.release()

    def sleep(self, tenant: str) -> dict[str, Any]:
        """Consolidate what the tenant has, in this process."""
        return learning.sleep(self.ctx, tenant, inline=True)

    def rows(self, sql: str, **params: Any) -> list[Any]:
        with self.admin.connect() as connection:
            return list(connection.execute(text(sql), params))

    def execute(self, sql: str, **params: Any) -> None:
        with self.admin.begin() as connection:
            connection.execute(text(sql), params)

    def stored(self, tenant: str) -> list[Any]:
        """Every row of every table that the tenant has, as JSON values."""
        tables = self.rows(
            "select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)"
            " where c.table_schema = 'bio' and c.column_name = 'tenant' and t.table_type = 'BASE TABLE' order by 1"
        )
        found: list[Any] = []
        for (table,) in tables:
            found += [
                r[0]
                for r in self.rows(f'select to_jsonb(x) from bio."{table}" x where tenant = :t', t=tenant)  # noqa: S608 - a table's name from the catalogue
            ]
        return found

    def with_models(self, models: Models) -> Runtime:
        """The same runtime with other models."""
        return replace(self.ctx.runtime, models=models)


@contextmanager
def opened(models: Models, settings: Settings, home: Path | None) -> Iterator[House]:
    """A house under `home`/eval, or under a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="bio-agent-eval-", ignore_cleanup_errors=True) as folder:
        place = Home((home if home is not None else Path(folder)) / "eval")
        with Stack(place, database_url="", redis_url="") as stack:
            url = migrate(stack.database_url, place.secret("app-db.password"))
            _forget_durability(stack.database_url)
            own = settings.model_copy(update={"database_url": url, "redis_url": stack.redis_url, "home": place.root})
            ctx = Context(Database(url, pool_size=6), own)
            ctx.__dict__["runtime"] = Runtime(ctx.db, models, own)
            admin = create_engine(stack.database_url, pool_size=2)
            house = House(ctx, admin)
            try:
                house.set_clock(None)
                yield house
            finally:
                house.set_clock(None)
                admin.dispose()
                ctx.redis.close()
                ctx.close()


def _forget_durability(admin_url: str) -> None:
    """Nothing here must outlive a power cut, and waiting for the disk at each commit is most of the time otherwise."""
    engine = create_engine(admin_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = connection.execute(text("select quote_ident(current_database())")).scalar_one()
        connection.exec_driver_sql(f"alter database {name} set synchronous_commit = off")
    engine.dispose()


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    stack = [value]
    while stack:
        at = stack.pop()
        if isinstance(at, str):
            yield at
        elif isinstance(at, dict):
            stack += [*at.keys(), *at.values()]
        elif isinstance(at, list):
            stack += at


def in_valkey(client: redis.Redis) -> Iterator[bytes]:
    """Every key, value of a text key and field of a stream entry in the evaluation's Valkey."""
    for key in client.scan_iter(count=500):
        yield key
        kind: Any = client.type(key)
        if kind == b"stream":
            entries: Any = client.xrange(key)
            for _, fields in entries:
                yield from fields.values()
        elif kind == b"string":
            value: Any = client.get(key)
            yield value or b""
