"""What agents are told: rendered blocks, and what was injected where."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import Row, int_column, list_column, now_column, text_column, time_column


class PersonaBlockRow(Row, table=True):
    """The prompt block last rendered for a caller; stays byte-identical until the tenant's epoch moves."""

    __tablename__ = "persona_blocks"
    tenant: str = Field(sa_type=Text, primary_key=True)
    scope_path: str = Field(sa_type=Text, primary_key=True)
    agent: str = Field(sa_type=Text, primary_key=True)
    user_id: str = Field(sa_type=Text, primary_key=True)
    epoch: int = int_column(0, big=True)
    version: str = text_column()
    block: str = text_column()
    rule_ids: list[str] = list_column()
    in_force: int = int_column(0)
    valid_until: datetime | None = time_column(default=None, nullable=True)
    created_at: datetime = now_column()


class InjectionRow(Row, table=True):
    """A rule that a session had before it: in its block, as a hint or as a warning. Credited at most once."""

    __tablename__ = "injections"
    tenant: str = Field(sa_type=Text, primary_key=True)
    session: str = Field(sa_type=Text, primary_key=True)
    rule_id: str = Field(sa_type=Text, primary_key=True)
    how: str = text_column("block")
    command: str = text_column()
    credited: str = text_column()
    at: datetime = now_column()
