"""One embedded stack for the whole run, started when the first test asks for it; a database of its own for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

os.environ.setdefault("BIO_TEST", "1")


@dataclass(frozen=True)
class Servers:
    """Addresses of the running stack. admin_url: superuser of the template database."""

    admin_url: str
    redis_url: str
    home: Path


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    from bio_agent_ops.home import Home
    from bio_agent_ops.stack import Stack
    from bio_agent_schema.db import migrate

    home = tmp_path_factory.mktemp("stack")
    with Stack(Home(home), database_url="", redis_url="") as stack:
        migrate(stack.database_url, "test-password")
        yield Servers(stack.database_url, stack.redis_url, home)


_numbers = iter(range(1, 1_000_000))


@pytest.fixture(scope="session")
def models() -> object:
    """The offline models, loaded once: the embedder takes a third of a second."""
    from bio_agent_workers.models import configured
    from bio_agent_workers.settings import Settings

    return configured(Settings(_env_file=None))  # type: ignore[call-arg]


@pytest.fixture
def urls(servers: Servers) -> Iterator[dict[str, str]]:
    """Settings of an own database (cloned from the migrated one) and an own, empty Redis database."""
    import redis
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url

    n = next(_numbers)
    admin = make_url(servers.admin_url)
    name = f"test_{os.getpid()}_{n}"
    engine = create_engine(admin.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{name}" template "{admin.database}"')
    url = admin.set(database=name)
    redis_url = servers.redis_url.rsplit("/", 1)[0] + f"/{1 + n % 14}"
    redis.Redis.from_url(redis_url).flushdb()
    yield {
        "ADMIN_URL": url.render_as_string(hide_password=False),
        "DATABASE_URL": url.set(username="bio_app", password="test-password").render_as_string(hide_password=False),
        "REDIS_URL": redis_url,
        "BIO_AGENT_HOME": str(servers.home),
    }
    with engine.connect() as connection:
        connection.exec_driver_sql(f'drop database if exists "{name}" with (force)')
    engine.dispose()


@pytest.fixture
def ctx(urls: dict[str, str], models: object) -> Iterator[object]:
    """A service context on the test's own database, with tenant `default`."""
    from bio_agent_ops.service.context import Context
    from bio_agent_schema.db import Database, ensure_tenant
    from bio_agent_workers.runner import Runtime
    from bio_agent_workers.settings import Settings

    settings = Settings(
        _env_file=None,
        database_url=urls["DATABASE_URL"],
        redis_url=urls["REDIS_URL"],
        home=urls["BIO_AGENT_HOME"],  # type: ignore[call-arg]
    )
    context = Context(Database(settings.database_url, pool_size=6), settings)
    context.__dict__["runtime"] = Runtime(context.db, models, settings)  # type: ignore[arg-type]
    with context.db.tenant("default") as session:
        ensure_tenant(session, "default")
    yield context
    context.close()
