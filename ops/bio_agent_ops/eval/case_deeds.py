"""The acts of a case one by one: rules added, approved, undone; things remembered and recalled; calls checked; time passed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from bio_agent_client.redact import prepare
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_run import observation, run_out
from bio_agent_ops.eval.case_world import Deed, World, said
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.eval.house import House
from bio_agent_ops.ingest import Ingest
from bio_agent_ops.requests import Check, Decision, Feedback, NewBelief, NewException, PersonAct, Recall, Remember
from bio_agent_ops.service import (
    governing,
    guarding,
    keeping,
    learning,
    people,
    reading,
    recalling,
    remembering,
    speaking,
)
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
    count = min(int(given.get("support") or 0), MOST)
    if count:
        support(world, {"rule_id": rule, "n": count, "sessions": given.get("sessions"), "tenant": given.get("tenant")})


def _learned(given: Mapping[str, Any]) -> bool:
    return bool(given.get("support")) or str(given.get("source") or given.get("by") or "") in (
        "agent",
        "tool",
        "model",
        "learned",
    )


def add_rules(world: World, given: Mapping[str, Any]) -> None:
    """`n` rules about different things, each supported once by an agent's observation."""
    n = min(int(given.get("n") or 1), MOST)
    wordings = [f"Check the {thing} before {act}." for act, thing in product(_ACTS, _THINGS)]
    wordings += [
        f"Check the {thing} number {i} before {act}." for i in range(2, 10) for act, thing in product(_ACTS, _THINGS)
    ]
    for content in wordings[:n]:
        add_rule(world, {"text": content, "support": 1, "tenant": given.get("tenant"), "state": given.get("state")})


def support(world: World, given: Mapping[str, Any]) -> None:
    """Observations of agents that bear the last rule out, over as many sessions as are asked for."""
    house, tenant = world.house, world.tenant(given)
    rule = str(given.get("rule_id") or _rule(world, given))
    n, sessions = min(int(given.get("n") or 1), MOST), max(1, int(given.get("sessions") or 1))
    at = world.now()
    known = house.rows("select count(*) from bio.episodes where tenant = :t", t=tenant)[0][0]
    names = [f"support-{known + i}" for i in range(n)]
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
            from bio_agent_ops.auth import need_person

            need_person(caller)
            people.act(world.house.ctx, caller, rule, what, ask)
        world.values |= {"state": reading.show_belief(world.house.ctx, world.tenant(given), rule)["state"]}

    return deed


def promote(world: World, given: Mapping[str, Any]) -> None:
    """What support over sessions and days makes of a rule."""
    add_rule(world, {"by": "agent", "support": 1, **given, "text": said(given)})
    days = float(given.get("days") or given.get("age_days") or 0)
    if days:
        world.pass_time(timedelta(days=days))
    dream(world, given)
    rule = reading.show_belief(world.house.ctx, world.tenant(given), world.rules[-1])
    world.values |= {"state": rule["state"], "layer": rule["layer"], "confidence": rule["confidence"]}


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
        made = governing.add_exception(world.house.ctx, world.caller(given), NewException.model_validate({
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


# ------------------------------------------------------------------------------------------------- memories and recall


def remember(world: World, given: Mapping[str, Any]) -> None:
    ask = {
        k: given[k] for k in ("type", "tags", "source", "importance", "workspace", "user", "occurred_at") if k in given
    }
    for content in given["texts"] if isinstance(given.get("texts"), list) else [said(given)]:
        with world.heard():
            kept = remembering.remember(
                world.house.ctx, world.caller(given), Remember.model_validate({"content": content, **ask})
            )
            world.memories += kept["ids"]
            world.values["merged"] = kept["merged"]


def remember_many(world: World, given: Mapping[str, Any]) -> None:
    for i in range(min(int(given.get("n") or 1), MOST)):
        remember(world, {**given, "text": f"Machine {i} was serviced by team {i % 7} on line {i % 11}."})


def recall(world: World, given: Mapping[str, Any]) -> None:
    ask = {
        k: given[k]
        for k in ("limit", "workspace", "user", "since", "until", "at", "kind", "type", "tags")
        if k in given
    }
    world.found = []
    for query in given["queries"] if isinstance(given.get("queries"), list) else [said(given, "query")]:
        with world.heard():
            answer = recalling.recall(
                world.house.ctx, world.tenant(given), Recall.model_validate({"query": query, **ask})
            )
            world.found += [m["content"] for m in answer["memories"]]
    world.values["found"] = len(world.found)


def erase(world: World, given: Mapping[str, Any]) -> None:
    """A memory erased by whoever the case says: the one it names, else the last one kept."""
    which = given.get("memory", given.get("target"))
    if which is not None or not world.memories:
        remember(world, which if isinstance(which, Mapping) else {**given, "text": which or said(given)})
    with world.heard():
        caller = world.caller(given)
        from bio_agent_ops.auth import need_person

        need_person(caller)
        keeping.erase_memory(world.house.ctx, caller, world.memories[-1])


def recall_all(world: World, given: Mapping[str, Any]) -> None:
    """Every rule and memory asked for in its own words, and the block read."""
    tenant = world.tenant(given)
    held = [b["content"] for b in reading.list_beliefs(world.house.ctx, tenant, limit=1000)]
    for content in held[:MOST]:
        recalling.recall(world.house.ctx, tenant, Recall.model_validate({"query": content}))
    speaking.persona(
        world.house.ctx, tenant, workspace="default", agent="", user="", session_id=f"read-{world.now().date()}"
    )


# ------------------------------------------------------------------------------------------------------- observations


def ingest(world: World, given: Mapping[str, Any]) -> None:
    """Events sent as the HTTP face takes them, then read by intake."""
    house, tenant = world.house, world.tenant(given)
    events = given.get("events") or [given]
    events = [
        e if isinstance(e, Mapping) else {"content": str(e)}
        for e in ([{}] * events if isinstance(events, int) else events)
    ]

    async def send() -> None:
        door = Ingest(
            house.ctx.db, house.ctx.settings.redis_url, int(given.get("max_backlog") or house.ctx.settings.max_backlog)
        )
        try:
            for i, event in enumerate(events):
                known = len(world.values.get("sent", ()))
                obs = observation(event, given, known + i)
                with world.heard():
                    answer = await door.take(house.person(tenant), prepare_safely(obs))
                    world.values.setdefault("duplicates", 0)
                    world.values["duplicates"] += answer["duplicates"]
                    world.refused += [r["reason"] for r in answer["refused"]]
        finally:
            await door.close()

    asyncio.run(send())
    world.values["sent"] = [*world.values.get("sent", ()), *events]
    house.take_in([tenant])


def prepare_safely(obs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The observation itself, when the client would send it. Raises Refused."""
    prepare(obs, oversize="cut")
    return obs


def sleep(world: World, given: Mapping[str, Any]) -> None:
    run_out(world.house, world.house.ctx.runtime, world.tenant(given))


def dream(world: World, given: Mapping[str, Any]) -> None:
    dreamt = learning.dream(world.house.ctx, world.tenant(given))
    world.values |= {"changes": world.values.get("changes", 0) + dreamt["changes"]}


def check(world: World, given: Mapping[str, Any]) -> None:
    """The guard's word on a call."""
    call = given.get("call") if isinstance(given.get("call"), Mapping) else given
    assert isinstance(call, Mapping)
    command = call.get("command") or (call["call"] if isinstance(call.get("call"), str) else None)
    ask: dict[str, Any] = {
        "tool": str(call.get("tool") or "Bash"), "tool_input": call.get("input", call.get("tool_input", {"command": command})),
    }  # fmt: skip
    ask |= {k: call[k] for k in ("workspace", "mode", "session", "agent", "user") if k in call}
    if call.get("now"):
        world.house.set_clock(datetime.fromisoformat(call["now"]))
    with world.heard():
        answer = guarding.check(world.house.ctx, world.tenant(given), Check.model_validate(ask))
        world.values |= {"verdict": answer["verdict"], "decision": answer["verdict"], "reason": answer["reason"]}


def render(world: World, given: Mapping[str, Any]) -> None:
    at = str(given.get("at") or "")
    with world.heard():
        block = speaking.persona(world.house.ctx, world.tenant(given), workspace=str(given.get("workspace") or "default"),
                                 agent="", user="", at=at)  # fmt: skip
        world.values["version"] = block["version"]


def export(world: World, given: Mapping[str, Any]) -> None:
    """What the tenant can read out of everything it holds."""
    ctx, tenant = world.house.ctx, world.tenant(given)
    read = {"beliefs": reading.list_beliefs(ctx, tenant, limit=1000), "episodes": reading.list_episodes(ctx, tenant),
            "graph": reading.show_graph(ctx, tenant), "timeline": reading.timeline(ctx, tenant),
            "memories": [r[0] for r in world.house.rows("select content from bio.memories where tenant = :t", t=tenant)]}  # fmt: skip
    world.exported = json.dumps(read, default=str, ensure_ascii=False)


def set_clock(world: World, given: Mapping[str, Any]) -> None:
    at = given.get("now") or given.get("at")
    if isinstance(at, str):
        world.now()
        world.house.set_clock(datetime.fromisoformat(at))
        return
    by = {unit: float(given[unit]) for unit in ("days", "hours", "minutes", "seconds", "weeks") if unit in given}
    if not by:
        raise NotSupported("time that passes without now, days, hours, minutes or seconds")
    world.pass_time(timedelta(**by))


DEEDS: Mapping[str, Deed] = {
    "add_rule": add_rule, "new_rule": add_rule, "add_rules": add_rules, "support": support, "promote": promote,
    **{act.value: personal(act) for act in Act}, "feedback": feedback, "exception": exception, "add_exception": exception,
    "propose_exception": exception, "approve_exception": ruling(governing.Ruling.APPROVE),
    "reject_exception": ruling(governing.Ruling.REJECT), "revoke_exception": ruling(governing.Ruling.REVOKE),
    "revoke": ruling(governing.Ruling.REVOKE), "remember": remember, "remember_many": remember_many, "recall": recall,
    "recall_all": recall_all, "erase": erase, "ingest": ingest, "observe": ingest, "sleep": sleep, "consolidate": sleep, "dream": dream,
    "check": check, "guard": check, "render_prompt": render, "persona": render, "export": export, "wait": set_clock,
    "clock": set_clock, "advance_clock": set_clock, "set_clock": set_clock, "time_travel": set_clock,
}  # fmt: skip


def set_up(world: World, given: Mapping[str, Any], deed: str) -> None:
    """What a case names beside its act: rules, seeds, events and exceptions that were there before."""
    for rule in given.get("rules") or ():
        add_rule(
            world, {**(rule if isinstance(rule, Mapping) else {"text": str(rule)}), "tenant": _tenant(rule, given)}
        )
    seeds = given.get("seed") or given.get("memories") or ()
    for seed in seeds if isinstance(seeds, Sequence) and not isinstance(seeds, str) else ():
        remember(
            world, {**(seed if isinstance(seed, Mapping) else {"text": str(seed)}), "tenant": _tenant(seed, given)}
        )
    if given.get("events") and deed not in ("ingest", "observe"):
        ingest(world, given)
        sleep(world, given)
    if isinstance(given.get("exception"), Mapping) and deed in ("check", "guard"):
        exception(world, given)


def _tenant(part: Any, given: Mapping[str, Any]) -> Any:
    return part.get("tenant") if isinstance(part, Mapping) and part.get("tenant") else given.get("tenant")


def single(deed: str, house: House, given: Mapping[str, Any]) -> Facts:
    """One act, after what it needs."""
    world = World(house)
    world.now()
    set_up(world, given, deed)
    if deed != "add_rule" or not given.get("rules"):
        DEEDS[deed](world, given)
    if deed in ("ingest", "observe"):
        sleep(world, given)
    return world.facts()
