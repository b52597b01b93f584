"""Working states of sessions, and how acts ended under goals. Postgres alone holds both.

A state is one row found by its primary key, written by two kinds of process (intake and the HTTP face) under a row lock;
a copy in Redis would have to be invalidated by both and would save a read that costs less than a round trip more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

Key = tuple[str, str]  # workspace, session

MOST_ATTEMPTS = 20_000  # rows of a workspace; beyond it the oldest go
STATE_STAYS = "60 days"  # after the last thing heard of a session
FAILED_GOALS = 300  # newest failed goals that a goal is held against


@dataclass(frozen=True, slots=True)
class Opened:
    """A session's state (None when nothing is known of it), the database's time (seconds since the epoch), the tenant's
    secret, and whether it has any memory to recall: what a context needs, in one look-up."""

    state: dict[str, Any] | None
    now: float
    secret: bytes
    remembers: bool


def open_state(session: Session, tenant: str, workspace: str, name: str) -> Opened:
    """Raises LookupError for an unknown tenant."""
    row = session.execute(
        text(
            """
            select r.state, extract(epoch from bio.now())::float8 as now, t.secret,
                exists (select from bio.memories m where m.tenant = :t) as remembers
            from bio.tenants t
            left join bio.working_states r on r.tenant = t.tenant and r.workspace = :w and r.session = :s
            where t.tenant = :t
            """
        ),
        {"t": tenant, "w": workspace, "s": name},
    ).first()
    if row is None:
        raise LookupError(f"unknown tenant {tenant!r}")
    return Opened(dict(row.state) if row.state is not None else None, row.now, bytes(row.secret), row.remembers)


def hold(session: Session, tenant: str, keys: Iterable[Key], *, create: bool = True) -> dict[Key, dict[str, Any]]:
    """The states, locked until the transaction ends, in an order that all callers share; {} for a new one."""
    wanted = sorted(set(keys))
    rows = {"workspaces": [w for w, _ in wanted], "sessions": [s for _, s in wanted], "t": tenant}
    if create:
        session.execute(
            text(
                """
                insert into bio.working_states (tenant, workspace, session)
                select :t, w, s from unnest(cast(:workspaces as text[]), cast(:sessions as text[])) as u (w, s)
                order by w collate "C", s collate "C" on conflict do nothing
                """
            ),
            rows,
        )
    found = session.execute(
        text(
            """
            select r.workspace, r.session, r.state from bio.working_states r
            join unnest(cast(:workspaces as text[]), cast(:sessions as text[])) as u (w, s)
              on r.workspace = u.w and r.session = u.s
            where r.tenant = :t order by r.workspace collate "C", r.session collate "C" for update of r
            """
        ),
        rows,
    )
    return {(w, s): dict(state) for w, s, state in found}


def save(session: Session, tenant: str, states: Mapping[Key, Mapping[str, Any]]) -> None:
    """Write states that `hold` locked."""
    if not states:
        return
    rows = [{"w": w, "s": s, "state": state} for (w, s), state in states.items()]
    session.execute(
        text(
            """
            update bio.working_states r set state = n.state, updated_at = bio.now()
            from jsonb_to_recordset(cast(:rows as jsonb)) as n(w text, s text, state jsonb)
            where r.tenant = :t and r.workspace = n.w and r.session = n.s
            """
        ),
        {"t": tenant, "rows": json.dumps(rows, ensure_ascii=False)},
    )


@dataclass(frozen=True, slots=True)
class Ended:
    """One end of an act under a goal, under one of its forms. `act_form` is empty for the goal's own end."""

    workspace: str
    goal_form: str
    act_form: str
    worked: int = 0
    failed: int = 0
    nowhere: int = 0
    token: str = ""
    risky: bool = False


def count(session: Session, tenant: str, ended: Sequence[Ended]) -> None:
    """Add up ends, in an order that all callers share."""
    merged: dict[tuple[str, str, str], dict[str, Any]] = {}
    for e in ended:
        if not e.goal_form:
            continue
        row = merged.setdefault((e.workspace, e.goal_form, e.act_form), {
            "w": e.workspace, "g": e.goal_form, "a": e.act_form, "worked": 0, "failed": 0, "nowhere": 0, "token": "", "risky": False,
        })  # fmt: skip
        row["worked"] += e.worked
        row["failed"] += e.failed
        row["nowhere"] += e.nowhere
        row["token"] = e.token or row["token"]
        row["risky"] = row["risky"] or e.risky
    if not merged:
        return
    session.execute(
        text(
            """
            insert into bio.attempts as r (tenant, workspace, goal_form, act_form, worked, failed, nowhere, error_token, risky)
            select :t, w, g, a, worked, failed, nowhere, token, risky
            from jsonb_to_recordset(cast(:rows as jsonb)) as n(w text, g text, a text, worked int, failed int, nowhere int,
                token text, risky boolean)
            on conflict (tenant, workspace, goal_form, act_form) do update set worked = r.worked + excluded.worked,
                failed = r.failed + excluded.failed, nowhere = greatest(0, r.nowhere + excluded.nowhere), last_at = bio.now(),
                error_token = coalesce(nullif(excluded.error_token, ''), r.error_token), risky = r.risky or excluded.risky
            """
        ),
        {"t": tenant, "rows": json.dumps([merged[k] for k in sorted(merged)], ensure_ascii=False)},
    )


def let_go(session: Session, tenant: str) -> None:
    """Of states that nothing was heard of for STATE_STAYS."""
    session.execute(
        text("delete from bio.working_states where tenant = :t and updated_at < bio.now() - cast(:age as interval)"),
        {"t": tenant, "age": STATE_STAYS},
    )


def bound(session: Session, tenant: str, workspace: str) -> None:
    """Let go of the oldest attempts beyond MOST_ATTEMPTS."""
    session.execute(
        text(
            """
            delete from bio.attempts where tenant = :t and workspace = :w and last_at < (
                select last_at from bio.attempts where tenant = :t and workspace = :w
                order by last_at desc offset :most limit 1)
            """
        ),
        {"t": tenant, "w": workspace, "most": MOST_ATTEMPTS},
    )


def of_goal(session: Session, tenant: str, workspace: str, goal_forms: Sequence[str]) -> list[Any]:
    """Rows (goal_form, act_form, worked, failed, nowhere, error_token, risky) of these forms."""
    return list(
        session.execute(
            text(
                """
                select goal_form, act_form, worked, failed, nowhere, error_token, risky from bio.attempts
                where tenant = :t and workspace = :w and goal_form = any(:g) and act_form <> ''
                order by worked + failed desc, nowhere desc, act_form limit 200
                """
            ),
            {"t": tenant, "w": workspace, "g": list(goal_forms)},
        )
    )


def failed_goals(session: Session, tenant: str, workspace: str) -> list[tuple[str, int, int]]:
    """(goal form, times failed, times done) of the goals that failed here, newest first."""
    rows = session.execute(
        text(
            """
            select goal_form, failed, worked from bio.attempts
            where tenant = :t and workspace = :w and act_form = '' and failed > 0 order by last_at desc limit :n
            """
        ),
        {"t": tenant, "w": workspace, "n": FAILED_GOALS},
    )
    return [(g, f, w) for g, f, w in rows]


def credit_memories(session: Session, tenant: str, helped: Sequence[str], hurt: Sequence[str]) -> None:
    """Proven help confirms a memory (its half-life doubles); harm lowers its importance by one, not below 1."""
    if helped:
        session.execute(
            text(
                "update bio.memories set confirmations = confirmations + 1, confirmed_at = bio.now(), updated_at = bio.now()"
                " where tenant = :t and id = any(:ids)"
            ),
            {"t": tenant, "ids": sorted(helped)},
        )
    if hurt:
        session.execute(
            text(
                "update bio.memories set importance = greatest(1, importance - 1), updated_at = bio.now()"
                " where tenant = :t and id = any(:ids)"
            ),
            {"t": tenant, "ids": sorted(hurt)},
        )
