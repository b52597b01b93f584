"""Cases of simultaneous work: one act many times at once, or several acts beside each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from bio_agent_ops.eval import case_words
from bio_agent_ops.eval.case_deeds import DEEDS, ON_A_RULE, send, set_up
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_given import ROW_KIND
from bio_agent_ops.eval.case_run import run_out
from bio_agent_ops.eval.case_world import World
from bio_agent_ops.eval.house import DIRECTIVE, House
from bio_agent_ops.service import reading
from bio_agent_schema import cycles
from bio_agent_workers import dreaming, pipeline

ABREAST = 6  # threads at once: as many as there are connections
MOST = 200  # acts that a row may ask for
_SAYS_NOTHING = frozenset({"time", "two", "three", "same", "identical", "scheduled", "manual", "schedul", "one", "rule", "event", "memory", "run",
                           "post", "api", "concurrent", "parallel", "again", "distinct", "different", "differ", "batch", "call"})  # fmt: skip


def _abreast(calls: Sequence[Callable[[], Any]]) -> list[Exception]:
    """Run all, as many at once as there are connections; the exceptions that came out."""
    errors: list[Exception] = []
    gate = threading.Semaphore(ABREAST)

    def one(call: Callable[[], Any]) -> None:
        with gate:
            try:
                call()
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=one, args=(c,)) for c in calls]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


def concurrent(house: House, given: Mapping[str, Any]) -> Facts:
    """Acts at the same time: `do` names one act (then `n` of it) or several; what came of each, and what is held afterwards."""
    wanted = given.get("do")
    n = min(int(given.get("n") or 2), MOST)
    if wanted == "reinforce_same_rule_distinct_events":
        return _reinforce(house, n)
    if isinstance(wanted, list) and wanted and all("dream" in str(w) or "sleep" in str(w).casefold() for w in wanted):
        return _dreams(house)
    each = wanted if isinstance(wanted, list) else [wanted] * n
    if not each or any(not isinstance(one, (str, Mapping)) for one in each):
        raise NotSupported(f"doing {str(wanted)[:80]!r} at the same time")
    return _deeds(house, [_deed(one, given) for one in each], given)


def _deed(said: Any, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """(deed, its fields) of an act that is named, told of in a phrase, or given with its fields."""
    if isinstance(said, Mapping):
        name, fields = (
            str(said.get("op") or said.get("do") or ""),
            {k: v for k, v in said.items() if k not in ("op", "do")},
        )
    else:
        name, fields = said, {}
    deed = case_words.op(name, DEEDS)
    if deed not in DEEDS:
        deed, rest = case_words.act_in(name, DEEDS)
        if unknown := rest - _SAYS_NOTHING:
            raise NotSupported(f"doing {name[:80]!r} at the same time ({', '.join(sorted(unknown))})")
    if deed in ("ingest", "observe") and "same" in name.casefold():
        fields = {"event": {"content": "order 0 confirmed", "event_id": "c0"}}
    more = {k: given[k] for k in given if k not in ("op", "do", "n", "rules", "seed", "events", "during", ROW_KIND)}
    return deed, {**more, **case_words.fields(deed, fields)}


def _deeds(house: House, deeds: Sequence[tuple[str, dict[str, Any]]], given: Mapping[str, Any]) -> Facts:
    world = World(house)
    world.now()
    for name in {str(fields.get("tenant") or given.get("tenant") or "") for _, fields in deeds}:
        world.tenant({"tenant": name})  # made before the threads ask for it
    set_up(world, {k: given[k] for k in ("rules", "seed", "events", "tenant") if k in given}, "")
    acted_on = world.rules[-1:] or world.memories[-1:]
    if not acted_on and any(deed in ON_A_RULE for deed, _ in deeds):
        DEEDS["add_rule"](world, {"text": "Two people lift the lid.", "state": "proposed"})
    sent = [(send if deed in ("ingest", "observe") else DEEDS[deed], deed, fields) for deed, fields in deeds]
    errors = _abreast([partial(act, world, _with_text(deed, fields, i)) for i, (act, deed, fields) in enumerate(sent)])
    if any(deed in ("ingest", "observe") for deed, _ in deeds):
        house.take_in([world.tenant()])
    facts = world.facts()
    refused = len(world.refused)
    done = len(deeds) - refused - len(errors)
    facts.values |= {
        "succeeded": done, "winners": done, "refusals": refused, "conflicts": sum(s == 409 for s in world.statuses),
        "refused_status": world.status, "errors": len(errors), "no_error": not errors,
        "deadlocks": sum("deadlock" in str(e).casefold() for e in errors),
    }  # fmt: skip
    facts.texts["errors"] = [str(e)[:200] for e in errors]
    return facts


def _with_text(deed: str, fields: dict[str, Any], i: int) -> dict[str, Any]:
    """The act's fields with the text that it needs where the case gives none: the same one each time."""
    if deed in ("ingest", "observe"):
        given = fields.get("events") or fields.get("event")
        events = (
            given if isinstance(given, list) else [given or {"content": f"order {i} confirmed", "event_id": f"c{i}"}]
        )
        return {**fields, "events": [case_words.event(e) for e in events]}
    if deed in ("remember", "add_rule", "new_rule", "recall") and not any(
        k in fields for k in ("text", "content", "query", "texts")
    ):
        return {**fields, "text": "The pump is checked before each shift.", "query": "when is the pump checked"}
    return fields


def _reinforce(house: House, n: int) -> Facts:
    """The same directive in n scopes of one workspace, their cycles run at the same time."""
    tenant = house.tenant()
    house.send(tenant, [
        {"id": f"e{i}", "kind": "user", "content": DIRECTIVE, "session": f"s{i}", "agent": f"a{i}", "workspace": "w"}
        for i in range(n)
    ])  # fmt: skip
    house.take_in([tenant])
    rt = house.ctx.runtime
    with rt.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    started = [(d, s) for d in pipeline.due_now(rt, tenant) if (s := pipeline.start(rt, d))]
    errors = _abreast([lambda d=d, s=s: pipeline.run_cycle(rt, d.tenant, *s) for d, s in started])  # type: ignore[misc]
    interrupted = house.rows("select count(*) from bio.cycles where tenant = :t and state <> 'done'", t=tenant)[0][0]
    run_out(house, rt, tenant)  # a cycle that lost a race is taken up by the sweep
    found = reading.list_beliefs(house.ctx, tenant)
    rows = house.rows("select count(*) from bio.evidence where tenant = :t", t=tenant)[0][0]
    return Facts(values={
        "support_count": max((b["support_count"] for b in found), default=0), "rules": len(found), "evidence": rows,
        "cycles": len(started), "taken up again": interrupted, "errors": len(errors), "no_error": not errors,
    })  # fmt: skip


def _dreams(house: House) -> Facts:
    """Dreams and consolidations asked for at the same time: how many of one kind ran at once."""
    tenant = house.told()
    rt = house.ctx.runtime
    refused: list[str] = []

    def asleep() -> None:
        try:
            dreaming.dream(rt, tenant)
        except dreaming.AlreadyDreaming as error:
            refused.append(str(error))

    errors = _abreast([asleep, asleep, asleep, lambda: house.sleep(tenant), lambda: house.sleep(tenant)])
    runs = house.rows(
        "select started_at, finished_at from bio.dream_runs where tenant = :t and state = 'done' order by 1", t=tenant
    )
    overlapping = sum(later[0] < earlier[1] for earlier, later in pairwise(runs))
    doubled = house.rows("select count(*) from bio.beliefs where tenant = :t", t=tenant)[0][0] - 1
    return Facts(values={
        "runs_overlapping": overlapping + max(doubled, 0), "dreams": len(runs), "refused_dreams": len(refused),
        "no_error": not errors, "errors": [str(e)[:200] for e in errors],
    })  # fmt: skip
