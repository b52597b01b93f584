"""Instances that start together: one migrates, the other waits, both end with the whole schema."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from bio_agent_ops.cli import main
from bio_agent_ops.doctor_servers import postgres
from bio_agent_ops.home import Home
from bio_agent_ops.local import free_port, prepare, up_to_date
from bio_agent_ops.supervisor import up as run_up
from bio_agent_schema.db import LATEST, Database, migrate
from bio_agent_schema.revisions import SchemaMismatch
from bio_agent_schema.tables import TENANT_TABLES
from tests.conftest import Servers

pytestmark = pytest.mark.services


def test_two_migrations_of_an_empty_database_at_once(servers: Servers) -> None:
    admin = make_url(servers.admin_url)
    name = f"empty_{os.getpid()}"
    url = admin.set(database=name).render_as_string(hide_password=False)
    engine = create_engine(admin.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{name}"')
    try:
        with ThreadPoolExecutor(2) as pool:
            given = list(pool.map(lambda _: migrate(url, "test-password"), range(2)))
        assert given[0] == given[1]
        work = create_engine(url)
        with work.connect() as connection:
            revisions = connection.execute(text("select version_num from bio.schema_revision")).scalars().all()
            tables = set(connection.execute(text("select tablename from pg_tables where schemaname = 'bio'")).scalars())
        work.dispose()
        assert revisions == [LATEST]
        assert tables == {*TENANT_TABLES, "clock", "schema_revision"}
        db = Database(given[0], pool_size=1)
        assert db.tenants() == []
        db.close()
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f'drop database if exists "{name}" with (force)')
        engine.dispose()


def test_a_database_that_other_migrations_made_is_left_alone(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    admin = make_url(servers.admin_url)
    name = f"other_{os.getpid()}"
    url = admin.set(database=name).render_as_string(hide_password=False)
    engine = create_engine(admin.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{name}"')
    try:
        application = migrate(url, "test-password")
        assert up_to_date(application)
        work = create_engine(url, isolation_level="AUTOCOMMIT")
        with work.connect() as connection:
            connection.exec_driver_sql("comment on table bio.schema_revision is 'sha256:0000'")
        assert not up_to_date(application)
        with pytest.raises(SchemaMismatch, match="another state of schema revision"):
            migrate(url, "another-password")
        assert Database(application, pool_size=1).tenants() == [], "nothing was changed, not even the password"
        checked = {c.name: c for c in postgres(application)}
        assert checked["schema"].ok is False

        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
        monkeypatch.delenv("DATABASE_ADMIN_URL", raising=False)
        said = StringIO()
        code = run_up(Home(tmp_path / "home"), free_port(), prepare=prepare, queues=(), out=said)
        assert code == 1
        assert "another state of schema revision" in said.getvalue()
        assert "Traceback" not in said.getvalue()
        monkeypatch.setenv("BIO_APP_PASSWORD", "another-password")
        told = CliRunner().invoke(main, ["migrate"])
        assert told.exit_code == 1
        assert told.output.startswith("bio-agent: cannot use the database")
        work.dispose()
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f'drop database if exists "{name}" with (force)')
        engine.dispose()
