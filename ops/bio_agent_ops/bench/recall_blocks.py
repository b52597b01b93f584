"""The prompt's blocks at size, as part of `bench recall`: the rules and the context of a tenant of many rules."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bio_agent_ops.bench.conditions import Figure
from bio_agent_ops.bench.recall_clients import times
from bio_agent_ops.service import contexts, speaking
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs

RENDERINGS, RUNS = 40, 3
TARGET_MS = 20.0  # at the 95th percentile


def figures(ctx: Context, tenant: str, rules: int) -> list[Figure]:
    """The tenant has so many active rules and no memories: what recalling costs stands by itself."""

    def persona() -> dict[str, Any]:
        return speaking.persona(ctx, tenant, workspace="default", agent="", user="")

    def block() -> str:
        return str(persona()["block"])

    def context() -> str:
        shown = contexts.context(
            ctx, tenant, session_id="", workspace="default", agent="", user="", query="push the branch",
            budget=contexts.DEFAULT_BUDGET,
        )  # fmt: skip
        return str(shown["text"])

    return [
        Figure("rules that the prompt's block was chosen from", (float(persona()["in_force"]),), "", float(rules)),
        *_of(ctx, tenant, f"rules for a prompt, {rules:,} rules", block),
        *_of(ctx, tenant, f"context of a turn, {rules:,} rules", context),
    ]


def _of(ctx: Context, tenant: str, name: str, render: Callable[[], str]) -> list[Figure]:
    anew, again, bytes_seen = list[list[float]](), list[list[float]](), set[str]()
    for _ in range(RUNS):
        anew.append([])
        again.append([])
        for _ in range(RENDERINGS):
            with ctx.db.tenant(tenant) as session:
                beliefs.touch_epoch(session, tenant)  # as a change of any rule does: nothing rendered before serves
            for spent in (anew[-1], again[-1]):
                at = time.perf_counter()
                bytes_seen.add(render())
                spent.append((time.perf_counter() - at) * 1000)
    return [
        *times(f"{name}, rendered anew", anew, TARGET_MS),
        *times(f"{name}, nothing changed", again, TARGET_MS),
        Figure("  different texts among these", (float(len(bytes_seen)),), "", 1.0, at_least=False),
    ]
