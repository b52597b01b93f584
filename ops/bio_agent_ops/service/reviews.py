"""The questions that wait for a person, and which call of the API answers each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bio_agent_ops.service import approvals
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs, episodes
from bio_agent_schema.tables import ReviewRow
from bio_agent_workers.dreaming import runs

SEEN = 6  # commands of a rule's evidence that a reviewer is shown
# Kind of a question about one rule → the acts on the rule that say yes and no.
_OF_A_RULE = {"approval": ("approve", "reject"), "hurt": ("approve", "deprecate"), "stale": ("approve", "deprecate")}


def open_reviews(ctx: Context, tenant: str) -> list[dict[str, Any]]:
    """The open questions, the oldest first, then the calls that were let through and did not run yet: {id, kind, state,
    question, rules, said, seen, workspace, agent, asked_at, age_s, expires_at, answers, unasked_today}.

    state: open, or granted. rules: ids of the rules it is about; said: what these say, in that order. seen: the commands,
    newest first, that a rule was learned from, as they ran: its own text has only their form. workspace, agent: of a call, where it is to run
    and who asked, else "". age_s: seconds since it was asked. expires_at: of a call's approval, else None. answers: {approve, deny} → path to POST
    to, empty where a person has to act on one of the rules. unasked_today: of a call, how many more were not asked about
    because too many waited, else 0.
    """
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        granted = [r for r in beliefs.reviews(session, tenant, state="granted") if r.kind == approvals.KIND]
        rows = [
            r for r in [*beliefs.reviews(session, tenant), *granted]
            if r.kind != approvals.KIND or now < r.created_at + approvals.LASTS
        ]  # fmt: skip
        rules = _rules(session, tenant, rows)
        askers = approvals.askers(session, tenant, [r.id for r in rows if r.kind == approvals.KIND])
        unasked = approvals.unasked_today(session, tenant)
        seen = _seen(session, tenant, [i for r in rows if r.kind != approvals.KIND for i in (r.belief_id, r.other_id)])
        return [
            _view(r, {i: rules[i] for i in (r.belief_id, r.other_id) if i in rules}, now)
            | {"seen": [c for i in (r.belief_id, r.other_id) for c in seen.get(i, [])]}
            | askers.get(r.id, {"workspace": "", "agent": ""})
            | {"unasked_today": unasked if r.kind == approvals.KIND else 0}
            for r in rows
        ]


def _rules(session: Session, tenant: str, rows: list[ReviewRow]) -> dict[str, str]:
    """Id → what the rule says, of those that there are."""
    named = {i for r in rows for i in (r.belief_id, r.other_id) if i}
    return {b.id: b.content for b in beliefs.by_ids(session, tenant, sorted(named))}


def _seen(session: Session, tenant: str, rules: list[str]) -> dict[str, list[str]]:
    """Rule → the commands in its evidence, newest first, each once."""
    found = beliefs.evidence_of(session, tenant, [i for i in rules if i])
    told = {
        e.id: e.command
        for e in episodes.by_ids(session, tenant, [r.episode_id for rows in found.values() for r in rows])
    }
    return {
        rule: list(
            dict.fromkeys(c for r in sorted(rows, key=lambda r: r.at, reverse=True) if (c := told.get(r.episode_id)))
        )[:SEEN]
        for rule, rows in found.items()
    }


def _view(row: ReviewRow, rules: Mapping[str, str], now: datetime) -> dict[str, Any]:
    return {
        "id": row.id, "kind": row.kind, "state": row.state, "question": row.question, "rules": list(rules), "said": list(rules.values()),
        "asked_at": row.created_at, "age_s": max(0, round((now - row.created_at).total_seconds())),
        "expires_at": row.created_at + approvals.LASTS if row.kind == approvals.KIND else None,
        "answers": _answers(row, list(rules)),
    }  # fmt: skip


def _answers(row: ReviewRow, rules: list[str]) -> Mapping[str, str]:
    if row.kind == approvals.KIND:
        left = ("approve", "deny") if row.state == "open" else ("deny",)
        return {ruling: f"/api/check/{row.id}/{ruling}" for ruling in left}
    if row.kind == runs.REVIEW:
        return {"approve": "/api/dream/continue", "deny": "/api/dream/stop"}
    if row.kind == "exception":
        exception = next(i for i in (row.belief_id, row.other_id) if i not in rules)
        return {"approve": f"/api/exceptions/{exception}/approve", "deny": f"/api/exceptions/{exception}/reject"}
    if row.kind in _OF_A_RULE and rules:
        yes, no = _OF_A_RULE[row.kind]
        return {"approve": f"/api/beliefs/{rules[0]}/{yes}", "deny": f"/api/beliefs/{rules[0]}/{no}"}
    return {}
