"""Who uses the house: tenants, their keys, and what they have used up."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import Date, LargeBinary, Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import (
    Row,
    bool_column,
    int_column,
    json_column,
    now_column,
    text_column,
    time_column,
)


class TenantRow(Row, table=True):
    """One customer. `secret` keys its hashes; `persona_epoch` moves whenever what may be injected changed."""

    __tablename__ = "tenants"
    tenant: str = Field(sa_type=Text, primary_key=True)
    name: str = text_column()
    secret: bytes = Field(sa_type=LargeBinary)
    time_zone: str = text_column("UTC")
    review_mode: bool = bool_column()
    blackouts: list[Any] = json_column("[]")
    limits: dict[str, Any] = json_column()
    persona_epoch: int = int_column(1, big=True)
    last_served_at: datetime | None = time_column(default=None, nullable=True)
    created_at: datetime = now_column()


class ApiKeyRow(Row, table=True):
    """A program's credential: only its hash is kept. `ceiling`: the highest provenance it may claim."""

    __tablename__ = "api_keys"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    prefix: str = text_column()
    hash: str = text_column(unique=True)
    ceiling: str = text_column("agent")
    created_at: datetime = now_column()
    expires_at: datetime | None = time_column(default=None, nullable=True)
    revoked_at: datetime | None = time_column(default=None, nullable=True)


class UsageRow(Row, table=True):
    """What a tenant used on a day of UTC: "observations", "tokens", and the tokens of each stage and model."""

    __tablename__ = "usage"
    tenant: str = Field(sa_type=Text, primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    what: str = Field(sa_type=Text, primary_key=True)
    amount: int = int_column(big=True)
