"""What arrived (L1), and the working state of the agents it came from."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Identity, Integer, SmallInteger, Text
from sqlalchemy.dialects.postgresql import JSONB, REAL
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


class EpisodeRow(Row, table=True):
    """L1: one row an observation. The primary key makes intake exactly-once."""

    __tablename__ = "episodes"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), nullable=False)
    content_hash: str = text_column()
    workspace: str = text_column("default")
    agent: str = text_column("default")
    user_id: str = text_column()
    session: str = text_column()
    turn: str = text_column()
    kind: str = text_column("event")
    source: str = text_column()
    origin: str = text_column()
    speaker: str = text_column()
    host: str = text_column()
    call_id: str = text_column()
    provenance: str = text_column("untrusted")
    content: str = text_column()
    last_content: str = text_column()
    tool: str = text_column()
    tool_input: Any = Field(default=None, sa_type=JSONB(none_as_null=True), nullable=True)
    command: str = text_column()
    act_form: str = text_column()
    exit_code: int | None = Field(default=None, sa_type=Integer, nullable=True)
    is_failure: bool = bool_column()
    error_token: str = text_column()
    severity: float = Field(default=0.2, sa_type=REAL, sa_column_kwargs={"server_default": "0.2"}, nullable=False)
    duration_ms: int | None = Field(default=None, sa_type=Integer, nullable=True)
    cwd: str = text_column()
    task: str = text_column()
    goal: str = text_column()
    mode: str = text_column("normal")
    project_version: str = text_column()
    entities: list[str] = list_column()
    meta: dict[str, Any] = json_column()
    occurred_at: datetime = time_column()
    received_at: datetime = now_column()
    template: str = text_column()
    novelty: float = Field(default=1.0, sa_type=REAL, sa_column_kwargs={"server_default": "1"}, nullable=False)
    salience: float | None = Field(default=None, sa_type=REAL, nullable=True)
    task_relevance: float | None = Field(default=None, sa_type=REAL, nullable=True)
    recalled: bool = bool_column()
    directive: bool = bool_column()
    state: str = text_column("open")
    unresolved: bool = bool_column()
    resolved_by: str | None = text_column(None, nullable=True)
    folded: int = int_column(1)
    folded_into: str | None = text_column(None, nullable=True)
    importance: int | None = Field(default=None, sa_type=SmallInteger, nullable=True)
    topic: str = text_column()
    tags: list[str] = list_column()
    labelled_by: str = text_column()
    label_reason: str = text_column()
    cycle_id: str | None = text_column(None, nullable=True)
    considered_at: datetime | None = time_column(default=None, nullable=True)
    cited: bool = bool_column()
    age_cycles: int = int_column()
    aged_at: datetime | None = time_column(default=None, nullable=True)
    attempts: int = int_column()


class L1ScopeRow(Row, table=True):
    """An L1 scope (tenant, workspace, agent): what the dispatcher needs to know, and nothing of the content."""

    __tablename__ = "l1_scopes"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    agent: str = Field(sa_type=Text, primary_key=True)
    new_count: int = int_column()
    oldest_new_at: datetime | None = time_column(default=None, nullable=True)
    last_arrival_at: datetime | None = time_column(default=None, nullable=True)
    stress: float = float_column()
    directive_waiting: bool = bool_column()
    session_ended: bool = bool_column()
    requested_at: datetime | None = time_column(default=None, nullable=True)
    cycles_done: int = int_column(0, big=True)
    last_cycle_at: datetime | None = time_column(default=None, nullable=True)
    held_until: datetime | None = time_column(default=None, nullable=True)


class WorkingStateRow(Row, table=True):
    """What a session has in hand: tasks, goals, surroundings, acts. `state`: as `brain/working.py` dumps it."""

    __tablename__ = "working_states"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    session: str = Field(sa_type=Text, primary_key=True)
    state: dict[str, Any] = json_column()
    updated_at: datetime = now_column()


class AttemptRow(Row, table=True):
    """How an act ended under a goal, in a workspace; `act_form` is empty for how the goal itself ended."""

    __tablename__ = "attempts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    goal_form: str = Field(sa_type=Text, primary_key=True)
    act_form: str = Field(sa_type=Text, primary_key=True)
    worked: int = int_column()
    failed: int = int_column()
    nowhere: int = int_column()
    error_token: str = text_column()
    risky: bool = bool_column()
    last_at: datetime = now_column()
