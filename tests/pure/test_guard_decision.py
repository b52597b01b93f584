"""The guard's decision: what each kind of rule may do, and the exceptions that let a call through."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from bio_agent_schema.types import BeliefState, Layer, Provenance, RuleLine, Scope, Verdict
from bio_agent_workers.brain.guarding.decision import GuardDecision, GuardMatch, MatchKind, decide
from bio_agent_workers.brain.guarding.policy_exceptions import ExceptionTerms, read_terms, refusal, within

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
CALL = {"action": "post_journal", "kind": "adjustment", "amount": 20_000, "currency": "EUR", "date": "2026-01-31"}


def rule(id: str = "r1", *, layer: Layer = Layer.PROJECT, rank: Provenance = Provenance.AGENT, **more: Any) -> RuleLine:
    fields: dict[str, Any] = {
        "state": BeliefState.STABLE,
        "confidence": 0.8,
        "text": "Do not post into closed periods.",
    }
    fields |= more
    return RuleLine(
        id=id, layer=layer, rank=rank, scope=Scope(), helped=0, hurt=0, injected=1, created_at=NOW, **fields
    )  # fmt: skip


CORE = GuardMatch(rule("core", layer=Layer.CORE, rank=Provenance.OWNER), MatchKind.CORE, CALL)
OWNER = GuardMatch(rule("owner", rank=Provenance.OWNER), MatchKind.OWNER, CALL)
LEARNED = GuardMatch(rule("learned"), MatchKind.LEARNED, CALL, evidence=("e1", "e2"))
FACT = GuardMatch(rule("fact"), MatchKind.GUARD_FACT, CALL)


def verdict(*matches: GuardMatch, exceptions: Any = (), ask: bool = True, warned: bool = False) -> GuardDecision:
    outcomes = {decide(list(order), exceptions, ask, warned, NOW) for order in permutations(matches)}
    assert len(outcomes) == 1  # the order of matches makes no difference
    return outcomes.pop()


@pytest.mark.parametrize(
    ("match", "ask", "warned", "expected"),
    [
        (CORE, True, True, Verdict.BLOCK),
        (OWNER, True, True, Verdict.NEEDS_APPROVAL),
        (OWNER, False, False, Verdict.BLOCK),
        (LEARNED, True, False, Verdict.WARN),
        (LEARNED, False, False, Verdict.WARN),
        (LEARNED, True, True, Verdict.ALLOW),
        (FACT, True, False, Verdict.WARN),
        (FACT, True, True, Verdict.ALLOW),
    ],
)
def test_what_each_kind_may_do(match: GuardMatch, ask: bool, warned: bool, expected: Verdict) -> None:
    assert verdict(match, ask=ask, warned=warned).verdict is expected


def test_the_strictest_counts_and_is_named() -> None:
    assert verdict().verdict is Verdict.ALLOW
    assert verdict(LEARNED, CORE, OWNER).rule_id == "core"
    warned = verdict(LEARNED, FACT)
    assert (warned.rule_id, warned.evidence) == ("learned", ("e1", "e2"))
    assert "closed periods" in warned.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"state": BeliefState.PROPOSED},
        {"state": BeliefState.QUARANTINED},
        {"state": BeliefState.REINFORCED, "confidence": 0.59},
        {"state": BeliefState.CHALLENGED},
        {"rank": Provenance.UNTRUSTED},
    ],
)
def test_learned_rules_not_in_force_do_nothing(changes: dict[str, Any]) -> None:
    assert verdict(replace(LEARNED, rule=replace(LEARNED.rule, **changes))).verdict is Verdict.ALLOW


def test_a_disputed_owners_rule_still_asks() -> None:
    disputed = replace(OWNER, rule=replace(OWNER.rule, state=BeliefState.CHALLENGED, disputed=True))
    assert verdict(disputed).verdict is Verdict.NEEDS_APPROVAL


# -- exceptions --------------------------------------------------------------------------------------------------------

TERMS = ExceptionTerms(
    id="x1",
    rule_id="owner",
    state="in_force",
    approved_by="person:cfo",
    bounds={"kind": "adjustment", "max_amount": 50_000, "currency": "EUR"},
    expires=NOW + timedelta(days=1),
)


def test_a_live_exception_lets_the_call_through_and_is_named() -> None:
    got = verdict(OWNER, exceptions=[TERMS])
    assert (got.verdict, got.rule_id, got.exception) == (Verdict.ALLOW, "owner", "x1")
    assert "person:cfo" in got.reason
    core = verdict(CORE, exceptions=[replace(TERMS, rule_id="core")])
    assert (core.verdict, core.exception) == (Verdict.ALLOW, "x1")


def test_an_exception_serves_its_own_rule_and_the_act_at_hand_only() -> None:
    assert verdict(CORE, OWNER, exceptions=[TERMS]).rule_id == "core"
    second_act = replace(OWNER, parameters=CALL | {"amount": 90_000})
    assert verdict(OWNER, second_act, exceptions=[TERMS]).verdict is Verdict.NEEDS_APPROVAL


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": "proposed"}, "proposed"),
        ({"state": "revoked"}, "revoked"),
        ({"state": ""}, "unknown state"),
        ({"approved_by": " "}, "nobody"),
        ({"expires": NOW}, "expired"),
        ({"starts": NOW + timedelta(seconds=1)}, "begins"),
        ({"bounds": {"vendor": "acme"}}, "vendor"),
        ({"bounds": {"max_amount": 19_999}}, "max_amount"),
        ({"bounds": {"kind": {"odd": 1}}}, "kind"),
    ],
)
def test_why_an_exception_does_not_apply(changes: dict[str, Any], why: str) -> None:
    got = verdict(OWNER, exceptions=[replace(TERMS, **changes)])
    assert (got.verdict, got.exception) == (Verdict.NEEDS_APPROVAL, None)
    assert why in got.reason


def test_of_several_exceptions_one_is_enough() -> None:
    expired = replace(TERMS, id="x0", expires=NOW)
    assert verdict(OWNER, exceptions=[expired, TERMS]).exception == "x1"


@pytest.mark.parametrize(
    ("name", "bound", "value", "holds"),
    [
        ("max_amount", 100, 100, True),
        ("max_amount", 100, 100.01, False),
        ("max_amount", 100, -5_000, False),
        ("max_amount", 100, "100", True),
        ("max_amount", 100, "1,00", False),
        ("max_amount", 100, float("nan"), False),
        ("max_amount", 100, True, False),
        ("max_amount", 100, None, False),
        ("min_amount", 10, 10, True),
        ("min_amount", 10, 9, False),
        ("max_date", "2026-01-31", "2026-01-31", True),
        ("max_date", "2026-01-31", "2026-02-01", False),
        ("max_date", "2026-01-31", "31/01/2026", False),
        ("min_date", "2026-01-01", "2025-12-31", False),
        ("amount", 5, 5.0, True),
        ("amount", 5, "5", True),
        ("sealed", True, True, True),
        ("sealed", True, 1, False),
        ("period", "2026-01", "2026-01", True),
        ("period", "2026-01", "2026-02", False),
        ("vendor", ["acme", "globex"], "globex", True),
        ("vendor", ["acme", "globex"], "initech", False),
        ("vendor", "acme", ["acme"], True),
        ("vendor", "acme", ["acme", "globex"], False),
        ("vendor", "acme", [], False),
        ("source_branch", "hotfix/*", "hotfix/vat", True),
        ("source_branch", "hotfix/*", "feature/vat", False),
        ("source_branch", "hotfix/*", "hotfix/../main", False),
        ("source_branch", "hotfix/[ab]", "hotfix/a", False),
    ],
)
def test_bounds(name: str, bound: object, value: object, holds: bool) -> None:
    parameter = name.removeprefix("max_").removeprefix("min_")
    assert within(name, bound, {parameter: value}) is holds
    assert within(name, bound, {}) is False


def test_terms_are_read_from_their_stored_form() -> None:
    stored = {
        "state": "in_force", "approved_by": "person:mai", "bounds": {"source_branch": "hotfix/*"},
        "expires": "2026-03-02T20:00:00+07:00",
    }  # fmt: skip
    terms = read_terms("owner", "x9", stored)
    assert refusal(terms, {"source_branch": "hotfix/a"}, NOW) is None
    assert refusal(terms, {"source_branch": "hotfix/a"}, NOW + timedelta(hours=1)) is not None  # 13:00 UTC is 20:00
    assert read_terms("owner", "x9", {"state": "proposed", "approved_by": None}).approved_by == ""


@pytest.mark.parametrize(
    ("terms", "says"),
    [({"expires": "2026-03-02T20:00:00"}, "no offset"), ({"expires": "soon"}, "RFC 3339"), ({"bounds": [1]}, "object")],
)
def test_terms_that_cannot_be_read_are_refused(terms: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_terms("owner", "x9", terms)
