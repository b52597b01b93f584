"""The way into Postgres: engines, tenant transactions, and the migrations.

Every transaction of the application belongs to one tenant (`Database.tenant`), set from a credential and enforced by
row-level security; `Database.across` sees only the few functions that answer over all tenants without content.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from bio_agent_schema import revisions
from bio_agent_schema.revisions import SchemaMismatch

TENANT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
MIGRATION_LOCK = 7_215_001  # any constant; all instances must take the same one
LATEST = "0001"

INSTANCE = os.environ.get("BIO_INSTANCE") or f"{socket.gethostname()}:{os.getpid()}"


class UnknownTenant(LookupError):
    """The tenant does not exist; the message is safe to show."""


def normal_url(url: str) -> str:
    """A Postgres URL as SQLAlchemy wants it, whatever of the usual spellings was given."""
    return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", url)


def make_engine(url: str, *, pool_size: int = 8, statement_timeout_s: int = 30) -> Engine:
    """An engine whose connections plan each statement for the tenant at hand.

    A generic plan ignores how small a tenant is; so prepared statements keep custom plans.
    """
    engine = create_engine(
        normal_url(url),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        pool_recycle=1800,
        connect_args={
            "connect_timeout": 5,
            "application_name": f"bio-agent {INSTANCE}",
            "options": f"-c plan_cache_mode=force_custom_plan -c statement_timeout={statement_timeout_s * 1000}"
            " -c idle_in_transaction_session_timeout=60000",
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
        },
    )

    @event.listens_for(engine, "handle_error")
    def _drop_dead_pool(context: object) -> None:  # a restarted server leaves every pooled connection dead
        original = getattr(context, "original_exception", None)
        if isinstance(original, DBAPIError) and original.connection_invalidated:
            engine.dispose()

    return engine


def set_tenant(session: Session | Connection, tenant: str) -> None:
    """Give the running transaction to `tenant` (several times in one transaction is allowed: intake does)."""
    session.execute(text("select set_config('bio.tenant', :tenant, true)"), {"tenant": tenant})


class Database:
    """The application's connections. `url` must be of a role that owns nothing and cannot bypass security."""

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self.url = normal_url(url)
        self.engine = make_engine(url, pool_size=pool_size)

    @contextmanager
    def tenant(self, tenant: str) -> Iterator[Session]:
        """One transaction of one tenant: committed at the end, rolled back on any exception."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            set_tenant(session, tenant)
            yield session

    @contextmanager
    def across(self) -> Iterator[Session]:
        """One transaction with no tenant: sees no row of any table, only the functions of the dispatcher."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def tenants(self) -> list[str]:
        with self.across() as session:
            return list(session.execute(text("select * from bio.tenant_ids()")).scalars())

    def close(self) -> None:
        self.engine.dispose()


def ensure_tenant(session: Session, tenant: str, name: str = "") -> bool:
    """Create the tenant if it is new. The transaction must already belong to it. Returns whether it was created."""
    if not TENANT_NAME.fullmatch(tenant):
        raise ValueError(f"tenant {tenant!r}: use 1 to 63 of a-z, 0-9, '-' and '_', beginning with a letter or digit")
    row = session.execute(
        text(
            "insert into bio.tenants (tenant, name, secret) values (:t, :n, :s) on conflict do nothing returning tenant"
        ),
        {"t": tenant, "n": name or tenant, "s": secrets.token_bytes(32)},
    ).first()
    return row is not None


def has_tenant(session: Session, tenant: str) -> bool:
    """Whether the tenant is there. The transaction must already belong to it."""
    return session.execute(text("select 1 from bio.tenants where tenant = :t"), {"t": tenant}).first() is not None


def _upgrade(connection: Connection) -> None:
    from alembic import command  # a third of a second that only a migration needs
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


ROLES = """
do $$ begin
  if not exists (select from pg_roles where rolname = 'bio_owner') then create role bio_owner nologin; end if;
  if not exists (select from pg_roles where rolname = 'bio_dispatch') then create role bio_dispatch nologin; end if;
  if not exists (select from pg_roles where rolname = 'bio_app') then create role bio_app login; end if;
end $$;
grant bio_owner, bio_dispatch to current_user;
create extension if not exists vector;
create schema if not exists bio authorization bio_owner;
"""


def _refuse_other_schema(connection: Connection, url: str) -> None:
    """Raises SchemaMismatch when the migrations here cannot continue what the database holds."""
    if connection.exec_driver_sql("select to_regclass('bio.schema_revision')").scalar() is None:
        return
    row = connection.exec_driver_sql(revisions.RECORDED).first()
    if row is not None and (why := revisions.fault(row[0], row[1])):
        at = make_url(normal_url(url))
        raise SchemaMismatch(f"cannot use the database {at.database} on {at.host}:{at.port or 5432}: {why}")


def migrate(admin_url: str, app_password: str) -> str:
    """Bring the database to the newest revision and give the application's role its password.

    admin_url: a role that may create roles and extensions. Instances that start together take turns by an advisory
    lock. Returns the URL under which the application connects (role `bio_app`). Raises SchemaMismatch, with nothing
    changed, when the database was made by other migrations than those that are installed.
    """
    engine = create_engine(normal_url(admin_url), isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 10})
    work = create_engine(normal_url(admin_url), connect_args={"connect_timeout": 10})
    try:
        with engine.connect() as lock:
            lock.execute(text("select pg_advisory_lock(:k)"), {"k": MIGRATION_LOCK})
            try:
                _refuse_other_schema(lock, admin_url)
                lock.exec_driver_sql(ROLES)
                quoted = app_password.replace("'", "''")
                lock.exec_driver_sql(f"alter role bio_app password '{quoted}'")
                with work.connect() as connection:
                    connection.exec_driver_sql("set role bio_owner")
                    connection.exec_driver_sql(
                        "create table if not exists bio.schema_revision (version_num varchar(32) not null primary key)"
                    )
                    connection.exec_driver_sql("reset role")
                    connection.commit()
                    connection.begin()  # the record belongs to the same transaction as what it records
                    _upgrade(connection)
                    connection.exec_driver_sql("set local role bio_owner")
                    connection.exec_driver_sql(
                        f"comment on table bio.schema_revision is '{revisions.mark(revisions.newest())}'"
                    )
                    connection.commit()
            finally:
                lock.execute(text("select pg_advisory_unlock(:k)"), {"k": MIGRATION_LOCK})
        return engine.url.set(username="bio_app", password=app_password).render_as_string(hide_password=False)
    finally:
        work.dispose()
        engine.dispose()


def move_clock(admin_url: str, shift: str) -> None:
    """Move `bio.now()` for all processes by an interval such as '2 days'. For tests; only the owner role can."""
    engine = create_engine(normal_url(admin_url))
    with engine.begin() as connection:
        connection.execute(text("update bio.clock set shift = cast(:s as interval)"), {"s": shift})
    engine.dispose()
