"""Approvals of single tool calls: asked for by the guard, granted or denied by a person, good for one call.

An approval is a review of kind `call`. It is bound to the exact call (tool, input, workspace, agent, user, session) and
to the rules, with their versions, that want to be asked; it ends after a while by the database's clock, and when a person
acts on the rule.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_client.redact import redact, redact_json
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Check
from bio_agent_ops.service.context import Conflict, Context, NotFound
from bio_agent_ops.service.guard_calls import Call
from bio_agent_ops.service.guard_rules import GuardRule
from bio_agent_schema import beliefs, quotas
from bio_agent_schema.ledger import Entry, audit, keyed_hash, tenant_secret
from bio_agent_schema.tables import ReviewRow
from bio_agent_workers.brain.remedies.sanitize import safe_line

KIND = "call"
LASTS = timedelta(minutes=30)  # from the question to the call; long enough for a person, short enough to be about now
TOOL_BYTES = 80
REDACTED = "[redacted"  # how the redaction's marks begin
QUESTION_BYTES = (
    6_000  # of a call as a person is shown it; a longer one cannot be approved, since its end would stay unseen
)
MAX_OPEN = 200  # open questions of a tenant; whoever asks more gets no further ids
MAX_OF_ONE = 20  # of these by one agent in one workspace, so that none hides the questions of the others
UNASKED = "questions unasked"  # name of the day's count of what was not asked because too many waited

_WAITING = """
    select count(*), count(*) filter (where a.actor = :actor and a.data @> cast(:asker as jsonb)) from bio.reviews r
    left join bio.audit a on a.tenant = r.tenant and a.subject = 'review:' || r.id and a.act = 'approval_asked'
    where r.tenant = :t and r.state = 'open' and r.kind = :k and r.created_at > :after
"""


class Ruling(StrEnum):
    APPROVE = "approve"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Asked:
    """id: "" when none could be asked. granted_by / denied_by: the person who decided on this very call, else "". unasked:
    why nobody was asked."""

    id: str
    expires_at: datetime
    granted_by: str = ""
    denied_by: str = ""
    unasked: str = ""

    @property
    def told(self) -> str:
        """How a person grants the open question, for whoever reads the guard's reason."""
        if not self.id:
            return f". {self.unasked}"
        return f". A person lets this one call through: `bio-agent reviews approve {self.id}`."

    def view(self) -> dict[str, Any] | None:
        return {"id": self.id, "expires_at": self.expires_at} if self.id else None


def ask(
    session: Session, tenant: str, check: Check, call: Call, rules: Sequence[GuardRule], rule_id: str, actor: str, given: str
) -> Asked:  # fmt: skip
    """The approval of this call: a grant, which is used up by this, a denial, or the open question. given: the id the
    caller names, "" to look for one by the call."""
    bound = _bound(session, tenant, check, rules)
    now = beliefs.now(session)
    # Two checks of one call at the same moment take turns, so that one grant lets one of them through.
    session.execute(text("select pg_advisory_xact_lock(hashtextextended(:k, 0))"), {"k": f"{tenant}:{bound}"})
    rows = session.exec(
        select(ReviewRow).where(
            ReviewRow.tenant == tenant, ReviewRow.kind == KIND, ReviewRow.other_id == bound,
            col(ReviewRow.state).in_(["open", "granted", "denied"]), col(ReviewRow.created_at) > now - LASTS,
        ).order_by(col(ReviewRow.created_at).desc(), col(ReviewRow.id).desc()).with_for_update()
    ).all()  # fmt: skip
    for row in rows:
        if row.state == "granted" and given in ("", row.id):
            row.state = "used"
            session.add(row)
            audit(session, tenant, [Entry("approval_used", subject=f"review:{row.id}", actor=actor, before="granted", after="used")])  # fmt: skip
            return Asked(row.id, row.created_at + LASTS, granted_by=row.decided_by)
    newest = rows[0] if rows else None
    if newest is not None and newest.state == "denied":
        return Asked(newest.id, newest.created_at + LASTS, denied_by=newest.decided_by)
    if newest is not None and newest.state == "open":
        return Asked(newest.id, newest.created_at + LASTS)
    return _opened(session, tenant, check, call, rule_id, bound, actor, now)


def _in_one(given: Any) -> str:
    """What a tool is given, as one text: a command line as it is, anything else as JSON."""
    if isinstance(given, dict) and list(given) == ["command"] and isinstance(given["command"], str):
        given = given["command"]
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)


def _whole(check: Check) -> str:
    """The call as it would run, in one line: all that a grant covers, not what the guard made of it."""
    said = _in_one(redact_json(check.tool_input))
    lines = " ⏎ ".join(line for line in redact(said).splitlines() if line.strip())
    return safe_line(lines, QUESTION_BYTES + 1)


#: What makes a word of a command line more than a word, and characters that nobody sees.
_OPERATORS = re.compile(r"[;&|`$<>(){}]")


def _hides(check: Check, said: str) -> bool:
    """Whether a person who reads `said` would not see all that runs: an operator of the shell went with a secret, or the
    call holds characters that are not shown."""
    given = _in_one(check.tool_input)
    if any(unicodedata.category(c) in ("Cf", "Cc", "Co", "Cn") and c not in "\n\r\t" for c in given):
        return True
    shown = html.unescape(said)
    return REDACTED in said and Counter(_OPERATORS.findall(given)) - Counter(_OPERATORS.findall(shown)) != Counter()


def _opened(
    session: Session, tenant: str, check: Check, call: Call, rule_id: str, bound: str, actor: str, now: datetime
) -> Asked:
    asker = {"workspace": check.workspace, "agent": check.agent}
    waiting, mine = session.execute(
        text(_WAITING), {"t": tenant, "k": KIND, "after": now - LASTS, "actor": actor, "asker": json.dumps(asker)}
    ).one()
    if waiting >= MAX_OPEN or mine >= MAX_OF_ONE:
        quotas.note(session, tenant, UNASKED, 1)
        many = f"{waiting} calls" if waiting >= MAX_OPEN else f"{mine} calls of this agent"
        return Asked("", now, unasked=f"{many} wait for a person already: `bio-agent reviews list`.")
    said = _whole(check)
    if _hides(check, said):
        return Asked("", now, unasked="Nobody can approve it: what is taken out of it as a secret, or cannot be seen, may be a"
                                      " part of what runs; give secrets by a variable or a file.")  # fmt: skip
    if len(said.encode()) > QUESTION_BYTES:
        unasked = (
            f"Nobody can approve it: a call of more than {QUESTION_BYTES:,} bytes cannot be shown whole; split it."
        )
        return Asked("", now, unasked=unasked)
    question = f"May {safe_line(redact(check.tool), TOOL_BYTES)} run now: {said}"
    row = ReviewRow(
        tenant=tenant, id=uuid7(), kind=KIND, belief_id=rule_id, other_id=bound, question=question, created_at=now
    )
    session.add(row)
    session.flush()
    audit(
        session,
        tenant,
        [Entry("approval_asked", subject=f"review:{row.id}", actor=actor, data={"belief": rule_id, **asker})],
    )
    return Asked(row.id, now + LASTS)


def askers(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Approval → {workspace, agent}: where the call is to run, and who asked."""
    rows = session.execute(
        text(
            "select substr(subject, 8), data ->> 'workspace', data ->> 'agent' from bio.audit"
            " where tenant = :t and act = 'approval_asked' and subject = any(:s)"
        ),
        {"t": tenant, "s": [f"review:{i}" for i in ids]},
    )
    return {i: {"workspace": workspace or "", "agent": agent or ""} for i, workspace, agent in rows}


def unasked_today(session: Session, tenant: str) -> int:
    """How many calls nobody was asked about today, because too many waited."""
    return quotas.noted_today(session, tenant, UNASKED)


def _bound(session: Session, tenant: str, check: Check, rules: Sequence[GuardRule]) -> str:
    """What an approval is bound to, as a hash that only the tenant's secret makes: the input may hold anything."""
    said = {
        "tool": check.tool, "input": check.tool_input, "workspace": check.workspace, "agent": check.agent,
        "user": check.user, "session": check.session, "rules": sorted(f"{r.id}:{r.version}" for r in rules),
    }  # fmt: skip
    return keyed_hash(tenant_secret(session, tenant), json.dumps(said, sort_keys=True, ensure_ascii=True, default=str))


def decide(ctx: Context, caller: Caller, approval_id: str, ruling: Ruling, why: str = "") -> dict[str, Any]:
    """A person grants or denies a call; a grant that no call has used yet can still be denied. Raises NotFound; Conflict
    when it is decided, over, or asked by the same one."""
    grant = ruling is Ruling.APPROVE
    with ctx.db.tenant(caller.tenant) as session:
        row = session.exec(
            select(ReviewRow).where(
                ReviewRow.tenant == caller.tenant, ReviewRow.id == approval_id, ReviewRow.kind == KIND
            ).with_for_update()
        ).first()  # fmt: skip
        if row is None:
            raise NotFound(f"there is no approval {approval_id[:80]!r}")
        now = beliefs.now(session)
        before = row.state
        if before != "open" and not (before == "granted" and not grant):
            raise Conflict(f"the approval is {row.state}; the call has to be checked again to ask anew")
        if now >= row.created_at + LASTS:
            raise Conflict("the approval is expired; the call has to be checked again to ask anew")
        if grant and _asker(session, caller.tenant, row.id) == caller.actor:
            raise Conflict("whoever asked may not approve: let the host ask without the owner's token, or with a key")
        row.state = "granted" if grant else "denied"
        row.decided_by, row.why, row.decided_at = caller.actor, redact(why)[:500], now
        session.add(row)
        audit(session, caller.tenant, [Entry(f"approval_{row.state}", subject=f"review:{row.id}", actor=caller.actor,
                                             before=before, after=row.state, data={"belief": row.belief_id})])  # fmt: skip
        return {"id": row.id, "state": row.state, "rule_id": row.belief_id, "question": row.question,
                "expires_at": row.created_at + LASTS}  # fmt: skip


def _asker(session: Session, tenant: str, review_id: str) -> str:
    return (
        session.execute(
            text("select actor from bio.audit where tenant = :t and act = 'approval_asked' and subject = :s order by seq limit 1"),
            {"t": tenant, "s": f"review:{review_id}"},
        ).scalar()
        or ""
    )  # fmt: skip
