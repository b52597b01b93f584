"""What the tests of the dream share: a clock they move, a week of observations, memories and rules put in place."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from bio_agent_client.observation import to_wire, uuid7
from bio_agent_client.redact import prepare
from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs, memories
from bio_agent_schema.db import move_clock
from bio_agent_schema.tables import BeliefRow, EvidenceRow, MemoryRow
from bio_agent_workers import shell
from bio_agent_workers.stages.reconcile import advance

DAY = timedelta(days=1)


class Clock:
    """Moves the database's clock forward, for all."""

    def __init__(self, ctx: Context, admin_url: str) -> None:
        self.ctx, self.admin_url, self.shift = ctx, admin_url, timedelta(0)

    def now(self) -> datetime:
        with self.ctx.db.tenant("default") as session:
            return beliefs.now(session)

    def forward(self, by: timedelta) -> None:
        self.shift += by
        move_clock(self.admin_url, f"{self.shift.total_seconds()} seconds")

    def to_hour(self, hour: int) -> None:
        """To the next time that it is this hour (UTC)."""
        now = self.now()
        then = now.replace(hour=hour, minute=5, second=0, microsecond=0)
        self.forward((then if then > now else then + DAY) - now)


def observe(ctx: Context, clock: Clock, session: str, *given: dict[str, Any]) -> None:
    """Observations of one session at the clock's time, consolidated at once."""
    at = clock.now()
    for n, obs in enumerate(given):
        said = {"workspace": "shop", "session": session, "occurred_at": (at + timedelta(seconds=n)).isoformat()} | obs
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(said))})
    assert learning.sleep(ctx, "default", inline=True)["pending"] == 0


def ran(command: str, exit_code: int = 0, said: str = "done", **more: Any) -> dict[str, Any]:
    return {
        "kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "exit_code": exit_code, "content": said
    } | more  # fmt: skip


def ended(goal: str) -> dict[str, Any]:
    return {"kind": "outcome", "content": "The goal is reached.", "goal": goal}


def release(day: int) -> list[dict[str, Any]]:
    """A release as it is done each time, each time with another number, file and place."""
    return [
        ran("ls -la"),
        ran("npm run build", said="built in 4 s"),
        ran(f"docker push registry.shop.test/web:1.{day}", said="pushed"),
        ran(f"kubectl apply -f /srv/deploy/day-{day}.yaml", said="configured"),
        ended(f"release the web shop, build {4000 + day}"),
    ]


def memory(content: str, at: datetime, **more: Any) -> MemoryRow:
    given = {"kind": "semantic", "type": "semantic", "workspace": "shop"} | more
    return MemoryRow(
        tenant="default", id=uuid7(), content=content, occurred_at=at, confirmed_at=at, created_at=at, updated_at=at,
        valid_from=at, **given,
    )  # fmt: skip


def keep(ctx: Context, *rows: MemoryRow) -> list[str]:
    vectors = ctx.embedder.passages([m.content for m in rows])
    with ctx.db.tenant("default") as session:
        for m, vector in zip(rows, vectors, strict=True):
            m.embedding, m.embedding_model = vector, ctx.embedder.model_id
            memories.insert(session, m, {})
    return [m.id for m in rows]


def rows(ctx: Context, sql: str, **params: Any) -> list[Any]:
    with ctx.db.tenant("default") as session:
        return [tuple(r) for r in session.execute(text(sql), {"t": "default"} | params)]


def did(dreamt: dict[str, Any]) -> list[str]:
    return [f"{line['step']}: {line['did']}" for line in dreamt["journal"]]


def pair_rule(ctx: Context, failed: str, fixed: str, at: datetime, **more: Any) -> str:
    """A rule that a failure and its fix taught, with both as evidence."""
    (wrong,), (right,) = shell.parse_command(failed), shell.parse_command(fixed)
    acts = {"kind": "replace", "failed": asdict(wrong), "fixed": asdict(right), "between": [], "error_token": ""}
    return believe(
        ctx, f"`{failed}` failed; use `{fixed}`.", at, pair=True, acts=acts, canonical_key=f"{failed}|{fixed}", **more
    )


def believe(ctx: Context, content: str, at: datetime, support: int = 2, trust: str = "agent", **more: Any) -> str:
    given: dict[str, Any] = {"state": "reinforced", "layer": "project", "scope_path": "workspace:shop", "rank": trust,
                             "canonical_key": content, "compiled_confidence": 0.5}  # fmt: skip
    row = BeliefRow(
        tenant="default", id=uuid7(), content=content, created_at=at, updated_at=at, valid_from=at, **given | more
    )
    with ctx.db.tenant("default") as session:
        session.add(row)
        session.flush()
        beliefs.add_evidence(session, [
            EvidenceRow(tenant="default", belief_id=row.id, episode_id=f"{row.id}-{n}", trust=trust, speaker="a",
                        session=f"old-{n // 2}", pair=row.pair, at=at)
            for n in range(support)
        ])  # fmt: skip
        advance(session, row, at, review_mode=False)
    return row.id


def state_of(ctx: Context, belief_id: str) -> str:
    return str(rows(ctx, "select state from bio.beliefs where tenant = :t and id = :i", i=belief_id)[0][0])
