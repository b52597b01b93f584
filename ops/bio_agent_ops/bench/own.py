"""A stack of the bench's own: nothing of the user's settings, home or databases is read or written."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from pydantic import AliasChoices
from sqlalchemy import text

from bio_agent_ops.home import Home
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, migrate
from bio_agent_workers.settings import Settings

ENDS_WITHIN_S = 60.0  # of a program that was asked to


@dataclass(frozen=True)
class Own:
    """folder: everything lies below it and goes with it. env: what the bench's programs run under."""

    folder: Path
    env: Mapping[str, str]
    database_url: str
    redis_url: str
    client: redis.Redis

    def servers(self) -> dict[str, Any]:
        """What stands in the report about the two servers."""
        info: Any = self.client.info("server")
        policy: Any = next(iter(self.client.config_get("appendfsync").values()), "?")
        db = Database(self.database_url)
        with db.across() as session:
            postgres = session.execute(text("show server_version")).scalar_one()
        db.close()
        return {
            "valkey": info.get("valkey_version") or info.get("redis_version", "?"),
            "appendfsync": policy.decode() if isinstance(policy, bytes) else policy,
            "postgres": postgres,
        }

    def start(self, argv: Sequence[str], **more: str) -> subprocess.Popen[bytes]:
        """A program of the product; its lines go to a file of its own under the folder."""
        with (self.folder / f"{argv[-1]}.log").open("ab") as log:
            return subprocess.Popen(argv, env={**self.env, **more}, cwd=self.folder, stdout=log, stderr=log)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end and wait; kill it when it does not."""
    process.terminate()
    try:
        process.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def plain_environment() -> dict[str, str]:
    """The environment without a single setting of the product: the figures are those of the defaults."""
    names = {"DATABASE_ADMIN_URL", "BIO_APP_PASSWORD"}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        names |= {name.upper(), *(c.upper() for c in choices if isinstance(c, str))}
    return {name: value for name, value in os.environ.items() if name.upper() not in names}


def default_settings(home: Path, database_url: str, redis_url: str) -> Settings:
    """Every setting at its default, whatever the environment and a `.env` say: the offline model, the local embedder."""
    given: dict[str, Any] = {
        name: field.get_default(call_default_factory=True) for name, field in Settings.model_fields.items()
    }
    given |= {"database_url": database_url, "redis_url": redis_url, "home": home}
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]


@contextmanager
def temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bio-agent-bench-") as name:
        yield Path(name)


@contextmanager
def own_stack() -> Iterator[Own]:
    with temporary() as folder, Stack(home := Home(folder / "home")) as stack:
        database_url = migrate(stack.database_url, home.secret("app-db.password"))
        env = {
            **plain_environment(), "DATABASE_URL": database_url, "REDIS_URL": stack.redis_url,
            "BIO_AGENT_HOME": str(home.root),
        }  # fmt: skip
        client = redis.Redis.from_url(stack.redis_url, protocol=2)
        try:
            yield Own(folder, env, database_url, stack.redis_url, client)
        finally:
            client.close()
