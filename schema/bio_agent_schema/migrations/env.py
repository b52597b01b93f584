"""Alembic environment: the caller hands over an open connection; there is no alembic.ini."""

from __future__ import annotations

from alembic import context

from bio_agent_schema import tables

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=tables.metadata,
    version_table="schema_revision",
    version_table_schema=tables.SCHEMA,
    include_schemas=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
