"""The acts of a case on rules and their exceptions: added, supported, approved, edited, undone, excepted from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from itertools import product
from typing import Any

from bio_agent_ops.auth import need_person
from bio_agent_ops.eval.case_facts import NotSupported
from bio_agent_ops.eval.case_world import PEOPLE, Deed, World, said
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.requests import Decision, Feedback, NewBelief, NewException, PersonAct
from bio_agent_ops.service import governing, learning, people, reading
from bio_agent_schema import beliefs
from bio_agent_schema.tables import EvidenceRow
from bio_agent_schema.types import BeliefState, Provenance
from bio_agent_workers.brain.lifecycle import Act

MOST = 400  # repetitions, rules or days that a case may ask for
_THINGS = ("lathe", "oven", "ledger", "router", "pump", "scanner", "boiler", "printer", "crane", "freezer")
_ACTS = ("a shift begins", "an audit", "a delivery", "a restart", "a handover")


# --------------------------------------------------------------------------------------------------------------- rules


def add_rule(world: World, given: Mapping[str, Any]) -> None:
    """A person's rule; with `state`, `support` or an agent as its source, one as learning leaves it."""
    content, scope = said(given), str(given.get("scope") or "")
    tenant = world.tenant(given)
    state = given.get("state")
    if state is None and not _learned(given):
        with world.heard():
            made = people.add_belief(world.house.ctx, world.caller(given), NewBelief(content=content, scope=scope))
            world.rules.append(made["id"])
        return
    made_as = BeliefState(state) if state else BeliefState.PROPOSED
    rule = put_learned(
        world.house, tenant, content, scope, owner=given.get("source") in ("owner", "user"), state=made_as
    )
    world.rules.append(rule)
    evidence = [str(e) for e in given["evidence"]] if isinstance(given.get("evidence"), list) else []
    count = len(evidence) or min(int(given.get("support") or 0), MOST)
    if count:
        support(
            world,
            {
                "rule_id": rule,
                "n": count,
                "names": evidence,
                "sessions": given.get("sessions"),
                "tenant": given.get("tenant"),
            },
        )


def _learned(given: Mapping[str, Any]) -> bool:
    by = str(given.get("proposed_by") or given.get("source") or given.get("by") or "").casefold()
    return bool(given.get("support") or given.get("evidence")) or (by not in ("", "core") and by not in PEOPLE)


def add_rules(world: World, given: Mapping[str, Any]) -> None:
    """`n` rules about different things, each supported once by an agent's observation."""
    n = min(int(given.get("n") or 1), MOST)
    wordings = [f"Check the {thing} before {act}." for act, thing in product(_ACTS, _THINGS)]
    wordings += [
        f"Check the {thing} number {i} before {act}." for i in range(2, 10) for act, thing in product(_ACTS, _THINGS)
    ]
    for content in wordings[:n]:
        add_rule(world, {"text": content, "support": 1, "tenant": given.get("tenant"), "state": given.get("state")})


def show(world: World, given: Mapping[str, Any]) -> None:
    """One rule read by its id, with its evidence and history, by whichever tenant asks."""
    rule = _rule(world, {"tenant": given.get("owner"), **given} if isinstance(given.get("rule"), Mapping) else given)
    with world.heard():
        reading.show_belief(world.house.ctx, world.tenant(given), rule)
        world.values["found"] = 1


def support(world: World, given: Mapping[str, Any]) -> None:
    """Observations of agents that bear the last rule out, over as many sessions as are asked for."""
    house, tenant = world.house, world.tenant(given)
    rule = str(given.get("rule_id") or _rule(world, given))
    n, sessions = min(int(given.get("n") or 1), MOST), max(1, int(given.get("sessions") or 1))
    at = world.now()
    known = house.rows("select count(*) from bio.episodes where tenant = :t", t=tenant)[0][0]
    names = given.get("names") or [f"support-{known + i}" for i in range(n)]
    house.send(tenant, [
        {"id": name, "kind": "tool", "tool": "Bash", "tool_input": {"command": f"check --round {known + i}"}, "exit_code": 0,
         "content": "ok", "session": f"session-{i % sessions}", "origin": f"origin-{i % sessions}"}
        for i, name in enumerate(names)
    ])  # fmt: skip
    house.take_in([tenant])
    with house.ctx.db.tenant(tenant) as session:
        beliefs.add_evidence(session, [
            EvidenceRow(tenant=tenant, belief_id=rule, episode_id=name, trust=Provenance.AGENT.value,
                        session=f"session-{i % sessions}", origin=f"origin-{i % sessions}", at=at)
            for i, name in enumerate(names)
        ])  # fmt: skip
    house.execute(
        "update bio.beliefs b set support_count = (select count(*) from bio.evidence e where e.tenant = b.tenant"
        " and e.belief_id = b.id and e.supports) where tenant = :t and id = :i", t=tenant, i=rule,
    )  # fmt: skip
    world.supports = None
    world.support()


def _rule(world: World, given: Mapping[str, Any]) -> str:
    """The id of the rule that an act names by number or text; the last one where it names none."""
    which = given.get("rule", given.get("target"))
    if isinstance(which, Mapping):
        add_rule(world, {"tenant": given.get("tenant"), **which})
        return world.rules[-1]
    if isinstance(which, int) and not isinstance(which, bool) and which < len(world.rules):
        return world.rules[which]
    if isinstance(which, str) and which.strip():
        for b in reading.list_beliefs(world.house.ctx, world.tenant(given), limit=1000):
            if b["content"].casefold() == which.strip().casefold():
                return str(b["id"])
        add_rule(world, {**given, "text": which, "state": given.get("state") or "proposed", "by": "agent"})
    if not world.rules:
        raise NotSupported("an act on a rule before there is one")
    return world.rules[-1]


def personal(what: Act) -> Deed:
    """approve, reject, edit, pin, deprecate, undo … by whoever the case says."""

    def deed(world: World, given: Mapping[str, Any]) -> None:
        rule = _rule(world, given)
        ask = PersonAct(why=str(given.get("why") or ""), content=given.get("to") or given.get("new_text"))
        with world.heard():
            caller = world.caller(given)
            need_person(caller)
            people.act(world.house.ctx, caller, rule, what, ask)
        world.values |= {"state": reading.show_belief(world.house.ctx, world.tenant(given), rule)["state"]}

    return deed


def dream(world: World, given: Mapping[str, Any]) -> None:
    changes = learning.dream(world.house.ctx, world.tenant(given))["changes"]
    world.dreamt.append(changes)
    world.values["changes"] = sum(world.dreamt)
    if len(world.dreamt) > 1:
        world.values |= {"second_changes": world.dreamt[1], "idempotent": world.dreamt[-1] == 0}


def promote(world: World, given: Mapping[str, Any]) -> None:
    """What support over sessions and days makes of a rule."""
    add_rule(world, {"by": "agent", "support": 1, **given, "text": said(given)})
    days = float(given.get("days") or given.get("age_days") or 0)
    if days:
        world.pass_time(timedelta(days=days))
    dream(world, given)
    rule = reading.show_belief(world.house.ctx, world.tenant(given), world.rules[-1])
    world.values |= {"state": rule["state"], "layer": rule["layer"], "confidence": rule["confidence"],
                     "promoted": rule["state"] != BeliefState.PROPOSED}  # fmt: skip


def feedback(world: World, given: Mapping[str, Any]) -> None:
    outcome = str(given.get("outcome") or "helped")
    for i in range(min(int(given.get("times") or 1), MOST)):
        with world.heard():
            people.feedback(world.house.ctx, world.caller(given), Feedback(
                rule_id=_rule(world, given), outcome="hurt" if outcome == "hurt" else "helped",
                session=str(given.get("session") or f"feedback-{i}"),
            ))  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- exceptions


def exception(world: World, given: Mapping[str, Any]) -> None:
    terms = given.get("exception") if isinstance(given.get("exception"), Mapping) else given
    assert isinstance(terms, Mapping)
    with world.heard():
        made = governing.add_exception(world.house.ctx, world.caller(terms if "by" in terms else given), NewException.model_validate({
            "belief_id": _rule(world, given if terms is not given else {}), "text": said(terms), "bounds": terms.get("bounds") or {},
            "policy": terms.get("policy") or "", "valid_from": terms.get("valid_from"),
            "expires_at": terms.get("expires_at") or terms.get("valid_to"),
        }))  # fmt: skip
        world.exceptions.append(made["id"])
        world.values["exception"] = made["state"]


def ruling(what: governing.Ruling) -> Deed:
    def deed(world: World, given: Mapping[str, Any]) -> None:
        if not world.exceptions:
            exception(world, {**given, "by": "agent"})
        with world.heard():
            made = governing.decide(world.house.ctx, world.caller(given), world.exceptions[-1], what, Decision())
            world.values["exception"] = made["state"]

    return deed
