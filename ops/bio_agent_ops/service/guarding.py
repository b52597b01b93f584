"""The guard: before a tool runs, which rules and guard facts speak of it, and what that means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_ops.requests import Check
from bio_agent_ops.service.context import Context
from bio_agent_ops.service.speaking import rule_line, speakers
from bio_agent_schema import beliefs, guard_facts
from bio_agent_schema.tables import BeliefRow, ExceptionRow, GuardFactRow
from bio_agent_schema.types import Act, BeliefState, Layer, Polarity, Provenance, RuleLine, Scope, Verdict
from bio_agent_workers import shell
from bio_agent_workers.brain import guard
from bio_agent_workers.brain.canonical import canonicalize
from bio_agent_workers.brain.matching import condemns, match_prose
from bio_agent_workers.brain.policy_exceptions import IN_FORCE, ExceptionTerms

SPEAKING = (BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call about to be made, as acts and as named parameters."""

    tool: str
    tool_input: Any
    acts: tuple[Act, ...]
    parameters: Mapping[str, Any]


def call_of(tool: str, tool_input: Any) -> Call:
    command = tool_input.get("command", "") if isinstance(tool_input, Mapping) else tool_input
    line = command if isinstance(command, str) else ""
    acts = shell.act_of(tool, tool_input, line if shell.is_shell_tool(tool) else "")
    flat = (
        {k: v for k, v in tool_input.items() if not isinstance(v, (dict, list))}
        if isinstance(tool_input, Mapping)
        else {}
    )
    return Call(tool, tool_input, acts, flat)


def act_from(data: Mapping[str, Any]) -> Act:
    return Act(data["tool"], data["verb"], tuple(data["flags"]), tuple(data["operands"]), data["text"], data["form"])


def speaks_of(rule: BeliefRow, call: Call) -> bool:
    """Whether a rule speaks of the call. What acts taught is matched by its slots, a person's words by their meaning."""
    if rule.acts:
        if rule.acts["kind"] != "replace":
            return False  # "when it fails so, first do that" condemns nothing
        failed, fixed = act_from(rule.acts["failed"]), act_from(rule.acts["fixed"])
        return any(condemns(failed, act, fixed) for act in call.acts)
    polarity = rule.canonical.get("polarity") or canonicalize(rule.content, rule.lang).polarity
    return match_prose(
        rule.content, Polarity(polarity), call.acts, call.tool, call.tool_input, parse=shell.parse_pattern
    ).matched


def check(ctx: Context, tenant: str, ask: Check) -> dict[str, Any]:
    """Returns {verdict, rule_id, reason, evidence, exception}; a warning is given once per session and command."""
    call = call_of(ask.tool, ask.tool_input)
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        rules = [
            b for b in speakers(session, tenant, ask.workspace, ask.agent, ask.user)
            if (b.layer == Layer.CORE or b.state in SPEAKING) and (b.rendering or b.layer == Layer.CORE) and speaks_of(b, call)
        ]  # fmt: skip
        facts = _facts(session, tenant, ask.workspace, call) if not any(b.acts for b in rules) else []
        matches = _matches(session, tenant, rules, facts, call)
        terms = [exception_terms(x) for x in beliefs.exceptions_of(session, tenant, [b.id for b in rules])]
        decision = guard.decide(
            matches, terms, ask.can_ask if ask.can_ask is not None else ctx.settings.guard_can_ask,
            _warned(session, tenant, ask.session, call), now,
        )  # fmt: skip
        if decision.verdict is not Verdict.ALLOW and ask.session:
            _note_warning(session, tenant, ask.session, decision.rule_id, call)
        evidence = _evidence(session, tenant, decision.rule_id, facts)
    return {
        "verdict": decision.verdict.value, "rule_id": decision.rule_id, "reason": decision.reason, "evidence": evidence,
        "exception": decision.exception,
    }  # fmt: skip


def exception_terms(x: ExceptionRow) -> ExceptionTerms:
    return ExceptionTerms(
        id=x.id, rule_id=x.belief_id, state=IN_FORCE if x.state == "approved" else x.state, approved_by=x.approved_by,
        text=x.text, bounds=x.bounds, starts=x.valid_from, expires=x.expires_at,
    )  # fmt: skip


def _facts(session: Session, tenant: str, workspace: str, call: Call) -> list[GuardFactRow]:
    forms = {a.form[:500] for a in call.acts}
    return [f for f in guard_facts.active(session, tenant, workspace or "default") if f.act_form in forms]


def _fact_id(f: GuardFactRow) -> str:
    return f"fact:{f.workspace}:{f.act_form}"


def _matches(
    session: Session, tenant: str, rules: Sequence[BeliefRow], facts: Sequence[GuardFactRow], call: Call
) -> list[guard.GuardMatch]:
    out = []
    for b in rules:
        kind = guard.MatchKind.LEARNED
        if b.layer == Layer.CORE:
            kind = guard.MatchKind.CORE
        elif b.rank == Provenance.OWNER and b.directive:
            kind = guard.MatchKind.OWNER
        out.append(guard.GuardMatch(rule_line(b, []), kind, call.parameters))
    for f in facts:
        line = RuleLine(
            id=_fact_id(f), text=fact_sentence(f), layer=Layer.ADAPTIVE, state=BeliefState.REINFORCED, confidence=1.0,
            rank=Provenance.AGENT, scope=Scope(), helped=0, hurt=0, injected=0, created_at=f.last_failed_at or beliefs.now(session),
        )  # fmt: skip
        out.append(guard.GuardMatch(line, guard.MatchKind.GUARD_FACT, call.parameters))
    return out


def fact_sentence(f: GuardFactRow) -> str:
    said = f" ({f.error_token})" if f.error_token else ""
    last = f.last_failed_at.strftime("%Y-%m-%d %H:%M UTC") if f.last_failed_at else "not long ago"
    return f"`{f.act.get('text', f.act_form)[:200]}` failed {f.failures} times here{said}, last {last}, not succeeded since."


def _command_key(call: Call) -> str:
    return " && ".join(a.form for a in call.acts)[:500] or call.tool


def _warned(session: Session, tenant: str, session_id: str, call: Call) -> bool:
    """Whether this session was warned of this very command before."""
    if not session_id:
        return False
    found = session.execute(
        text(
            "select 1 from bio.injections where tenant = :t and session = :s and how = 'warning' and command = :c limit 1"
        ),
        {"t": tenant, "s": session_id, "c": _command_key(call)},
    ).first()
    return found is not None


def _note_warning(session: Session, tenant: str, session_id: str, rule_id: str, call: Call) -> None:
    session.execute(
        text(
            """
            insert into bio.injections (tenant, session, rule_id, how, command) values (:t, :s, :r, 'warning', :c)
            on conflict (tenant, session, rule_id) do update set how = 'warning', command = excluded.command
            """
        ),
        {"t": tenant, "s": session_id, "r": rule_id, "c": _command_key(call)},
    )


def _evidence(session: Session, tenant: str, rule_id: str, facts: Sequence[GuardFactRow]) -> list[dict[str, Any]]:
    fact = next((f for f in facts if _fact_id(f) == rule_id), None)
    if fact is not None:
        return [{"episode_id": fact.last_episode_id, "at": fact.last_failed_at, "session": "", "trust": "agent"}]
    rows = beliefs.evidence_of(session, tenant, [rule_id]).get(rule_id, []) if rule_id else []
    newest: list[Any] = sorted(rows, key=lambda r: r.at, reverse=True)[:5]
    return [{"episode_id": r.episode_id, "at": _iso(r.at), "session": r.session, "trust": r.trust} for r in newest]


def _iso(at: datetime) -> str:
    return at.isoformat()
