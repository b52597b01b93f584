"""The acts of a case one by one: rules added, approved, undone; things remembered and recalled; calls checked; time passed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bio_agent_client.redact import prepare
from bio_agent_ops.auth import need_person
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_rules import (
    MOST,
    add_rule,
    add_rules,
    dream,
    exception,
    feedback,
    personal,
    promote,
    ruling,
    show,
    support,
)
from bio_agent_ops.eval.case_run import observation, run_out
from bio_agent_ops.eval.case_world import Deed, World, said
from bio_agent_ops.eval.house import House
from bio_agent_ops.ingest import Ingest
from bio_agent_ops.requests import Check, Recall, Remember
from bio_agent_ops.service import (
    governing,
    guarding,
    keeping,
    reading,
    recalling,
    remembering,
    speaking,
)
from bio_agent_workers.brain.lifecycle import Act

# ------------------------------------------------------------------------------------------------- memories and recall


def remember(world: World, given: Mapping[str, Any]) -> None:
    ask = {k: given[k] for k in Remember.model_fields if k != "content" and given.get(k) is not None}
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
    ask = {k: given[k] for k in Recall.model_fields if k != "query" and given.get(k) is not None}
    world.found, world.found_ids = [], []
    for query in given["queries"] if isinstance(given.get("queries"), list) else [said(given, "query")]:
        with world.heard():
            answer = recalling.recall(
                world.house.ctx, world.tenant(given), Recall.model_validate({"query": query, **ask})
            )
            world.found += [m["content"] for m in answer["memories"]]
            world.found_ids += [m["id"] for m in answer["memories"]]
    world.values["found"] = len(world.found)


def erase(world: World, given: Mapping[str, Any]) -> None:
    """A memory erased by whoever the case says: the one it names by number or text, else the last one kept."""
    which = given.get("memory", given.get("target"))
    if isinstance(which, int) and not isinstance(which, bool) and which < len(world.memories):
        erased = world.memories[which]
    else:
        if which is not None or not world.memories:
            remember(world, which if isinstance(which, Mapping) else {**given, "text": which or said(given)})
        erased = world.memories[-1]
    _erase(world, given, erased)


def _erase(world: World, given: Mapping[str, Any], memory: str) -> None:
    world.erased += [r[0] for r in world.house.rows("select content from bio.memories where id = :i", i=memory)]
    with world.heard():
        caller = world.caller(given)
        need_person(caller)
        keeping.erase_memory(world.house.ctx, caller, memory)


def erase_all(world: World, given: Mapping[str, Any]) -> None:
    """Every memory of the tenant, one after the other."""
    for (memory,) in world.house.rows(
        "select id from bio.memories where tenant = :t order by id", t=world.tenant(given)
    ):
        _erase(world, given, memory)


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
    send(world, given)
    world.house.take_in([world.tenant(given)])


def send(world: World, given: Mapping[str, Any]) -> None:
    """Events sent as the HTTP face takes them; what is refused is kept as an answer."""
    house, tenant = world.house, world.tenant(given)
    events = given.get("events") or [given]
    events = [
        e if isinstance(e, Mapping) else {"content": str(e)}
        for e in ([{}] * events if isinstance(events, int) else events)
    ]

    async def sending() -> None:
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

    asyncio.run(sending())
    world.values["sent"] = [*world.values.get("sent", ()), *events]


def prepare_safely(obs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The observation itself, when the client would send it. Raises Refused."""
    prepare(obs, oversize="cut")
    return obs


def sleep(world: World, given: Mapping[str, Any]) -> None:
    run_out(world.house, world.house.ctx.runtime, world.tenant(given))


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
        world.values |= {"verdict": answer["verdict"], "decision": answer["verdict"], "reason": answer["reason"],
                         "exception_used": bool(answer["exception"]), "approval_waits": answer["approval"] is not None}  # fmt: skip


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


ON_A_RULE = frozenset(
    {"show_rule", "promote", "feedback", "exception", "add_exception", "propose_exception", "approve_exception",
     "reject_exception", "revoke_exception", "revoke", "support", *(act.value for act in Act)}
)  # fmt: skip
DEEDS: Mapping[str, Deed] = {
    "add_rule": add_rule, "new_rule": add_rule, "add_rules": add_rules, "support": support, "promote": promote,
    **{act.value: personal(act) for act in Act}, "feedback": feedback, "exception": exception, "add_exception": exception,
    "propose_exception": exception, "approve_exception": ruling(governing.Ruling.APPROVE),
    "reject_exception": ruling(governing.Ruling.REJECT), "revoke_exception": ruling(governing.Ruling.REVOKE),
    "revoke": ruling(governing.Ruling.REVOKE), "remember": remember, "remember_many": remember_many, "recall": recall,
    "recall_all": recall_all, "erase": erase, "erase_all": erase_all, "show_rule": show, "ingest": ingest, "observe": ingest,
    "sleep": sleep, "consolidate": sleep, "dream": dream, "check": check, "guard": check, "render_prompt": render,
    "persona": render, "export": export, "wait": set_clock, "clock": set_clock, "advance_clock": set_clock,
    "set_clock": set_clock, "time_travel": set_clock,
}  # fmt: skip


def set_up(world: World, given: Mapping[str, Any], deed: str) -> None:
    """What a case names beside its act: rules, seeds, events and exceptions that were there before."""
    for rule in given.get("rules") or ():
        add_rule(
            world, {**(rule if isinstance(rule, Mapping) else {"text": str(rule)}), "tenant": _tenant(rule, given)}
        )
    seeds = given.get("seed") or given.get("memories") or ()
    if deed in ON_A_RULE and isinstance(seeds, Sequence) and not isinstance(seeds, str):
        for seed in seeds:
            add_rule(
                world, {**(seed if isinstance(seed, Mapping) else {"text": str(seed)}), "tenant": _tenant(seed, given)}
            )
        seeds = ()
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
    held_by_others = world.others(given)
    for tenant in given["tenants"] if isinstance(given.get("tenants"), list) else [given.get("tenant")]:
        for _ in range(1 if deed == "feedback" else max(1, min(int(given.get("times") or 1), MOST))):
            if deed != "add_rule" or not given.get("rules"):
                DEEDS[deed](world, {**given, "tenant": tenant} if given.get("tenants") else given)
    if deed in ("ingest", "observe"):
        sleep(world, given)
    elif given.get("query") and deed not in ("recall", "show_rule"):
        recall(world, given)  # what is found afterwards
    facts = world.facts(given)
    facts.values["tenant_b_unaffected"] = held_by_others == world.others(given)
    return facts
