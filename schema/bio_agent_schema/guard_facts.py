"""Guard facts: what failed here and has not succeeded since. Kept per workspace and canonical act by intake."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_schema.tables import GuardFactRow
from bio_agent_schema.types import Act

ACTIVE_AFTER = 2  # failures; one may be a typing mistake
MAX_FORM = 500  # characters of a form that key its fact
BOTH_WITHIN = "1 day"  # a command with both outcomes within this is flaky, and makes no fact


@dataclass(frozen=True, slots=True)
class Happened:
    """One tool outcome: its acts, whether it failed, when (host's clock)."""

    workspace: str
    acts: tuple[Act, ...]
    failed: bool
    error_token: str
    episode_id: str
    at: datetime


def record(session: Session, tenant: str, outcomes: Sequence[Happened]) -> None:
    """Count outcomes in order. A line of several commands blames none of them for a failure, and clears all it ran; the
    folder that an agent enters first is no command of its own."""
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for o in outcomes:
        acts = [act for act in o.acts if not _enters(act)] if o.failed else o.acts
        if o.failed and len(acts) != 1:
            continue
        for act in acts:
            fact = merged.setdefault((o.workspace, act.form[:MAX_FORM]), {
                "workspace": o.workspace, "form": act.form[:MAX_FORM], "act": asdict(act), "failures": 0, "cleared": False,
                "failed_at": None, "succeeded_at": None, "token": "", "episode": o.episode_id,
            })  # fmt: skip
            if o.failed:
                fact |= {
                    "failures": fact["failures"] + 1,
                    "failed_at": o.at.isoformat(),
                    "token": o.error_token,
                    "episode": o.episode_id,
                }
            else:
                fact |= {"failures": 0, "cleared": True, "succeeded_at": o.at.isoformat()}
    if not merged:
        return
    failing = [f for f in merged.values() if f["failures"]]
    cleared = [f for f in merged.values() if f["cleared"]]
    if cleared:
        session.execute(
            text(
                """
                update bio.guard_facts g set failures = 0, last_succeeded_at = c.succeeded_at
                from jsonb_to_recordset(cast(:rows as jsonb)) as c(workspace text, form text, succeeded_at timestamptz)
                where g.tenant = :t and g.workspace = c.workspace and g.act_form = c.form
                """
            ),
            {"t": tenant, "rows": json.dumps(cleared)},
        )
    if failing:
        session.execute(
            text(
                """
                insert into bio.guard_facts as g (tenant, workspace, act_form, act, error_token, failures, last_failed_at,
                    last_succeeded_at, last_episode_id)
                select :t, f.workspace, f.form, f.act, f.token, f.failures, f.failed_at, f.succeeded_at, f.episode
                from jsonb_to_recordset(cast(:rows as jsonb)) as f(workspace text, form text, act jsonb, token text,
                    failures int, failed_at timestamptz, succeeded_at timestamptz, episode text)
                on conflict (tenant, workspace, act_form) do update set failures = g.failures + excluded.failures,
                    last_failed_at = excluded.last_failed_at, error_token = excluded.error_token, act = excluded.act,
                    last_episode_id = excluded.last_episode_id,
                    last_succeeded_at = coalesce(excluded.last_succeeded_at, g.last_succeeded_at)
                """
            ),
            {"t": tenant, "rows": json.dumps(failing)},
        )


def _enters(act: Act) -> bool:
    return act.tool == "cd" and act.operands[:1] != () and act.operands[0].startswith("/")


def settle(session: Session, tenant: str, failure_ids: Sequence[str]) -> None:
    """A failure that something else fixed is no guard fact any more: what fixed it is the better word on it. A form that
    failed again and again stays one until it succeeds itself: whether a rule came of the fix is not known yet, and where
    one did, the guard names the rule."""
    session.execute(
        text(
            """
            update bio.guard_facts g set failures = 0 from bio.episodes e
            where e.tenant = :t and e.id = any(:ids) and g.tenant = e.tenant and g.workspace = e.workspace
              and g.act_form = left(e.act_form, 500) and g.failures < :active
            """
        ),
        {"t": tenant, "ids": list(failure_ids), "active": ACTIVE_AFTER},
    )


def active(session: Session, tenant: str, workspace: str, forms: Sequence[str]) -> list[GuardFactRow]:
    """Facts on acts of these forms that warn now: failed at least twice, not succeeded since, and not both within a
    day."""
    if not forms:
        return []
    return list(
        session.exec(
            select(GuardFactRow).where(
                GuardFactRow.tenant == tenant, GuardFactRow.workspace == workspace,
                col(GuardFactRow.act_form).in_({form[:MAX_FORM] for form in forms}),
                col(GuardFactRow.failures) >= ACTIVE_AFTER,
                text(f"(last_succeeded_at is null or last_failed_at - last_succeeded_at > interval '{BOTH_WITHIN}')"),
            )
        )
    )  # fmt: skip


def listed(session: Session, tenant: str) -> list[GuardFactRow]:
    return list(
        session.exec(
            select(GuardFactRow).where(
                GuardFactRow.tenant == tenant, col(GuardFactRow.failures) >= ACTIVE_AFTER,
                text(f"(last_succeeded_at is null or last_failed_at - last_succeeded_at > interval '{BOTH_WITHIN}')"),
            ).order_by(col(GuardFactRow.workspace), col(GuardFactRow.act_form))
        )
    )  # fmt: skip
