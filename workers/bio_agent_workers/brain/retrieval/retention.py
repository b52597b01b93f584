"""Retention of a long-term memory: how much of it is left since it was last confirmed."""

from __future__ import annotations

from datetime import datetime, timedelta

from bio_agent_schema.types import MemoryKind

# Days until half is left. Single episodes fade in a month, exceptions in a quarter, what is general in a year.
HALF_LIFE_DAYS: dict[MemoryKind, float] = {
    MemoryKind.EPISODIC: 30.0,
    MemoryKind.EXCEPTION: 90.0,
    MemoryKind.SEMANTIC: 365.0,
    MemoryKind.PROCEDURAL: 365.0,
    MemoryKind.GOAL: 365.0,
    MemoryKind.PREFERENCE: 365.0,
}
MAX_DOUBLINGS = 3  # each confirmation doubles the half-life, up to eightfold: nothing becomes immortal
COLD_BELOW = 0.1  # retention; searched only when the active tier gives too few


def half_life_days(kind: MemoryKind, confirmations: int) -> float:
    """Half-life in days after `confirmations` (new evidence or proven help; being recalled is none)."""
    return float(HALF_LIFE_DAYS[kind] * 2 ** min(MAX_DOUBLINGS, max(0, confirmations)))


def retention(kind: MemoryKind, confirmed_at: datetime, confirmations: int, now: datetime) -> float:
    """(0, 1]: share left since `confirmed_at`; 1 for a time in the future."""
    days = max(0.0, (now - confirmed_at) / timedelta(days=1))
    return float(0.5 ** (days / half_life_days(kind, confirmations)))


def is_cold(retained: float) -> bool:
    """Whether a memory with this retention has left the active tier."""
    return retained < COLD_BELOW
