"""The tables, as SQLModel classes; every one carries its tenant first and lives in the Postgres schema `bio`.

The migrations create them (with row-level security and roles, which metadata cannot say); a test compares the two.
"""

from __future__ import annotations

from bio_agent_schema.tables.beliefs import BeliefHistoryRow, BeliefRow, EvidenceRow, GuardFactRow, VerdictRow
from bio_agent_schema.tables.columns import SCHEMA, metadata
from bio_agent_schema.tables.cycles import CycleRow, DeadLetterRow, DreamRunRow, ModelCallRow
from bio_agent_schema.tables.episodes import AttemptRow, EpisodeRow, L1ScopeRow, WorkingStateRow
from bio_agent_schema.tables.memories import (
    EdgeRow,
    MemoryRow,
    MemorySourceRow,
    MemoryTermRow,
    TombstoneRow,
    VectorStateRow,
)
from bio_agent_schema.tables.people import AuditRow, ExceptionRow, ReviewRow
from bio_agent_schema.tables.telling import InjectionRow, PersonaBlockRow
from bio_agent_schema.tables.tenants import ApiKeyRow, TenantRow, UsageRow

TENANT_TABLES = [t.name for t in metadata.sorted_tables]

__all__ = [
    "SCHEMA",
    "TENANT_TABLES",
    "ApiKeyRow",
    "AttemptRow",
    "AuditRow",
    "BeliefHistoryRow",
    "BeliefRow",
    "CycleRow",
    "DeadLetterRow",
    "DreamRunRow",
    "EdgeRow",
    "EpisodeRow",
    "EvidenceRow",
    "ExceptionRow",
    "GuardFactRow",
    "InjectionRow",
    "L1ScopeRow",
    "MemoryRow",
    "MemorySourceRow",
    "MemoryTermRow",
    "ModelCallRow",
    "PersonaBlockRow",
    "ReviewRow",
    "TenantRow",
    "TombstoneRow",
    "UsageRow",
    "VectorStateRow",
    "VerdictRow",
    "WorkingStateRow",
    "metadata",
]
