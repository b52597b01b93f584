"""How the tables of guarded calls are read: a call is a shell line, or a tool's name and its input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.pure.test_guard_words import stops

Given = str | tuple[str, dict[str, Any]]
Told = tuple[str, list[Given], list[Given]]


def held_against(rule: str, stopped: Iterable[Given], passed: Iterable[Given]) -> list[str]:
    """What the guard gets wrong of the calls."""
    wrong = [f"not stopped: {call}" for call in stopped if not _stops(rule, call)]
    return wrong + [f"stopped: {call}" for call in passed if _stops(rule, call)]


def _stops(rule: str, call: Given) -> bool:
    return stops(rule, call) if isinstance(call, str) else stops(rule, call[1], call[0])
