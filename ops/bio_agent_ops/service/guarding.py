"""The guard: before a tool runs, which rules and guard facts speak of it, and what that means."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_ops.requests import Check
from bio_agent_ops.service import approvals, guard_near
from bio_agent_ops.service.context import BadRequest, Context
from bio_agent_ops.service.guard_calls import (
    Call,
    acts_of,
    call_of,
    comparable,
    form_matches,
    leaves_branch_open,
    prose_matches,
)
from bio_agent_ops.service.guard_rules import GuardRule, GuardRules, Moment, RuleSet
from bio_agent_ops.service.guard_warming import Warming
from bio_agent_schema import beliefs, guard_facts
from bio_agent_schema.tables import ExceptionRow, GuardFactRow
from bio_agent_schema.types import Act, BeliefState, Layer, Provenance, RuleLine, Scope, Verdict
from bio_agent_workers import shell
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.counting import counted
from bio_agent_workers.brain.guarding import decision as guard
from bio_agent_workers.brain.guarding.bound import told_of_call
from bio_agent_workers.brain.guarding.branches import branch_after
from bio_agent_workers.brain.guarding.matching import condemns, names_another
from bio_agent_workers.brain.guarding.model_forms import Seen, keys_of
from bio_agent_workers.brain.guarding.policy_exceptions import IN_FORCE, ExceptionTerms
from bio_agent_workers.brain.guarding.rule_index import keys_of_call

MAX_WARNED = 64  # commands of a session that are remembered for one rule; the oldest goes first
LOOK_BACK = 20  # checkouts of a session that are read to learn its branch

_RULES = GuardRules()


def warming(ctx: Context) -> Warming:
    """Begin to compile the rules before anybody asks; to be stopped before the connections are closed."""
    return Warming(ctx, _RULES)


def check(ctx: Context, tenant: str, ask: Check, actor: str = "", approval: str = "") -> dict[str, Any]:
    """Returns {verdict, rule_id, reason, evidence, exception, approval}; a warning is given once per session and command.

    A mode of the agent's own choosing changes nothing. actor: who asks; approval: id of a granted approval, which lets
    exactly this call through once (a grant is also found by the call itself). A `needs_approval` answer carries the id
    under which a person grants it, and its reason says how. Raises BadRequest where a shell is asked about without a
    command and nothing speaks against the rest of it.
    """
    with ctx.db.tenant(tenant) as session:
        call = _call(session, tenant, ask)
        rule_set, moment = _RULES.of(session, tenant, ctx.db.url)
        matched = _matched(rule_set, moment, ask, call)
        facts = _facts(session, tenant, ask.workspace, call) if not any(rule.failed for rule, _ in matched) else []
        matches = [*_rule_matches(matched, call), *_fact_matches(facts, moment)]
        ids = [rule.id for rule, _ in matched]
        terms = [exception_terms(x) for x in beliefs.exceptions_of(session, tenant, ids)] if ids else []
        can_ask = ask.can_ask if ask.can_ask is not None else ctx.settings.guard_can_ask
        warned = _warned(session, tenant, ask.session, call)
        decision = guard.decide(matches, terms, can_ask, warned, moment.now)
        asked: approvals.Asked | None = None
        if decision.verdict is Verdict.NEEDS_APPROVAL:
            owners = [rule for rule, _ in matched if rule.kind is guard.MatchKind.OWNER]
            asked = approvals.ask(session, tenant, ask, call, owners, decision.rule_id, actor, approval)
            if asked.granted_by:
                rest = [m for m in matches if m.kind is not guard.MatchKind.OWNER]
                decision = guard.approved(
                    decision, guard.decide(rest, terms, can_ask, warned, moment.now), asked.granted_by
                )
            elif asked.denied_by:
                decision = guard.denied(decision, asked.denied_by)
        if decision.verdict is Verdict.ALLOW:
            need_command(ask.tool, ask.tool_input)  # now, so that what is said against its other fields still stands
        elif ask.session:
            _note_warning(session, tenant, ask.session, decision.rule_id, call)
        evidence = _evidence(session, tenant, decision.rule_id, facts)
    waiting = asked if asked is not None and decision.verdict is Verdict.NEEDS_APPROVAL else None
    reason = decision.reason.rstrip(".。") + waiting.told if waiting else decision.reason
    return {
        "verdict": decision.verdict.value, "rule_id": decision.rule_id, "reason": reason, "evidence": evidence,
        "exception": decision.exception, "approval": waiting.view() if waiting else None,
    }  # fmt: skip


def need_command(tool: str, tool_input: Any) -> None:
    """Raises BadRequest for a shell call in which no command is found: nothing speaks against it, and who named the field
    otherwise must not take that for a yes. Another tool may well be called with nothing."""
    if not shell.is_shell_tool(tool) or acts_of(tool, tool_input):
        return
    given = tool_input.get("command") if isinstance(tool_input, Mapping) else tool_input
    if not isinstance(given, str) or not given.strip():  # a comment is a command that does nothing
        raise BadRequest(f'no command to check: send it as {{"tool": "{tool}", "tool_input": {{"command": "…"}}}}')


def _call(session: Session, tenant: str, ask: Check) -> Call:
    """The call; where a push leaves its branch to what is checked out, the session's history tells it."""
    branch = ""
    if ask.session and leaves_branch_open(acts_of(ask.tool, ask.tool_input)):
        rows = session.execute(
            text(
                """
                select command from bio.episodes where tenant = :t and session = :s and workspace = :w and not is_failure
                  and command ~ 'git .*(checkout|switch)' order by seq desc limit :n
                """
            ),
            {"t": tenant, "s": ask.session, "w": ask.workspace or "default", "n": LOOK_BACK},
        ).scalars()
        for command in reversed(list(rows)):
            branch = branch_after(shell.parse_command(command), branch)
    return call_of(ask.tool, ask.tool_input, branch)


def _matched(rules: RuleSet, moment: Moment, ask: Check, call: Call) -> list[tuple[GuardRule, list[Mapping[str, Any]]]]:
    """The rules that speak of the call here and now, each with the parameters of the acts it speaks of."""
    caller = scopes.of_workspace(ask.workspace or "default", agent=ask.agent or None, user=ask.user or None)
    seen = comparable(call) if rules.formed else None
    keys = [*keys_of_call(call.views, call.acts), *(_shown_keys(seen) if seen is not None else ())]
    here = [
        rule for rule in rules.index.candidates(keys)
        if rule.in_time(moment.now) and scopes.applies(rule.line.scope, caller)
    ]  # fmt: skip
    # What worked in place of a failed form is not warned of for the sake of another failure.
    cures = [(at, rule.fixed) for rule in here for at, act in enumerate(call.own) if rule.fixed and _is_cure(rule, act)]
    out = []
    for rule in here:
        hits: list[Mapping[str, Any]] = []
        if rule.failed is not None:
            # A cure of another kind of failure (`python3` for `python`) says nothing of what is run.
            spared = {at for at, fixed in cures if condemns(rule.failed, fixed, rule.fixed)}
            spared = spared if rule.kind is guard.MatchKind.LEARNED else set()
            hits = [
                call.parameters[at] for at, act in enumerate(call.own)
                if at not in spared and condemns(rule.failed, act, rule.fixed)
            ]  # fmt: skip
        if not hits and rule.by_words:
            hits = prose_matches(rule.text, rule.polarity, call, moment.now, moment.zone)
        if not hits and seen is not None:
            hits = form_matches(rule.forms, rule.text, call, seen, moment.now, moment.zone)
        if hits:
            out.append((rule, hits))
    return out


def _shown_keys(seen: Seen) -> Iterator[tuple[str, str]]:
    return (("shown", word) for shown in seen.shown.values() for word in keys_of(shown))


def _is_cure(rule: GuardRule, act: Act) -> bool:
    """Whether the act is the form that worked in place of the failed one: that one, with what the remedy added."""
    if rule.failed is None or rule.fixed is None:
        return False
    if not condemns(rule.failed, act) or condemns(rule.failed, act, rule.fixed):
        return False
    # What names another object has failed with nothing and cured nothing, unless it has the remedy's options too.
    return not names_another(rule.failed, act, rule.fixed) or condemns(replace(rule.fixed, operands=()), act)


def _rule_matches(matched: Sequence[tuple[GuardRule, list[Mapping[str, Any]]]], call: Call) -> list[guard.GuardMatch]:
    return [
        guard.GuardMatch(_of_call(rule, call), rule.kind, parameters) for rule, hits in matched for parameters in hits
    ]


def _of_call(rule: GuardRule, call: Call) -> RuleLine:
    """The rule's line; what was learned from acts is said in the words of the call, where it can be."""
    if rule.failed is None or rule.fixed is None or rule.by_words or rule.kind is not guard.MatchKind.LEARNED:
        return rule.line
    act = next((act for act in call.own if condemns(rule.failed, act, rule.fixed)), None)
    said = told_of_call(rule.failed, rule.fixed, act, rule.line.text, rule.lang) if act and rule.line.text else ""
    return replace(rule.line, text=said) if said else rule.line


def exception_terms(x: ExceptionRow) -> ExceptionTerms:
    return ExceptionTerms(
        id=x.id, rule_id=x.belief_id, state=IN_FORCE if x.state == "approved" else x.state, approved_by=x.approved_by,
        text=x.text, bounds=x.bounds, starts=x.valid_from, expires=x.expires_at,
    )  # fmt: skip


def _facts(session: Session, tenant: str, workspace: str, call: Call) -> list[GuardFactRow]:
    found = guard_facts.active(session, tenant, workspace or "default", list(guard_near.forms_of(call.own)))
    return [fact for fact in found if guard_near.about(fact, call.own)]


def _fact_id(f: GuardFactRow) -> str:
    return f"fact:{f.workspace}:{f.act_form}"


def _fact_matches(facts: Sequence[GuardFactRow], moment: Moment) -> list[guard.GuardMatch]:
    return [
        guard.GuardMatch(
            RuleLine(
                id=_fact_id(f), text=fact_sentence(f), layer=Layer.ADAPTIVE, state=BeliefState.REINFORCED, confidence=1.0,
                rank=Provenance.AGENT, scope=Scope(), helped=0, hurt=0, injected=0, created_at=f.last_failed_at or moment.now,
            ),
            guard.MatchKind.GUARD_FACT,
        )
        for f in facts
    ]  # fmt: skip


def fact_sentence(f: GuardFactRow) -> str:
    said = f" ({f.error_token})" if f.error_token else ""
    last = f.last_failed_at.strftime("%Y-%m-%d %H:%M UTC") if f.last_failed_at else "not long ago"
    return f"`{f.act.get('text', f.act_form)[:200]}` failed {counted(f.failures, 'time')} here{said}, last {last}, not succeeded since."


def _command_key(call: Call) -> str:
    """A short mark of the command: the text itself may hold what nobody should keep."""
    return hashlib.blake2s(call.key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _warned(session: Session, tenant: str, session_id: str, call: Call) -> bool:
    """Whether this session was warned of this very command before."""
    if not session_id:
        return False
    found = session.execute(
        text(
            "select 1 from bio.injections where tenant = :t and session = :s and how = 'warning'"
            " and :c = any(string_to_array(command, ' ')) limit 1"
        ),
        {"t": tenant, "s": session_id, "c": _command_key(call)},
    ).first()
    return found is not None


def _note_warning(session: Session, tenant: str, session_id: str, rule_id: str, call: Call) -> None:
    """Note that the session had the rule before it, with the commands it was about."""
    session.execute(
        text(
            """
            insert into bio.injections as i (tenant, session, rule_id, how, command) values (:t, :s, :r, 'warning', :c)
            on conflict (tenant, session, rule_id) do update set how = 'warning', command = right(case
                when excluded.command = any(string_to_array(i.command, ' ')) then i.command
                else btrim(i.command || ' ' || excluded.command) end, :most)
            """
        ),
        {"t": tenant, "s": session_id, "r": rule_id, "c": _command_key(call), "most": MAX_WARNED * 17 - 1},
    )


def _evidence(session: Session, tenant: str, rule_id: str, facts: Sequence[GuardFactRow]) -> list[dict[str, Any]]:
    fact = next((f for f in facts if _fact_id(f) == rule_id), None)
    if fact is not None:
        return [{"episode_id": fact.last_episode_id, "at": fact.last_failed_at, "session": "", "trust": "agent"}]
    rows = beliefs.evidence_of(session, tenant, [rule_id]).get(rule_id, []) if rule_id else []
    newest: list[Any] = sorted(rows, key=lambda r: r.at, reverse=True)[:5]
    return [
        {"episode_id": r.episode_id, "at": r.at.isoformat(), "session": r.session, "trust": r.trust} for r in newest
    ]
