"""Cases of taking in and consolidating: events through the stream, the stages with a model that obeys or follows a script,
and everything that the tenant holds afterwards."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from bio_agent_client.observation import Refused, to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.eval import case_script
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_given import ROW_KIND
from bio_agent_ops.eval.case_held import CHARS_A_TOKEN, OUT_OF_FORCE, held, rules_and_states
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.scripted import ObeyingModel, Provider, serving
from bio_agent_ops.service.remembering import REDACTED
from bio_agent_schema import cycles
from bio_agent_workers import pipeline
from bio_agent_workers.intake import stream_of
from bio_agent_workers.models.offline import OfflineModel
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import Runtime

WINDOW = timedelta(minutes=10)  # how long a provider's trouble is watched, by the evaluation's clock
FAULTS = ("raise_after_llm_before_commit",)
PLACES = ("stream", "postgres", "llm_request", "embedding", "logs", "audit", "prompt")  # that `stored` covers
_NOTHING = '{"rules": []}'  # a sound answer that teaches nothing
_EDGE = 40  # characters at the beginning and the end by which a text that was cut is known again
_CUT = "bytes cut …]"  # the client's mark of a text that was cut


@dataclass(slots=True)
class _Watched:
    """The embedder, which notes what it was given, and what was logged."""

    inner: Embedder
    texts: list[str] = field(default_factory=list)

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return self.inner.passages(texts)

    def query(self, text: str) -> list[float]:
        self.texts.append(text)
        return self.inner.query(text)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def logged() -> Iterator[list[str]]:
    """The lines that the product logs meanwhile; they stay out of the report of the evaluation."""
    handler, logger = _Lines(), logging.getLogger("bio")
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


# --------------------------------------------------------------------------------------------------- events of a case


def observation(event: Mapping[str, Any], given: Mapping[str, Any], index: int) -> dict[str, Any]:
    """A case's event as a producer would send it: who said it decides the kind, distrust is passed on."""
    source = str(event.get("source") or given.get("source") or "")
    trust = event.get("trust") or given.get("trust")
    role = event.get("role") or ("user" if source in ("chat", "user") and not trust else "")
    kind = event.get("kind") or (role if role in ("user", "assistant") else "tool")
    obs: dict[str, Any] = {
        "id": str(event.get("event_id") or event.get("id") or index), "kind": kind, "content": event.get("content", ""),
        "source": source or "terminal", "session": str(event.get("session") or "s1"),
    }  # fmt: skip
    own = ("event_id", "id", "role", "source", "trust", "content", "session", "kind", "trusted", "untrusted")
    obs |= {
        name: value for name, value in event.items() if name not in own and name not in obs
    }  # the product reads or keeps it
    if trust:
        obs["provenance"] = trust
    return obs


@dataclass(slots=True)
class Taken:
    ids: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    streamed: list[str] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    firsts: dict[str, str] = field(default_factory=dict)  # what was sent first under an id


def take_in(house: House, tenant: str, given: Mapping[str, Any]) -> Taken:
    taken = Taken()
    for i, event in enumerate(given.get("events") or ()):
        obs = observation(event, given, i)
        try:
            wire = to_wire(prepare(obs, oversize="cut", unknown="keep"))  # as a producer of another make does
        except Refused as refusal:
            taken.refused.append(str(refusal))
            continue
        house.ctx.redis.xadd(stream_of(tenant), {"o": wire})
        taken.ids.append(obs["id"])
        taken.streamed.append(wire.decode("utf-8", "replace"))
        taken.contents[obs["id"]] = obs["content"]
        taken.firsts.setdefault(obs["id"], obs["content"])
    house.take_in([tenant])
    return taken


def run_out(house: House, rt: Runtime, tenant: str) -> None:
    """Consolidate until nothing is left to do, or for WINDOW: a cycle that rests or lost its holder is waited for by moving the clock."""
    begin = house.rows("select clock_timestamp() + shift from bio.clock")[0][0]
    house.set_clock(begin)
    at: datetime = begin
    while at <= begin + WINDOW:
        with rt.db.tenant(tenant) as session:
            cycles.request_sleep(session, tenant)
        pipeline.run_due(rt, tenant)
        rests = house.rows(
            "select min(greatest(coalesce(not_before, bio.now()), coalesce(lease_until, bio.now()))) from bio.cycles"
            " where tenant = :t and state in ('running', 'queued')", t=tenant,
        )  # fmt: skip
        if rests[0][0] is None:
            return
        at = rests[0][0] + timedelta(seconds=1)
        house.set_clock(at)


def consolidated(
    house: House, tenant: str, taken: Taken, watched: _Watched, lines: Sequence[str], provider: Provider | None
) -> Facts:
    """Everything that a tenant holds after its events were considered."""
    facts = held(house, tenant)
    episodes = house.rows(
        "select id, state, content, content_hash, attempts, is_failure from bio.episodes where tenant = :t order by seq",
        t=tenant,
    )
    found = rules_and_states(house, tenant)
    rules = [b for b in found if b["state"] not in OUT_OF_FORCE]
    calls = house.rows("select raw_input from bio.model_calls where tenant = :t", t=tenant)
    bisected = house.rows("select count(*) from bio.audit where tenant = :t and act = 'bisected'", t=tenant)[0][0]
    asked = provider.asked if provider else []
    dead = facts.values["dead_letter"] > 0 and all(e[1] == "dead" for e in episodes)
    facts.values |= {
        "ingest": "accepted" if not taken.refused else f"rejected: {taken.refused[0]}",
        "privileged_fields_ignored": not any(b["layer"] == "core" or b["approved_by"] or b["state"] == "stable" for b in rules),
        "partial_effects": 0 if facts.values["consolidated"] else len(found) + facts.values["memories"],
        "split_batch": bisected > 0 or bool(provider and provider.parts), "llm_calls": provider.calls if provider else len(calls),
        "llm_input_tokens": max((len(c.encode("utf-8", "replace")) // CHARS_A_TOKEN for c in [r[0] for r in calls] + asked), default=0),
        "support_unchanged": not facts.texts["evidence"],
        "events_kept": all(e[2] or e[1] == "folded" for e in episodes) and len(episodes) == len(taken.ids),
        "no_error": not taken.refused, "dead": dead, "rejected": bool(taken.refused), "accepted": not taken.refused,
        "duplicates": len(taken.ids) - len(episodes), "lost_after_ack": len(set(taken.ids)) - len({e[0] for e in episodes}),
        "effects": max(len(found), facts.values["evidence"], facts.values["memories"]),
        "empty_rejected_or_ignored": not any(not m.strip() for m in facts.texts["memories"]),
        "same_hash": len({e[3] for e in episodes}) == 1, "dedup_stable": _stable(taken, {e[0]: e[3] for e in episodes}),
        "retried": provider is not None and provider.calls > 1,
    }  # fmt: skip
    stored = facts.texts["stored"]
    facts.values |= _of_contents(taken, [(e[0], e[2]) for e in episodes], stored)
    facts.texts |= {
        "stored": [*stored, *taken.streamed, *watched.texts, *lines, *asked, *facts.texts["prompt"]],
        "states": [e[1] for e in episodes], "refused": taken.refused, "llm_request": asked or [r[0] for r in calls],
        "logs": list(lines), "stream": taken.streamed, "embedding": watched.texts,
        "reason": [*taken.refused, *facts.texts["dead_letter_causes"]],
    }  # fmt: skip
    facts.alternatives |= {
        "accepted_flattened": not taken.refused and bool(episodes),
        "rejected:too_deep": any("deep" in r or "nest" in r for r in taken.refused),
        "rejected": bool(taken.refused), "accepted": not taken.refused, "normalised": bool(rules),
        "retry": provider is not None and provider.calls > 1,
        "stored_as_data_only": bool(episodes) and not rules,
        "generalised": bool(rules) and not any("/" in word[:1] for b in rules for word in b["content"].split()),
    }  # fmt: skip
    facts.checks |= {
        "outcome": lambda v: _outcome(str(v), facts, provider),
        "everywhere": lambda places: set(places) <= set(PLACES),
        "slot_released": lambda v: others_run(house, tenant) is v, "others_in_queue_ok": lambda v: others_run(house, tenant) is v,
    }  # fmt: skip
    return facts


def _of_contents(taken: Taken, kept: Sequence[tuple[str, str]], stored: Sequence[str]) -> dict[str, Any]:
    """How what is stored stands to what was sent: cut, redacted, encodable, in order."""
    pairs = [(taken.contents[name], content) for name, content in kept if isinstance(taken.contents.get(name), str)]
    sent_in_order = [name for name in taken.ids if name in {k for k, _ in kept}]
    return {
        "truncated": any(_CUT in content and _CUT not in sent for sent, content in pairs),
        "redacted": any(REDACTED in content and REDACTED not in sent for sent, content in pairs),
        "valid_utf8": all(_encodable(t) for t in stored), "order_preserved": list(dict.fromkeys(sent_in_order)) == [k for k, _ in kept],
        "content_length": max((len(content) for _, content in pairs), default=0),
        "stored_bytes": max((len(content.encode("utf-8", "replace")) for _, content in kept), default=0),
        "head_kept": all(content[:_EDGE] == sent[:_EDGE] for sent, content in pairs),
        "tail_kept": all(content.rstrip()[-_EDGE:] == sent.rstrip()[-_EDGE:] for sent, content in pairs),
        "first_wins": all(taken.firsts.get(name) == content for name, content in kept),
    }  # fmt: skip


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stable(taken: Taken, hashes: Mapping[str, str]) -> bool:
    """Whether equal contents have one hash."""
    by_content: dict[str, set[str]] = {}
    for name, content in taken.contents.items():
        if name in hashes:
            by_content.setdefault(content, set()).add(hashes[name])
    return bool(by_content) and all(len(found) == 1 for found in by_content.values())


def _outcome(expected: str, facts: Facts, provider: Provider | None) -> bool:
    parts = re.split(r"_(?:then|and)_", expected.casefold().replace("-", "_").replace(" ", "_"))
    again = provider is not None and provider.calls > 1
    nothing = not facts.values["rules"]
    held = bool(facts.values["dead"]) or facts.values["consolidated"]
    known = {
        "retry": again and nothing, "retried": again, "dead_letter": bool(facts.values["dead"]) and nothing,
        "paused": provider is not None and provider.calls > 0 and not held,
        "success": bool(facts.values["consolidated"]) and not facts.values["dead"],
    }  # fmt: skip
    known |= {"accepted": known["success"], "waits": known["paused"], "deferred": known["paused"]}
    if len(parts) > 1:
        known["retry"] = again  # what came of it is said by the next part
    try:
        return all(known[p] if p in known else facts.meets(p, True) for p in parts)
    except NotSupported:
        raise NotSupported(f"the outcome {expected!r}") from None


def others_run(house: House, tenant: str) -> bool:
    """Whether another scope of the tenant gets its turn with a sound model, whatever became of the first."""
    house.send(
        tenant,
        [
            {
                "id": "beside",
                "kind": "user",
                "workspace": "beside",
                "content": "Always tag the release before you publish it.",
            }
        ],
    )
    house.take_in([tenant])
    sound = replace(house.ctx.runtime.models, label=OfflineModel(), compile=OfflineModel())
    with house.ctx.db.tenant(tenant) as session:
        cycles.request_sleep(session, tenant)
    pipeline.run_due(house.with_models(sound), tenant)
    state = house.rows("select state from bio.episodes where tenant = :t and id = 'beside'", t=tenant)
    return bool(state) and state[0][0] == "considered"


def ingest(house: House, given: Mapping[str, Any]) -> Facts:
    """Take the events in and consolidate them; an injection is read by a model that obeys it."""
    tenant = house.tenant()
    given.get("tenant")  # whichever it is, it is the only one
    models = house.ctx.runtime.models
    watched = _Watched(models.embedder)
    models = replace(models, embedder=watched)
    if given.get(ROW_KIND) == "injection":
        models = replace(models, label=ObeyingModel(), compile=ObeyingModel())
    with logged() as lines:
        taken = take_in(house, tenant, given)
        run_out(house, house.with_models(models), tenant)
        return consolidated(house, tenant, taken, watched, lines, None)


def consolidate(house: House, given: Mapping[str, Any]) -> Facts:
    """Consolidate with a provider that answers the compile stage by the row's script, or has the trouble that a fault names."""
    fault = str(given.get("fault") or "")
    script = case_script.steps(given.get("llm_script"))
    if fault and case_script.of_provider(fault):
        script = [*case_script.answers(fault, int(given.get("times") or 1)), *(script or [_NOTHING])]
    elif fault and fault not in FAULTS:
        raise NotSupported(f"the fault {fault[:80]!r}")
    tenant = house.tenant()
    given.get("tenant")  # whichever it is, it is the only one
    watched = _Watched(house.ctx.runtime.models.embedder)
    events = {str(e.get("event_id") or i): str(e.get("content", "")) for i, e in enumerate(given.get("events") or ())}
    with logged() as lines, serving(script, events) as (provider, model):
        models = replace(house.ctx.runtime.models, label=OfflineModel(), compile=model, embedder=watched)
        provider.clock = lambda: float(house.rows("select extract(epoch from bio.now())")[0][0])
        taken = take_in(house, tenant, given)
        with _writes_fail(house, tenant) if fault in FAULTS else _nothing():
            run_out(house, house.with_models(models), tenant)
        facts = consolidated(house, tenant, taken, watched, lines, provider)
    facts.values["recovers"] = bool(facts.values["consolidated"])
    if waits := provider.waits():
        facts.values |= {"retry_wait_s": min(waits), "longest_wait_s": max(waits)}
    return facts


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _writes_fail(house: House, tenant: str) -> Iterator[None]:
    """Every write of a memory or belief of this tenant is refused by the database."""
    name = tenant.replace("-", "_")
    house.execute(
        f"create function bio.{name}() returns trigger language plpgsql as"
        f" $$ begin if new.tenant = '{tenant}' then raise exception 'refused by the evaluation'; end if; return new; end $$"
    )
    for table in ("memories", "beliefs"):
        house.execute(f"create trigger {name} before insert on bio.{table} for each row execute function bio.{name}()")
    try:
        yield
    finally:
        house.execute(f"drop function bio.{name}() cascade")
