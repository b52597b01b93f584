"""The guard's decision: rules that match a call, the exceptions to them, and the verdict.

Which rules match a call is decided elsewhere; here it is only what follows. Only a person's rules stop a call: core
rules block, an owner's ask. What was learned warns, so that a wrong lesson never stops work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bio_agent_schema.types import RuleLine, Verdict
from bio_agent_workers.brain.block import may_be_injected
from bio_agent_workers.brain.guarding.policy_exceptions import ExceptionTerms, refusal
from bio_agent_workers.brain.remedies.sanitize import safe_line

REASON_TEXT_BYTES = 300  # bytes of the rule's text quoted in a reason


class MatchKind(StrEnum):
    """Where a matching rule comes from; it alone decides what the guard may do."""

    CORE = "core"
    OWNER = "owner"
    LEARNED = "learned"
    GUARD_FACT = "guard_fact"


@dataclass(frozen=True, slots=True)
class GuardMatch:
    """A rule that one act of the call falls under. parameters: of that act, as far as they could be read off it
    (the input's fields; for a command what was parsed, such as source_branch). evidence: ids for the answer."""

    rule: RuleLine
    kind: MatchKind
    parameters: Mapping[str, object] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardDecision:
    """The verdict and what it rests on. rule_id: the rule that decided, "" when none matched. exception: id of the
    exception that let the call through that rule, else None."""

    verdict: Verdict
    rule_id: str
    reason: str
    exception: str | None = None
    evidence: tuple[str, ...] = ()


_NO_MATCH = GuardDecision(Verdict.ALLOW, "", "no rule in force matches")
_SEVERITY = {Verdict.ALLOW: 0, Verdict.WARN: 1, Verdict.NEEDS_APPROVAL: 2, Verdict.BLOCK: 3}
_KIND_ORDER = {kind: place for place, kind in enumerate(MatchKind)}


def decide(
    matches: Sequence[GuardMatch],
    exceptions: Iterable[ExceptionTerms],
    host_can_ask: bool,
    already_warned: bool,
    now: datetime,
) -> GuardDecision:
    """The strictest verdict over all matches; the order of matches and exceptions makes no difference.

    host_can_ask: the host can put an approval to a person; where it cannot, an owner's rule blocks. already_warned:
    this session was warned of this very command before. Rules not in force are ignored.
    """
    by_rule: dict[str, list[ExceptionTerms]] = {}
    for terms in sorted(exceptions, key=lambda t: t.id):
        by_rule.setdefault(terms.rule_id, []).append(terms)
    active = [m for m in matches if m.kind is MatchKind.GUARD_FACT or may_be_injected(m.rule)]
    decisions = [
        _decide_one(match, by_rule.get(match.rule.id, []), host_can_ask, already_warned, now)
        for match in sorted(active, key=lambda m: (_KIND_ORDER[m.kind], m.rule.id))
    ]
    return max(decisions, key=lambda d: _SEVERITY[d.verdict], default=_NO_MATCH)  # of equals the first


def approved(asked: GuardDecision, rest: GuardDecision, by: str) -> GuardDecision:
    """The decision once a person granted what the owner wanted to be asked: what the other rules say of the call. rest:
    their decision."""
    if rest.verdict is not Verdict.ALLOW:
        return rest
    reason = f"approved by {safe_line(by, 80)}, for this call only; {asked.reason}"
    return GuardDecision(Verdict.ALLOW, asked.rule_id, reason, None, asked.evidence)


def denied(asked: GuardDecision, by: str) -> GuardDecision:
    """The decision on a call that a person denied a short while ago."""
    reason = f"{safe_line(by, 80)} denied this call; {asked.reason}"
    return GuardDecision(Verdict.BLOCK, asked.rule_id, reason, None, asked.evidence)


def _decide_one(
    match: GuardMatch, exceptions: Sequence[ExceptionTerms], host_can_ask: bool, already_warned: bool, now: datetime
) -> GuardDecision:
    refusals: list[str] = []
    for terms in exceptions:
        why_not = refusal(terms, match.parameters, now)
        if why_not is None:
            reason = f"exception {terms.id}, approved by {terms.approved_by}, lets it through: {_quoted(match.rule)}"
            return GuardDecision(Verdict.ALLOW, match.rule.id, reason, terms.id, match.evidence)
        refusals.append(f"exception {terms.id} does not apply: {why_not}")
    verdict, lead = _verdict(match.kind, host_can_ask, already_warned)
    reason = "; ".join([f"{lead}: {_quoted(match.rule)}", *refusals])
    return GuardDecision(verdict, match.rule.id, reason, None, match.evidence)


def _verdict(kind: MatchKind, host_can_ask: bool, already_warned: bool) -> tuple[Verdict, str]:
    if kind is MatchKind.CORE:
        return Verdict.BLOCK, "a core rule forbids it"
    if kind is MatchKind.OWNER:
        if host_can_ask:
            return Verdict.NEEDS_APPROVAL, "the owner wants to be asked"
        return Verdict.BLOCK, "the owner wants to be asked, and this host cannot ask"
    if already_warned:
        return Verdict.ALLOW, "this session was already warned of this command"
    if kind is MatchKind.GUARD_FACT:
        return Verdict.WARN, "it failed here before"
    return Verdict.WARN, "learned from earlier work"


def _quoted(rule: RuleLine) -> str:
    return safe_line(rule.text, REASON_TEXT_BYTES)
