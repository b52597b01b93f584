"""What is kept of what happened (L2), how it is found, and how it hangs together."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import SmallInteger, Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import (
    Row,
    bool_column,
    float_column,
    int_column,
    json_column,
    list_column,
    now_column,
    text_column,
    time_column,
)


class MemoryRow(Row, table=True):
    """L2: what is remembered and can be recalled."""

    __tablename__ = "memories"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = text_column("episodic")
    type: str = text_column()
    content: str = text_column()
    term_count: int = int_column()
    thread: str = text_column()
    position: int = int_column()
    occurred_at: datetime = now_column()
    workspace: str = text_column("default")
    agent: str = text_column()
    user_id: str = text_column()
    source: str = text_column()
    origin: str = text_column()
    provenance: str = text_column("untrusted")
    tags: list[str] = list_column()
    entities: list[str] = list_column()
    importance: int = int_column(5)
    confidence: float = float_column(0.5)
    severity: float = float_column(0.2)
    mode: str = text_column("normal")
    stress_band: str = text_column("calm")
    lang: str = text_column("en")
    embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    embedding_model: str = text_column()
    next_embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    next_model: str = text_column()
    confirmations: int = int_column()
    confirmed_at: datetime = now_column()
    valid_from: datetime = now_column()
    valid_to: datetime | None = time_column(default=None, nullable=True)
    superseded_by: str | None = text_column(None, nullable=True)
    state: str = text_column("active")
    recheck: bool = bool_column()
    meta: dict[str, Any] = json_column()
    cycle_id: str | None = text_column(None, nullable=True)
    created_at: datetime = now_column()
    updated_at: datetime = now_column()


class VectorStateRow(Row, table=True):
    """Which model's vectors answer a tenant's questions, which index of them is wanted, and who is embedding anew."""

    __tablename__ = "vector_states"
    tenant: str = Field(sa_type=Text, primary_key=True)
    answers_with: str = text_column()
    index_model: str = text_column()
    index_dimensions: int = int_column()
    lease_owner: str = text_column()
    lease_until: datetime | None = time_column(default=None, nullable=True)
    updated_at: datetime = now_column()


class MemoryTermRow(Row, table=True):
    """The inverted index of recall by words: a term, a memory that holds it and how often."""

    __tablename__ = "memory_terms"
    tenant: str = Field(sa_type=Text, primary_key=True)
    term: str = Field(sa_type=Text, primary_key=True)
    memory_id: str = Field(sa_type=Text, primary_key=True)
    frequency: int = Field(default=1, sa_type=SmallInteger, sa_column_kwargs={"server_default": "1"}, nullable=False)


class MemorySourceRow(Row, table=True):
    __tablename__ = "memory_sources"
    tenant: str = Field(sa_type=Text, primary_key=True)
    memory_id: str = Field(sa_type=Text, primary_key=True)
    episode_id: str = Field(sa_type=Text, primary_key=True)


class EdgeRow(Row, table=True):
    """The graph. A node is a typed id: `belief:…`, `memory:…`, `episode:…`, `entity:…`."""

    __tablename__ = "edges"
    tenant: str = Field(sa_type=Text, primary_key=True)
    source: str = Field(sa_type=Text, primary_key=True)
    relation: str = Field(sa_type=Text, primary_key=True)
    target: str = Field(sa_type=Text, primary_key=True)
    weight: float = float_column(1.0)
    props: dict[str, Any] = json_column()
    created_at: datetime = now_column()


class TombstoneRow(Row, table=True):
    """What stays of forgotten content: a keyed hash, times and the reason."""

    __tablename__ = "tombstones"
    tenant: str = Field(sa_type=Text, primary_key=True)
    subject: str = Field(sa_type=Text, primary_key=True)
    keyed_hash: str = text_column()
    reason: str = text_column()
    occurred_at: datetime | None = time_column(default=None, nullable=True)
    at: datetime = now_column()
