"""What was learned: beliefs, their history and evidence, and what the guard knows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import BigInteger, Identity, Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import (
    Row,
    bool_column,
    float_column,
    int_column,
    json_column,
    now_column,
    text_column,
    time_column,
)


class BeliefRow(Row, table=True):
    """A rule with its life. `content` is what a person reads, `rendering` what may enter a prompt (may be empty)."""

    __tablename__ = "beliefs"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    content: str = text_column()
    rendering: str = text_column()
    model_text: str = text_column()
    search: str = text_column()
    lang: str = text_column("en")
    canonical_key: str = text_column()
    canonical: dict[str, Any] = json_column()
    acts: dict[str, Any] = json_column()
    forms: dict[str, Any] = json_column()
    kind: str = text_column("procedural")
    layer: str = text_column("adaptive")
    scope_path: str = text_column()
    scope_agent: str = text_column()
    scope_user: str = text_column()
    state: str = text_column("proposed")
    directive: bool = bool_column()
    pair: bool = bool_column()
    needs_person: bool = bool_column()
    approved_by: str = text_column()
    disputed: bool = bool_column()
    recheck: bool = bool_column()
    compiled_confidence: float = float_column(0.5)
    alpha: float = float_column(1.0)
    beta: float = float_column(1.0)
    confidence: float = float_column(0.5)
    support_count: int = int_column()
    contradiction_count: int = int_column()
    independent: int = int_column()
    rank: str = text_column("untrusted")
    injected: int = int_column()
    helped: int = int_column()
    hurt: int = int_column()
    embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    embedding_model: str = text_column()
    valid_from: datetime = now_column()
    valid_to: datetime | None = time_column(default=None, nullable=True)
    superseded_by: str | None = text_column(None, nullable=True)
    version: int = int_column(1)
    cause: str = text_column()
    cycle_id: str | None = text_column(None, nullable=True)
    created_at: datetime = now_column()
    updated_at: datetime = now_column()


class BeliefHistoryRow(Row, table=True):
    """A belief as a transaction left it; the database's own trigger writes it, so that no writer can forget to."""

    __tablename__ = "belief_history"
    tenant: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), primary_key=True)
    belief_id: str = text_column()
    at: datetime = now_column()
    snapshot: dict[str, Any] = json_column()


class EvidenceRow(Row, table=True):
    """One episode counts once per belief: that is the primary key."""

    __tablename__ = "evidence"
    tenant: str = Field(sa_type=Text, primary_key=True)
    belief_id: str = Field(sa_type=Text, primary_key=True)
    episode_id: str = Field(sa_type=Text, primary_key=True)
    supports: bool = bool_column(True)
    trust: str = text_column("untrusted")
    speaker: str = text_column()
    origin: str = text_column()
    session: str = text_column()
    pair: bool = bool_column()
    cycle_id: str | None = text_column(None, nullable=True)
    at: datetime = now_column()
    retracted_at: datetime | None = time_column(default=None, nullable=True)


class VerdictRow(Row, table=True):
    """A cached judgement of a pair of texts, direction kept relative to the sorted order of the two."""

    __tablename__ = "verdicts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    pair: str = Field(sa_type=Text, primary_key=True)
    model_id: str = Field(sa_type=Text, primary_key=True)
    prompt_version: str = Field(sa_type=Text, primary_key=True)
    relation: str = text_column()
    exception_of: str = text_column()
    confidence: float = float_column()
    created_at: datetime = now_column()


class GuardFactRow(Row, table=True):
    """A failure without a fix: warns on the same canonical command until its next success."""

    __tablename__ = "guard_facts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    act_form: str = Field(sa_type=Text, primary_key=True)
    act: dict[str, Any] = json_column()
    error_token: str = text_column()
    failures: int = int_column()
    last_failed_at: datetime | None = time_column(default=None, nullable=True)
    last_succeeded_at: datetime | None = time_column(default=None, nullable=True)
    last_episode_id: str = text_column()
    last_seq: int = int_column(0, big=True)
