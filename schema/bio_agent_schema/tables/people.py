"""What people decide: reviews, exceptions; and the audit of all that changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Identity, Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import Row, json_column, now_column, text_column, time_column


class ReviewRow(Row, table=True):
    """Something only a person decides: a tie, a challenge to an owner's rule, a rule that must wait."""

    __tablename__ = "reviews"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = text_column()
    belief_id: str = text_column()
    other_id: str = text_column()
    question: str = text_column()
    state: str = text_column("open")
    decided_by: str = text_column()
    why: str = text_column()
    created_at: datetime = now_column()
    decided_at: datetime | None = time_column(default=None, nullable=True)


class ExceptionRow(Row, table=True):
    """A governed exception to a belief; it applies only while approved, unexpired and within its bounds."""

    __tablename__ = "exceptions"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    belief_id: str = text_column()
    text: str = text_column()
    policy: str = text_column()
    bounds: dict[str, Any] = json_column()
    state: str = text_column("proposed")
    proposed_by: str = text_column()
    approved_by: str = text_column()
    why: str = text_column()
    valid_from: datetime = now_column()
    expires_at: datetime | None = time_column(default=None, nullable=True)
    created_at: datetime = now_column()
    updated_at: datetime = now_column()


class AuditRow(Row, table=True):
    """Every step, written in the changing transaction: ids, states, numbers and keyed hashes, never text."""

    __tablename__ = "audit"
    tenant: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), primary_key=True)
    at: datetime = now_column()
    actor: str = text_column()
    act: str = text_column()
    subject: str = text_column()
    episode_id: str = text_column()
    cycle_id: str = text_column()
    cause: str = text_column()
    before: str = text_column()
    after: str = text_column()
    data: dict[str, Any] = json_column()
    instance: str = text_column()
    seal: str = text_column()
