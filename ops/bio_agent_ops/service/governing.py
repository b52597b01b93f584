"""Governed exceptions: proposed by anyone, in force through a person, until they expire or are revoked."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller, need_person
from bio_agent_ops.requests import Decision, NewException
from bio_agent_ops.service.cleaning import cleaned, refuse_secret
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound, Unprocessable
from bio_agent_ops.service.moments import checked
from bio_agent_ops.service.reading import belief_of, exception_view
from bio_agent_ops.service.wording import rule_text
from bio_agent_schema import beliefs, graph
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, ExceptionRow
from bio_agent_workers.brain.guarding.policy_exceptions import bounds_fault, standing
from bio_agent_workers.brain.remedies.sanitize import safe_line

STANDINGS = ("proposed", "rejected", "revoked", "not_begun", "in_force", "expired")


class Ruling(StrEnum):
    """What a person may do with an exception."""

    APPROVE = "approve"
    REJECT = "reject"
    REVOKE = "revoke"


_RULINGS = {  # from which state, to which
    Ruling.APPROVE: ("proposed", "approved"),
    Ruling.REJECT: ("proposed", "rejected"),
    Ruling.REVOKE: ("approved", "revoked"),
}


def add_exception(ctx: Context, caller: Caller, ask: NewException) -> dict[str, Any]:
    """Propose an exception; a person's comes into force at once, another's waits for approval."""
    refuse_secret(ask.bounds, "bounds")  # one without it would bind something else
    ask = cleaned(ask)
    starts, expires = checked("valid_from", ask.valid_from), checked("expires_at", ask.expires_at)
    if fault := bounds_fault(ask.bounds):
        raise BadRequest(f"bounds: {fault}")
    said = rule_text(ask.text)
    with ctx.db.tenant(caller.tenant) as session:
        rule = belief_of(session, caller.tenant, ask.belief_id)
        now = beliefs.now(session)
        if expires is not None and expires <= now:
            raise BadRequest("expires_at: lies in the past")
        if expires is not None and starts is not None and expires <= starts:
            raise Unprocessable("expires_at: lies before valid_from, so the exception would never apply")
        row = ExceptionRow(
            tenant=caller.tenant, id=uuid7(), belief_id=rule.id, text=said, policy=redact(ask.policy), bounds=ask.bounds,
            state="approved" if caller.person else "proposed", proposed_by=caller.actor,
            approved_by=caller.actor if caller.person else "", why=redact(ask.why), valid_from=starts or now,
            expires_at=expires,
        )  # fmt: skip
        session.add(row)
        session.flush()
        session.refresh(row)
        edges = [Edge(f"exception:{row.id}", "governed_exception_for", f"belief:{rule.id}")]
        if row.expires_at:
            edges.append(
                Edge(f"exception:{row.id}", "expires_override_at", f"belief:{rule.id}", props={"at": row.expires_at})
            )
        if not caller.person:
            edges.append(Edge(f"exception:{row.id}", "requires_human_approval", f"belief:{rule.id}"))
            question = _question(row, rule)
            beliefs.open_review(session, caller.tenant, "exception", rule.id, row.id, question=question)
        graph.add(session, caller.tenant, edges)
        _by_policy(session, row)
        audit(session, caller.tenant, [Entry("exception_added", subject=f"exception:{row.id}", actor=caller.actor, after=row.state,
                                             data={"belief": rule.id, "why": row.why[:500]})])  # fmt: skip
        beliefs.touch_epoch(session, caller.tenant)
        return exception_view(row, now)


def _question(row: ExceptionRow, rule: BeliefRow) -> str:
    """All that an approval grants: what the exception says is not what it is bound to."""
    bounds = (
        json.dumps(row.bounds, ensure_ascii=False, sort_keys=True)
        if row.bounds
        else "nothing: any call that the rule stops"
    )
    end = f"until {row.expires_at:%Y-%m-%d %H:%M %Z}" if row.expires_at else "without an end"
    return (
        f"May this exception apply? {safe_line(row.text, 300)} | to the rule: {safe_line(rule.content, 300)}"
        f" | bound to {safe_line(bounds, 1000)} | {end} | proposed by {safe_line(row.proposed_by, 80)}"
    )


def _by_policy(session: Session, row: ExceptionRow) -> None:
    if row.policy and row.state == "approved":
        edge = Edge(f"exception:{row.id}", "approved_by_policy", f"entity:{row.policy[:80]}")
        graph.add(session, row.tenant, [edge])


def decide(ctx: Context, caller: Caller, exception_id: str, ruling: Ruling, ask: Decision) -> dict[str, Any]:
    """A person approves, rejects or revokes. Raises Denied, NotFound, Conflict (its state does not allow it)."""
    need_person(caller)
    why = redact(ask.why)[:500]
    with ctx.db.tenant(caller.tenant) as session:
        row = session.exec(
            select(ExceptionRow)
            .where(ExceptionRow.tenant == caller.tenant, ExceptionRow.id == exception_id)
            .with_for_update()
        ).first()
        if row is None:
            raise NotFound(f"there is no exception {exception_id[:80]!r}")
        now = beliefs.now(session)
        before, after = _RULINGS[ruling]
        if row.state != before:
            raise Conflict(f"cannot {ruling} an exception that is {row.state}; only one that is {before}")
        if ruling is Ruling.APPROVE and row.expires_at is not None and row.expires_at <= now:
            raise Conflict(f"it expired at {row.expires_at.isoformat()}; propose it anew with a later expires_at")
        row.state, row.updated_at = after, now
        if ruling is Ruling.APPROVE:
            row.approved_by = caller.actor
        session.add(row)
        session.flush()
        _by_policy(session, row)
        graph.cut(session, caller.tenant, f"exception:{row.id}", "requires_human_approval")
        if ruling is Ruling.REVOKE:
            graph.cut(session, caller.tenant, f"exception:{row.id}", "approved_by_policy")
        session.execute(
            text(
                "update bio.reviews set state = 'decided', decided_by = :a, why = :w, decided_at = bio.now()"
                " where tenant = :t and state = 'open' and kind = 'exception' and (belief_id = :x or other_id = :x)"
            ),
            {"t": caller.tenant, "a": caller.actor, "w": why, "x": row.id},
        )
        audit(session, caller.tenant, [Entry(f"exception_{after}", subject=f"exception:{row.id}", actor=caller.actor,
                                             before=before, after=after, data={"belief": row.belief_id, "why": why})])  # fmt: skip
        beliefs.touch_epoch(session, caller.tenant)
        return exception_view(row, now)


def list_exceptions(
    ctx: Context, tenant: str, *, state: str = "", belief_id: str = "", limit: int = 200, after: str = ""
) -> list[dict[str, Any]]:
    """Exceptions, the oldest first, paged by id; `state` is how they stand by the database's clock now."""
    asked = [s for s in state.split(",") if s]
    unknown = [s for s in asked if s not in STANDINGS]
    if unknown:
        raise BadRequest(f"state {unknown[0][:80]!r} is not one of {', '.join(STANDINGS)}")
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        query = select(ExceptionRow).where(ExceptionRow.tenant == tenant, ExceptionRow.id > after)
        if belief_id:
            query = query.where(ExceptionRow.belief_id == belief_of(session, tenant, belief_id).id)
        found: list[dict[str, Any]] = []
        for row in session.exec(query.order_by(col(ExceptionRow.id)).execution_options(yield_per=500)):
            if not asked or _standing(row, now) in asked:
                found.append(exception_view(row, now))
            if len(found) >= min(max(limit, 1), 1000):
                break
        return found


def _standing(row: ExceptionRow, now: datetime) -> str:
    return standing(row.state, row.valid_from, row.expires_at, now)
