"""Consolidation at work: cycles, model calls, dreams, and what could not be worked on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Text
from sqlmodel import Field

from bio_agent_schema.tables.columns import (
    Row,
    bool_column,
    int_column,
    json_column,
    list_column,
    now_column,
    text_column,
    time_column,
)


class CycleRow(Row, table=True):
    """One consolidation of one batch. `stage` is the next stage to run; `fence` moves with every taker."""

    __tablename__ = "cycles"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    workspace: str = text_column("default")
    agent: str = text_column("default")
    trigger: str = text_column()
    state: str = text_column("running")
    stage: str = text_column("label")
    fence: int = int_column(1, big=True)
    lease_owner: str = text_column()
    lease_until: datetime | None = time_column(default=None, nullable=True)
    not_before: datetime | None = time_column(default=None, nullable=True)
    attempts: int = int_column()
    root: str = text_column()
    episode_ids: list[str] = list_column()
    outputs: dict[str, Any] = json_column()
    counts: dict[str, Any] = json_column()
    error: str = text_column()
    created_at: datetime = now_column()
    updated_at: datetime = now_column()
    finished_at: datetime | None = time_column(default=None, nullable=True)


class ModelCallRow(Row, table=True):
    """A model's raw input and output under its request digest: a retry does not pay twice, replay shows it."""

    __tablename__ = "model_calls"
    tenant: str = Field(sa_type=Text, primary_key=True)
    digest: str = Field(sa_type=Text, primary_key=True)
    cycle_root: str = text_column()
    cycle_id: str = text_column()
    role: str = text_column()
    model_id: str = text_column()
    prompt_version: str = text_column()
    episode_ids: list[str] = list_column()
    raw_input: str = text_column()
    raw_output: str = text_column()
    data: dict[str, Any] = json_column()
    input_tokens: int = int_column()
    output_tokens: int = int_column()
    created_at: datetime = now_column()


class DreamRunRow(Row, table=True):
    """One dream per tenant and slot, however many beats run.

    state: running, done, left (another took the place), asking (a person is asked whether it may go on), approved (it may),
    stopped (it may not). night: local date, whose allowance of changes it uses. cursor: where the step stands.
    """

    __tablename__ = "dream_runs"
    tenant: str = Field(sa_type=Text, primary_key=True)
    slot: str = Field(sa_type=Text, primary_key=True)
    night: str = text_column()
    state: str = text_column("running")
    fence: int = int_column(1, big=True)
    lease_until: datetime | None = time_column(default=None, nullable=True)
    step: str = text_column()
    cursor: str = text_column()
    finished_steps: list[str] = list_column()
    changed: int = int_column()
    lifted: bool = bool_column()
    calls: int = int_column()
    tokens: int = int_column()
    stats: dict[str, Any] = json_column()
    journal: list[Any] = json_column("[]")
    started_at: datetime = now_column()
    finished_at: datetime | None = time_column(default=None, nullable=True)


class DeadLetterRow(Row, table=True):
    """What could not be processed, with its cause; visible and re-drivable."""

    __tablename__ = "dead_letters"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = text_column("episode")
    subject: str = text_column()
    stage: str = text_column()
    cause: str = text_column()
    attempts: int = int_column()
    payload: str = text_column()
    created_at: datetime = now_column()
    redriven_at: datetime | None = time_column(default=None, nullable=True)
