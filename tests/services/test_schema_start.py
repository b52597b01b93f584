"""Instances that start together: one migrates, the other waits, both end with the whole schema."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from bio_agent_schema.db import LATEST, Database, migrate
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
